//! Out parameters: values, lists, texts and borrowed bytes; each pointer may be null.
//!
//! Contract of the unsafe code here: a pointer is null, or points to as many elements of its type as its length
//! argument. Nothing is written beyond them.
#![allow(unsafe_code)]

/// Writes a result through a pointer that may be null.
///
/// # Safety
/// `place` is null, or points to a place for a `T`.
pub(super) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { place.write(value) };
    }
}

/// Writes as much of a list as fits, and its length.
///
/// # Safety
/// `list` is null, or points to places for `room` elements; `count` as for [`put`].
pub(super) unsafe fn put_list<T: Copy>(list: *mut T, room: u32, count: *mut u32, values: &[T]) {
    let length = if list.is_null() { 0 } else { values.len().min(room as usize) };
    // SAFETY: guaranteed by the caller; no more than there is room for.
    unsafe {
        if length > 0 {
            core::ptr::copy_nonoverlapping(values.as_ptr(), list, length);
        }
        put(count, length_of(values));
    }
}

/// Writes as much of a text as fits, terminated by a zero, and its length with the zero.
///
/// # Safety
/// `text` is null, or points to places for `room` units; `count` as for [`put`].
pub(super) unsafe fn put_text(text: *mut u16, room: u32, count: *mut u32, value: &str) {
    let units: Vec<u16> = value.encode_utf16().chain([0]).collect();
    // SAFETY: guaranteed by the caller.
    unsafe {
        put_list(text, room, count, &units);
        if !text.is_null() && room > 0 && (room as usize) < units.len() {
            text.add(room as usize - 1).write(0);
        }
    }
}

/// Writes a pointer to borrowed bytes, and their length.
///
/// # Safety
/// As for [`put`], for both.
pub(super) unsafe fn put_borrowed<T>(place: *mut *const T, count: *mut u32, bytes: &[u8]) {
    // SAFETY: guaranteed by the caller.
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
    // SAFETY: guaranteed by the caller.
    unsafe { widestring::U16CStr::from_ptr_str(text) }.to_string_lossy()
}

pub(super) fn length_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
