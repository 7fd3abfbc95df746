//! Numbers that look random and are the same in every run.

/// Marsaglia's xorshift64.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below the bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("no bound has more than 64 bits");
        usize::try_from((self.next() >> 16) % bound).expect("below a usize")
    }

    /// A byte, more often than not one that means something in a signature.
    pub(crate) fn byte(&mut self) -> u8 {
        const MEANINGFUL: &[u8] = &[
            0x01, 0x02, 0x08, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1B, 0x1C, 0x1D, 0x1E,
            0x1F, 0x20, 0x21, 0x22, 0x41, 0x45, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x30, 0x00,
        ];
        if self.below(4) > 0 {
            MEANINGFUL[self.below(MEANINGFUL.len())]
        } else {
            self.next().to_le_bytes()[3]
        }
    }
}
