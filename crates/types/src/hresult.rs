//! Result codes of the runtime, as an open newtype that prints its name.

use core::fmt;

use corprof_sys as sys;

/// An `HRESULT`, the result code of every call of the profiling API.
///
/// Open: a code without a name here is preserved and formatted as a number. Negative codes are failures; zero and
/// positive codes are successes; [`HResult::S_OK`] is only the most common.
///
/// ```
/// use corprof_types::HResult;
///
/// assert_eq!(HResult::E_FAIL.to_string(), "E_FAIL (0x80004005)");
/// assert_eq!(HResult(0x1234).to_string(), "0x00001234");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct HResult(pub i32);

impl HResult {
    /// Returns whether the code is a failure (`FAILED`).
    #[must_use]
    pub const fn is_err(self) -> bool {
        self.0 < 0
    }

    /// Returns whether the code is a success (`SUCCEEDED`), `S_FALSE` and warnings included.
    #[must_use]
    pub const fn is_ok(self) -> bool {
        self.0 >= 0
    }

    /// `Ok` for every success code, the code itself otherwise.
    ///
    /// # Errors
    /// The code, when it is a failure.
    pub const fn ok(self) -> Result<(), Self> {
        if self.is_ok() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for HResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} (0x{:08X})", self.0),
            None => write!(f, "0x{:08X}", self.0),
        }
    }
}

impl fmt::Debug for HResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HResult({self})")
    }
}

impl core::error::Error for HResult {}

/// Declares the named codes, each with an advice for the author of a profiler. Codes that are missing in the facts of
/// the ABI have their number here.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $(= $number:literal)? $(=> $advice:literal)?;)*) => {
        impl HResult {
            $($(#[$doc])* pub const $name: Self = Self(number!($name $($number)?));)*

            /// The name in `corerror.h` or `winerror.h`, when the code is one that profilers meet.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            /// Returns an advice for the code, where its name is not sufficient.
            #[must_use]
            pub const fn advice(self) -> Option<&'static str> {
                match self {
                    $($(Self::$name => Some($advice),)?)*
                    _ => None,
                }
            }
        }
    };
}

macro_rules! number {
    ($name:ident) => {
        sys::$name
    };
    ($name:ident $number:literal) => {
        u32::cast_signed($number)
    };
}

codes! {
    /// Success.
    S_OK;
    /// Success, with a negative or empty result.
    S_FALSE;
    /// Unspecified failure.
    E_FAIL;
    /// An argument was not valid.
    E_INVALIDARG;
    /// The interface is not implemented.
    E_NOINTERFACE;
    /// The method is not implemented.
    E_NOTIMPL;
    /// Memory ran out.
    E_OUTOFMEMORY;
    /// A pointer was null.
    E_POINTER;
    /// An unexpected failure.
    E_UNEXPECTED;
    /// The runtime does not have the data yet.
    CORPROF_E_DATAINCOMPLETE => "the data does not exist yet; repeat the call from a later callback";
    /// The function has not been compiled.
    CORPROF_E_FUNCTION_NOT_COMPILED => "wait for its JITCompilationFinished";
    /// The function has no IL.
    CORPROF_E_FUNCTION_NOT_IL;
    /// The function is generic, or belongs to a generic type.
    CORPROF_E_FUNCTION_IS_PARAMETERIZED;
    /// The call was made from outside of a callback, or from one that does not allow it.
    CORPROF_E_UNSUPPORTED_CALL_SEQUENCE
        => "make the call from a callback that allows it, or from a thread that runs no managed code";
    /// The class id is that of an array, pointer or other composed type.
    CORPROF_E_CLASSID_IS_COMPOSITE => "query the element type of the array instead";
    /// The class id is that of an array.
    CORPROF_E_CLASSID_IS_ARRAY => "query the element type of the array instead";
    /// The thread is not a managed one.
    CORPROF_E_NOT_MANAGED_THREAD => "make the call from a callback on a managed thread";
    /// Only `Initialize` may make the call.
    CORPROF_E_CALL_ONLY_FROM_INIT => "make the call from Profiler::initialize";
    /// The slow-path ELT hooks were requested without the flags that they need.
    CORPROF_E_INCONSISTENT_WITH_FLAGS => "add the flags that the call needs to the event mask";
    /// The walk of a stack was ended by the profiler.
    CORPROF_E_STACKSNAPSHOT_ABORTED;
    /// The stack cannot be walked now.
    CORPROF_E_STACKSNAPSHOT_UNSAFE;
    /// The method is not available to a profiler that was attached.
    CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER => "load the profiler at start-up instead";
    /// The flags may only be set during `Initialize`.
    CORPROF_E_IMMUTABLE_FLAGS_SET => "set these flags in Profiler::initialize";
    /// The profiler is not loaded far enough.
    CORPROF_E_PROFILER_NOT_YET_INITIALIZED;
    /// The profiler is being detached.
    CORPROF_E_PROFILER_DETACHING;
    /// The profiler was made for being loaded at the start.
    CORPROF_E_PROFILER_NOT_ATTACHABLE => "load the profiler when the program starts; it cannot be attached";
    /// The process has a profiler.
    CORPROF_E_PROFILER_ALREADY_ACTIVE
        => "the process has a profiler already; detach that one first, or wait until it has been";
    /// The profiler does not want to run in this process.
    CORPROF_E_PROFILER_CANCEL_ACTIVATION => "the profiler has declined to run in this process";
    /// The profiler does not have the callbacks that an attached one needs.
    CORPROF_E_CALLBACK3_REQUIRED => "attaching needs a profiler with ICorProfilerCallback3";
    /// A change that the profiler has made in the program is irreversible.
    CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT
        => "a profiler with hooks or rewritten IL stays until the process ends";
    /// A concurrent collection did not end in time.
    CORPROF_E_TIMEOUT_WAITING_FOR_CONCURRENT_GC => "attach again, or wait longer";
    /// The collector is concurrent, which the flag `COR_PRF_MONITOR_GC` rules out; it can be switched off at the start only.
    CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE => "set the flag in Initialize or InitializeForAttach";
    /// The result is not available yet.
    CORPROF_E_NOT_YET_AVAILABLE => "the runtime is still starting; repeat the call later";
    /// The runtime has not started yet, or has shut down.
    CORPROF_E_RUNTIME_UNINITIALIZED => "the runtime is still starting; repeat the call later";
    /// The library has no class with this id.
    CLASS_E_CLASSNOTAVAILABLE = 0x8004_0111 => "the library holds a profiler with another class id";
    /// `HRESULT_FROM_WIN32(ERROR_MOD_NOT_FOUND)`: a library cannot be loaded.
    ERROR_MOD_NOT_FOUND = 0x8007_007E
        => "the library, or one that it needs, cannot be loaded; its path has to be absolute, and as the process sees it";
    /// The diagnostics port could not read a command.
    CORDIAGIPC_E_BAD_ENCODING;
    /// The diagnostics port does not support a command.
    CORDIAGIPC_E_UNKNOWN_COMMAND;
    /// The diagnostics port does not support the version of the protocol.
    CORDIAGIPC_E_UNKNOWN_MAGIC;
    /// The diagnostics port failed.
    CORDIAGIPC_E_UNKNOWN_ERROR;
    /// Rejit is not enabled.
    CORPROF_E_REJIT_NOT_ENABLED => "set EventMask::ENABLE_REJIT in Profiler::initialize";
    /// The method was inlined and cannot be rejitted.
    CORPROF_E_REJIT_INLINING_DISABLED;
    /// The runtime is being suspended, or the thread may not suspend it.
    CORPROF_E_SUSPENSION_IN_PROGRESS
        => "another suspension is in progress, such as a garbage collection; try again later";
    /// The object is one that is never collected.
    CORPROF_E_NOT_GC_OBJECT;
    /// A metadata record was not found.
    CLDB_E_RECORD_NOTFOUND;
    /// An index is not in its table or heap.
    CLDB_E_INDEX_NOTFOUND;
    /// A metadata string was cut.
    CLDB_S_TRUNCATION;
    /// The signature is malformed.
    META_E_BAD_SIGNATURE;
    /// Success: the row was there already, and its token was given.
    META_S_DUPLICATE;
    /// The metadata was opened for reading, or is of a kind that does not support the operation.
    CLDB_E_INCOMPATIBLE => "open the metadata for writing";
    /// The operation is not supported here.
    COR_E_NOTSUPPORTED;
}

impl HResult {
    /// `HRESULT_FROM_WIN32(ERROR_INSUFFICIENT_BUFFER)`: the buffer was too small.
    pub const INSUFFICIENT_BUFFER: Self = Self(0x8007_007A_u32.cast_signed());
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::HResult;

    #[test]
    fn success_is_more_than_zero() {
        assert!(HResult::S_FALSE.is_ok());
        assert!(HResult::CLDB_S_TRUNCATION.is_ok());
        assert!(HResult::CORPROF_E_DATAINCOMPLETE.is_err());
        assert_eq!(HResult::E_FAIL.ok(), Err(HResult::E_FAIL));
    }

    #[test]
    fn unknown_codes_survive() {
        assert_eq!(HResult(-1).name(), None);
        assert_eq!(HResult(-1).to_string(), "0xFFFFFFFF");
    }
}
