//! Why an identity has no name.

use std::io;
use std::path::PathBuf;

use crate::{Error, ImageError, Mvid};

/// Why an identity has no name, or assembly files cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// No file has the module.
    #[error("no assembly has the version id {mvid}; {}", looked(.places, .unreadable))]
    NoModule {
        /// The module's version id.
        mvid: Mvid,
        /// The folders and files that were looked in.
        places: Vec<PathBuf>,
        /// The files that may be assemblies and cannot be read, with the reasons.
        unreadable: Vec<(PathBuf, String)>,
    },
    /// An assembly file that is malformed, or has no such token.
    #[error("{}: {error}", .file.display())]
    Image {
        /// The file.
        file: PathBuf,
        /// Where and what.
        error: ImageError,
    },
    /// A folder or file that cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What the identity says does not fit to what the files say.
    #[error("{0}")]
    Name(#[from] Error),
}

fn looked(places: &[PathBuf], unreadable: &[(PathBuf, String)]) -> String {
    if places.is_empty() {
        return "no files or folders to look in were given".to_owned();
    }
    let list: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    let mut text = format!("looked in {}", list.join(", "));
    for (file, reason) in unreadable {
        text.push_str(&format!("; {} cannot be read: {reason}", file.display()));
    }
    text
}
