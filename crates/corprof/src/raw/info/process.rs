//! The process: its runtime and its environment.
#![forbid(unsafe_code)]

use corprof_sys as sys;
use corprof_types::{RuntimeInfo, RuntimeType};

use super::{Info, name};
use crate::error::Result;
use crate::raw::buffers::{fill_wide, wide};

impl Info {
    /// `ICorProfilerInfo3::GetRuntimeInformation`.
    pub(crate) fn runtime_info(&self) -> Result<RuntimeInfo> {
        let mut runtime_type = sys::COR_PRF_RUNTIME_TYPE(0);
        let (mut instance, mut major, mut minor, mut build, mut qfe) = (0, 0, 0, 0, 0);
        let version_string = fill_wide(name!(ICorProfilerInfo3::GetRuntimeInformation), |room| {
            let mut needed = 0;
            self.get_runtime_info(
                &mut instance,
                &mut runtime_type,
                &mut major,
                &mut minor,
                &mut build,
                &mut qfe,
                room,
                &mut needed,
            )?;
            Ok(needed)
        })?;
        let runtime_type = RuntimeType(runtime_type.0);
        Ok(RuntimeInfo { instance, runtime_type, major, minor, build, qfe, version_string })
    }

    /// `ICorProfilerInfo11::GetEnvironmentVariable`.
    pub(crate) fn environment_variable(&self, name: &str) -> Result<String> {
        let name = wide(name)?;
        fill_wide("ICorProfilerInfo11::GetEnvironmentVariable", |room| {
            let mut needed = 0;
            self.get_environment_variable(&name, room, &mut needed)?;
            Ok(needed)
        })
    }

    /// `ICorProfilerInfo11::SetEnvironmentVariable`; `None` removes the variable.
    pub(crate) fn set_environment_variable(&self, name: &str, value: Option<&str>) -> Result<()> {
        let (name, value) = (wide(name)?, value.map(wide).transpose()?);
        self.put_environment_variable(&name, value.as_ref()).map(drop)
    }
}
