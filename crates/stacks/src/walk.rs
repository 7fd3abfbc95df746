//! The walk over a stack, by frame pointers.

use crate::limits::{FRAMES, STACK_BYTES};

/// The registers of a thread from which a walk begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    /// The instruction pointer.
    pub(crate) instruction: usize,
    /// The stack pointer.
    pub(crate) stack: usize,
    /// The frame pointer.
    pub(crate) frame: usize,
}

/// Why a walk ended.
///
/// A walk ends where the chain of frame pointers ends, whether the thread's outermost frame is there or code that keeps
/// something else in the frame pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum End {
    /// The frame pointer or the return address was 0, as in the outermost frame of a thread.
    Outermost,
    /// The frame pointer did not point to an outer frame.
    NoFrame,
    /// The memory at the frame pointer could not be read.
    Unreadable,
    /// The stack has more frames than the limit.
    TooDeep,
}

impl End {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::Outermost, Self::NoFrame, Self::Unreadable, Self::TooDeep];

    /// Returns the number of a reason in a ring.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Self::Outermost => 0,
            Self::NoFrame => 1,
            Self::Unreadable => 2,
            Self::TooDeep => 3,
        }
    }

    pub(crate) fn of_number(number: u64) -> Self {
        Self::ALL.into_iter().find(|end| end.number() == number).unwrap_or(Self::NoFrame)
    }
}

/// Memory of the walked thread. Reading must neither fault nor wait.
pub(crate) trait Words {
    /// Returns the word at an aligned address; `None` if it cannot be read.
    fn word(&mut self, address: usize) -> Option<usize>;
}

const WORD: usize = size_of::<usize>();

/// Passes each return address to `push`, innermost first, until it returns `false`.
///
/// Returns `None` if `push` did.
pub(crate) fn walk(
    words: &mut impl Words,
    registers: Registers,
    mut push: impl FnMut(usize) -> bool,
) -> Option<End> {
    let mut frame = registers.frame;
    // Each frame lies above the one that it calls, on the same stack.
    let mut lowest = registers.stack;
    for _ in 0..FRAMES {
        if frame == 0 {
            return Some(End::Outermost);
        }
        if !frame.is_multiple_of(WORD) || frame < lowest || frame - registers.stack > STACK_BYTES {
            return Some(End::NoFrame);
        }
        let Some(above) = frame.checked_add(WORD) else { return Some(End::NoFrame) };
        let (Some(outer), Some(address)) = (words.word(frame), words.word(above)) else {
            return Some(End::Unreadable);
        };
        if address == 0 {
            return Some(End::Outermost);
        }
        if !push(address) {
            return None;
        }
        (lowest, frame) = (above, outer);
    }
    Some(End::TooDeep)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack of words at an address.
    struct Stack(usize, Vec<usize>);

    impl Words for Stack {
        fn word(&mut self, address: usize) -> Option<usize> {
            assert_eq!(address % WORD, 0);
            self.1.get(address.checked_sub(self.0)? / WORD).copied()
        }
    }

    fn walked(words: &[usize], frame: usize) -> (Vec<usize>, Option<End>) {
        let mut stack = Stack(0x1000, words.to_vec());
        let mut addresses = Vec::new();
        let registers = Registers { instruction: 1, stack: 0x1000, frame };
        let end = walk(&mut stack, registers, |address| {
            addresses.push(address);
            true
        });
        (addresses, end)
    }

    #[test]
    fn frames_are_followed_to_the_outermost() {
        let stack = [9, 0x1020, 0xA, 9, 0x1040, 0xB, 9, 9, 0, 0xC];
        assert_eq!(walked(&stack, 0x1008), (vec![0xA, 0xB, 0xC], Some(End::Outermost)));
        assert_eq!(walked(&[0x1010, 0], 0x1000), (vec![], Some(End::Outermost)));
        assert_eq!(walked(&[], 0), (vec![], Some(End::Outermost)));
    }

    #[test]
    fn a_frame_pointer_that_is_none_ends_the_walk() {
        // Unaligned, below the stack pointer, itself, an inner frame, far away.
        for frame in [0x1001, 0x0ff8, 0x1000 + STACK_BYTES + WORD, usize::MAX - 7] {
            assert_eq!(walked(&[9; 8], frame), (vec![], Some(End::NoFrame)), "{frame:#x}");
        }
        for outer in [0x1010, 0x1008, 0x0ff0, 3] {
            let stack = [9, 9, outer, 0xA, 9, 9];
            assert_eq!(walked(&stack, 0x1010), (vec![0xA], Some(End::NoFrame)), "{outer:#x}");
        }
    }

    #[test]
    fn unreadable_memory_ends_the_walk() {
        assert_eq!(walked(&[0x1020, 0xA], 0x1000), (vec![0xA], Some(End::Unreadable)));
        // The last word of the readable memory is the frame pointer, without its return address.
        assert_eq!(walked(&[0x1010, 0xA, 0x1020], 0x1000), (vec![0xA], Some(End::Unreadable)));
    }

    #[test]
    fn a_walk_is_bounded() {
        let stack: Vec<usize> =
            (0..2_000).map(|word| if word % 2 == 0 { 0x1000 + (word + 2) * WORD } else { 0xA }).collect();
        let (addresses, end) = walked(&stack, 0x1000);
        assert_eq!((addresses.len(), end), (FRAMES, Some(End::TooDeep)));
        let registers = Registers { instruction: 1, stack: 0x1000, frame: 0x1000 };
        assert_eq!(walk(&mut Stack(0x1000, stack), registers, |_| false), None);
    }
}
