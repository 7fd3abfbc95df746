//! HRESULTs of calls as errors that name the call.

use core::hint::cold_path;

use corprof_sys as sys;
use corprof_types::HResult;

use crate::error::{Error, Result};

/// The code that a method returned, as a result that names the method.
pub(crate) fn checked(call: &'static str, code: sys::HRESULT) -> Result<HResult> {
    match HResult(code) {
        hresult if hresult.is_err() => {
            cold_path();
            Err(Error::Call { call, hresult })
        }
        hresult => Ok(hresult),
    }
}
