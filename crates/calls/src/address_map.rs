//! Maps whose keys are addresses that the runtime has chosen.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// A map by addresses and ids of the runtime: a program cannot choose them so that they collide.
pub(crate) type AddressMap<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// A hasher that takes a multiplication for each word: it is used at each call of shared code.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_usize(word as usize);
    }

    #[inline]
    fn write_usize(&mut self, address: usize) {
        // The golden ratio in 64 bits. The map takes the lowest bits, and the highest.
        let spread = (self.0.rotate_left(26) ^ address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }
}
