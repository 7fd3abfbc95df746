//! The environment that the program sees.
#![forbid(unsafe_code)]

use corprof_types::HResult;

use crate::error::{Error, Result};
use crate::runtime::ProfilerInfo;

/// `HRESULT_FROM_WIN32(ERROR_ENVVAR_NOT_FOUND)`.
const ENVVAR_NOT_FOUND: HResult = HResult(0x8007_00CB_u32.cast_signed());

/// The runtime keeps an environment of its own: outside of Windows, what this process sets otherwise is not seen by
/// the program, nor the other way round.
impl ProfilerInfo {
    /// An environment variable as the program sees it (`ICorProfilerInfo11::GetEnvironmentVariable`); `None` for one
    /// that is not set.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name with a zero in it.
    #[doc(alias = "GetEnvironmentVariable")]
    pub fn environment_variable(&self, name: &str) -> Result<Option<String>> {
        match self.raw().environment_variable(name) {
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) => Ok(None),
            value => value.map(Some),
        }
    }

    /// Sets an environment variable for the program, or removes it if there is one (`ICorProfilerInfo11::SetEnvironmentVariable`). The
    /// program sees it if it has not looked yet: best called from `initialize`.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name or value with a zero in it.
    #[doc(alias = "SetEnvironmentVariable")]
    pub fn set_environment_variable(&self, name: &str, value: Option<&str>) -> Result<()> {
        match self.raw().set_environment_variable(name, value) {
            // There is nothing to remove.
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) if value.is_none() => Ok(()),
            other => other,
        }
    }
}
