//! The control thread where nobody listens: it ends sessions, and leaves.

use std::io;
use std::sync::Arc;

use corprof_in_process::spawn_quiet;

use crate::events::Event;
use crate::sessions::Sessions;

/// Starts the thread.
pub(crate) fn start(sessions: &Arc<Sessions>, is_attached: bool) -> io::Result<()> {
    let sessions = Arc::clone(sessions);
    let mut leaves = is_attached || sessions.count() > 0;
    let run = move || {
        while !sessions.has_ended() {
            match sessions.events.wait() {
                Event::Part(key, event) => sessions.handle(key, event),
                Event::End => return,
            }
            if leaves && sessions.count() == 0 {
                // It stays, silent.
                leaves = false;
                if sessions.leave().is_ok() {
                    return;
                }
            }
        }
    };
    spawn_quiet("corprof-agent", run).map(drop)
}
