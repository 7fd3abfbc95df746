//! The exception handler of the current callback, and exceptions in flight.
#![forbid(unsafe_code)]

use core::fmt;

use corprof_types::ObjectId;

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::raw::info::Handle;
use crate::runtime::ProfilerInfo;
use crate::runtime::handles::HandleKind;
use crate::runtime::in_flight::BeforeHandler;

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

/// Exceptions that must stay in their places: see [`in_flight`](super::in_flight).
impl ProfilerInfo {
    /// An exception is thrown.
    pub(crate) fn exception_thrown(&self, exception: Option<ObjectId<'_>>) {
        let (Some(in_flight), Some(exception)) = (&self.shared.in_flight, exception) else { return };
        match self.raw().create_handle(exception, HandleKind::Pinned.to_sys()) {
            Ok(Some(handle)) => self.release(in_flight.thrown(exception.as_raw(), handle)),
            // A detach has been requested, or the runtime ends.
            Ok(None) | Err(_) => tracing::debug!("an exception is not pinned"),
        }
    }

    /// A filter of the thread is about to run.
    pub(crate) fn filter_begins(&self) -> Option<BeforeHandler<'_>> {
        Some(self.shared.in_flight.as_ref()?.filter_begins())
    }

    /// A `catch` block of the thread is about to run.
    pub(crate) fn catch_begins(&self, exception: Option<ObjectId<'_>>) -> Option<BeforeHandler<'_>> {
        Some(self.shared.in_flight.as_ref()?.catch_begins(exception?.as_raw()))
    }

    /// A `catch` block of the thread has ended.
    pub(crate) fn catch_ends(&self) {
        if let Some(in_flight) = &self.shared.in_flight {
            self.release(in_flight.catch_ends());
        }
    }

    /// The flags that must stay set once the profiler has set these: see [`in_flight`](super::in_flight).
    pub(super) fn flags_for_exceptions(&self, wanted: EventMask) -> EventMask {
        match self.shared.in_flight {
            Some(_) => wanted & EventMask::EXCEPTIONS,
            None => EventMask::empty(),
        }
    }

    /// Has the runtime make no more callbacks about exceptions if these are pinned for them, since they soon will be no more. Returns
    /// whether it made them.
    pub(crate) fn end_exceptions(&self) -> Result<bool> {
        match self.shared.in_flight {
            Some(_) => self.end_in_event_mask(EventMask::EXCEPTIONS),
            None => Ok(false),
        }
    }

    /// Releases all exceptions, after the callbacks about them have ended.
    pub(super) fn release_exceptions(&self) {
        if let Some(in_flight) = &self.shared.in_flight {
            self.release(in_flight.take());
        }
    }

    fn release(&self, handles: Vec<Handle>) {
        for handle in handles {
            if let Err(error) = self.raw().destroy_handle(handle) {
                tracing::debug!("an exception stays pinned: {error}");
            }
        }
    }
}
