//! Lists and texts of a length that only the runtime knows: first a small buffer on the stack, then one as
//! large as the runtime requires, until it fits.
#![forbid(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use widestring::U16CString;

use crate::error::{Error, Result};
use crate::limits::MAX_ATTEMPTS;
use corprof_types::HResult;

/// How many elements fit before anything is allocated.
const INLINE: usize = 16;
/// How many UTF-16 units fit before anything is allocated.
const INLINE_WIDE: usize = 256;
/// A list that the runtime has filled: on the stack when short.
pub(crate) enum Filled<T: Copy + Default> {
    /// The elements and how many of them count.
    Inline([T; INLINE], usize),
    /// All elements.
    Heap(Vec<T>),
}

impl<T: Copy + Default> core::ops::Deref for Filled<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Inline(elements, length) => elements.get(..*length).unwrap_or(elements),
            Self::Heap(elements) => elements,
        }
    }
}

/// The outcome of one attempt to fill a buffer.
pub(crate) type Attempt = Result<u32>;

/// Fills a list. `get` gets a buffer and returns the number of elements, which may be
/// more than the buffer holds.
pub(crate) fn fill<T: Copy + Default>(
    call: &'static str,
    mut get: impl FnMut(&mut [T]) -> Attempt,
) -> Result<Filled<T>> {
    let mut inline = [T::default(); INLINE];
    let mut needed = needed_of(get(&mut inline), INLINE)?;
    if needed <= INLINE {
        return Ok(Filled::Inline(inline, needed));
    }
    for _ in 0..MAX_ATTEMPTS {
        let mut elements = vec![T::default(); needed];
        needed = needed_of(get(&mut elements), elements.len())?;
        if needed <= elements.len() {
            elements.truncate(needed);
            return Ok(Filled::Heap(elements));
        }
    }
    Err(Error::Call { call, hresult: HResult::INSUFFICIENT_BUFFER })
}

/// Fills a text. `get` gets a buffer and returns the number of UTF-16 units that the text needs,
/// terminating zero included.
pub(crate) fn fill_wide(call: &'static str, mut get: impl FnMut(&mut [u16]) -> Attempt) -> Result<String> {
    let mut inline = [0u16; INLINE_WIDE];
    let mut needed = needed_of(get(&mut inline), INLINE_WIDE)?;
    if needed <= INLINE_WIDE {
        return Ok(text_of(inline.get(..needed).unwrap_or(&inline)));
    }
    for _ in 0..MAX_ATTEMPTS {
        let mut units = vec![0u16; needed];
        needed = needed_of(get(&mut units), units.len())?;
        if needed <= units.len() {
            units.truncate(needed);
            return Ok(text_of(&units));
        }
    }
    Err(Error::Call { call, hresult: HResult::INSUFFICIENT_BUFFER })
}

/// The length of a list that is passed to the runtime, as it counts.
pub(crate) fn length_of<T>(call: &'static str, list: &[T]) -> Result<u32> {
    u32::try_from(list.len()).map_err(|_| Error::Call { call, hresult: HResult::E_INVALIDARG })
}

/// A text with a terminating zero.
pub(crate) fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::other(format!("the text {text:?} has a zero in it")))
}

/// Version and culture, as the metadata API takes them; the culture is borrowed without being written.
pub(crate) fn assembly_metadata(version: [u16; 4], culture: &U16CString) -> sys::ASSEMBLYMETADATA {
    let [major, minor, build, revision] = version;
    let (locale, units) = match culture.len() {
        0 => (null_mut(), 0),
        length => (culture.as_ptr().cast_mut(), u32::try_from(length + 1).unwrap_or(0)),
    };
    sys::ASSEMBLYMETADATA {
        usMajorVersion: major,
        usMinorVersion: minor,
        usBuildNumber: build,
        usRevisionNumber: revision,
        szLocale: locale,
        cbLocale: units,
        rProcessor: null_mut(),
        ulProcessor: 0,
        rOS: null_mut(),
        ulOS: 0,
    }
}

/// A buffer's length, as the runtime counts.
pub(crate) fn room_of<T>(room: &[T]) -> u32 {
    u32::try_from(room.len()).unwrap_or(u32::MAX)
}

/// The length that an attempt reported. `INSUFFICIENT_BUFFER` counts as twice the capacity.
fn needed_of(attempt: Attempt, room: usize) -> Result<usize> {
    match attempt {
        Ok(length) => Ok(length as usize),
        Err(Error::Call { hresult: HResult::INSUFFICIENT_BUFFER, .. }) => Ok(room * 2),
        Err(error) => Err(error),
    }
}

/// The text before the first zero. A lone surrogate becomes U+FFFD.
fn text_of(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    let units = units.get(..end).unwrap_or(units);
    // Nearly every name: one allocation of the right size, where decoding reserves for what it has not looked at.
    if units.iter().all(|unit| *unit < 0x80) {
        let bytes = units.iter().map(|unit| unit.to_le_bytes()[0]).collect();
        if let Ok(text) = String::from_utf8(bytes) {
            return text;
        }
    }
    String::from_utf16_lossy(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runtime with a list of the given length, which writes what fits and reports the rest.
    fn runtime(length: u32) -> impl FnMut(&mut [u32]) -> Attempt {
        move |buffer| {
            for (place, value) in buffer.iter_mut().zip(0..length) {
                *place = value;
            }
            Ok(length)
        }
    }

    #[test]
    fn short_lists_stay_on_the_stack() {
        let list = fill("test", runtime(3)).unwrap();
        assert!(matches!(list, Filled::Inline(..)));
        assert_eq!(*list, [0, 1, 2]);
    }

    #[test]
    fn long_lists_are_asked_for_again() {
        let list = fill("test", runtime(40)).unwrap();
        assert_eq!(list.len(), 40);
        assert_eq!(list.last(), Some(&39));
    }

    #[test]
    fn a_list_that_keeps_growing_is_an_error() {
        let mut length = 100;
        let grown = fill::<u32>("test", |_| {
            length *= 2;
            Ok(length)
        });
        assert!(matches!(grown, Err(Error::Call { hresult: HResult::INSUFFICIENT_BUFFER, .. })));
    }

    #[test]
    fn a_refusal_for_want_of_room_is_answered_with_more() {
        let list = fill("test", |buffer: &mut [u32]| match buffer.len() {
            0..64 => Err(Error::Call { call: "test", hresult: HResult::INSUFFICIENT_BUFFER }),
            _ => Ok(1),
        });
        assert_eq!(list.unwrap().len(), 1);
    }

    #[test]
    fn texts_end_at_their_zero() {
        let text: Vec<u16> = "Größe\0".encode_utf16().collect();
        let read = fill_wide("test", |buffer| {
            for (place, unit) in buffer.iter_mut().zip(&text) {
                *place = *unit;
            }
            Ok(6)
        });
        assert_eq!(read.unwrap(), "Größe");
    }
}
