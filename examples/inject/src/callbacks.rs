//! The functions that inserted code calls.
//!
//! Contract of the unsafe code here: inserted code passes the address of a string that is pinned for the call, or null, and the
//! runtime's layout of strings is set before any code is inserted.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use corprof::LastError;

use crate::MEMORY;
use crate::spans::{self, Ending, Log, argument};

/// The limit of logged text, in UTF-16 units.
const MAX_UNITS: usize = 200;

/// A function that inserted code calls: its address, and its signature as an unmanaged function (ECMA-335 II.23.2.3):
/// cdecl, the number of parameters, the result, the parameters.
#[derive(Clone, Copy)]
pub(crate) struct Callback {
    pub(crate) address: usize,
    pub(crate) signature: &'static [u8],
}

impl Callback {
    pub(crate) fn integer() -> Self {
        Self { address: (integer as extern "C" fn(i64)) as usize, signature: &[0x01, 1, 0x01, 0x0A] }
    }

    pub(crate) fn number() -> Self {
        Self { address: (number as extern "C" fn(f64)) as usize, signature: &[0x01, 1, 0x01, 0x0D] }
    }

    pub(crate) fn text() -> Self {
        Self {
            address: (text as unsafe extern "C" fn(*const u8)) as usize,
            signature: &[0x01, 1, 0x01, 0x18],
        }
    }

    pub(crate) fn other() -> Self {
        Self { address: (other as extern "C" fn()) as usize, signature: &[0x01, 0, 0x01] }
    }

    pub(crate) fn redacted() -> Self {
        Self { address: (redacted as extern "C" fn()) as usize, signature: &[0x01, 0, 0x01] }
    }

    pub(crate) fn entered() -> Self {
        Self { address: (entered as extern "C" fn(i64) -> i64) as usize, signature: &[0x01, 1, 0x0A, 0x0A] }
    }

    pub(crate) fn left() -> Self {
        Self { address: (left as extern "C" fn(i64, i32)) as usize, signature: &[0x01, 2, 0x01, 0x0A, 0x08] }
    }

    pub(crate) fn suspended() -> Self {
        Self {
            address: (suspended as extern "C" fn(i64, i32, i32, i32)) as usize,
            signature: &[0x01, 4, 0x01, 0x0A, 0x08, 0x08, 0x08],
        }
    }

    pub(crate) fn completed() -> Self {
        Self {
            address: (completed as extern "C" fn(i32, i32)) as usize,
            signature: &[0x01, 2, 0x01, 0x08, 0x08],
        }
    }
}

/// Runs a function, catches its panics, which must not unwind into managed code, and keeps the thread's last error. Does not
/// run it when there is no memory.
fn guarded<R: Default>(work: impl FnOnce(&Log) -> R) -> R {
    let _kept = LastError::keep();
    let Some(log) = spans::log() else { return R::default() };
    if MEMORY.is_low() {
        log.miss();
        return R::default();
    }
    catch_unwind(AssertUnwindSafe(|| work(log))).unwrap_or_default()
}

extern "C" fn integer(value: i64) {
    guarded(|_| argument(value.to_string()));
}

extern "C" fn number(value: f64) {
    guarded(|_| argument(value.to_string()));
}

extern "C" fn other() {
    guarded(|_| argument("…".to_owned()));
}

extern "C" fn redacted() {
    guarded(|_| argument("redacted".to_owned()));
}

/// # Safety
/// The string is pinned, or null.
unsafe extern "C" fn text(string: *const u8) {
    guarded(|log| {
        if string.is_null() {
            return argument("null".to_owned());
        }
        // SAFETY: a string has its length there.
        let length = unsafe { string.add(log.strings.length_offset as usize).cast::<u32>().read_unaligned() };
        let length = (length as usize).min(MAX_UNITS);
        // SAFETY: the string has so many units there, which are aligned and do not change.
        let units = unsafe {
            core::slice::from_raw_parts(string.add(log.strings.buffer_offset as usize).cast::<u16>(), length)
        };
        argument(format!("{:?}", String::from_utf16_lossy(units)));
    });
}

/// A call begins. Returns the id of its span, for the end.
extern "C" fn entered(method: i64) -> i64 {
    let arguments = spans::take_arguments();
    guarded(|log| log.entered(method, &arguments))
}

/// A call ends: with a result, or by an exception.
extern "C" fn left(span: i64, has_returned: i32) {
    guarded(|log| log.left(span, if has_returned == 0 { Ending::Failed } else { Ending::Returned }));
}

/// A call has returned a task.
extern "C" fn suspended(span: i64, task: i32, is_completed: i32, has_failed: i32) {
    let ending = if has_failed == 0 { Ending::Returned } else { Ending::Failed };
    guarded(|log| log.suspended(span, task, (is_completed != 0).then_some(ending)));
}

/// A task is about to be completed.
extern "C" fn completed(task: i32, has_failed: i32) {
    guarded(|log| log.completed(task, if has_failed == 0 { Ending::Returned } else { Ending::Failed }));
}
