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
pub(crate) mod compile_server;
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
use std::path::Path;

pub use compile::{CSharp, compile, compiler_program};
pub use locate::{Launcher, Origin, Runtime, runtime_at};
pub use provision::{azmcp_program, compiler_library, compiler_package_symbols, openapi_program, provision};
pub use single_file::single_file;
pub use xtask_cli::RuntimeVersion;

use crate::machine;

/// The runtime of this version that programs are run on: the machine's, or else the provisioned one; if `CORPROF_TARGET` is
/// set, that of the target.
///
/// # Errors
///
/// When the machine has none and none can be provisioned.
pub fn runtime(version: RuntimeVersion) -> anyhow::Result<Runtime> {
    match machine::of_tests()? {
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
