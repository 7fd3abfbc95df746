//! Errors of single values. An error takes the place of one value and does not end a record.

use crate::{memory::MemoryError, runtime::RuntimeError, shape::TypeShape};

/// The cause for which a value could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Memory of the value cannot be read.
    #[error("{what}: {source}")]
    Memory {
        /// The part that was read: `argument`, `object`, `string`.
        what: &'static str,
        /// The address range and the cause.
        source: MemoryError,
    },
    /// The [`Runtime`](crate::Runtime) returned an error.
    #[error("{what} at {address:#x}: {source}")]
    Runtime {
        /// The subject of the query.
        what: &'static str,
        /// The address that the query was about.
        address: usize,
        /// The error of the runtime.
        source: RuntimeError,
    },
    /// A type in a signature has no shape.
    #[error("the type is not known: {0}")]
    Resolve(#[from] ResolveError),
    /// The length of a range is not the size of its type.
    #[error("{type_name} takes {size} bytes, but the range at {address:#x} has {length}")]
    RangeLength {
        /// The type of the argument.
        type_name: Box<str>,
        /// The size of the type.
        size: u32,
        /// The start of the range, or of its remaining part.
        address: usize,
        /// The length of the range.
        length: u32,
    },
    /// There is no range for the argument, or the ranges cannot be assigned to the arguments.
    #[error("the runtime returned {ranges} ranges for {arguments} arguments")]
    RangeCount {
        /// The number of ranges.
        ranges: usize,
        /// The number of arguments, `this` included.
        arguments: usize,
    },
    /// The argument follows one of unknown size in the same range.
    #[error(
        "its location in the range at {address:#x} is not known, since the size of an argument before it is not"
    )]
    UnknownPlace {
        /// The start of the range.
        address: usize,
    },
    /// The location of the value is unknown, since the calling convention depends on a type that is not known.
    #[error("its location is unknown, since a type before it or its own layout is unknown")]
    NoPlace,
    /// The description of a type contradicts itself.
    #[error("{type_name} at {address:#x}: {what}")]
    Layout {
        /// The type.
        type_name: Box<str>,
        /// The address of the value.
        address: usize,
        /// The contradiction.
        what: &'static str,
    },
    /// The length of a string is negative.
    #[error("the string at {address:#x} has the length {length}")]
    StringLength {
        /// The address of the string.
        address: usize,
        /// The length.
        length: i32,
    },
    /// A reference saved at enter may have been moved by the garbage collector since.
    #[error("the reference at {address:#x} may have been moved by a garbage collection during the call")]
    Stale {
        /// The address at enter.
        address: usize,
    },
}

/// The cause for which a type in a signature has no shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The signature is malformed.
    #[error("signature: {0}")]
    Signature(#[from] sigparse::Error),
    /// The runtime returned an error for a type.
    #[error("{name}: {source}")]
    Runtime {
        /// The name of the type, or its token if the name is unknown.
        name: Box<str>,
        /// The error of the runtime.
        source: RuntimeError,
    },
    /// A type parameter has no argument.
    #[error("the type argument {}{index} is not known", if *method { "!!" } else { "!" })]
    TypeArgument {
        /// The number of the parameter.
        index: u32,
        /// Whether the method declares the parameter, not the type.
        method: bool,
    },
    /// The element type cannot occur in signatures of methods and fields.
    #[error("element type {0} has no values")]
    ElementType(sigparse::ElementType),
}

impl From<clrnames::Error> for ResolveError {
    fn from(error: clrnames::Error) -> Self {
        match error {
            clrnames::Error::Signature { error, .. } => Self::Signature(error),
            other => Self::Runtime { name: "?".into(), source: RuntimeError::new(other.to_string()) },
        }
    }
}

impl ResolveError {
    /// Returns the replacement for the shape: the name of the type, if known, and the cause. It is
    /// [provisional](TypeShape::provisional) if the error is [temporary](RuntimeError::is_temporary).
    #[must_use]
    pub fn opaque_shape(&self) -> TypeShape {
        match self {
            Self::Runtime { name, source } => {
                let shape = TypeShape::opaque(&**name, None, source.to_string());
                if source.is_temporary() { shape.provisional() } else { shape }
            }
            other => TypeShape::opaque("?", None, other.to_string()),
        }
    }
}
