//! Documents: files that are replaced as a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::{Outlet, create_new, hold, write_all_at};

/// A file with a document that is written again and again, as a whole.
///
/// Each [`replace`](Self::replace) writes a file beside it and renames it: a reader finds the old document or the new one,
/// never a part. The file belongs to this process, as that of an [`Outlet`]. To a stream the documents are written one after
/// another.
#[derive(Debug)]
pub struct Document {
    outlet: Outlet,
    /// The regular file, and the one beside it.
    files: Option<(PathBuf, PathBuf)>,
    /// The newest document, open so that other processes leave its name alone.
    newest: Option<File>,
}

impl Document {
    /// Opens a file, or a named stream. The file is empty until the first document.
    ///
    /// # Errors
    /// Those of [`Outlet::create`].
    pub fn create(path: &Path) -> io::Result<Self> {
        let outlet = Outlet::create(path)?;
        // The program may change its folder, and a link keeps its target.
        let files = match outlet.path().map(fs::canonicalize) {
            Some(Ok(path)) if fs::metadata(&path)?.is_file() => {
                let beside = beside(&path);
                Some((path, beside))
            }
            _ => None,
        };
        Ok(Self { outlet, files, newest: None })
    }

    /// Standard error.
    #[must_use]
    pub fn standard_error() -> Self {
        Self { outlet: Outlet::standard_error(), files: None, newest: None }
    }

    /// Returns the path of the file, if this is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.outlet.path()
    }

    /// Replaces the document.
    ///
    /// # Errors
    /// If it cannot be written; then the document before is still there.
    pub fn replace(&mut self, document: &[u8]) -> io::Result<()> {
        let Some((path, beside)) = &self.files else { return self.outlet.write_all(document) };
        let written = write_beside(beside, document).and_then(|file| {
            fs::rename(beside, path)?;
            Ok(file)
        });
        match written {
            Ok(file) => self.newest = Some(file),
            Err(error) => {
                // What is left of it is of no use to anybody.
                let _ = fs::remove_file(beside);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// The name of the file that becomes the document: hidden, and with the process's id.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn write_beside(path: &Path, document: &[u8]) -> io::Result<File> {
    let file = match create_new(path) {
        // From a process with this id that was killed.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            create_new(path)?
        }
        created => created?,
    };
    hold(&file);
    write_all_at(&file, document, 0)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::super::of_process;
    use super::*;

    #[test]
    fn a_reader_finds_a_whole_document() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        let mut document = Document::create(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        let texts = [[b'a'; 100_000], [b'b'; 100_000]];
        document.replace(&texts[0]).unwrap();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                for _ in 0..200 {
                    let read = fs::read(&path).unwrap();
                    assert!(texts.iter().any(|text| text[..] == read), "{} bytes", read.len());
                }
            });
            while !reader.is_finished() {
                texts.iter().for_each(|text| document.replace(text).unwrap());
            }
            reader.join().unwrap();
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_document_is_the_owners_alone_and_another_process_leaves_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        let mut document = Document::create(&path).unwrap();
        document.replace(b"mine").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // A lock belongs to the open file, so that this process can stand for another one.
        let other = Document::create(&path).unwrap();
        assert_eq!(other.path(), Some(&*of_process(&path, std::process::id())));
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_document_that_cannot_be_written_leaves_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        let mut document = Document::create(&path).unwrap();
        document.replace(b"first").unwrap();
        // Nothing can be created under a name that is a folder's.
        let part = beside(&fs::canonicalize(&path).unwrap());
        fs::create_dir(&part).unwrap();
        assert!(document.replace(b"second").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        fs::remove_dir(&part).unwrap();
        document.replace(b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_stream_gets_each_document() {
        let mut document = Document::create(Path::new("/dev/null")).unwrap();
        document.replace(b"one").unwrap();
        let mut full = Document::create(Path::new("/dev/full")).unwrap();
        assert!(full.replace(b"one").is_err());
    }
}
