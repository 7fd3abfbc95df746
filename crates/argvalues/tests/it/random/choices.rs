//! Where random choices come from: a generator, or a fuzzer.

/// Where choices come from.
pub(crate) enum Random<'b> {
    /// A small generator (splitmix64): the same numbers on every run.
    Numbers(u64),
    /// A fuzzer's bytes, and zeros when they are used up.
    Bytes(&'b [u8]),
}

impl Random<'_> {
    /// A number of so many bytes.
    fn number(&mut self, bytes: usize) -> u64 {
        match self {
            Self::Numbers(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = *state;
                mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ mixed >> 31
            }
            Self::Bytes(rest) => {
                let (now, later) = rest.split_at(bytes.min(rest.len()));
                *rest = later;
                now.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.number(8)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        // A fuzzer gets further with a byte for each choice.
        let number = self.number(if bound <= 0x100 { 1 } else { 2 });
        usize::try_from(number % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(super) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}
