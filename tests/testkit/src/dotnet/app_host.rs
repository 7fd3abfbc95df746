//! Hosts that load a runtime from its folder: what `dotnet build` puts beside a program, with the program's name written into it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use super::embedded::write_executable;
use crate::download::sha256_of;
use crate::paths;
use crate::piece::Lock;

/// What stands in a host in the place of the program's name: the SHA-256 of `foobar`, in the hexadecimal system.
const PLACEHOLDER: &[u8] = b"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

/// The host in the folder of a runtime.
pub(super) fn host(root: &Path) -> PathBuf {
    root.join("apphost").join("apphost")
}

/// Makes the executable beside `program`, an assembly, that runs it on the runtime that `DOTNET_ROOT` names. What is there and
/// current is kept.
///
/// # Errors
///
/// When the runtime has no host, or the folder of the program cannot be written to.
pub(super) fn prepare(root: &Path, program: &Path) -> Result<PathBuf> {
    let program = paths::absolute(program);
    let (Some(folder), Some(file), Some(stem)) = (
        program.parent(),
        program.file_name().and_then(OsStr::to_str),
        program.file_stem().and_then(OsStr::to_str),
    ) else {
        bail!("{} is no path of an assembly", program.display());
    };
    let runtime = root.file_name().and_then(OsStr::to_str).context("the runtime has no folder")?;
    let name = format!("{stem}-on-{runtime}");
    let _lock = Lock::take(&folder.join(format!(".{name}.lock")))?;
    let host = host(root);
    let bytes = fs::read(&host).with_context(|| format!("cannot read {}", host.display()))?;
    let (executable, stamp) = (folder.join(&name), folder.join(format!(".{name}.stamp")));
    let wanted = format!("{file} {}", sha256_of(&bytes));
    if !executable.exists() || fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
        let named = bound(bytes, file).with_context(|| format!("in {}", host.display()))?;
        write_executable(&executable, &named)?;
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    }
    Ok(executable)
}

/// A host with the name of its program.
fn bound(mut host: Vec<u8>, file: &str) -> Result<Vec<u8>> {
    // The name ends with a zero, within what the placeholder takes.
    ensure!(file.len() < PLACEHOLDER.len(), "the name {file} is too long");
    let at = host.windows(PLACEHOLDER.len()).position(|part| part == PLACEHOLDER);
    let at = at.context("it is no host without a program")?;
    let name = file.bytes().chain(std::iter::repeat(0));
    host.iter_mut().skip(at).take(PLACEHOLDER.len()).zip(name).for_each(|(byte, new)| *byte = new);
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_replaces_the_placeholder() {
        let host = [b"begin", PLACEHOLDER, b"\0end"].concat();
        let named = bound(host.clone(), "app.dll").unwrap();
        assert_eq!(named.len(), host.len());
        assert!(named.starts_with(b"beginapp.dll\0\0") && named.ends_with(b"\0\0end"));
        assert!(bound(named, "app.dll").unwrap_err().to_string().contains("no host"));
        assert!(bound(host, &"x".repeat(64)).unwrap_err().to_string().contains("too long"));
    }
}
