//! Where the calling convention puts the arguments of a method and what it returns.
//!
//! Fast-path hooks do not query the runtime: the locations are computed from the layouts of the types, once for each function
//! (`argvalues` does), and the hook looks there.

use corprof_types::ModuleId;
use sigparse::token::TypeDef;

/// A register that passes a value, by its kind and its position in the calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// For integers and references. On x86-64 outside of Windows `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9` for arguments,
    /// `rax`, `rdx` for what is returned. On Windows `rcx`, `rdx`, `r8`, `r9` for arguments, and `rax`. On arm64 `x0` to `x7` for
    /// both.
    Integer(u8),
    /// For floating-point numbers: `xmm0` and so on, on arm64 `v0` to `v7`.
    Float(u8),
}

/// The kind of location of a value at a call: registers, the stack, or memory with an address there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocationKind {
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
    /// On the stack, this many bytes after the start of the stack arguments. On Windows the start includes the home slots of
    /// the register arguments.
    Stack(u32),
    /// In memory whose address is in the register: a result in the caller's return buffer, and on arm64 a struct that is passed
    /// by reference.
    At(Register),
    /// In memory whose address is on the stack, this many bytes after the start of the stack arguments: a struct that is
    /// passed by reference.
    AtStack(u32),
    /// The location is unknown.
    Unknown,
}

/// The location and the size of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The registers or the memory.
    pub kind: LocationKind,
    /// The size in bytes; 0 if it is unknown.
    pub length: u32,
}

impl Location {
    /// An unknown location.
    pub const UNKNOWN: Self = Self { kind: LocationKind::Unknown, length: 0 };
}

/// How a call of shared generic code finds its type arguments: the generic context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenericContext {
    /// None: the code is not shared.
    None,
    /// By the class of `this`: it, or one of its base classes, is an instance of this generic type.
    This(ModuleId, TypeDef),
    /// By a generic dictionary argument, the `MethodTable` in this integer register: a static method, a method of a struct, a
    /// default interface method.
    Class(u8),
    /// By a generic dictionary argument, the `MethodDesc` in this integer register: a generic method.
    Method(u8),
    /// The generic context is unknown.
    Unknown,
}

/// The locations of the arguments, the result and the generic context of a function's calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations {
    /// The generic context.
    pub context: GenericContext,
    /// The arguments in the order of the signature, `this` first.
    pub arguments: Box<[Location]>,
    /// The result at the leave hook; of length 0 for `void`.
    pub result: Location,
}

impl Locations {
    /// Returns whether every location is known. A later call of the function may find an unknown one.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_known = |location: &Location| location.kind != LocationKind::Unknown;
        self.context != GenericContext::Unknown
            && is_known(&self.result)
            && self.arguments.iter().all(is_known)
    }
}
