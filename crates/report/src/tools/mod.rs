//! What the tools' own reports have, by the name of the tool.

mod exceptions;
mod gc;

use crate::view::{Shown, View};

/// Returns the view of a tool that has one of its own.
pub(crate) fn view(shown: &Shown<'_>) -> Option<Box<dyn View>> {
    Some(match shown.session.tool.as_str() {
        "exceptions" => Box::new(exceptions::Exceptions::new(shown)),
        "gc" => Box::new(gc::Gc::new(shown)),
        _ => return None,
    })
}
