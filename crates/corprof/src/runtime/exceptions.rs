//! The exception handler of the current callback.
#![forbid(unsafe_code)]

use core::fmt;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

/// The kind of a handler (`COR_PRF_CLAUSE_TYPE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct ClauseKind(pub u32);

impl ClauseKind {
    /// None is running.
    pub const NONE: Self = Self(0);
    /// A filter.
    pub const FILTER: Self = Self(1);
    /// A `catch`.
    pub const CATCH: Self = Self(2);
    /// A `finally` or `fault`.
    pub const FINALLY: Self = Self(3);
}

impl fmt::Debug for ClauseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NONE => f.write_str("NONE"),
            Self::FILTER => f.write_str("FILTER"),
            Self::CATCH => f.write_str("CATCH"),
            Self::FINALLY => f.write_str("FINALLY"),
            Self(other) => write!(f, "ClauseKind({other})"),
        }
    }
}

/// A running exception handler (`COR_PRF_EX_CLAUSE_INFO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionClause {
    /// The kind of the handler.
    pub kind: ClauseKind,
    /// The address of its code.
    pub ip: usize,
    /// The frame pointer of the method that it belongs to.
    pub frame_pointer: usize,
    /// The shadow stack pointer, on IA-64 only; 0 elsewhere.
    pub shadow_stack_pointer: usize,
}

impl ProfilerInfo {
    /// Returns the exception handler that this thread runs; `None` outside of a handler.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerInfo2::GetNotifiedExceptionClauseInfo`. May be
    /// called in [`exception_search_filter_enter`](crate::Profiler::exception_search_filter_enter),
    /// [`exception_unwind_finally_enter`](crate::Profiler::exception_unwind_finally_enter) and
    /// [`exception_catcher_enter`](crate::Profiler::exception_catcher_enter).
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNotifiedExceptionClauseInfo")]
    pub fn exception_clause(&self) -> Result<Option<ExceptionClause>> {
        Ok(self.raw().exception_clause()?.map(|clause| ExceptionClause {
            kind: ClauseKind(clause.clauseType.0),
            ip: clause.programCounter,
            frame_pointer: clause.framePointer,
            shadow_stack_pointer: clause.shadowStackPointer,
        }))
    }
}
