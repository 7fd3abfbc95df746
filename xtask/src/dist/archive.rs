//! Archives that depend on their content only: the order of the files, their times and owners are fixed.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The files of an archive by their paths, which have `/`.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<String, File>);

#[derive(Debug)]
struct File {
    bytes: Vec<u8>,
    is_program: bool,
}

impl Files {
    /// Adds a document.
    pub(super) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), File { bytes: bytes.into(), is_program: false });
    }

    /// Adds a program or a library.
    pub(super) fn add_program(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.0.insert(path.into(), File { bytes, is_program: true });
    }

    /// The paths, sorted.
    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The bytes of a file.
    #[cfg(test)]
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        Some(&self.0.get(path)?.bytes)
    }

    /// A tar archive, compressed by gzip. Each file has the time `seconds` and is below the folder `root`.
    pub(super) fn tar_gz(&self, root: &str, seconds: u64) -> Result<Vec<u8>> {
        // The header of gzip has neither a time nor a name.
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
        for (path, file) in &self.0 {
            let mut header = tar::Header::new_ustar();
            header.set_size(file.bytes.len().try_into()?);
            header.set_mode(file.mode());
            header.set_mtime(seconds);
            header.set_uid(0);
            header.set_gid(0);
            tar.append_data(&mut header, format!("{root}/{path}"), &*file.bytes)?;
        }
        Ok(tar.into_inner()?.finish()?)
    }

    /// A zip archive. Its files have the format's first time.
    pub(super) fn zip(&self, root: &str) -> Result<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in &self.0 {
            let options = SimpleFileOptions::default().unix_permissions(file.mode());
            zip.start_file(format!("{root}/{path}"), options.compression_level(Some(9)))?;
            zip.write_all(&file.bytes)?;
        }
        Ok(zip.finish()?.into_inner())
    }
}

impl File {
    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn files(reversed: bool) -> Files {
        let mut files = Files::default();
        let add = |files: &mut Files, path: &str| match path {
            "corprof" => files.add_program(path, vec![1; 600]),
            _ => files.add(path, path.as_bytes()),
        };
        let mut paths = ["README.md", "corprof", "tools/x.json"];
        if reversed {
            paths.reverse();
        }
        paths.into_iter().for_each(|path| add(&mut files, path));
        files
    }

    #[test]
    fn a_tar_archive_has_sorted_files_without_owners_and_times() {
        let bytes = files(false).tar_gz("x-1", 7).unwrap();
        assert_eq!(bytes, files(true).tar_gz("x-1", 7).unwrap());
        // The time in gzip's header.
        assert_eq!(bytes[4..8], [0; 4]);
        let mut archive = tar::Archive::new(GzDecoder::new(&*bytes));
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let (path, header) = (entry.path().unwrap().display().to_string(), entry.header().clone());
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            assert_eq!((header.mtime().unwrap(), header.uid().unwrap(), header.gid().unwrap()), (7, 0, 0));
            seen.push((path, header.mode().unwrap(), content.len()));
        }
        let expected =
            [("x-1/README.md", 0o644, 9), ("x-1/corprof", 0o755, 600), ("x-1/tools/x.json", 0o644, 12)];
        assert_eq!(seen, expected.map(|(path, mode, size)| (path.to_owned(), mode, size)));
    }

    #[test]
    fn a_zip_archive_has_the_same_files_and_no_time() {
        let bytes = files(false).zip("x-1").unwrap();
        assert_eq!(bytes, files(true).zip("x-1").unwrap());
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, ["x-1/README.md", "x-1/corprof", "x-1/tools/x.json"]);
        let file = archive.by_name("x-1/corprof").unwrap();
        assert_eq!(file.unix_mode().map(|mode| mode & 0o777), Some(0o755));
        assert_eq!(file.last_modified().map(|time| time.year()), Some(1980));
    }
}
