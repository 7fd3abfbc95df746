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
    /// The module, class, function or thread of an id has been unloaded or has ended.
    #[error("{id} has been unloaded: an id must not be used after the callback that announces its unload")]
    Unloaded {
        /// The id.
        id: AnyId,
    },
    /// The runtime has shut down or has detached the profiler: it is not called any more.
    #[error("{call} is not called: the runtime has shut down, or has detached the profiler")]
    Ended {
        /// The COM name of the method, with its interface.
        call: &'static str,
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
    /// A name, token or file was not found.
    #[error("{0}")]
    NotFound(String),
    /// An error of the profiler itself, such as an invalid setting.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Creates an error of the profiler itself.
    pub fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Returns the code that the runtime gets for this error.
    #[must_use]
    pub fn hresult(&self) -> HResult {
        match self {
            Self::Call { hresult, .. } => *hresult,
            Self::RuntimeTooOld { .. } => HResult::E_NOINTERFACE,
            Self::Ended { .. } => HResult::CORPROF_E_PROFILER_DETACHING,
            Self::NotAttachable(_) => HResult::CORPROF_E_PROFILER_NOT_ATTACHABLE,
            _ => HResult::E_FAIL,
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
    fn an_old_runtime_is_reported_with_both_versions() {
        let error = Error::RuntimeTooOld { call: "ICorProfilerInfo12::X", needed: 12, present: 11 };
        assert!(error.to_string().contains("needs ICorProfilerInfo12"));
        assert!(error.to_string().contains("ICorProfilerInfo11"));
    }
}
