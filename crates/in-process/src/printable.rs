//! Text of a traced program, displayed without control characters.

use core::fmt::{self, Display, Write};

/// Text whose unprintable characters are displayed as escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'t>(pub &'t str);

impl Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaping::new(f).write_str(self.0)
    }
}

/// A writer that escapes unprintable characters.
#[derive(Debug)]
pub struct Escaping<'w, W: ?Sized>(&'w mut W);

impl<'w, W: Write + ?Sized> Escaping<'w, W> {
    /// Returns a writer that writes to `out`.
    pub const fn new(out: &'w mut W) -> Self {
        Self(out)
    }
}

impl<W: Write + ?Sized> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if is_plain(text) {
            return self.0.write_str(text);
        }
        let mut written = 0;
        for (at, character) in text.char_indices().filter(|(_, character)| !is_printable(*character)) {
            self.0.write_str(text.get(written..at).unwrap_or_default())?;
            write_escape(self.0, character)?;
            written = at + character.len_utf8();
        }
        self.0.write_str(text.get(written..).unwrap_or_default())
    }
}

/// Returns `true` if all of a text is printable ASCII.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| plain & (byte.wrapping_sub(b' ') < 0x5f))
}

/// Returns `true` if a character is displayed as itself.
#[must_use]
pub const fn is_printable(character: char) -> bool {
    let is_noncharacter = (character as u32) & 0xfffe == 0xfffe;
    !is_noncharacter
        && !matches!(
            character,
            // Control characters.
            '\0'..='\x1f' | '\x7f'..='\u{9f}'
            // Soft hyphen, and marks that change the writing direction.
            | '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // What ends a line for some readers.
            | '\u{2028}' | '\u{2029}'
            // What has no width, except joiners, which some scripts and emoji need.
            | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            // Annotations, noncharacters, tags.
            | '\u{fff9}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Writes a character as an escape of C# and JSON: `\n`, `\r`, `\t`, otherwise its UTF-16 units as `\u001b`.
///
/// # Errors
/// Any error of the output.
pub fn write_escape<W: Write + ?Sized>(out: &mut W, character: char) -> fmt::Result {
    match character {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        _ => character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_script_stays_as_it_is() {
        for text in ["", "Shop.Cart`1", "Añadir", "カート", "עגלה", "👩\u{200d}🚀", "a\\b\"c"] {
            assert_eq!(Printable(text).to_string(), text);
        }
    }

    #[test]
    fn lines_terminals_and_directions_are_escaped() {
        for (text, escaped) in [
            ("a\nb\r\tc", r"a\nb\r\tc"),
            ("\x1b[31mred\x07", r"\u001b[31mred\u0007"),
            ("\u{9b}2J\u{7f}", r"\u009b2J\u007f"),
            ("user\u{202e}gpj.exe", r"user\u202egpj.exe"),
            ("\u{2066}a\u{2069}\u{2028}", r"\u2066a\u2069\u2028"),
            ("\u{e0041}\u{ffff}", r"\udb40\udc41\uffff"),
        ] {
            assert_eq!(Printable(text).to_string(), escaped);
        }
    }

    #[test]
    fn nothing_unprintable_is_left() {
        let all: String = (0..=0x10_ffff).filter_map(char::from_u32).collect();
        assert!(Printable(&all).to_string().chars().all(is_printable));
    }
}
