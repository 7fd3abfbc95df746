//! Compiles C#: with the compiler of an SDK, or with the provisioned one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use super::layout::{ASPNETCORE_APP, NETCORE_APP, write_json};
use super::locate::{self, Runtime};
use super::{RuntimeVersion, compile_server, given, mcs, provision};
use crate::download::sha256_of;
use crate::launch::Launch;
use crate::piece::{self, Lock};
use crate::ui::Work;
use crate::{paths, process};

/// A C# program or library to compile.
#[derive(Debug, Clone)]
pub struct CSharp {
    /// The source files.
    pub sources: Vec<PathBuf>,
    /// The `.dll` to write. A `.runtimeconfig.json` is written beside it.
    pub output: PathBuf,
    /// Assemblies to refer to, besides those of the runtime.
    pub references: Vec<PathBuf>,
    /// Preprocessor symbols.
    pub defines: Vec<String>,
    /// Whether to optimise, as in a release build.
    pub optimize: bool,
    /// Whether to write a portable PDB beside the output.
    pub debug: bool,
    /// Whether `unsafe` is allowed.
    pub unsafe_code: bool,
    /// Whether the output is a library instead of a program.
    pub library: bool,
    /// Whether to compile against ASP.NET Core too (9.0 and newer only).
    pub aspnet: bool,
    /// Whether `async` methods are suspended by the runtime instead of state machines ("runtime async", 11.0 only).
    pub runtime_async: bool,
    /// The runtime whose assemblies it is compiled against. What is compiled against one runs on newer ones too.
    pub target: RuntimeVersion,
}

impl CSharp {
    /// An optimised program that may be unsafe, with a PDB.
    pub fn new<S: Into<PathBuf>>(
        target: RuntimeVersion,
        sources: impl IntoIterator<Item = S>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            sources: sources.into_iter().map(Into::into).collect(),
            output: output.into(),
            references: Vec::new(),
            defines: Vec::new(),
            optimize: true,
            debug: true,
            unsafe_code: true,
            library: false,
            aspnet: false,
            runtime_async: false,
            target,
        }
    }

    /// The options of the command line, without what differs between machines.
    fn options(&self) -> Vec<String> {
        let switch = |name: &str, on: bool| format!("-{name}{}", if on { '+' } else { '-' });
        let mut options = vec![
            "-nologo".to_owned(),
            "-noconfig".to_owned(),
            "-nostdlib+".to_owned(),
            "-deterministic+".to_owned(),
            // Unions are no part of a released language yet.
            format!(
                "-langversion:{}",
                if self.target < RuntimeVersion::V11_0 { "latest" } else { "preview" }
            ),
            format!("-target:{}", if self.library { "library" } else { "exe" }),
            switch("optimize", self.optimize),
            switch("unsafe", self.unsafe_code),
        ];
        options.push(if self.debug { "-debug:portable".to_owned() } else { "-debug-".to_owned() });
        options.extend(self.runtime_async.then(|| "-features:runtime-async=on".to_owned()));
        options.extend(self.defines.iter().map(|define| format!("-define:{define}")));
        options
    }

    /// Returns the command line of the compiler.
    fn arguments(&self, runtime: &Runtime, output: &Path) -> Result<Vec<OsString>> {
        let mut arguments: Vec<OsString> = self.options().into_iter().map(OsString::from).collect();
        let mut references = assemblies(&runtime.assemblies)?;
        if self.aspnet {
            let shared = runtime.assemblies.ancestors().nth(2).unwrap_or(&runtime.assemblies);
            references.extend(assemblies(&shared.join(ASPNETCORE_APP).join(&runtime.version))?);
        }
        references.extend(self.references.iter().map(|reference| paths::absolute(reference)));
        arguments.extend(references.iter().map(|reference| with_path("-r:", reference)));
        arguments.push(with_path("-out:", output));
        arguments.extend(self.sources.iter().map(|source| paths::absolute(source).into_os_string()));
        Ok(arguments)
    }

    /// What the output depends on, as a hash.
    fn hash(&self, compiler: &Compiler, runtime: &Runtime) -> Result<String> {
        let mut text = format!("{compiler:?}\n{}\n{}\n{}\n", runtime.version, self.target, self.aspnet);
        for option in self.options() {
            text += &format!("{option}\n");
        }
        for file in self.sources.iter().chain(&self.references) {
            let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            text += &format!("{} {}\n", paths::absolute(file).display(), sha256_of(&bytes));
        }
        Ok(sha256_of(text.as_bytes()))
    }
}

/// Compiles, unless the output is there already, made from the same sources with the same options.
/// Returns the output's absolute path.
///
/// # Errors
///
/// When the source has errors (they are in the message), or no compiler can be had.
pub fn compile(csharp: &CSharp) -> Result<PathBuf> {
    let runtime = locate::runtime(csharp.target)?;
    let compiler = Compiler::of(csharp.target)?;
    let output = paths::absolute(&csharp.output);
    let (Some(folder), Some(file)) = (output.parent(), output.file_name()) else {
        bail!("{} is no place for an assembly; give a path that ends in .dll", output.display());
    };
    if !locate::is_assembly(&output) {
        bail!("{} is no name for an assembly; give a path that ends in .dll", output.display());
    }
    let hash = csharp.hash(&compiler, &runtime)?;
    let stamp = folder.join(format!(".{}.stamp", file.to_string_lossy()));
    let _lock = Lock::take(&folder.join(format!(".{}.lock", file.to_string_lossy())))?;
    if output.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == hash) {
        return Ok(output);
    }

    // Elsewhere first: a program that still runs keeps the file it has opened.
    let temporary = folder.join(format!(".{}.tmp", file.to_string_lossy()));
    piece::remove(&temporary)?;
    fs::create_dir_all(&temporary).with_context(|| format!("cannot create {}", temporary.display()))?;
    compiler.compile(&csharp.arguments(&runtime, &temporary.join(file))?).with_context(|| {
        let sources: Vec<String> = csharp.sources.iter().map(|source| paths::shown(source)).collect();
        format!("cannot compile {}", sources.join(" "))
    })?;
    drop(fs::remove_file(&stamp));
    for entry in fs::read_dir(&temporary).with_context(|| format!("cannot read {}", temporary.display()))? {
        let entry = entry?;
        fs::rename(entry.path(), folder.join(entry.file_name()))
            .with_context(|| format!("cannot move {} into place", entry.path().display()))?;
    }
    piece::remove(&temporary)?;
    if !csharp.library {
        write_runtime_config(&output, csharp.target, csharp.aspnet)?;
    }
    fs::write(&stamp, hash).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(output)
}

/// The compiler as a program to be run on `runtime`, compiling `csharp` whether that is needed or not: a program of real
/// size that everybody has.
///
/// # Errors
///
/// When no compiler can be had.
pub fn compiler_program(runtime: &Runtime, csharp: &CSharp) -> Result<Launch> {
    let arguments = csharp.arguments(&locate::runtime(csharp.target)?, &paths::absolute(&csharp.output))?;
    let compiler = Compiler::of(csharp.target)?;
    let (_, program, first) = compiler.parts();
    Ok(Launch::new(runtime, program).args(first).args(arguments))
}

/// So many diagnostics that they can be read.
fn first_lines(text: &str) -> String {
    const SHOWN: usize = 40;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    match lines.get(..SHOWN) {
        Some(shown) if lines.len() > SHOWN => {
            format!("{}\n… and {} lines more", shown.join("\n"), lines.len() - SHOWN)
        }
        _ => lines.join("\n"),
    }
}

/// The assemblies that a compilation refers to; the native libraries lie in the same folder.
fn assemblies(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let managed = ["System", "Microsoft.", "mscorlib", "netstandard", "WindowsBase"];
            name.ends_with(".dll")
                && !name.contains(".Native.")
                && managed.iter().any(|prefix| name.starts_with(prefix))
        })
        .collect();
    found.sort();
    Ok(found)
}

fn write_runtime_config(output: &Path, target: RuntimeVersion, aspnet: bool) -> Result<()> {
    let config = json!({ "runtimeOptions": {
        "tfm": target.moniker(),
        "rollForward": "Major",
        "framework": {
            "name": if aspnet { ASPNETCORE_APP } else { NETCORE_APP },
            "version": format!("{target}.0"),
        },
        // There need be no ICU on the machine.
        "configProperties": { "System.Globalization.Invariant": true },
    }});
    write_json(&output.with_extension("runtimeconfig.json"), &config)
}

/// The C# compiler.
#[derive(Debug, Clone)]
pub enum Compiler {
    /// A program: the one of an SDK, or one that was given (`super::given`).
    Sdk {
        /// The runtime that runs it.
        runtime: Runtime,
        /// Its assembly.
        csc: PathBuf,
    },
    /// The provisioned one, through our driver.
    Driver {
        /// The runtime that runs it.
        runtime: Runtime,
        /// The driver's assembly.
        driver: PathBuf,
        /// The folder of Roslyn's assemblies.
        roslyn: PathBuf,
    },
}

impl Compiler {
    /// The compiler of the machine's newest SDK, or else the provisioned one.
    ///
    /// # Errors
    ///
    /// When there is none and none can be provisioned.
    pub fn find() -> Result<Self> {
        match Self::of_machine() {
            Some(compiler) => Ok(compiler),
            None => Ok(Self::Driver {
                runtime: provision::runtime(RuntimeVersion::V9_0)?,
                driver: driver()?,
                roslyn: provision::roslyn()?,
            }),
        }
    }

    /// The compiler that compiles for a version: [`find`](Self::find), except where that is too old.
    ///
    /// # Errors
    ///
    /// When there is none and none can be provisioned.
    pub fn of(target: RuntimeVersion) -> Result<Self> {
        if target < RuntimeVersion::V11_0 {
            return Self::find();
        }
        match Self::of_machine() {
            Some(Self::Sdk { runtime, csc })
                if locate::numbers(&runtime.version) >= locate::numbers("11.0") =>
            {
                Ok(Self::Sdk { runtime, csc })
            }
            _ => Ok(Self::Sdk { runtime: given::runtime(target)?, csc: given::compiler()? }),
        }
    }

    /// The compiler of the machine's newest SDK.
    #[must_use]
    pub fn of_machine() -> Option<Self> {
        locate::installations().into_iter().find_map(|found| {
            let (version, folder) = found.sdks.last()?;
            let csc = folder.join(version).join("Roslyn").join("bincore").join("csc.dll");
            let wanted = locate::wanted_version(&csc);
            let series = wanted.as_deref().map_or("", locate::series);
            let runtime = found.runtime(series).or_else(|| found.runtime(""))?;
            csc.exists().then(|| Self::Sdk { runtime: runtime.into(), csc })
        })
    }

    /// The runtime that runs it, its assembly, and the arguments that it always has.
    #[must_use]
    pub fn parts(&self) -> (&Runtime, &Path, Option<&Path>) {
        match self {
            Self::Sdk { runtime, csc } => (runtime, csc, None),
            Self::Driver { runtime, driver, roslyn } => (runtime, driver, Some(roslyn)),
        }
    }

    /// Compiles, by the server of a whole test if there is one.
    fn compile(&self, arguments: &[OsString]) -> Result<()> {
        let (is_success, text) = match compile_server::compile(self, arguments)? {
            Some(answer) => (answer.is_success, answer.text),
            None => {
                let result = process::output(&mut self.command(arguments)?)?;
                (result.status.success(), process::both(&result))
            }
        };
        ensure!(is_success, "{}", first_lines(&text));
        Ok(())
    }

    pub(super) fn command(&self, arguments: &[OsString]) -> Result<Command> {
        let (runtime, program, first) = self.parts();
        let mut command = runtime.command(program)?;
        // One short run: what pays off later does not pay off.
        command.env("DOTNET_TieredPGO", "0").args(first).args(arguments);
        Ok(command)
    }
}

/// The driver's source.
const DRIVER: &str = include_str!("compiler.cs");

/// The folder of the driver.
#[must_use]
pub fn driver_dir() -> PathBuf {
    paths::dotnet_dir().join("csc-driver")
}

/// What the driver is built from.
#[must_use]
pub fn driver_stamp() -> String {
    format!("{} {}", sha256_of(DRIVER.as_bytes()), provision::root_stamp())
}

/// The compiler driver: our own C#, compiled by `mcs` against the 3.1 runtime, run on 9.0.
pub(crate) fn driver() -> Result<PathBuf> {
    let dir = driver_dir();
    let stamp = driver_stamp();
    let file = "csc-driver.dll";
    if piece::is_whole(&dir, &stamp) {
        return Ok(dir.join(file));
    }
    provision::roslyn()?;
    let reference = provision::runtime(RuntimeVersion::V3_1)?.assemblies;
    piece::ensure(&dir, &stamp, |into| {
        let source = into.join("compiler.cs");
        fs::write(&source, DRIVER).with_context(|| format!("cannot write {}", source.display()))?;
        let mut mcs = mcs::mcs()?;
        let work = Work::spinner("compiling the compiler driver");
        mcs.args(["-nostdlib", "-noconfig", "-langversion:7", "-optimize", "-target:exe"]);
        for name in [
            "System.Private.CoreLib",
            "System.Runtime",
            "System.Runtime.Extensions",
            "System.Runtime.Loader",
            "System.Collections",
            "System.Console",
            "System.IO.FileSystem",
            "System.Linq",
            "System.Net.Primitives",
            "System.Net.Sockets",
            "System.Threading.Thread",
        ] {
            mcs.arg(with_path("-r:", &reference.join(format!("{name}.dll"))));
        }
        mcs.arg(with_path("-out:", &into.join(file))).arg(source);
        process::capture(&mut mcs)?;
        write_runtime_config(&into.join(file), RuntimeVersion::V9_0, false)?;
        work.done("done");
        Ok(())
    })?;
    Ok(dir.join(file))
}

fn with_path(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_libraries_are_no_references() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "System.Runtime.dll",
            "libcoreclr.so",
            "System.IO.Compression.Native.dll",
            "clrjit.dll",
            "mscorlib.dll",
        ] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let found = assemblies(dir.path()).unwrap();
        assert_eq!(found, [dir.path().join("System.Runtime.dll"), dir.path().join("mscorlib.dll")]);
    }

    #[test]
    fn options_that_change_the_output_change_the_hash() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("a.cs");
        fs::write(&source, "class A {}").unwrap();
        let runtime = Runtime {
            launcher: locate::Launcher::Muxer("dotnet".into()),
            version: "9.0.1".into(),
            assemblies: "shared".into(),
            origin: locate::Origin::Machine,
            machine: crate::machine::Machine::This,
        };
        let compiler = Compiler::Sdk { runtime: runtime.clone(), csc: "csc.dll".into() };
        let csharp = CSharp::new(RuntimeVersion::V9_0, [&source], dir.path().join("a.dll"));
        let first = csharp.hash(&compiler, &runtime).unwrap();
        assert_eq!(first, csharp.hash(&compiler, &runtime).unwrap());
        let unoptimised = CSharp { optimize: false, ..csharp.clone() };
        assert_ne!(first, unoptimised.hash(&compiler, &runtime).unwrap());
        fs::write(&source, "class B {}").unwrap();
        assert_ne!(first, csharp.hash(&compiler, &runtime).unwrap());
    }
}
