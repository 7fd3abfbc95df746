//! UTF-16 units as the bytes that they consist of, in the machine's order.
//!
//! Contract of the unsafe code here: a unit is two bytes of any value, and a byte may lie anywhere: a slice of units is a slice of twice as many bytes,
//! for reading and for writing.
#![allow(unsafe_code)]

/// The bytes of units.
#[inline]
pub(crate) const fn as_bytes(units: &[u16]) -> &[u8] {
    // SAFETY: the same memory for the same time, as long as the units are.
    unsafe { core::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

/// The bytes of units, to be filled.
#[inline]
pub(crate) const fn as_bytes_mut(units: &mut [u16]) -> &mut [u8] {
    // SAFETY: as above, and borrowed for writing as the units are; any bytes are units.
    unsafe { core::slice::from_raw_parts_mut(units.as_mut_ptr().cast(), size_of_val(units)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_units_are_theirs() {
        let mut units = [0x0102_u16, 0xfffe, 0];
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
        assert_eq!(as_bytes(&units), bytes);
        as_bytes_mut(&mut units).reverse();
        let swapped = [0_u16, 0xfffe_u16.swap_bytes(), 0x0102_u16.swap_bytes()];
        assert_eq!(units, swapped);
        assert!(as_bytes(&[]).is_empty());
    }
}
