//! What an attached tool has sent: printed, or written as the file of who has asked for it.
#![cfg_attr(
    not(unix),
    allow(dead_code, reason = "reports are made of files there, and nothing comes over a connection")
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use corprof_in_process::printable::Printable;
use tempfile::NamedTempFile;

/// Where the reports and lines of a tool go.
#[derive(Debug)]
pub(crate) struct Output {
    /// The file; standard output if there is none.
    path: Option<PathBuf>,
    /// What lines are added to.
    lines: Option<File>,
    /// The last report, if it is to be printed.
    report: Option<Vec<u8>>,
    /// Whether anything has come.
    has_content: bool,
    /// Whether it is printed on standard error: standard output is the program's.
    is_on_standard_error: bool,
}

impl Output {
    /// Writes to a file, or prints.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        // A link keeps its target.
        let path = path.map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        Self { path, lines: None, report: None, has_content: false, is_on_standard_error: false }
    }

    /// Prints on standard error instead of standard output.
    pub(crate) fn on_standard_error(self) -> Self {
        Self { is_on_standard_error: true, ..self }
    }

    /// Takes note of a file that was written otherwise.
    pub(crate) const fn note(&mut self) {
        self.has_content = true;
    }

    /// Takes a report, which replaces the one before. A file is replaced as a whole.
    pub(crate) fn report(&mut self, report: Vec<u8>) -> Result<()> {
        self.has_content = true;
        let Some(path) = &self.path else {
            self.report = Some(report);
            return Ok(());
        };
        let written = match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                OpenOptions::new().write(true).open(path).and_then(|mut stream| stream.write_all(&report))
            }
            _ => replace(path, &report).map(drop),
        };
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Takes lines.
    pub(crate) fn lines(&mut self, text: &str) -> Result<()> {
        self.has_content = true;
        let Some(path) = &self.path else { return self.print(text) };
        let cannot = || format!("cannot write {}", path.display());
        if self.lines.is_none() {
            let opened = match fs::metadata(path) {
                Ok(metadata) if !metadata.is_file() => OpenOptions::new().write(true).open(path),
                _ => replace(path, b""),
            };
            self.lines = Some(opened.with_context(cannot)?);
        }
        let lines = self.lines.as_mut().map_or(Ok(()), |lines| lines.write_all(text.as_bytes()));
        lines.with_context(cannot)
    }

    /// Returns the file, if something is in it.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.has_content)
    }

    /// Returns whether anything has come.
    pub(crate) fn has_content(&self) -> bool {
        self.has_content
    }

    /// Prints the last report, if it is to be printed.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match self.report.take() {
            Some(report) => self.print(&String::from_utf8_lossy(&report)),
            None => Ok(()),
        }
    }

    fn print(&self, text: &str) -> Result<()> {
        if self.is_on_standard_error {
            // One that is closed is no reason to fail: the program goes on as well.
            let _ = print(text, io::stderr().lock());
            return Ok(());
        }
        Ok(print(text, io::stdout().lock())?)
    }
}

/// Prints text that another process has chosen: it may hold commands for the terminal.
fn print(text: &str, mut out: impl io::Write) -> io::Result<()> {
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => writeln!(out, "{}", Printable(line))?,
            None => write!(out, "{}", Printable(line))?,
        }
    }
    out.flush()
}

/// Replaces a file: a reader finds the old one or the new one. It is its owner's alone.
fn replace(path: &Path, content: &[u8]) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::with_prefix_in(".corprof-", folder)?;
    file.write_all(content)?;
    file.persist(path).map_err(|error| error.error)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_report_replaces_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cpu.txt");
        fs::write(&path, "older and longer").unwrap();
        let mut output = Output::new(Some(&path));
        assert!(output.file().is_none());
        for report in ["first", "2nd"] {
            output.report(report.into()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), report);
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn lines_are_added_and_a_link_keeps_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["lines.txt", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut output = Output::new(Some(&link));
        output.lines("one\n").unwrap();
        output.lines("two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert!(link.is_symlink());
    }

    #[test]
    fn what_cannot_be_written_names_the_file() {
        let mut output = Output::new(Some(Path::new("/nowhere/cpu.txt")));
        let error = format!("{:#}", output.report(Vec::new()).unwrap_err());
        assert!(error.contains("cannot write /nowhere/cpu.txt"), "{error}");
        output = Output::new(Some(Path::new("/dev/null")));
        output.report(b"x".into()).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
