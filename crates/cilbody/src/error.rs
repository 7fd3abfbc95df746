//! Errors of malformed method bodies, with cause and location.

use core::fmt;

use crate::kind::Kind;
use crate::limits;
use crate::opcode::Opcode;

/// A method body that cannot be read or written.
///
/// ```
/// use cilbody::{ErrorKind, Location, MethodBody};
///
/// // A tiny header with 2 bytes of code: `nop`, and a byte that is no opcode.
/// let body = MethodBody::parse(&[0x0A, 0x00, 0x24])?;
/// let error = body.instructions().find_map(Result::err).unwrap();
/// assert_eq!((error.location, error.kind), (Location::Il(1), ErrorKind::UnknownOpcode(0x24)));
/// assert_eq!(error.to_string(), "0x24 is not an opcode (at IL_0001)");
/// # Ok::<(), cilbody::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// The location of the error.
    pub location: Location,
    /// The cause.
    pub kind: ErrorKind,
}

/// A position in a method body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// An offset from the first byte of the header.
    Body(u32),
    /// An IL offset: from the first byte of the code.
    Il(u32),
    /// An exception handling clause, by its index.
    Clause(u32),
}

/// The reason why a method body cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end within the header, the code, an instruction or a section.
    UnexpectedEnd,
    /// The header has neither the tiny nor the fat format (II.25.4.1).
    UnknownFormat(u8),
    /// The size of the fat header is not three words (II.25.4.3).
    HeaderSize(u16),
    /// The token of the local variable signature is not of the StandAloneSig table (II.25.4.3).
    LocalVarSig(u32),
    /// The code has no bytes or more than [`limits::MAX_CODE`].
    CodeSize(u32),
    /// A section is not an exception handling table (II.25.4.5).
    UnknownSection(u8),
    /// There are more than [`limits::MAX_SECTIONS`] sections.
    TooManySections,
    /// There are more than [`limits::MAX_CLAUSES`] clauses.
    TooManyClauses,
    /// A clause is not a catch, filter, finally or fault clause (II.25.4.6).
    UnknownClause(u32),
    /// A range of a clause is empty or ends after the code.
    ClauseRange {
        /// The first IL offset.
        start: u32,
        /// The number of bytes.
        length: u32,
    },
    /// A filter does not begin before its handler.
    FilterRange(u32),
    /// The value is not an opcode.
    UnknownOpcode(u16),
    /// A branch leads out of the code, to this IL offset.
    BranchOutside(i64),
    /// A branch, a clause or the caller names an IL offset at which no instruction begins.
    NotAnInstruction(u32),
    /// The opcode takes another kind of operand.
    WrongOperand(Opcode),
    /// The operand is larger than the opcode has room for.
    OperandTooLarge(Opcode),
    /// The label belongs to no instruction of this body.
    UnboundLabel,
    /// The code is empty or control runs off its end.
    FallsOffEnd,
    /// Fewer items are on the stack than the instruction pops.
    StackUnderflow {
        /// The number of items that it pops.
        pops: u32,
        /// The number of items on the stack.
        depth: u32,
    },
    /// Two ways lead here with different stack depths.
    StackDepth {
        /// The depth of the way that was followed first.
        expected: u32,
        /// The depth of the other one.
        found: u32,
    },
    /// The stack is deeper than its 16 bits of maximum count.
    StackOverflow,
    /// The module has no signature for the called token, or a malformed one.
    UnknownSignature(u32),
    /// Variables were added, and the token of the new signature has not been set.
    LocalsWithoutToken,
    /// There are more variables than instructions can number.
    TooManyVariables,
    /// The method leaves by `jmp`, which cannot be protected or lead to a common exit.
    Jmp,
    /// A call has the `tail.` prefix: it removes the frame of the method, which a protected region would keep.
    TailCall,
    /// The method returns in a protected region or a handler.
    ProtectedReturn,
    /// Parts of exception handling clauses overlap without one containing the other.
    OverlappingRegions,
    /// The clause comes after one that it is nested in.
    ClauseOrder,
    /// The handler or filter is not in the same region as the code that the clause protects.
    HandlerElsewhere,
    /// The signature of the method is malformed.
    MalformedSignature,
    /// A branch leads to an instruction without its prefix.
    BranchBehindPrefix(u32),
    /// The prefix does not apply to the instruction.
    PrefixNotAllowed {
        /// The prefix.
        prefix: Opcode,
        /// The instruction.
        opcode: Opcode,
    },
    /// The instruction after a `tail.` call is not `ret`.
    TailWithoutRet,
    /// There is no such argument.
    NoArgument {
        /// Its number, `this` being 0.
        number: u16,
        /// The number of arguments.
        count: u32,
    },
    /// There is no such local variable.
    NoLocal {
        /// Its number.
        number: u16,
        /// The number of local variables.
        count: u32,
    },
    /// The token is nil or of a table that the instruction does not take.
    WrongTable {
        /// The instruction.
        opcode: Opcode,
        /// The token.
        token: u32,
    },
    /// The module does not have the row of the token.
    NoSuchRow(u32),
    /// The type may not be boxed or be the element of an array.
    ByRefLike {
        /// The instruction.
        opcode: Opcode,
        /// The type.
        token: u32,
    },
    /// Control leaves or enters a protected region, filter or handler other than by `leave` and at its begin.
    CrossesRegion(u32),
    /// The instruction leaves a finally or fault handler or a filter.
    LeavesHandler(Opcode),
    /// The instruction is not allowed where it is.
    Misplaced(Opcode),
    /// The stack is not empty where it has to be: at the begin of a protected region, after the result at `ret`, at `jmp`.
    StackNotEmpty,
    /// An item on the stack is of another kind than the instruction takes, or than on another way.
    StackKind {
        /// The kind that is needed, or that another way has brought.
        expected: Kind,
        /// The kind of the item.
        found: Kind,
    },
    /// An item on the stack is a structure of another type than the instruction takes, or than on another way.
    OtherStructure,
    /// The stack is deeper than the header's maximum.
    MaxStack(u16),
    /// Verification would take more than [`limits::VERIFY_STEPS`] and [`limits::VERIFY_STEPS_PER_BYTE`].
    TooComplex,
}

impl Error {
    /// Makes an error at an IL offset.
    #[cold]
    pub(crate) const fn il(offset: u32, kind: ErrorKind) -> Self {
        Self { location: Location::Il(offset), kind }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(offset) => write!(f, "byte {offset} of the body"),
            Self::Il(offset) => write!(f, "IL_{offset:04X}"),
            Self::Clause(index) => write!(f, "exception handling clause {index}"),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnexpectedEnd => f.write_str("the body ends too early"),
            Self::UnknownFormat(byte) => write!(f, "0x{byte:02X} begins neither a tiny nor a fat header"),
            Self::HeaderSize(words) => write!(f, "a fat header of {words} words, not 3"),
            Self::LocalVarSig(token) => {
                write!(f, "0x{token:08X} is not the token of a local variable signature")
            }
            Self::CodeSize(0) => f.write_str("the code is empty"),
            Self::CodeSize(size) => write!(f, "{size} bytes of code (the limit is {})", limits::MAX_CODE),
            Self::UnknownSection(kind) => write!(f, "0x{kind:02X} is not the kind of a section"),
            Self::TooManySections => write!(f, "more than {} sections", limits::MAX_SECTIONS),
            Self::TooManyClauses => {
                write!(f, "more than {} exception handling clauses", limits::MAX_CLAUSES)
            }
            Self::UnknownClause(flags) => write!(f, "0x{flags:X} is not the kind of a clause"),
            Self::ClauseRange { start, length } => {
                write!(f, "a range of {length} bytes at IL_{start:04X} is empty or not within the code")
            }
            Self::FilterRange(filter) => {
                write!(f, "the filter at IL_{filter:04X} does not begin before its handler")
            }
            Self::UnknownOpcode(value) => write!(f, "0x{value:02X} is not an opcode"),
            Self::BranchOutside(target) => write!(f, "a branch to offset {target}, out of the code"),
            Self::NotAnInstruction(offset) => write!(f, "no instruction begins at IL_{offset:04X}"),
            Self::WrongOperand(opcode) => write!(f, "{opcode} takes another kind of operand"),
            Self::OperandTooLarge(opcode) => write!(f, "the operand does not fit into {opcode}"),
            Self::UnboundLabel => f.write_str("a label that is bound to no instruction"),
            Self::FallsOffEnd => f.write_str("control runs off the end of the code"),
            Self::StackUnderflow { pops, depth } => {
                write!(f, "the instruction pops {pops} items from a stack of {depth}")
            }
            Self::StackDepth { expected, found } => {
                write!(f, "two ways lead here with stack depths {expected} and {found}")
            }
            Self::StackOverflow => f.write_str("the stack is deeper than 65535 items"),
            Self::UnknownSignature(token) => {
                write!(f, "the module has no well-formed signature for token 0x{token:08X}")
            }
            Self::LocalsWithoutToken => f.write_str(
                "local variables were added; define their signature and pass its token to set_local_var_sig",
            ),
            Self::TooManyVariables => f.write_str("more local variables than instructions can number"),
            Self::Jmp => f.write_str("jmp leaves the method without a common exit"),
            Self::TailCall => {
                f.write_str("a call with the tail. prefix removes the method's frame, which a protected region would keep")
            }
            Self::ProtectedReturn => f.write_str("ret in a protected region or handler"),
            Self::OverlappingRegions => f.write_str("exception handling regions overlap"),
            Self::ClauseOrder => f.write_str("the clause comes after one that it is nested in"),
            Self::HandlerElsewhere => {
                f.write_str("the handler is not in the same region as what it protects")
            }
            Self::MalformedSignature => f.write_str("the signature of the method is malformed"),
            Self::BranchBehindPrefix(target) => {
                write!(f, "a branch to IL_{target:04X}, between a prefix and its instruction")
            }
            Self::PrefixNotAllowed { prefix, opcode } => write!(f, "{prefix} is not allowed before {opcode}"),
            Self::TailWithoutRet => f.write_str("no ret after a tail. call"),
            Self::NoArgument { number, count } => write!(f, "argument {number} of {count}"),
            Self::NoLocal { number, count } => write!(f, "local variable {number} of {count}"),
            Self::WrongTable { opcode, token } => write!(f, "{opcode} does not take token 0x{token:08X}"),
            Self::NoSuchRow(token) => write!(f, "the module has no row for token 0x{token:08X}"),
            Self::ByRefLike { opcode, token } => {
                write!(f, "{opcode} of the byref-like type 0x{token:08X}")
            }
            Self::CrossesRegion(target) => {
                write!(f, "control goes to IL_{target:04X} across the boundary of a region")
            }
            Self::LeavesHandler(opcode) => {
                write!(f, "{opcode} leads out of a finally or fault handler or a filter")
            }
            Self::Misplaced(opcode) => write!(f, "{opcode} is not allowed in this region"),
            Self::StackNotEmpty => f.write_str("the stack is not empty"),
            Self::StackKind { expected, found } => {
                write!(f, "{expected} is needed on the stack, not {found}")
            }
            Self::OtherStructure => f.write_str("a structure of another type is needed on the stack"),
            Self::MaxStack(max) => write!(f, "the stack is deeper than the header's {max}"),
            Self::TooComplex => write!(
                f,
                "verification takes more than {} steps and {} for each byte of code",
                limits::VERIFY_STEPS,
                limits::VERIFY_STEPS_PER_BYTE
            ),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {})", self.kind, self.location)
    }
}

impl core::error::Error for Error {}
