//! The walk over a stack, by frame pointers.

use crate::stacks::limits::{FRAMES, REPLACED_COPIES, REPLACED_WORDS, STACK_BYTES};

/// The bit of an address in [`Captured::addresses`](crate::stacks::Captured::addresses) that may be the caller of replaced code.
///
/// On x86-64, code that replaces a running method (on-stack replacement, since .NET 7) leaves the frame of the replaced code below its own,
/// but links its own frame to that of the caller: the chain has the method twice, and its caller not at all. The walk looks for the frame
/// of replaced code between each two frames of the chain, and passes the return addresses that it may have with this bit, the outermost
/// first, after the address that would be in the replaced code. The reader, which knows the functions, decides: if the two addresses before
/// them are in the same function, or the second is the beginning of the replacing code (since .NET 11), that is one frame, and the first of
/// these that lies behind a call in managed code is its caller; otherwise none is.
pub const CALLER_OF_REPLACED: u64 = 1 << 63;

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

/// Passes each return address to `push`, innermost first, until it returns `false`. Those that may be of callers of replaced code have
/// [`CALLER_OF_REPLACED`].
///
/// Returns `None` if `push` did.
pub(crate) fn walk(
    words: &mut impl Words,
    registers: Registers,
    mut push: impl FnMut(u64) -> bool,
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
        let hidden = callers_of_replaced(words, above + WORD, outer);
        let mut hidden = hidden.into_iter().filter(|caller| *caller != 0);
        if !push(address as u64) || !hidden.all(|address| push(address as u64 | CALLER_OF_REPLACED)) {
            return None;
        }
        (lowest, frame) = (above, outer);
    }
    Some(End::TooDeep)
}

/// Returns the words above the copies of `outer` that lie between two frames of the chain, the outermost first; the rest is 0.
///
/// One of the copies is the beginning of the replaced code's frame, whose outer one is the same. Others are of frames that have ended: inside
/// the replaced code's frame, in registers' places that it has not used, and outside, in the part of the caller's frame that a call has used
/// before.
fn callers_of_replaced(words: &mut impl Words, begin: usize, outer: usize) -> [usize; REPLACED_COPIES] {
    let mut callers = [0; REPLACED_COPIES];
    let distance = outer.saturating_sub(begin) / WORD;
    let mut free = callers.iter_mut();
    for index in (0..distance.min(REPLACED_WORDS)).rev() {
        let frame = begin + index * WORD;
        if words.word(frame) != Some(outer) {
            continue;
        }
        let Some(caller) = words.word(frame + WORD).filter(|caller| *caller != 0 && *caller != outer) else {
            continue;
        };
        let Some(place) = free.next() else { break };
        *place = caller;
    }
    callers
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

    fn walked(words: &[usize], frame: usize) -> (Vec<u64>, Option<End>) {
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
    fn the_caller_of_replaced_code_is_found_between_frames() {
        // The replacing frame at 0x1000, the replaced one at 0x1018, the caller's at 0x1030.
        let stack = [0x1030, 0xA, 9, 0x1030, 0xB, 9, 0, 0xC];
        let expected = vec![0xA, 0xB | CALLER_OF_REPLACED, 0xC];
        assert_eq!(walked(&stack, 0x1000), (expected, Some(End::Outermost)));
        // An older frame has left the same outer frame in the replaced one.
        let stack = [0x1040, 0xA, 0x1040, 0xD, 9, 0x1040, 0xB, 9, 0, 0xC];
        let expected = vec![0xA, 0xB | CALLER_OF_REPLACED, 0xD | CALLER_OF_REPLACED, 0xC];
        assert_eq!(walked(&stack, 0x1000), (expected, Some(End::Outermost)));
        // An older call has left it in the caller's frame, with a word that is no return address.
        let stack = [0x1040, 0xA, 9, 0x1040, 0xB, 9, 0x1040, 0xD, 0, 0xC];
        let expected = vec![0xA, 0xD | CALLER_OF_REPLACED, 0xB | CALLER_OF_REPLACED, 0xC];
        assert_eq!(walked(&stack, 0x1000), (expected, Some(End::Outermost)));
        // The copy is the last word before the caller's frame: no return address is above it.
        let stack = [0x1020, 0xA, 9, 0x1020, 0, 0xC];
        assert_eq!(walked(&stack, 0x1000), (vec![0xA, 0xC], Some(End::Outermost)));
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
