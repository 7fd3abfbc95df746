//! Where the program of a process is, by its command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use corprof_in_process::is_host_option_with_value;

/// The files of a program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The assembly that `dotnet` was started with, or the executable.
    pub(super) main: PathBuf,
    /// The folder that its assemblies are in, and below.
    pub(super) folder: PathBuf,
    /// Where its `.deps.json` is, if it has one.
    pub(super) deps: PathBuf,
}

impl Program {
    /// The program of a process, by its executable and command line.
    pub(super) fn of_process(executable: &Path, words: &[OsString]) -> Option<Self> {
        let is_host = executable.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("dotnet"));
        if !is_host {
            return Self::of_file(executable);
        }
        let mut words = words.iter().skip(1);
        let mut deps = None;
        while let Some(word) = words.next() {
            if is_host_option_with_value(word) {
                let value = words.next();
                if word == "--depsfile" {
                    deps = value.map(PathBuf::from);
                }
            } else if word != "exec" && !word.as_encoded_bytes().starts_with(b"-") {
                let program = Self::of_file(Path::new(word)).or_else(|| Self::of_file(executable))?;
                // A host of tests is in the folder of its package, and the tests where their list of assemblies is.
                let Some(deps) = deps.and_then(|deps| deps.canonicalize().ok()) else { return Some(program) };
                let folder = deps.parent()?.to_path_buf();
                return Some(Self { folder, deps, ..program });
            }
        }
        Self::of_file(executable)
    }

    /// The program of an assembly or executable.
    pub(super) fn of_file(main: &Path) -> Option<Self> {
        let main = main.canonicalize().ok().filter(|main| main.is_file())?;
        let folder = main.parent()?.to_path_buf();
        let deps = with_ending(&main, ".deps.json");
        Some(Self { main, folder, deps })
    }

    /// Returns the main assembly. It lies beside the executable, with its name.
    pub(super) fn main_assembly(&self) -> PathBuf {
        if has_ending(&self.main, "dll") { self.main.clone() } else { with_ending(&self.main, ".dll") }
    }
}

pub(super) fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// The file beside a program with another ending. Executables of Unix have none, and may have dots in their names.
fn with_ending(main: &Path, ending: &str) -> PathBuf {
    let is_ending = has_ending(main, "dll") || has_ending(main, "exe");
    let stem = if is_ending { main.file_stem() } else { main.file_name() };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(ending);
    main.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(executable: &Path, words: &[&str]) -> Program {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Program::of_process(executable, &words).unwrap()
    }

    #[test]
    fn the_program_is_what_the_host_was_started_with() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in [
            "dotnet",
            "app/My.Shop.dll",
            "app/My.Shop",
            "app/plugin.dll",
            "host/testhost.dll",
            "app/a.deps.json",
        ] {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let [dotnet, dll, exe, host, deps] =
            ["dotnet", "app/My.Shop.dll", "app/My.Shop", "host/testhost.dll", "app/a.deps.json"]
                .map(|file| root.join(file));
        let [dll_text, host_text, deps_text] = [&dll, &host, &deps].map(|file| file.to_str().unwrap());
        let plugin = root.join("app/plugin.dll");
        let plugin = plugin.to_str().unwrap();
        for words in [
            &["dotnet", dll_text, plugin][..],
            &["dotnet", "exec", dll_text],
            &["dotnet", "exec", "--fx-version", "8.0.1", "--additional-deps", plugin, dll_text, "--x"],
        ] {
            let found = program(&dotnet, words);
            assert_eq!((found.main, found.folder), (dll.clone(), root.join("app")), "{words:?}");
            assert_eq!(found.deps, root.join("app/My.Shop.deps.json"));
        }
        let found = program(&exe, &["My.Shop", plugin]);
        assert_eq!((found.main, found.deps), (exe, root.join("app/My.Shop.deps.json")));
        let found = program(&dotnet, &["dotnet", "exec", "--depsfile", deps_text, host_text, "--port", "7"]);
        assert_eq!((found.main, found.folder, found.deps), (host, root.join("app"), deps));
        // A command of the SDK.
        assert_eq!(program(&dotnet, &["dotnet", "build"]).main, dotnet);
        assert_eq!(program(&dotnet, &["dotnet"]).main, dotnet);
        assert!(Program::of_process(Path::new("/nowhere/app"), &[]).is_none());
    }
}
