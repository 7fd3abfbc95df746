//! The static fields that hold references.

use corprof::clrnames::metadata::Metadata as _;
use corprof::sigparse::ElementType;
use corprof::{ClassId, FieldAttributes, Names};

/// A static field with the address of its reference.
#[derive(Clone, Debug)]
pub(super) struct StaticField {
    pub(super) name: String,
    pub(super) address: usize,
}

/// Whether a field's signature is that of a reference.
fn is_reference(signature: &[u8]) -> bool {
    let element = |index: usize| signature.get(index).copied().map(ElementType);
    match element(1) {
        Some(
            ElementType::STRING
            | ElementType::CLASS
            | ElementType::OBJECT
            | ElementType::SZARRAY
            | ElementType::ARRAY,
        ) => true,
        Some(ElementType::GENERICINST) => element(2) == Some(ElementType::CLASS),
        _ => false,
    }
}

/// Returns the initialised static fields of classes that hold references. Classes and fields that the runtime refuses are left
/// out.
pub(super) fn static_fields(names: &Names, classes: &[ClassId]) -> Vec<StaticField> {
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
                if !is_static || !is_reference(field.signature) {
                    continue;
                }
                for domain in &domains {
                    // Not initialised, of a thread, or in the image.
                    let Ok(address) = info.app_domain_static_address(*class, token, *domain) else {
                        continue;
                    };
                    let name = format!("static {}.{}", names.class(*class)?, field.name);
                    found.push(StaticField { name, address });
                }
            }
            Ok::<(), corprof::Error>(())
        };
        // Unloaded meanwhile.
        let _ = fields();
    }
    found
}
