//! The functions that the program calls: it sends commands to the profiler, and calls native functions.
//!
//! Contract of the unsafe code here: the program declares the functions with their real types, and its
//! arguments stay in place for the duration of the call.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use corprof::{Error, FunctionId, ProfilerInfo, Result};

use crate::RUNNING;

/// The file of the program.
const PROGRAM: &str = "conformance.dll";
/// The file of the library that it loads.
const PLUGIN: &str = "conformanceplugin.dll";

/// The name of a function if it is one of the program's.
pub(crate) fn name(info: &ProfilerInfo, function: FunctionId) -> Option<String> {
    let found = info.function_info(function).ok()?;
    let module = info.module_info(found.module).ok()?;
    let metadata = info.module_metadata(found.module).ok()?;
    (module.file_name() == PROGRAM).then(|| metadata.method(found.token?).ok().map(|method| method.name))?
}

/// Whether a function is in the library that the program loads.
pub(crate) fn in_plugin(info: &ProfilerInfo, function: FunctionId) -> bool {
    let module = info.function_info(function).and_then(|found| info.module_info(found.module));
    module.is_ok_and(|module| module.file_name() == PLUGIN)
}

/// Sends a command to the row, on a thread of its own, because the runtime refuses many calls on a managed thread that is in no
/// callback. Returns zero, or one with a message on standard error.
///
/// # Safety
/// `command` points to `length` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn conformance_tell(command: *const u8, length: i32) -> i32 {
    let length = usize::try_from(length).unwrap_or(0);
    // SAFETY: guaranteed by the caller.
    let command = unsafe { core::slice::from_raw_parts(command, length) };
    let command = String::from_utf8_lossy(command).into_owned();
    let told = std::thread::scope(|scope| scope.spawn(|| tell(&command)).join());
    match told {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => failed(&command, &error.to_string()),
        Err(_) => failed(&command, "it panicked"),
    }
}

fn tell(command: &str) -> Result<()> {
    let (info, row) = RUNNING.get().ok_or_else(|| Error::other("the profiler was not initialised"))?;
    info.initialize_current_thread()?;
    row.told(command)
}

fn failed(command: &str, error: &str) -> i32 {
    eprintln!("the profiler was told {command:?}: {error}");
    1
}

/// Calls back, if there is a function to call.
///
/// # Safety
/// `callback` is null or a function of this type.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn conformance_call(
    callback: Option<unsafe extern "C" fn(i32) -> i32>,
    number: i32,
) -> i32 {
    // No panic may unwind into the program.
    let call = || match callback {
        // SAFETY: guaranteed by the caller.
        Some(callback) => unsafe { callback(number) },
        None => number,
    };
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(-1)
}
