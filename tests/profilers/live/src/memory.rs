//! Reads the program's memory, at addresses that the runtime has returned.
//!
//! Contract of the unsafe code here: the runtime has just reported a value of that size at the address, and nothing can
//! move it: it is outside of the heap, or the runtime is suspended.
#![allow(unsafe_code)]

use corprof::{Object, ObjectId, ProfilerInfo, Result};

/// A value of four bytes.
pub(crate) fn int(address: usize) -> i32 {
    // SAFETY: as above.
    unsafe { core::ptr::with_exposed_provenance::<i32>(address).read_unaligned() }
}

/// The object at an address, for as long as `scope` keeps the collector from moving it.
pub(crate) fn object<T: ?Sized>(address: usize, scope: &T) -> Option<ObjectId<'_>> {
    let _ = scope;
    // SAFETY: as above.
    unsafe { ObjectId::from_raw(address) }
}

/// A reference.
pub(crate) fn reference(address: usize) -> usize {
    // SAFETY: as above.
    unsafe { core::ptr::with_exposed_provenance::<usize>(address).read_unaligned() }
}

/// UTF-16 units.
fn text(address: usize, units: usize) -> String {
    // SAFETY: as above.
    let unit = |at| unsafe { core::ptr::with_exposed_provenance::<u16>(address).add(at).read_unaligned() };
    String::from_utf16_lossy(&(0..units).map(unit).collect::<Vec<u16>>())
}

/// The text of a string object.
pub(crate) fn string(info: &ProfilerInfo, object: impl Object) -> Result<String> {
    let layout = info.string_layout()?;
    let at = |offset: u32| object.as_raw() + offset as usize;
    let length = usize::try_from(int(at(layout.length_offset))).unwrap_or_default();
    Ok(text(at(layout.buffer_offset), length))
}

/// Bytes.
pub(crate) fn bytes(address: usize, count: usize) -> Vec<u8> {
    // SAFETY: as above.
    let byte = |at| unsafe { core::ptr::with_exposed_provenance::<u8>(address).add(at).read() };
    (0..count).map(byte).collect()
}
