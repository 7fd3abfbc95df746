//! A profiler library, and the environment variables that make a runtime load it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use crate::{native, paths};

/// A profiler library and its class id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiler {
    /// The shared library.
    pub library: PathBuf,
    /// The class id that the runtime requests.
    pub clsid: Clsid,
}

impl Profiler {
    /// Creates a profiler from a library, made absolute, and a class id.
    #[must_use]
    pub fn new(library: &Path, clsid: Clsid) -> Self {
        Self { library: paths::absolute(library), clsid }
    }

    /// Returns the profiler of a library whose file states its only class id.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has no class id or several.
    pub fn of(library: &Path) -> Result<Self> {
        let shown = library.display();
        let bytes = std::fs::read(library).with_context(|| {
            format!("cannot read the library {shown}; build it first, or correct its path")
        })?;
        let Some(file) = native::library(&bytes) else {
            bail!("{shown} is no shared library; the crate needs `crate-type = [\"cdylib\"]`")
        };
        match *native::class_ids(&file) {
            [clsid] => Ok(Self::new(library, clsid)),
            [] if !native::is_profiler(&file) => bail!(
                "{shown} exports no DllGetClassObject; call `corprof::export_profiler!` once in its lib.rs"
            ),
            [] => bail!("{shown} does not state its class id; name it with --clsid"),
            ref several => {
                let several: Vec<String> = several.iter().map(Clsid::to_string).collect();
                bail!("{shown} has several profilers; choose one with --clsid: {}", several.join(", "))
            }
        }
    }

    /// The variables that make a runtime load it. Since .NET 11 the names with `DOTNET_` do so too.
    #[must_use]
    pub fn variables(&self) -> [(&'static str, String); 8] {
        self.variables_with(self.library.to_string_lossy().into_owned())
    }

    /// As [`variables`](Self::variables), with the path of the library as the program sees it.
    #[must_use]
    pub fn variables_with(&self, path: String) -> [(&'static str, String); 8] {
        let bits = if cfg!(target_pointer_width = "64") {
            ["CORECLR_PROFILER_PATH_64", "DOTNET_PROFILER_PATH_64"]
        } else {
            ["CORECLR_PROFILER_PATH_32", "DOTNET_PROFILER_PATH_32"]
        };
        [
            ("CORECLR_ENABLE_PROFILING", "1".to_owned()),
            ("CORECLR_PROFILER", self.clsid.to_string()),
            ("CORECLR_PROFILER_PATH", path.clone()),
            (bits[0], path.clone()),
            ("DOTNET_ENABLE_PROFILING", "1".to_owned()),
            ("DOTNET_PROFILER", self.clsid.to_string()),
            ("DOTNET_PROFILER_PATH", path.clone()),
            (bits[1], path),
        ]
    }
}

/// A class id, printed in the format of the runtime: `{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clsid(u128);

impl Clsid {
    /// Reads sixteen bytes of little-endian memory.
    #[must_use]
    pub fn from_bytes(mut bytes: [u8; 16]) -> Self {
        bytes[..4].reverse();
        bytes[4..6].reverse();
        bytes[6..8].reverse();
        Self(u128::from_be_bytes(bytes))
    }

    /// Its sixteen bytes in little-endian memory.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = self.0.to_be_bytes();
        bytes[..4].reverse();
        bytes[4..6].reverse();
        bytes[6..8].reverse();
        bytes
    }
}

impl FromStr for Clsid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no class id; write it as {{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}}");
        let inner = match text.strip_prefix('{') {
            Some(rest) => rest.strip_suffix('}').ok_or_else(wrong)?,
            None => text,
        };
        let lengths: Vec<usize> = inner.split('-').map(str::len).collect();
        if lengths != [8, 4, 4, 4, 12] || !inner.chars().all(|c| c == '-' || c.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        u128::from_str_radix(&inner.replace('-', ""), 16).map(Self).map_err(|_| wrong())
    }
}

impl fmt::Display for Clsid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:032X}", self.0);
        let (a, b, c, d, e) = (&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]);
        write!(f, "{{{a}-{b}-{c}-{d}-{e}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_id_is_read_with_and_without_braces() {
        let clsid: Clsid = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap();
        assert_eq!(clsid, "7b2d7e44-3c0f-4c39-9e6a-5d1f0c6e2a11".parse().unwrap());
        assert_eq!(clsid.to_string(), "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");
        assert_eq!(clsid.to_bytes()[..8], [0x44, 0x7E, 0x2D, 0x7B, 0x0F, 0x3C, 0x39, 0x4C]);
        assert_eq!(Clsid::from_bytes(clsid.to_bytes()), clsid);
        assert_eq!(clsid.to_bytes()[8..], [0x9E, 0x6A, 0x5D, 0x1F, 0x0C, 0x6E, 0x2A, 0x11]);
    }

    #[test]
    fn text_that_is_no_class_id_is_refused() {
        for text in [
            "",
            "{}",
            "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11",
            "7B2D7E443C0F4C399E6A5D1F0C6E2A11",
            "+B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11",
        ] {
            assert!(text.parse::<Clsid>().is_err(), "{text}");
        }
    }
}
