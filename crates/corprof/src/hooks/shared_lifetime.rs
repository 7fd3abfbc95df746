//! Deferred ownership of shared code: whether a function is unloaded with a module, where only a call can tell.
//!
//! The code of a shared generic instantiation is unloaded with the modules of those type arguments that are value types.
//! The function alone does not determine them. A call does: slow-path hooks query the runtime, fast-path hooks read the
//! register in which the code itself gets its type arguments ([`SharedBy`]).

use core::sync::atomic::{AtomicU8, Ordering};

use super::frame::EnterFrame;
use super::function_hooks::FunctionHooks;
use super::hooked::Hooked;
use super::registers::SharedBy;
use crate::error::Error;
use crate::limits::MAX_DOUBTFUL_CALLS;
use crate::raw::alive::Held;
use crate::runtime::ProfilerInfo;
use crate::runtime::{FunctionForm, Lifetime};
use corprof_in_process::LastError;
use corprof_types::FunctionId;

/// Whether the lifetime of a function is still unknown, and how a call determines it.
pub(super) struct SharedLifetime {
    /// 0 if the lifetime is known, else 1 more than the number of calls still to be examined.
    calls: AtomicU8,
    /// Only with fast-path hooks.
    shared_by: Option<SharedBy>,
}

impl SharedLifetime {
    /// For a function with the lifetime that the mapper has determined.
    pub(super) fn new(info: &ProfilerInfo, function: FunctionId, lifetime: Lifetime) -> Self {
        let calls = match lifetime {
            // Where a call is resumed, the type arguments are undefined.
            Lifetime::Deferred if !has_declared_signature(info, function) => 1,
            Lifetime::Deferred => 1 + MAX_DOUBTFUL_CALLS,
            Lifetime::Module | Lifetime::Process => 0,
        };
        let shared_by = match calls {
            2.. if info.has_fast_hooks() => SharedBy::of(info, function).unwrap_or(None),
            _ => None,
        };
        Self { calls: AtomicU8::new(calls), shared_by }
    }

    /// Returns whether a call has to be [settled](settle).
    #[inline]
    pub(super) fn is_unknown(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// The lifetime becomes known. Returns `true` to one caller only.
    fn becomes_known(&self) -> bool {
        self.calls.swap(0, Ordering::Relaxed) != 0
    }

    /// Returns whether a call has to be examined.
    fn wants_call(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > 1
    }

    /// A call could not tell.
    fn call_could_not_tell(&self) {
        let one_less = |calls: u8| (calls > 1).then(|| calls - 1);
        let _ = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    }
}

/// Returns whether each call of a function has the arguments and the result of the signature.
fn has_declared_signature(info: &ProfilerInfo, function: FunctionId) -> bool {
    matches!(info.function_form(function), FunctionForm::Declared | FunctionForm::Thunk)
}

/// Determines with a call whether the function is unloaded with a module.
///
/// The unload of any module would refuse a function for which this is unknown. The guard prevents that during the call.
/// There is none for a function of a known lifetime.
#[cold]
pub(super) fn settle<'h, P: FunctionHooks>(
    hooked: &'h Hooked<P>,
    frame: &EnterFrame<'_>,
    hook: &'static str,
) -> Option<Held<'h>> {
    let _kept = LastError::keep();
    let Hooked { running, function, lifetime, .. } = hooked;
    if !lifetime.is_unknown() {
        return None;
    }
    let info = &running.info;
    let held = running.deliver(hook, |_| info.hold(*function))?;
    if !lifetime.wants_call() {
        return Some(held);
    }
    let find = |_: &P| match frame.registers() {
        Some(registers) => {
            let found = lifetime.shared_by.and_then(|shared_by| shared_by.frame(info, *function, registers));
            let frame = found.ok_or_else(|| Error::other("the register of the type arguments is unknown"))?;
            Ok(info.called_function_owners_seen(*function, frame))
        }
        None => frame.arguments(|call| info.called_function_owners_seen(*function, call.frame())),
    };
    match running.deliver(hook, find) {
        Some(Ok(Lifetime::Module)) => {
            if lifetime.becomes_known() {
                hooked.goes_with_module();
            }
        }
        Some(Ok(Lifetime::Process)) => {
            lifetime.becomes_known();
        }
        // A module whose data are kept stays loaded, unless another call shows that it does not.
        Some(Ok(Lifetime::Deferred) | Err(_)) | None => lifetime.call_could_not_tell(),
    }
    Some(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown() -> SharedLifetime {
        SharedLifetime { calls: AtomicU8::new(1 + MAX_DOUBTFUL_CALLS), shared_by: None }
    }

    #[test]
    fn one_caller_learns_that_the_lifetime_became_known() {
        let lifetime = unknown();
        assert!(lifetime.is_unknown());
        assert!(lifetime.becomes_known());
        assert!(!lifetime.becomes_known() && !lifetime.is_unknown());
    }

    #[test]
    fn after_some_calls_no_more_are_examined() {
        let lifetime = unknown();
        for call in 0..MAX_DOUBTFUL_CALLS {
            assert!(lifetime.wants_call(), "{call}");
            lifetime.call_could_not_tell();
        }
        assert!(!lifetime.wants_call() && lifetime.is_unknown());
        lifetime.call_could_not_tell();
        assert!(lifetime.is_unknown());
        // Another call has determined it.
        assert!(lifetime.becomes_known() && !lifetime.is_unknown());
    }
}
