//! Makes single-file .NET programs, and takes them apart: `method_filter::bundle` has the format, which is written here in its
//! version 6, of .NET 6 and newer.

use std::borrow::Cow;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
pub(super) use method_filter::bundle::Kind;
use method_filter::bundle::{Bundle, Entry, Range};

/// What stands in a host that belongs to no program yet: the SHA-256 of "foobar", in hexadecimal.
const NO_PROGRAM: &[u8] = b"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

/// The bytes that a host has for the name of its program.
const NAME_LENGTH: usize = 1024;

/// The version of the header.
const MAJOR: u32 = 6;

/// Where assemblies begin: the runtime maps them.
const PAGE: usize = 4096;

/// A file to be bundled.
#[derive(Debug, Clone)]
pub(super) struct File<'a> {
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
pub(super) fn write(host: &[u8], name: &str, files: &[File<'_>]) -> Result<Vec<u8>> {
    let mut out = host.to_vec();
    let place = position(&out, NO_PROGRAM).context("the host has no place for a program's name")?;
    ensure!(name.len() < NAME_LENGTH, "{name} is too long for a host, which has {NAME_LENGTH} bytes for it");
    rename(&mut out, place, name.as_bytes())?;
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
    set_header(&mut out, header)?;
    Ok(out)
}

/// A single-file program that was read.
#[derive(Debug)]
pub(super) struct Program {
    bundle: Bundle<Cursor<Vec<u8>>>,
    entries: Vec<Entry>,
}

impl Program {
    /// Reads a single-file program.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no single-file program of .NET 5 or newer.
    pub(super) fn open(program: &Path) -> Result<Self> {
        let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        Self::parse(bytes).with_context(|| format!("{} has no files of .NET", program.display()))
    }

    fn parse(bytes: Vec<u8>) -> Result<Self> {
        let mut bundle = Bundle::read(Cursor::new(bytes))?;
        let entries = bundle.entries()?;
        Ok(Self { bundle, entries })
    }

    /// Returns the host as it was before it got a program.
    ///
    /// # Errors
    ///
    /// When the program's name is not found in it.
    pub(super) fn host(&mut self) -> Result<Vec<u8>> {
        let end = self.entries.iter().map(|entry| entry.stored.offset).min().context("it has no files")?;
        let mut host = self.bundle.bytes(Range { offset: 0, size: end })?;
        let config = self.entries.iter().find(|entry| entry.kind == Kind::RUNTIME_CONFIG);
        let config = config.context("there is no .runtimeconfig.json in the bundle")?;
        let stem = config.path.strip_suffix(".runtimeconfig.json").unwrap_or(&config.path);
        let mut name = format!("{stem}.dll").into_bytes();
        name.resize(name.len() + 64, 0);
        let place = position(&host, &name).with_context(|| format!("the host does not name {stem}.dll"))?;
        rename(&mut host, place, NO_PROGRAM)?;
        set_header(&mut host, 0)?;
        Ok(host)
    }

    /// Returns whether there is a file at `path` in the bundle.
    #[must_use]
    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == path)
    }

    /// Returns the bytes of the file at `path` in the bundle.
    ///
    /// # Errors
    ///
    /// When there is none, or it is damaged.
    pub(super) fn file(&mut self, path: &str) -> Result<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.path == path).cloned();
        self.contents(&entry.with_context(|| format!("there is no {path} in the bundle"))?)
    }

    /// Returns the bytes of the first file of a kind.
    ///
    /// # Errors
    ///
    /// When there is none, or it is damaged.
    pub(super) fn first(&mut self, kind: Kind) -> Result<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.kind == kind).cloned();
        self.contents(&entry.with_context(|| format!("there is no file of kind {} in the bundle", kind.0))?)
    }

    fn contents(&mut self, entry: &Entry) -> Result<Vec<u8>> {
        let stored = self.bundle.bytes(entry.stored).with_context(|| format!("in {}", entry.path))?;
        let Some(size) = entry.decompressed else { return Ok(stored) };
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(&*stored)
            .take(size.saturating_add(1))
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot decompress {}", entry.path))?;
        ensure!(bytes.len() as u64 == size, "{} has {} bytes, not {size}", entry.path, bytes.len());
        Ok(bytes)
    }
}

/// Writes the position of the bundle's header into a host.
fn set_header(host: &mut [u8], header: u64) -> Result<()> {
    let marker = method_filter::bundle::marker(&mut &*host)?.context("there is no bundle marker")?;
    let field = host.get_mut(usize::try_from(marker)?..).and_then(|rest| rest.first_chunk_mut());
    *field.context("the bundle marker is cut off")? = header.to_le_bytes();
    Ok(())
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

#[cfg(test)]
mod tests {
    use method_filter::bundle::SIGNATURE;

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
        let mut program = Program::parse(written).unwrap();
        assert_eq!(program.file("hi.dll").unwrap(), b"MZ");
        assert_eq!(program.file(&long).unwrap(), b"MZ too");
        assert_eq!(program.first(Kind::RUNTIME_CONFIG).unwrap(), b"{}");
        assert!(program.first(Kind::DEPS).is_err());
        assert_eq!(program.host().unwrap(), host());
    }

    #[test]
    fn a_host_without_room_for_the_name_is_refused() {
        assert!(write(&host(), &"x".repeat(NAME_LENGTH), &[]).is_err());
        assert!(write(b"no host", "a.dll", &[]).is_err());
    }
}
