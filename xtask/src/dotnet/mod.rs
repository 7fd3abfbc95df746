//! Real .NET runtimes and a C# compiler: those of the machine, or provisioned ones.
//!
//! ```no_run
//! use xtask::dotnet::{self, CSharp, RuntimeVersion};
//!
//! let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
//! let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, ["hello.cs"], "target/hello.dll"))?;
//! println!("{} {}", runtime.executable(&program)?.display(), program.display());
//! # anyhow::Ok(())
//! ```

pub mod bundle;
pub mod compile;
pub mod embedded;
pub mod foreign;
pub mod layout;
pub mod locate;
pub mod mcs;
pub mod pins;
pub mod provision;
pub mod single_file;
mod unpack;

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use compile::{CSharp, compile, compiler_program};
pub use locate::{Launcher, Origin, Runtime, runtime_at};
pub use provision::{azmcp_program, compiler_library, compiler_package_symbols, openapi_program, provision};
pub use single_file::single_file;

use crate::machine::Foreign;

/// The runtime of this version that programs are run on: the machine's, or else the provisioned one; if `CORPROF_TARGET` is
/// set, that of the target.
///
/// # Errors
///
/// When the machine has none and none can be provisioned.
pub fn runtime(version: RuntimeVersion) -> anyhow::Result<Runtime> {
    match Foreign::of_tests()? {
        Some(target) => foreign::runtime(target, version),
        None => locate::runtime(version),
    }
}

/// A runtime as a command line names it: a tested version, or the path of a `dotnet`.
///
/// # Errors
///
/// When there is none.
pub fn chosen(name: &OsStr) -> anyhow::Result<Runtime> {
    match name.to_str().and_then(|name| name.parse::<RuntimeVersion>().ok()) {
        Some(version) => runtime(version),
        None => runtime_at(Path::new(name)),
    }
}

/// The runtime versions that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(non_camel_case_types, reason = "3.1 and 9.0 as they are spoken of")]
pub enum RuntimeVersion {
    /// .NET Core 3.1, the oldest.
    V3_1,
    /// .NET 8.0.
    V8_0,
    /// .NET 9.0.
    V9_0,
    /// .NET 10.0, the newest.
    V10_0,
}

impl RuntimeVersion {
    /// All of them, oldest first.
    pub const ALL: [Self; 4] = [Self::V3_1, Self::V8_0, Self::V9_0, Self::V10_0];

    /// Major and minor version, as in `9.0`.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::V3_1 => "3.1",
            Self::V8_0 => "8.0",
            Self::V9_0 => "9.0",
            Self::V10_0 => "10.0",
        }
    }

    /// The name of the target framework, as in `net9.0`.
    #[must_use]
    pub fn moniker(self) -> &'static str {
        match self {
            Self::V3_1 => "netcoreapp3.1",
            Self::V8_0 => "net8.0",
            Self::V9_0 => "net9.0",
            Self::V10_0 => "net10.0",
        }
    }

    /// The versions in a sentence: `3.1, 8.0, 9.0 and 10.0`.
    #[must_use]
    pub fn list() -> String {
        let [first @ .., last] = Self::ALL.map(Self::short);
        format!("{} and {last}", first.join(", "))
    }

    /// The preprocessor symbols for test programs: `NET8`, `NET9`, … up to this version.
    #[must_use]
    pub fn symbols(self) -> Vec<String> {
        let newer = [(Self::V8_0, "NET8"), (Self::V9_0, "NET9"), (Self::V10_0, "NET10")];
        newer.into_iter().filter(|&(since, _)| self >= since).map(|(_, symbol)| symbol.to_owned()).collect()
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
        Self::ALL.into_iter().find(|version| version.short() == text).ok_or_else(|| {
            format!("{text:?} is no runtime version that is tested; those are {}", Self::list())
        })
    }
}
