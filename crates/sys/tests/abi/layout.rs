//! What the Rust compiler measures, in the form of the generated table.

use std::collections::BTreeSet;

/// A structure, union, interface or vtable.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// Name and offset of each field.
    pub(crate) fields: &'static [(&'static str, usize)],
    pub(crate) bits: &'static [Bits],
}

/// A bit-field's name, and what finds its place.
pub(crate) type Bits = (&'static str, fn() -> String);

/// Reads a `Storage` as bytes. Only the integers of bit-field structures get here.
fn bytes_of<T: Copy>(value: &T) -> Vec<u8> {
    let start = std::ptr::from_ref(value).cast::<u8>();
    // SAFETY: the bit-field structures hold integers without padding, and `value` is borrowed for the call.
    #[allow(unsafe_code, reason = "only the memory itself shows where a bit-field lies")]
    unsafe { std::slice::from_raw_parts(start, size_of::<T>()) }.to_vec()
}

/// The bits that a setter changes in zeroed memory, as `bit8:24`.
pub(crate) fn bits_set_by<T: Copy>(set: impl Fn(&mut T)) -> String {
    // SAFETY: every bit pattern is a value of the bit-field structures, which hold integers.
    #[allow(unsafe_code, reason = "the structures have no Default")]
    let mut value: T = unsafe { std::mem::zeroed() };
    set(&mut value);
    place(&bytes_of(&value))
}

/// The one run of set bits in little-endian `bytes`, as `bit8:24`.
pub(crate) fn place(bytes: &[u8]) -> String {
    let set: BTreeSet<usize> =
        (0..bytes.len() * 8).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).collect();
    let (Some(first), Some(last)) = (set.first(), set.last()) else { return "no bits".to_owned() };
    assert_eq!(set.len(), last - first + 1, "a bit-field in several pieces: {bytes:x?}");
    format!("bit{first}:{}", set.len())
}
