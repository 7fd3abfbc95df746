//! Real .NET runtimes and a C# compiler: those of the machine, or provisioned ones.
//!
//! ```no_run
//! use xtask::dotnet::{self, CSharp, RuntimeVersion};
//!
//! let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
//! let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, ["hello.cs"], "target/hello.dll"))?;
//! println!("{} {}", runtime.dotnet.display(), program.display());
//! # anyhow::Ok(())
//! ```

pub mod compile;
pub mod layout;
pub mod locate;
pub mod mcs;
pub mod pins;
pub mod provision;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub use compile::{CSharp, compile, compiler_program};
pub use locate::{Origin, Runtime, runtime, runtime_at};
pub use provision::{azmcp_program, provision};

/// The runtime versions that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(non_camel_case_types, reason = "3.1 and 9.0 as they are spoken of")]
pub enum RuntimeVersion {
    /// .NET Core 3.1, the oldest.
    V3_1,
    /// .NET 9.0, the newest.
    V9_0,
}

impl RuntimeVersion {
    /// All of them, oldest first.
    pub const ALL: [Self; 2] = [Self::V3_1, Self::V9_0];

    /// Major and minor version, as in `9.0`.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::V3_1 => "3.1",
            Self::V9_0 => "9.0",
        }
    }

    /// The version that is provisioned.
    #[must_use]
    pub fn provisioned(self) -> &'static str {
        match self {
            Self::V3_1 => "3.1.23",
            Self::V9_0 => "9.0.1",
        }
    }

    /// The name of the target framework, as in `net9.0`.
    #[must_use]
    pub fn moniker(self) -> &'static str {
        match self {
            Self::V3_1 => "netcoreapp3.1",
            Self::V9_0 => "net9.0",
        }
    }
}

impl fmt::Display for RuntimeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

impl FromStr for RuntimeVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|version| version.short() == text || version.provisioned() == text)
            .ok_or_else(|| format!("{text:?} is no runtime version that is tested; those are 3.1 and 9.0"))
    }
}

/// A folder that is sure to hold the provisioned muxer, once [`provision()`] has run.
#[must_use]
pub(crate) fn provisioned_root() -> PathBuf {
    crate::paths::dotnet_dir().join("root")
}
