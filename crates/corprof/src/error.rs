//! What can go wrong when the runtime is asked.

use corprof_types::AnyId;
use corprof_types::HResult;

/// The result of this crate's calls.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call into the runtime, or an answer of it, could not be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The runtime refused the call.
    #[error("{call} failed with {hresult}{}", Advice(*.hresult))]
    Call {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// What it returned.
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
        /// The newest version that this runtime answers for.
        present: u8,
    },
    /// The runtime reported success and gave nothing.
    #[error("{call} reported success and gave a null {what}")]
    Null {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// What was expected.
        what: &'static str,
    },
    /// A signature of the metadata is malformed.
    #[error("malformed signature of {of}: {error}")]
    Signature {
        /// The token or name whose signature it is.
        of: String,
        /// Where and what.
        error: sigparse::Error,
    },
    /// What the id named has been unloaded.
    #[error("{id} has been unloaded: an id is not to be used after the callback that announces its unload")]
    Unloaded {
        /// The id.
        id: AnyId,
    },
    /// The runtime has said that it ends, or has let go of the profiler: it is not called any more.
    #[error("{call} is not called: the runtime ends, or has let go of the profiler")]
    Ended {
        /// The COM name of the method, with its interface.
        call: &'static str,
    },
    /// This runtime would crash if it were asked.
    #[error("{call} is not asked of this runtime: {why}")]
    Unsafe {
        /// The COM name of the method, with its interface.
        call: &'static str,
        /// When it would crash.
        why: &'static str,
    },
    /// The profiler can only be loaded when the program starts.
    #[error("this profiler has to be loaded when the program starts; it cannot be attached{}", Because(.0))]
    NotAttachable(
        /// Why; may be empty.
        &'static str,
    ),
    /// Something that was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// The profiler's own reason, for instance a setting that it cannot use.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// An error of the profiler's own, with a message for people.
    pub fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// The code to hand to the runtime for this error.
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

/// Appends a reason, when there is one.
struct Because<'a>(&'a str);

impl core::fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

/// Appends the advice that belongs to a code, when there is any.
struct Advice(HResult);

impl core::fmt::Display for Advice {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0.advice() {
            Some(advice) => write!(f, ": {advice}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_says_which_what_and_what_to_do() {
        let error = Error::Call {
            call: "ICorProfilerInfo::SetEventMask",
            hresult: HResult::CORPROF_E_IMMUTABLE_FLAGS_SET,
        };
        let text = error.to_string();
        assert!(text.starts_with("ICorProfilerInfo::SetEventMask failed with CORPROF_E_IMMUTABLE_FLAGS_SET"));
        assert!(text.ends_with("set these flags in Profiler::initialize"), "{text}");
    }

    #[test]
    fn an_old_runtime_is_told_with_both_versions() {
        let error = Error::RuntimeTooOld { call: "ICorProfilerInfo12::X", needed: 12, present: 11 };
        assert!(error.to_string().contains("needs ICorProfilerInfo12"));
        assert!(error.to_string().contains("ICorProfilerInfo11"));
    }
}
