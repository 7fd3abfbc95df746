//! A call as a tracer sees it, and when it begins.

use core::cell::{Cell, Ref};
use core::fmt;
use core::ops::Deref;

use argvalues::{Argument, ArgumentRange, Decoder, Position, SavedRefs, Scratch};
use corprof::Error;

use crate::decoding::ThreadDecoding;
use crate::located::LocatedArguments;
use crate::method::CalledMethod;
use crate::program::{Program, ProgramMemory};
use crate::runtime::ClrRuntime;
use crate::traced::{OpenCall, Traced, TracedProgram};
use crate::tracer::CallTracer;
use crate::value::CallValue;

/// A call: its method, its thread, the calls that it was made from.
///
/// [`EnteredCall`] and [`EndedCall`](crate::EndedCall) dereference to it.
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

    pub(crate) fn program(&self) -> &Program {
        &self.traced.program
    }

    /// A value of the call, with its name and type.
    pub(crate) fn value<'v>(&'v self, argument: Argument<'v>) -> CallValue<'v> {
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

/// The arguments of a call that begins.
#[derive(Clone, Copy)]
pub(crate) enum Arguments<'c> {
    Located(LocatedArguments<'c>),
    /// The call is resumed: it has none.
    Resumed,
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
    /// The quickest way to a number: a few instructions with fast and inserted hooks.
    #[must_use]
    #[inline(always)]
    pub fn word(&self, index: usize) -> Option<u64> {
        match &self.arguments {
            Arguments::Located(arguments) => arguments.word(index),
            Arguments::Resumed | Arguments::Unknown(_) => None,
        }
    }

    /// Returns whether the runtime resumes a call that it had suspended ([`Outcome::Suspended`](crate::Outcome::Suspended)), often on another thread. There are no
    /// arguments then, and the type arguments that calls share are unknown.
    #[must_use]
    pub const fn is_resumed(&self) -> bool {
        matches!(self.arguments, Arguments::Resumed)
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
            let Arguments::Located(located) = self.arguments else { return None };
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

impl<'c, T: CallTracer> Deref for EnteredCall<'c, T> {
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
