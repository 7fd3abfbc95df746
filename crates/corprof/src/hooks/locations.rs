//! Where the calling convention puts the arguments of a method and what it returns.
//!
//! Fast-path hooks do not query the runtime: the locations are computed from the layouts of the types, once for each function
//! (`argvalues` does), and the hook looks there.

use corprof_types::ModuleId;
use sigparse::token::TypeDef;

/// One register that carries a value, counted within its kind in the order of the convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// For integers and references. On x86-64 outside of Windows `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9` for arguments,
    /// `rax`, `rdx` for what is returned. On Windows `rcx`, `rdx`, `r8`, `r9` for arguments, and `rax`. On arm64 `x0` to `x7` for
    /// both.
    Integer(u8),
    /// For floating-point numbers: `xmm0` and so on, on arm64 `v0` to `v7`.
    Float(u8),
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In a register.
    Register(Register),
    /// In two registers, 8 bytes in the first.
    Pair(Register, Register),
    /// In consecutive registers for floating-point numbers, the same number of bytes in each: a homogeneous aggregate on arm64.
    Vectors {
        /// The number of the first register.
        first: u8,
        /// The number of registers.
        count: u8,
        /// The number of bytes in each: 4, 8 or 16.
        size: u8,
    },
    /// On the stack, this many bytes from where the arguments on the stack begin. On Windows, arguments in registers are
    /// there too, since each has a home slot in front of those that are on the stack only.
    Stack(u32),
    /// In memory whose address is in the register: what is returned in a buffer of the caller's, and on arm64 a struct that is
    /// passed by reference.
    At(Register),
    /// In memory whose address is on the stack, this many bytes from where the arguments on the stack begin: a struct
    /// that is passed by reference.
    AtStack(u32),
    /// It is not known.
    Unknown,
}

/// A value's place and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Where it is.
    pub place: Place,
    /// How many bytes it has; 0 where that is not known.
    pub length: u32,
}

impl Location {
    /// Of a value whose place is not known.
    pub const UNKNOWN: Self = Self { place: Place::Unknown, length: 0 };
}

/// How a call of shared generic code knows its type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenericContext {
    /// It need not: the code is not shared.
    None,
    /// By the class of `this`, or a base class of it, which is an instance of this type.
    This(ModuleId, TypeDef),
    /// By the class, in this integer register: a static method, a method of a struct, a default method of an
    /// interface.
    Class(u8),
    /// By the method, in this integer register: a generic method.
    Method(u8),
    /// It is not known how.
    Unknown,
}

/// Where everything is at a call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations {
    /// The type arguments.
    pub context: GenericContext,
    /// The arguments in the order of the signature, `this` first.
    pub arguments: Box<[Location]>,
    /// What is returned, when the method returns; of length 0 for `void`.
    pub result: Location,
}

impl Locations {
    /// Returns whether every location is known. One that is unknown may be found at a later call of the function.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_known = |location: &Location| location.place != Place::Unknown;
        self.context != GenericContext::Unknown
            && is_known(&self.result)
            && self.arguments.iter().all(is_known)
    }
}
