//! The environment variables of the program.
#![forbid(unsafe_code)]

use corprof_types::HResult;

use crate::error::{Error, Result};
use crate::runtime::ProfilerInfo;

/// `HRESULT_FROM_WIN32(ERROR_ENVVAR_NOT_FOUND)`.
const ENVVAR_NOT_FOUND: HResult = HResult(0x8007_00CB_u32.cast_signed());

/// The runtime keeps an environment of its own: outside of Windows, what this process sets otherwise is not seen by
/// the program, nor the other way round.
impl ProfilerInfo {
    /// Returns an environment variable as the program sees it; `None` if it is not set.
    ///
    /// `ICorProfilerInfo11::GetEnvironmentVariable`.
    ///
    /// # Errors
    /// [`Error::Other`]: the name contains a zero. Any failure of the call.
    #[doc(alias = "GetEnvironmentVariable")]
    pub fn environment_variable(&self, name: &str) -> Result<Option<String>> {
        match self.raw().environment_variable(name) {
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) => Ok(None),
            value => value.map(Some),
        }
    }

    /// Sets an environment variable of the program; `None` removes it.
    ///
    /// `ICorProfilerInfo11::SetEnvironmentVariable`. Should be called in `initialize`, before the program reads the
    /// variable.
    ///
    /// # Errors
    /// [`Error::Other`]: the name or value contains a zero. Any failure of the call.
    #[doc(alias = "SetEnvironmentVariable")]
    pub fn set_environment_variable(&self, name: &str, value: Option<&str>) -> Result<()> {
        match self.raw().set_environment_variable(name, value) {
            // There is nothing to remove.
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) if value.is_none() => Ok(()),
            other => other,
        }
    }
}
