//! Payloads: numbers, GUIDs, strings.
//!
//! A string is its length in UTF-16 code units, terminator included, then the units; or the length 0 alone.

use corprof_types::Guid;

use crate::message::HEADER;
use crate::{Command, Error, Result};

/// Writes the payload of a command.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn guid(mut self, guid: Guid) -> Self {
        self.0.extend(swapped(guid.to_bytes()));
        self
    }

    pub(crate) fn text(self, text: &str) -> Result<Self> {
        if text.contains('\0') {
            return Err(Error::Zero { text: text.to_owned() });
        }
        let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut this = self.length(units.len());
        this.0.extend(units.into_iter().flat_map(u16::to_le_bytes));
        Ok(this)
    }

    /// An empty text has no terminator.
    pub(crate) fn optional_text(self, text: &str) -> Result<Self> {
        if text.is_empty() { Ok(self.length(0)) } else { self.text(text) }
    }

    /// Writes a length-prefixed byte array.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        let mut this = self.length(bytes.len());
        this.0.extend(bytes);
        this
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    /// A length beyond that of a message is refused when the header is written.
    pub(crate) fn length(self, length: usize) -> Self {
        self.u32(u32::try_from(length).unwrap_or(u32::MAX))
    }
}

/// Reads the payload of a response.
pub(crate) struct Reader<'a> {
    command: Command,
    rest: &'a [u8],
    length: usize,
    /// The length of the response before the payload.
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(command: Command, payload: &'a [u8]) -> Self {
        Self { command, rest: payload, length: payload.len(), offset: HEADER }
    }

    /// A payload that follows the message itself.
    pub(crate) fn after(command: Command, message: usize, bytes: &'a [u8]) -> Self {
        Self { command, rest: bytes, length: bytes.len(), offset: message }
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array("too short for a number").map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array("too short for a number").map(u64::from_le_bytes)
    }

    pub(crate) fn guid(&mut self) -> Result<Guid> {
        self.array("too short for a GUID").map(|bytes| Guid::from_bytes(swapped(bytes)))
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        let count = self.u32()?;
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(2));
        let Some((text, rest)) = bytes.and_then(|bytes| self.rest.split_at_checked(bytes)) else {
            return Err(self.malformed("a text that is longer than the answer"));
        };
        self.rest = rest;
        let (units, _) = text.as_chunks::<2>();
        let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
        let text: String =
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Ok(text.strip_suffix('\0').map(str::to_owned).unwrap_or(text))
    }

    pub(crate) fn malformed(&self, what: &'static str) -> Error {
        Error::Malformed { command: self.command, what, at: self.offset + self.length - self.rest.len() }
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let Some((bytes, rest)) = self.rest.split_first_chunk() else { return Err(self.malformed(what)) };
        self.rest = rest;
        Ok(*bytes)
    }
}

/// Converts the bytes of a GUID between text order and little-endian memory order.
fn swapped(mut bytes: [u8; 16]) -> [u8; 16] {
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    bytes
}
