//! Makes single-file programs: a host that holds the runtime, with the program and its framework behind it, as
//! `dotnet publish --self-contained -p:PublishSingleFile=true` makes them.
//!
//! Nothing lies beside such a program. The assemblies of a runtime pack are listed under it in the `.deps.json`, which is how
//! a reader of the bundle knows them from the program's own.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::bundle::{self, File, Kind};
use super::embedded::{host, json_of, write_executable};
use super::layout::NETCORE_APP;
use super::{Launcher, RuntimeVersion, provision};
use crate::download::sha256_of;
use crate::paths;
use crate::piece::Lock;

/// Makes one executable of `program`, an assembly that was compiled for this version or an older one, of the assemblies
/// `libraries`, and of the runtime. It is written to `output`, unless it is there and current.
///
/// # Errors
///
/// When no host with this runtime can be had, or a file cannot be read or written.
pub fn single_file(
    version: RuntimeVersion,
    program: &Path,
    libraries: &[PathBuf],
    output: &Path,
) -> Result<PathBuf> {
    let runtime = provision::single_file_runtime(version)?;
    let Launcher::Embedded(root) = &runtime.launcher else {
        bail!("{version} has no host that holds the runtime");
    };
    let stem = program.file_stem().and_then(OsStr::to_str).context("the program has no name")?;
    let mut own = vec![program.to_path_buf()];
    own.extend_from_slice(libraries);
    let mut files = Vec::new();
    for path in &own {
        files.push(assembly(path)?);
    }
    let own: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let pack = Pack::read(&runtime.assemblies)?;
    for name in &pack.assemblies {
        files.push(assembly(&runtime.assemblies.join(name))?);
    }
    for (suffix, kind, contents) in [
        ("deps", Kind::DEPS, pack.deps(stem, &own)),
        ("runtimeconfig", Kind::RUNTIME_CONFIG, runtime_config(program, &runtime.version)?),
    ] {
        let bytes = Cow::Owned(contents.to_string().into_bytes());
        files.push(File { path: format!("{stem}.{suffix}.json"), kind, bytes });
    }

    let output = paths::absolute(output);
    let (Some(folder), Some(name)) = (output.parent(), output.file_name().and_then(OsStr::to_str)) else {
        bail!("{} is no place for a program", output.display());
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let _lock = Lock::take(&folder.join(format!(".{name}.lock")))?;
    let stamp = folder.join(format!(".{name}.stamp"));
    // The framework's files are those of the host's version.
    let made_from = files.iter().take(own.len()).chain(files.iter().rev().take(2));
    let made_from: Vec<String> = made_from.map(|file| sha256_of(&file.bytes)).collect();
    let wanted = format!("{}\n{}", root.display(), made_from.join("\n"));
    if !output.exists() || fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
        let host = host(root);
        let host = fs::read(&host).with_context(|| format!("cannot read {}", host.display()))?;
        write_executable(&output, &bundle::write(&host, &format!("{stem}.dll"), &files)?)?;
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    }
    Ok(output)
}

fn assembly(path: &Path) -> Result<File<'static>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().and_then(OsStr::to_str).context("an assembly without a name")?;
    Ok(File { path: name.to_owned(), kind: Kind::ASSEMBLY, bytes: Cow::Owned(bytes) })
}

/// A runtime pack: the framework's assemblies.
struct Pack {
    /// As in `.NETCoreApp,Version=v10.0/linux-x64`.
    target: String,
    /// As in `runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/10.0.13`.
    id: String,
    assemblies: Vec<String>,
    /// What the `.deps.json` says of each.
    runtime: Value,
}

impl Pack {
    /// Reads the framework's `.deps.json` in its folder.
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(format!("{NETCORE_APP}.deps.json"));
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let deps = json_of(&bytes).with_context(|| format!("in {}", path.display()))?;
        let target = deps["runtimeTarget"]["name"].as_str().context("no runtimeTarget")?;
        let packs = deps["targets"][target].as_object().context("no runtime pack")?;
        let (id, pack) = packs.iter().next().context("no runtime pack")?;
        let runtime = pack["runtime"].clone();
        let assemblies = runtime.as_object().context("no assemblies")?.keys().cloned().collect();
        Ok(Self { target: target.to_owned(), id: format!("runtimepack.{id}"), assemblies, runtime })
    }

    /// The `.deps.json` of a program of these assemblies.
    fn deps(&self, stem: &str, own: &[String]) -> Value {
        let program = format!("{stem}/1.0.0");
        let own: serde_json::Map<String, Value> = own.iter().map(|name| (name.clone(), json!({}))).collect();
        json!({
            "runtimeTarget": { "name": &self.target, "signature": "" },
            "compilationOptions": {},
            "targets": { &self.target: {
                &program: { "runtime": own },
                &self.id: { "runtime": &self.runtime },
            }},
            "libraries": {
                &program: { "type": "project", "serviceable": false, "sha512": "" },
                &self.id: { "type": "runtimepack", "serviceable": false, "sha512": "" },
            },
        })
    }
}

/// The program's `.runtimeconfig.json` for a framework that it brings along.
fn runtime_config(program: &Path, version: &str) -> Result<Value> {
    let path = program.with_extension("runtimeconfig.json");
    let mut config = match fs::read(&path) {
        Ok(bytes) => json_of(&bytes).with_context(|| format!("in {}", path.display()))?,
        Err(_) => json!({ "runtimeOptions": {} }),
    };
    let options = config["runtimeOptions"].as_object_mut().context("no runtimeOptions")?;
    for key in ["framework", "frameworks", "rollForward"] {
        options.remove(key);
    }
    options.insert("includedFrameworks".to_owned(), json!([{ "name": NETCORE_APP, "version": version }]));
    Ok(config)
}
