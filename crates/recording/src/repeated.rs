//! Values that a thread has recorded before in the same chunk: they are referred to, and not recorded again.
//!
//! Encoded bytes are compared, so nothing is assumed of the program's objects. A table has the position of the last bytes
//! with each hash. An entry may be stale: whatever is found at its position counts if the bytes are equal.

use crate::bytes::put_count;

/// The minimum number of bytes of a call's values, and of one value among several, that are looked for.
const LEAST: usize = 12;
const LEAST_PART: usize = 16;
/// The number of places of the table.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 8;
/// So many calls in a row whose values were not found, and only each so-and-so-many-th call is looked at, until one is.
const MANY_MISSES: u32 = 64;
const RARELY: u32 = 8;

/// The values that a thread has recorded, and those of the call that is recorded now.
pub(crate) struct Repeated {
    places: Box<[Place; PLACES]>,
    /// The values of the call that are looked for one by one.
    parts: Vec<Part>,
    /// The pieces of a referring record.
    pieces: Vec<u8>,
    /// The number of calls since the last one with values that were found.
    misses: u32,
}

/// The position of bytes in the chunk, and a part of their hash.
#[derive(Clone, Copy, Default)]
struct Place {
    at: u32,
    check: u32,
}

/// The hash of some bytes.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    /// The index of the place.
    index: usize,
    check: u32,
}

/// One of the values of a call.
struct Part {
    begin: usize,
    end: usize,
    sum: Sum,
    /// The position of equal bytes in the chunk.
    found: Option<usize>,
    /// The position in the pieces of the record, if it is there as it is.
    literal: Option<usize>,
}

/// The content of a record that refers to others.
pub(crate) struct Referring<'r> {
    /// The pieces, as the README describes them.
    pub(crate) pieces: &'r [u8],
    /// The position in the chunk of the first bytes that it refers to.
    pub(crate) least: usize,
}

impl Sum {
    /// Returns the hash of the first, middle and last bytes. `None` if there are too few to be looked for.
    #[inline(always)]
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        if bytes.len() < LEAST {
            return None;
        }
        let first = u64::from_le_bytes(*bytes.first_chunk()?);
        let middle = u64::from_le_bytes(*bytes.get(bytes.len() / 2 - 4..)?.first_chunk()?);
        let last = u64::from_le_bytes(*bytes.last_chunk()?);
        // The bytes have just been written, so they are loaded late: the rest is short.
        let mixed = first ^ middle.rotate_left(23) ^ last.rotate_left(47) ^ bytes.len() as u64;
        let hash = mixed.wrapping_mul(FACTOR);
        #[allow(clippy::cast_possible_truncation, reason = "two parts of it")]
        Some(Self { index: (hash >> (u64::BITS - PLACE_BITS)) as usize, check: (hash >> 16) as u32 })
    }
}

impl Repeated {
    pub(crate) fn new() -> Self {
        Self {
            places: Box::new([Place::default(); PLACES]),
            parts: Vec::new(),
            pieces: Vec::new(),
            misses: 0,
        }
    }

    /// Returns whether the values of this call are looked for. A thread that never records the same again looks for few.
    #[inline(always)]
    pub(crate) fn is_looked_for(&mut self) -> bool {
        self.misses = self.misses.wrapping_add(1);
        self.misses < MANY_MISSES || self.misses.is_multiple_of(RARELY)
    }

    /// Values of this call were found.
    #[inline(always)]
    pub(crate) fn found(&mut self) {
        self.misses = 0;
    }

    /// Returns the position of equal bytes in the bytes of the chunk, from `cut` on.
    #[inline(always)]
    pub(crate) fn position(&self, sum: Sum, bytes: &[u8], (filled, cut): (&[u8], usize)) -> Option<usize> {
        let place = self.places.get(sum.index)?;
        let at = place.at as usize;
        // It is another's in most cases, and the chunk need not be read.
        if place.check != sum.check || at < cut {
            return None;
        }
        let before = filled.get(at..)?.get(..bytes.len())?;
        (before == bytes).then_some(at)
    }

    /// Notes the position of bytes in the chunk.
    #[inline(always)]
    pub(crate) fn note(&mut self, sum: Sum, at: usize) {
        if let (Some(place), Ok(at)) = (self.places.get_mut(sum.index), u32::try_from(at)) {
            *place = Place { at, check: sum.check };
        }
    }

    /// Looks for each of the values of a call, which end at these positions, in the bytes of the chunk from `cut` on.
    /// Returns the content of a record that refers to what was found. The record will be behind the bytes of the chunk.
    pub(crate) fn find_each(
        &mut self,
        values: &[u8],
        ends: &[usize],
        (filled, cut): (&[u8], usize),
    ) -> Option<Referring<'_>> {
        self.parts.clear();
        let (mut begin, mut is_found) = (0, false);
        for &end in ends {
            if let Some(bytes) = values.get(begin..end).filter(|bytes| bytes.len() >= LEAST_PART)
                && let Some(sum) = Sum::of(bytes)
            {
                let found = self.position(sum, bytes, (filled, cut));
                is_found |= found.is_some();
                self.parts.push(Part { begin, end, sum, found, literal: None });
            }
            begin = end;
        }
        if !is_found {
            return None;
        }
        let least = self.write(values, filled.len());
        Some(Referring { pieces: &self.pieces, least })
    }

    /// Writes the pieces. Returns the position of the first bytes that are referred to.
    fn write(&mut self, values: &[u8], record: usize) -> usize {
        self.pieces.clear();
        let (mut written, mut least) = (0, record);
        let mut literals = 0;
        for index in 0..self.parts.len() {
            let Some(&Part { begin, end, found: Some(at), .. }) = self.parts.get(index) else { continue };
            self.write_literal(values, written..begin, literals..index);
            put_count(&mut self.pieces, ((record - at) << 1 | 1) as u64);
            put_count(&mut self.pieces, (end - begin) as u64);
            (written, literals, least) = (end, index + 1, least.min(at));
        }
        let parts = literals..self.parts.len();
        self.write_literal(values, written..values.len(), parts);
        least
    }

    /// Writes bytes as they are, with the parts of these indexes in them.
    fn write_literal(
        &mut self,
        values: &[u8],
        range: core::ops::Range<usize>,
        parts: core::ops::Range<usize>,
    ) {
        let Some(bytes) = values.get(range.clone()).filter(|bytes| !bytes.is_empty()) else { return };
        put_count(&mut self.pieces, (bytes.len() << 1) as u64);
        for part in self.parts.get_mut(parts).unwrap_or_default() {
            if part.begin >= range.start && part.end <= range.end {
                part.literal = Some(self.pieces.len() + part.begin - range.start);
            }
        }
        self.pieces.extend_from_slice(bytes);
    }

    /// Notes where the values are that a referring record has as they are. Its pieces are at this position.
    pub(crate) fn note_literals(&mut self, pieces: usize) {
        for index in 0..self.parts.len() {
            if let Some(&Part { sum, literal: Some(literal), .. }) = self.parts.get(index) {
                self.note(sum, pieces + literal);
            }
        }
    }

    /// Notes where each of the values of a call is that were looked for. All of them are at this position.
    pub(crate) fn note_each(&mut self, values: usize) {
        for index in 0..self.parts.len() {
            if let Some(&Part { sum, begin, .. }) = self.parts.get(index) {
                self.note(sum, values + begin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks for values in a chunk that has these bytes, and returns the pieces.
    fn pieces(
        repeated: &mut Repeated,
        values: &[u8],
        ends: &[usize],
        chunk: &[u8],
        cut: usize,
    ) -> Option<Vec<u8>> {
        repeated.find_each(values, ends, (chunk, cut)).map(|found| found.pieces.to_vec())
    }

    #[test]
    fn values_are_found_where_they_were_noted() {
        let (one, other) = (b"the first value".repeat(2), b"the other value".repeat(2));
        let (mut repeated, mut chunk) = (Repeated::new(), vec![0; 100]);
        let both = [one.clone(), other.clone()].concat();
        let ends = [one.len(), both.len()];
        assert_eq!(pieces(&mut repeated, &both, &ends, &chunk, 0), None);
        repeated.note_each(chunk.len());
        chunk.extend_from_slice(&both);
        let sum = Sum::of(&other).unwrap();
        assert_eq!(repeated.position(sum, &other, (&chunk, 0)), Some(130));
        // Behind a cut, and where something else is by now, they are not.
        assert_eq!(repeated.position(sum, &other, (&chunk, 131)), None);
        chunk[140] ^= 1;
        assert_eq!(repeated.position(sum, &other, (&chunk, 0)), None);
        assert_eq!(repeated.position(sum, &other, (&chunk[..150], 0)), None);
    }

    #[test]
    fn what_is_not_found_is_between_the_references_as_it_is() {
        let (one, other) = (b"the first value".to_vec(), b"the other value!!".to_vec());
        let (mut repeated, mut chunk) = (Repeated::new(), vec![0; 100]);
        let values = [b"<", &other[..], b">"].concat();
        let ends = [1, 1 + other.len(), values.len()];
        assert_eq!(pieces(&mut repeated, &values, &ends, &chunk, 0), None);
        repeated.note_each(chunk.len());
        chunk.extend_from_slice(&values);
        let values = [&one[..], &other, &one].concat();
        let ends = [one.len(), one.len() + other.len(), values.len()];
        let distance = u8::try_from(chunk.len() - 101).unwrap();
        let literal = u8::try_from(one.len() << 1).unwrap();
        let mut expected = vec![literal];
        expected.extend_from_slice(&one);
        expected.extend([distance << 1 | 1, 17, literal]);
        expected.extend_from_slice(&one);
        assert_eq!(pieces(&mut repeated, &values, &ends, &chunk, 0), Some(expected));
    }

    #[test]
    fn a_thread_that_repeats_nothing_looks_for_few() {
        let mut repeated = Repeated::new();
        let looks = (0..1000).filter(|_| repeated.is_looked_for()).count();
        assert!((150..250).contains(&looks), "{looks}");
        repeated.found();
        assert!((0..50).all(|_| repeated.is_looked_for()));
    }
}
