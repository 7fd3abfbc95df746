//! Which assemblies are the user's own code.

mod deps;
mod program;
mod sources;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use corprof_in_process::command_line;
use globset::GlobSet;

use crate::patterns::{PatternError, compile_globs, split};
use deps::Deps;
use program::{Program, has_ending};
use sources::Sources;

/// First words of the names of assemblies that belong to the framework or to packages of its makers.
const FRAMEWORK: [&str; 8] = [
    "Microsoft",
    "System",
    "mscorlib",
    "netstandard",
    "WindowsBase",
    "PresentationCore",
    "PresentationFramework",
    "testhost",
];

/// The number of decisions that are kept. A program that loads more assemblies has them decided again.
const KEPT: usize = 1 << 14;

/// The assemblies of a program that are the user's own code, not the framework's and not a package's.
///
/// In this order:
/// 1. With patterns, those whose file name matches one.
/// 2. Those in the program's folder and below, or in its single file, that the program's `.deps.json` calls `project`. The other
///    ones that it lists are not.
/// 3. Of those that nothing lists, the program's main assembly, and those whose PDB names sources in a folder, or a revision of a
///    repository, that the main assembly's sources are in too. If the main assembly has no PDB, all those without a name of the
///    framework (`System.…`, `Microsoft.…`).
///
/// An assembly that was loaded from memory is none. Files are read when the first assembly is decided that needs them, and a
/// decision is made once.
#[derive(Debug)]
pub struct OwnCode {
    by: By,
    decided: Mutex<HashMap<String, Decision>>,
}

#[derive(Debug)]
enum By {
    Patterns(GlobSet),
    Program(Box<Files>),
    /// The program is not known.
    All,
}

/// What the files of a program say.
#[derive(Debug)]
struct Files {
    program: Program,
    deps: OnceLock<Option<Deps>>,
    /// Where the sources of the main assembly are.
    sources: OnceLock<Option<Sources>>,
}

/// Whether an assembly is the user's own code, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// Whether it is.
    pub is_own: bool,
    /// Why.
    pub why: Why,
}

/// What has decided whether an assembly is the user's own code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The patterns.
    Patterns,
    /// The `.deps.json`, which lists it for a library of this name and version.
    Listed(String),
    /// It is the program's main assembly.
    Main,
    /// Where its sources are, by its PDB.
    Sources(String),
    /// It has no PDB, and the main assembly has one.
    NoPdb,
    /// Nothing but its place beside a program without a PDB.
    Beside,
    /// Its name, which is one of the framework.
    Framework,
    /// It is in another folder than the program.
    Elsewhere,
    /// The program is not known.
    Unknown,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patterns => f.write_str("by the patterns"),
            Self::Listed(library) => write!(f, "{library} in .deps.json"),
            Self::Main => f.write_str("the main assembly"),
            Self::Sources(sources) => write!(f, "sources in {sources}"),
            Self::NoPdb => f.write_str("no PDB"),
            Self::Beside => f.write_str("in the folder of a program without a PDB"),
            Self::Framework => f.write_str("a name of the framework"),
            Self::Elsewhere => f.write_str("in another folder than the program"),
            Self::Unknown => f.write_str("the program is not known"),
        }
    }
}

impl OwnCode {
    /// The own code of the program of this process. The first of the pair is the name of a setting, and the second its value:
    /// globs for file names, without the folder and with the ending, separated by semicolons, as in `Shop.*;Basket.dll`. Unless
    /// there is none, they alone decide.
    ///
    /// # Errors
    /// A pattern is not a glob. The message names the setting.
    pub fn running(setting: (&str, &str)) -> Result<Self, PatternError> {
        Ok(Self::of_process(patterns(setting)?))
    }

    /// The own code of the program of this process, by patterns unless there is none.
    pub(crate) fn of_process(patterns: GlobSet) -> Self {
        if !patterns.is_empty() {
            return Self::by(By::Patterns(patterns));
        }
        let executable = std::env::current_exe().ok();
        let program = executable.and_then(|executable| Program::of_process(&executable, &command_line()));
        Self::by(program.map_or(By::All, By::program))
    }

    /// The own code of a program, by its main assembly or its executable; `None` if there is no such file.
    #[must_use]
    pub fn of_program(main: &Path) -> Option<Self> {
        Program::of_file(main).map(|program| Self::by(By::program(program)))
    }

    fn by(by: By) -> Self {
        Self { by, decided: Mutex::default() }
    }

    /// Returns whether an assembly is own code, by the path that the runtime reports for its module.
    pub fn has(&self, module_path: &str) -> bool {
        self.decide(module_path).is_own
    }

    /// Returns whether an assembly is own code, and why.
    pub fn decide(&self, module_path: &str) -> Decision {
        let decided = || self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = decided().get(module_path) {
            return decision.clone();
        }
        // Files are read without the lock.
        let decision = self.by.decide(module_path);
        let mut decided = decided();
        if decided.len() < KEPT {
            decided.insert(module_path.to_owned(), decision.clone());
        }
        decision
    }

    /// Decides the assemblies in the folder of the program and those of its `.deps.json`, in the order of their paths. There are
    /// none if patterns decide.
    #[must_use]
    pub fn assemblies(&self) -> Vec<(PathBuf, Decision)> {
        let By::Program(files) = &self.by else { return Vec::new() };
        let entries = std::fs::read_dir(&files.program.folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| has_ending(path, "dll")).collect();
        // Those in a single file have no folder.
        let listed = files.deps().into_iter().flat_map(Deps::files).map(PathBuf::from);
        let missing: Vec<PathBuf> = listed
            .filter(|name| has_ending(name, "dll") && !paths.iter().any(|path| path.ends_with(name)))
            .collect();
        paths.extend(missing);
        paths.sort();
        let decide = |path: PathBuf| {
            let decision = self.decide(&path.to_string_lossy());
            (path, decision)
        };
        paths.into_iter().map(decide).collect()
    }
}

/// Compiles the patterns of a setting.
pub(crate) fn patterns((setting, patterns): (&str, &str)) -> Result<GlobSet, PatternError> {
    compile_globs(setting, true, split(patterns))
}

impl By {
    fn program(program: Program) -> Self {
        Self::Program(Box::new(Files { program, deps: OnceLock::new(), sources: OnceLock::new() }))
    }

    fn decide(&self, module_path: &str) -> Decision {
        let name = module_path.rsplit(['/', '\\']).next().unwrap_or(module_path);
        let (is_own, why) = match self {
            Self::All => (true, Why::Unknown),
            Self::Patterns(patterns) => (patterns.is_match(name), Why::Patterns),
            Self::Program(files) => files.decide(module_path, name),
        };
        Decision { is_own, why }
    }
}

impl Files {
    fn deps(&self) -> Option<&Deps> {
        let read = || Deps::read(&self.program.deps).or_else(|| Deps::of_single_file(&self.program.main));
        self.deps.get_or_init(read).as_ref()
    }

    fn decide(&self, module_path: &str, name: &str) -> (bool, Why) {
        // The runtime names assemblies in a single file without a folder.
        let is_bundled = !module_path.is_empty() && name == module_path;
        let file = Path::new(module_path);
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        if !is_bundled && !file.starts_with(&self.program.folder) {
            return (false, Why::Elsewhere);
        }
        if let Some(library) = self.deps().and_then(|deps| deps.library(name)) {
            return (library.is_project, Why::Listed(library.id.clone()));
        }
        let main = self.program.main_assembly();
        if file == main {
            return (true, Why::Main);
        }
        if is_of_framework(name) {
            return (false, Why::Framework);
        }
        match self.sources.get_or_init(|| Sources::of_assembly(&main)) {
            None => (true, Why::Beside),
            Some(own) => match Sources::of_assembly(&file) {
                Some(sources) => (sources.are_beside(own), Why::Sources(sources.to_string())),
                None => (false, Why::NoPdb),
            },
        }
    }
}

fn is_of_framework(name: &str) -> bool {
    let begins = |first: &&str| name.strip_prefix(*first).is_some_and(|rest| rest.starts_with('.'));
    FRAMEWORK.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        folder
    }

    const DEPS: &str = r#"{"runtimeTarget":{"name":"t"},
        "targets":{"t":{"shop/1.0.0":{"runtime":{"shop.dll":{}}},"Basket/1.0.0":{"runtime":{"Basket.dll":{}}},
            "Serilog/4.0.0":{"runtime":{"lib/net8.0/Serilog.dll":{}}}}},
        "libraries":{"shop/1.0.0":{"type":"project"},"Basket/1.0.0":{"type":"project"},"Serilog/4.0.0":{"type":"package"}}}"#;

    #[test]
    fn the_list_of_assemblies_decides() {
        let folder = folder(&[
            ("shop.dll", ""),
            ("shop.deps.json", DEPS),
            ("Basket.dll", ""),
            ("Serilog.dll", ""),
            ("plugins/Mine.dll", ""),
            ("Microsoft.Data.dll", ""),
        ]);
        let own = OwnCode::of_program(&folder.path().join("shop.dll")).unwrap();
        let decide = |name: &str| own.decide(&folder.path().join(name).to_string_lossy());
        let listed = |id: &str| Why::Listed(id.to_owned());
        for (name, is_own, why) in [
            ("shop.dll", true, listed("shop/1.0.0")),
            ("Basket.dll", true, listed("Basket/1.0.0")),
            ("Serilog.dll", false, listed("Serilog/4.0.0")),
            ("plugins/Mine.dll", true, Why::Beside),
            ("Microsoft.Data.dll", false, Why::Framework),
            ("/elsewhere/Other.dll", false, Why::Elsewhere),
        ] {
            // The second time, what was decided.
            for _ in 0..2 {
                assert_eq!(decide(name), Decision { is_own, why: why.clone() }, "{name}");
            }
        }
        assert!(!own.has("") && !own.has("/usr/share/dotnet/System.Runtime.dll"));
        // As the runtime names assemblies in a single file.
        assert!(own.has("Basket.dll") && !own.has("Serilog.dll"));
        let assemblies = own.assemblies().into_iter();
        let assemblies: Vec<_> = assemblies
            .map(|(path, decision)| {
                (path.file_name().unwrap().to_string_lossy().into_owned(), decision.is_own)
            })
            .collect();
        let expected =
            [("Basket.dll", true), ("Microsoft.Data.dll", false), ("Serilog.dll", false), ("shop.dll", true)];
        assert_eq!(assemblies, expected.map(|(name, is_own)| (name.to_owned(), is_own)));
    }

    #[test]
    fn without_a_list_and_pdbs_the_folder_decides() {
        let folder = folder(&[
            ("My.Shop", ""),
            ("My.Shop.dll", ""),
            ("Basket.dll", ""),
            ("System.Private.CoreLib.dll", ""),
        ]);
        for main in ["My.Shop", "My.Shop.dll"] {
            let own = OwnCode::of_program(&folder.path().join(main)).unwrap();
            let decide = |name: &str| own.decide(&folder.path().join(name).to_string_lossy());
            assert_eq!(decide("My.Shop.dll"), Decision { is_own: true, why: Why::Main });
            assert_eq!(decide("Basket.dll"), Decision { is_own: true, why: Why::Beside });
            assert_eq!(decide("System.Private.CoreLib.dll"), Decision { is_own: false, why: Why::Framework });
            assert!(own.has("Bundled.dll") && !own.has("System.Bundled.dll"));
        }
        assert!(OwnCode::of_program(&folder.path().join("missing")).is_none());
    }

    #[test]
    fn patterns_decide_alone() {
        let own = OwnCode::running(("OWN", "shop.*; Basket.dll")).unwrap();
        assert!(own.has("/anywhere/Shop.Web.dll") && own.has("basket.dll") && own.has("C:\\x\\shop.dll"));
        assert!(!own.has("/anywhere/other.dll"));
        assert_eq!(own.decide("shop.dll").why, Why::Patterns);
        let error = OwnCode::running(("OWN", "[")).unwrap_err();
        assert!(error.to_string().contains("OWN"), "{error}");
    }
}
