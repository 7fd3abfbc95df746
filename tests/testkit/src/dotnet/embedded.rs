//! Runtimes that are linked into their host: CoreCLR, its compiler and its libraries in one executable.
//!
//! A single-file program has such a host. Its assemblies are laid out as those of an ordinary runtime:
//!
//! ```text
//! root/host                                         the executable, without a program
//! root/shared/Microsoft.NETCore.App/10.0.13/…       the assemblies, and the framework's .deps.json
//! ```
//!
//! The host runs one program, whose name stands in it, and looks for frameworks in the program's folder. So a program gets
//! a copy of the host beside it, and links to the frameworks:
//!
//! ```text
//! app/app.dll
//! app/app-on-10.0.13
//! app/shared/Microsoft.NETCore.App/10.0.13 → root/shared/Microsoft.NETCore.App/10.0.13
//! ```
//!
//! The host finds the program's `.runtimeconfig.json` in itself, as a bundle without assemblies: without a bundle it does
//! not use the native libraries that it holds.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::bundle::{self, File, Kind, Program};
use super::layout::{self, NETCORE_APP};
use crate::download::sha256_of;
use crate::machine::executable_extension;
use crate::piece::Lock;
use crate::{paths, process};

/// The name of the host in its root.
const HOST: &str = "host";

/// The name of the frameworks' folder.
const SHARED: &str = "shared";

/// Lays out the host and the frameworks of a single-file program in the folder `root`.
///
/// # Errors
///
/// When it is no single-file program, is not self-contained, or something cannot be written.
pub(super) fn install(program: &Path, root: &Path) -> Result<()> {
    let mut bundle = Program::open(program)?;
    let deps: Value = json_of(&bundle.first(Kind::DEPS)?).context("in the bundled .deps.json")?;
    for mut framework in layout::frameworks(&deps)? {
        // A module of Windows' web server is listed and lies in no bundle.
        for libraries in packs(&mut framework.deps).filter_map(|pack| pack["native"].as_object_mut()) {
            libraries.retain(|file, _| {
                let is_there = bundle.has(file);
                framework.files.retain(|listed| is_there || listed != file);
                is_there
            });
        }
        if framework.name == NETCORE_APP {
            name_the_runtime(&mut framework.deps);
        }
        layout::add(&framework, root, |file, target| {
            let bytes = bundle.file(file)?;
            fs::write(target, bytes).with_context(|| format!("cannot write {}", target.display()))
        })?;
    }
    let host = root.join(HOST);
    fs::write(&host, bundle.host()?).with_context(|| format!("cannot write {}", host.display()))
}

/// Lists the runtime's own library among the framework's files. It is not there, and is not loaded; but the host looks for
/// System.Private.CoreLib.dll in its folder.
fn name_the_runtime(deps: &mut Value) {
    let target = deps["runtimeTarget"]["name"].as_str().unwrap_or_default();
    let library = if target.contains("/win-") { "coreclr.dll" } else { "libcoreclr.so" };
    for pack in packs(deps) {
        pack["native"][library] = json!({ "fileVersion": "0.0.0.0" });
    }
}

/// The packs that a framework's `.deps.json` lists.
fn packs(deps: &mut Value) -> impl Iterator<Item = &mut Value> {
    let targets = deps["targets"].as_object_mut().into_iter().flat_map(|targets| targets.values_mut());
    targets.flat_map(|target| target.as_object_mut().into_iter().flat_map(|target| target.values_mut()))
}

/// The host of a root, which holds the runtime.
pub(super) fn host(root: &Path) -> PathBuf {
    root.join(HOST)
}

/// Makes the executable that runs `program`, an assembly, on the runtime `version` in `root`. What is there and current is
/// kept.
///
/// # Errors
///
/// When the program cannot be read, or its folder cannot be written to.
pub(super) fn prepare(root: &Path, version: &str, program: &Path) -> Result<PathBuf> {
    let program = paths::absolute(program);
    let (Some(folder), Some(stem)) = (program.parent(), program.file_stem().and_then(OsStr::to_str)) else {
        bail!("{} is no path of an assembly", program.display());
    };
    let host = host(root);
    let mut first = [0; 2];
    // What is no host fails below.
    drop(fs::File::open(&host).and_then(|mut file| file.read_exact(&mut first)));
    let name = format!("{stem}-on-{version}{}", executable_extension(&first));
    let _lock = Lock::take(&folder.join(format!(".{name}.lock")))?;
    let frameworks = root.join(SHARED);
    for entry in fs::read_dir(&frameworks).with_context(|| format!("cannot read {}", frameworks.display()))? {
        let framework = entry?;
        let links = folder.join(SHARED).join(framework.file_name());
        layout::create(&links)?;
        link(&framework.path().join(version), &links.join(version))?;
    }

    let (config, deps) = (format!("{stem}.runtimeconfig.json"), format!("{stem}.deps.json"));
    let bytes = Cow::Owned(runtime_config(&folder.join(&config), version)?);
    let mut files = vec![File { path: config, kind: Kind::RUNTIME_CONFIG, bytes }];
    if let Ok(bytes) = fs::read(folder.join(&deps)) {
        files.push(File { path: deps, kind: Kind::DEPS, bytes: Cow::Owned(bytes) });
    }
    let executable = folder.join(&name);
    let stamp = folder.join(format!(".{name}.stamp"));
    let made_from = files.iter().map(|file| sha256_of(&file.bytes)).collect::<Vec<_>>().join("\n");
    let wanted = format!("{}\n{made_from}", host.display());
    if !executable.exists() || fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
        let host = fs::read(&host).with_context(|| format!("cannot read {}", host.display()))?;
        write_executable(&executable, &bundle::write(&host, &format!("{stem}.dll"), &files)?)?;
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    }
    Ok(executable)
}

/// The program's `.runtimeconfig.json`, with this runtime's version in the place of another one.
fn runtime_config(path: &Path, version: &str) -> Result<Vec<u8>> {
    let mut config = match fs::read(path) {
        Ok(bytes) => json_of(&bytes).with_context(|| format!("in {}", path.display()))?,
        Err(_) => json!({ "runtimeOptions": { "framework": { "name": NETCORE_APP } } }),
    };
    let options = &mut config["runtimeOptions"];
    if let Some(framework) = options.get_mut("framework") {
        framework["version"] = json!(version);
    }
    for framework in options["frameworks"].as_array_mut().into_iter().flatten() {
        framework["version"] = json!(version);
    }
    Ok(config.to_string().into_bytes())
}

/// Makes a symbolic link, unless it is there already.
fn link(to: &Path, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|found| found == to) {
        return Ok(());
    }
    drop(fs::remove_file(at));
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(to, at);
    #[cfg(not(unix))]
    let linked = fs::copy(to, at).map(drop);
    linked.with_context(|| format!("cannot link {} to {}", at.display(), to.display()))
}

/// Writes an executable that may be started at once.
///
/// Another thread of ours may start a process in the meantime, which inherits every file that is open for writing until
/// it runs its own program; as long as that lasts, the system refuses to run the file. So a process without such threads
/// writes the file.
pub(super) fn write_executable(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let [data, copy] = ["data", "tmp"].map(|kind| path.with_file_name(format!(".{name}.{kind}")));
    fs::write(&data, bytes).with_context(|| format!("cannot write {}", data.display()))?;
    if cfg!(unix) {
        process::capture(Command::new("cp").arg(&data).arg(&copy))?;
    } else {
        fs::copy(&data, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
    }
    drop(fs::remove_file(&data));
    crate::unpack::make_executable(&copy)?;
    // What runs keeps the file that it was started from.
    fs::rename(&copy, path).with_context(|| format!("cannot move {} into place", copy.display()))
}

pub(super) fn json_of(bytes: &[u8]) -> Result<Value> {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    Ok(serde_json::from_slice(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))?)
}
