//! Files and streams as the standard library has them.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::too_large;

/// An output of the profiler's.
#[derive(Debug)]
pub struct Outlet {
    /// Standard error when absent.
    file: Option<(File, PathBuf)>,
    /// The length that a file may still grow by.
    left: u64,
}

impl Outlet {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Some((File::create(path)?, path.to_owned())), left: u64::MAX })
    }

    /// Returns an outlet for standard error.
    #[must_use]
    pub const fn standard_error() -> Self {
        Self { file: None, left: u64::MAX }
    }

    /// Limits the length of a file: what would exceed it is not written, and an error.
    #[must_use]
    pub fn limited(self, most: u64) -> Self {
        Self { left: most, ..self }
    }

    /// The file, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(_, path)| path.as_path())
    }

    /// Returns `None`: a file is not told from a stream.
    #[must_use]
    pub const fn position(&self) -> Option<u64> {
        None
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        self.write_all(line)
    }
}

/// Returns `true`: standard error is not waited for.
#[must_use]
pub const fn standard_error_accepts() -> bool {
    true
}

/// Creates a file for reading and writing.
///
/// # Errors
/// If it cannot be created, or something has the name already.
pub fn create_new(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create_new(true).open(path)
}

/// Marks a file as this process's. Other processes cannot find out here.
pub(crate) const fn hold(_: &File) {}

/// Returns `false`: whether a process writes a file is not known here.
#[must_use]
pub const fn is_held(_: &File) -> bool {
    false
}

/// Writes all bytes at a position of a regular file.
///
/// # Errors
/// If not all can be written.
pub fn write_all_at(mut file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(position))?;
    file.write_all(bytes)
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some((file, _)) => {
                let length = bytes.len() as u64;
                if length > self.left {
                    return Err(too_large());
                }
                let written = file.write(bytes)?;
                self.left -= written as u64;
                Ok(written)
            }
            None => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
