//! Lays frameworks out in a folder, the way hosts want to find them.
//!
//! They come as a self-contained program, whose `.deps.json` says which of its files belong to which framework:
//!
//! ```text
//! root/shared/Microsoft.NETCore.App/9.0.1/…
//! root/shared/Microsoft.AspNetCore.App/9.0.1/…
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

pub use corprof_cli::dotnet::NETCORE_APP;
/// The web framework.
pub const ASPNETCORE_APP: &str = "Microsoft.AspNetCore.App";

/// A framework of a self-contained program.
#[derive(Debug, PartialEq)]
pub struct Framework {
    /// Its name, as in [`NETCORE_APP`].
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// Its files.
    pub files: Vec<String>,
    /// The `.deps.json` without which the muxer does not list it.
    pub deps: Value,
}

/// The frameworks inside the self-contained program whose `.deps.json` is `deps`.
///
/// # Errors
///
/// When it is not the `.deps.json` of a self-contained program.
pub fn frameworks(deps: &Value) -> Result<Vec<Framework>> {
    let runtime_target = deps["runtimeTarget"]["name"].as_str().context("no runtimeTarget")?;
    let libraries =
        deps["targets"][runtime_target].as_object().context("no libraries for the runtimeTarget")?;
    let mut found = Vec::new();
    for name in [NETCORE_APP, ASPNETCORE_APP] {
        found.extend(framework(name, runtime_target, libraries).with_context(|| format!("in {name}"))?);
    }
    if found.first().is_none_or(|framework| framework.name != NETCORE_APP) {
        bail!("no runtime pack of {NETCORE_APP}: the program is not self-contained");
    }
    Ok(found)
}

fn framework(
    name: &'static str,
    runtime_target: &str,
    libraries: &Map<String, Value>,
) -> Result<Option<Framework>> {
    let system = runtime_target.split_once('/').map_or("linux-x64", |(_, system)| system);
    let pack = format!("{name}.Runtime.{system}");
    let prefix = format!("runtimepack.{pack}/");
    let Some((version, own)) = libraries.iter().find_map(|(id, own)| Some((id.strip_prefix(&prefix)?, own)))
    else {
        return Ok(None);
    };
    let mut own = own.clone();
    let assets = own.as_object_mut().context("the runtime pack is no object")?;
    let runtime = assets.entry("runtime").or_insert_with(|| json!({}));
    let runtime = runtime.as_object_mut().context("`runtime` is no object")?;
    // The program refers to newer packages of some of the framework's assemblies, and then leaves
    // the framework's own out: the package's takes its place.
    let series = version.rsplit_once('.').map_or(version, |(series, _)| series);
    for (id, library) in libraries {
        let Some((package, package_version)) = id.split_once('/') else { continue };
        if replaced_in(package) != Some(name)
            || package_version.rsplit_once('.').map(|(s, _)| s) != Some(series)
        {
            continue;
        }
        for (path, asset) in library["runtime"].as_object().into_iter().flatten() {
            let file = path.rsplit('/').next().unwrap_or(path);
            runtime.insert(file.to_owned(), asset.clone());
        }
    }
    let files = ["runtime", "native"].into_iter().flat_map(|kind| assets.get(kind)?.as_object()).flatten();
    let files: Vec<String> = files.map(|(file, _)| file.clone()).collect();
    let id = format!("{pack}/{version}");
    let deps = json!({
        "runtimeTarget": { "name": runtime_target, "signature": "" },
        "compilationOptions": {},
        "targets": { portable(runtime_target): {}, runtime_target: { &id: &assets } },
        "libraries": {
            &id: { "type": "package", "serviceable": true, "sha512": "", "path": id.to_lowercase() }
        },
    });
    Ok(Some(Framework { name, version: version.to_owned(), files, deps }))
}

/// `.NETCoreApp,Version=v9.0` of `.NETCoreApp,Version=v9.0/linux-x64`.
fn portable(runtime_target: &str) -> &str {
    runtime_target.split('/').next().unwrap_or(runtime_target)
}

/// The framework that an assembly belongs to although a package of the same name supplies it.
fn replaced_in(package: &str) -> Option<&'static str> {
    match package {
        "System.Diagnostics.DiagnosticSource"
        | "System.Formats.Asn1"
        | "System.Text.Json"
        | "System.Threading.Channels" => Some(NETCORE_APP),
        "System.Diagnostics.EventLog" => Some(ASPNETCORE_APP),
        _ if package.starts_with("Microsoft.Extensions.") => Some(ASPNETCORE_APP),
        _ => None,
    }
}

/// Adds the frameworks of the self-contained `program` folder to the muxer's folder `root`.
///
/// # Errors
///
/// When the program's `.deps.json` cannot be read, or a file cannot be linked.
pub fn add_self_contained(program: &Path, deps_file: &str, root: &Path) -> Result<()> {
    let path = program.join(deps_file);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let deps: Value =
        serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    for framework in frameworks(&deps).with_context(|| format!("in {}", path.display()))? {
        add(&framework, root, |file, target| link(&program.join(file), target))?;
        if framework.name == NETCORE_APP {
            let hosts = root.join("host").join("fxr").join(&framework.version);
            create(&hosts)?;
            link(&program.join("libhostfxr.so"), &hosts.join("libhostfxr.so"))?;
        }
    }
    Ok(())
}

/// Adds a framework to the folder `root`; `place` puts a file of it at a path.
///
/// # Errors
///
/// When a file cannot be written, or `place` fails.
pub fn add(
    framework: &Framework,
    root: &Path,
    mut place: impl FnMut(&str, &Path) -> Result<()>,
) -> Result<()> {
    let folder = root.join("shared").join(framework.name).join(&framework.version);
    create(&folder)?;
    for file in &framework.files {
        place(file, &folder.join(file))?;
    }
    write_json(&folder.join(format!("{}.deps.json", framework.name)), &framework.deps)?;
    if framework.name != NETCORE_APP {
        let base = json!({ "runtimeOptions": {
            "rollForward": "LatestPatch",
            "framework": { "name": NETCORE_APP, "version": framework.version },
        }});
        write_json(&folder.join(format!("{}.runtimeconfig.json", framework.name)), &base)?;
    }
    Ok(())
}

pub(crate) fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// One more name for a file, or a copy where the file system has no such thing.
fn link(from: &Path, to: &Path) -> Result<()> {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

pub(crate) fn write_json(path: &Path, value: &Value) -> Result<()> {
    let text = format!("{value:#}\n");
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Value {
        json!({
            "runtimeTarget": { "name": ".NETCoreApp,Version=v9.0/linux-x64", "signature": "" },
            "targets": { ".NETCoreApp,Version=v9.0": {}, ".NETCoreApp,Version=v9.0/linux-x64": {
                "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/9.0.1": {
                    "runtime": { "System.Runtime.dll": { "assemblyVersion": "9.0.0.0" } },
                    "native": { "libcoreclr.so": { "fileVersion": "0.0.0.0" } }
                },
                "runtimepack.Microsoft.AspNetCore.App.Runtime.linux-x64/9.0.1": {
                    "runtime": { "Microsoft.AspNetCore.dll": {} }
                },
                "System.Text.Json/9.0.4": { "runtime": { "lib/net9.0/System.Text.Json.dll": {} } },
                "Microsoft.Extensions.Logging/9.0.4": {
                    "runtime": { "lib/net9.0/Microsoft.Extensions.Logging.dll": {} }
                },
                "Microsoft.Extensions.AI/9.4.0-preview": {
                    "runtime": { "lib/net9.0/Microsoft.Extensions.AI.dll": {} }
                },
                "System.Text.Encoding/4.3.0": {},
            }},
        })
    }

    #[test]
    fn a_self_contained_program_is_taken_apart() {
        let [core, web] = <[Framework; 2]>::try_from(frameworks(&program()).unwrap()).unwrap();
        assert!(core.deps["targets"][".NETCoreApp,Version=v9.0"].is_object());
        assert_eq!((core.name, core.version.as_str()), (NETCORE_APP, "9.0.1"));
        assert_eq!(core.files, ["System.Runtime.dll", "System.Text.Json.dll", "libcoreclr.so"]);
        assert_eq!(web.files, ["Microsoft.AspNetCore.dll", "Microsoft.Extensions.Logging.dll"]);
        let own = &core.deps["targets"][".NETCoreApp,Version=v9.0/linux-x64"]["Microsoft.NETCore.App.Runtime.linux-x64/9.0.1"];
        assert_eq!(own["runtime"]["System.Runtime.dll"]["assemblyVersion"], "9.0.0.0");
        assert_eq!(own["native"]["libcoreclr.so"]["fileVersion"], "0.0.0.0");
    }

    #[test]
    fn a_framework_dependent_program_is_refused() {
        let deps = json!({ "runtimeTarget": { "name": "x" }, "targets": { "x": {} } });
        let error = format!("{:#}", frameworks(&deps).unwrap_err());
        assert!(error.contains("not self-contained"), "{error}");
    }
}
