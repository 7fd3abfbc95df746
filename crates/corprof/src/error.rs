//! The errors of calls into the runtime, and of a profiler.

use corprof_types::AnyId;
use corprof_types::HResult;

/// The result of a call into the runtime.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The error of a call into the runtime, or of the profiler itself.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The runtime returned a failure code.
    #[error("{call} failed with {hresult}{}", Advice(.call, *.hresult))]
    Call {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// The code.
        hresult: HResult,
    },
    /// The runtime does not have the interface that declares the method.
    #[error(
        "{call} needs ICorProfilerInfo{needed}, and this runtime has nothing newer than ICorProfilerInfo{present}"
    )]
    RuntimeTooOld {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// The version that declares the method.
        needed: u8,
        /// The newest version that this runtime has.
        present: u8,
    },
    /// The runtime returned success and a null pointer or id.
    #[error("{call} returned success and a null {what}")]
    Null {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// The kind of the missing pointer or id.
        what: &'static str,
    },
    /// A signature of the metadata is malformed.
    #[error("malformed signature of {of}: {error}")]
    Signature {
        /// The token or name whose signature it is.
        of: String,
        /// The offset and the cause.
        error: sigparse::Error,
    },
    /// The module, class, function or thread of an id has been unloaded or has ended. Also an id that the
    /// runtime has reported to an earlier profiler of the library and not to this one.
    #[error(
        "{id} has been unloaded, or was reported to another profiler: an id must not be used after the callback that \
         announces its unload, nor by a profiler that is attached later"
    )]
    Unloaded {
        /// The id.
        id: AnyId,
    },
    /// The load of the module, or of the assembly's module, has not finished: the runtime has not made yet what the method reads.
    #[error("{call} is not called: {id} is being loaded; call it in module_load_finished or later")]
    Loading {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// The id.
        id: AnyId,
    },
    /// The runtime has shut down or has detached the profiler: it is not called any more.
    #[error("{call} is not called: the runtime has shut down, or has detached the profiler")]
    Ended {
        /// The COM name of the method, with its interface.
        call: &'static str,
    },
    /// The method must not be called where the thread is: the runtime would crash, or the call would never return.
    #[error("{call} is not called {site}")]
    Misplaced {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// Where it would have been called.
        site: CallSite,
    },
    /// This runtime would crash in the call.
    #[error("{call} is not called on this runtime: {why}")]
    Unsafe {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// The condition under which it would crash.
        why: &'static str,
    },
    /// The profiler can only be loaded when the program starts.
    #[error("this profiler has to be loaded when the program starts; it cannot be attached{}", Because(.0))]
    NotAttachable(
        /// The reason; may be empty.
        &'static str,
    ),
    /// Two profilers of one class id want what only one can have.
    #[error(
        "{} and {} are exported under one class id, and each {what}, which only one of them can: export one of the two under \
         another class id, or without it", .parts[0], .parts[1]
    )]
    Conflict {
        /// What each of them does: "has hooks", "changes IL".
        what: &'static str,
        /// The names of their types.
        parts: [&'static str; 2],
    },
    /// The runtime does not accept flags of the event mask from a part that is added to a running profiler.
    #[error("{flags} cannot be set {why}")]
    Flags {
        /// The names of the flags.
        flags: String,
        /// When they cannot be set, and what to do.
        why: &'static str,
    },
    /// A name, token or file was not found.
    #[error("{0}")]
    NotFound(String),
    /// A setting of the profiler is wrong.
    #[error("{message}")]
    Setting {
        /// The setting.
        name: String,
        /// What is wrong, and what would do.
        message: String,
    },
    /// The profiler does not run, and has told why to who wanted it: nothing is written to the program's standard error, and the
    /// runtime gets `CORPROF_E_PROFILER_CANCEL_ACTIVATION`.
    #[error("the profiler has declined to run: {0}")]
    Declined(String),
    /// An error of the profiler itself, such as an invalid setting.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Creates an error of the profiler itself.
    pub fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Returns the setting that is wrong, if one is.
    #[must_use]
    pub fn setting(&self) -> Option<&str> {
        match self {
            Self::Setting { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the code that the runtime gets for this error.
    #[must_use]
    pub fn hresult(&self) -> HResult {
        match self {
            Self::Call { hresult, .. } => *hresult,
            Self::RuntimeTooOld { .. } => HResult::E_NOINTERFACE,
            Self::Ended { .. } => HResult::CORPROF_E_PROFILER_DETACHING,
            Self::Misplaced { site, .. } => site.hresult(),
            Self::Loading { .. } => HResult::CORPROF_E_DATAINCOMPLETE,
            Self::Declined(_) => HResult::CORPROF_E_PROFILER_CANCEL_ACTIVATION,
            Self::NotAttachable(_) => HResult::CORPROF_E_PROFILER_NOT_ATTACHABLE,
            _ => HResult::E_FAIL,
        }
    }
}

/// Where a call was made that must not be made there; see [`Error::Misplaced`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallSite {
    /// On a managed thread that is in no callback, so in an ELT hook or in native code that the program calls; or in a callback
    /// that the runtime makes because of a call from there.
    Hook,
    /// While another call has not returned: in a visitor, or in a hook of managed code that the call runs.
    InsideCall,
    /// In a callback that passes an object or in which no garbage collection may begin; or in a callback inside of that one.
    WithObjects,
    /// In a callback of a garbage collection.
    Collection,
    /// In a callback of the suspension of the runtime or of its end.
    Suspension,
    /// On a thread that has suspended the runtime; see [`RuntimeSuspension`](crate::RuntimeSuspension).
    Suspended,
    /// In any other callback.
    Callback,
    /// While the metadata of the module is being applied; see [`ProfilerInfo::apply_metadata`](crate::ProfilerInfo::apply_metadata).
    MetadataApplied,
}

impl CallSite {
    /// The code with which the runtime refuses such calls, where it does.
    const fn hresult(self) -> HResult {
        match self {
            Self::Collection | Self::Suspension | Self::Suspended => {
                HResult::CORPROF_E_SUSPENSION_IN_PROGRESS
            }
            _ => HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE,
        }
    }
}

/// The place, why the call is refused there, and what to do.
impl core::fmt::Display for CallSite {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        const MOVES: &str = "a garbage collection may run meanwhile, and would move objects that are in use";
        const NEVER: &str = "it would wait for ever";
        const OWN: &str = "call it on a thread of the profiler's own";
        match self {
            Self::Hook => {
                write!(f, "on a managed thread outside of callbacks, such as in a hook: {MOVES}; {OWN}")
            }
            Self::InsideCall => write!(f, "inside of another call, in a visitor or a hook: {MOVES}; {OWN}"),
            Self::WithObjects => {
                write!(f, "in a callback that passes objects, or inside of one: {MOVES}; {OWN}")
            }
            Self::Collection => write!(f, "in a callback of a garbage collection: {NEVER}; {OWN}"),
            Self::Suspension => write!(f, "while the runtime is suspended or resumed: {NEVER}; {OWN}"),
            Self::Suspended => {
                write!(
                    f,
                    "on a thread that has suspended the runtime: {NEVER}; drop the RuntimeSuspension first"
                )
            }
            Self::Callback => write!(f, "in a callback: {OWN}"),
            Self::MetadataApplied => write!(
                f,
                "while the metadata of the module is being applied: call it again when apply_metadata has returned"
            ),
        }
    }
}

impl From<clrnames::Error> for Error {
    fn from(error: clrnames::Error) -> Self {
        match error {
            clrnames::Error::Signature { of, error } => Self::Signature { of, error },
            other => Self::NotFound(other.to_string()),
        }
    }
}

/// Displays a reason, unless it is empty.
struct Because<'a>(&'a str);

impl core::fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

/// Displays the advice for a code that a method has returned.
struct Advice<'a>(&'a str, HResult);

/// Returns the flags of the event mask without which a method returns `CORPROF_E_INCONSISTENT_WITH_FLAGS`.
fn needed_flags(call: &str) -> Option<&'static str> {
    let (_, method) = call.split_once("::")?;
    Some(match method {
        "DoStackSnapshot" => "ENABLE_STACK_SNAPSHOT",
        "GetFunctionEnter3Info" => "ENTER_LEAVE and ENABLE_FUNCTION_ARGS",
        "GetFunctionLeave3Info" => "ENTER_LEAVE and ENABLE_FUNCTION_RETVAL",
        "GetFunctionTailcall3Info" => "ENTER_LEAVE and ENABLE_FRAME_INFO",
        "SetEnterLeaveFunctionHooks3WithInfo" => {
            "ENTER_LEAVE and one of ENABLE_FUNCTION_ARGS, ENABLE_FUNCTION_RETVAL, ENABLE_FRAME_INFO"
        }
        "SetEnterLeaveFunctionHooks3" => "ENTER_LEAVE",
        _ => return None,
    })
}

impl core::fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let (HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS, Some(flags)) = (self.1, needed_flags(self.0)) {
            return write!(f, ": set EventMask::{flags} in Profiler::initialize");
        }
        match self.1.advice() {
            Some(advice) => write!(f, ": {advice}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_names_method_code_and_advice() {
        let error = Error::Call {
            call: "ICorProfilerInfo::SetEventMask",
            hresult: HResult::CORPROF_E_IMMUTABLE_FLAGS_SET,
        };
        let text = error.to_string();
        assert!(text.starts_with("ICorProfilerInfo::SetEventMask failed with CORPROF_E_IMMUTABLE_FLAGS_SET"));
        assert!(text.ends_with("set these flags in Profiler::initialize"), "{text}");
    }

    #[test]
    fn a_missing_flag_is_named() {
        let call = "ICorProfilerInfo2::DoStackSnapshot";
        let error = Error::Call { call, hresult: HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS };
        let text = error.to_string();
        assert!(text.ends_with(": set EventMask::ENABLE_STACK_SNAPSHOT in Profiler::initialize"), "{text}");
    }

    #[test]
    fn a_misplaced_call_names_the_call_the_place_and_what_to_do() {
        let error = Error::Misplaced { call: "ICorProfilerInfo::ForceGC", site: CallSite::Suspended };
        let text = error.to_string();
        assert!(
            text.starts_with("ICorProfilerInfo::ForceGC is not called on a thread that has suspended"),
            "{text}"
        );
        assert!(text.ends_with("drop the RuntimeSuspension first"), "{text}");
        assert_eq!(error.hresult(), HResult::CORPROF_E_SUSPENSION_IN_PROGRESS);
    }

    #[test]
    fn an_old_runtime_is_reported_with_both_versions() {
        let error = Error::RuntimeTooOld { call: "ICorProfilerInfo12::X", needed: 12, present: 11 };
        assert!(error.to_string().contains("needs ICorProfilerInfo12"));
        assert!(error.to_string().contains("ICorProfilerInfo11"));
    }
}
