//! The call that a hook was called for.
//!
//! Contract of the unsafe code here: a frame is made by the hook with what the runtime passed to it, and
//! cannot outlive the hook: it is lent to the profiler, and it is neither `Send` nor `Sync`, since only the
//! thread whose call it is may ask about it.
#![allow(unsafe_code)]

use core::marker::PhantomData;

use corprof_sys as sys;

use super::arguments::{ArgumentRange, EnterArguments, Ranges, read_word};
use super::fast::{EnterArea, LeaveArea};
use super::locations::{Context, GenericContext, Locations};
use super::save_area::{SaveArea, caller_stack_pointer, return_registers};
use super::words::{ArgumentWord, ResultWord};
use crate::ids::{ClassId, FrameInfo, FunctionId};
use crate::{Error, ProfilerInfo, Result};

/// What a hook knows of its call: from the runtime, or from the registers that its stub has saved.
enum Source<'cb, A> {
    WithInfo(sys::COR_PRF_ELT_INFO),
    Fast(&'cb A),
}

impl<A> Source<'_, A> {
    #[inline]
    fn caller_stack_pointer(&self, stack: impl FnOnce(&A) -> usize) -> Option<usize> {
        match *self {
            Self::Fast(area) => Some(stack(area)),
            // SAFETY: it is the runtime's, for the hook that is running.
            Self::WithInfo(elt) => unsafe { caller_stack_pointer(elt) },
        }
    }

    /// What the runtime has passed to a hook with info.
    fn elt(&self) -> Option<sys::COR_PRF_ELT_INFO> {
        match self {
            Self::WithInfo(elt) => Some(*elt),
            Self::Fast(_) => None,
        }
    }
}

/// What is in the registers when a fast hook is called for a call that begins.
#[derive(Clone, Copy)]
pub struct EnterRegisters<'a>(&'a EnterArea);

/// What is in the registers when a fast hook is called for a call that ends.
#[derive(Clone, Copy)]
pub struct LeaveRegisters<'a>(&'a LeaveArea);

impl LeaveRegisters<'_> {
    /// What the call returns, the bytes above it cleared. A load; the same as [`LeaveFrame::return_word`] finds, if it is
    /// a word of the running function's [`Locations`].
    #[must_use]
    #[inline]
    pub fn word(&self, word: ResultWord) -> u64 {
        word.load(self.0)
    }
}

impl EnterRegisters<'_> {
    /// What is in an integer register that carries arguments, counted in the order of the convention. It need not be
    /// an argument of the running call.
    #[must_use]
    #[inline]
    pub fn integer(&self, register: u8) -> Option<usize> {
        self.0.integer(register)
    }

    /// An argument of the running call, the bytes above it cleared. A load; the same as [`EnterArguments::word`] finds, if it
    /// is a word of the running function's [`Locations`]. That of another function may be read where the stack has ended,
    /// which crashes the process.
    #[must_use]
    #[inline]
    pub fn word(&self, word: ArgumentWord) -> u64 {
        word.load(self.0)
    }

    /// The type arguments of the running call, if its code knows them in this way. What is in the registers is taken for
    /// what `context` says, as ids are: what does not hold for the running function may crash the process.
    #[must_use]
    pub fn frame(&self, context: GenericContext) -> FrameInfo<'_> {
        FrameInfo::of_context(context_of(self.0, context))
    }
}

/// A call that begins.
pub struct EnterFrame<'cb> {
    pub(super) info: &'cb ProfilerInfo,
    /// Read when it is asked for.
    function: &'cb FunctionId,
    source: Source<'cb, EnterArea>,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> EnterFrame<'cb> {
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running for `function`, and `'cb` ends with
    /// the hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: &'cb FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, source: Source::WithInfo(elt), thread_bound: PhantomData }
    }

    /// The frame of a fast hook that is running for `function`.
    #[inline]
    pub(super) fn fast(info: &'cb ProfilerInfo, function: &'cb FunctionId, area: &'cb EnterArea) -> Self {
        Self { info, function, source: Source::Fast(area), thread_bound: PhantomData }
    }

    /// What the runtime has passed to the hook, if it is one with info.
    pub(super) fn elt(&self) -> Option<sys::COR_PRF_ELT_INFO> {
        self.source.elt()
    }

    /// The method that is called.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.function
    }

    /// The stack pointer of the caller, as it was before the call: the address above the return address. The frames
    /// that a call is made from have higher ones. Not known with hooks with info on Windows and on other processors than
    /// x86-64.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.source.caller_stack_pointer(EnterArea::stack)
    }

    /// With fast hooks, what is in the registers; `None` with hooks with info.
    ///
    /// The shortest way to arguments that are numbers or references: where they are is found once, as an
    /// [`ArgumentWord`], and kept in [`FunctionHooks::Function`](super::FunctionHooks::Function).
    ///
    /// ```
    /// use std::sync::OnceLock;
    /// use corprof::{ArgumentWord, EnterFrame, Locations};
    ///
    /// /// What is kept with a function: its first two arguments, from its second call on.
    /// struct Function {
    ///     words: OnceLock<[ArgumentWord; 2]>,
    /// }
    ///
    /// fn locate(function: &Function, locations: &Locations) {
    ///     let words = [0, 1].map(|index| locations.argument_word(index).unwrap_or(ArgumentWord::NONE));
    ///     let _ = function.words.set(words);
    /// }
    ///
    /// fn enter(function: &Function, frame: &EnterFrame<'_>) -> Option<[u64; 2]> {
    ///     let (registers, words) = (frame.registers()?, function.words.get()?);
    ///     Some(words.map(|word| registers.word(word)))
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn registers(&self) -> Option<EnterRegisters<'_>> {
        match self.source {
            Source::Fast(area) => Some(EnterRegisters(area)),
            Source::WithInfo(_) => None,
        }
    }

    /// With fast hooks, the call's type arguments and arguments, which are where `locations` says until the hook returns.
    /// The shortest way, for a profiler that has worked the locations out at an earlier call. `None` with hooks with info.
    #[inline]
    #[must_use]
    pub fn arguments_at<'f>(&'f self, locations: &'f Locations) -> Option<EnterArguments<'f>> {
        let Source::Fast(area) = self.source else { return None };
        Some(arguments_of(area, locations))
    }

    /// [`arguments_by`](Self::arguments_by) for a profiler that has hooks with info only.
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they cannot know where the arguments are.
    #[inline(always)]
    pub fn arguments<R>(&self, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        // Not by way of `arguments_by`: there `read` is in two places, and the compiler inlines it in neither.
        match self.source {
            Source::Fast(_) => Err(no_locations()),
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Finds the call's type arguments and arguments and lends them to `read`. They are gone when it returns.
    ///
    /// With hooks with info, the runtime is asked (`ICorProfilerInfo3::GetFunctionEnter3Info`), and `locations` is not
    /// called. On runtimes whose answer damages the program's floating-point arguments (.NET Core 3.1), the damage is
    /// undone afterwards.
    ///
    /// With fast hooks, `locations` says where things are. It should work that out at the first call and keep it in
    /// [`FunctionHooks::Function`](super::FunctionHooks::Function), which [`LocationsCell`](super::LocationsCell) does; the
    /// rest is a few loads.
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[doc(alias = "GetFunctionEnter3Info")]
    #[inline(always)]
    pub fn arguments_by<'l, R>(
        &self,
        locations: impl FnOnce(EnterRegisters<'_>) -> Result<&'l Locations>,
        read: impl FnOnce(EnterArguments<'_>) -> R,
    ) -> Result<R> {
        match self.source {
            Source::Fast(area) => {
                let locations = locations(EnterRegisters(area))?;
                Ok(read(arguments_of(area, locations)))
            }
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Asks the runtime for what [`arguments_by`](Self::arguments_by) hands out. One call of `read`, so that it is inlined.
    #[inline(always)]
    fn ask<R>(&self, elt: sys::COR_PRF_ELT_INFO, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe {
            self.info.enter_info(*self.function, elt, |found| {
                let ranges = Ranges::WithInfo(found.ranges);
                read(EnterArguments { frame: FrameInfo::in_callback(found.frame), ranges })
            })
        }
    }
}

#[cold]
fn no_locations() -> Error {
    Error::other("fast hooks have to be told where arguments and return values are: call `arguments_by`")
}

/// What a fast hook hands out.
#[inline(always)]
fn arguments_of<'a>(area: &'a EnterArea, locations: &'a Locations) -> EnterArguments<'a> {
    let frame = FrameInfo::of_context(context_of(area, locations.context));
    EnterArguments { frame, ranges: Ranges::Fast(area, &locations.arguments) }
}

/// What a call's type arguments are known by.
#[inline]
fn context_of(area: &EnterArea, place: GenericContext) -> Context {
    match place {
        GenericContext::None => Context::None,
        place => shared_context_of(area, place),
    }
}

/// The same, where the code may be shared.
fn shared_context_of(area: &EnterArea, place: GenericContext) -> Context {
    let found = match place {
        GenericContext::None | GenericContext::Unknown => None,
        GenericContext::This(module, type_def) => {
            let this = area.integer(0).filter(|this| *this != 0);
            let header = this.map(|this| {
                // SAFETY: `this` is the first argument, and a reference to an object, which begins with the word that
                // identifies its class.
                unsafe { core::ptr::with_exposed_provenance::<usize>(this).read() }
            });
            // A collection marks objects in the lowest bits.
            let class = header.and_then(|header| ClassId::from_raw(header & !0b111));
            class.map(|class| Context::Derived(class, module, type_def))
        }
        GenericContext::Class(register) => {
            area.integer(register).and_then(ClassId::from_raw).map(Context::Class)
        }
        GenericContext::Method(register) => {
            area.integer(register).and_then(FunctionId::from_raw).map(Context::Method)
        }
    };
    found.unwrap_or(Context::None)
}

/// What is known of a call that ends.
#[derive(Clone, Copy, Debug)]
pub struct LeaveValue<'a> {
    /// The call's generic context. On leave, a method of a generic class no longer knows `this`, and may name
    /// its class less exactly than on enter.
    pub frame: FrameInfo<'a>,
    /// Where the return value is; of length 0 for `void`, and without `ENABLE_FUNCTION_RETVAL`. Of a struct, only
    /// if there are no [`registers`](Self::registers).
    pub range: ArgumentRange,
    /// The registers that a struct of up to 16 bytes is returned in, on a runtime that does not put it together
    /// from them (.NET Core 3.1). Which of them have it, its fields say.
    pub registers: Option<ReturnRegisters>,
}

/// What is in the registers that return values on x86-64 outside of Windows.
///
/// A struct of up to 16 bytes consists of one or two *eightbytes*. One that has nothing but `float` and `double` in
/// it is in the next of the floating-point registers, any other in the next of the integer registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnRegisters {
    /// `rax` and `rdx`.
    pub integer: [u64; 2],
    /// The lower halves of `xmm0` and `xmm1`.
    pub float: [u64; 2],
}

/// A call that ends.
pub struct LeaveFrame<'cb> {
    pub(super) info: &'cb ProfilerInfo,
    /// Read when it is asked for.
    function: &'cb FunctionId,
    source: Source<'cb, LeaveArea>,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> LeaveFrame<'cb> {
    /// # Safety
    /// As for [`EnterFrame::new`], with the leave hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: &'cb FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, source: Source::WithInfo(elt), thread_bound: PhantomData }
    }

    /// The frame of a fast hook that is running for `function`.
    #[inline]
    pub(super) fn fast(info: &'cb ProfilerInfo, function: &'cb FunctionId, area: &'cb LeaveArea) -> Self {
        Self { info, function, source: Source::Fast(area), thread_bound: PhantomData }
    }

    /// What the runtime has passed to the hook, if it is one with info.
    pub(super) fn elt(&self) -> Option<sys::COR_PRF_ELT_INFO> {
        self.source.elt()
    }

    /// The method that returns.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.function
    }

    /// The stack pointer of the caller, as [`EnterFrame::caller_stack_pointer`] of the same call has it.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.source.caller_stack_pointer(LeaveArea::stack)
    }

    /// [`return_value_by`](Self::return_value_by) for a profiler that has hooks with info only.
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they cannot know where the value is.
    #[inline(always)]
    pub fn return_value<R>(&self, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        self.return_value_by(|| Err(no_locations()), read)
    }

    /// Finds the return value and lends it to `read`. It is gone when it returns.
    ///
    /// With hooks with info, the runtime is asked (`ICorProfilerInfo3::GetFunctionLeave3Info`), with fast hooks
    /// `locations`; see [`EnterFrame::arguments_by`].
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[doc(alias = "GetFunctionLeave3Info")]
    #[inline(always)]
    pub fn return_value_by<'l, R>(
        &self,
        locations: impl FnOnce() -> Result<&'l Locations>,
        read: impl FnOnce(LeaveValue<'_>) -> R,
    ) -> Result<R> {
        match self.source {
            Source::Fast(area) => {
                let range = area.range(&locations()?.result);
                Ok(read(LeaveValue { frame: FrameInfo::of_context(Context::None), range, registers: None }))
            }
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Asks the runtime for what [`return_value_by`](Self::return_value_by) hands out.
    #[inline(always)]
    fn ask<R>(&self, elt: sys::COR_PRF_ELT_INFO, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        let (frame, range) = unsafe { self.info.leave_info(*self.function, elt) }?;
        // SAFETY: `elt` is the runtime's, for this hook.
        let registers = unsafe { return_registers(self.info, elt, range.startAddress) };
        let frame = FrameInfo::in_callback(frame);
        Ok(read(LeaveValue { frame, range: range.into(), registers }))
    }
}

impl LeaveFrame<'_> {
    /// With fast hooks, what is in the registers; `None` with hooks with info. See [`EnterFrame::registers`].
    #[inline]
    #[must_use]
    pub fn registers(&self) -> Option<LeaveRegisters<'_>> {
        match self.source {
            Source::Fast(area) => Some(LeaveRegisters(area)),
            Source::WithInfo(_) => None,
        }
    }

    /// The bytes of a return value of 1, 2, 4 or 8 bytes, in the lowest bytes of a number: what is above them is not of the
    /// value. `None` if it has another size, or is not known where it is, and for `void`.
    ///
    /// It is found as by [`return_value_by`](Self::return_value_by).
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[inline(always)]
    pub fn return_word<'l>(&self, locations: impl FnOnce() -> Result<&'l Locations>) -> Result<Option<u64>> {
        match self.source {
            Source::Fast(area) => Ok(LeaveArea::word_at(locations()?.result).map(|word| word.load(area))),
            Source::WithInfo(_) => self.return_value_by(locations, |value| {
                // SAFETY: the runtime has told where the value is, to the hook that is running.
                unsafe { read_word(value.range.address, value.range.length) }
            }),
        }
    }
}

/// A call that ends with a tail call.
pub struct TailcallFrame<'cb> {
    info: &'cb ProfilerInfo,
    /// Read when it is asked for.
    function: &'cb FunctionId,
    source: Source<'cb, LeaveArea>,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> TailcallFrame<'cb> {
    /// # Safety
    /// As for [`EnterFrame::new`], with the tailcall hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: &'cb FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, source: Source::WithInfo(elt), thread_bound: PhantomData }
    }

    /// The frame of a fast hook that is running for `function`.
    #[inline]
    pub(super) fn fast(info: &'cb ProfilerInfo, function: &'cb FunctionId, area: &'cb LeaveArea) -> Self {
        Self { info, function, source: Source::Fast(area), thread_bound: PhantomData }
    }

    /// The method that ends.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.function
    }

    /// The stack pointer of the caller, as [`EnterFrame::caller_stack_pointer`] of the same call has it.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.source.caller_stack_pointer(LeaveArea::stack)
    }

    /// The call's generic context (`ICorProfilerInfo3::GetFunctionTailcall3Info`).
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they do not know it.
    #[doc(alias = "GetFunctionTailcall3Info")]
    pub fn frame(&self) -> Result<FrameInfo<'cb>> {
        let Source::WithInfo(elt) = self.source else {
            return Err(Error::other("fast hooks do not know the type arguments of a tail call"));
        };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe { self.info.tailcall_info(*self.function, elt) }.map(FrameInfo::in_callback)
    }
}
