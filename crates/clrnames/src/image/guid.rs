//! GUIDs in the `#GUID` heap (ECMA-335 II.24.2.5).

use super::bytes::array_at;
use crate::identity::Mvid;

/// Returns the offset of the GUID with this one-based index in a heap of that many bytes.
pub(super) fn offset(index: u32, heap: usize) -> Option<usize> {
    let begin = (index as usize).checked_sub(1)?.checked_mul(16)?;
    (begin.checked_add(16)? <= heap).then_some(begin)
}

/// Returns the GUID at the start of these bytes: three numbers in little-endian order, then eight bytes.
pub(super) fn mvid(bytes: &[u8]) -> Option<Mvid> {
    let mut guid: [u8; 16] = array_at(bytes, 0)?;
    guid[..4].reverse();
    guid[4..6].reverse();
    guid[6..8].reverse();
    Some(Mvid::from_bytes(guid))
}
