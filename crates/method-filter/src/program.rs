//! The running program's own assemblies.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::single_file;

/// The location of the program's assemblies.
#[derive(Debug)]
pub(crate) struct Program {
    /// The folder that they are in, and below.
    folder: PathBuf,
    /// The framework's assemblies in the executable, read when the first module without a folder is seen. Empty if the
    /// executable does not name them: then all its assemblies are the program's.
    framework: OnceLock<HashSet<String>>,
}

impl Program {
    /// The program of this process: the assembly that `dotnet` was started with, or the executable.
    pub(crate) fn running() -> Option<Self> {
        let folder_of = |file: PathBuf| Some(file.canonicalize().ok()?.parent()?.to_path_buf());
        let is_assembly =
            |arg: &PathBuf| arg.extension().is_some_and(|extension| extension == "dll") && arg.is_file();
        let executable = std::env::current_exe().ok()?;
        let is_host = executable.file_stem().is_some_and(|stem| stem == "dotnet");
        let assembly = std::env::args_os().skip(1).map(PathBuf::from).find(is_assembly);
        let folder = folder_of(assembly.filter(|_| is_host).unwrap_or(executable))?;
        Some(Self { folder, framework: OnceLock::new() })
    }

    /// Returns whether an assembly is the program's, by the path that the runtime reports.
    pub(crate) fn has(&self, path: &str) -> bool {
        if !single_file::is_bundled(path) {
            return is_below(Path::new(path), &self.folder);
        }
        let framework = self.framework.get_or_init(|| {
            let executable = std::env::current_exe().ok();
            executable.and_then(|path| single_file::framework_assemblies(&path)).unwrap_or_default()
        });
        !framework.contains(path)
    }
}

/// Returns whether a file lies in a folder or below, with links followed.
fn is_below(file: &Path, folder: &Path) -> bool {
    file.canonicalize().as_deref().unwrap_or(file).starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_contain_what_is_below() {
        assert!(is_below(Path::new("/app/lib/a.dll"), Path::new("/app")));
        assert!(!is_below(Path::new("/application/a.dll"), Path::new("/app")));
        assert!(!is_below(Path::new(""), Path::new("/app")));
    }
}
