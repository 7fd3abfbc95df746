//! Where answers go: places, lists, texts and lent bytes that the profiler has named, or has left out.
//!
//! Contract of the unsafe code here: a pointer is null, or points to places of its type, as many as are said. Nothing is
//! written beyond them.
#![allow(unsafe_code)]

/// Writes an answer where there is a place for it.
///
/// # Safety
/// `place` is null, or points to a place for a `T`.
pub(super) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: says the caller.
        unsafe { place.write(value) };
    }
}

/// Writes as much of a list as there is room for, and how long it is.
///
/// # Safety
/// `list` is null, or points to places for `room` elements; `count` as for [`put`].
pub(super) unsafe fn put_list<T: Copy>(list: *mut T, room: u32, count: *mut u32, values: &[T]) {
    let length = if list.is_null() { 0 } else { values.len().min(room as usize) };
    // SAFETY: says the caller; no more than there is room for.
    unsafe {
        if length > 0 {
            core::ptr::copy_nonoverlapping(values.as_ptr(), list, length);
        }
        put(count, length_of(values));
    }
}

/// Writes as much of a text as there is room for, with a zero at its end, and how many units it has with the zero.
///
/// # Safety
/// `text` is null, or points to places for `room` units; `count` as for [`put`].
pub(super) unsafe fn put_text(text: *mut u16, room: u32, count: *mut u32, value: &str) {
    let units: Vec<u16> = value.encode_utf16().chain([0]).collect();
    // SAFETY: says the caller.
    unsafe {
        put_list(text, room, count, &units);
        if !text.is_null() && room > 0 && (room as usize) < units.len() {
            text.add(room as usize - 1).write(0);
        }
    }
}

/// Lends bytes.
///
/// # Safety
/// As for [`put`], for both.
pub(super) unsafe fn lend<T>(place: *mut *const T, count: *mut u32, bytes: &[u8]) {
    // SAFETY: says the caller.
    unsafe {
        put(place, bytes.as_ptr().cast());
        put(count, length_of(bytes));
    }
}

/// A text with a zero at its end.
///
/// # Safety
/// `text` is null, or points to a text that ends with a zero.
pub(super) unsafe fn text_of(text: *const u16) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: says the caller.
    unsafe { widestring::U16CStr::from_ptr_str(text) }.to_string_lossy()
}

pub(super) fn length_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
