//! What can go wrong with one value. Nothing here ends a record: an error takes the place of the value.

use crate::{memory::MemoryError, runtime::RuntimeError, shape::TypeShape};

/// A value that could not be decoded: what, where and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Memory that the value needs cannot be read.
    #[error("{what}: {source}")]
    Memory {
        /// What was read: `argument`, `object`, `string`.
        what: &'static str,
        /// Which bytes, and why not.
        source: MemoryError,
    },
    /// The runtime did not answer.
    #[error("{what} at {address:#x}: {source}")]
    Runtime {
        /// What was asked for.
        what: &'static str,
        /// About what.
        address: usize,
        /// Its answer.
        source: RuntimeError,
    },
    /// A type in a signature has no shape.
    #[error("the type is not known: {0}")]
    Resolve(#[from] ResolveError),
    /// A range's length is not the size of the type.
    #[error("{type_name} takes {size} bytes, but the range at {address:#x} has {length}")]
    RangeLength {
        /// The type of the argument.
        type_name: Box<str>,
        /// Its size.
        size: usize,
        /// Where the range, or what is left of it, starts.
        address: usize,
        /// Its length.
        length: usize,
    },
    /// There is no range for the argument, or there are too many to say which.
    #[error("the runtime gave {ranges} ranges for {arguments} arguments")]
    RangeCount {
        /// How many ranges there are.
        ranges: usize,
        /// How many arguments they are for, `this` included.
        arguments: usize,
    },
    /// The argument lies behind one of unknown size, in the same range.
    #[error(
        "its place in the range at {address:#x} is not known, since the size of an argument before it is not"
    )]
    UnknownPlace {
        /// Where the range starts.
        address: usize,
    },
    /// It is not known where the calling convention puts the value: a type that matters for it is not known.
    #[error("its place is not known, since a type before it, or its own layout, is not")]
    NoPlace,
    /// What a runtime says about a type contradicts itself.
    #[error("{type_name} at {address:#x}: {what}")]
    Layout {
        /// The type.
        type_name: Box<str>,
        /// Where the value is.
        address: usize,
        /// The contradiction.
        what: &'static str,
    },
    /// A string has a negative length: it is no string.
    #[error("the string at {address:#x} says that its length is {length}")]
    StringLength {
        /// Where the string is.
        address: usize,
        /// What it says.
        length: i32,
    },
    /// An address that was kept from enter, and that the garbage collector may have moved since.
    #[error("the reference at {address:#x} may have been moved by a garbage collection during the call")]
    Stale {
        /// The address at enter.
        address: usize,
    },
}

/// A type in a signature that has no shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The signature is malformed.
    #[error("signature: {0}")]
    Signature(#[from] sigparse::Error),
    /// The runtime did not know a type.
    #[error("{name}: {source}")]
    Runtime {
        /// The type's name, or its token where not even the name is known.
        name: Box<str>,
        /// The runtime's answer.
        source: RuntimeError,
    },
    /// A type parameter has no argument.
    #[error("the type argument {}{index} is not known", if *method { "!!" } else { "!" })]
    TypeArgument {
        /// The number of the parameter.
        index: u32,
        /// Whether it is the method's, and not the type's.
        method: bool,
    },
    /// An element type that signatures of methods and fields do not have.
    #[error("element type {0} has no values")]
    ElementType(sigparse::ElementType),
}

impl ResolveError {
    /// What stands in for the shape: the type's name, if that much is known, and why there is no more.
    pub(crate) fn stand_in(&self) -> TypeShape {
        match self {
            Self::Runtime { name, source } => TypeShape::opaque(&**name, None, source.to_string()),
            other => TypeShape::opaque("?", None, other.to_string()),
        }
    }
}
