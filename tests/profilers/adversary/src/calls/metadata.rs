//! Metadata of modules: the rows behind tokens.

use corprof::Accessed;

use super::Calls;
use crate::at::{At, shown, value};

/// Makes a call with tokens that the metadata may not have.
macro_rules! rows {
    ($($name:ident($($draw:ident),*);)*) => {
        &[$((concat!("Metadata::", stringify!($name)), |it| {
            let metadata = it.metadata()?;
            shown(metadata.$name($(it.$draw()?),*))
        }),)*]
    };
}

fn accessed(it: &At<'_>) -> Option<Accessed> {
    Some(if it.is() { Accessed::Property(it.property_def()?) } else { Accessed::Event(it.event_def()?) })
}

const ROWS: Calls = rows! {
    properties(type_def);
    property(property_def);
    events(type_def);
    event(event_def);
    accessed(method_def);
    method_impls(type_def);
    custom_attribute_props(custom_attribute);
    permission_set(decl_security);
    user_strings();
    user_string(user_string);
    signatures();
    signature(stand_alone_sig);
    assembly();
    assembly_refs();
    assembly_ref(assembly_ref);
    files();
    file(file_ref);
    exported_types();
    exported_type(exported_type);
    manifest_resources();
    manifest_resource(manifest_resource);
    members(type_def);
    methods(type_def);
    method(method_def);
    unresolved_methods();
    method_spec(method_spec);
    params(method_def);
    param(param_def);
    fields(type_def);
    field(field_def);
    member_ref(member_ref);
    module();
    mvid();
    module_refs();
    module_ref(module_ref);
    pe_kind();
    version_string();
    type_defs();
    type_refs();
    type_specs();
    type_def(type_def);
    is_class(type_def);
    enclosing_type(type_def);
    type_ref(type_ref);
    type_spec(type_spec);
    interface_impls(type_def);
    interface_impl(interface_impl);
    generic_param(generic_param);
    generic_param_constraints(generic_param);
    generic_param_constraint(generic_param_constraint);
    type_layout(type_def);
};

pub(super) const CALLS: Calls = &{
    let mut all = [OTHERS[0]; ROWS.len() + OTHERS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < ROWS.len() { ROWS[at] } else { OTHERS[at - ROWS.len()] };
        at += 1;
    }
    all
};

const OTHERS: Calls = &[
    ("Metadata::method_semantics", |it| {
        shown(it.metadata()?.method_semantics(it.method_def()?, accessed(it)?))
    }),
    ("Metadata::custom_attributes", |it| {
        let [of, constructor] = [(); 2].map(|()| it.maybe(|it| Some(it.token())));
        shown(it.metadata()?.custom_attributes(of, constructor))
    }),
    ("Metadata::has_custom_attribute", |it| {
        shown(it.metadata()?.has_custom_attribute(it.token(), it.text()))
    }),
    ("Metadata::custom_attribute", |it| shown(it.metadata()?.custom_attribute(it.token(), it.text()))),
    ("Metadata::permission_sets", |it| shown(it.metadata()?.permission_sets(it.token(), it.u32()))),
    ("Metadata::pinvoke_map", |it| shown(it.metadata()?.pinvoke_map(it.token()))),
    ("Metadata::field_marshal", |it| shown(it.metadata()?.field_marshal(it.token()))),
    ("Metadata::find_exported_type", |it| {
        shown(it.metadata()?.find_exported_type(it.text(), it.maybe(|it| it.exported_type())))
    }),
    ("Metadata::find_manifest_resource", |it| shown(it.metadata()?.find_manifest_resource(it.text()))),
    ("Metadata::members_named", |it| shown(it.metadata()?.members_named(it.type_def()?, it.text()))),
    ("Metadata::find_member", |it| shown(it.metadata()?.find_member(it.type_def()?, it.text(), &it.bytes()))),
    ("Metadata::methods_named", |it| shown(it.metadata()?.methods_named(it.type_def()?, it.text()))),
    ("Metadata::find_method", |it| shown(it.metadata()?.find_method(it.type_def()?, it.text(), &it.bytes()))),
    ("Metadata::method_specs", |it| shown(it.metadata()?.method_specs(it.maybe(|it| Some(it.token()))))),
    ("Metadata::param_at", |it| shown(it.metadata()?.param_at(it.method_def()?, it.u32()))),
    ("Metadata::fields_named", |it| shown(it.metadata()?.fields_named(it.type_def()?, it.text()))),
    ("Metadata::find_field", |it| shown(it.metadata()?.find_field(it.type_def()?, it.text(), &it.bytes()))),
    ("Metadata::member_refs", |it| shown(it.metadata()?.member_refs(it.token()))),
    ("Metadata::find_member_ref", |it| {
        shown(it.metadata()?.find_member_ref(it.token(), it.text(), &it.bytes()))
    }),
    ("Metadata::rva", |it| shown(it.metadata()?.rva(it.token()))),
    ("Metadata::name_of", |it| shown(it.metadata()?.name_of(it.token()))),
    ("Metadata::is_valid_token", |it| value(it.metadata()?.is_valid_token(it.token()))),
    ("Metadata::find_type_def", |it| {
        shown(it.metadata()?.find_type_def(it.text(), it.maybe(|it| it.type_def())))
    }),
    ("Metadata::find_type_ref", |it| {
        shown(it.metadata()?.find_type_ref(it.maybe(|it| it.resolution_scope()), it.text()))
    }),
    ("Metadata::generic_params", |it| shown(it.metadata()?.generic_params(it.token()))),
    ("ModuleRows::type_defs", |it| shown(it.shared.known.rows.pick(&it.random)?.type_defs())),
    ("ModuleRows::is_image", |it| value(it.shared.known.rows.pick(&it.random)?.is_image())),
    ("ModuleRows::is_class", |it| {
        let rows = it.shared.known.rows.pick(&it.random)?;
        shown(rows.is_class(it.type_def()?))
    }),
    ("ModuleRows::method_impl_flags", |it| {
        let rows = it.shared.known.rows.pick(&it.random)?;
        shown(rows.method_impl_flags(it.method_def()?))
    }),
    ("ModuleRows::param_at", |it| {
        let rows = it.shared.known.rows.pick(&it.random)?;
        shown(rows.param_at(it.method_def()?, it.u32()))
    }),
    ("ModuleRows::mvid", |it| shown(it.shared.known.rows.pick(&it.random)?.mvid())),
];
