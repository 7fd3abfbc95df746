//! Recordings of other processes of the same run: `calls.4711.rec` beside `calls.rec`.

use std::ffi::OsStr;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use recording::{Process, Reader};

use super::files;

/// Returns messages about the recordings beside this one that are not read: those of processes that the recorded one, or one of
/// its descendants, has started.
pub(super) fn notes(recording: &Path, process: &Process) -> Vec<String> {
    let mut unread: Vec<_> = siblings(recording)
        .into_iter()
        .filter(|path| began(path).is_some_and(|begin| begin >= process.begin))
        .map(|path| path.display().to_string())
        .collect();
    unread.sort_unstable();
    match unread.as_slice() {
        [] => Vec::new(),
        [one] => vec![format!("the calls of another process of this run are in {one}, and not shown here")],
        more => vec![format!(
            "the calls of {} other processes of this run are in {}, and not shown here",
            more.len(),
            more.join(", ")
        )],
    }
}

/// The files with the name of this one and a number before the extension.
fn siblings(recording: &Path) -> Vec<PathBuf> {
    let Some(folder) = recording.parent() else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let paths = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| is_numbered(path, recording)).collect()
}

fn is_numbered(path: &Path, recording: &Path) -> bool {
    let number = match recording.extension() {
        Some(extension) if path.extension() == Some(extension) => {
            path.file_stem().map(Path::new).filter(|stem| stem.file_stem() == recording.file_stem())
        }
        Some(_) => None,
        None => Some(path).filter(|path| path.file_stem() == recording.file_stem()),
    };
    let number = number.and_then(|path| path.extension()).and_then(OsStr::to_str);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The time at which a recording began.
fn began(path: &Path) -> Option<u64> {
    Some(Reader::new(BufReader::new(files::input(path).ok()?)).ok()?.process().begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_identified_by_the_number_in_the_name() {
        for (path, recording, is) in [
            ("a/calls.12.rec", "a/calls.rec", true),
            ("a/trace.12", "a/trace", true),
            ("a/calls.rec", "a/calls.rec", false),
            ("a/calls.old.rec", "a/calls.rec", false),
            ("a/other.12.rec", "a/calls.rec", false),
            ("a/calls.12.jsonl", "a/calls.rec", false),
        ] {
            assert_eq!(is_numbered(Path::new(path), Path::new(recording)), is, "{path}");
        }
    }
}
