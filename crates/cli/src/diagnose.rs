//! Why a profiler is not started. The runtime does not report the reason, so each likely cause is checked.

use std::env;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use object::Object as _;

use crate::native::{self, contains};
use crate::process;
use crate::profiler::Profiler;

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

impl Finding {
    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Fine(text) | Self::Suspect(text) | Self::Wrong(text) => text,
        }
    }
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
/// `runtime` is an executable of the architecture that the runtime has.
#[must_use]
pub fn explain(profiler: &Profiler, runtime: &Path) -> String {
    let findings = check(profiler, runtime);
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
pub fn check(profiler: &Profiler, runtime: &Path) -> Vec<Finding> {
    let mut findings = files(profiler, runtime);
    findings.extend(environment());
    findings
}

/// Checks the library and its class.
fn files(profiler: &Profiler, runtime: &Path) -> Vec<Finding> {
    let mut findings = library(&profiler.library, runtime);
    findings.extend(class(profiler));
    findings
}

/// Returns the causes that are certain before a program is started, each with its remedy; `version` is that of the
/// runtime, where it is known.
#[must_use]
pub(crate) fn obstacles(profiler: &Profiler, runtime: &Path, version: Option<&str>) -> Vec<String> {
    // .NET Core 3.1 loads profilers whatever the variables say.
    let has_no_variables = version.is_some_and(|version| version.starts_with("3."));
    wrong(if has_no_variables { files(profiler, runtime) } else { check(profiler, runtime) })
}

/// Returns what keeps a process from loading the library: `runtime` is the executable of the process.
#[must_use]
pub(crate) fn obstacles_in_process(profiler: &Profiler, runtime: &Path) -> Vec<String> {
    let mut findings = library(&profiler.library, runtime);
    findings.extend(class(profiler));
    wrong(findings)
}

fn wrong(findings: Vec<Finding>) -> Vec<String> {
    let wrong = findings.into_iter().filter_map(|finding| match finding {
        Finding::Wrong(text) => Some(text),
        Finding::Fine(_) | Finding::Suspect(_) => None,
    });
    wrong.collect()
}

/// Returns whether the file itself can be loaded.
#[must_use]
pub(crate) fn is_loadable(library: &Path, runtime: &Path) -> bool {
    wrong(self::library(library, runtime)).is_empty()
}

/// Path, format, architecture, C library, export and dependencies.
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
    let Some(library) = native::library(&bytes) else {
        findings.push(Finding::Wrong(format!(
            "format: {shown} is no shared library; the crate needs `crate-type = [\"cdylib\"]`"
        )));
        return findings;
    };
    let is_same = machine(&library, &bytes, runtime, &mut findings);
    if native::is_profiler(&library) {
        findings.push(Finding::Fine("export: DllGetClassObject is there".to_owned()));
    } else {
        findings.push(Finding::Wrong(
            "export: the library exports no DllGetClassObject; call `corprof::export_profiler!` once in its lib.rs"
                .to_owned(),
        ));
    }
    // The dependencies of a library for another machine are not to be found here.
    if is_same {
        findings.extend(dependencies(path));
    }
    findings
}

/// Compares architecture and C library with those of the runtime. Returns whether they are the same, as far as is known.
fn machine(library: &object::File<'_>, bytes: &[u8], runtime: &Path, findings: &mut Vec<Finding>) -> bool {
    let runtime_bytes = fs::read(runtime).unwrap_or_default();
    let Ok(host) = object::File::parse(&*runtime_bytes) else {
        findings.push(Finding::Suspect(format!(
            "architecture: the library is {}; {} is no native executable, so it is not known what it needs",
            native::machine(library),
            runtime.display()
        )));
        return true;
    };
    if (host.architecture(), host.format()) != (library.architecture(), library.format()) {
        findings.push(Finding::Wrong(format!(
            "architecture: the library is {}, the runtime {}; build the library with `cargo build --target {}`",
            native::machine(library),
            native::machine(&host),
            native::platform(&host, &runtime_bytes).map_or("…", |platform| platform.target)
        )));
        return false;
    }
    findings.push(Finding::Fine(format!("architecture: {}, as the runtime", native::machine(library))));
    match (native::libc(library, bytes), native::libc(&host, &runtime_bytes)) {
        (Some(own), Some(its)) if own != its => {
            let target = native::platform(&host, &runtime_bytes).map_or("…", |platform| platform.target);
            findings.push(Finding::Wrong(format!(
                "C library: the library is linked with {own}, the runtime with {its}; build the library with \
                 `cargo build --target {target}`"
            )));
            false
        }
        (Some(own), Some(_)) => {
            findings.push(Finding::Fine(format!("C library: {own}, as the runtime")));
            true
        }
        _ => true,
    }
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
    Some(Finding::Wrong(format!(
        "dependencies: {}; install what is missing, or build the library on a system as old as this one",
        missing.join(", ")
    )))
}

fn class(profiler: &Profiler) -> Option<Finding> {
    let clsid = profiler.clsid;
    let bytes = fs::read(&profiler.library).ok()?;
    let stated = native::library(&bytes).map(|library| native::class_ids(&library)).unwrap_or_default();
    if stated.contains(&clsid) {
        return Some(Finding::Fine(format!("class id: {clsid}, as in the library")));
    }
    if !stated.is_empty() {
        let stated: Vec<String> = stated.iter().map(ToString::to_string).collect();
        return Some(Finding::Wrong(format!(
            "class id: {clsid} was requested, but the library has {}; omit --clsid, or correct it",
            stated.join(", ")
        )));
    }
    let wanted = clsid.to_le_bytes();
    // The compiler may have split the constant into two halves.
    Some(if wanted.chunks(8).all(|half| contains(&bytes, half)) {
        Finding::Fine(format!("class id: {clsid} occurs in the library"))
    } else {
        Finding::Suspect(format!(
            "class id: {clsid} does not occur in the library; compare it with the library's own"
        ))
    })
}

/// Settings that keep a runtime from loading profilers.
pub(crate) fn environment() -> Vec<Finding> {
    let own = env::vars().filter(|(name, value)| forbids(name, value));
    own.map(|(name, value)| {
        Finding::Wrong(format!("environment: {name}={value} forbids profilers; unset it"))
    })
    .collect()
}

/// Returns the variables that keep the runtime from loading profilers, of a process's environment: each ends with a zero.
pub(crate) fn forbidding(environment: &[u8]) -> Vec<String> {
    let variables = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let is_forbidding =
        |variable: &str| variable.split_once('=').is_some_and(|(name, value)| forbids(name, value));
    variables.filter(|variable| is_forbidding(variable)).map(|variable| variable.into_owned()).collect()
}

/// Whether a variable keeps the runtime from loading profilers. The runtime reads the number as hexadecimal.
fn forbids(name: &str, value: &str) -> bool {
    let name = ["DOTNET_", "COMPlus_"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let digits = value.trim();
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    matches!(name, Some("EnableDiagnostics" | "EnableDiagnostics_Profiler"))
        && u32::from_str_radix(digits, 16) == Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const CLSID: &str = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}";

    fn explained(library: &Path) -> String {
        let profiler = Profiler::new(library, CLSID.parse().unwrap());
        explain(&profiler, &env::current_exe().unwrap())
    }

    #[test]
    fn variables_that_forbid_profilers_are_found() {
        let environment = b"PATH=/bin\0DOTNET_EnableDiagnostics=0\0DOTNET_EnableDiagnostics_Profiler=0x00\0COMPlus_EnableDiagnostics=1\0\
            DOTNET_EnableDiagnostics_IPC=0\0X=DOTNET_EnableDiagnostics=0\0";
        let found = forbidding(environment);
        assert_eq!(found, ["DOTNET_EnableDiagnostics=0", "DOTNET_EnableDiagnostics_Profiler=0x00"]);
    }

    #[test]
    fn a_missing_library_is_named() {
        let text = explained(Path::new("/nowhere/libx.so"));
        assert!(text.contains("WRONG  path: cannot read /nowhere/libx.so"), "{text}");
    }

    #[test]
    fn a_file_that_is_no_library_is_named() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"hello").unwrap();
        let text = explained(file.path());
        assert!(text.contains("is no shared library"), "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_export_is_named() {
        let libraries = fs::read_to_string("/proc/self/maps").unwrap();
        let libc = libraries
            .lines()
            .find_map(|line| Some(&line[line.find("/").filter(|_| line.contains("libc.so"))?..]));
        let text = explained(Path::new(libc.unwrap()));
        assert!(text.contains("exports no DllGetClassObject"), "{text}");
        assert!(text.contains("ok     architecture"), "{text}");
        assert!(text.contains("maybe  class id"), "{text}");
    }
}
