//! The file formats.

use std::io::{self, Write};
use std::path::Path;

use crate::flame::FlameError;
#[cfg(feature = "pprof")]
use crate::pprof;
use crate::profile::Profile;
use crate::{chrome, firefox, flame, folded, speedscope};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A line for each stack. One value.
    Folded,
    /// A flame graph, an SVG image. One value.
    Flame,
    /// The file format of <https://www.speedscope.app>. All values.
    Speedscope,
    /// The protocol buffers of pprof, compressed by gzip. All values. Needs the feature `pprof`.
    #[cfg(feature = "pprof")]
    Pprof,
    /// Chrome's trace events, for <https://ui.perfetto.dev>. One value.
    Chrome,
    /// The processed format of <https://profiler.firefox.com>, in version 55. One value.
    Firefox,
}

/// The endings of file names.
const ENDINGS: &[(&str, Format)] = &[
    (".folded", Format::Folded),
    (".svg", Format::Flame),
    (".speedscope.json", Format::Speedscope),
    (".speedscope", Format::Speedscope),
    #[cfg(feature = "pprof")]
    (".pb.gz", Format::Pprof),
    #[cfg(feature = "pprof")]
    (".pprof", Format::Pprof),
    (".trace.json", Format::Chrome),
    (".chrome.json", Format::Chrome),
    (".firefox.json", Format::Firefox),
];

impl Format {
    /// Returns the format that the ending of a file's name means.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|&(_, format)| format)
    }
}

/// The error of writing a profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no value with this index.
    #[error("the profile has {count} values, and none with index {value}")]
    NoValue {
        /// The index.
        value: usize,
        /// The number of values.
        count: usize,
    },
}

impl Profile {
    /// Writes the profile. Formats of one value write the value with the index `value`; the others begin with the first.
    ///
    /// A flame graph of an empty profile has no frames.
    ///
    /// # Errors
    /// [`WriteError::NoValue`]: there is no such value. [`WriteError::Io`]: any error of `out`.
    pub fn write(&self, format: Format, value: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        let count = self.types().len();
        if value >= count {
            return Err(WriteError::NoValue { value, count });
        }
        match format {
            Format::Folded => folded::write(self, value, out)?,
            Format::Flame => match flame::write(self, value, out) {
                Ok(()) => {}
                Err(FlameError::Empty) => {
                    out.write_all(
                        b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"40\">",
                    )?;
                    out.write_all(b"<text x=\"10\" y=\"25\">no samples</text></svg>\n")?;
                }
                Err(FlameError::Io(error)) => return Err(error.into()),
            },
            Format::Speedscope => speedscope::write(self, out)?,
            #[cfg(feature = "pprof")]
            Format::Pprof => pprof::write(self, out)?,
            Format::Chrome => chrome::write(self, value, out)?,
            Format::Firefox => firefox::write(self, value, out)?,
        }
        Ok(())
    }
}
