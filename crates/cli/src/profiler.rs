//! A profiler library, and the environment variables that make a runtime load it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use diagport::Guid;

use crate::{native, paths};

/// A profiler library and its class id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiler {
    /// The shared library.
    pub library: PathBuf,
    /// The class id that the runtime requests.
    pub clsid: Guid,
}

impl Profiler {
    /// Creates a profiler from a library, made absolute, and a class id.
    #[must_use]
    pub fn new(library: &Path, clsid: Guid) -> Self {
        Self { library: paths::absolute(library), clsid }
    }

    /// Returns the profiler of a library whose file states its only class id.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has no class id or several.
    pub fn of(library: &Path) -> Result<Self> {
        let shown = library.display();
        let bytes = std::fs::read(library).with_context(|| {
            format!("cannot read the library {shown}; build it first, or correct its path")
        })?;
        let Some(file) = native::library(&bytes) else {
            bail!("{shown} is no shared library; the crate needs `crate-type = [\"cdylib\"]`")
        };
        match *native::class_ids(&file) {
            [clsid] => Ok(Self::new(library, clsid)),
            [] if !native::is_profiler(&file) => bail!(
                "{shown} exports no DllGetClassObject; call `corprof::export_profiler!` once in its lib.rs"
            ),
            [] => bail!("{shown} does not state its class id; name it with --clsid"),
            ref several => {
                let several: Vec<String> = several.iter().map(Guid::to_string).collect();
                bail!("{shown} has several profilers; choose one with --clsid: {}", several.join(", "))
            }
        }
    }

    /// The variables that make a runtime load it. Since .NET 11 the names with `DOTNET_` do so too.
    #[must_use]
    pub fn variables(&self) -> [(&'static str, String); 8] {
        self.variables_with(self.library.to_string_lossy().into_owned())
    }

    /// As [`variables`](Self::variables), with the path of the library as the program sees it.
    #[must_use]
    pub fn variables_with(&self, path: String) -> [(&'static str, String); 8] {
        let bits = if cfg!(target_pointer_width = "64") {
            ["CORECLR_PROFILER_PATH_64", "DOTNET_PROFILER_PATH_64"]
        } else {
            ["CORECLR_PROFILER_PATH_32", "DOTNET_PROFILER_PATH_32"]
        };
        [
            ("CORECLR_ENABLE_PROFILING", "1".to_owned()),
            ("CORECLR_PROFILER", self.clsid.to_string()),
            ("CORECLR_PROFILER_PATH", path.clone()),
            (bits[0], path.clone()),
            ("DOTNET_ENABLE_PROFILING", "1".to_owned()),
            ("DOTNET_PROFILER", self.clsid.to_string()),
            ("DOTNET_PROFILER_PATH", path.clone()),
            (bits[1], path),
        ]
    }
}
