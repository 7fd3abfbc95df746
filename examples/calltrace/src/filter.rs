//! Which methods are traced.

use std::path::{Path, PathBuf};

use corprof::{Method, ModuleFlags};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Which methods are traced: those that `include` names, or without one those of the program's own folder, or
/// with `all` every method; in each case without those that `exclude` names.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    chosen: Chosen,
    exclude: GlobSet,
}

#[derive(Debug, Default)]
enum Chosen {
    /// Every method.
    #[default]
    All,
    /// The methods of the assemblies in this folder and below.
    Folder(PathBuf),
    /// The methods that match.
    Matching(GlobSet),
}

/// A pattern that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name} has a pattern that cannot be used, {pattern:?}: {source}")]
pub(crate) struct FilterError {
    name: &'static str,
    pattern: String,
    source: globset::Error,
}

impl Filter {
    /// The filter for settings, each with the name that it has for the user. Patterns are separated by
    /// semicolons.
    pub(crate) fn new(
        all: bool,
        include: (&'static str, &str),
        exclude: (&'static str, &str),
    ) -> Result<Self, FilterError> {
        let exclude = patterns(exclude.0, exclude.1)?;
        let include = patterns(include.0, include.1)?;
        let chosen = match (all, include.is_empty()) {
            (true, _) => Chosen::All,
            (false, false) => Chosen::Matching(include),
            (false, true) => program_folder().map_or(Chosen::All, Chosen::Folder),
        };
        Ok(Self { chosen, exclude })
    }

    pub(crate) fn is_traced(&self, method: &Method) -> bool {
        let module = &method.module_info;
        if is_exception_machinery(module.file_name(), &method.plain_name()) {
            return false;
        }
        let name = || format!("{}!{}", module.file_name(), method.plain_name());
        let chosen = match &self.chosen {
            Chosen::All => true,
            Chosen::Folder(folder) => {
                !module.flags.contains(ModuleFlags::DYNAMIC)
                    && method.token.is_some()
                    && is_below(Path::new(&module.path), folder)
            }
            Chosen::Matching(globs) => globs.is_match(name()),
        };
        chosen && (self.exclude.is_empty() || !self.exclude.is_match(name()))
    }
}

/// Compiles patterns. One without an exclamation mark is for the method alone, in any module.
fn patterns(name: &'static str, list: &str) -> Result<GlobSet, FilterError> {
    let mut set = GlobSetBuilder::new();
    let failed = |pattern: &str, source| FilterError { name, pattern: pattern.to_owned(), source };
    for pattern in list.split(';').map(str::trim).filter(|pattern| !pattern.is_empty()) {
        let whole = if pattern.contains('!') { pattern.to_owned() } else { format!("*!{pattern}") };
        // Names contain no separators; a backslash quotes on every platform.
        let glob = GlobBuilder::new(&whole).literal_separator(false).backslash_escape(true).build();
        set.add(glob.map_err(|source| failed(pattern, source))?);
    }
    set.build().map_err(|source| failed(list, source))
}

/// Whether a method is part of what handles exceptions in .NET 9 and later: managed code that runs on top of the
/// frames that it removes, and goes away with them without an end.
fn is_exception_machinery(module: &str, name: &str) -> bool {
    const TYPES: [&str; 3] = [
        "System.Runtime.EH.",
        "System.Runtime.StackFrameIterator.",
        "System.Runtime.ExceptionServices.InternalCalls.",
    ];
    module == "System.Private.CoreLib.dll" && TYPES.iter().any(|machinery| name.starts_with(machinery))
}

/// Whether a module's file lies in a folder or below. A module without a file does not.
fn is_below(file: &Path, folder: &Path) -> bool {
    file.starts_with(folder) || file.canonicalize().is_ok_and(|file| file.starts_with(folder))
}

/// The folder of the program: that of the assembly which `dotnet` was asked to run, or of the executable.
fn program_folder() -> Option<PathBuf> {
    let folder_of = |file: PathBuf| Some(file.canonicalize().ok()?.parent()?.to_path_buf());
    let executable = std::env::current_exe().ok()?;
    if executable.file_stem().is_some_and(|stem| stem == "dotnet") {
        let assembly = std::env::args_os()
            .skip(1)
            .map(PathBuf::from)
            .find(|arg| arg.extension().is_some_and(|extension| extension == "dll") && arg.is_file());
        if let Some(assembly) = assembly {
            return folder_of(assembly);
        }
    }
    folder_of(executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_module_and_method() {
        let globs = patterns("X", "shop.dll!Shop.*; Tools.*.Run ;*!A.B<C>.D").unwrap();
        assert!(globs.is_match("shop.dll!Shop.Cart.Add"));
        assert!(globs.is_match("any.dll!Tools.Inner.Run"));
        assert!(globs.is_match("any.dll!A.B<C>.D"));
        assert!(!globs.is_match("other.dll!Shop.Cart.Add"));
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let message = patterns("CALLTRACE_INCLUDE", "good;[bad").unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_INCLUDE") && message.contains("[bad"), "{message}");
    }

    #[test]
    fn an_empty_list_is_empty() {
        assert!(patterns("X", " ; ").unwrap().is_empty());
    }

    #[test]
    fn what_handles_exceptions_is_not_traced() {
        const CORE_LIB: &str = "System.Private.CoreLib.dll";
        assert!(is_exception_machinery(CORE_LIB, "System.Runtime.EH.ExInfo.Init"));
        assert!(!is_exception_machinery(CORE_LIB, "System.Runtime.EHint.Init"));
        assert!(!is_exception_machinery("shop.dll", "System.Runtime.EH.RhThrowEx"));
    }

    #[test]
    fn folders_contain_what_is_below() {
        assert!(is_below(Path::new("/app/lib/a.dll"), Path::new("/app")));
        assert!(!is_below(Path::new("/application/a.dll"), Path::new("/app")));
        assert!(!is_below(Path::new(""), Path::new("/app")));
    }
}
