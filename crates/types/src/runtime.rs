//! The runtime's kind and version.

use alloc::string::String;
use core::fmt;

/// The kind of a runtime (`COR_PRF_RUNTIME_TYPE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct RuntimeType(pub u32);

impl RuntimeType {
    /// .NET Framework.
    pub const DESKTOP_CLR: Self = Self(1);
    /// CoreCLR.
    pub const CORE_CLR: Self = Self(2);
}

impl fmt::Debug for RuntimeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::DESKTOP_CLR => f.write_str("DESKTOP_CLR"),
            Self::CORE_CLR => f.write_str("CORE_CLR"),
            Self(other) => write!(f, "RuntimeType({other})"),
        }
    }
}

/// The runtime's kind and version (`ICorProfilerInfo3::GetRuntimeInformation`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeInfo {
    /// The number of this runtime within its process.
    pub instance: u16,
    /// The kind of the runtime.
    pub runtime_type: RuntimeType,
    /// The major version: 9 for .NET 9. .NET Core 3.1 reports 4; its `version_string` starts with `4.700`.
    pub major: u16,
    /// The minor version.
    pub minor: u16,
    /// The build number.
    pub build: u16,
    /// The quick-fix number.
    pub qfe: u16,
    /// The version as text.
    pub version_string: String,
}
