//! A fake heap: pages that are mapped, protected and unmapped while they are known.
#![cfg(target_os = "linux")]

use core::ptr::null_mut;

use super::ranges::Found;
use super::*;
use crate::memory::MemoryCause;

/// The number of pages of the fake heap.
const COUNT: usize = 16;

/// Pages whose bytes are the number of the page.
struct Pages(usize);

impl Pages {
    fn new() -> Self {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, at an address of the kernel's choice.
        let base = unsafe { libc::mmap(null_mut(), COUNT * PAGE, access, kind, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        for page in 0..COUNT {
            // SAFETY: a page of the mapping.
            unsafe { base.cast::<u8>().add(page * PAGE).write_bytes(u8::try_from(page).unwrap(), PAGE) };
        }
        Self(base.expose_provenance())
    }

    const fn at(&self, page: usize) -> usize {
        self.0 + page * PAGE
    }

    /// Pages become inaccessible, as memory that the collector decommits.
    fn release(&self, first: usize, count: usize) {
        let at = core::ptr::with_exposed_provenance_mut(self.at(first));
        // SAFETY: pages of the mapping, which no reference points to.
        assert_eq!(unsafe { libc::mprotect(at, count * PAGE, libc::PROT_NONE) }, 0);
    }

    /// A range from a page on.
    const fn range(&self, page: usize, used: usize, reserved: usize, stays: bool) -> HeapRange {
        HeapRange { start: self.at(page), used: used * PAGE, reserved: reserved * PAGE, stays }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let base = core::ptr::with_exposed_provenance_mut(self.0);
        // SAFETY: the mapping, which no reference points to.
        unsafe { libc::munmap(base, COUNT * PAGE) };
    }
}

fn begin(heap: &HeapRanges, ranges: Vec<HeapRange>) {
    // SAFETY: the tests release memory between two epochs, or memory that is not read in place: that is what they test.
    unsafe { heap.begin(ranges) };
}

fn memory(heap: &Arc<HeapRanges>) -> HeapMemory {
    HeapMemory::new(Checked::new().unwrap(), Arc::clone(heap))
}

fn enter(memory: &HeapMemory, stack: Range<usize>) {
    // SAFETY: the ranges are those of `begin`, and a stack whose bytes are readable.
    unsafe { memory.enter(stack) };
}

fn in_place(memory: &HeapMemory, address: usize) -> Option<u8> {
    let mut byte = [0];
    memory.read_in_place(address, &mut byte).then_some(byte[0])
}

#[test]
fn memory_in_use_is_read_in_place_and_memory_outside_is_not() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    begin(&heap, vec![pages.range(8, 2, 4, false), pages.range(2, 3, 3, false)]);
    enter(&memory, 0..0);
    let read = |page| in_place(&memory, pages.at(page) + 9);
    assert_eq!(
        [1, 2, 3, 4, 5, 7, 8, 9, 10].map(read),
        [None, Some(2), Some(3), Some(4), None, None, Some(8), Some(9), None]
    );
    let mut copy = vec![0; 2 * PAGE];
    assert!(memory.read_in_place(pages.at(2) + 1, &mut copy));
    assert_eq!([copy[0], copy[PAGE], copy[2 * PAGE - 1]], [2, 3, 4]);
    assert!(!memory.read_in_place(pages.at(3) + 1, &mut copy), "the last byte is outside");
    for (address, length) in [(0, 1), (8, 8), (usize::MAX - 3, 8), (usize::MAX, 1), (pages.at(2), 0)] {
        assert!(!memory.read_in_place(address, &mut vec![0; length]), "{address:#x}");
    }
    // The operating system reads what is not known.
    let mut byte = [0];
    memory.read(pages.at(7), &mut byte).unwrap();
    assert_eq!(byte, [7]);
}

#[test]
fn a_part_of_a_page_stands_for_the_page() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    let part = HeapRange { start: pages.at(3) + 100, used: PAGE, reserved: PAGE, stays: false };
    begin(&heap, vec![part]);
    enter(&memory, 0..0);
    let read = |at| in_place(&memory, at);
    assert_eq!(read(pages.at(3)), Some(3));
    assert_eq!(read(pages.at(5) - 1), Some(4));
    assert_eq!(read(pages.at(5)), None);
}

/// Whether the operating system shows which memory is readable; it does not by `/proc/self/mem`, which has the contents of
/// protected memory too.
fn shows_protection(checked: &Checked) -> bool {
    let byte = 1_u8;
    checked.readable(&[(&raw const byte).expose_provenance()]) == 1
}

/// Each implementation of checked memory of this machine, and the one that a sandbox leaves.
fn readers() -> [Checked; 2] {
    [Checked::new().unwrap(), Checked::by_file()]
}

#[test]
fn memory_that_stays_is_read_in_place_once_it_was_found_readable() {
    for checked in readers() {
        let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
        pages.release(6, 1);
        let shows = shows_protection(&checked);
        let memory = HeapMemory::new(checked, Arc::clone(&heap));
        begin(&heap, vec![pages.range(2, 1, 12, true)]);
        enter(&memory, 0..0);
        let read = |page| in_place(&memory, pages.at(page));
        let found = |page| shows.then_some(page);
        assert_eq!([2, 3, 5, 7, 13, 14].map(read), [Some(2), found(3), found(5), found(7), found(13), None]);
        assert_eq!(read(6), None);
        if shows {
            let error = memory.read(pages.at(6), &mut [0]).unwrap_err();
            assert_eq!(error.cause, MemoryCause::Unmapped);
        }
        assert!(!memory.read_in_place(pages.at(6) - 4, &mut [0; 8]), "the end is in the page");
        let mut byte = [0];
        memory.read(pages.at(7), &mut byte).unwrap();
        assert_eq!(byte, [7]);
    }
}

#[test]
fn the_operating_system_is_called_once_for_the_pages_of_all_threads() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let shows = shows_protection(&Checked::new().unwrap());
    let memory = memory(&heap);
    pages.release(6, 1);
    begin(&heap, vec![pages.range(2, 1, 12, true)]);
    // SAFETY: the pages remain readable.
    unsafe { heap.keep(vec![pages.range(14, 0, 2, true)]) };
    enter(&memory, 0..0);
    let epoch = heap.epoch();
    let found = |stays| if shows { Found::Readable } else { stays };
    let stays = Found::Stays(pages.at(14));
    assert_eq!([3, 5].map(|page| heap.find(pages.at(page), epoch)), [stays; 2]);
    assert_eq!(
        [3, 15].map(|page| in_place(&memory, pages.at(page))),
        [3, 15].map(|page| shows.then_some(page))
    );
    // Up to the first page that is not readable.
    let pages_of = |numbers: [usize; 4]| numbers.map(|page| heap.find(pages.at(page), epoch));
    let kept = found(Found::Stays(pages.at(16)));
    assert_eq!(pages_of([3, 5, 6, 15]), [found(stays), found(stays), stays, kept]);
    assert_eq!(heap.find(pages.at(3), epoch + 1), Found::NotNow);
    // The ranges of every epoch keep what was found.
    begin(&heap, vec![pages.range(2, 1, 12, true)]);
    assert_eq!([3, 15].map(|page| heap.find(pages.at(page), epoch + 1)), [stays, kept]);
}

#[test]
fn memory_that_may_be_released_at_any_time_is_never_read_in_place() {
    for checked in readers() {
        let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
        let shows = shows_protection(&checked);
        let memory = HeapMemory::new(checked, Arc::clone(&heap));
        begin(&heap, vec![pages.range(2, 1, 12, false)]);
        enter(&memory, 0..0);
        memory.read(pages.at(5), &mut [0]).unwrap();
        pages.release(5, 1);
        assert_eq!(in_place(&memory, pages.at(5)), None);
        assert!(!shows || memory.read(pages.at(5), &mut [0]).is_err());
    }
}

#[test]
fn nothing_is_known_after_the_epoch() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    begin(&heap, vec![pages.range(0, 4, 16, true)]);
    enter(&memory, 0..0);
    let shows = shows_protection(&Checked::new().unwrap());
    assert_eq!([1, 9].map(|page| in_place(&memory, pages.at(page))), [Some(1), shows.then_some(9)]);
    // A collection: these pages are released.
    begin(&heap, vec![pages.range(4, 2, 4, true)]);
    pages.release(0, 2);
    pages.release(9, 1);
    enter(&memory, 0..0);
    assert_eq!([1, 9].map(|page| in_place(&memory, pages.at(page))), [None, None]);
    assert_eq!(in_place(&memory, pages.at(4)), Some(4));
    assert!(!shows || [1, 9].iter().all(|page| memory.read(pages.at(*page), &mut [0; 8]).is_err()));
}

#[test]
fn a_thread_that_has_left_knows_nothing() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    begin(&heap, vec![pages.range(0, 4, 4, false)]);
    enter(&memory, pages.at(8)..pages.at(9));
    assert_eq!([1, 8].map(|page| in_place(&memory, pages.at(page))), [Some(1), Some(8)]);
    begin(&heap, Vec::new());
    memory.leave();
    assert_eq!([1, 8].map(|page| in_place(&memory, pages.at(page))), [None, None]);
}

#[test]
fn ranges_are_extended_in_their_epoch_only() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    begin(&heap, vec![pages.range(0, 2, 2, false)]);
    let epoch = heap.epoch();
    enter(&memory, 0..0);
    assert_eq!(in_place(&memory, pages.at(5)), None);
    let more = || vec![pages.range(0, 2, 2, false), pages.range(4, 2, 2, false)];
    // SAFETY: the pages are mapped.
    assert!(unsafe { heap.extend(epoch, more()) });
    assert_eq!(in_place(&memory, pages.at(5)), Some(5));
    begin(&heap, Vec::new());
    // SAFETY: as above.
    assert!(!unsafe { heap.extend(epoch, more()) });
    enter(&memory, 0..0);
    assert_eq!(in_place(&memory, pages.at(5)), None);
    // SAFETY: as above, for the whole test.
    unsafe { heap.keep(vec![pages.range(5, 1, 1, false)]) };
    begin(&heap, Vec::new());
    enter(&memory, 0..0);
    assert_eq!(in_place(&memory, pages.at(5)), Some(5));
}

#[test]
fn pages_found_in_an_epoch_that_has_ended_are_not_cached() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    enter(&memory, 0..0);
    begin(&heap, vec![pages.range(0, 4, 4, false)]);
    // The thread is still in the hook that it was in when the epoch began.
    assert_eq!(in_place(&memory, pages.at(1)), None);
    enter(&memory, 0..0);
    assert_eq!(in_place(&memory, pages.at(1)), Some(1));
}

#[test]
fn the_stack_is_read_in_place_from_the_hook_upwards() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    enter(&memory, pages.at(4) + 8..pages.at(6));
    let read = |at| in_place(&memory, at);
    assert_eq!(read(pages.at(4) + 8), Some(4));
    assert_eq!(read(pages.at(6) - 1), Some(5));
    assert_eq!(read(pages.at(4) + 7), None, "below the hook");
    assert_eq!(read(pages.at(6)), None, "above the stack");
    assert!(!memory.read_in_place(pages.at(6) - 4, &mut [0; 8]));
    // The stack has shrunk, and its pages are gone.
    enter(&memory, pages.at(5)..pages.at(6));
    pages.release(4, 1);
    assert_eq!(read(pages.at(4) + 8), None);
    let shows = shows_protection(&Checked::new().unwrap());
    assert!(!shows || memory.read(pages.at(4) + 8, &mut [0]).is_err());
}

#[test]
fn unknown_pages_ask_for_ranges_and_less_often_if_there_are_none() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    enter(&memory, 0..0);
    let met = || {
        let met = strangers(&memory, &pages);
        memory.ranges_were_read(false);
        met
    };
    assert_eq!([met(), met(), met()], [16, 32, 64]);
    memory.ranges_were_read(true);
    assert_eq!(strangers(&memory, &pages), 16);
}

/// The number of unknown pages after which ranges are wanted.
fn strangers(memory: &HeapMemory, pages: &Pages) -> usize {
    let before = (1..).find(|_| {
        in_place(memory, pages.at(1));
        memory.needs_ranges()
    });
    before.unwrap()
}

#[test]
fn more_pages_than_are_cached_are_read() {
    let (pages, heap) = (Pages::new(), Arc::new(HeapRanges::new()));
    let memory = memory(&heap);
    let vast = vec![1_u8; 600 * PAGE];
    let start = vast.as_ptr().expose_provenance();
    let other = HeapRange { start, used: vast.len(), reserved: vast.len(), stays: false };
    begin(&heap, vec![pages.range(0, 16, 16, false), other]);
    enter(&memory, 0..0);
    for _ in 0..2 {
        assert!((0..600).all(|page| in_place(&memory, start + page * PAGE) == Some(1)));
        assert!((0..16).all(|page| in_place(&memory, pages.at(page)) == u8::try_from(page).ok()));
    }
}
