//! The version ids of modules.

use core::fmt;
use core::str::FromStr;

use super::IdentityError;

/// The version id of a module: a GUID that the compiler generates for each build, or derives from its output (ECMA-335
/// II.22.30).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mvid([u8; 16]);

impl Mvid {
    /// The id with these bytes, in the order in which the text form of a GUID writes them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, in the order in which the text form of a GUID writes them.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for Mvid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Quicker than `{:032x}`: a tracer formats an identity for each method that is called.
        let mut text = [0; 32];
        for (digits, byte) in text.chunks_exact_mut(2).zip(self.0) {
            digits.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xF)]);
        }
        f.write_str(core::str::from_utf8(&text).unwrap_or_default())
    }
}

/// The hexadecimal digit of a number below 16.
const fn digit(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'a' - 10 }
}

impl fmt::Debug for Mvid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mvid({self})")
    }
}

/// From 32 hexadecimal digits, also with the hyphens and braces of a GUID.
impl FromStr for Mvid {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let digits: String = inner.chars().filter(|char| *char != '-').collect();
        let value = (digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| u128::from_str_radix(&digits, 16).ok())
            .flatten();
        let wanted = "32 hexadecimal digits";
        value.map_or(Err(IdentityError { at: 0, wanted }), |value| Ok(Self(value.to_be_bytes())))
    }
}
