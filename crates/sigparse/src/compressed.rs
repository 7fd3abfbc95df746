//! Writing the compressed integers of II.23.2.

use core::{fmt, ops::Deref};

use crate::limits;

/// A compressed integer: one, two or four bytes, the fewest that hold the number (II.23.2).
///
/// ```
/// use sigparse::Compressed;
///
/// assert_eq!(*Compressed::unsigned(0x2E57).unwrap(), [0xAE, 0x57]);
/// assert_eq!(*Compressed::signed(-3).unwrap(), [0x7B]);
/// assert!(Compressed::unsigned(0x2000_0000).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Compressed {
    bytes: [u8; 4],
    first: u8,
}

impl Compressed {
    /// Compresses an unsigned number; `None` above [`limits::MAX_COMPRESSED_UNSIGNED`].
    pub const fn unsigned(value: u32) -> Option<Self> {
        match value {
            0..=0x7F => Some(Self::with_length(value, 1)),
            0x80..=0x3FFF => Some(Self::with_length(value, 2)),
            0x4000..=limits::MAX_COMPRESSED_UNSIGNED => Some(Self::with_length(value, 4)),
            _ => None,
        }
    }

    /// Compresses a signed number; `None` outside of [`limits::MIN_COMPRESSED_SIGNED`] to
    /// [`limits::MAX_COMPRESSED_SIGNED`].
    pub const fn signed(value: i32) -> Option<Self> {
        let (mask, length) = match value {
            -0x40..=0x3F => (0x3F, 1),
            -0x2000..=0x1FFF => (0x1FFF, 2),
            limits::MIN_COMPRESSED_SIGNED..=limits::MAX_COMPRESSED_SIGNED => (0x0FFF_FFFF, 4),
            _ => return None,
        };
        // The bits of the number, and its sign below them.
        let rotated = (value.cast_unsigned() & mask) << 1 | value.cast_unsigned() >> 31;
        Some(Self::with_length(rotated, length))
    }

    const fn with_length(value: u32, length: u8) -> Self {
        let tag = match length {
            1 => 0,
            2 => 0x8000,
            _ => 0xC000_0000,
        };
        Self { bytes: (value | tag).to_be_bytes(), first: 4 - length }
    }
}

impl Deref for Compressed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(usize::from(self.first)..).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Compressed {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Compressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X?}", &**self)
    }
}
