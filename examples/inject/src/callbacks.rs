//! The functions that inserted code calls, and their log.
//!
//! Contract of the unsafe code here: inserted code passes the address of a string that is pinned for the call, or null, and the
//! runtime's layout of strings is set before any code is inserted.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::fs::File;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use corprof::StringLayout;

/// The limit of logged text, in UTF-16 units.
const MAX_UNITS: usize = 200;

/// The state of the functions: inserted code calls them until the process ends.
static LOG: OnceLock<Log> = OnceLock::new();

struct Log {
    begin: Instant,
    strings: StringLayout,
    out: Mutex<Option<File>>,
    methods: RwLock<Vec<String>>,
}

thread_local! {
    /// The arguments of the beginning call.
    static ARGUMENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Opens the log: a file, or standard error.
pub(crate) fn begin(strings: StringLayout, out: Option<File>) {
    let methods = RwLock::default();
    let log = Log { begin: Instant::now(), strings, out: Mutex::new(None), methods };
    let log = LOG.get_or_init(|| log);
    *log.out.lock().unwrap_or_else(PoisonError::into_inner) = out;
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
    let line = format!("{:>10.3}  {line}\n", log.begin.elapsed().as_secs_f64());
    // A failure to write the log must not stop the program.
    let _ = match &mut *log.out.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(file) => file.write_all(line.as_bytes()),
        None => std::io::stderr().write_all(line.as_bytes()),
    };
}

/// Runs a function, and catches its panics, which must not unwind into managed code.
fn guarded<R: Default>(work: impl FnOnce(&Log) -> R) -> R {
    catch_unwind(AssertUnwindSafe(|| LOG.get().map(work))).ok().flatten().unwrap_or_default()
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
    guarded(|log| {
        let arguments = ARGUMENTS.try_with(|arguments| core::mem::take(&mut *arguments.borrow_mut()));
        let arguments = arguments.unwrap_or_default().join(", ");
        write(&format!("> {}({arguments})", method(log, number)));
        i64::try_from(log.begin.elapsed().as_nanos()).unwrap_or(0)
    })
}

/// Logs the end of a call: with a result, or by an exception.
pub(crate) extern "C" fn left(number: i64, since: i64, has_returned: i32) {
    guarded(|log| {
        let nanoseconds = i64::try_from(log.begin.elapsed().as_nanos()).unwrap_or(since) - since;
        let sign = if has_returned == 0 { '!' } else { '<' };
        write(&format!("{sign} {}  {} µs", method(log, number), nanoseconds / 1000));
    });
}
