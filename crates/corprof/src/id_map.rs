//! Maps whose keys are ids of the runtime.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::{HashMap, HashSet};

/// A map by ids, or by ids and tokens, whose hash takes a multiplication: a profiler may look something up in it in a hook.
///
/// Nobody chooses ids so that they collide: they are addresses of the runtime's own.
///
/// ```
/// use corprof::{FunctionId, IdMap};
///
/// fn called(counts: &mut IdMap<FunctionId, u64>, function: FunctionId) {
///     *counts.entry(function).or_default() += 1;
/// }
/// ```
pub type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// A set of ids, as [`IdMap`].
pub(crate) type IdSet<K> = HashSet<K, BuildHasherDefault<IdHasher>>;

/// The hasher of an [`IdMap`]. Hashes ids, which are addresses: their low bits are alike, and so are their high bits.
#[derive(Debug, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        // A multiplication with an odd constant whose bits look random carries every bit of the id to the top. The map
        // takes some bits from there and some from below.
        let product = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use core::hash::{BuildHasher, BuildHasherDefault};
    use std::collections::HashSet;

    use super::IdHasher;

    /// The bits that a map chooses a bucket by, and those that it compares first.
    fn spread<K: core::hash::Hash>(keys: impl Iterator<Item = K>) -> (usize, usize) {
        let hashes: Vec<u64> =
            keys.map(|key| BuildHasherDefault::<IdHasher>::default().hash_one(key)).collect();
        let distinct = |part: fn(u64) -> u64| hashes.iter().map(|hash| part(*hash)).collect::<HashSet<_>>();
        (distinct(|hash| hash & 0xFFF).len(), distinct(|hash| hash >> 57).len())
    }

    #[test]
    fn neighbouring_ids_and_tokens_are_spread() {
        let ids = || (0..4096_u64).map(|index| 0x7F12_3456_0000 + 8 * index);
        let (buckets, tags) = spread(ids());
        assert!(buckets > 2000 && tags == 128, "{buckets} {tags}");
        let tokens = ids().flat_map(|id| (1..5_u32).map(move |row| (id, 0x0200_0000 | row))).take(4096);
        let (buckets, tags) = spread(tokens);
        assert!(buckets > 2000 && tags == 128, "{buckets} {tags}");
    }
}
