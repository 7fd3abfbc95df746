//! Tracing while a file exists, which every script can create and remove on every system.

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use corprof_calls::CallSwitch;

/// The interval at which the file is checked.
const PERIOD: Duration = Duration::from_millis(50);

/// Returns a switch that is on while the file exists.
pub(crate) fn follow(file: PathBuf) -> io::Result<CallSwitch> {
    let switch = CallSwitch::new();
    switch.set(file.exists());
    let followed = switch.clone();
    let look = move || {
        loop {
            thread::sleep(PERIOD);
            followed.set(file.exists());
        }
    };
    thread::Builder::new().name("calltrace switch".into()).spawn(look).map(|_| switch)
}
