//! Metadata from which rows are removed: the program reads the rest with System.Reflection.Metadata.

use corprof::{
    AssemblyIdentity, Error, FieldAttributes, HResult, MethodAttributes, NewField, NewMethod, NewTypeDef,
    PinvokeTarget, Result, TypeAttributes, TypeLayout,
};

use crate::State;
use crate::facts::Facts;

/// The argument: the path for the bytes.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [path] = arguments else { return Err(Error::other("a path is wanted")) };
    let mut scope = state.info.metadata_dispenser()?.define()?;
    let mut facts = Facts::of("removed");

    let core = AssemblyIdentity {
        name: "System.Runtime",
        version: [4, 2, 2, 0],
        culture: "",
        public_key_or_token: &[],
        flags: 0,
    };
    let core = scope.define_assembly_ref(&core)?;
    let object = scope.define_type_ref(core, "System.Object")?;
    let bare = scope.define_type_def(&NewTypeDef {
        name: "Bare",
        attributes: TypeAttributes::PUBLIC | TypeAttributes::SEQUENTIAL_LAYOUT,
        extends: Some(object.into()),
        implements: &[],
    })?;
    scope.set_type_layout(bare, &TypeLayout { pack: 4, size: 16, fields: Vec::new() })?;
    scope.delete_type_layout(bare)?;
    facts.say("layout", "0 0");
    let again = scope.delete_type_layout(bare).err().map(|error| error.hresult());
    facts.say("again", again == Some(HResult::CLDB_E_RECORD_NOTFOUND));

    let field = scope.define_field(
        bare,
        &NewField {
            name: "X",
            attributes: FieldAttributes::PUBLIC,
            signature: &[0x06, 0x08],
            constant: None,
        },
    )?;
    scope.set_field_marshal(field, &[0x07])?;
    scope.delete_field_marshal(field)?;
    facts.say("marshal", "none");

    let native = scope.define_method(
        bare,
        &NewMethod {
            name: "getpid",
            attributes: MethodAttributes::PUBLIC | MethodAttributes::STATIC | MethodAttributes::PINVOKE_IMPL,
            signature: &[0x00, 0x00, 0x08],
            rva: 0,
            impl_flags: 0,
        },
    )?;
    let library = scope.define_module_ref("libc")?;
    scope.define_pinvoke_map(native, &PinvokeTarget { flags: 0x0200, name: "getpid", module: library })?;
    scope.delete_pinvoke_map(native)?;
    facts.say("pinvoke", "none");

    std::fs::write(path, &scope.save()?.bytes).map_err(|error| Error::other(error.to_string()))?;
    Ok(facts.finish())
}
