//! Inlining of methods for which ReJIT is requested: see [`compilations`](super::compilations).
#![forbid(unsafe_code)]

use corprof_types::FunctionId;

use super::compilations::Key;
use crate::error::{Error, Result};
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;

/// The first major version that may inline methods which ReJIT was requested for.
const FIRST_SAFE: u16 = 9;

impl ProfilerInfo {
    /// Returns the flags that a mask needs so that requests for ReJIT are safe.
    pub(super) fn flags_for_rejit(&self, mask: EventMask) -> EventMask {
        let is_safe = self.runtime_info().is_ok_and(|runtime| runtime.major >= FIRST_SAFE);
        if is_safe || !mask.contains(EventMask::ENABLE_REJIT) {
            return EventMask::empty();
        }
        if !self.shared.compilations.watch() {
            self.forget_with(&self.shared.compilations);
        }
        EventMask::JIT_COMPILATION
    }

    /// Notes that the profiler is attached: compilations may have begun before.
    pub(crate) fn note_attached(&self) {
        self.shared.was_attached.store(true, core::sync::atomic::Ordering::Release);
        self.shared.compilations.attached();
    }

    /// Notes that the thread compiles a function.
    pub(crate) fn compilation_started(&self, function: FunctionId) {
        if self.shared.compilations.is_watched() {
            self.shared.compilations.started(function);
        }
    }

    /// Notes that the thread has compiled a function.
    pub(crate) fn compilation_finished(&self, function: FunctionId) {
        if self.shared.compilations.is_watched() {
            self.shared.compilations.finished(function);
        }
    }

    /// Returns whether a function may be inlined into the one that the thread compiles.
    pub(crate) fn may_be_inlined(&self, callee: FunctionId) -> bool {
        let compilations = &self.shared.compilations;
        if !compilations.is_watched() {
            return true;
        }
        let Ok(info) = self.function_info(callee) else { return false };
        // A function without metadata cannot be requested.
        let Some(token) = info.token else { return true };
        let root = compilations.compiling().and_then(|root| self.method_key(root));
        compilations.accepts((info.module, token), root)
    }

    fn method_key(&self, function: FunctionId) -> Option<Key> {
        let info = self.function_info(function).ok()?;
        Some((info.module, info.token?))
    }

    /// Returns whether the runtime inlines methods which ReJIT was requested for, without a crash.
    pub(super) fn may_inline_requested(&self) -> bool {
        !self.shared.compilations.is_watched()
    }

    /// Returns the methods into which the JIT has inlined a method, as far as `JITInlining` has reported it.
    pub(super) fn jitted_inliners(&self, method: Key) -> Vec<Key> {
        self.shared.compilations.inliners(method)
    }

    /// Has methods not be inlined any more, where a request for ReJIT requires it.
    pub(super) fn refuse_inlining(&self, methods: &[Key]) -> Result<()> {
        if self.may_inline_requested() || self.shared.compilations.refuse(methods) {
            return Ok(());
        }
        let call = "ICorProfilerInfo4::RequestReJIT";
        Err(Error::Unsafe {
            call,
            why: "before .NET 9 it crashes if a method is being inlined, and a compilation that inlines one has not finished",
        })
    }
}
