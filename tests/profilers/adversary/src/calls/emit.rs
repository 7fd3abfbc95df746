//! Metadata that is edited: references in the modules of the program, and anything in metadata of no module.

use corprof::sigparse::ElementType;
use corprof::{
    AssemblyIdentity, Constant, EventAttributes, EventChange, ExportedTypeTarget, FieldAttributes,
    FieldChange, FieldOffset, GenericParamAttributes, GenericParamChange, ImportFrom, MetadataEmit,
    MetadataScope, MethodAttributes, MethodChange, NewEvent, NewField, NewGenericParam, NewMethod, NewParam,
    NewProperty, NewTypeDef, ParamAttributes, ParamChange, PinvokeTarget, PropertyAttributes, PropertyChange,
    ResourcePlace, TypeAttributes, TypeDefChange, TypeLayout,
};

use super::Calls;
use crate::at::{At, Done, shown, value};

/// Edits metadata that is in no module.
fn scope(it: &At<'_>, edit: impl FnOnce(&mut MetadataScope) -> Done) -> Done {
    let mut scope = it.shared.known.scopes.take(&it.random)?;
    let done = edit(&mut scope);
    it.keep(&it.shared.known.scopes, scope);
    done
}

/// Adds to metadata of a module, or of none. What is added changes nothing in the program, since nothing refers to it.
fn add(it: &At<'_>, edit: impl FnOnce(&MetadataEmit) -> Done) -> Done {
    if it.is() {
        return scope(it, |scope| edit(scope));
    }
    match it.info().module_metadata_emit(it.module()?) {
        Ok(emit) => edit(&emit),
        Err(error) => shown(Err::<(), _>(error)),
    }
}

fn constant(it: &At<'_>) -> Option<Constant<'static>> {
    let bytes: &[&[u8]] = &[&[], &[1], &[1, 0], &[1, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0], b"t\0e\0x\0t\0"];
    let element_type = it.random.one_of(&[
        ElementType::BOOLEAN,
        ElementType::CHAR,
        ElementType::I4,
        ElementType::R8,
        ElementType::STRING,
        ElementType::CLASS,
        ElementType::OBJECT,
    ])?;
    it.maybe(|it| it.drawn(Some(Constant { element_type, bytes: it.random.one_of(bytes)? })))
}

fn identity(it: &At<'_>) -> AssemblyIdentity<'static> {
    AssemblyIdentity {
        name: it.text(),
        version: [1, 2, 3, it.u32().to_le_bytes()[0].into()],
        culture: if it.is() { "" } else { it.text() },
        public_key_or_token: it.random.one_of(&[&[] as &[u8], &[1; 8], &[2; 160]]).unwrap_or_default(),
        flags: it.u32(),
    }
}

fn new_type<'i>(it: &At<'_>, implements: &'i [corprof::sigparse::TypeDefOrRef]) -> NewTypeDef<'i> {
    NewTypeDef {
        name: it.text(),
        attributes: TypeAttributes::from_bits_retain(it.u32()),
        extends: it.maybe(|it| it.type_def_or_ref()),
        implements,
    }
}

fn pinvoke(it: &At<'_>) -> Option<PinvokeTarget<'static>> {
    Some(PinvokeTarget { flags: it.u32(), name: it.text(), module: it.module_ref()? })
}

fn target(it: &At<'_>) -> Option<ExportedTypeTarget> {
    let (implementation, type_def) = (it.implementation()?, it.maybe(|it| it.type_def()));
    Some(ExportedTypeTarget { implementation, type_def, attributes: it.u32() })
}

fn resource(it: &At<'_>) -> ResourcePlace {
    ResourcePlace { implementation: it.maybe(|it| it.implementation()), offset: it.u32(), is_public: it.is() }
}

fn import(it: &At<'_>, edit: impl FnOnce(&MetadataScope, ImportFrom<'_>) -> Done) -> Done {
    let module = it.shared.known.opened.pick(&it.random)?;
    let manifest = it.shared.known.opened.pick(&it.random)?;
    let from = ImportFrom { module: &module, manifest: if it.is() { &module } else { &manifest } };
    scope(it, |scope| edit(scope, from))
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::module_metadata_emit", |it| {
        shown(it.info().module_metadata_emit(it.module()?).map(|_| ()))
    }),
    ("MetadataEmit::metadata", |it| scope(it, |scope| shown(scope.metadata().type_defs()))),
    ("MetadataEmit::set_module_name", |it| scope(it, |scope| shown(scope.set_module_name(it.text())))),
    ("MetadataEmit::define_type_ref", |it| {
        add(it, |emit| shown(emit.define_type_ref(it.resolution_scope()?, it.text())))
    }),
    ("MetadataEmit::define_member_ref", |it| {
        add(it, |emit| shown(emit.define_member_ref(it.member_ref_parent()?, it.text(), &it.bytes())))
    }),
    ("MetadataEmit::define_module_ref", |it| add(it, |emit| shown(emit.define_module_ref(it.text())))),
    ("MetadataEmit::define_type_spec", |it| add(it, |emit| shown(emit.define_type_spec(&it.bytes())))),
    ("MetadataEmit::define_signature", |it| add(it, |emit| shown(emit.define_signature(&it.bytes())))),
    ("MetadataEmit::define_method_spec", |it| {
        add(it, |emit| shown(emit.define_method_spec(it.method_def_or_ref()?, &it.bytes())))
    }),
    ("MetadataEmit::define_user_string", |it| add(it, |emit| shown(emit.define_user_string(it.text())))),
    ("MetadataEmit::define_user_string_utf16", |it| {
        let units: Vec<u16> = it.bytes().into_iter().map(|byte| 0xD800 + u16::from(byte)).collect();
        add(it, |emit| shown(emit.define_user_string_utf16(&units)))
    }),
    ("MetadataEmit::define_assembly_ref", |it| {
        add(it, |emit| shown(emit.define_assembly_ref(&identity(it))))
    }),
    ("MetadataEmit::set_member_ref_parent", |it| {
        scope(it, |scope| shown(scope.set_member_ref_parent(it.member_ref()?, it.member_ref_parent()?)))
    }),
    ("MetadataEmit::import_type", |it| {
        import(it, |scope, from| shown(scope.import_type(from, it.type_def()?)))
    }),
    ("MetadataEmit::import_method", |it| {
        import(it, |scope, from| shown(scope.import_method(from, it.method_def()?, it.member_ref_parent()?)))
    }),
    ("MetadataEmit::import_field", |it| {
        import(it, |scope, from| shown(scope.import_field(from, it.field_def()?, it.member_ref_parent()?)))
    }),
    ("MetadataEmit::translated_signature", |it| {
        import(it, |scope, from| shown(scope.translated_signature(from, &it.bytes())))
    }),
    ("MetadataEmit::define_property", |it| {
        let (signature, others) = (it.bytes(), it.some(|it| it.method_def()));
        let new = NewProperty {
            name: it.text(),
            attributes: PropertyAttributes::from_bits_retain(it.u32()),
            signature: &signature,
            constant: constant(it),
            getter: it.maybe(|it| it.method_def()),
            setter: it.maybe(|it| it.method_def()),
            others: &others,
        };
        scope(it, |scope| shown(scope.define_property(it.type_def()?, &new)))
    }),
    ("MetadataEmit::set_property", |it| {
        let others = it.some(|it| it.method_def());
        let change = PropertyChange {
            attributes: it.maybe(|it| Some(PropertyAttributes::from_bits_retain(it.u32()))),
            constant: constant(it),
            getter: it.maybe(|it| it.method_def()),
            setter: it.maybe(|it| it.method_def()),
            others: it.is().then_some(&others),
        };
        scope(it, |scope| shown(scope.set_property(it.property_def()?, &change)))
    }),
    ("MetadataEmit::define_event", |it| {
        let others = it.some(|it| it.method_def());
        let new = NewEvent {
            name: it.text(),
            attributes: EventAttributes::from_bits_retain(it.u32()),
            event_type: it.maybe(|it| it.type_def_or_ref()),
            add: it.method_def()?,
            remove: it.method_def()?,
            raise: it.maybe(|it| it.method_def()),
            others: &others,
        };
        scope(it, |scope| shown(scope.define_event(it.type_def()?, &new)))
    }),
    ("MetadataEmit::set_event", |it| {
        let others = it.some(|it| it.method_def());
        let change = EventChange {
            attributes: it.maybe(|it| Some(EventAttributes::from_bits_retain(it.u32()))),
            event_type: it.maybe(|it| it.type_def_or_ref()),
            add: it.maybe(|it| it.method_def()),
            remove: it.maybe(|it| it.method_def()),
            raise: it.maybe(|it| it.method_def()),
            others: it.is().then_some(&others),
        };
        scope(it, |scope| shown(scope.set_event(it.event_def()?, &change)))
    }),
    ("MetadataEmit::define_method_impl", |it| {
        scope(it, |scope| {
            let (body, declaration) = (it.method_def_or_ref()?, it.method_def_or_ref()?);
            shown(scope.define_method_impl(it.type_def()?, body, declaration))
        })
    }),
    ("MetadataEmit::define_custom_attribute", |it| {
        scope(it, |scope| shown(scope.define_custom_attribute(it.token(), it.attribute_type()?, &it.bytes())))
    }),
    ("MetadataEmit::set_custom_attribute_value", |it| {
        scope(it, |scope| shown(scope.set_custom_attribute_value(it.custom_attribute()?, &it.bytes())))
    }),
    ("MetadataEmit::set_field_marshal", |it| {
        scope(it, |scope| shown(scope.set_field_marshal(it.has_marshal()?, &it.bytes())))
    }),
    ("MetadataEmit::delete_field_marshal", |it| {
        scope(it, |scope| shown(scope.delete_field_marshal(it.has_marshal()?)))
    }),
    ("MetadataEmit::define_pinvoke_map", |it| {
        scope(it, |scope| shown(scope.define_pinvoke_map(it.method_def()?, &pinvoke(it)?)))
    }),
    ("MetadataEmit::define_pinvoke_map_of_field", |it| {
        scope(it, |scope| shown(scope.define_pinvoke_map_of_field(it.field_def()?, &pinvoke(it)?)))
    }),
    ("MetadataEmit::set_pinvoke_map", |it| {
        scope(it, |scope| {
            let (flags, name) = (it.maybe(|it| Some(it.u32())), it.maybe(|it| Some(it.text())));
            shown(scope.set_pinvoke_map(it.method_def()?, flags, name, it.maybe(|it| it.module_ref())))
        })
    }),
    ("MetadataEmit::delete_pinvoke_map", |it| {
        scope(it, |scope| shown(scope.delete_pinvoke_map(it.method_def()?)))
    }),
    ("MetadataEmit::delete_pinvoke_map_of_field", |it| {
        scope(it, |scope| shown(scope.delete_pinvoke_map_of_field(it.field_def()?)))
    }),
    ("MetadataEmit::define_assembly", |it| {
        scope(it, |scope| shown(scope.define_assembly(&identity(it), it.u32())))
    }),
    ("MetadataEmit::set_assembly", |it| {
        scope(it, |scope| shown(scope.set_assembly(it.assembly_def()?, &identity(it), it.u32())))
    }),
    ("MetadataEmit::set_assembly_ref", |it| {
        scope(it, |scope| shown(scope.set_assembly_ref(it.assembly_ref()?, &identity(it))))
    }),
    ("MetadataEmit::define_file", |it| {
        scope(it, |scope| shown(scope.define_file(it.text(), &it.bytes(), it.is())))
    }),
    ("MetadataEmit::set_file", |it| {
        scope(it, |scope| shown(scope.set_file(it.file_ref()?, &it.bytes(), it.is())))
    }),
    ("MetadataEmit::define_exported_type", |it| {
        scope(it, |scope| shown(scope.define_exported_type(it.text(), &target(it)?)))
    }),
    ("MetadataEmit::set_exported_type", |it| {
        scope(it, |scope| shown(scope.set_exported_type(it.exported_type()?, &target(it)?)))
    }),
    ("MetadataEmit::define_manifest_resource", |it| {
        scope(it, |scope| shown(scope.define_manifest_resource(it.text(), resource(it))))
    }),
    ("MetadataEmit::set_manifest_resource", |it| {
        scope(it, |scope| shown(scope.set_manifest_resource(it.manifest_resource()?, resource(it))))
    }),
    ("MetadataEmit::define_method", |it| {
        let signature = it.bytes();
        let new = NewMethod {
            name: it.text(),
            attributes: MethodAttributes::from_bits_retain(it.u32()),
            signature: &signature,
            rva: it.u32(),
            impl_flags: it.u32(),
        };
        scope(it, |scope| shown(scope.define_method(it.type_def()?, &new)))
    }),
    ("MetadataEmit::set_method", |it| {
        let change = MethodChange {
            attributes: it.maybe(|it| Some(MethodAttributes::from_bits_retain(it.u32()))),
            rva: it.maybe(|it| Some(it.u32())),
            impl_flags: it.maybe(|it| Some(it.u32())),
        };
        scope(it, |scope| shown(scope.set_method(it.method_def()?, &change)))
    }),
    ("MetadataEmit::set_method_impl_flags", |it| {
        scope(it, |scope| shown(scope.set_method_impl_flags(it.method_def()?, it.u32())))
    }),
    ("MetadataEmit::set_method_rva", |it| {
        scope(it, |scope| shown(scope.set_method_rva(it.method_def()?, it.u32())))
    }),
    ("MetadataEmit::define_field", |it| {
        let signature = it.bytes();
        let attributes = FieldAttributes::from_bits_retain(it.u32());
        let new = NewField { name: it.text(), attributes, signature: &signature, constant: constant(it) };
        scope(it, |scope| shown(scope.define_field(it.type_def()?, &new)))
    }),
    ("MetadataEmit::set_field", |it| {
        let attributes = it.maybe(|it| Some(FieldAttributes::from_bits_retain(it.u32())));
        let change = FieldChange { attributes, constant: constant(it) };
        scope(it, |scope| shown(scope.set_field(it.field_def()?, &change)))
    }),
    ("MetadataEmit::set_field_rva", |it| {
        scope(it, |scope| shown(scope.set_field_rva(it.field_def()?, it.u32())))
    }),
    ("MetadataEmit::define_param", |it| {
        let new = NewParam {
            sequence: it.u32(),
            name: it.maybe(|it| Some(it.text())),
            attributes: ParamAttributes::from_bits_retain(it.u32()),
            constant: constant(it),
        };
        scope(it, |scope| shown(scope.define_param(it.method_def()?, &new)))
    }),
    ("MetadataEmit::set_param", |it| {
        let change = ParamChange {
            name: it.maybe(|it| Some(it.text())),
            attributes: it.maybe(|it| Some(ParamAttributes::from_bits_retain(it.u32()))),
            constant: constant(it),
        };
        scope(it, |scope| shown(scope.set_param(it.param_def()?, &change)))
    }),
    ("MetadataEmit::define_type_def", |it| {
        let implements = it.some(|it| it.type_def_or_ref());
        scope(it, |scope| shown(scope.define_type_def(&new_type(it, &implements))))
    }),
    ("MetadataEmit::define_nested_type", |it| {
        let implements = it.some(|it| it.type_def_or_ref());
        scope(it, |scope| shown(scope.define_nested_type(it.type_def()?, &new_type(it, &implements))))
    }),
    ("MetadataEmit::set_type_def", |it| {
        let implements = it.some(|it| it.type_def_or_ref());
        let change = TypeDefChange {
            attributes: it.maybe(|it| Some(TypeAttributes::from_bits_retain(it.u32()))),
            extends: it.maybe(|it| it.type_def_or_ref()),
            implements: it.is().then_some(&implements),
        };
        scope(it, |scope| shown(scope.set_type_def(it.type_def()?, &change)))
    }),
    ("MetadataEmit::set_type_layout", |it| {
        let fields = it.some(|it| Some(FieldOffset { field: it.field_def()?, offset: it.u32() }));
        let layout = TypeLayout { pack: it.u32(), size: it.u32(), fields };
        scope(it, |scope| shown(scope.set_type_layout(it.type_def()?, &layout)))
    }),
    ("MetadataEmit::delete_type_layout", |it| {
        scope(it, |scope| shown(scope.delete_type_layout(it.type_def()?)))
    }),
    ("MetadataEmit::define_generic_param", |it| {
        let constraints = it.some(|it| it.type_def_or_ref());
        let new = NewGenericParam {
            name: it.text(),
            index: it.u32(),
            attributes: GenericParamAttributes::from_bits_retain(it.u32()),
            constraints: &constraints,
        };
        scope(it, |scope| shown(scope.define_generic_param(it.type_or_method()?, &new)))
    }),
    ("MetadataScope::set_generic_param", |it| {
        let constraints = it.some(|it| it.type_def_or_ref());
        let change = GenericParamChange {
            name: it.maybe(|it| Some(it.text())),
            attributes: it.maybe(|it| Some(GenericParamAttributes::from_bits_retain(it.u32()))),
            constraints: it.is().then_some(&constraints),
        };
        scope(it, |scope| shown(scope.set_generic_param(it.generic_param()?, &change)))
    }),
    ("MetadataScope::save_size", |it| scope(it, |scope| shown(scope.save_size()))),
    ("MetadataScope::save", |it| {
        scope(it, |scope| {
            let saved = scope.save();
            if let Ok(saved) = &saved {
                it.keep(&it.shared.known.saved, std::sync::Arc::new(saved.clone()));
            }
            value(&saved);
            Some(saved.is_ok())
        })
    }),
    ("MetadataScope::save_to_file", |it| {
        scope(it, |scope| shown(scope.save_to_file(&it.shared.file(it.random.below(4)))))
    }),
];
