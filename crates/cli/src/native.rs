//! Facts about native files: libraries, and the executables that load them.

use std::fmt;

use diagport::Guid;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _};
use object::read::{ExportTarget, NameOrOrdinal};
use object::{Architecture, BinaryFormat, Endianness, File, Object as _, ObjectKind, ObjectSection as _};

/// The entry point that the runtime looks for.
const ENTRY_POINT: &[u8] = b"DllGetClassObject";

/// The class ids of a library of `corprof`, followed by a nil id.
const CLASS_IDS: &[u8] = b"CORPROF_CLASS_IDS";

/// The limit of class ids in a library.
const MOST_CLASSES: u64 = 64;

/// A C library of Linux. A process can have one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libc {
    /// The GNU C library.
    Glibc,
    /// musl.
    Musl,
}

impl fmt::Display for Libc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Glibc => "glibc",
            Self::Musl => "musl",
        })
    }
}

/// Returns a shared library; `None` for any other file.
#[must_use]
pub fn library(bytes: &[u8]) -> Option<File<'_>> {
    File::parse(bytes).ok().filter(|file| file.kind() == ObjectKind::Dynamic)
}

/// Returns whether the library has the entry point that the runtime looks for.
#[must_use]
pub(crate) fn is_profiler(library: &File<'_>) -> bool {
    export(library, ENTRY_POINT).is_some()
}

/// Returns the class ids that a library of `corprof` states.
#[must_use]
pub(crate) fn class_ids(library: &File<'_>) -> Vec<Guid> {
    let Some(address) = export(library, CLASS_IDS) else { return Vec::new() };
    let one = |index: u64| {
        let at = address.checked_add(index * 16)?;
        let bytes = library.sections().find_map(|section| section.data_range(at, 16).ok()?)?;
        let bytes: [u8; 16] = bytes.try_into().ok()?;
        (bytes != [0; 16]).then(|| Guid::from_le_bytes(bytes))
    };
    (0..MOST_CLASSES).map_while(one).collect()
}

/// Returns the address of an export.
fn export(library: &File<'_>, wanted: &[u8]) -> Option<u64> {
    library.exports().ok()?.find_map(|export| {
        let export = export.ok()?;
        let NameOrOrdinal::Name(name) = export.name() else { return None };
        // Symbols of Mach-O have an underscore in front of their C names.
        let is_wanted = name == wanted || name.strip_prefix(b"_") == Some(wanted);
        match export.target() {
            ExportTarget::Address { address } if is_wanted => Some(address),
            _ => None,
        }
    })
}

/// Returns the C library that an executable or library of Linux is linked with; `None` if it needs none.
#[must_use]
pub fn libc(file: &File<'_>, bytes: &[u8]) -> Option<Libc> {
    if let Some(interpreter) = file.section_by_name(".interp").and_then(|section| section.data().ok()) {
        return Some(if contains(interpreter, b"ld-musl-") { Libc::Musl } else { Libc::Glibc });
    }
    let File::Elf64(elf) = file else { return None };
    needed(elf, bytes)?.iter().find_map(|name| match name.as_str() {
        "libc.so.6" => Some(Libc::Glibc),
        "libc.so" => Some(Libc::Musl),
        name if name.starts_with("libc.musl-") => Some(Libc::Musl),
        _ => None,
    })
}

/// Returns the format and the architecture of a file, for messages: `ELF x86-64`.
#[must_use]
pub fn machine(file: &File<'_>) -> String {
    let format = match file.format() {
        BinaryFormat::Elf => "ELF".to_owned(),
        BinaryFormat::Pe => "PE".to_owned(),
        BinaryFormat::MachO => "Mach-O".to_owned(),
        other => format!("{other:?}"),
    };
    let architecture = match file.architecture() {
        Architecture::X86_64 => "x86-64".to_owned(),
        Architecture::Aarch64 => "arm64".to_owned(),
        other => format!("{other:?}"),
    };
    format!("{format} {architecture}")
}

/// A platform that .NET has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// .NET's name, the runtime identifier.
    pub rid: &'static str,
    /// Rust's name, the target.
    pub target: &'static str,
}

/// Returns the platform of a file; `None` if .NET has no such platform.
#[must_use]
pub fn platform(file: &File<'_>, bytes: &[u8]) -> Option<Platform> {
    let (rid, target) = match (file.format(), file.architecture(), libc(file, bytes)) {
        (BinaryFormat::Elf, Architecture::X86_64, Some(Libc::Musl)) => {
            ("linux-musl-x64", "x86_64-unknown-linux-musl")
        }
        (BinaryFormat::Elf, Architecture::X86_64, _) => ("linux-x64", "x86_64-unknown-linux-gnu"),
        (BinaryFormat::Elf, Architecture::Aarch64, Some(Libc::Musl)) => {
            ("linux-musl-arm64", "aarch64-unknown-linux-musl")
        }
        (BinaryFormat::Elf, Architecture::Aarch64, _) => ("linux-arm64", "aarch64-unknown-linux-gnu"),
        (BinaryFormat::Pe, Architecture::X86_64, _) => ("win-x64", "x86_64-pc-windows-msvc"),
        (BinaryFormat::Pe, Architecture::Aarch64, _) => ("win-arm64", "aarch64-pc-windows-msvc"),
        (BinaryFormat::MachO, Architecture::X86_64, _) => ("osx-x64", "x86_64-apple-darwin"),
        (BinaryFormat::MachO, Architecture::Aarch64, _) => ("osx-arm64", "aarch64-apple-darwin"),
        _ => return None,
    };
    Some(Platform { rid, target })
}

/// The names of the libraries that an ELF file needs.
fn needed(elf: &ElfFile64<'_, Endianness>, bytes: &[u8]) -> Option<Vec<String>> {
    let (header, endian) = (elf.elf_header(), elf.endian());
    let sections = header.sections(endian, bytes).ok()?;
    let (dynamic, link) = sections.dynamic(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, link).ok()?;
    let needed = dynamic.iter().filter(|entry| entry.tag(endian) == object::elf::DT_NEEDED);
    let names = needed.filter_map(|entry| entry.string(endian, strings).ok());
    Some(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Returns whether `bytes` has `part` in it.
#[must_use]
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_no_library_and_has_a_c_library() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = File::parse(&*bytes).unwrap();
        assert!(!is_profiler(&file) && class_ids(&file).is_empty());
        assert!(library(b"hello").is_none());
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            assert_eq!(libc(&file, &bytes), Some(Libc::Glibc));
            let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
            assert_eq!(platform(&file, &bytes).map(|platform| platform.target), Some(triple.as_str()));
            assert!(machine(&file).starts_with("ELF "));
        }
    }
}
