//! Output: files and streams that are written without disturbing the program.

mod document;
#[cfg(not(unix))]
mod others;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use document::Document;
#[cfg(not(unix))]
use others::hold;
#[cfg(not(unix))]
pub use others::{Outlet, create_new, is_held, standard_error_accepts, write_all_at};
#[cfg(unix)]
use unix::hold;
#[cfg(unix)]
pub use unix::{Outlet, create_new, is_held, standard_error_accepts, write_all_at};

/// The time for which a stream that accepts nothing keeps its writer waiting.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// The error of output beyond the limit of [`Outlet::limited`].
fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "the file has the length that it may have")
}

/// The name of a process's own output beside another process's: `calls.4711.rec` for `calls.rec`.
#[must_use]
pub fn of_process(path: &Path, process: u32) -> PathBuf {
    let mut name = path.file_stem().map_or_else(OsString::new, ToOwned::to_owned);
    name.push(format!(".{process}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_id_stands_before_the_extension() {
        for (path, own) in
            [("a/calls.rec", "a/calls.7.rec"), ("trace", "trace.7"), ("/t/a.b.c", "/t/a.b.7.c")]
        {
            assert_eq!(of_process(Path::new(path), 7), Path::new(own));
        }
    }
}
