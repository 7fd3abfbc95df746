//! The maps from IL to native code.

use std::collections::BTreeSet;

use corprof::token::MethodDef;
use corprof::{Error, FunctionId, FunctionVersion, IlOffset, Result};

use crate::State;
use crate::facts::Facts;

/// The function of a method that has been compiled.
fn compiled(state: &State, method: MethodDef) -> Result<FunctionId> {
    let info = &state.info;
    let module = state.module("live.dll")?;
    for version in info.jitted_functions()? {
        let FunctionVersion { function, .. } = version;
        let found = info.function_info(function)?;
        if (found.module, found.token) == (module, Some(method)) {
            return Ok(function);
        }
    }
    Err(Error::NotFound(format!("{method} has not been compiled")))
}

/// The map of a method: `arguments` are its name and token, and the offsets to map.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [name, token, asked @ ..] = arguments else { return Err(Error::other("a method has to be given")) };
    let number = |text: &str| text.parse().map_err(|_| Error::other(format!("{text} is no number")));
    let method = MethodDef::from_token(number(token)?).ok_or_else(|| Error::other("no method"))?;
    let info = &state.info;
    let function = compiled(state, method)?;
    let map = info.il_to_native_map(function, None)?;
    let mut facts = Facts::of(&format!("maps.{name}"));

    // Other queries with the same result.
    let starts = info.native_code_start_addresses(function, None)?;
    let by_address = starts.first().map(|start| info.il_to_native_map_at(*start)).transpose()?;
    facts.say("by_address", by_address.as_ref() == Some(&map));
    let size: usize = info.code_regions(function, None)?.iter().map(|region| region.size).sum();
    let is_inside = map.iter().all(|entry| {
        entry.native_start <= entry.native_end
            && usize::try_from(entry.native_end).is_ok_and(|end| end <= size)
    });
    facts.say("inside", is_inside);

    let special = [IlOffset::NO_MAPPING, IlOffset::PROLOG, IlOffset::EPILOG];
    let offsets: BTreeSet<u32> = map
        .iter()
        .filter(|entry| !special.contains(&entry.il_offset))
        .map(|entry| entry.il_offset.0)
        .collect();
    for offset in asked {
        facts.say(format_args!("point.{offset}"), offsets.contains(&number(offset)?));
    }
    // For the program, which knows the boundaries of instructions.
    let all: Vec<String> = offsets.iter().map(u32::to_string).collect();
    facts.say("token.all", all.join(" "));
    Ok(facts.finish())
}
