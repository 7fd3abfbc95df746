//! A call as a tracer sees it: when it begins, and when it has ended.

use core::cell::{Cell, Ref};
use core::fmt;
use core::ops::Deref;
use std::time::Instant;

use argvalues::{Argument, ArgumentRange, Decoder, Position, SavedRefs, Scratch};
use corprof::{EnterArguments, EnterRegisters, Error, LeaveRegisters};

use crate::decoding::ThreadDecoding;
use crate::method::CalledMethod;
use crate::program::{Program, ProgramMemory};
use crate::registers::{self, ReadyPlaces};
use crate::runtime::ClrRuntime;
use crate::traced::{OpenCall, Traced, TracedProgram};
use crate::tracer::CallTracer;
use crate::value::CallValue;

/// A call: its method, its thread, the calls that it was made from.
///
/// [`EnteredCall`] and [`EndedCall`] dereference to it.
pub struct Call<'c, T: CallTracer> {
    pub(crate) method: &'c Traced<T::Method>,
    pub(crate) traced: &'c TracedProgram<T::Method>,
    pub(crate) thread: &'c ThreadDecoding,
    /// The traced calls that it was made from, innermost last.
    pub(crate) callers: &'c [OpenCall<T::Method, T::Attached>],
}

impl<T: CallTracer> Clone for Call<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: CallTracer> Copy for Call<'_, T> {}

impl<T: CallTracer> Call<'_, T> {
    /// Returns the called method with its names.
    #[must_use]
    #[inline]
    pub fn method(&self) -> &CalledMethod {
        &self.method.called
    }

    /// Returns the value that [`CallTracer::prepare`] returned for the method.
    #[must_use]
    #[inline]
    pub fn kept(&self) -> &T::Method {
        &self.method.kept
    }

    /// Returns the operating system's id of the thread.
    #[must_use]
    #[inline]
    pub fn thread_id(&self) -> u64 {
        self.thread.id
    }

    /// Returns the number of traced calls that this one was made from, on its thread.
    #[must_use]
    #[inline]
    pub fn depth(&self) -> usize {
        self.callers.len()
    }

    /// Returns the innermost traced call that this one was made from.
    #[must_use]
    pub fn parent(&self) -> Option<ParentCall<'_, T>> {
        Some(ParentCall { open: self.callers.last()?, traced: self.traced })
    }

    /// Returns the current time of the monotonic clock.
    ///
    /// Attach the time of `enter` to the call and subtract it in `leave`: that is the duration of the call, the tracer's
    /// own time included.
    #[must_use]
    pub fn time(&self) -> Instant {
        Instant::now()
    }

    fn program(&self) -> &Program {
        &self.traced.program
    }

    /// A value of the call, with its name and type.
    fn value<'v>(&'v self, argument: Argument<'v>) -> CallValue<'v> {
        let (name, type_name) = match argument.position() {
            Position::This => ("this", ""),
            Position::Parameter(index) => {
                let parameter = self.method().parameters().get(index);
                parameter.map_or(("", ""), |parameter| (&*parameter.name, &*parameter.type_name))
            }
            Position::Return => ("", self.method().return_type().unwrap_or_default()),
        };
        let (program, thread, brief) = (self.program(), self.thread, self.is_brief());
        CallValue { name, type_name, argument, program, thread, brief }
    }

    /// Notes that values of the call are read.
    pub(crate) fn note_read(&self) {
        self.method.note_read(self.program().full_calls);
    }

    fn is_brief(&self) -> bool {
        self.method.is_brief(self.program().full_calls)
    }

    /// A decoder for values of the call.
    pub(crate) fn decoder<'d>(&'d self, scratch: &'d mut Scratch) -> Decoder<'d, ProgramMemory, ClrRuntime> {
        self.program().decoder(self.thread, scratch, self.is_brief())
    }
}

/// An open call that another traced call was made from.
pub struct ParentCall<'c, T: CallTracer> {
    open: &'c OpenCall<T::Method, T::Attached>,
    traced: &'c TracedProgram<T::Method>,
}

impl<T: CallTracer> ParentCall<'_, T> {
    /// Calls `read` with the method and the value that [`CallTracer::prepare`] returned for it. Costs a map lookup.
    ///
    /// Returns `None` if the method has been unloaded.
    pub fn with_method<R>(&self, read: impl FnOnce(&CalledMethod, &T::Method) -> R) -> Option<R> {
        let method = self.traced.method_of(self.open)?;
        Some(read(&method.called, &method.kept))
    }

    /// Returns the value that its `enter` attached to it.
    #[must_use]
    pub fn attached(&self) -> &T::Attached {
        &self.open.attached
    }
}

/// The beginning of a call, with its arguments.
///
/// `Display` writes the text line of `calltrace`.
pub struct EnteredCall<'c, T: CallTracer> {
    pub(crate) call: Call<'c, T>,
    pub(crate) arguments: Arguments<'c>,
    /// Whether the thread's list of ranges is that of this call.
    pub(crate) are_ranges_known: Cell<bool>,
}

/// The locations of a call's arguments.
#[derive(Clone, Copy)]
pub(crate) enum Arguments<'c> {
    /// In registers and on the stack, each a word, or all at locations.
    Ready(EnterRegisters<'c>, ReadyPlaces<'c>),
    /// In ranges.
    Ranges(EnterArguments<'c>),
    /// The arguments could not be located.
    Unknown(&'c Error),
}

/// Copies references and numbers.
///
/// A call that is passed by reference to a function that is not inlined is built in memory, at every call of the program. A
/// clone that is passed on where the program seldom comes keeps the call itself in registers.
impl<T: CallTracer> Clone for EnteredCall<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self::new(self.call, self.arguments)
    }
}

impl<'c, T: CallTracer> EnteredCall<'c, T> {
    #[inline(always)]
    pub(crate) const fn new(call: Call<'c, T>, arguments: Arguments<'c>) -> Self {
        Self { call, arguments, are_ranges_known: Cell::new(false) }
    }

    /// The object or struct that the method was called on; `None` for a static method.
    #[must_use]
    pub fn this(&self) -> Option<CallValue<'_>> {
        self.nth(0).filter(|value| value.position() == Position::This)
    }

    /// The arguments in the order of the signature, `this` excluded. Empty if they could not be located, see
    /// [`failure`](Self::failure).
    pub fn arguments(&self) -> impl Iterator<Item = CallValue<'_>> {
        self.values().filter(|value| value.position() != Position::This)
    }

    /// The argument with this index, counted from 0, `this` excluded.
    #[must_use]
    pub fn argument(&self, index: usize) -> Option<CallValue<'_>> {
        self.nth(index + usize::from(self.method().has_this()))
    }

    /// The argument of the parameter with this name.
    #[must_use]
    pub fn argument_named(&self, name: &str) -> Option<CallValue<'_>> {
        let index = self.method().parameters().iter().position(|parameter| parameter.name == name)?;
        self.argument(index)
    }

    /// The bytes of an argument of 1, 2, 4 or 8 bytes, `this` included in the count. The bytes above its size are
    /// unspecified. `None` for another size, and if the argument could not be located.
    ///
    /// The quickest way to a number: a few instructions with fast hooks.
    #[must_use]
    #[inline(always)]
    pub fn word(&self, index: usize) -> Option<u64> {
        match &self.arguments {
            Arguments::Ready(registers, places) if !places.words.is_empty() => {
                places.words.get(index).map(|word| registers::argument_word(*registers, *word))
            }
            arguments => arguments.located()?.word(index),
        }
    }

    /// Why the arguments could not be located, if they could not.
    #[must_use]
    pub fn failure(&self) -> Option<&Error> {
        match self.arguments {
            Arguments::Unknown(error) => Some(error),
            _ => None,
        }
    }

    /// All values, `this` first.
    pub(crate) fn values(&self) -> impl Iterator<Item = CallValue<'_>> {
        (0..).map_while(|index| self.nth(index))
    }

    fn nth(&self, index: usize) -> Option<CallValue<'_>> {
        if !self.are_ranges_known.get() {
            self.note_read();
        }
        let plan = self.method().plan()?;
        let ranges = self.ranges()?;
        let argument = plan.arguments(&ranges).nth(index)?;
        Some(self.call.value(argument))
    }

    /// The ranges of all values, `this` first, in the thread's list.
    pub(crate) fn ranges(&self) -> Option<Ref<'_, Vec<ArgumentRange>>> {
        if !self.are_ranges_known.get() {
            let located = self.arguments.located()?;
            let mut ranges = self.thread.ranges.try_borrow_mut().ok()?;
            ranges.clear();
            ranges.extend(located.ranges());
            self.are_ranges_known.set(true);
        }
        self.thread.ranges.try_borrow().ok()
    }

    /// Saves the targets of `ref` and `out` arguments, if there are any.
    #[inline]
    pub(crate) fn save_refs(&self) -> Option<SavedRefs> {
        let plan = self.method().plan().filter(|plan| plan.has_outs())?;
        let program = self.program();
        let (memory, _) = program.memory_of(self.thread);
        let saved = plan.save_refs(memory, &self.ranges()?, program.collections());
        (!saved.is_empty()).then_some(saved)
    }
}

impl<'c> Arguments<'c> {
    /// Returns the arguments as ranges.
    #[inline(always)]
    pub(crate) fn located(&self) -> Option<EnterArguments<'c>> {
        match self {
            Self::Ready(registers, places) => Some(registers::arguments(*registers, places.locations)),
            Self::Ranges(arguments) => Some(*arguments),
            Self::Unknown(_) => None,
        }
    }
}

impl<'c, T: CallTracer> Deref for EnteredCall<'c, T> {
    type Target = Call<'c, T>;

    #[inline(always)]
    fn deref(&self) -> &Call<'c, T> {
        &self.call
    }
}

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
}

/// As that of [`EnteredCall`].
impl<T: CallTracer> Clone for EndedCall<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { call: self.call, end: self.end }
    }
}

/// The outcome of a call, with the locations of its results.
///
/// Without a destructor, so that a hook keeps it in registers.
#[derive(Clone, Copy)]
pub(crate) enum End<'c> {
    /// In registers, at these locations.
    Ready(LeaveRegisters<'c>, Option<corprof::ResultWord>, &'c corprof::Locations),
    /// In a range, with the saved targets of `ref` and `out` parameters.
    Returned {
        result: Result<ArgumentRange, &'c Error>,
        word: Option<u64>,
        saved: Option<&'c SavedRefs>,
    },
    Threw(&'c str),
    TailCalled,
}

impl<'c, T: CallTracer> EndedCall<'c, T> {
    /// Returns how the call has ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome<'_> {
        match &self.end {
            End::Ready(..) | End::Returned { .. } => Outcome::Returned,
            End::Threw(exception) => Outcome::Threw(exception),
            End::TailCalled => Outcome::TailCalled,
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
            End::Returned { saved: Some(saved), .. } => {
                self.method().plan().map(|plan| plan.outs(saved, self.program().collections()))
            }
            _ => None,
        };
        found.into_iter().flatten()
    }

    /// The bytes of a result of 1, 2, 4 or 8 bytes, as [`EnteredCall::word`].
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<u64> {
        match &self.end {
            End::Ready(registers, word, _) if self.method().returns() => {
                word.map(|word| registers.word(word))
            }
            End::Ready(..) => None,
            End::Returned { word, .. } => *word,
            End::Threw(_) | End::TailCalled => None,
        }
    }

    /// Why the result could not be located, if it could not.
    #[must_use]
    pub fn failure(&self) -> Option<&Error> {
        match &self.end {
            End::Returned { result: Err(error), .. }
                if self.method().plan().is_some_and(|it| it.returns()) =>
            {
                Some(error)
            }
            _ => None,
        }
    }

    /// Returns the range of the result of a call that returns.
    pub(crate) fn result_range(&self) -> Option<Result<ArgumentRange, &Error>> {
        match &self.end {
            End::Ready(registers, _, locations) => Some(Ok(registers.result(locations))),
            End::Returned { result, .. } => Some(*result),
            End::Threw(_) | End::TailCalled => None,
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

impl<T: CallTracer> fmt::Debug for EnteredCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T: CallTracer> fmt::Debug for EndedCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
