//! Values that are kept beyond the end of the runtime: dropped when the program's first thread ends, after `Shutdown`.

use std::cell::RefCell;
use std::io::Write as _;

use corprof::{Error, EventPipeSession, HandleKind, ObjectHandle, Result};

use crate::facts::Facts;
use crate::{State, event_pipe};

thread_local! {
    /// Thread-local to the program's main thread, which ends the process.
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// The kept values.
struct Kept {
    state: &'static State,
    handle: ObjectHandle,
    session: Option<EventPipeSession>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        let is_ended = |answer: Result<()>| matches!(answer, Err(Error::Ended { .. }));
        let mut facts = Facts::of("end");
        facts.say("asked", is_ended(self.state.info.event_mask().map(drop)));
        facts.say("handle", is_ended(self.handle.is_alive().map(drop)));
        let session = self.session.take();
        facts.say("session", is_ended(session.map_or(Ok(()), EventPipeSession::stop)));
        for line in facts.finish().lines() {
            // A failure cannot be reported.
            let _ = writeln!(std::io::stdout(), "profiler: {line}");
        }
    }
}

/// Keeps a handle of the object at `arguments[0]`, which the program has pinned, and a session.
pub(crate) fn answer(state: &'static State, arguments: &[&str]) -> Result<String> {
    let address = arguments.first().and_then(|address| address.parse().ok());
    let made = std::thread::scope(|scope| scope.spawn(|| make(state, address)).join());
    let (handle, session) = made.map_err(|_| Error::other("it panicked"))??;
    let session = Some(session);
    KEPT.with(|kept| kept.replace(Some(Kept { state, handle, session })));
    let mut facts = Facts::of("end");
    facts.say("kept", true);
    Ok(facts.finish())
}

/// Both are created on a thread that runs no managed code.
fn make(state: &State, address: Option<usize>) -> Result<(ObjectHandle, EventPipeSession)> {
    let object = address
        .and_then(|address| crate::memory::object(address, state))
        .ok_or_else(|| Error::other("no object was given"))?;
    let handle = state.info.create_handle(object, HandleKind::Strong)?;
    let session = state.info.event_pipe_start_session(&[event_pipe::config("Live-Nobody")], false)?;
    Ok((handle, session))
}
