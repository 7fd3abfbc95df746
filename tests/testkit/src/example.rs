//! The example profilers and those of tests and benchmarks: packages of the workspace, built when they are used.
//!
//! `corprof_cli::workspace` reads the descriptions of the tools and builds for this machine; here are other targets and
//! the profilers that no user starts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Result;
use corprof_cli::find;
use corprof_cli::workspace::{self, Package};
use diagport::Guid;
use serde_json::Value;

use crate::machine::{self, Foreign};
use crate::{Profiler, paths, targets};

/// A package of the workspace with a profiler.
#[derive(Debug, Clone)]
pub struct Example {
    /// The name of the package.
    pub name: String,
    /// The class to request, if the library does not have exactly one.
    clsid: Option<Guid>,
}

impl Example {
    /// A package with a profiler that only a test or a benchmark uses.
    ///
    /// # Errors
    ///
    /// When `clsid` is no class id.
    pub fn unlisted(name: &str, clsid: &str) -> Result<Self> {
        Ok(Self { name: name.to_owned(), clsid: Some(clsid.parse()?) })
    }

    /// Builds it, and returns the profiler.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler(&self) -> Result<Profiler> {
        self.of(&build_library(&self.name, true)?)
    }

    /// Builds it for this machine, whatever `CORPROF_TARGET` says.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler_here(&self) -> Result<Profiler> {
        self.of(&build(&self.name, true)?)
    }

    /// Builds it for a target whose programs can be run here.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler_for(&self, target: Foreign) -> Result<Profiler> {
        self.of(&targets::library_for(target, &self.name)?)
    }

    fn of(&self, library: &std::path::Path) -> Result<Profiler> {
        match self.clsid {
            Some(clsid) => Ok(Profiler::new(library, clsid)),
            None => Profiler::of(library),
        }
    }
}

/// Builds the shared library of a package of the workspace, optimised if wanted. Within one process this is done once.
/// If `CORPROF_TARGET` is set, it is one of that target, which is never optimised.
///
/// # Errors
///
/// When it does not build, or has no shared library.
pub fn build_library(package: &str, optimised: bool) -> Result<PathBuf> {
    static BUILT: Mutex<BTreeMap<(String, bool), PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let key = (package.to_owned(), optimised);
    if let Some(library) = built.get(&key) {
        return Ok(library.clone());
    }
    let library = match machine::of_tests()? {
        Some(target) => targets::library_for(target, package)?,
        None => build(package, optimised)?,
    };
    built.insert(key, library.clone());
    Ok(library)
}

/// With this variable, whatever may be asked for is built at once, and nothing again with the features of another package.
pub const TOGETHER: &str = "CORPROF_BUILD_TOGETHER";

/// Libraries and programs with the features that the tests are built with. Cargo counts those of dev-dependencies only if a
/// target of tests is built too: without this one, most crates would be compiled again.
const AS_TESTED: [&str; 6] = ["--workspace", "--all-features", "--lib", "--bins", "--test", "double"];

fn build(package: &str, optimised: bool) -> Result<PathBuf> {
    let folder = paths::workspace();
    let own = ["--package".to_owned(), package.to_owned()];
    let selected = match (std::env::var_os(TOGETHER), optimised) {
        (None, _) => own.to_vec(),
        (Some(_), true) => {
            let tools = workspace::tools(&folder)?;
            let tools = tools.into_iter().flat_map(|tool| ["--package".to_owned(), tool.name]);
            own.into_iter().chain(tools).collect()
        }
        (Some(_), false) => AS_TESTED.map(str::to_owned).to_vec(),
    };
    Package { name: package.to_owned(), folder }.build_among(&selected, optimised)
}

/// The example of this name.
///
/// # Errors
///
/// When there is none.
pub fn find(name: &str) -> Result<Example> {
    let tools = workspace::tools(&paths::workspace())?;
    Ok(Example { name: find::named(&tools, name)?.name.clone(), clsid: None })
}

/// What cargo knows about the packages of the workspace.
///
/// # Errors
///
/// When cargo fails.
pub fn metadata() -> Result<Value> {
    workspace::metadata(&paths::workspace())
}
