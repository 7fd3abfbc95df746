//! Settings of what is kept and pushed, wherever they come from.

use core::fmt;

/// Values by the names of settings: `KEEP`, `PUSH`, `OUT`.
pub trait Given {
    /// Returns a value; `None` if it is not given, or empty.
    fn text(&self, name: &str) -> Option<&str>;
}

/// A setting whose value is wrong, or that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrong {
    /// The name of the setting.
    pub name: &'static str,
    /// What it may be, or what it is needed for.
    pub reason: String,
    /// Whether it is missing.
    pub is_missing: bool,
}

impl Wrong {
    pub(crate) fn value(name: &'static str, expected: &str) -> Self {
        Self { name, reason: expected.to_owned(), is_missing: false }
    }

    pub(crate) fn missing(name: &'static str, reason: &str) -> Self {
        Self { name, reason: reason.to_owned(), is_missing: true }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, reason, is_missing } = self;
        f.write_str(name)?;
        f.write_str(if *is_missing { " is missing: " } else { " is not valid: " })?;
        f.write_str(reason)
    }
}

impl core::error::Error for Wrong {}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::Given;

    pub(crate) struct Lines(BTreeMap<String, String>);

    impl Given for Lines {
        fn text(&self, name: &str) -> Option<&str> {
            self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
        }
    }

    /// Settings in lines of `NAME=value`.
    pub(crate) fn given(lines: &str) -> Lines {
        let pairs = lines.lines().map(|line| line.split_once('=').unwrap());
        Lines(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}
