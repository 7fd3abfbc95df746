//! The C# compiler as a program to be traced: a large one that was not written for these tests.

use std::path::{Path, PathBuf};

use anyhow::Result;
use corprof_testkit::dotnet::Runtime;
use corprof_testkit::dotnet::compile::Compiler;

/// Roslyn on the runtime that compiles test programs.
#[derive(Debug)]
pub struct CSharp {
    /// The runtime that it runs on.
    pub runtime: Runtime,
    /// Its assembly.
    pub program: PathBuf,
    first: Option<PathBuf>,
}

impl CSharp {
    /// The provisioned compiler.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find() -> Result<Self> {
        let compiler = Compiler::find()?;
        let (runtime, program, first) = compiler.parts();
        Ok(Self {
            runtime: runtime.clone(),
            program: program.to_path_buf(),
            first: first.map(Path::to_path_buf),
        })
    }

    /// The arguments that compile one file to a program, the same every time.
    #[must_use]
    pub fn arguments(&self, source: &Path, output: &Path) -> Vec<String> {
        let shown = |path: &Path| path.display().to_string();
        let mut arguments: Vec<String> = self.first.iter().map(|path| shown(path)).collect();
        for option in ["-nologo", "-noconfig", "-nostdlib+", "-deterministic+", "-target:exe"] {
            arguments.push(option.to_owned());
        }
        for name in ["System.Private.CoreLib", "System.Runtime", "System.Collections", "System.Console"] {
            arguments.push(format!("-r:{}", shown(&self.runtime.assemblies.join(format!("{name}.dll")))));
        }
        arguments.push(format!("-out:{}", shown(output)));
        arguments.push(shown(source));
        arguments
    }
}
