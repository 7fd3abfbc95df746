//! A call as a tracer sees it when it has ended.

use core::fmt;
use core::ops::Deref;

use argvalues::{Argument, ArgumentRange, SavedRefs};
use corprof::Error;

use crate::call::Call;
use crate::source::Returned;
use crate::tracer::CallTracer;
use crate::value::CallValue;

/// The end of a call, with its outcome.
///
/// `Display` writes the text line of `calltrace`.
pub struct EndedCall<'c, T: CallTracer> {
    pub(crate) call: Call<'c, T>,
    pub(crate) end: End<'c>,
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub enum Outcome<'c> {
    /// The call returns: see [`EndedCall::result`] and [`EndedCall::outs`].
    Returned,
    /// An exception of this type has left it.
    Threw(&'c str),
    /// The call ends with a tail call: its frame is removed before the called method begins.
    TailCalled,
    /// The runtime has suspended the call, which leaves the thread. It may be [resumed](crate::EnteredCall::is_resumed) later. Reported at the
    /// thread's next event, since .NET 11 does not report it.
    Suspended,
}

/// As that of [`EnteredCall`](crate::EnteredCall).
impl<T: CallTracer> Clone for EndedCall<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { call: self.call, end: self.end }
    }
}

/// The outcome of a call, with its results.
///
/// Without a destructor, so that a hook keeps it in registers.
#[derive(Clone, Copy)]
pub(crate) enum End<'c> {
    /// The result, and the saved targets of `ref` and `out` parameters.
    Returned(Returned<'c>, Option<&'c SavedRefs>),
    Threw(&'c str),
    TailCalled,
    Suspended,
}

impl<'c, T: CallTracer> EndedCall<'c, T> {
    /// Returns how the call has ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome<'_> {
        match &self.end {
            End::Returned(..) => Outcome::Returned,
            End::Threw(exception) => Outcome::Threw(exception),
            End::TailCalled => Outcome::TailCalled,
            End::Suspended => Outcome::Suspended,
        }
    }

    /// The result; `None` for `void`, for a call that did not return, and if it could not be located, see
    /// [`failure`](Self::failure).
    #[must_use]
    pub fn result(&self) -> Option<CallValue<'_>> {
        let range = self.result_range()?.ok()?;
        Some(self.call.value(self.method().plan()?.result(range)?))
    }

    /// The targets of `ref` and `out` parameters after the call, in the order of the signature.
    pub fn outs(&self) -> impl Iterator<Item = CallValue<'_>> {
        self.out_arguments().map(|out| self.call.value(out))
    }

    pub(crate) fn out_arguments(&self) -> impl Iterator<Item = Argument<'_>> {
        let found = match &self.end {
            End::Returned(_, Some(saved)) => {
                self.method().plan().map(|plan| plan.outs(saved, self.program().collections()))
            }
            _ => None,
        };
        found.into_iter().flatten()
    }

    /// The bytes of a result of 1, 2, 4 or 8 bytes, as [`EnteredCall::word`](crate::EnteredCall::word).
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<u64> {
        match &self.end {
            End::Returned(result, _) if self.method().returns() => result.word(),
            _ => None,
        }
    }

    /// Why the result could not be located, if it could not.
    #[must_use]
    pub fn failure(&self) -> Option<&Error> {
        match &self.end {
            End::Returned(Returned::Unknown(error), _) if self.method().returns() => Some(error),
            _ => None,
        }
    }

    /// Returns the range of the result of a call that returns.
    pub(crate) fn result_range(&self) -> Option<Result<ArgumentRange, &Error>> {
        match &self.end {
            End::Returned(result, _) => Some(result.range()),
            End::Threw(_) | End::TailCalled | End::Suspended => None,
        }
    }
}

impl<'c, T: CallTracer> Deref for EndedCall<'c, T> {
    type Target = Call<'c, T>;

    #[inline(always)]
    fn deref(&self) -> &Call<'c, T> {
        &self.call
    }
}

impl<T: CallTracer> fmt::Debug for EndedCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
