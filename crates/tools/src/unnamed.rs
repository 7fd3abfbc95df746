//! Names of classes that have none of their own.
//!
//! Contract of the unsafe code here: the runtime is queried about the address of code that it has recorded itself in a continuation.
#![allow(unsafe_code)]

use corprof::{ClassId, Names};

use crate::contracts::Contracts;

/// Stands for the name of a class that the runtime does not report: one that is unloaded, for instance.
pub(crate) const UNKNOWN_CLASS: &str = "[unknown class]";

/// Stands for the name of a method that the runtime does not report.
pub(crate) const UNKNOWN_METHOD: &str = "[unknown method]";

/// The variables of a suspended method, which the runtime itself suspends.
pub(crate) const CONTINUATION: &str = "continuation";

/// Returns the name of the continuations of the method with this code.
pub(crate) fn continuation_of(names: &Names, code: usize) -> String {
    // SAFETY: the runtime keeps the address of an instruction of the method in its description of where the method is suspended.
    let version = unsafe { names.info().function_version_from_ip(code) };
    let name = version.ok().flatten().and_then(|version| names.function(version.function).ok());
    name.map_or_else(|| CONTINUATION.to_owned(), |name| format!("{CONTINUATION} of {name}"))
}

/// Returns the name of the objects of a class: those of a value type are boxed. `contracts` is called for a class that the runtime
/// reports no name of.
pub(crate) fn class_name<'c>(
    names: &Names,
    contracts: impl FnOnce() -> Option<&'c Contracts>,
    class: ClassId,
) -> String {
    if let Ok(name) = names.class(class) {
        let is_boxed = names.info().box_layout(class).is_ok_and(|offset| offset.is_some());
        return if is_boxed { format!("boxed {name}") } else { name.to_string() };
    }
    let is_continuation = contracts().is_some_and(|contracts| contracts.is_continuation(class.as_raw()));
    if is_continuation { CONTINUATION } else { UNKNOWN_CLASS }.to_owned()
}
