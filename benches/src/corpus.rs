//! The signatures, one after the other, as `cargo xtask bench` extracts them from an assembly.

use std::{env, fs, io};

/// Consecutive signatures.
pub struct Corpus {
    data: &'static [u8],
    ends: Vec<u32>,
    blobs: Vec<&'static [u8]>,
}

impl Corpus {
    /// Reads the file that `SIGNATURES` names: each signature with its length before it, in two bytes.
    ///
    /// # Errors
    /// If the variable is not set, or the file cannot be read or ends in the middle of a signature.
    pub fn from_environment() -> io::Result<Self> {
        let path = env::var_os("SIGNATURES")
            .ok_or_else(|| io::Error::other("SIGNATURES is not set; `cargo xtask bench sigparse` sets it"))?;
        let file = fs::read(path)?;
        let (mut data, mut ends) = (Vec::with_capacity(file.len()), Vec::new());
        let mut rest = file.as_slice();
        while let Some((length, after)) = rest.split_first_chunk::<2>() {
            let length = usize::from(u16::from_le_bytes(*length));
            let (blob, after) = after.split_at_checked(length).ok_or(io::ErrorKind::UnexpectedEof)?;
            data.extend_from_slice(blob);
            ends.push(u32::try_from(data.len()).map_err(io::Error::other)?);
            rest = after;
        }
        // There is one corpus, until the end of the process.
        let data: &'static [u8] = data.leak();
        let begins = [0].into_iter().chain(ends.iter().copied());
        let blobs = begins.zip(&ends).map(|(begin, &end)| &data[begin as usize..end as usize]).collect();
        Ok(Self { data, ends, blobs })
    }

    /// All bytes, and the end of each signature.
    pub fn parts(&self) -> (&[u8], &[u32]) {
        (self.data, &self.ends)
    }

    /// The signatures.
    pub fn blobs(&self) -> &[&[u8]] {
        &self.blobs
    }
}
