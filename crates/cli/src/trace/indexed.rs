//! The index of a recording, in a file beside it: `calls.rec.index` beside `calls.rec`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufReader, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use recording::{Fingerprint, Index, IndexError};

/// How many bytes of a recording are read at once.
pub(super) const BUFFER: usize = 256 << 10;

/// The name of the index of a recording.
fn beside(recording: &Path) -> PathBuf {
    let mut name: OsString = recording.into();
    name.push(".index");
    name.into()
}

/// Returns the index of a recording: the one beside it, or a new one that is then kept beside it.
pub(super) fn of(recording: &Path, file: &mut File) -> Result<Arc<Index>> {
    let path = beside(recording);
    let fingerprint = Fingerprint::of(file)?;
    if let Ok(bytes) = fs::read(&path) {
        match Index::from_bytes(&bytes, &fingerprint) {
            Ok(index) => return Ok(Arc::new(index)),
            Err(error @ IndexError::Stale) => eprintln!("note: {error}; it is made again"),
            Err(error) => eprintln!("note: {}: {error}; it is made again", path.display()),
        }
    }
    let index = Index::build(BufReader::with_capacity(BUFFER, &mut *file))?;
    file.rewind()?;
    if let Err(error) = keep(&path, &index.to_bytes(&fingerprint)) {
        eprintln!("note: the index is not kept, and is made again the next time: {error:#}");
    }
    Ok(Arc::new(index))
}

/// Writes an index as a whole or not at all.
fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let context = || format!("cannot write {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    file.persist(path).with_context(context)?;
    Ok(())
}
