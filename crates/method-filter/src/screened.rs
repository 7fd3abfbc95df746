//! Globs that few names match. Most names are refused by their letters.

use globset::GlobSet;

use crate::patterns::{PatternError, compile_globs};

/// Globs that ignore case.
#[derive(Debug, Default)]
pub(crate) struct ScreenedGlobs {
    globs: GlobSet,
    /// For each glob, letters that occur in each name that it matches.
    needed: Box<[Letters]>,
}

/// A set of the letters from `a` to `z`, in either case: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Letters(u32);

impl ScreenedGlobs {
    /// Compiles the patterns of a setting.
    ///
    /// # Errors
    /// A pattern is not a glob. The message names the setting.
    pub(crate) fn new(setting: &str, patterns: &[&str]) -> Result<Self, PatternError> {
        let globs = compile_globs(setting, true, patterns.iter().copied())?;
        Ok(Self { globs, needed: patterns.iter().map(|pattern| Letters::needed_by(pattern)).collect() })
    }

    /// Returns whether a name matches a glob.
    pub(crate) fn is_match(&self, name: &str) -> bool {
        let letters = Letters::of(name);
        self.needed.iter().any(|needed| letters.has(*needed)) && self.globs.is_match(name)
    }
}

impl Letters {
    /// The letters of a name. Globs ignore the case of these letters only.
    fn of(name: &str) -> Self {
        let mut letters = Self::default();
        name.bytes().for_each(|byte| letters.add(byte));
        letters
    }

    /// Letters that each name has which a glob matches: those outside of alternatives, up to the first class of characters.
    fn needed_by(pattern: &str) -> Self {
        let (mut letters, mut depth) = (Self::default(), 0_usize);
        let mut bytes = pattern.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'[' => break,
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                // The escaped character too need not be looked at.
                b'\\' => drop(bytes.next()),
                _ if depth == 0 => letters.add(byte),
                _ => {}
            }
        }
        letters
    }

    fn add(&mut self, byte: u8) {
        let letter = byte.to_ascii_lowercase();
        if letter.is_ascii_lowercase() {
            self.0 |= 1 << (letter - b'a');
        }
    }

    const fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_letters_are_outside_of_alternatives_and_classes() {
        for (pattern, letters) in [
            ("*Token*", "ektno"),
            ("{access,id}{_,}key", "eky"),
            ("a{b,{c,d}e}f", "af"),
            ("ab[cd]e", "ab"),
            ("a\\[b?c", "abc"),
            ("*", ""),
        ] {
            assert_eq!(Letters::needed_by(pattern), Letters::of(letters), "{pattern}");
        }
    }

    #[test]
    fn screened_globs_match_as_globs_do() {
        let patterns = ["*password*", "*{api,id}token", "k?y", "a[bc]*", "x\\*y", "", "{p,q}"];
        let screened = ScreenedGlobs::new("X", &patterns).unwrap();
        let globs = compile_globs("X", true, patterns).unwrap();
        let names = [
            "password",
            "newPASSWORD",
            "passwor",
            "apiToken",
            "idtoken",
            "token",
            "key",
            "KEY",
            "ab",
            "ac9",
            "ad",
            "x*y",
            "xzy",
            "",
            "p",
            "Q",
            "r",
            "\u{212A}ey",
            "pa\u{17F}sword",
            "caf\u{e9}",
        ];
        for name in names {
            assert_eq!(screened.is_match(name), globs.is_match(name), "{name}");
        }
    }
}
