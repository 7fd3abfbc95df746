//! The heaps: texts, blobs and GUIDs (ECMA-335 II.24.2.3 to II.24.2.5).

use core::ffi::CStr;
use std::borrow::Cow;

use sigparse::Reader;

use super::bytes::array_at;
use super::guid;
use super::image_error::{ImageErrorKind, Result, fail};
use super::{Image, Streams};
use crate::identity::Mvid;
use crate::limits::MAX_TEXT;

impl<D: AsRef<[u8]>> Image<D> {
    fn heap(&self, of: impl Fn(&Streams) -> core::ops::Range<usize>) -> (&[u8], u64) {
        let place = of(&self.streams);
        let base = self.base + place.start as u64;
        (self.metadata.as_ref().get(place).unwrap_or_default(), base)
    }

    /// The text at an offset, up to its terminating zero. Bytes that are not UTF-8 are replaced.
    pub(super) fn text(&self, offset: u32) -> Result<Cow<'_, str>> {
        let (heap, base) = self.heap(|streams| streams.strings.clone());
        let rest = match heap.get(offset as usize..) {
            Some(rest) => rest,
            // A module without names has no heap of them.
            None if offset == 0 => &[],
            None => return fail(base, ImageErrorKind::OutsideHeap(offset)),
        };
        let text = match CStr::from_bytes_until_nul(rest.get(..=MAX_TEXT).unwrap_or(rest)) {
            Ok(text) => text.to_bytes(),
            Err(_) => rest,
        };
        match text.len() <= MAX_TEXT {
            true => Ok(String::from_utf8_lossy(text)),
            false => fail(base + u64::from(offset), ImageErrorKind::TextTooLong(MAX_TEXT)),
        }
    }

    /// The blob at an offset.
    pub(super) fn blob(&self, offset: u32) -> Result<&[u8]> {
        let (heap, base) = self.heap(|streams| streams.blobs.clone());
        if offset == 0 {
            return Ok(&[]);
        }
        let outside = || fail(base + u64::from(offset), ImageErrorKind::OutsideHeap(offset));
        let Some(rest) = heap.get(offset as usize..) else { return outside() };
        let mut reader = Reader::new(rest);
        let Ok(length) = reader.read_compressed_u32() else { return outside() };
        reader.rest().get(..length as usize).map_or_else(outside, Ok)
    }

    /// The GUID with this index, from 1.
    pub(super) fn guid(&self, index: u32) -> Result<Mvid> {
        let (heap, base) = self.heap(|streams| streams.guids.clone());
        let found = guid::offset(index, heap.len()).and_then(|begin| guid::mvid(heap.get(begin..)?));
        found.map_or_else(|| fail(base, ImageErrorKind::OutsideHeap(index)), Ok)
    }

    /// The GUID with this index, from 1, in the order of its bytes.
    pub(super) fn guid_bytes(&self, index: u32) -> Result<[u8; 16]> {
        let (heap, base) = self.heap(|streams| streams.guids.clone());
        let found = guid::offset(index, heap.len()).and_then(|begin| array_at(heap, begin));
        found.map_or_else(|| fail(base, ImageErrorKind::OutsideHeap(index)), Ok)
    }
}
