//! Methods that the runtime itself suspends and resumes ("runtime async"): a preview of .NET 10, always on since .NET 11.
//!
//! For each method that returns a task the runtime has two functions with the same token ([`FunctionForm`]). Both are compiled when
//! they are called first, and both have hooks. The profiling API does not say which is which. The function of a token, with the
//! type arguments, is the one with the declared signature; the other is found by the comparison with it.
//!
//! On .NET 10 a leave hook damages the program: the compiler sets the register that says whether the function was suspended
//! before it calls the hook, which may change it (dotnet/runtime#122490). So these methods are not hooked there.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use corprof_types::{FunctionId, RuntimeInfo};

use super::unload::{Forget, Unload};
use crate::id_map::IdMap;

/// The switch in the environment of .NET 10, with the runtime's prefixes in the order in which it looks for them.
const SWITCHES: [&str; 2] = ["DOTNET_RuntimeAsync", "COMPlus_RuntimeAsync"];

/// The first version that has such methods, as a preview that is off by default.
pub(super) const PREVIEW: u16 = 10;

/// Which of the functions of a method a function is.
///
/// Since .NET 11 the runtime has two functions for each method that returns `Task`, `Task<T>`, `ValueTask` or `ValueTask<T>`.
/// Callers that await the result at once call the [`Variant`](Self::Variant), in the framework too, so that a program that was
/// compiled for an older runtime has calls of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionForm {
    /// The function with the declared signature.
    Declared,
    /// The function with the declared signature, without code of the method: it calls the variant, and makes the task.
    Thunk,
    /// The function that returns the task's result in the place of the task.
    ///
    /// It has one more argument in an integer register, the *continuation*, in front of the declared ones and behind `this`, the
    /// address for a large result and the generic context. The continuation is 0 when a call begins. Otherwise the function
    /// resumes a call, and all other arguments are undefined. When the function is suspended, it returns without a leave hook.
    Variant,
    /// It could not be determined. The arguments and the result of a call are those of one of the others.
    Unknown,
}

/// The forms of functions that have been compiled with hooks, except those with one function.
#[derive(Default)]
pub(super) struct Forms(Mutex<IdMap<FunctionId, FunctionForm>>);

impl Forms {
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut IdMap<FunctionId, FunctionForm>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Forget for Forms {
    fn forget(&self, unload: &Unload) {
        self.with(|forms| {
            unload.functions().for_each(|function| {
                forms.remove(&function);
            })
        });
    }
}

/// Returns whether methods that return tasks have a second function whenever they are hooked: on .NET 10 they are not hooked.
pub(crate) const fn has_second_functions(major: u16) -> bool {
    major > PREVIEW
}

/// Returns whether a runtime suspends methods itself, with the switch that the environment has.
pub(super) fn suspends_methods(runtime: &RuntimeInfo) -> bool {
    let switch = SWITCHES.iter().find_map(|name| std::env::var(name).ok());
    is_on(runtime.major, switch.as_deref())
}

fn is_on(major: u16, switch: Option<&str>) -> bool {
    // .NET 10 reads hexadecimal digits, and ignores anything else. Newer runtimes have no switch.
    let number = || u32::from_str_radix(switch?.trim_start_matches("0x"), 16).ok();
    has_second_functions(major) || major == PREVIEW && number().is_some_and(|number| number != 0)
}

#[cfg(test)]
mod tests {
    use super::is_on;

    #[test]
    fn the_runtime_suspends_methods_on_request_on_10_and_always_since_11() {
        for (major, switch, expected) in [
            (4, Some("1"), false),
            (9, Some("1"), false),
            (10, None, false),
            (10, Some("0"), false),
            (10, Some("1"), true),
            (10, Some("0x1"), true),
            (10, Some("yes"), false),
            (11, None, true),
            (11, Some("0"), true),
            (12, Some("0"), true),
        ] {
            assert_eq!(is_on(major, switch), expected, "{major} {switch:?}");
        }
    }
}
