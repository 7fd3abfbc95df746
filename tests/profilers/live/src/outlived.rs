//! Metadata that are kept when their module is unloaded: they stay readable.

use std::sync::Mutex;

use corprof::{
    Error, Metadata, MetadataEmit, MethodAttributes, ModuleFlags, ModuleId, NewMethod, ProfilerInfo, Result,
};

use crate::facts::{Facts, hex};
use crate::{State, locked};

/// The metadata of the collectible module.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Option<(ModuleId, Opened)>>);

/// Opened in one way only: opening for writing copies more than opening for reading.
enum Opened {
    Reading(Metadata),
    Writing(MetadataEmit),
}

/// The arguments: `open` and the way of opening, while the module is loaded; `unloaded`, whether it still is; and `read` and the
/// way afterwards.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let mut kept = locked(&state.kept.0);
    let module = kept.as_ref().map(|(module, _)| *module);
    match arguments {
        ["open", how] => {
            let module = collectible(state)?;
            let opened = match *how {
                "reading" => Opened::Reading(state.info.module_metadata(module)?),
                _ => Opened::Writing(state.info.module_metadata_emit(module)?),
            };
            *kept = Some((module, opened));
            Ok(String::new())
        }
        ["unloaded"] => {
            let gone = module.is_some_and(|module| is_unloaded(&state.info, module));
            let mut facts = Facts::of("outlived");
            facts.say("token.unloaded", u8::from(gone));
            Ok(facts.finish())
        }
        ["read", how] => {
            let Some((_, opened)) = &*kept else { return Err(Error::other("nothing was kept")) };
            let mut facts = Facts::of(&format!("outlived.{how}"));
            match opened {
                Opened::Reading(metadata) => read(&mut facts, metadata)?,
                Opened::Writing(emit) => {
                    read(&mut facts, emit.metadata())?;
                    added(emit)?;
                }
            }
            Ok(facts.finish())
        }
        other => Err(Error::other(format!("open, unloaded or read? {other:?}"))),
    }
}

/// The collectible module.
pub(crate) fn collectible(state: &State) -> Result<ModuleId> {
    let modules = locked(&state.modules).clone();
    let can_go = |module: &ModuleId| {
        state.info.module_info(*module).is_ok_and(|info| info.flags.contains(ModuleFlags::COLLECTIBLE))
    };
    modules.into_iter().find(can_go).ok_or_else(|| Error::other("no module can be unloaded"))
}

fn is_unloaded(info: &ProfilerInfo, module: ModuleId) -> bool {
    matches!(info.module_info(module), Err(Error::Unloaded { .. }))
}

fn read(facts: &mut Facts, metadata: &Metadata) -> Result<()> {
    let (mut methods, mut signatures) = (String::new(), String::new());
    for ty in metadata.type_defs()? {
        for method in metadata.methods(ty)? {
            let its = metadata.method(method)?;
            methods = methods + &its.name + ",";
            signatures += &hex(its.signature);
        }
    }
    facts.say("methods", methods);
    facts.say("signatures", signatures);
    facts.say("mvid", metadata.mvid()?);
    let assembly = metadata.assembly()?.ok_or_else(|| Error::other("no assembly"))?;
    facts.say("assembly", assembly.name);
    Ok(())
}

/// Rows can still be added, without a reader.
fn added(emit: &MetadataEmit) -> Result<()> {
    let owner = *emit.metadata().type_defs()?.first().ok_or_else(|| Error::other("no type"))?;
    let new = emit.define_method(
        owner,
        &NewMethod {
            name: "AfterTheEnd",
            attributes: MethodAttributes::PUBLIC,
            signature: &[0x20, 0x00, 0x01],
            rva: 0,
            impl_flags: 0,
        },
    )?;
    if emit.metadata().method(new)?.name != "AfterTheEnd" {
        return Err(Error::other("the method that was added is another one"));
    }
    Ok(())
}
