//! The limits of this crate.

#[cfg(unix)]
use std::time::Duration;

/// The maximum content of a message about the session.
pub(crate) const MAX_CONTROL: u32 = 64 << 10;

/// The maximum length of a text in such a message; a longer one is cut.
pub(crate) const MAX_TEXT: usize = 16 << 10;

/// The bytes of a document or a recording in one block.
#[cfg(any(unix, test))]
pub(crate) const PART: usize = 1 << 20;

/// The maximum length of a document.
pub(crate) const MAX_DOCUMENT: usize = 256 << 20;

/// The maximum length of a request to an agent, and of its reply.
pub(crate) const MAX_REQUEST: usize = 64 << 10;

/// The size of a read.
#[cfg(unix)]
pub(crate) const CHUNK: usize = 1 << 16;

/// The time limit for the first message of the other side.
#[cfg(unix)]
pub(crate) const HELLO: Duration = Duration::from_secs(5);

/// A client that takes nothing for so long is treated as gone.
#[cfg(unix)]
pub(crate) const STALLED: Duration = Duration::from_secs(30);

/// The time for which a message that is not repeated waits for a slow client.
#[cfg(unix)]
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The time for which a program that is starting waits for the client's answer: afterwards it runs without the tool.
#[cfg(unix)]
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

/// The time until a full socket is tried again.
#[cfg(unix)]
pub(crate) const RETRY: Duration = Duration::from_millis(5);

/// The bytes of a recording that are kept until the client knows that the tool measures.
#[cfg(unix)]
pub(crate) const EARLY: usize = 16 << 20;

/// How long a part of a recording waits for the client before other messages get their turn.
#[cfg(unix)]
pub(crate) const TURN: Duration = Duration::from_millis(100);
