//! Input and output files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// Opens a recording.
pub(super) fn input(path: &Path) -> Result<File> {
    let shown = path.display();
    let metadata = fs::metadata(path).with_context(|| format!("the recording {shown}"))?;
    // Opening a pipe may block for ever.
    if !metadata.is_file() {
        bail!("{shown} is no regular file; a recording is read more than once, copy it into one");
    }
    File::open(path).with_context(|| format!("the recording {shown}"))
}

/// The output file, or `otherwise` if none is named.
pub(super) fn output<'o>(
    path: Option<&Path>,
    input: &Path,
    otherwise: &'o mut dyn Write,
) -> Result<Box<dyn Write + 'o>> {
    let Some(path) = path else { return Ok(Box::new(otherwise)) };
    if is_same(path, input) {
        bail!("{} is the recording itself, which would be lost; name another file to write", path.display());
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Box::new(BufWriter::new(Named { path: path.to_owned(), file })))
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let id = |path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok();
    id(one).is_some_and(|one| id(other) == Some(one))
}

#[cfg(not(unix))]
fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// An output whose errors name the file.
struct Named {
    path: PathBuf,
    file: File,
}

impl Named {
    fn name<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot write {}: {error}", self.path.display()))
        })
    }
}

impl Write for Named {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.name(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.name(flushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_not_overwritten_under_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let [input, link, other] = ["calls.rec", "link", "other"].map(|name| folder.path().join(name));
        fs::write(&input, "calls").unwrap();
        fs::hard_link(&input, &link).unwrap();
        for path in [&input, &link] {
            let error = output(Some(path), &input, &mut io::sink()).err().unwrap().to_string();
            assert!(error.contains("is the recording itself"), "{error}");
        }
        assert!(output(Some(&other), &input, &mut io::sink()).is_ok());
        assert_eq!(fs::read(&input).unwrap(), b"calls");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = io::sink();
        let mut out = output(Some(Path::new("/dev/full")), folder.path(), &mut sink).unwrap();
        out.write_all(b"x").unwrap();
        let error = out.flush().unwrap_err().to_string();
        assert!(error.contains("cannot write /dev/full: No space left"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_without_opening_it() {
        let error = input(Path::new("/dev/stdin")).err().unwrap().to_string();
        assert!(error.contains("no regular file"), "{error}");
    }
}
