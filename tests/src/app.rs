//! The C# programs of `tests/apps`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, compile, single_file};
use corprof_testkit::paths;

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// As for a debugger: every variable has a place, state machines are classes.
    Debug,
    /// As for users.
    Optimised,
    /// As for users, with `async` methods that the runtime suspends, instead of state machines (11.0 and newer).
    RuntimeAsync,
}

/// A program of `tests/apps`, compiled.
#[derive(Clone, Debug)]
pub struct App {
    /// The assembly to run.
    pub dll: PathBuf,
    /// The runtime that it runs on: the one that it is compiled for, or a [newer one](Self::on).
    pub version: RuntimeVersion,
    /// What the files of its runs are named after.
    pub label: String,
}

impl App {
    /// Compiles `apps/<name>/*.cs`, with `apps/common/*.cs`, unless that is done already, with the
    /// symbols that [`RuntimeVersion::symbols`] gives.
    ///
    /// Each program has a folder of its own: the tracer traces the assemblies beside the program.
    ///
    /// # Errors
    ///
    /// When there are no sources, they do not compile, or the compiler cannot be had.
    pub fn compile(name: &str, version: RuntimeVersion, build: Build) -> Result<Self> {
        let apps = paths::workspace().join("tests").join("apps");
        let mut sources = csharp_files(&apps.join(name))?;
        if sources
            .iter()
            .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("using Report;")))
        {
            sources.extend(csharp_files(&apps.join("common"))?);
        }
        let label = format!("{name}-{}-{}", version.short(), format!("{build:?}").to_lowercase());
        let output = paths::apps_dir().join("e2e").join(&label).join(format!("{name}.dll"));
        let mut csharp = CSharp::new(version, sources, output);
        csharp.optimize = build != Build::Debug;
        csharp.runtime_async = build == Build::RuntimeAsync;
        csharp.defines = version.symbols();
        let dll = compile(&csharp).with_context(|| format!("the test program `{name}` for {version}"))?;
        Ok(Self { dll, version, label })
    }

    /// The program on a newer runtime than the one that it is compiled for.
    #[must_use]
    pub fn on(self, version: RuntimeVersion) -> Self {
        Self { label: format!("{}-on-{}", self.label, version.short()), version, ..self }
    }

    /// The program as a single file, in a folder where nothing else is.
    ///
    /// # Errors
    ///
    /// When there is no host for the version, or it cannot be written.
    pub fn single_file(&self) -> Result<PathBuf> {
        let stem = self.dll.file_stem().context("a program without a name")?;
        let folder = paths::apps_dir().join("e2e").join(format!("{}-single", self.label));
        single_file(self.version, &self.dll, &[], &folder.join(stem))
    }

    /// Compiles `apps/conformanceplugin` as a library beside the program, which loads and unloads it.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn plugin(&self) -> Result<PathBuf> {
        let sources = paths::workspace().join("tests/apps/conformanceplugin/Plugin.cs");
        let output = self.dll.with_file_name("conformanceplugin.dll");
        compile(&CSharp { library: true, ..CSharp::new(self.version, [sources], output) })
    }
}

fn csharp_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cs") {
            files.push(path);
        }
    }
    // The order of the files is part of what is compiled.
    files.sort();
    Ok(files)
}
