//! The contents of strings, compared by hash.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use corprof::StringLayout;

use super::read_ahead::ReadAhead;

/// The unit of object sizes: the heap aligns objects to it.
pub(super) const UNIT: usize = 8;
/// The size of a string without characters.
const EMPTY: usize = 22;
/// The number of characters of a text that is kept.
const TEXT: usize = 80;
/// The number of bytes of a string that are read at once.
const PART: usize = 1 << 15;

/// Strings with the same contents.
#[derive(Debug, Default)]
pub(super) struct Same {
    pub(super) count: u64,
    /// The bytes of all of them.
    pub(super) bytes: u64,
    /// The beginning of the text, of strings that occur twice.
    pub(super) text: Option<String>,
}

/// The strings of a class, by length and hash.
///
/// Which class is that of strings is unknown while the heap is walked: it is one whose objects all have the size of a string
/// with the length at the place where strings have it.
pub(super) type Strings = HashMap<(u32, u64), Same>;

/// Adds an object to the strings of its class. Returns `None` if it is no string.
pub(super) fn add(
    strings: &mut Strings,
    memory: &mut ReadAhead,
    layout: StringLayout,
    address: usize,
    size: usize,
) -> Option<()> {
    let length = memory.u32(address.checked_add(layout.length_offset as usize)?)?;
    // Newer runtimes return sizes that are rounded up.
    if size.next_multiple_of(UNIT) != (EMPTY + 2 * length as usize).next_multiple_of(UNIT) {
        return None;
    }
    let mut start = address.checked_add(layout.buffer_offset as usize)?;
    let mut rest = 2 * length as usize;
    let mut hasher = DefaultHasher::new();
    let mut head = Vec::new();
    while rest > 0 {
        let part = memory.bytes(start, rest.min(PART))?;
        hasher.write(part);
        if head.is_empty() {
            head = part.get(..part.len().min(2 * TEXT)).unwrap_or_default().to_vec();
        }
        (start, rest) = (start + part.len(), rest - part.len());
    }
    let same = strings.entry((length, hasher.finish())).or_default();
    same.count += 1;
    same.bytes += size.next_multiple_of(UNIT) as u64;
    if same.count == 2 {
        let units = head.as_chunks().0.iter().map(|unit| u16::from_ne_bytes(*unit));
        let text: String = char::decode_utf16(units).map(|char| char.unwrap_or('\u{FFFD}')).collect();
        same.text = Some(if length as usize > TEXT { format!("{text}…") } else { text });
    }
    Some(())
}
