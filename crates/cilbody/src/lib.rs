//! CIL method bodies (ECMA-335 II.25.4 and III): decoded without allocation, edited, verified, encoded, printed.
//!
//! ```
//! use cilbody::{MethodBody, Opcode};
//!
//! // ldstr "…"; call; ret
//! let body = MethodBody::parse(&[0x2E, 0x72, 1, 0, 0, 0x70, 0x28, 5, 0, 0, 0x0A, 0x2A])?;
//! let mut instructions = body.instructions();
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::LDSTR);
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::CALL);
//! assert_eq!(instructions.next().unwrap()?.opcode(), Opcode::RET);
//! # Ok::<(), cilbody::Error>(())
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
//! | rewrite IL in a running program | `Rewriter` of [`corprof-rewrite`](https://docs.rs/corprof-rewrite) |
//! | a method's name | `Names` of [`corprof`](https://docs.rs/corprof); without a runtime `Symbolizer` of [`clrnames`](https://docs.rs/clrnames) |
//! | argument values, results | `CallTracer` of [`corprof-calls`](https://docs.rs/corprof-calls) |
//! | a stack | `ProfilerInfo::walk_stack` of `corprof` |
//! | an allocation's size | `Profiler::object_allocated` and `ProfilerInfo::object_size` of `corprof` |
//! | an exception's message | `Profiler::exception_thrown` of `corprof`; the object's `_message` |
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
mod returns;
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
pub use returns::ReturnType;
pub use stack::max_stack;
pub use verify::verify;
