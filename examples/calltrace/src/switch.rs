//! Tracing while a file exists: something that every user and every script can make and remove, on every system.

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use corprof::ProfilerInfo;

/// How often the file is looked for.
const PERIOD: Duration = Duration::from_millis(50);

/// From now on calls are reported while the file exists.
pub(crate) fn follow(info: &ProfilerInfo, file: PathBuf) -> io::Result<()> {
    let info = info.clone();
    info.report_calls(file.exists());
    let look = move || {
        loop {
            thread::sleep(PERIOD);
            info.report_calls(file.exists());
        }
    };
    thread::Builder::new().name("calltrace switch".into()).spawn(look).map(drop)
}
