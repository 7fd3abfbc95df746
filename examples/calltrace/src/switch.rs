//! Tracing while a file exists, which every script can create and remove on every system, or for some time.

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use corprof_calls::CallSwitch;

/// The interval at which the file is checked.
const PERIOD: Duration = Duration::from_millis(50);

/// Returns a switch that is on while the file exists, if there is one, and until the time has passed, if there is one.
pub(crate) fn follow(file: Option<PathBuf>, time: Option<Duration>) -> io::Result<CallSwitch> {
    let switch = CallSwitch::new();
    let exists = move || file.as_ref().is_none_or(|file| file.exists());
    switch.set(exists());
    let (followed, begin) = (switch.clone(), Instant::now());
    let look = move || {
        loop {
            let left = time.map_or(PERIOD, |time| time.saturating_sub(begin.elapsed()));
            if left.is_zero() {
                return followed.set(false);
            }
            thread::sleep(left.min(PERIOD));
            followed.set(exists());
        }
    };
    thread::Builder::new().name("calltrace switch".into()).spawn(look).map(|_| switch)
}
