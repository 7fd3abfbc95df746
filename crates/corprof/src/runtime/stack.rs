//! Stacks: the frames of a thread, one after the other.
#![forbid(unsafe_code)]

use core::ops::ControlFlow;

use corprof_types::{FunctionId, HResult};

use crate::error::{Error, Result};
use crate::raw::evidence::FrameInfo;
use crate::raw::info::{Frame, StackSeed};
use crate::runtime::ProfilerInfo;

/// How a stack is walked; see [`ProfilerInfo::walk_stack`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StackWalk<'a> {
    /// Whether each frame has the processor's registers, which costs time.
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
#[must_use]
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
    /// The method; `None` for a run of native frames, of which only the last is reported.
    pub function: Option<FunctionId>,
    /// The address at which it goes on; for the innermost frame, at which it is.
    pub ip: usize,
    /// The generic context of the call, for [`ProfilerInfo::function_instance`]. Exact only with
    /// [`EventMask::ENABLE_FRAME_INFO`](crate::EventMask::ENABLE_FRAME_INFO).
    pub frame: FrameInfo<'f>,
    /// The registers, a `CONTEXT` of the platform; empty unless they were asked for.
    pub registers: &'f [u8],
}

impl ProfilerInfo {
    /// Walks a stack from the innermost frame outwards (`ICorProfilerInfo2::DoStackSnapshot`), until `visit` breaks.
    /// Managed frames come one by one, native ones as runs.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// use corprof::{FunctionId, ProfilerInfo, Result, StackWalk};
    ///
    /// /// The managed functions on this thread's stack, innermost first.
    /// fn stack(info: &ProfilerInfo) -> Result<Vec<FunctionId>> {
    ///     let mut functions = Vec::new();
    ///     let _ = info.walk_stack(StackWalk::default(), |frame| {
    ///         functions.extend(frame.function);
    ///         ControlFlow::<()>::Continue(())
    ///     })?;
    ///     Ok(functions)
    /// }
    /// ```
    ///
    /// Needs [`EventMask::ENABLE_STACK_SNAPSHOT`](crate::EventMask::ENABLE_STACK_SNAPSHOT). The stacks of other threads are
    /// walked by [`RuntimeSuspension::walk_stack`](crate::RuntimeSuspension::walk_stack).
    ///
    /// Frames end with their visit: keeping one does not compile.
    ///
    /// # Errors
    /// `CORPROF_E_STACKSNAPSHOT_UNSAFE`: the thread cannot be walked now. `CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX`: on x86 the
    /// thread is in native code and there is no seed. Any other failure of the call, except `E_FAIL` before the first frame,
    /// which gives [`Walked::NoManagedFrame`]. Frames may have been visited before an error.
    ///
    /// # Panics
    /// When `visit` does: the walk is ended first.
    #[doc(alias = "DoStackSnapshot")]
    pub fn walk_stack<B>(
        &self,
        how: StackWalk<'_>,
        visit: impl FnMut(StackFrame<'_>) -> ControlFlow<B>,
    ) -> Result<Walked<B>> {
        walked(visit, |look| self.raw().walk_own_stack((how.registers, how.seed), look))
    }
}

/// Walks a stack, and makes its outcome of what the runtime returns.
pub(super) fn walked<V, B>(
    mut visit: V,
    walk: impl FnOnce(&mut dyn FnMut(Frame<'_>) -> ControlFlow<B>) -> Result<ControlFlow<B>>,
) -> Result<Walked<B>>
where
    V: FnMut(StackFrame<'_>) -> ControlFlow<B>,
{
    let mut is_first = true;
    let answer = walk(&mut |frame| {
        is_first = false;
        let Frame { function, ip, frame, registers } = frame;
        visit(StackFrame { function, ip, frame, registers })
    });
    match answer {
        Ok(ControlFlow::Continue(())) => Ok(Walked::Whole),
        Ok(ControlFlow::Break(value)) => Ok(Walked::Break(value)),
        Err(Error::Call { hresult: HResult::E_FAIL, .. }) if is_first => Ok(Walked::NoManagedFrame),
        Err(error) => Err(error),
    }
}
