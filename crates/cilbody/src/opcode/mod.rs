//! Opcodes and their properties (ECMA-335 III).

mod form;
mod macros;
mod table;

use core::fmt;

pub(crate) use form::{FORMS, Form};
use table::OPCODES;

/// An opcode: one byte, or 0xFE and a second byte.
///
/// The value is the byte, or both bytes with 0xFE as the high one: `Opcode::CEQ.0 == 0xFE01`. A value that no opcode
/// has is kept and has no [`info`](Self::info).
///
/// ```
/// use cilbody::{Flow, Opcode, OperandKind};
///
/// let info = Opcode::LEAVE_S.info().unwrap();
/// assert_eq!(info.name, "leave.s");
/// assert_eq!((info.operand, info.flow), (OperandKind::ShortTarget, Flow::Branch));
/// assert_eq!(Opcode(0x24).info(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Opcode(pub u16);

/// The fixed properties of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OpcodeInfo {
    /// The opcode.
    pub opcode: Opcode,
    /// The name in ILAsm: `ldarg.0`. Names of prefixes end with a dot.
    pub name: &'static str,
    /// The popped items, the deepest first.
    pub pops: &'static [StackItem],
    /// The pushed items, in that order.
    pub pushes: &'static [StackItem],
    /// The operand after the opcode.
    pub operand: OperandKind,
    /// The control flow after the instruction.
    pub flow: Flow,
}

/// The size and meaning of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// No operand.
    None,
    /// A signed byte.
    I1,
    /// An unsigned byte.
    U1,
    /// A 32-bit integer.
    I4,
    /// A 64-bit integer.
    I8,
    /// A 32-bit floating-point number.
    R4,
    /// A 64-bit floating-point number.
    R8,
    /// The number of an argument or local variable, in one byte.
    ShortVariable,
    /// The number of an argument or local variable, in two bytes.
    Variable,
    /// A distance from the next instruction, in one byte.
    ShortTarget,
    /// A distance from the next instruction, in four bytes.
    Target,
    /// A count and that many distances of four bytes.
    Switch,
    /// The token of a method.
    Method,
    /// The token of a field.
    Field,
    /// The token of a type.
    Type,
    /// The token of a method, field or type.
    Token,
    /// The token of a call site's signature.
    Signature,
    /// The token of a string literal.
    String,
}

/// A stack item in the table of opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackItem {
    /// A value of any type.
    Any,
    /// An `int32`, a `native int` or a pointer.
    I,
    /// An `int64`.
    I8,
    /// A floating-point number, loaded as `float32`.
    R4,
    /// A floating-point number, loaded as `float64`.
    R8,
    /// An object reference.
    Ref,
    /// As many items as the called signature has; for `ret` as the method's own.
    Var,
}

/// The control flow after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To the next instruction, after a debugger has been notified.
    Break,
    /// To a method, and then to the next instruction; with `jmp` not back.
    Call,
    /// Out of the method, or out of a handler.
    Return,
    /// To the target.
    Branch,
    /// To a target or to the next instruction.
    Conditional,
    /// To an exception handler.
    Throw,
    /// To the next instruction, which this one modifies.
    Prefix,
}

/// The first byte of two-byte opcodes.
pub(crate) const TWO_BYTE: u8 = 0xFE;

impl OperandKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 18] = [
        Self::None,
        Self::I1,
        Self::U1,
        Self::I4,
        Self::I8,
        Self::R4,
        Self::R8,
        Self::ShortVariable,
        Self::Variable,
        Self::ShortTarget,
        Self::Target,
        Self::Switch,
        Self::Method,
        Self::Field,
        Self::Type,
        Self::Token,
        Self::Signature,
        Self::String,
    ];

    /// Returns the number of bytes; of a `switch` those of the count.
    pub(crate) const fn size(self) -> u32 {
        match self {
            Self::None => 0,
            Self::I1 | Self::U1 | Self::ShortVariable | Self::ShortTarget => 1,
            Self::Variable => 2,
            Self::I8 | Self::R8 => 8,
            Self::I4
            | Self::R4
            | Self::Target
            | Self::Switch
            | Self::Method
            | Self::Field
            | Self::Type
            | Self::Token
            | Self::Signature
            | Self::String => 4,
        }
    }
}

impl Opcode {
    /// All opcodes, in ascending order of their values.
    pub fn all() -> impl ExactSizeIterator<Item = &'static OpcodeInfo> {
        OPCODES.iter()
    }

    /// The opcode with this ILAsm name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        OPCODES.iter().find(|info| info.name == name).map(|info| info.opcode)
    }

    /// The properties of the opcode, or `None` for a value that no opcode has.
    #[inline]
    #[must_use]
    pub fn info(self) -> Option<&'static OpcodeInfo> {
        let [low, high] = self.0.to_le_bytes();
        let slot = match high {
            0 => usize::from(low),
            TWO_BYTE => FORMS.len() / 2 + usize::from(low),
            _ => return None,
        };
        FORMS.get(slot).filter(|form| form.exists()).map(|form| form.info())
    }

    /// Returns the number of bytes that the opcode takes.
    #[inline]
    #[must_use]
    pub const fn size(self) -> u32 {
        if self.0 > 0xFF { 2 } else { 1 }
    }

    /// Returns `true` for a branch with a target in one byte.
    #[inline]
    #[must_use]
    pub const fn is_short_branch(self) -> bool {
        matches!(self, Self::LEAVE_S) || self.0 >= Self::BR_S.0 && self.0 <= Self::BLT_UN_S.0
    }

    /// Returns `true` for a branch with a target in four bytes; `switch` is not one.
    #[inline]
    #[must_use]
    pub const fn is_long_branch(self) -> bool {
        matches!(self, Self::LEAVE) || self.0 >= Self::BR.0 && self.0 <= Self::BLT_UN.0
    }

    /// Returns `true` for a branch with one target, in either form.
    #[inline]
    #[must_use]
    pub const fn is_branch(self) -> bool {
        self.is_short_branch() || self.is_long_branch()
    }

    /// Returns `true` for `leave` in either form.
    #[inline]
    #[must_use]
    pub const fn is_leave(self) -> bool {
        matches!(self, Self::LEAVE | Self::LEAVE_S)
    }

    /// Returns the form of a branch with a target in four bytes; other opcodes unchanged.
    #[inline]
    #[must_use]
    pub const fn to_long_branch(self) -> Self {
        match self {
            Self::LEAVE_S => Self::LEAVE,
            short if short.is_short_branch() => Self(short.0 + (Self::BR.0 - Self::BR_S.0)),
            other => other,
        }
    }

    /// Returns the form of a branch with a target in one byte; other opcodes unchanged.
    #[inline]
    #[must_use]
    pub const fn to_short_branch(self) -> Self {
        match self {
            Self::LEAVE => Self::LEAVE_S,
            long if long.is_long_branch() => Self(long.0 - (Self::BR.0 - Self::BR_S.0)),
            other => other,
        }
    }

    /// Returns `true` for the prefixes, such as `volatile.`.
    #[inline]
    #[must_use]
    pub const fn is_prefix(self) -> bool {
        matches!(
            self,
            Self::UNALIGNED | Self::VOLATILE | Self::TAIL | Self::CONSTRAINED | Self::NO | Self::READONLY
        )
    }

    /// Returns `true` if the next instruction never runs directly after this one.
    #[inline]
    #[must_use]
    pub fn ends_flow(self) -> bool {
        self == Self::JMP
            || self.info().is_none_or(|info| matches!(info.flow, Flow::Branch | Flow::Return | Flow::Throw))
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Some(info) => f.pad(info.name),
            None => write!(f, "0x{:02X}", self.0),
        }
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
