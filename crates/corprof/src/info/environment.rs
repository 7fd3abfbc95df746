//! The environment that the program sees.
#![allow(unsafe_code)]

use core::ptr::null;

use super::{call, fill_wide, room_of};
use crate::control::wide;
use crate::{Error, HResult, ProfilerInfo, Result};

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
        let name = wide(name)?;
        let value = fill_wide("ICorProfilerInfo11::GetEnvironmentVariable", |room| {
            let mut needed = 0;
            // SAFETY: a text with a terminating zero, a local, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo11::GetEnvironmentVariableA(
                        name.as_ptr(),
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(needed)
        });
        match value {
            Ok(value) => Ok(Some(value)),
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sets an environment variable for the program, or removes it if there is one (`ICorProfilerInfo11::SetEnvironmentVariable`). The
    /// program sees it if it has not looked yet: best called from `initialize`.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name or value with a zero in it.
    #[doc(alias = "SetEnvironmentVariable")]
    pub fn set_environment_variable(&self, name: &str, value: Option<&str>) -> Result<()> {
        let name = wide(name)?;
        let value = value.map(wide).transpose()?;
        let value = value.as_ref().map_or(null(), |value| value.as_ptr());
        // SAFETY: texts with a terminating zero; null removes the variable.
        match unsafe { call!(self, ICorProfilerInfo11::SetEnvironmentVariableA(name.as_ptr(), value)) } {
            // There is nothing to remove.
            Err(Error::Call { hresult: ENVVAR_NOT_FOUND, .. }) if value.is_null() => Ok(()),
            answer => answer.map(drop),
        }
    }
}
