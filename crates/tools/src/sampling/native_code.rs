//! Native code by address: the libraries that are mapped into the process, and their symbols.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use object::{Object as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind};

use crate::limits::{ADDRESSES, LIBRARY};

/// The time after which the list of mappings is read again for an address that is in none.
const FRESH: Duration = Duration::from_millis(500);

/// The same for an address behind a call. Samples are named later than they are taken, so that a list of this age has their code.
const COMPILED: Duration = Duration::from_millis(20);

/// How long a function is cached: a library may be unmapped, and nothing says so.
const MAPPED: Duration = Duration::from_secs(5);

/// A range of executable memory.
#[derive(Debug)]
struct Mapping {
    begin: usize,
    end: usize,
    /// The offset of its first byte in the file.
    offset: u64,
    /// The path of the file; empty for memory without a file.
    path: Arc<str>,
}

/// A native function, or all code of a library without a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NativeFrame {
    pub(crate) name: Arc<str>,
    pub(crate) module: Arc<str>,
}

/// A library.
#[derive(Debug)]
struct Library {
    /// The name of its file.
    module: Arc<str>,
    /// The frame of code without a symbol.
    unnamed: Arc<str>,
    symbols: Symbols,
}

/// The functions of a library, in the order of their offsets in the file.
#[derive(Debug, Default)]
struct Symbols(Vec<(u64, u64, Arc<str>)>);

/// The executable mappings of the process.
#[derive(Debug, Default)]
pub(crate) struct NativeCode {
    mappings: Vec<Mapping>,
    read: Option<Instant>,
    libraries: HashMap<Arc<str>, Library>,
    /// Functions of libraries by address, found since a time.
    found: HashMap<usize, NativeFrame>,
    found_since: Option<Instant>,
}

impl NativeCode {
    /// Returns the function of a library at an address if it was found not long ago.
    pub(crate) fn cached(&mut self, address: usize) -> Option<NativeFrame> {
        if self.found_since.is_none_or(|since| since.elapsed() > MAPPED) {
            self.found.clear();
            self.found_since = Some(Instant::now());
        }
        self.found.get(&address).cloned()
    }

    /// Returns the native function at an address; `None` if no code is there.
    pub(crate) fn find(&mut self, address: usize) -> Option<NativeFrame> {
        self.refresh(address, FRESH);
        self.find_listed(address)
    }

    /// The same without reading the list of mappings again.
    pub(crate) fn find_listed(&mut self, address: usize) -> Option<NativeFrame> {
        let mapping = self.mapping(address)?;
        let in_file = (address - mapping.begin) as u64 + mapping.offset;
        let path = Arc::clone(&mapping.path);
        if path.is_empty() {
            // Not cached: a method may be compiled to this address later.
            return Some(NativeFrame { name: "[runtime stub]".into(), module: path });
        }
        let library = self.libraries.entry(path).or_insert_with_key(|path| Library::read(Path::new(&**path)));
        let name = library.symbols.find(in_file).unwrap_or_else(|| Arc::clone(&library.unnamed));
        let frame = NativeFrame { name, module: Arc::clone(&library.module) };
        if self.found.len() < ADDRESSES {
            self.found.insert(address, frame.clone());
        }
        Some(frame)
    }

    /// Returns whether an address lies in executable memory, of code that has just been compiled too. To be called for a word that
    /// looks like a return address otherwise.
    pub(crate) fn is_executable(&mut self, address: usize) -> bool {
        self.refresh(address, COMPILED);
        self.mapping(address).is_some()
    }

    /// Reads the list of mappings again for an address that is in none, unless the list is younger than this.
    fn refresh(&mut self, address: usize, fresh: Duration) {
        if self.mapping(address).is_none() && self.read.is_none_or(|read| read.elapsed() > fresh) {
            self.read_mappings();
        }
    }

    fn mapping(&self, address: usize) -> Option<&Mapping> {
        let index = self.mappings.partition_point(|mapping| mapping.end <= address);
        self.mappings.get(index).filter(|mapping| mapping.begin <= address)
    }

    fn read_mappings(&mut self) {
        self.read = Some(Instant::now());
        // Without the list, no native code is known.
        let text = fs::read("/proc/self/maps").unwrap_or_default();
        self.mappings = String::from_utf8_lossy(&text).lines().filter_map(mapping).collect();
    }
}

/// Parses a line of `/proc/self/maps`; `None` if it is not executable.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (begin, end) = words.next()?.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    let (begin, end) = (number(begin)?, number(end)?);
    words.next().filter(|access| access.contains('x'))?;
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let path = line.find('/').and_then(|at| line.get(at..)).unwrap_or_default();
    // The runtime maps its own code from a file in memory.
    let is_library = !path.starts_with("/memfd:") && !path.ends_with(" (deleted)");
    Some(Mapping { begin, end, offset, path: if is_library { path.into() } else { "".into() } })
}

impl Library {
    fn read(path: &Path) -> Self {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Self { unnamed: format!("[{file}]").into(), module: file.into(), symbols: Symbols::read(path) }
    }
}

impl Symbols {
    /// Reads the symbols of a library; none if it has none.
    fn read(path: &Path) -> Self {
        let is_small = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LIBRARY);
        let bytes = is_small.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
        let Ok(file) = object::File::parse(&*bytes) else { return Self::default() };
        // An address in the file's own numbering is at the same distance from its segment's beginning as the byte in the file.
        let offset_of = |address: u64| {
            let segment = file.segments().find(|segment| {
                (segment.address()..segment.address().saturating_add(segment.size())).contains(&address)
            })?;
            Some(segment.file_range().0 + (address - segment.address()))
        };
        let mut symbols: Vec<_> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
            .filter_map(|symbol| {
                let begin = offset_of(symbol.address())?;
                Some((begin, begin.saturating_add(symbol.size()), symbol.name().ok()?.into()))
            })
            .collect();
        symbols.sort();
        Self(symbols)
    }

    fn find(&self, offset: u64) -> Option<Arc<str>> {
        let index = self.0.partition_point(|(begin, ..)| *begin <= offset);
        let (_, end, name) = self.0.get(index.checked_sub(1)?)?;
        (offset < *end).then(|| Arc::clone(name))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_libraries_have_their_symbols() {
        let mut code = NativeCode::default();
        // Of the program itself, which has all its symbols.
        let own = addresses_of_libraries_have_their_symbols as fn() as usize;
        let frame = code.find(own + 1).unwrap();
        assert!(frame.name.contains("addresses_of_libraries_have_their_symbols"), "{frame:?}");
        assert!(frame.module.starts_with("corprof_tools"), "{frame:?}");
        let on_stack = 0_u8;
        assert_eq!(code.find((&raw const on_stack).addr()), None);
        assert_eq!(code.find(1), None);
    }

    #[test]
    fn lines_of_mappings_are_parsed() {
        let line = "7f10a000-7f10b000 r-xp 00002000 fe:00 77    /usr/lib/my lib.so";
        let parsed = mapping(line).unwrap();
        assert_eq!((parsed.begin, parsed.end, parsed.offset), (0x7f10_a000, 0x7f10_b000, 0x2000));
        assert_eq!(&*parsed.path, "/usr/lib/my lib.so");
        assert!(mapping("7f10a000-7f10b000 rw-p 00002000 fe:00 77 /usr/lib/a.so").is_none());
        for line in [
            "7f10a000-7f10b000 rwxp 00000000 00:00 0",
            "7f10a000-7f10b000 r-xs 00000000 00:01 9 /memfd:doublemapper (deleted)",
            "7f10a000-7f10b000 r-xp 00000000 00:00 0 [vdso]",
        ] {
            assert_eq!(&*mapping(line).unwrap().path, "", "{line}");
        }
        assert!(mapping("").is_none() && mapping("x-y r-xp 0 0 0").is_none());
    }
}
