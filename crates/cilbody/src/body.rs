//! Encoded method bodies (ECMA-335 II.25.4): header, code, exception handling.

use sigparse::Token;
use sigparse::token::StandAloneSig;

use crate::clause::{self, Clauses};
use crate::error::{Error, ErrorKind, Location};
use crate::instruction::Instructions;
use crate::limits;
use crate::reader::Reader;

/// The bits of a header's first byte.
pub(crate) const FORMAT_MASK: u8 = 0x03;
pub(crate) const FORMAT_TINY: u8 = 0x02;
pub(crate) const FORMAT_FAT: u8 = 0x03;
/// The flags of a fat header.
pub(crate) const FAT_MORE_SECTIONS: u16 = 0x08;
pub(crate) const FAT_INIT_LOCALS: u16 = 0x10;
/// The size of a fat header, in words of four bytes.
pub(crate) const FAT_HEADER_WORDS: u16 = 3;

/// An encoded method body, as it lies in an assembly file or as the profiling API returns it.
///
/// Borrows its bytes and allocates nothing. Parsing reads the header and the sections' headers; instructions and clauses
/// are read as their iterators come to them.
///
/// ```
/// use cilbody::{MethodBody, Opcode};
///
/// // ldarg.0; ret
/// let body = MethodBody::parse(&[0x0A, 0x02, 0x2A])?;
/// assert!(body.is_tiny());
/// let opcodes: Result<Vec<Opcode>, _> = body.instructions().map(|item| item.map(|it| it.opcode())).collect();
/// assert_eq!(opcodes?, [Opcode::LDARG_0, Opcode::RET]);
/// # Ok::<(), cilbody::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MethodBody<'a> {
    bytes: &'a [u8],
    code: &'a [u8],
    header: Header,
    clauses: usize,
    fat_clauses: bool,
}

/// The fields of a header besides the size of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    is_tiny: bool,
    init_locals: bool,
    max_stack: u16,
    local_var_sig: Option<StandAloneSig>,
}

impl<'a> MethodBody<'a> {
    /// Parses the body at the start of a slice. Bytes after the body are ignored.
    ///
    /// The sections of a fat body are aligned to the start of the slice, as the bodies themselves are aligned in a file.
    ///
    /// # Errors
    /// If the header or a section's header is malformed, or the slice ends within the body.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, 0, Location::Body);
        let first = reader.u8()?;
        match first & FORMAT_MASK {
            FORMAT_TINY => {
                let code = Self::code(&mut reader, u32::from(first >> 2))?;
                let header = Header {
                    is_tiny: true,
                    init_locals: false,
                    max_stack: limits::TINY_MAX_STACK,
                    local_var_sig: None,
                };
                Ok(Self {
                    bytes: bytes.get(..reader.position()).unwrap_or(bytes),
                    code,
                    header,
                    clauses: 0,
                    fat_clauses: false,
                })
            }
            FORMAT_FAT => Self::parse_fat(bytes, first),
            _ => Err(reader.error(0, ErrorKind::UnknownFormat(first))),
        }
    }

    fn parse_fat(bytes: &'a [u8], first: u8) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, 0, Location::Body);
        let flags = reader.u16()?;
        if flags >> 12 != FAT_HEADER_WORDS {
            return Err(reader.error(0, ErrorKind::HeaderSize(flags >> 12)));
        }
        let max_stack = reader.u16()?;
        let code_size = reader.u32()?;
        let token = reader.u32()?;
        let local_var_sig = match Token(token).is_nil() {
            true => None,
            false => match StandAloneSig::from_token(token) {
                Some(token) => Some(token),
                None => return Err(reader.error(8, ErrorKind::LocalVarSig(token))),
            },
        };
        let code = Self::code(&mut reader, code_size)?;
        let (clauses, fat_clauses, end) = match u16::from(first) & FAT_MORE_SECTIONS {
            0 => (0, false, reader.position()),
            _ => clause::count(reader)?,
        };
        let init_locals = flags & FAT_INIT_LOCALS != 0;
        let header = Header { is_tiny: false, init_locals, max_stack, local_var_sig };
        Ok(Self { bytes: bytes.get(..end).unwrap_or(bytes), code, header, clauses, fat_clauses })
    }

    fn code(reader: &mut Reader<'a>, size: u32) -> Result<&'a [u8], Error> {
        match size {
            1..=limits::MAX_CODE => reader.take(size as usize),
            _ => Err(reader.error(0, ErrorKind::CodeSize(size))),
        }
    }

    /// The bytes of the body: header, code and sections.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes of the code.
    #[must_use]
    pub const fn code_bytes(&self) -> &'a [u8] {
        self.code
    }

    /// The size of the code in bytes.
    #[must_use]
    pub fn code_size(&self) -> u32 {
        u32::try_from(self.code.len()).unwrap_or(u32::MAX)
    }

    /// Returns `true` for the tiny format, which has no variables and no exception handling (II.25.4.2).
    #[must_use]
    pub const fn is_tiny(&self) -> bool {
        self.header.is_tiny
    }

    /// The largest number of items on the evaluation stack, as the header has it. 8 for the tiny format.
    #[must_use]
    pub const fn max_stack(&self) -> u16 {
        self.header.max_stack
    }

    /// Returns `true` if local variables begin as zero.
    #[must_use]
    pub const fn init_locals(&self) -> bool {
        self.header.init_locals
    }

    /// The signature of the local variables.
    #[must_use]
    pub const fn local_var_sig(&self) -> Option<StandAloneSig> {
        self.header.local_var_sig
    }

    /// The instructions, in order.
    #[inline]
    #[must_use]
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.code)
    }

    /// The number of exception handling clauses.
    #[must_use]
    pub const fn clause_count(&self) -> usize {
        self.clauses
    }

    /// Returns `true` if the first section of clauses is fat, which long or many clauses need (II.25.4.5).
    #[must_use]
    pub const fn has_fat_clauses(&self) -> bool {
        self.fat_clauses
    }

    /// The exception handling clauses, in order.
    #[must_use]
    pub fn clauses(&self) -> Clauses<'a> {
        let sections = (self.clauses > 0).then(|| self.sections());
        Clauses::new(sections, self.clauses, self.code_size())
    }

    /// A reader after the code of a fat body.
    fn sections(&self) -> Reader<'a> {
        let position = usize::from(FAT_HEADER_WORDS) * 4 + self.code.len();
        Reader::new(self.bytes, position, Location::Body)
    }
}
