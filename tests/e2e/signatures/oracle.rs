//! Lines of the oracle: a blob, and what System.Reflection.Metadata makes of it.

use anyhow::{Context as _, Result, bail};

use crate::dump::{KINDS, Kind};

/// The letter of each kind, in the order of [`KINDS`].
const LETTERS: [char; 6] = ['M', 'F', 'P', 'L', 'T', 'S'];

/// A blob with the oracle's answer.
pub(crate) struct Entry<'l> {
    pub(crate) kind: Kind,
    pub(crate) blob: Vec<u8>,
    /// How many bytes the oracle left.
    pub(crate) unread: usize,
    /// The structure, or why there is none.
    pub(crate) answer: Result<&'l str, &'l str>,
}

impl<'l> Entry<'l> {
    /// Reads `KIND<tab>BYTES<tab>UNREAD<tab>TEXT`.
    pub(crate) fn parse(line: &'l str) -> Result<Self> {
        let mut fields = line.splitn(4, '\t');
        let mut field = || fields.next().with_context(|| format!("the oracle's line {line:?} is short"));
        let kind = kind(field()?)?;
        let blob = from_hex(field()?)?;
        let unread = field()?.parse()?;
        let text = field()?;
        Ok(Self { kind, blob, unread, answer: text.strip_prefix('!').map_or(Ok(text), Err) })
    }
}

fn kind(letter: &str) -> Result<Kind> {
    let found = KINDS.into_iter().zip(LETTERS).find(|(_, candidate)| letter.chars().eq([*candidate]));
    Ok(found.with_context(|| format!("there is no kind {letter:?}"))?.0)
}

/// The letter of a kind.
pub(crate) fn letter(kind: Kind) -> char {
    LETTERS[kind as usize]
}

/// Bytes of hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Result<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        bail!("an odd number of digits: {text}");
    }
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
