//! JSON lines as docs/calltrace-format.md defines them: strings are UTF-16, and a lone surrogate is written as its escape.
//!
//! Rust strings cannot hold a lone surrogate, and `serde_json` rejects one. Before parsing, each is replaced
//! by a marker that no test uses otherwise; [`utf16`] restores it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

/// The marker before the four hexadecimal digits of a lone surrogate, from the private use area.
const MARK: char = '\u{f8ff}';

/// Parses one line.
///
/// # Errors
///
/// What is wrong with the JSON.
pub fn parse(line: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&mark_lone_surrogates(line))
}

/// Parses JSON lines without lone surrogates: the output of test profilers and programs.
///
/// # Errors
///
/// The first line that is not JSON, with what is wrong with it.
pub fn lines(text: &str) -> anyhow::Result<Vec<Value>> {
    text.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// The [`lines`] of a file.
///
/// # Errors
///
/// When the file cannot be read, or a line is not JSON.
pub fn lines_of(path: &Path) -> anyhow::Result<Vec<Value>> {
    lines(&fs::read_to_string(path).with_context(|| path.display().to_string())?)
}

/// The UTF-16 units of a string from [`parse`].
#[must_use]
pub fn utf16(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let digits = rest.as_str().get(..4);
        match digits.and_then(|d| u16::from_str_radix(d, 16).ok()) {
            Some(unit) if c == MARK => {
                units.push(unit);
                rest.nth(3);
            }
            _ => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

fn mark_lone_surrogates(line: &str) -> Cow<'_, str> {
    if !line.contains("\\ud") && !line.contains("\\uD") {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let used = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(high), Some(low)) if high < 0xdc00 && low >= 0xdc00 => {
                out.push_str(&rest[..12]);
                12
            }
            (Some(lone), _) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{MARK}{lone:04x}");
                6
            }
            (None, _) => {
                // The escape and the character after it, which may be another backslash.
                let used = rest.char_indices().nth(2).map_or(rest.len(), |(i, _)| i);
                out.push_str(&rest[..used]);
                used
            }
        };
        rest = &rest[used..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The surrogate whose escape the text begins with.
fn surrogate(text: &str) -> Option<u16> {
    let unit = u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    (0xd800..0xe000).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn units(json: &str) -> Vec<u16> {
        utf16(parse(json).unwrap().as_str().unwrap())
    }

    #[test]
    fn a_pair_is_one_character() {
        assert_eq!(parse(r#""\ud83d\ude00""#).unwrap(), "😀");
    }

    #[test]
    fn a_lone_surrogate_keeps_its_value() {
        assert_eq!(units(r#""a\ud83d b""#), [0x61, 0xd83d, 0x20, 0x62]);
        assert_eq!(units(r#""\udc00\ud83d""#), [0xdc00, 0xd83d]);
        assert_eq!(units(r#""\ud83d\ud83d\ude00""#), [0xd83d, 0xd83d, 0xde00]);
    }

    #[test]
    fn an_escaped_backslash_is_no_surrogate() {
        assert_eq!(parse(r#""\\ud83d""#).unwrap(), "\\ud83d");
        assert_eq!(parse(r#""\\\\ud83d \ud83d\ude00""#).unwrap(), "\\\\ud83d 😀");
    }

    #[test]
    fn the_same_text_is_equal_however_it_is_escaped() {
        assert_eq!(parse(r#""ü\u0000€""#).unwrap(), parse(r#""\u00fc\u0000\u20ac""#).unwrap());
    }
}
