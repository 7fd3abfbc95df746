//! Stacks: walking the frames of a thread.
#![forbid(unsafe_code)]

use core::ops::ControlFlow;

use corprof_types::{FunctionId, HResult};

use crate::error::{Error, Result};
use crate::raw::evidence::FrameInfo;
use crate::raw::info::{Frame, StackSeed};
use crate::runtime::ProfilerInfo;
use crate::runtime::visitor::VisitorResult;

/// The options of a stack walk; see [`ProfilerInfo::walk_stack`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StackWalk<'a> {
    /// Whether each frame has the registers, which takes longer.
    pub registers: bool,
    /// The registers to begin with.
    pub(super) seed: Option<StackSeed<'a>>,
}

impl StackWalk<'_> {
    /// A walk in which each frame has the processor's registers.
    #[must_use]
    pub fn with_registers(self) -> Self {
        Self { registers: true, ..self }
    }
}

/// The outcome of a stack walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked<B = ()> {
    /// Every frame was visited.
    Whole,
    /// The visitor ended the walk with this value.
    Break(B),
    /// The thread has no managed frame: it is about to start or to end, or serves the runtime.
    NoManagedFrame,
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug)]
pub struct StackFrame<'f> {
    /// The method; `None` for a run of native frames; only its last frame is reported.
    pub function: Option<FunctionId>,
    /// The instruction pointer: the return address, or in the innermost frame the next instruction.
    pub ip: usize,
    /// The generic context of the call, for [`ProfilerInfo::function_instance`]. Exact only with
    /// [`EventMask::ENABLE_FRAME_INFO`](crate::EventMask::ENABLE_FRAME_INFO).
    pub frame: FrameInfo<'f>,
    /// The registers, a `CONTEXT` of the platform; empty without [`StackWalk::with_registers`].
    pub registers: &'f [u8],
}

impl ProfilerInfo {
    /// Walks the calling thread's stack from the innermost frame outwards.
    ///
    /// Needs [`ENABLE_STACK_SNAPSHOT`](crate::EventMask::ENABLE_STACK_SNAPSHOT). `ICorProfilerInfo2::DoStackSnapshot`.
    ///
    /// Managed frames are visited one by one, native ones as runs. A visitor that returns `()` visits every frame; one that
    /// returns [`ControlFlow`] can end the walk.
    ///
    /// ```
    /// use corprof::{FunctionId, ProfilerInfo, Result, StackWalk};
    ///
    /// /// The managed functions on this thread's stack, innermost first.
    /// fn stack(info: &ProfilerInfo) -> Result<Vec<FunctionId>> {
    ///     let mut functions = Vec::new();
    ///     info.walk_stack(StackWalk::default(), |frame| functions.extend(frame.function))?;
    ///     Ok(functions)
    /// }
    /// ```
    ///
    /// The stacks of other threads are walked by [`RuntimeSuspension::walk_stack`](crate::RuntimeSuspension::walk_stack). A
    /// frame is borrowed from its visit.
    ///
    /// # Errors
    /// `CORPROF_E_INCONSISTENT_WITH_FLAGS`: the event mask does not have the flag. `CORPROF_E_STACKSNAPSHOT_UNSAFE`: the thread cannot be walked now. `CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX`: on x86 the
    /// thread is in native code and there is no seed. Any other failure of the call, except `E_FAIL` before the first frame,
    /// which gives [`Walked::NoManagedFrame`]. Frames may have been visited before an error.
    ///
    /// # Panics
    /// When `visit` does: the walk is ended first.
    #[doc(alias = "DoStackSnapshot")]
    pub fn walk_stack<R: VisitorResult>(
        &self,
        how: StackWalk<'_>,
        mut visit: impl FnMut(StackFrame<'_>) -> R,
    ) -> Result<Walked<R::Break>> {
        let visit = |frame: StackFrame<'_>| {
            // A function that this thread runs is alive, and may be older than this profiler.
            if let Some(function) = frame.function {
                self.raw().alive().reported(function.into());
            }
            visit(frame)
        };
        walked(visit, |look| self.raw().walk_own_stack((how.registers, how.seed), look))
    }
}

/// Walks a stack, and makes its outcome of what the runtime returns.
pub(super) fn walked<V, R>(
    mut visit: V,
    walk: impl FnOnce(&mut dyn FnMut(Frame<'_>) -> ControlFlow<R::Break>) -> Result<ControlFlow<R::Break>>,
) -> Result<Walked<R::Break>>
where
    V: FnMut(StackFrame<'_>) -> R,
    R: VisitorResult,
{
    let mut is_first = true;
    let answer = walk(&mut |frame| {
        is_first = false;
        let Frame { function, ip, frame, registers } = frame;
        visit(StackFrame { function, ip, frame, registers }).into_control_flow()
    });
    match answer {
        Ok(ControlFlow::Continue(())) => Ok(Walked::Whole),
        Ok(ControlFlow::Break(value)) => Ok(Walked::Break(value)),
        Err(Error::Call { hresult: HResult::E_FAIL, .. }) if is_first => Ok(Walked::NoManagedFrame),
        Err(error) => Err(error),
    }
}
