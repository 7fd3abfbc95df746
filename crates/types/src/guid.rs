//! GUIDs: class ids, interface ids and module version ids.

use core::fmt;
use core::str::FromStr;

use corprof_sys as sys;

/// A globally unique identifier.
///
/// ```
/// use corprof_types::Guid;
///
/// const CLSID: Guid = Guid::parse("{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");
/// assert_eq!(CLSID.to_string(), "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Guid(sys::GUID);

impl Guid {
    /// All zeros.
    pub const NIL: Self = Self(sys::GUID { data1: 0, data2: 0, data3: 0, data4: [0; 8] });

    /// Parses a GUID such as `{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}`, braces optional, in a constant.
    ///
    /// In a `const` a malformed text is a compile error.
    ///
    /// # Panics
    /// If the text is not a GUID.
    #[must_use]
    #[allow(clippy::panic, reason = "runs at compile time, where this is the error message")]
    pub const fn parse(text: &str) -> Self {
        match Self::try_parse(text) {
            Some(guid) => guid,
            None => panic!("not a GUID of the form {{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}}"),
        }
    }

    /// Parses a GUID, braces optional; `None` if the text is malformed.
    #[must_use]
    pub const fn try_parse(text: &str) -> Option<Self> {
        let text = text.as_bytes();
        let text = match text {
            [b'{', inner @ .., b'}'] => inner,
            plain => plain,
        };
        if text.len() != 36 {
            return None;
        }
        let mut bytes = [0u8; 16];
        let (mut at, mut filled) = (0, 0);
        while at < text.len() {
            if matches!(at, 8 | 13 | 18 | 23) {
                if text[at] != b'-' {
                    return None;
                }
                at += 1;
                continue;
            }
            let (Some(high), Some(low)) = (hex(text[at]), hex(text[at + 1])) else { return None };
            bytes[filled] = high << 4 | low;
            filled += 1;
            at += 2;
        }
        Some(Self::from_bytes(bytes))
    }

    /// The GUID of the raw interface's structure.
    #[must_use]
    pub const fn from_sys(guid: sys::GUID) -> Self {
        Self(guid)
    }

    /// The raw interface's structure.
    #[must_use]
    pub const fn as_sys(&self) -> &sys::GUID {
        &self.0
    }

    /// The GUID with these bytes, in the order in which the text form writes them.
    #[must_use]
    pub const fn from_bytes(b: [u8; 16]) -> Self {
        Self(sys::GUID {
            data1: u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
            data2: u16::from_be_bytes([b[4], b[5]]),
            data3: u16::from_be_bytes([b[6], b[7]]),
            data4: [b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]],
        })
    }

    /// The bytes, in the order in which the text form writes them.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        let (a, b, c, d) = (
            self.0.data1.to_be_bytes(),
            self.0.data2.to_be_bytes(),
            self.0.data3.to_be_bytes(),
            self.0.data4,
        );
        [a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]]
    }

    /// The GUID with these bytes of little-endian memory, where the first three numbers are reversed.
    #[must_use]
    pub const fn from_le_bytes(bytes: [u8; 16]) -> Self {
        Self::from_bytes(reversed(bytes))
    }

    /// The bytes in little-endian memory, where the first three numbers are reversed.
    #[must_use]
    pub const fn to_le_bytes(self) -> [u8; 16] {
        reversed(self.to_bytes())
    }
}

/// The bytes with the first three numbers in the other order.
const fn reversed(bytes: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes;
    [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]
}

/// The error of a text that is no GUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidError;

impl fmt::Display for GuidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a GUID of the form {7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}")
    }
}

impl core::error::Error for GuidError {}

impl FromStr for Guid {
    type Err = GuidError;

    fn from_str(text: &str) -> Result<Self, GuidError> {
        Self::try_parse(text).ok_or(GuidError)
    }
}

/// The value of one hexadecimal digit.
const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

impl PartialEq for Guid {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}

impl Eq for Guid {}

impl core::hash::Hash for Guid {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.to_bytes().hash(state);
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sys::GUID { data1, data2, data3, data4: d } = self.0;
        write!(f, "{{{data1:08X}-{data2:04X}-{data3:04X}-{:02X}{:02X}-", d[0], d[1])?;
        d[2..].iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        f.write_str("}")
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({self})")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::{Guid, GuidError};

    #[test]
    fn text_and_bytes_go_both_ways() {
        let guid = Guid::parse("00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(guid.to_string(), "{00112233-4455-6677-8899-AABBCCDDEEFF}");
        assert_eq!(Guid::from_bytes(guid.to_bytes()), guid);
        assert_eq!(guid.to_bytes()[..4], [0, 0x11, 0x22, 0x33]);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "{}", "00112233-4455-6677-8899-aabbccddee", "00112233x4455-6677-8899-aabbccddeeff"] {
            assert_eq!(Guid::try_parse(text), None, "{text}");
        }
        assert_eq!(Guid::try_parse("é0112233-4455-6677-8899-aabbccddeef"), None);
    }

    #[test]
    fn a_guid_is_read_with_and_without_braces() {
        let guid: Guid = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap();
        assert_eq!(guid, "7b2d7e44-3c0f-4c39-9e6a-5d1f0c6e2a11".parse().unwrap());
        assert_eq!(guid.to_string(), "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");
        assert_eq!(guid.to_le_bytes()[..8], [0x44, 0x7E, 0x2D, 0x7B, 0x0F, 0x3C, 0x39, 0x4C]);
        assert_eq!(guid.to_le_bytes()[8..], [0x9E, 0x6A, 0x5D, 0x1F, 0x0C, 0x6E, 0x2A, 0x11]);
        assert_eq!(Guid::from_le_bytes(guid.to_le_bytes()), guid);
    }

    #[test]
    fn text_that_is_no_guid_is_refused() {
        for text in [
            "",
            "{}",
            "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11",
            "7B2D7E443C0F4C399E6A5D1F0C6E2A11",
            "+B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11",
        ] {
            assert_eq!(text.parse::<Guid>(), Err(GuidError), "{text}");
        }
    }
}
