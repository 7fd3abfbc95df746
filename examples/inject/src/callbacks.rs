//! The functions that inserted code calls, and their log.
//!
//! Contract of the unsafe code here: inserted code passes the address of a string that is pinned for the call, or null, and the
//! runtime's layout of strings is set before any code is inserted.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use corprof::{LastError, StringLayout};
use outlet::Outlet;
use printable::Printable;

use crate::MEMORY;

/// The limit of logged text, in UTF-16 units.
const MAX_UNITS: usize = 200;

/// The state of the functions: inserted code calls them until the process ends.
static LOG: OnceLock<Log> = OnceLock::new();

struct Log {
    begin: Instant,
    strings: StringLayout,
    out: Mutex<Outlet>,
    /// The number of lines that could not be written, or for which there was no memory.
    missing: AtomicU64,
    methods: RwLock<Vec<String>>,
}

thread_local! {
    /// The arguments of the beginning call.
    static ARGUMENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Opens the log: a file, or standard error.
pub(crate) fn begin(strings: StringLayout, out: Outlet) {
    let log = LOG.get_or_init(|| Log {
        begin: Instant::now(),
        strings,
        out: Mutex::new(Outlet::standard_error()),
        missing: AtomicU64::new(0),
        methods: RwLock::default(),
    });
    *log.out.lock().unwrap_or_else(PoisonError::into_inner) = out;
}

/// Reports the number of missing lines.
pub(crate) fn end() {
    let missing = LOG.get().map_or(0, |log| log.missing.load(Ordering::Relaxed));
    if missing > 0 {
        let line = format!("inject: {missing} lines are missing\n");
        let _ = Outlet::standard_error().write_line(line.as_bytes());
    }
}

/// Adds the name of a method. Returns its number.
pub(crate) fn name(name: String) -> i64 {
    let Some(log) = LOG.get() else { return -1 };
    let mut methods = log.methods.write().unwrap_or_else(PoisonError::into_inner);
    methods.push(name);
    i64::try_from(methods.len() - 1).unwrap_or(-1)
}

/// Writes a line.
pub(crate) fn write(line: &str) {
    let Some(log) = LOG.get() else { return };
    let line = format!("{:>10.3}  {}\n", log.begin.elapsed().as_secs_f64(), Printable(line));
    // A failure to write the log must not stop the program.
    if log.out.lock().unwrap_or_else(PoisonError::into_inner).write_line(line.as_bytes()).is_err() {
        log.missing.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs a function, catches its panics, which must not unwind into managed code, and keeps the thread's last error. Does not
/// run it when there is no memory.
fn guarded<R: Default>(work: impl FnOnce(&Log) -> R) -> R {
    let _kept = LastError::keep();
    let Some(log) = LOG.get() else { return R::default() };
    if MEMORY.is_low() {
        log.missing.fetch_add(1, Ordering::Relaxed);
        return R::default();
    }
    catch_unwind(AssertUnwindSafe(|| work(log))).unwrap_or_default()
}

fn method(log: &Log, number: i64) -> String {
    let methods = log.methods.read().unwrap_or_else(PoisonError::into_inner);
    usize::try_from(number).ok().and_then(|number| methods.get(number).cloned()).unwrap_or_default()
}

fn argument(text: String) {
    // At the end of a thread, its thread-local arguments have been dropped.
    let _ = ARGUMENTS.try_with(|arguments| arguments.borrow_mut().push(text));
}

pub(crate) extern "C" fn integer(value: i64) {
    guarded(|_| argument(value.to_string()));
}

pub(crate) extern "C" fn number(value: f64) {
    guarded(|_| argument(value.to_string()));
}

pub(crate) extern "C" fn other() {
    guarded(|_| argument("…".to_owned()));
}

pub(crate) extern "C" fn redacted() {
    guarded(|_| argument("redacted".to_owned()));
}

/// # Safety
/// The string is pinned, or null.
pub(crate) unsafe extern "C" fn text(string: *const u8) {
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

/// Logs the beginning of a call. Returns its time, for the end.
pub(crate) extern "C" fn entered(number: i64) -> i64 {
    // Even if the call is not logged: these arguments do not belong to the next call.
    let arguments = ARGUMENTS.try_with(|arguments| core::mem::take(&mut *arguments.borrow_mut()));
    guarded(|log| {
        let arguments = arguments.unwrap_or_default().join(", ");
        write(&format!("> {}({arguments})", method(log, number)));
        i64::try_from(log.begin.elapsed().as_nanos()).unwrap_or(0)
    })
}

/// Logs the end of a call: with a result, or by an exception.
pub(crate) extern "C" fn left(number: i64, since: i64, has_returned: i32) {
    // The beginning of the call was not logged.
    if since == 0 {
        return;
    }
    guarded(|log| {
        let nanoseconds = i64::try_from(log.begin.elapsed().as_nanos()).unwrap_or(since) - since;
        let sign = if has_returned == 0 { '!' } else { '<' };
        write(&format!("{sign} {}  {} µs", method(log, number), nanoseconds / 1000));
    });
}
