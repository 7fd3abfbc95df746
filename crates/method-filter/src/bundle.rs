//! Single-file .NET programs: a native host with the files of a program behind it.
//!
//! The host has a marker: eight bytes with the position of the bundle's header, and a signature of 32 bytes. The header lists
//! the files. The format is that of `Microsoft.NET.HostModel.Bundle` in dotnet/runtime, in the versions 2 (.NET 5) to 6 (.NET 6
//! and newer). Nothing in an executable is trusted: each position and each size is compared with the bytes that are there.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The signature of the marker: the SHA-256 of ".net core bundle".
pub const SIGNATURE: [u8; 32] = [
    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13,
    0xf5, 0xb9, 0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
];

/// The first version whose header has the ranges of two files, of .NET 5.
const RANGES: u32 = 2;

/// The first version whose files may be compressed, and the newest known one.
const COMPRESSION: u32 = 6;

/// The longest text in a header: a path in the bundle.
const LONGEST: u64 = 1 << 16;

/// Why the files of a single-file program cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    /// It is no host, or the host has no program.
    #[error("it is no single-file program")]
    Missing,
    /// The header has another version than those that are known.
    #[error("its bundle has version {0}; versions {RANGES} to {COMPRESSION} are known")]
    Version(u32),
    /// The header, or a file that it lists, is cut off or damaged.
    #[error("{0}")]
    Damaged(&'static str),
}

/// The kind of a file in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub u8);

impl Kind {
    /// An assembly.
    pub const ASSEMBLY: Self = Self(1);
    /// The `.deps.json`.
    pub const DEPS: Self = Self(3);
    /// The `.runtimeconfig.json`.
    pub const RUNTIME_CONFIG: Self = Self(4);
}

/// A part of the executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The position of its first byte.
    pub offset: u64,
    /// The number of its bytes.
    pub size: u64,
}

/// A file that a bundle lists. Its numbers are those of the header; nothing has been compared with the executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the bundle.
    pub path: String,
    /// Its kind.
    pub kind: Kind,
    /// Where it is stored.
    pub stored: Range,
    /// The size that it has when it is decompressed (deflate); `None` if it is stored as it is.
    pub decompressed: Option<u64>,
}

/// A single-file program, read from an executable.
#[derive(Debug)]
pub struct Bundle<R> {
    input: R,
    version: u32,
    /// The number of files.
    count: u32,
    deps: Option<Range>,
    /// The position of the list of files.
    list: u64,
}

impl<R: Read + Seek> Bundle<R> {
    /// Reads the header. The executable is searched for the marker, from its begin.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no single-file program, or has an older version of the format.
    pub fn read(mut input: R) -> Result<Self, BundleError> {
        input.rewind()?;
        let marker = marker(&mut input)?.ok_or(BundleError::Missing)?;
        let header = Fields::at(&mut input, marker)?.number::<8>()?;
        if header == 0 {
            return Err(BundleError::Missing);
        }
        let mut fields = Fields::at(&mut input, header)?;
        let [version, _minor, count] = [fields.word()?, fields.word()?, fields.word()?];
        if version < RANGES {
            return Err(BundleError::Version(version));
        }
        let _id = fields.text()?;
        let [deps, _config] = [fields.range()?, fields.range()?];
        let _flags = fields.number::<8>()?;
        let list = fields.position;
        Ok(Self { input, version, count, deps: Some(deps).filter(|deps| deps.size != 0), list })
    }

    /// The `.deps.json`, if there is one.
    #[must_use]
    pub fn deps(&self) -> Option<Range> {
        self.deps
    }

    /// Reads the list of files.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is cut off or damaged, or has a version that is not known.
    pub fn entries(&mut self) -> Result<Vec<Entry>, BundleError> {
        if self.version > COMPRESSION {
            return Err(BundleError::Version(self.version));
        }
        let mut fields = Fields::at(&mut self.input, self.list)?;
        // The number is not trusted: what is listed is in the executable.
        let mut entries = Vec::new();
        for _ in 0..self.count {
            let Range { offset, size } = fields.range()?;
            let compressed = if self.version >= COMPRESSION { fields.number::<8>()? } else { 0 };
            let [kind] = fields.bytes()?;
            let (stored, decompressed) = match compressed {
                0 => (size, None),
                compressed => (compressed, Some(size)),
            };
            let path = fields.text()?;
            let stored = Range { offset, size: stored };
            entries.push(Entry { path, kind: Kind(kind), stored, decompressed });
        }
        Ok(entries)
    }

    /// Reads a part of the executable. It allocates no more than the executable has.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or lies outside of the executable.
    pub fn bytes(&mut self, range: Range) -> Result<Vec<u8>, BundleError> {
        self.input.seek(SeekFrom::Start(range.offset))?;
        let mut bytes = Vec::new();
        self.input.by_ref().take(range.size).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == range.size {
            Ok(bytes)
        } else {
            Err(BundleError::Damaged("a file is cut off"))
        }
    }
}

/// Returns the position of the marker in a host, relative to where `input` stands; `None` if it is no host.
///
/// # Errors
///
/// If it cannot be read.
pub fn marker(input: &mut impl Read) -> io::Result<Option<u64>> {
    const PIECE: usize = 1 << 20;
    // What the marker may begin in stays in front of the next piece.
    const OVERLAP: usize = size_of::<u64>() + SIGNATURE.len();
    let mut piece = Vec::with_capacity(OVERLAP + PIECE);
    let mut begin = 0;
    loop {
        let read = input.take(PIECE as u64).read_to_end(&mut piece)?;
        // One at the begin of the executable has no header in front of it.
        if let Some(at) = memchr::memmem::find_iter(&piece, &SIGNATURE).find_map(|at| at.checked_sub(8)) {
            return Ok(Some(begin + at as u64));
        }
        if read == 0 {
            return Ok(None);
        }
        let searched = piece.len().saturating_sub(OVERLAP);
        piece.drain(..searched);
        begin += searched as u64;
    }
}

/// The fields of a header, one after the other.
struct Fields<'a, R> {
    input: BufReader<&'a mut R>,
    position: u64,
}

impl<'a, R: Read + Seek> Fields<'a, R> {
    fn at(input: &'a mut R, position: u64) -> Result<Self, BundleError> {
        input.seek(SeekFrom::Start(position))?;
        Ok(Self { input: BufReader::new(input), position })
    }

    fn bytes<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], BundleError> {
        let mut bytes = [0; SIZE];
        self.input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => BundleError::Damaged("the header is cut off"),
            _ => error.into(),
        })?;
        self.position += SIZE as u64;
        Ok(bytes)
    }

    fn word(&mut self) -> Result<u32, BundleError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn number<const SIZE: usize>(&mut self) -> Result<u64, BundleError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn range(&mut self) -> Result<Range, BundleError> {
        Ok(Range { offset: self.number::<8>()?, size: self.number::<8>()? })
    }

    /// A text of .NET's `BinaryWriter`: its length in groups of seven bits, and UTF-8.
    fn text(&mut self) -> Result<String, BundleError> {
        let mut length = 0;
        for shift in [0, 7, 14] {
            let [byte] = self.bytes()?;
            length |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return self.text_of(length);
            }
        }
        Err(BundleError::Damaged("a path is too long"))
    }

    fn text_of(&mut self, length: u64) -> Result<String, BundleError> {
        if length > LONGEST {
            return Err(BundleError::Damaged("a path is too long"));
        }
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(BundleError::Damaged("the header is cut off"));
        }
        self.position += length;
        String::from_utf8(bytes).map_err(|_| BundleError::Damaged("a path is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A file of an example: path, kind, content, and the number of bytes that it is said to have when decompressed.
    type File = (&'static str, Kind, &'static [u8], Option<u64>);

    const FILES: [File; 3] = [
        ("shop.dll", Kind::ASSEMBLY, b"MZ", None),
        ("lib/packed.dll", Kind::ASSEMBLY, b"xyz", Some(9)),
        ("shop.deps.json", Kind::DEPS, b"{}", None),
    ];

    /// An executable with this much code before the marker, as `dotnet publish` writes it.
    fn executable(code: usize, version: u32, files: &[File]) -> Vec<u8> {
        let mut bytes = vec![0x90; code];
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&SIGNATURE);
        let (mut list, mut deps) = (Vec::new(), [0; 2]);
        for &(path, kind, content, decompressed) in files {
            let (offset, stored) = (bytes.len() as u64, content.len() as u64);
            let sizes = decompressed.map_or([stored, 0], |size| [size, stored]);
            if kind == Kind::DEPS {
                deps = [offset, stored];
            }
            let numbers = if version < 6 { vec![offset, sizes[0]] } else { vec![offset, sizes[0], sizes[1]] };
            list.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
            list.extend([kind.0, u8::try_from(path.len()).unwrap()]);
            list.extend_from_slice(path.as_bytes());
            bytes.extend_from_slice(content);
        }
        let header = bytes.len() as u64;
        bytes[code..code + 8].copy_from_slice(&header.to_le_bytes());
        for number in [version, 0, u32::try_from(files.len()).unwrap()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(b"\x03abc");
        for number in [deps[0], deps[1], 0, 0, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&list);
        bytes
    }

    fn open(bytes: Vec<u8>) -> Result<Bundle<Cursor<Vec<u8>>>, BundleError> {
        Bundle::read(Cursor::new(bytes))
    }

    #[test]
    fn listed_files_are_read() {
        // The marker also lies across two pieces.
        for code in [0, 100, (1 << 20) - 4, (1 << 20) - 39, (1 << 20) + 1] {
            let mut bundle = open(executable(code, 6, &FILES)).unwrap();
            let entries = bundle.entries().unwrap();
            assert_eq!(entries.len(), FILES.len());
            for (entry, (path, kind, content, decompressed)) in entries.iter().zip(FILES) {
                assert_eq!((&*entry.path, entry.kind, entry.decompressed), (path, kind, decompressed));
                assert_eq!(bundle.bytes(entry.stored).unwrap(), content);
            }
            assert_eq!(bundle.deps(), Some(entries[2].stored));
        }
    }

    #[test]
    fn versions_before_6_have_no_compressed_files() {
        for version in 2..6 {
            let mut bundle = open(executable(0, version, &FILES[..1])).unwrap();
            let entries = bundle.entries().unwrap();
            assert_eq!((&*entries[0].path, entries[0].decompressed), ("shop.dll", None));
            assert_eq!(bundle.deps(), None);
        }
        assert!(matches!(open(executable(0, 1, &FILES)), Err(BundleError::Version(1))));
        // What a newer version adds is not known; the `.deps.json` is where it was.
        let mut newer = open(executable(0, 7, &FILES)).unwrap();
        assert!(matches!(newer.entries(), Err(BundleError::Version(7))));
        let deps = newer.deps().unwrap();
        assert_eq!(newer.bytes(deps).unwrap(), b"{}");
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        assert!(matches!(open(Vec::new()), Err(BundleError::Missing)));
        assert!(matches!(open([&[0; 8][..], &SIGNATURE].concat()), Err(BundleError::Missing)));
        // There is no room for the position before the signature.
        assert!(matches!(open(SIGNATURE.to_vec()), Err(BundleError::Missing)));
        // Nor is that one the program's.
        for early in 0..8 {
            let mut bytes = executable(1024, 6, &FILES);
            bytes[early..early + SIGNATURE.len()].copy_from_slice(&SIGNATURE);
            assert_eq!(open(bytes).unwrap().entries().unwrap().len(), FILES.len(), "{early}");
        }
        let outside = [&u64::MAX.to_le_bytes()[..], &SIGNATURE].concat();
        assert!(open(outside).is_err());
    }

    /// Reads all that can be read.
    fn everything(bytes: Vec<u8>) -> Result<(), BundleError> {
        let mut bundle = open(bytes)?;
        for entry in bundle.entries()? {
            bundle.bytes(entry.stored)?;
        }
        bundle.deps().map_or(Ok(()), |deps| bundle.bytes(deps).map(drop))
    }

    #[test]
    fn a_cut_bundle_is_refused_wherever_it_is_cut() {
        let whole = executable(10, 6, &FILES);
        assert!(everything(whole.clone()).is_ok());
        for length in 0..whole.len() {
            assert!(everything(whole[..length].to_vec()).is_err(), "{length}");
        }
    }

    #[test]
    fn changed_bytes_are_read_or_refused() {
        let whole = executable(10, 6, &FILES);
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] = value;
                drop(everything(changed));
            }
        }
    }

    #[test]
    fn a_number_of_files_that_are_not_there_is_refused() {
        let mut bytes = executable(0, 6, &FILES);
        let header = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
        bytes[header + 8..header + 12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(open(bytes).unwrap().entries(), Err(BundleError::Damaged(_))));
    }
}
