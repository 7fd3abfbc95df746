//! The queries of the program: a function of this library that it looks up by name.
//!
//! Contract of the unsafe code here: the program passes two buffers with their lengths, and keeps them where they
//! are for the duration of the call.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use corprof::ThreadId;

use crate::{LIVE, State, answer};

/// Answers a query, whose lines are the subject and its arguments. Returns the length of the answer in bytes;
/// the answer is truncated to the buffer. An answer that begins with `failed:` has the reason.
///
/// # Safety
/// `question` points to `length` bytes, and `room` to `capacity` bytes that may be written.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn live_ask(
    question: *const u8,
    length: i32,
    room: *mut u8,
    capacity: i32,
) -> i32 {
    let (Ok(length), Ok(capacity)) = (usize::try_from(length), usize::try_from(capacity)) else { return 0 };
    // SAFETY: guaranteed by the caller.
    let question = unsafe { core::slice::from_raw_parts(question, length) };
    let question = String::from_utf8_lossy(question).into_owned();
    let answer = match LIVE.get() {
        Some(state) => asked(state, &question),
        None => "failed: the profiler was not initialised".to_owned(),
    };
    let written = answer.len().min(capacity);
    // SAFETY: as above; the buffers do not overlap.
    unsafe { core::ptr::copy_nonoverlapping(answer.as_ptr(), room, written) };
    i32::try_from(answer.len()).unwrap_or(i32::MAX)
}

/// The query is handled on a thread of its own, because the runtime refuses many calls on a managed thread that is in
/// no callback; except queries about the thread's own stack, and those that need a managed thread.
fn asked(state: &'static State, question: &str) -> String {
    let caller = state.info.current_thread().ok().flatten();
    let work = || answer_lines(state, caller, question);
    let answered = if matches!(question.lines().next(), Some("stack" | "walk.here" | "end")) {
        catch_unwind(AssertUnwindSafe(work))
    } else {
        std::thread::scope(|scope| scope.spawn(work).join())
    };
    answered.unwrap_or_else(|_| "failed: it panicked".to_owned())
}

fn answer_lines(state: &'static State, caller: Option<ThreadId>, question: &str) -> String {
    let mut lines = question.lines();
    let subject = lines.next().unwrap_or_default();
    let arguments: Vec<&str> = lines.collect();
    answer(state, caller, subject, &arguments).unwrap_or_else(|error| format!("failed: {error}"))
}
