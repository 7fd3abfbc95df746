//! What a recording is written as.

use std::path::Path;

use corprof_profile::Format;

/// What a recording is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A report for people.
    Text,
    /// The tables of all streams, as JSON.
    Json,
    /// The tables of all streams, as values with commas between.
    Csv,
    /// A profile or a timeline.
    Profile(Format),
}

/// The names of the kinds, as a setting or an option has them.
const NAMES: &[(&str, Kind)] = &[
    ("text", Kind::Text),
    ("json", Kind::Json),
    ("csv", Kind::Csv),
    ("folded", Kind::Profile(Format::Folded)),
    ("svg", Kind::Profile(Format::Flame)),
    ("speedscope", Kind::Profile(Format::Speedscope)),
    ("pprof", Kind::Profile(Format::Pprof)),
    ("chrome", Kind::Profile(Format::Chrome)),
    ("firefox", Kind::Profile(Format::Firefox)),
];

impl Kind {
    /// Returns what the ending of a file's name means: a profile's format, `.csv`, `.json`, or else text.
    #[must_use]
    pub fn of_path(path: &Path) -> Self {
        if let Some(format) = Format::of_path(path) {
            return Self::Profile(format);
        }
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("csv") => Self::Csv,
            Some(ending) if ending.eq_ignore_ascii_case("json") => Self::Json,
            _ => Self::Text,
        }
    }

    /// Returns the kind with a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Returns the names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns whether the tables of the streams are needed.
    #[must_use]
    pub const fn has_tables(self) -> bool {
        matches!(self, Self::Json | Self::Csv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_means_a_kind() {
        for (name, kind) in [
            ("gc.txt", Kind::Text),
            ("gc", Kind::Text),
            ("gc.JSON", Kind::Json),
            ("gc.trace.json", Kind::Profile(Format::Chrome)),
            ("gc.csv", Kind::Csv),
            ("gc.pb.gz", Kind::Profile(Format::Pprof)),
        ] {
            assert_eq!(Kind::of_path(Path::new(name)), kind, "{name}");
        }
        assert!(Kind::names().all(|name| Kind::of_name(name).is_some()));
    }
}
