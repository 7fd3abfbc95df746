//! What a signal handler uses of a watched thread. All of it is allocated before the thread's timer is started, and never freed.

#[cfg(not(loom))]
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::OnceLock;

use crate::stacks::limits::{PAGE_WORDS, THREADS};
use crate::stacks::ring::Ring;
use crate::stacks::walk::{Registers, Words, walk};

/// A page of a walked stack, copied by the kernel.
pub(crate) type Page = [AtomicU64; PAGE_WORDS];

/// The state of a watched thread.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The number of the watch. A signal of another one is ignored: its timer has been deleted.
    watch: AtomicU32,
    /// The number of handlers that use the slot.
    handlers: AtomicU32,
    /// The value of the thread that the caller has given.
    key: AtomicU64,
    /// The time for which a sample stands, in nanoseconds.
    period: AtomicU64,
    /// Periods of samples that found no room; the next sample stands for them too.
    unrecorded: AtomicU64,
    /// The number of samples that found no room.
    dropped: AtomicU64,
    pub(crate) ring: Ring,
    page: Page,
}

/// The slots by number. A handler loads one without a lock.
static SLOTS: [OnceLock<Box<Slot>>; THREADS] = [const { OnceLock::new() }; THREADS];

/// The number of words before the addresses of a sample.
pub(crate) const HEADER: usize = 5;

/// Returns a slot that has been allocated.
pub(crate) fn slot(number: usize) -> Option<&'static Slot> {
    SLOTS.get(number)?.get().map(|slot| &**slot)
}

/// Allocates a slot, unless it has been.
pub(crate) fn allocate(number: usize) -> Option<&'static Slot> {
    Some(SLOTS.get(number)?.get_or_init(|| Box::new(Slot::new())))
}

impl Slot {
    fn new() -> Self {
        Self {
            watch: AtomicU32::new(0),
            handlers: AtomicU32::new(0),
            key: AtomicU64::new(0),
            period: AtomicU64::new(0),
            unrecorded: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            ring: Ring::new(),
            page: core::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// Begins a watch, and returns its number. The slot is free.
    pub(crate) fn begin(&self, key: u64, period: u64) -> u32 {
        self.key.store(key, Ordering::Relaxed);
        self.period.store(period, Ordering::Relaxed);
        self.unrecorded.store(0, Ordering::Relaxed);
        self.watch.fetch_add(1, Ordering::SeqCst).wrapping_add(1)
    }

    /// Ends a watch. Handlers that begin afterwards leave the slot alone.
    pub(crate) fn end(&self) {
        self.watch.fetch_add(1, Ordering::SeqCst);
        in_single_order();
    }

    /// Returns whether an ended watch's samples have been read, and no handler uses the slot.
    pub(crate) fn is_free(&self) -> bool {
        self.handlers.load(Ordering::SeqCst) == 0 && self.ring.is_empty()
    }

    /// Returns the number of samples that found no room since the last call.
    pub(crate) fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Ordering::Relaxed)
    }

    /// Records a sample of the calling thread, in its signal handler: no lock, no allocation, no panic.
    ///
    /// `read` copies the words from an address on into a page, without faulting.
    pub(crate) fn record(
        &self,
        watch: u32,
        registers: Registers,
        time: u64,
        periods: u64,
        read: impl Fn(&Page, usize, usize) -> bool,
    ) {
        // `is_free` and `end` rely on this order: the count first, then the comparison.
        self.handlers.fetch_add(1, Ordering::SeqCst);
        in_single_order();
        if self.watch.load(Ordering::SeqCst) == watch {
            let periods = periods.wrapping_add(self.unrecorded.load(Ordering::Relaxed));
            let is_recorded = self.write(registers, time, periods, read);
            self.unrecorded.store(if is_recorded { 0 } else { periods }, Ordering::Relaxed);
            if !is_recorded {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.handlers.fetch_sub(1, Ordering::SeqCst);
    }

    fn write(
        &self,
        registers: Registers,
        time: u64,
        periods: u64,
        read: impl Fn(&Page, usize, usize) -> bool,
    ) -> bool {
        let mut stack = Stack { page: &self.page, begin: 0, words: 0, read };
        let mut entry = self.ring.begin();
        let value = periods.wrapping_mul(self.period.load(Ordering::Relaxed));
        let top = stack.word(registers.stack & !7).unwrap_or(0);
        let header = [time, value, self.key.load(Ordering::Relaxed), 0, top as u64];
        let fits =
            header.into_iter().all(|word| entry.push(word)) && entry.push(registers.instruction as u64);
        if !fits {
            return false;
        }
        let Some(end) = walk(&mut stack, registers, |address| entry.push(address)) else {
            return false;
        };
        entry.set(3, end.number());
        entry.finish();
        true
    }
}

/// Stands for the single order of all `SeqCst` accesses, which `loom` does not model: it orders fences only. Does nothing
/// without `loom`.
#[inline(always)]
fn in_single_order() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}

const WORD: usize = size_of::<u64>();

/// The walked stack. A part of it is copied.
struct Stack<'s, R> {
    page: &'s Page,
    /// The address of the copied part, and its number of words.
    begin: usize,
    words: usize,
    read: R,
}

impl<R: Fn(&Page, usize, usize) -> bool> Words for Stack<'_, R> {
    fn word(&mut self, address: usize) -> Option<usize> {
        let index = address.wrapping_sub(self.begin) / WORD;
        if address < self.begin || index >= self.words {
            // No read crosses the end of a page, behind which there may be no memory.
            let rest = PAGE_WORDS - (address / WORD) % PAGE_WORDS;
            self.words = 0;
            if !(self.read)(self.page, address, rest) {
                return None;
            }
            (self.begin, self.words) = (address, rest);
        }
        let index = address.wrapping_sub(self.begin) / WORD;
        let word = self.page.get(index)?.load(Ordering::Relaxed);
        usize::try_from(word).ok()
    }
}

/// Every order of what the handlers of two watches of one slot do, and the thread that ends one and begins the other
/// (`cargo xtask loom`).
#[cfg(all(test, loom))]
mod model {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    const REGISTERS: Registers = Registers { instruction: 7, stack: 0, frame: 0 };

    /// A slot, and a witness of the handlers that write.
    type Shared = (Slot, UnsafeCell<()>);

    /// Records a sample whose time is the number of its watch. Fails where another handler writes meanwhile, or has written and
    /// this one does not see it.
    fn record((slot, writes): &Shared, watch: u32) {
        slot.record(watch, REGISTERS, watch.into(), 1, |_, _, _| {
            writes.with_mut(|_| ());
            false
        });
    }

    /// Notes the watch and the key of each sample, and how many were dropped.
    fn drain((slot, _): &Shared, samples: &mut Vec<(u64, u64)>) {
        slot.ring.drain(&mut Vec::new(), |words| samples.push((words[0], words[2])));
    }

    #[test]
    fn handlers_of_a_slots_watches_write_one_after_the_other_and_with_the_key_of_their_watch() {
        loom::model(|| {
            let shared = Arc::new((Slot::new(), UnsafeCell::new(())));
            let first = shared.0.begin(10, 1);
            let late = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || record(&shared, first))
            };
            let mut samples = Vec::new();
            shared.0.end();
            drain(&shared, &mut samples);
            let next = shared.0.is_free().then(|| {
                let second = shared.0.begin(20, 1);
                let shared = Arc::clone(&shared);
                (second, thread::spawn(move || record(&shared, second)))
            });
            late.join().unwrap();
            let second = next.map(|(second, thread)| {
                thread.join().unwrap();
                second
            });
            drain(&shared, &mut samples);
            let of = |watch: u32, key: u64| samples.iter().filter(|it| **it == (watch.into(), key)).count();
            let (of_first, of_second) = (of(first, 10), second.map_or(0, |second| of(second, 20)));
            // Nothing is lost: the ring has room for what is there when the second watch begins.
            assert!(of_first <= 1 && of_second == usize::from(second.is_some()), "{samples:?}");
            assert_eq!((samples.len(), shared.0.take_dropped()), (of_first + of_second, 0));
            assert!(shared.0.is_free());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::walk::End;

    fn recorded(slot: &Slot) -> Vec<Vec<u64>> {
        let (mut buffer, mut samples) = (Vec::new(), Vec::new());
        slot.ring.drain(&mut buffer, |words| samples.push(words.to_vec()));
        samples
    }

    /// Memory in which every frame's outer frame is 16 bytes above, up to an address.
    fn frames(end: usize) -> impl Fn(&Page, usize, usize) -> bool + Copy {
        move |page, address, words| {
            assert!(address / 4096 == (address + words * WORD - 1) / 4096, "one page only");
            for (index, word) in page.iter().enumerate().take(words) {
                let at = address + index * WORD;
                word.store(
                    if at.is_multiple_of(16) { at as u64 + 16 } else { 0xA000 + at as u64 },
                    Ordering::Relaxed,
                );
            }
            address < end
        }
    }

    const REGISTERS: Registers = Registers { instruction: 7, stack: 0x1ff0, frame: 0x1ff0 };

    #[test]
    fn a_stack_is_copied_page_by_page() {
        let slot = Slot::new();
        let watch = slot.begin(5, 100);
        slot.record(watch, REGISTERS, 11, 1, frames(0x2100));
        let samples = recorded(&slot);
        assert_eq!(samples.len(), 1);
        let (header, addresses) = samples[0].split_at(HEADER);
        assert_eq!(header, [11, 100, 5, End::Unreadable.number(), 0x2000]);
        // The page at 0x2000 is readable as a whole; the next one is not.
        let expected: Vec<u64> =
            core::iter::once(7).chain((0x1ff8..0x3000).step_by(16).map(|at| 0xA000 + at)).collect();
        assert_eq!(addresses[..3], expected[..3]);
        assert_eq!(addresses.len(), expected.len());
    }

    #[test]
    fn samples_of_an_ended_watch_are_ignored() {
        let slot = Slot::new();
        let old = slot.begin(5, 100);
        slot.record(old, REGISTERS, 1, 1, frames(0));
        slot.end();
        slot.record(old, REGISTERS, 2, 1, frames(0));
        assert_eq!(recorded(&slot).len(), 1);
        assert!(slot.is_free());
        let new = slot.begin(6, 100);
        slot.record(old, REGISTERS, 3, 1, frames(0));
        slot.record(new, REGISTERS, 4, 1, frames(0));
        let samples = recorded(&slot);
        assert_eq!(samples.iter().map(|words| (words[0], words[2])).collect::<Vec<_>>(), [(4, 6)]);
    }

    #[test]
    fn time_of_dropped_samples_is_that_of_the_next_one() {
        let slot = Slot::new();
        let watch = slot.begin(5, 100);
        let mut written = 0;
        while slot.take_dropped() == 0 {
            slot.record(watch, REGISTERS, 1, 2, frames(0));
            written += 1;
        }
        slot.record(watch, REGISTERS, 1, 2, frames(0));
        assert_eq!(recorded(&slot).len(), written - 1);
        slot.record(watch, REGISTERS, 1, 1, frames(0));
        assert_eq!(recorded(&slot).iter().map(|words| words[1]).collect::<Vec<_>>(), [500]);
    }
}
