//! The patterns that no method has matched, from the traced processes to the command that has started them.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use crate::patterns::Unmatched;
use crate::{Chosen, MethodFilter};

/// The variable with the file that each process appends the fate of its patterns to, in the place of a warning. A pattern need
/// match in one process only.
pub const REPORT_VARIABLE: &str = "CORPROF_PATTERNS";

impl MethodFilter {
    /// Reports the patterns to include that have matched no method: to the file of [`REPORT_VARIABLE`], or else by `warn`. To be
    /// called when the program ends.
    pub fn report(&self, mut warn: impl FnMut(&str)) {
        let Chosen::Matching(patterns) = &self.chosen else { return };
        let unmatched = patterns.unmatched();
        let file = std::env::var_os(REPORT_VARIABLE).filter(|file| !file.is_empty());
        let is_written =
            file.is_some_and(|file| append(Path::new(&file), &patterns.matched(), &unmatched).is_ok());
        if !is_written {
            unmatched.iter().for_each(|unmatched| warn(&unmatched.to_string()));
        }
    }
}

/// Appends a line for each pattern: tab, a pattern that has matched; or a pattern, tab, and the nearest name. The file exists: the
/// command has made it.
fn append(file: &Path, matched: &[String], unmatched: &[Unmatched]) -> io::Result<()> {
    let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let mut lines = String::new();
    for pattern in matched {
        lines += &format!("\t{}\n", plain(pattern));
    }
    for Unmatched { pattern, nearest } in unmatched {
        lines += &format!("{}\t{}\n", plain(pattern), plain(nearest.as_deref().unwrap_or_default()));
    }
    OpenOptions::new().append(true).open(file)?.write_all(lines.as_bytes())
}

/// The fate of the patterns in all processes of a run.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<String, Option<Unmatched>>);

impl Report {
    /// Reads the file of [`REPORT_VARIABLE`]. A process that was killed has written nothing.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &Path) -> io::Result<Self> {
        let mut patterns = BTreeMap::new();
        for line in std::fs::read_to_string(file)?.lines() {
            match line.split_once('\t') {
                Some(("", matched)) => _ = patterns.insert(matched.to_owned(), None),
                Some((pattern, nearest)) => {
                    let nearest = (!nearest.is_empty()).then(|| nearest.to_owned());
                    let unmatched = Unmatched { pattern: pattern.to_owned(), nearest };
                    let known = patterns.entry(pattern.to_owned()).or_insert(Some(unmatched.clone()));
                    // Another process may have seen a nearer one, or only one at all.
                    if known.as_ref().is_some_and(|known| known.nearest.is_none()) {
                        *known = Some(unmatched);
                    }
                }
                None => {}
            }
        }
        Ok(Self(patterns))
    }

    /// Returns the patterns that have matched no method in any process.
    pub fn unmatched(&self) -> impl Iterator<Item = &Unmatched> {
        self.0.values().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_need_match_in_one_process_only() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let unmatched = |pattern: &str, nearest: Option<&str>| Unmatched {
            pattern: pattern.to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        append(file.path(), &[], &[unmatched("A.*", None), unmatched("B.*", None), unmatched("C", None)])
            .unwrap();
        append(file.path(), &["A.*".to_owned()], &[unmatched("B.*", Some("Be.M")), unmatched("C", None)])
            .unwrap();
        append(file.path(), &[], &[unmatched("A.*", None)]).unwrap();
        let report = Report::read(file.path()).unwrap();
        let left: Vec<_> = report.unmatched().cloned().collect();
        assert_eq!(left, [unmatched("B.*", Some("Be.M")), unmatched("C", None)]);
        assert!(append(Path::new("/nowhere/file"), &[], &[]).is_err());
    }
}
