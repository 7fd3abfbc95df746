//! Errors, with their offsets.

use core::fmt;

use crate::element::ElementType;
use crate::header::{SigHeader, SigKind};
use crate::limits;

/// A malformed blob: the cause and its offset.
///
/// ```
/// use sigparse::{ErrorKind, MethodSig};
///
/// let error = MethodSig::parse(&[0x00, 0x00]).unwrap_err();
/// assert_eq!((error.offset, error.kind), (2, ErrorKind::UnexpectedEnd));
/// assert_eq!(error.to_string(), "the blob ends too early (at byte 2)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// The offset in the blob of the first wrong byte.
    pub offset: usize,
    /// The cause.
    pub kind: ErrorKind,
}

/// The cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The blob ends where more bytes are needed. The offset is the length of the blob.
    UnexpectedEnd,
    /// A compressed integer begins with this byte, which no encoding does (II.23.2).
    InvalidCompressedInteger(u8),
    /// This is no TypeDefOrRefOrSpecEncoded: the tag is 3, the row is 0, or the row is beyond three bytes
    /// (II.23.2.8).
    InvalidTypeDefOrRef(u32),
    /// A type begins with a byte that no type begins with (II.23.2.12).
    UnexpectedElementType(ElementType),
    /// A SENTINEL where there can be none: a second one, or in a calling convention without variable
    /// arguments (II.23.2.2).
    UnexpectedSentinel,
    /// The blob begins with a header of another kind of signature.
    WrongKind {
        /// The expected kind.
        expected: SigKind,
        /// The header that was found.
        found: SigHeader,
    },
    /// A count announces more items than bytes are left.
    CountExceedsData {
        /// The count.
        count: u32,
        /// The bytes that are left after it.
        remaining: usize,
    },
    /// The generic parameter or argument count is 0 or above [`limits::MAX_GENERIC_PARAMS`].
    InvalidGenericCount(u32),
    /// The rank of an ARRAY is 0 or above [`limits::MAX_ARRAY_RANK`] (II.23.2.13).
    InvalidRank(u32),
    /// An ARRAY has more sizes or more lower bounds than dimensions (II.23.2.13).
    InvalidShape {
        /// The count of sizes or lower bounds.
        count: u32,
        /// The rank.
        rank: u32,
    },
    /// The type nests deeper than [`limits::MAX_DEPTH`].
    TooDeep,
    /// The signature is whole, but so many bytes follow it.
    TrailingBytes(usize),
    /// The value of a custom attribute begins with this and not with 1 (II.23.3).
    InvalidProlog(u16),
    /// A custom attribute has an argument of a type that none can have, that the caller does not know, or that
    /// is neither a field's nor a property's (II.23.3).
    UnknownAttributeType(ElementType),
    /// A string that names something is null (II.23.3).
    UnexpectedNull,
    /// A string is no UTF-8.
    InvalidUtf8,
    /// A marshalling descriptor has an element type that is no byte (II.23.4).
    InvalidNativeType(u32),
    /// A number to be written has no compressed form (II.23.2). The offset is where it would have been.
    IntegerOutOfRange(i64),
    /// A custom attribute to be written has more or fewer arguments than its constructor parameters (II.23.3).
    WrongArgumentCount {
        /// The number of parameters.
        expected: u32,
    },
    /// A custom attribute to be written has an argument of another type than the parameter or vector it is for
    /// (II.23.3). The offset is where the argument would have been.
    WrongArgumentType {
        /// The type of the parameter.
        expected: ElementType,
        /// The type of the argument.
        found: ElementType,
    },
    /// A marshalling descriptor to be written would be read as another one (II.23.4).
    AmbiguousMarshalSpec,
}

impl Error {
    /// Makes an error; out of line, so that the paths that do not fail stay short.
    #[cold]
    #[inline(never)]
    pub(crate) const fn new(offset: usize, kind: ErrorKind) -> Self {
        Self { offset, kind }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnexpectedEnd => f.write_str("the blob ends too early"),
            Self::InvalidCompressedInteger(byte) => write!(f, "0x{byte:02X} begins no compressed integer"),
            Self::InvalidTypeDefOrRef(value) => {
                write!(f, "0x{value:X} encodes no TypeDef, TypeRef or TypeSpec")
            }
            Self::UnexpectedElementType(element) => write!(f, "element type {element} begins no type"),
            Self::UnexpectedSentinel => f.write_str("a sentinel where there can be none"),
            Self::WrongKind { expected, found } => match SigKind::of(found) {
                Some(kind) => write!(f, "expected a {expected}, found a {kind} (header 0x{:02X})", found.0),
                None => {
                    write!(f, "expected a {expected}, found header 0x{:02X}, which no signature has", found.0)
                }
            },
            Self::CountExceedsData { count, remaining } => {
                write!(f, "a count of {count} with {remaining} bytes left")
            }
            Self::InvalidGenericCount(count) => {
                write!(f, "{count} generic parameters (1 to {} are possible)", limits::MAX_GENERIC_PARAMS)
            }
            Self::InvalidRank(rank) => {
                write!(f, "an array of rank {rank} (1 to {} are possible)", limits::MAX_ARRAY_RANK)
            }
            Self::InvalidShape { count, rank } => write!(f, "{count} array bounds for rank {rank}"),
            Self::TooDeep => write!(f, "a type nested more than {} levels deep", limits::MAX_DEPTH),
            Self::InvalidProlog(prolog) => write!(f, "0x{prolog:04X} begins no custom attribute"),
            Self::UnknownAttributeType(element) => {
                write!(f, "a custom attribute's argument of type {element}, which cannot be or is not known")
            }
            Self::UnexpectedNull => f.write_str("a name is null"),
            Self::InvalidUtf8 => f.write_str("a string is no UTF-8"),
            Self::InvalidNativeType(value) => write!(f, "0x{value:X} is no native type"),
            Self::IntegerOutOfRange(value) => write!(f, "{value} has no compressed form"),
            Self::WrongArgumentCount { expected } => {
                write!(f, "the constructor of the custom attribute takes {expected} arguments")
            }
            Self::WrongArgumentType { expected, found } => {
                write!(f, "an argument of type {found} where {expected} is due")
            }
            Self::AmbiguousMarshalSpec => {
                f.write_str("the marshalling descriptor would be read as another one")
            }
            Self::TrailingBytes(count) => write!(f, "{count} bytes follow the signature"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}
