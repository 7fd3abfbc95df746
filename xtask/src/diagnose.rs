//! Why a profiler was not started. The runtime does not report the reason, so each likely cause is checked.

use std::env;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use object::read::NameOrOrdinal;
use object::{Object as _, ObjectKind};

use crate::process;
use crate::profiler::{Clsid, Profiler};

/// The result of checking one likely cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It is not the cause.
    Fine(String),
    /// It may be the cause.
    Suspect(String),
    /// It is a cause; the text has the remedy.
    Wrong(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fine(text) => write!(f, "  ok     {text}"),
            Self::Suspect(text) => write!(f, "  maybe  {text}"),
            Self::Wrong(text) => write!(f, "  WRONG  {text}"),
        }
    }
}

/// Formats a report on several lines: no callback of the profiler was called, and the possible causes.
///
/// `expected` is the class id that the library is known to have, `runtime` an executable of the
/// architecture that the runtime has.
#[must_use]
pub fn explain(profiler: &Profiler, expected: Option<Clsid>, runtime: &Path) -> String {
    let findings = check(profiler, expected, runtime);
    let mut text = String::from("the profiler was not started: the runtime did not load its library\n");
    for finding in &findings {
        text += &format!("{finding}\n");
    }
    if !findings.iter().any(|finding| matches!(finding, Finding::Wrong(_))) {
        text += "What is left:\n\
                 \x20 - the program runs no CoreCLR (compiled ahead of time, .NET Framework, not .NET at all), \
                 or ended before the runtime was up\n\
                 \x20 - it starts the runtime in a child process with another environment\n\
                 \x20 - it crashed before: possibly in the library's code, when its class was requested\n\
                 \x20 - the library's own constructors or `DllGetClassObject` failed; \
                 `LD_DEBUG=files` shows whether the library was loaded\n";
    }
    text
}

/// Checks each likely cause.
#[must_use]
pub fn check(profiler: &Profiler, expected: Option<Clsid>, runtime: &Path) -> Vec<Finding> {
    let mut findings = library(&profiler.library, runtime);
    findings.extend(class(profiler, expected));
    findings.extend(environment());
    findings
}

/// Returns whether the file itself can be loaded.
#[must_use]
pub fn is_loadable(library: &Path, runtime: &Path) -> bool {
    !self::library(library, runtime).iter().any(|finding| matches!(finding, Finding::Wrong(_)))
}

/// Path, format, architecture, export and dependencies.
fn library(path: &Path, runtime: &Path) -> Vec<Finding> {
    let shown = path.display();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return vec![Finding::Wrong(format!(
                "path: cannot read {shown}: {error}; build the library, or correct --library"
            ))];
        }
    };
    let mut findings = vec![Finding::Fine(format!("path: {shown} is there"))];
    let library = match object::File::parse(&*bytes) {
        Ok(library) if library.kind() == ObjectKind::Dynamic => library,
        Ok(_) | Err(_) => {
            findings.push(Finding::Wrong(format!(
                "format: {shown} is no shared library; the crate needs `crate-type = [\"cdylib\"]`"
            )));
            return findings;
        }
    };
    let runtime_bytes = fs::read(runtime).unwrap_or_default();
    match object::File::parse(&*runtime_bytes) {
        Ok(host) if (host.architecture(), host.format()) == (library.architecture(), library.format()) => {
            findings.push(Finding::Fine(format!("architecture: {:?}, as the runtime", library.architecture())));
        }
        Ok(host) => findings.push(Finding::Wrong(format!(
            "architecture: the library is {:?} {:?}, the runtime {:?} {:?}; build the library for the runtime's \
             target with `cargo build --target …`",
            library.format(),
            library.architecture(),
            host.format(),
            host.architecture()
        ))),
        Err(_) => findings.push(Finding::Suspect(format!(
            "architecture: the library is {:?}; {} is no native executable, so it is not known what it needs",
            library.architecture(),
            runtime.display()
        ))),
    }
    let exported = library.exports().is_ok_and(|mut exports| {
        exports.any(|export| {
            export.is_ok_and(|export| matches!(export.name(), NameOrOrdinal::Name(b"DllGetClassObject")))
        })
    });
    if exported {
        findings.push(Finding::Fine("export: DllGetClassObject is there".to_owned()));
    } else {
        findings.push(Finding::Wrong(
            "export: the library exports no DllGetClassObject; call `corprof::export_profiler!` once in its lib.rs"
                .to_owned(),
        ));
    }
    findings.extend(dependencies(path));
    findings
}

/// Libraries that the library needs and that are missing.
fn dependencies(path: &Path) -> Option<Finding> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let output = process::output(Command::new("ldd").arg(path)).ok()?;
    let text = process::both(&output);
    let missing: Vec<&str> = text.lines().map(str::trim).filter(|line| line.contains("not found")).collect();
    if missing.is_empty() {
        return output.status.success().then(|| Finding::Fine("dependencies: all are there".to_owned()));
    }
    Some(Finding::Wrong(format!("dependencies: {}; install what is missing", missing.join(", "))))
}

fn class(profiler: &Profiler, expected: Option<Clsid>) -> Option<Finding> {
    let clsid = profiler.clsid;
    if let Some(expected) = expected {
        return Some(if expected == clsid {
            Finding::Fine(format!("class id: {clsid}, as in the example"))
        } else {
            Finding::Wrong(format!(
                "class id: {clsid} was requested, but the library has {expected}; correct --clsid"
            ))
        });
    }
    let bytes = fs::read(&profiler.library).ok()?;
    let wanted = clsid.to_bytes();
    // The compiler may have split the constant into two halves.
    Some(if wanted.chunks(8).all(|half| contains(&bytes, half)) {
        Finding::Fine(format!("class id: {clsid} occurs in the library"))
    } else {
        Finding::Suspect(format!(
            "class id: {clsid} does not occur in the library; compare it with the one given to `export_profiler!`"
        ))
    })
}

/// Settings that keep a runtime from loading profilers.
fn environment() -> Vec<Finding> {
    let mut findings = Vec::new();
    for prefix in ["DOTNET", "COMPlus"] {
        for setting in ["EnableDiagnostics", "EnableDiagnostics_Profiler"] {
            let name = format!("{prefix}_{setting}");
            if env::var(&name).is_ok_and(|value| value.trim_start_matches("0x") == "0") {
                findings.push(Finding::Wrong(format!("environment: {name}=0 forbids profilers; unset it")));
            }
        }
    }
    findings
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const CLSID: &str = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}";

    fn explained(library: &Path, expected: Option<&str>) -> String {
        let profiler = Profiler::new(library, CLSID.parse().unwrap());
        let expected = expected.map(|expected| expected.parse().unwrap());
        explain(&profiler, expected, &env::current_exe().unwrap())
    }

    #[test]
    fn a_missing_library_is_named() {
        let text = explained(Path::new("/nowhere/libx.so"), None);
        assert!(text.contains("WRONG  path: cannot read /nowhere/libx.so"), "{text}");
    }

    #[test]
    fn a_file_that_is_no_library_is_named() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"hello").unwrap();
        let text = explained(file.path(), None);
        assert!(text.contains("is no shared library"), "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_export_is_named() {
        let libraries = fs::read_to_string("/proc/self/maps").unwrap();
        let libc = libraries
            .lines()
            .find_map(|line| Some(&line[line.find("/").filter(|_| line.contains("libc.so"))?..]));
        let text = explained(Path::new(libc.unwrap()), None);
        assert!(text.contains("exports no DllGetClassObject"), "{text}");
        assert!(text.contains("ok     architecture"), "{text}");
        assert!(text.contains("maybe  class id"), "{text}");
    }

    #[test]
    fn another_class_id_than_the_examples_is_named() {
        let text = explained(Path::new("/nowhere"), Some("{00000000-3C0F-4C39-9E6A-5D1F0C6E2A11}"));
        assert!(text.contains("but the library has {00000000-"), "{text}");
        assert!(explained(Path::new("/nowhere"), Some(CLSID)).contains("as in the example"));
    }
}
