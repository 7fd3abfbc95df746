//! Static fields of every class that is loaded, read at the end of each collection.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};

use corprof::{AppDomainId, ClassId, Error, FieldAttributes, HResult, ProfilerInfo, Result, StaticKind};

use crate::facts::{Facts, hex};
use crate::in_callback::InCallback;
use crate::{State, locked, memory};

/// The class of the program whose fields have known values, in each context into which it is loaded.
const COUNTED: &str = "Counted";

/// The loaded classes, and the last results.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    classes: Mutex<BTreeSet<ClassId>>,
    domain: OnceLock<AppDomainId>,
    last: Mutex<Read>,
    failed: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct Read {
    /// The number of addresses that the runtime has returned.
    addresses: usize,
    /// Whether fields of [`COUNTED`] were refused.
    refused: bool,
    /// The values of the fields of [`COUNTED`].
    counted: BTreeSet<String>,
}

impl Statics {
    pub(crate) fn loaded(&self, info: &ProfilerInfo, class: ClassId) {
        if self.domain.get().is_none() {
            let domain = info.current_thread().ok().flatten().map(|thread| info.thread_app_domain(thread));
            if let Some(Ok(domain)) = domain {
                let _ = self.domain.set(domain);
            }
        }
        locked(&self.classes).insert(class);
    }

    /// A collection has ended: no object moves now.
    pub(crate) fn look(&self, info: &ProfilerInfo) {
        let Some(domain) = self.domain.get() else { return };
        let mut read = Read::default();
        // No lock is held during queries.
        let classes = std::mem::take(&mut *locked(&self.classes));
        for class in classes {
            match Self::read(info, class, *domain, &mut read) {
                Err(Error::Unloaded { .. }) => continue,
                Err(error) => locked(&self.failed).push(format!("{class}: {error}")),
                Ok(()) => {}
            }
            locked(&self.classes).insert(class);
        }
        *locked(&self.last) = read;
    }

    fn read(info: &ProfilerInfo, class: ClassId, domain: AppDomainId, read: &mut Read) -> Result<()> {
        if info.array_class(class)?.is_some() {
            return Ok(());
        }
        let its = info.class_info(class)?;
        let metadata = info.module_metadata(its.module)?;
        let is_counted = metadata.type_def(its.type_def)?.name == COUNTED;
        let mut addresses = Vec::new();
        for field in metadata.fields(its.type_def)? {
            let props = metadata.field(field)?;
            let of_domain = props.attributes.contains(FieldAttributes::STATIC)
                && !props.attributes.contains(FieldAttributes::LITERAL)
                && info.static_field_kind(class, field)?.contains(StaticKind::APP_DOMAIN);
            if !of_domain {
                continue;
            }
            match info.app_domain_static_address(class, field, domain) {
                Ok(address) => addresses.push((props.name, address)),
                // The class is not initialised yet, or about to be unloaded.
                Err(error) if error.hresult() == HResult::CORPROF_E_DATAINCOMPLETE => {}
                Err(Error::Unsafe { .. }) => read.refused |= is_counted,
                Err(error) => return Err(error),
            }
        }
        read.addresses += addresses.len();
        if is_counted {
            read.counted.extend(Self::counted(info, &addresses)?);
        }
        Ok(())
    }

    /// The values of the fields of [`COUNTED`], if they have been set and still exist.
    fn counted(info: &ProfilerInfo, addresses: &[(String, usize)]) -> Result<Option<String>> {
        let address = |name| addresses.iter().find(|(its, _)| its == name).map(|(_, address)| *address);
        let (Some(number), Some(text)) = (address("Number"), address("Text")) else { return Ok(None) };
        let scope = ();
        let Some(text) = memory::object(memory::reference(text), &scope) else { return Ok(None) };
        Ok(Some(format!("{} {}", memory::int(number), memory::string(info, text)?)))
    }
}

/// The values at the end of a collection that is induced now; `arguments[0]` is the prefix of the facts.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let &[about] = arguments else { return Err(Error::other("what it is about is not given")) };
    let statics = state.statics.as_ref().ok_or_else(|| Error::other("they are not looked at"))?;
    let mut facts = Facts::of(&format!("statics.{about}"));
    let forced = InCallback::answers(state, &mut facts)?;
    facts.say("forced", forced);
    let read = locked(&statics.last);
    for counted in &read.counted {
        facts.say("counted", counted);
    }
    facts.say("refused", read.refused);
    facts.say("others", read.addresses > 2 * read.counted.len());
    facts.say("failed", format_args!("{:?}", locked(&statics.failed)));
    Ok(facts.finish())
}

/// The bytes of the fields of the class that the compiler makes for constant data; `arguments` are their names and sizes.
pub(crate) fn in_image(state: &State, arguments: &[&str]) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("image");
    let module = state.module("live.dll")?;
    let metadata = info.module_metadata(module)?;
    let type_def = metadata
        .find_type_def("<PrivateImplementationDetails>", None)?
        .ok_or_else(|| Error::other("there is no constant data"))?;
    let class = info
        .known_class(module, type_def, &[])
        .ok_or_else(|| Error::other("the class of the constant data is not loaded"))?;
    for field in metadata.fields(type_def)? {
        let name = metadata.field(field)?.name;
        let size = arguments.iter().find_map(|argument| argument.strip_prefix(&name)?.trim().parse().ok());
        let Some(size) = size else { continue };
        state.in_callback.ask(name, move |info| {
            let in_image = info.static_field_kind(class, field)? == StaticKind::RVA;
            let bytes = memory::bytes(info.rva_static_address(class, field)?, size);
            Ok(format!("{in_image} {}", hex(&bytes)))
        });
    }
    InCallback::answers(state, &mut facts)?;
    Ok(facts.finish())
}
