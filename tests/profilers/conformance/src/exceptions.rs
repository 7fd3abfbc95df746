//! `exception`: the callbacks of the search for a handler and of the unwinding, in order.

use std::sync::Mutex;

use corprof::{EventMask, FunctionId, ProfilerInfo, Result};

use crate::program;
use crate::row::Row;
use crate::{locked, say};

/// The callbacks, each with its function.
pub(crate) struct Exceptions {
    info: ProfilerInfo,
    seen: Mutex<Vec<String>>,
}

impl Exceptions {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS | EventMask::DISABLE_INLINING)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }
}

impl Row for Exceptions {
    fn exception(&self, callback: &'static str, function: Option<FunctionId>) {
        let name = |function| program::name(&self.info, function).unwrap_or_else(|| "?".to_owned());
        let callback = match function {
            Some(function) => format!("{callback} {}", name(function)),
            None => callback.to_owned(),
        };
        locked(&self.seen).push(callback);
    }

    fn say(&self) {
        for callback in &*locked(&self.seen) {
            say("callback", callback);
        }
    }
}
