//! The limits of this crate.

use std::time::Duration;

/// The maximum number of connections of clients that are asking for something. Others wait.
#[cfg(unix)]
pub(crate) const CONNECTIONS: usize = 8;

/// The time limit for a request to arrive.
#[cfg(unix)]
pub(crate) const REQUEST: Duration = Duration::from_secs(5);

/// The time for which the agent's code may still be on the stack of a program's thread after its detach was requested.
pub(crate) const LEAVING: Duration = Duration::from_millis(100);
