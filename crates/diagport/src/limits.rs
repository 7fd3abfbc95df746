//! The limits of this crate.

use std::time::Duration;

/// The time that a runtime which starts takes at most between binding its socket and listening to it.
pub(crate) const BEFORE_LISTENING: Duration = Duration::from_secs(1);

/// The largest message: its size field has 16 bits.
pub(crate) const MAX_MESSAGE: usize = u16::MAX as usize;

/// The largest environment that is read, in bytes.
pub(crate) const MAX_ENVIRONMENT: u32 = 1 << 26;
