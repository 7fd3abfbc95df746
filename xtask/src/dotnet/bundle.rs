//! Single-file .NET programs: a native host with the files of a program behind it.
//!
//! The host has a marker, eight bytes with the position of the bundle's header and a signature of 32 bytes. The header
//! lists the files; the host itself ends where the first of them begins. The format is that of
//! `Microsoft.NET.HostModel.Bundle` in dotnet/runtime, version 6, which .NET 6 and everything newer write.

use std::borrow::Cow;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

/// The SHA-256 of ".net core bundle".
const SIGNATURE: [u8; 32] = [
    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13,
    0xf5, 0xb9, 0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
];

/// What stands in a host that belongs to no program yet: the SHA-256 of "foobar", in hexadecimal.
const NO_PROGRAM: &[u8] = b"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

/// The bytes that a host has for the name of its program.
const NAME_LENGTH: usize = 1024;

/// The version of the header.
const MAJOR: u32 = 6;

/// Where assemblies begin: the runtime maps them.
const PAGE: usize = 4096;

/// The kind of a bundled file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    /// An assembly.
    pub const ASSEMBLY: Self = Self(1);
    /// The `.deps.json`.
    pub const DEPS: Self = Self(3);
    /// The `.runtimeconfig.json`.
    pub const RUNTIME_CONFIG: Self = Self(4);
}

/// A file to be bundled.
#[derive(Debug, Clone)]
pub struct File<'a> {
    /// Its path in the bundle.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
}

/// A host for the program `name`, with `files` bundled behind it.
///
/// `name` is the path of the program's assembly relative to the host.
///
/// # Errors
///
/// When `host` is no host, belongs to a program already, or has no room for the name.
pub fn write(host: &[u8], name: &str, files: &[File<'_>]) -> Result<Vec<u8>> {
    let mut out = host.to_vec();
    let place = position(&out, NO_PROGRAM).context("the host has no place for a program's name")?;
    ensure!(name.len() < NAME_LENGTH, "{name} is too long for a host, which has {NAME_LENGTH} bytes for it");
    rename(&mut out, place, name.as_bytes())?;
    let marker = marker(&out)?;
    let mut entries = Vec::new();
    let mut ranges = [(Kind::DEPS, [0; 2]), (Kind::RUNTIME_CONFIG, [0; 2])];
    for file in files {
        let alignment = if file.kind == Kind::ASSEMBLY { PAGE } else { 16 };
        out.resize(out.len().next_multiple_of(alignment), 0);
        let range = [out.len() as u64, file.bytes.len() as u64];
        if let Some(known) = ranges.iter_mut().find(|(kind, _)| *kind == file.kind) {
            known.1 = range;
        }
        // Uncompressed: the third number is the size in the bundle.
        for number in [range[0], range[1], 0] {
            entries.extend_from_slice(&number.to_le_bytes());
        }
        entries.push(file.kind.0);
        push_string(&mut entries, &file.path);
        out.extend_from_slice(&file.bytes);
    }
    let header = out.len() as u64;
    for number in [MAJOR, 0, u32::try_from(files.len()).context("too many files")?] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    push_string(&mut out, "corprof");
    for number in ranges.iter().flat_map(|(_, range)| range).chain([&0]) {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&entries);
    out[marker..marker + 8].copy_from_slice(&header.to_le_bytes());
    Ok(out)
}

/// A single-file program that was read.
#[derive(Debug)]
pub struct Bundle {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    path: String,
    kind: Kind,
    offset: usize,
    size: usize,
    /// The size in the bundle, if it is compressed.
    compressed: Option<usize>,
}

impl Bundle {
    /// Reads a single-file program.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no single-file program of .NET 6 or newer.
    pub fn open(program: &Path) -> Result<Self> {
        let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        Self::parse(bytes).with_context(|| format!("{} is no single-file .NET program", program.display()))
    }

    fn parse(bytes: Vec<u8>) -> Result<Self> {
        let marker = marker(&bytes)?;
        let header = Reader { bytes: &bytes, at: marker }.number::<8>()?;
        ensure!(header != 0, "the host has no bundle");
        let mut reader = Reader { bytes: &bytes, at: usize::try_from(header)? };
        let (major, _minor) = (reader.number::<4>()?, reader.number::<4>()?);
        ensure!(major == u64::from(MAJOR), "its bundle has version {major}, and {MAJOR} is known");
        let count = reader.number::<4>()?;
        reader.string()?;
        // The ranges of two files that are listed as well, and flags.
        reader.take(40)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let [offset, size, compressed] =
                [reader.number::<8>()?, reader.number::<8>()?, reader.number::<8>()?].map(usize::try_from);
            let kind = Kind(reader.take(1)?[0]);
            let path = reader.string()?;
            let compressed = Some(compressed?).filter(|&size| size != 0);
            entries.push(Entry { path, kind, offset: offset?, size: size?, compressed });
        }
        Ok(Self { bytes, entries })
    }

    /// Returns the host as it was before it got a program.
    ///
    /// # Errors
    ///
    /// When the program's name is not found in it.
    pub fn host(&self) -> Result<Vec<u8>> {
        let end = self.entries.iter().map(|entry| entry.offset).min().unwrap_or(self.bytes.len());
        let mut host = self.bytes.get(..end).context("a file lies outside")?.to_vec();
        let config = self.entries.iter().find(|entry| entry.kind == Kind::RUNTIME_CONFIG);
        let config = config.context("there is no .runtimeconfig.json in the bundle")?;
        let stem = config.path.strip_suffix(".runtimeconfig.json").unwrap_or(&config.path);
        let mut name = format!("{stem}.dll").into_bytes();
        name.resize(name.len() + 64, 0);
        let place = position(&host, &name).with_context(|| format!("the host does not name {stem}.dll"))?;
        rename(&mut host, place, NO_PROGRAM)?;
        let marker = marker(&host)?;
        host[marker..marker + 8].fill(0);
        Ok(host)
    }

    /// Returns the bytes of the file at `path` in the bundle.
    ///
    /// # Errors
    ///
    /// When there is none, or it is damaged.
    pub fn file(&self, path: &str) -> Result<Cow<'_, [u8]>> {
        let entry = self.entries.iter().find(|entry| entry.path == path);
        self.contents(entry.with_context(|| format!("there is no {path} in the bundle"))?)
    }

    /// Returns the bytes of the first file of a kind.
    ///
    /// # Errors
    ///
    /// When there is none, or it is damaged.
    pub fn first(&self, kind: Kind) -> Result<Cow<'_, [u8]>> {
        let entry = self.entries.iter().find(|entry| entry.kind == kind);
        self.contents(entry.with_context(|| format!("there is no file of kind {} in the bundle", kind.0))?)
    }

    fn contents(&self, entry: &Entry) -> Result<Cow<'_, [u8]>> {
        let mut reader = Reader { bytes: &self.bytes, at: entry.offset };
        let stored = reader.take(entry.compressed.unwrap_or(entry.size));
        let stored = stored.with_context(|| format!("{} lies outside", entry.path))?;
        if entry.compressed.is_none() {
            return Ok(Cow::Borrowed(stored));
        }
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(stored)
            .take(entry.size as u64 + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot decompress {}", entry.path))?;
        ensure!(bytes.len() == entry.size, "{} has {} bytes, not {}", entry.path, bytes.len(), entry.size);
        Ok(Cow::Owned(bytes))
    }
}

/// The position of the marker, whose first eight bytes are the header's position.
fn marker(host: &[u8]) -> Result<usize> {
    let signature = position(host, &SIGNATURE).context("there is no bundle marker")?;
    signature.checked_sub(8).context("the bundle marker is cut off")
}

/// Puts a name in the place of another one, and zeros behind it.
fn rename(host: &mut [u8], place: usize, name: &[u8]) -> Result<()> {
    let field = host.get_mut(place..place + NAME_LENGTH).context("the place for the name is cut off")?;
    let used = field.iter().position(|&byte| byte == 0).unwrap_or(NAME_LENGTH);
    field[..used].fill(0);
    field[..name.len()].copy_from_slice(name);
    Ok(())
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

fn push_string(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length > 0x7f {
        out.push(0x80 | length.to_le_bytes()[0]);
        length >>= 7;
    }
    out.push(length.to_le_bytes()[0]);
    out.extend_from_slice(text.as_bytes());
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length).context("a length is out of bounds")?;
        let taken = self.bytes.get(self.at..end).context("it ends too early")?;
        self.at = end;
        Ok(taken)
    }

    fn number<const SIZE: usize>(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        bytes[..SIZE].copy_from_slice(self.take(SIZE)?);
        Ok(u64::from_le_bytes(bytes))
    }

    fn string(&mut self) -> Result<String> {
        let mut length = 0;
        for shift in [0, 7] {
            let byte = self.take(1)?[0];
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(String::from_utf8(self.take(length)?.to_vec())?);
            }
        }
        bail!("a path is too long")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host with a place for a name and a marker.
    fn host() -> Vec<u8> {
        let mut host = b"code".to_vec();
        host.extend_from_slice(NO_PROGRAM);
        host.resize(4 + NAME_LENGTH, 0);
        host.extend_from_slice(b"more");
        host.extend_from_slice(&[0; 8]);
        host.extend_from_slice(&SIGNATURE);
        host.resize(host.len().next_multiple_of(PAGE), 0);
        host
    }

    fn file(path: &str, kind: Kind, bytes: &'static [u8]) -> File<'static> {
        File { path: path.to_owned(), kind, bytes: Cow::Borrowed(bytes) }
    }

    #[test]
    fn written_files_are_read_again() {
        let long = format!("{}/a.dll", "x".repeat(200));
        let files = [
            file("hi.dll", Kind::ASSEMBLY, b"MZ"),
            file(&long, Kind::ASSEMBLY, b"MZ too"),
            file("hi.runtimeconfig.json", Kind::RUNTIME_CONFIG, b"{}"),
        ];
        let written = write(&host(), "hi.dll", &files).unwrap();
        assert_eq!(position(&written, b"hi.dll\0"), Some(4));
        let bundle = Bundle::parse(written).unwrap();
        assert_eq!(*bundle.file("hi.dll").unwrap(), *b"MZ");
        assert_eq!(*bundle.file(&long).unwrap(), *b"MZ too");
        assert_eq!(*bundle.first(Kind::RUNTIME_CONFIG).unwrap(), *b"{}");
        assert!(bundle.first(Kind::DEPS).is_err());
        assert_eq!(bundle.host().unwrap(), host());
    }

    #[test]
    fn a_cut_bundle_is_refused() {
        let written = write(&host(), "a.dll", &[file("a.dll", Kind::ASSEMBLY, b"MZ")]).unwrap();
        for cut in [1, 20, 60, written.len() - 4] {
            assert!(Bundle::parse(written[..written.len() - cut].to_vec()).is_err(), "{cut}");
        }
        assert!(Bundle::parse(host()).is_err());
    }

    #[test]
    fn a_host_without_room_for_the_name_is_refused() {
        assert!(write(&host(), &"x".repeat(NAME_LENGTH), &[]).is_err());
        assert!(write(b"no host", "a.dll", &[]).is_err());
    }
}
