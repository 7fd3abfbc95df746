//! Methods that the runtime itself suspends and resumes ("runtime async"): a preview of .NET 10, on by default since .NET 11.
//!
//! For each method that returns a task the runtime may compile a second function, with the same token. It has one more
//! argument in front of the declared ones, and returns the task's result in the place of the task. It is entered again at each
//! resumption, when its arguments are undefined, and a suspension is no leave (dotnet/runtime#122488). The profiling API does not
//! distinguish the two functions.
//!
//! On .NET 10 a leave hook damages the program: the compiler sets the register that says whether the function was suspended
//! before it calls the hook, which may change it (dotnet/runtime#122490). So these methods are not hooked there.

use clrnames::metadata::Metadata as _;
use corprof_types::RuntimeInfo;
use sigparse::{MethodSig, Type, TypeDefOrRef};

use crate::error::Result;
use crate::metadata::ModuleRows;

/// The types of results for which there may be a second function.
const TASKS: [&str; 4] = [
    "System.Threading.Tasks.Task",
    "System.Threading.Tasks.Task`1",
    "System.Threading.Tasks.ValueTask",
    "System.Threading.Tasks.ValueTask`1",
];

/// The switch in the environment, with the runtime's prefixes in the order in which it looks for them.
const SWITCHES: [&str; 2] = ["DOTNET_RuntimeAsync", "COMPlus_RuntimeAsync"];

/// The first version that has such methods, and the first one that has them by default.
pub(super) const PREVIEW: u16 = 10;
const BY_DEFAULT: u16 = 11;

/// Returns whether a runtime suspends methods itself, with the switch that the environment has.
pub(super) fn suspends_methods(runtime: &RuntimeInfo) -> bool {
    let switch = SWITCHES.iter().find_map(|name| std::env::var(name).ok());
    is_on(runtime.major, switch.as_deref())
}

fn is_on(major: u16, switch: Option<&str>) -> bool {
    // The runtime reads hexadecimal digits, and ignores anything else.
    let set = switch.and_then(|text| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    major >= PREVIEW && set.map_or(major >= BY_DEFAULT, |number| number != 0)
}

/// Returns whether a method with this signature returns a task.
pub(crate) fn returns_task(metadata: &ModuleRows, signature: &[u8]) -> Result<bool> {
    let Ok(signature) = MethodSig::parse(signature) else { return Ok(true) };
    let ty = signature.return_type().ty();
    let definition = if let Type::GenericInst(instance) = &ty { instance.definition() } else { ty };
    let (Type::Class(token) | Type::ValueType(token)) = definition else { return Ok(false) };
    let name = match token {
        TypeDefOrRef::TypeDef(token) => metadata.type_def(token)?.name,
        TypeDefOrRef::TypeRef(token) => metadata.type_ref(token)?.name,
        TypeDefOrRef::TypeSpec(_) => return Ok(true),
    };
    Ok(TASKS.contains(&&*name))
}

#[cfg(test)]
mod tests {
    use super::is_on;

    #[test]
    fn the_runtime_suspends_methods_by_default_since_11_and_on_request_on_10() {
        for (major, switch, expected) in [
            (4, Some("1"), false),
            (9, Some("1"), false),
            (10, None, false),
            (10, Some("0"), false),
            (10, Some("1"), true),
            (10, Some("0x1"), true),
            (10, Some("yes"), false),
            (11, None, true),
            (11, Some("0"), false),
        ] {
            assert_eq!(is_on(major, switch), expected, "{major} {switch:?}");
        }
    }
}
