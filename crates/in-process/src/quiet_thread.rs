//! Threads that no signal of the program reaches.
//!
//! Contract of the unsafe code here: calls of the system's library with sets of signals that are locals, for the mask of the running
//! thread.
#![allow(unsafe_code)]

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread on which all signals are blocked: those that are sent to the process are handled by threads of the program.
///
/// # Errors
/// If the thread cannot be started.
pub fn spawn_quiet(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let builder = Builder::new().name(name.to_owned());
    #[cfg(unix)]
    {
        // The new thread has the mask of this one from its beginning.
        // SAFETY: the contract of this file; the calls fill the sets in.
        let before = unsafe {
            let (mut all, mut before) = (core::mem::zeroed(), core::mem::zeroed());
            libc::sigfillset(&raw mut all);
            let blocked = libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            (blocked == 0).then_some(before)
        };
        let spawned = builder.spawn(run);
        if let Some(before) = before {
            // SAFETY: the contract of this file; the set is that of before.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, core::ptr::null_mut()) };
        }
        spawned
    }
    #[cfg(not(unix))]
    builder.spawn(run)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_signals_of_the_new_thread_are_blocked_and_those_of_this_one_are_not() {
        // As the kernel has them, of the running thread.
        let blocked = || {
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
            u64::from_str_radix(mask.trim(), 16).unwrap()
        };
        let before = blocked();
        let (found, find) = std::sync::mpsc::channel();
        spawn_quiet("quiet", move || found.send(blocked()).unwrap()).unwrap().join().unwrap();
        // All that a program may block; not those that threads of the C library have for themselves.
        let usual = [libc::SIGINT, libc::SIGTERM, libc::SIGUSR1, libc::SIGPROF, libc::SIGCHLD];
        let mask = find.recv().unwrap();
        assert!(usual.iter().all(|signal| mask & 1 << (signal - 1) != 0), "{mask:x}");
        assert_eq!(blocked(), before);
    }
}
