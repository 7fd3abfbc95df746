//! The static fields that hold references.

use std::collections::HashSet;

use corprof::clrnames::metadata::Metadata as _;
use corprof::sigparse::ElementType;
use corprof::{ClassId, FieldAttributes, Names, Result};

/// A static field with the address of its reference, or of its value in a box.
#[derive(Clone, Debug)]
pub(super) struct StaticField {
    pub(super) name: String,
    pub(super) address: usize,
    pub(super) kind: FieldKind,
}

/// What a static field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Reference,
    /// A structure, which the runtime boxes if it has references.
    Boxed,
}

/// Returns what a field with this signature holds; `None` for a number. The runtime reports no address of a generic class's field.
fn kind(signature: &[u8]) -> Option<FieldKind> {
    let element = |index: usize| signature.get(index).copied().map(ElementType);
    match element(1) {
        Some(
            ElementType::STRING
            | ElementType::CLASS
            | ElementType::OBJECT
            | ElementType::SZARRAY
            | ElementType::ARRAY,
        ) => Some(FieldKind::Reference),
        Some(ElementType::VALUETYPE) => Some(FieldKind::Boxed),
        Some(ElementType::GENERICINST) => match element(2) {
            Some(ElementType::VALUETYPE) => Some(FieldKind::Boxed),
            _ => Some(FieldKind::Reference),
        },
        _ => None,
    }
}

/// Returns the classes of the methods that have been compiled: of those that were loaded before the profiler was attached, these can be
/// found.
///
/// # Errors
/// On .NET Core 3.1 once a module has been unloaded: the runtime may not be queried for the methods.
pub(super) fn compiled_classes(names: &Names) -> Result<HashSet<ClassId>> {
    let functions = names.info().jitted_functions()?;
    let class = |function| names.info().function_info(function).ok()?.class;
    Ok(functions.iter().filter_map(|version| class(version.function)).collect())
}

/// Returns the initialised static fields of classes that hold references. Classes and fields that the runtime refuses are left
/// out.
pub(super) fn static_fields(names: &Names, classes: &HashSet<ClassId>) -> Vec<StaticField> {
    let info = names.info();
    let mut found = Vec::new();
    for class in classes {
        let mut fields = || {
            let class_info = info.class_info(*class)?;
            let metadata = info.metadata_rows(class_info.module)?;
            let domains = info.app_domains_containing_module(class_info.module)?;
            for token in metadata.fields(class_info.type_def)? {
                let field = metadata.field(token)?;
                let is_static = field.attributes.contains(FieldAttributes::STATIC)
                    && !field.attributes.contains(FieldAttributes::LITERAL);
                let Some(kind) = kind(field.signature).filter(|_| is_static) else { continue };
                for domain in &domains {
                    // Not initialised, of a thread, or in the image.
                    let Ok(address) = info.app_domain_static_address(*class, token, *domain) else {
                        continue;
                    };
                    let name = format!("static {}.{}", names.class(*class)?, field.name);
                    found.push(StaticField { name, address, kind });
                }
            }
            Ok::<(), corprof::Error>(())
        };
        // Unloaded meanwhile.
        let _ = fields();
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use corprof::{Error, Profiler, ProfilerInfo};
    use corprof_double::{Runtime, Version};

    use super::*;
    use crate::HeapCapture;

    struct Attached(Names);

    impl Profiler for Attached {
        fn initialize(info: &ProfilerInfo) -> Result<Self> {
            info.set_event_mask(HeapCapture::EVENTS)?;
            Ok(Self(Names::new(info)))
        }

        fn initialize_for_attach(info: &ProfilerInfo, _: &[u8]) -> Result<Self> {
            Self::initialize(info)
        }
    }

    #[test]
    fn classes_that_cannot_be_listed_are_an_error() {
        for (version, is_refused) in [(Version::NET_CORE_3_1, true), (Version::NET_8, false)] {
            let runtime = Runtime::new(version);
            let [plugin, app] = ["Plugin", "App"].map(|name| runtime.module(name));
            let plugin = plugin.collectible();
            let run = app.class("App.Program").method("Run").is_static().define();
            let session = runtime.attach::<Attached>(b"").unwrap();
            session.load(plugin);
            session.load(app);
            session.compile(&run);
            let names = &session.profiler().0;
            let list =
                || std::thread::scope(|threads| threads.spawn(|| compiled_classes(names)).join().unwrap());
            assert_eq!(list().unwrap().len(), 1);
            session.unload(plugin);
            match list() {
                Ok(classes) => assert!(!is_refused && classes.len() == 1, "{classes:?}"),
                Err(error) => assert!(is_refused && matches!(error, Error::Unsafe { .. }), "{error}"),
            }
            session.shutdown();
            runtime.assert_released();
        }
    }
}
