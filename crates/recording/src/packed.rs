//! Compressed records.

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};

use crate::limits::MAX_BLOCK;

/// Compresses the records of one block after the other.
pub(crate) struct Packer(Encoder);

impl Packer {
    pub(crate) fn new() -> Self {
        Self(Encoder::new())
    }

    /// Appends the records, compressed. Returns `false`, and appends nothing, if that would not be shorter.
    pub(crate) fn pack(&mut self, records: &[u8], out: &mut Vec<u8>) -> bool {
        let begin = out.len();
        out.resize(begin + max_compress_len(records.len()), 0);
        let packed = self.0.compress(records, out.get_mut(begin..).unwrap_or_default());
        let shorter = packed.ok().filter(|packed| *packed < records.len());
        out.truncate(begin + shorter.unwrap_or(0));
        shorter.is_some()
    }
}

/// Appends the records of a packed block.
pub(crate) fn unpack(packed: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    let length = decompress_len(packed).map_err(|_| "the length of compressed records is damaged")?;
    if length > MAX_BLOCK as usize {
        return Err("compressed records are longer than any that are written");
    }
    let begin = out.len();
    out.resize(begin + length, 0);
    let unpacked = Decoder::new().decompress(packed, out.get_mut(begin..).unwrap_or_default());
    match unpacked {
        Ok(unpacked) if unpacked == length => Ok(()),
        _ => Err("compressed records are damaged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_damage_is_an_error() {
        let records: Vec<u8> = (0..5000_u32).flat_map(|number| (number / 50).to_le_bytes()).collect();
        let mut packed = b"before".to_vec();
        assert!(Packer::new().pack(&records, &mut packed));
        let packed = packed.strip_prefix(b"before").unwrap();
        assert!(packed.len() < records.len() / 4);
        let mut out = vec![7];
        unpack(packed, &mut out).unwrap();
        assert_eq!(out.split_first(), Some((&7, &records[..])));
        for cut in 0..packed.len() {
            assert!(unpack(&packed[..cut], &mut Vec::new()).is_err(), "cut at {cut}");
        }
        // A length beyond any block is refused before there is memory for it.
        let mut out = Vec::new();
        assert!(unpack(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], &mut out).is_err());
        assert_eq!(out.capacity(), 0);
    }

    #[test]
    fn what_does_not_get_shorter_is_not_packed() {
        let mut out = vec![7];
        assert!(!Packer::new().pack(&[1, 2, 3], &mut out));
        assert_eq!(out, [7]);
    }
}
