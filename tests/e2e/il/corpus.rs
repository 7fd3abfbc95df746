//! The assemblies whose method bodies are read.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet;
use e2e::is_long;
use e2e::libraries::{all_libraries, libraries};
use sigparse::token::MethodDef;

use crate::assembly::Assembly;

/// What is read without `--long`: the largest, and one by each of C#'s, Visual Basic's and F#'s compilers.
const SUBSET: &[&str] = &[
    "System.Private.CoreLib.dll",
    "System.Private.Xml.dll",
    "Microsoft.VisualBasic.Core.dll",
    "FSharp.Core.dll",
    "System.Linq.Expressions.dll",
];

/// The least that is read, so that a corpus that is not there does not pass.
const FLOOR: usize = 80_000;
const LONG_FLOOR: usize = 760_000;

/// How many failures are shown.
const SHOWN: usize = 20;

/// Checks every method body, and fails with those that the check refuses.
pub(crate) fn check(
    check: impl Fn(&Assembly<'_>, MethodDef, &[u8]) -> Result<(), String> + Sync,
) -> Result<()> {
    check_files(&assemblies()?, check)
}

/// Checks every method body of these assemblies.
pub(crate) fn check_files(
    files: &[PathBuf],
    check: impl Fn(&Assembly<'_>, MethodDef, &[u8]) -> Result<(), String> + Sync,
) -> Result<()> {
    let (left, right) = files.split_at(files.len() / 2);
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| check_all(left, &check));
        let own = check_all(right, &check);
        [own, other.join().expect("the check does not panic")]
    });
    let (mut bodies, mut failures) = (0, Vec::new());
    for part in both {
        let (some, failed) = part?;
        bodies += some;
        failures.extend(failed);
    }
    println!("{} assemblies, {bodies} bodies", files.len());
    ensure!(
        failures.is_empty(),
        "{} of {bodies} bodies; the first:\n{}",
        failures.len(),
        failures[..failures.len().min(SHOWN)].join("\n")
    );
    let floor = match (chosen().is_empty(), is_long()) {
        (false, _) => 1,
        (true, false) => FLOOR,
        (true, true) => LONG_FLOOR,
    };
    ensure!(bodies >= floor, "fewer than {floor} bodies");
    Ok(())
}

fn check_all(
    files: &[PathBuf],
    check: &impl Fn(&Assembly<'_>, MethodDef, &[u8]) -> Result<(), String>,
) -> Result<(usize, Vec<String>)> {
    let (mut bodies, mut failures) = (0, Vec::new());
    for path in files {
        let file = fs::read(path)?;
        let Some(assembly) = Assembly::open(path, &file) else { continue };
        for (method, bytes) in assembly.bodies() {
            bodies += 1;
            if let Err(failure) = check(&assembly, method, bytes) {
                failures.push(format!("{} {method}: {failure}", path.display()));
            }
        }
    }
    Ok((bodies, failures))
}

/// Words of the paths of assemblies, to check only these by hand: `IL_ASSEMBLIES="roslyn AspNetCore"`.
fn chosen() -> Vec<String> {
    let words = std::env::var("IL_ASSEMBLIES").unwrap_or_default();
    words.split_whitespace().map(str::to_owned).collect()
}

/// The assemblies of the runtimes, of ASP.NET Core, of `azmcp` and of the C# compiler, each once.
pub(crate) fn assemblies() -> Result<Vec<PathBuf>> {
    let (mut files, mut seen) = (all_libraries()?, HashSet::new());
    libraries(dotnet::compiler_library()?.parent().context("the compiler is in no folder")?, &mut files)?;
    let chosen = chosen();
    if !chosen.is_empty() {
        files.retain(|file| chosen.iter().any(|word| file.to_string_lossy().contains(word)));
    } else if !is_long() {
        files.retain(|file| SUBSET.iter().any(|name| file.file_name() == Some(OsStr::new(name))));
    }
    files.retain(|file| {
        let bytes = fs::read(file).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Assembly::open(file, &bytes).is_some() && seen.insert(hasher.finish())
    });
    files.sort();
    Ok(files)
}
