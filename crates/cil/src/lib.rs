//! CIL method bodies (ECMA-335 II.25.4 and III): decoded without allocation, edited, verified, encoded, printed.
//!
//! ```
//! use cil::{MethodBody, Opcode};
//!
//! // ldstr "…"; call; ret
//! let body = MethodBody::parse(&[0x2E, 0x72, 1, 0, 0, 0x70, 0x28, 5, 0, 0, 0x0A, 0x2A])?;
//! let mut instructions = body.instructions();
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::LDSTR);
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::CALL);
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::RET);
//! # Ok::<(), cil::Error>(())
//! ```
//!
//! # Where to begin
//!
//! | to | begin with |
//! |---|---|
//! | read a method body | [`MethodBody::parse`] |
//! | look up an opcode | [`Opcode::info`] |
//! | change a method body, inject code | [`edit::Body::import`] |
//! | build a method body | [`edit::Body::new`], or [`CodeWriter`] and [`BodyParts`] where the layout is given |
//! | print a method body | [`MethodBody::ilasm`] |
//! | compute a maximum stack | [`max_stack`] |
//! | find out whether the runtime will accept a body | [`verify()`] |
//!
//! An implementation of [`Module`] supplies whatever instructions refer to, such as the signature of a called method.
//!
//! Malformed input gives an [`Error`] with a location and a cause. No input makes this crate panic, loop without end or
//! recurse.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod body;
mod clause;
pub mod edit;
mod encode;
mod error;
pub mod ilasm;
mod instruction;
mod kind;
pub mod limits;
mod module;
mod opcode;
mod reader;
mod regions;
mod stack;
mod verify;

pub use body::MethodBody;
pub use clause::{Clause, ClauseKind, Clauses, Range};
pub use encode::{BodyParts, CodeWriter};
pub use error::{Error, ErrorKind, Location};
pub use instruction::{Instruction, Instructions, Operand, Targets};
pub use kind::Kind;
pub use module::{Module, TypeKind};
pub use opcode::{Flow, Opcode, OpcodeInfo, OperandKind, StackItem};
pub use stack::max_stack;
pub use verify::verify;
