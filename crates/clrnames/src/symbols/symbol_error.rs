//! Why an identity has no name.

use std::io;
use std::path::PathBuf;

use crate::error::Error;
use crate::identity::Mvid;
use crate::image::ImageError;

/// The result of a lookup in files.
pub(super) type Result<T, E = SymbolError> = core::result::Result<T, E>;

/// Why an identity has no name, or assembly files cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// No file has the module.
    #[error("no assembly has the version id {mvid}; {}", searched(.places, .unreadable))]
    NoModule {
        /// The module's version id.
        mvid: Mvid,
        /// The folders and files that were searched.
        places: Vec<PathBuf>,
        /// The files that seem to be assemblies and cannot be read, with the causes.
        unreadable: Vec<(PathBuf, String)>,
    },
    /// An assembly file is malformed, or does not have the token.
    #[error("{}: {error}", .file.display())]
    Image {
        /// The file.
        file: PathBuf,
        /// The cause and its offset.
        error: ImageError,
    },
    /// A folder or file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The identity does not fit the file, or a name in it is malformed.
    #[error("{0}")]
    Name(#[from] Error),
}

fn searched(places: &[PathBuf], unreadable: &[(PathBuf, String)]) -> String {
    if places.is_empty() {
        return "no files or folders were added".to_owned();
    }
    let list: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    let mut text = format!("searched {}", list.join(", "));
    for (file, reason) in unreadable {
        text.push_str(&format!("; {} cannot be read: {reason}", file.display()));
    }
    text
}
