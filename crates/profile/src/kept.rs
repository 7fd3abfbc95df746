//! Files that are kept: one for each report. The oldest are removed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use corprof_in_process::outlet::Document;

use crate::given::{Given, Wrong};
use crate::limits::{KEPT_BYTES, KEPT_FILES};

/// The digits of a time in milliseconds since 1970, until the year 2286.
const DIGITS: usize = 13;

/// What is kept of the files of earlier reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// The number of files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Their age.
    pub age: Option<Duration>,
}

impl Budget {
    /// Returns the budget that `KEEP`, `KEEP_MB` and `KEEP_SECONDS` describe; `None` if reports are not kept. Without another number
    /// it is 100 files of 1 GiB. `OUT` has to be given, because the files are named after it.
    ///
    /// # Errors
    /// [`Wrong`]: a value is none of those that are valid, or `OUT` is missing.
    pub fn of(given: &dyn Given) -> Result<Option<Self>, Wrong> {
        const EXPECTED: &str = "it is a whole number from 1 upwards";
        let number = |name: &'static str| {
            let number = given.text(name).map(|text| text.parse().ok().filter(|number: &u64| *number > 0));
            number.map(|number| number.ok_or_else(|| Wrong::value(name, EXPECTED))).transpose()
        };
        let (files, megabytes) = (number("KEEP")?, number("KEEP_MB")?);
        let age = given.text("KEEP_SECONDS").map(|text| {
            let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let seconds = seconds.filter(|seconds| !seconds.is_zero());
            seconds.ok_or_else(|| Wrong::value("KEEP_SECONDS", "it is a number of seconds"))
        });
        let age = age.transpose()?;
        if files.is_none() && megabytes.is_none() && age.is_none() {
            return Ok(None);
        }
        if given.text("OUT").is_none() {
            return Err(Wrong::missing("OUT", "the files are named after it"));
        }
        Ok(Some(Self {
            files: files.map_or(KEPT_FILES, |files| usize::try_from(files).unwrap_or(usize::MAX)),
            bytes: megabytes.map_or(KEPT_BYTES, |megabytes| megabytes.saturating_mul(1 << 20)),
            age,
        }))
    }
}

/// Files beside each other whose names have the time of their report: `cpu.1795420800000.svg` for `cpu.svg`.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    /// What the names have before and after the time.
    begin: OsString,
    end: OsString,
    budget: Budget,
}

impl Files {
    /// Checks that the folder exists. The program may change its own folder.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn create(path: &Path, budget: Budget) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // An ending may have two parts: `.pb.gz`.
        let dot =
            name.char_indices().skip(1).find(|(_, char)| *char == '.').map_or(name.len(), |(dot, _)| dot);
        let (begin, end) = name.split_at(dot);
        Ok(Self { folder, begin: format!("{begin}.").into(), end: end.into(), budget })
    }

    fn path(&self, time: u64) -> PathBuf {
        let mut name = self.begin.clone();
        name.push(format!("{time:0DIGITS$}"));
        name.push(&self.end);
        self.folder.join(name)
    }

    /// Returns the files with their times and sizes, the oldest first.
    fn existing(&self) -> io::Result<Vec<(u64, PathBuf, u64)>> {
        let (begin, end) = (self.begin.to_string_lossy(), self.end.to_string_lossy());
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let time = name.strip_prefix(&*begin).and_then(|rest| rest.strip_suffix(&*end));
            let is_time =
                |time: &&str| time.len() == DIGITS && time.bytes().all(|byte| byte.is_ascii_digit());
            let Some(time) = time.filter(is_time).and_then(|time| time.parse().ok()) else { continue };
            // It may have been removed meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file() {
                files.push((time, entry.path(), metadata.len()));
            }
        }
        files.sort();
        Ok(files)
    }

    /// Writes the report of a time, and removes the oldest files before, so that the budget is kept.
    ///
    /// # Errors
    /// If it cannot be written, or is longer than all files may be.
    pub fn write(&self, report: &[u8], now: SystemTime) -> io::Result<()> {
        let length = report.len() as u64;
        if length > self.budget.bytes {
            return Err(io::Error::other(format!("it has {length} bytes, more than all files may have")));
        }
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let mut files = self.existing()?;
        // Room is made first, so that the budget is never exceeded.
        let mut bytes: u64 = files.iter().map(|(.., length)| length).sum();
        let oldest = self.budget.age.and_then(|age| now.checked_sub(u64::try_from(age.as_millis()).ok()?));
        let mut count = files.len();
        for (time, path, size) in files.drain(..) {
            let is_old = oldest.is_some_and(|oldest| time < oldest);
            if count < self.budget.files && bytes + length <= self.budget.bytes && !is_old {
                break;
            }
            fs::remove_file(path)?;
            count -= 1;
            bytes -= size;
        }
        let mut time = now;
        while self.path(time).exists() {
            time += 1;
        }
        Document::create(&self.path(time))?.replace(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::tests::given;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn at(milliseconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_000 + milliseconds)
    }

    #[test]
    fn the_newest_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cpu.pb.gz");
        // Files of others.
        for name in ["cpu.pb.gz", "cpu.1.pb.gz", "cpu.1700000000000.svg", "gpu.1700000000000.pb.gz"] {
            fs::write(folder.path().join(name), "other").unwrap();
        }
        let others = names(folder.path());
        let kept = |others: &[String]| {
            let all = names(folder.path());
            all.into_iter().filter(|name| !others.contains(name)).collect::<Vec<_>>()
        };
        let budget = Budget { files: 3, bytes: 100, age: None };
        let files = Files::create(&path, budget).unwrap();
        for time in [1, 1, 2, 3, 4] {
            files.write(&[b'x'; 20], at(time)).unwrap();
        }
        // Two came in the same millisecond.
        assert_eq!(
            kept(&others),
            ["cpu.1700000000003.pb.gz", "cpu.1700000000004.pb.gz", "cpu.1700000000005.pb.gz"]
                .map(|name| name.to_owned())
        );
        // The size counts too, and a report that is too large leaves the others.
        files.write(&[b'x'; 50], at(10)).unwrap();
        assert_eq!(kept(&others).len(), 3);
        files.write(&[b'x'; 80], at(11)).unwrap();
        assert_eq!(kept(&others), ["cpu.1700000000011.pb.gz".to_owned()]);
        assert!(files.write(&[b'x'; 101], at(12)).is_err());
        assert_eq!(kept(&others), ["cpu.1700000000011.pb.gz".to_owned()]);
        // And the age.
        let budget = Budget { files: 9, bytes: 1000, age: Some(Duration::from_millis(10)) };
        let files = Files::create(&path, budget).unwrap();
        files.write(b"x", at(21)).unwrap();
        assert_eq!(kept(&others).len(), 2);
        files.write(b"x", at(22)).unwrap();
        assert_eq!(kept(&others), ["cpu.1700000000021.pb.gz", "cpu.1700000000022.pb.gz"].map(str::to_owned));
        for other in others {
            assert_eq!(fs::read(folder.path().join(other)).unwrap(), b"other");
        }
    }

    #[test]
    fn settings_of_rotation() {
        let of = |data: &str| Budget::of(&given(data));
        assert_eq!(of("OUT=x"), Ok(None));
        let default = Budget { files: KEPT_FILES, bytes: KEPT_BYTES, age: None };
        assert_eq!(of("OUT=x\nKEEP=7"), Ok(Some(Budget { files: 7, ..default })));
        assert_eq!(of("OUT=x\nKEEP_MB=2"), Ok(Some(Budget { bytes: 2 << 20, ..default })));
        let age = Some(Duration::from_secs(3600));
        assert_eq!(of("OUT=x\nKEEP_SECONDS=3600"), Ok(Some(Budget { age, ..default })));
        for data in ["KEEP=3", "OUT=x\nKEEP=0", "OUT=x\nKEEP_MB=x"] {
            assert!(of(data).is_err(), "{data}");
        }
    }
}
