//! Real .NET runtimes and a C# compiler: those of the machine, or provisioned ones.
//!
//! ```no_run
//! use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
//!
//! let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
//! let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, ["hello.cs"], "target/hello.dll"))?;
//! println!("{} {}", runtime.executable(&program)?.display(), program.display());
//! # anyhow::Ok(())
//! ```

mod app_host;
mod bundle;
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod compile_server;
mod embedded;
#[doc(hidden)]
pub mod foreign;
#[doc(hidden)]
pub mod given;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod locate;
#[doc(hidden)]
pub mod mcs;
#[doc(hidden)]
pub mod nuget;
#[doc(hidden)]
pub mod pins;
#[doc(hidden)]
pub mod provision;
mod single_file;

use std::ffi::OsStr;
use std::path::Path;

pub use compile::{CSharp, compile, compiler_program};
pub use locate::{Launcher, Origin, Runtime, runtime_at};
pub use provision::{
    azmcp_program, compiler_library, compiler_package_symbols, openapi_program, provision, with_muxer,
};
pub use single_file::single_file;

use crate::machine;
pub use crate::version::RuntimeVersion;

/// The runtime of this version that programs are run on: the machine's, or else that of the folder of archives, or else the
/// provisioned one; if `CORPROF_TARGET` is set, that of the target.
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
