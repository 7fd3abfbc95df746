//! The handler that an exception has come to.
#![forbid(unsafe_code)]

use core::fmt;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

/// What kind of handler it is (`COR_PRF_CLAUSE_TYPE`).
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

/// The handler that is running (`COR_PRF_EX_CLAUSE_INFO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionClause {
    /// What kind it is.
    pub kind: ClauseKind,
    /// The address of its code.
    pub ip: usize,
    /// The frame pointer of the method that it belongs to.
    pub frame_pointer: usize,
    /// The shadow stack pointer, on IA-64 only; 0 elsewhere.
    pub shadow_stack_pointer: usize,
}

impl ProfilerInfo {
    /// The handler that this thread is in (`ICorProfilerInfo2::GetNotifiedExceptionClauseInfo`); `None` outside of
    /// one. From `ExceptionSearchFilterEnter`, `ExceptionUnwindFinallyEnter` and `ExceptionCatcherEnter`.
    ///
    /// # Errors
    /// What the runtime reports.
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
