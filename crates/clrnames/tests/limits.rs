//! What a malformed file can cost: no more memory than is in proportion to its size.
//!
//! # Safety contract of this file
//!
//! The one unsafe act is a global allocator that forwards every call unchanged to the system's and counts it.
#![allow(unsafe_code, clippy::unwrap_used)]

#[allow(unreachable_pub, dead_code)] // `fuzz/` and the other tests have this module too.
mod checks;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use checks::{SAMPLE, name_all};

struct Counting;

thread_local! {
    /// Bytes in use, the most of them, and all that were ever asked for.
    static USED: Cell<[usize; 3]> = const { Cell::new([0; 3]) };
}

// SAFETY: each call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let [now, most, all] = USED.get();
        let now = now + layout.size();
        USED.set([now, most.max(now), all + layout.size()]);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let [now, most, all] = USED.get();
        USED.set([now.saturating_sub(layout.size()), most, all]);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that naming everything in a file took at once, and all that was asked for.
fn cost(file: &[u8]) -> (usize, usize) {
    USED.set([0; 3]);
    let _ = name_all(file);
    let [_, most, all] = USED.get();
    (most, all)
}

/// Marsaglia's xorshift64: numbers that look random and are the same in every run.
fn random(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    core::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).unwrap_or(0)
    })
}

/// Where the metadata begins.
fn root() -> usize {
    SAMPLE.windows(4).position(|window| window == b"BSJB").unwrap()
}

/// Holds what a file costs against what the sample does, and against its size.
fn hold(file: &[u8], (sound_most, sound_all): (usize, usize), what: &str) {
    let (most, all) = cost(file);
    assert!(most <= 16 * file.len(), "{what}: {most} bytes at once, {sound_most} for a sound file");
    assert!(all <= 50 * sound_all, "{what}: {all} bytes in all, {sound_all} for a sound file");
}

#[test]
fn numbers_that_are_too_large_cost_nothing() {
    let (mut file, sound) = (SAMPLE.to_vec(), cost(SAMPLE));
    // Headers, counts of rows, sizes of heaps, and the first rows.
    for at in (60..512).step_by(4).chain((root()..root() + 512).step_by(2)) {
        for value in [0x7FFF_FFFFu32, 0xFFFF] {
            let saved: [u8; 4] = file[at..at + 4].try_into().unwrap();
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
            hold(&file, sound, &format!("{value:#x} at {at}"));
            file[at..at + 4].copy_from_slice(&saved);
        }
    }
}

#[test]
fn random_changes_cost_nothing() {
    let sound = cost(SAMPLE);
    for seed in 0..200 {
        let mut file = SAMPLE.to_vec();
        let mut numbers = random(seed);
        for _ in 0..1 + seed % 16 {
            let at = root() + numbers.next().unwrap() % (SAMPLE.len() - root());
            file[at] = numbers.next().unwrap().to_le_bytes()[0];
        }
        hold(&file, sound, &format!("seed {seed}"));
    }
}

#[test]
fn names_without_an_end_cost_nothing() {
    let mut file = SAMPLE.to_vec();
    let heap = SAMPLE
        .windows(9)
        .position(|window| window == b"\0Nullable")
        .or_else(|| SAMPLE.windows(8).position(|window| window == b"<Module>"));
    let heap = heap.unwrap();
    // Every name in the heap now goes on to its end.
    for byte in file.iter_mut().skip(heap).take(1500).filter(|byte| **byte == 0) {
        *byte = b'x';
    }
    hold(&file, cost(SAMPLE), "a heap without zeros");
}
