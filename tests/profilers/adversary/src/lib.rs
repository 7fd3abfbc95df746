//! The profiler of `tests/e2e/adversary.rs`: calls every public function of `corprof` in every callback and hook, and on
//! threads of its own, with whatever it has got before and with random numbers.
//!
//! Whatever is called, and with which arguments, the program's output is unchanged: no call crashes, none hangs, and none
//! changes what the program does. Calls that are meant to change the program (event masks, ReJIT, collections, suspensions) are
//! made in forms that do not change its output. What is `unsafe` is not called.
//!
//! `ADVERSARY_HOOKS` is `fast` or `info`, `ADVERSARY_SEED` a number. `ADVERSARY_OUT` names the file for the report; beside it,
//! with the extension `calls`, is a file with the last calls of each thread, those in progress marked with `>`. A thread of the
//! profiler aborts the process when a call takes too long.

mod at;
mod callbacks;
mod calls;
mod hooked;
mod journal;
mod known;
mod learn;
mod left_out;
mod own_threads;
mod place;
mod random;
mod shared;

use std::sync::Arc;

use corprof::export_profiler;

use crate::shared::Shared;

export_profiler!("{5E0B7A2C-94D3-4C1E-8F67-3A1D0C9B42E8}", [Adversary]);

/// The profiler.
pub struct Adversary {
    shared: Arc<Shared>,
}

/// Returns the names of the functions that are called: `ProfilerInfo::modules`.
pub fn called_functions() -> impl Iterator<Item = &'static str> {
    calls::CALLS.iter().map(|(name, _)| *name)
}
