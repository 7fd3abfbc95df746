//! Metadata that are created and saved: the program reads the bytes with System.Reflection.Metadata.

use std::path::Path;

use corprof::sigparse::{ElementType, Implementation, TypeDefOrRef};
use corprof::token::Token;
use corprof::{
    AssemblyIdentity, Constant, Error, EventAttributes, EventChange, ExportedTypeTarget, FieldAttributes,
    FieldChange, FieldOffset, GenericParamAttributes, GenericParamChange, MetadataOption, MetadataScope,
    MethodAttributes, MethodChange, NewEvent, NewField, NewGenericParam, NewMethod, NewParam, NewProperty,
    NewTypeDef, ParamAttributes, ParamChange, PinvokeTarget, PropertyAttributes, PropertyChange,
    ResourcePlace, Result, TypeAttributes, TypeDefChange, TypeLayout,
};

use crate::State;
use crate::facts::Facts;

/// The argument: the path for the bytes.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [path] = arguments else { return Err(Error::other("a path is wanted")) };
    let mut dispenser = state.info.metadata_dispenser()?;
    // Duplicates of all kinds are checked.
    dispenser.set_option(MetadataOption::CHECK_DUPLICATES_FOR, u32::MAX)?;
    if dispenser.option(MetadataOption::CHECK_DUPLICATES_FOR)? != u32::MAX {
        return Err(Error::other("the option was not set"));
    }
    let mut scope = dispenser.define()?;
    let mut facts = Facts::of("scope");
    make(&mut facts, &mut scope)?;
    let size = scope.save_size()?;
    let saved = scope.save()?;
    if saved.bytes.len() != size as usize {
        return Err(Error::other(format!("{} of {size} bytes were saved", saved.bytes.len())));
    }
    // The saved bytes can be opened again.
    let reopened = dispenser.open_memory(&saved.bytes)?;
    facts.say("reopened", reopened.type_defs()?.len());
    std::fs::write(path, &saved.bytes).map_err(|error| Error::other(error.to_string()))?;
    // The same through a file.
    let file = format!("{path}.file");
    scope.save_to_file(Path::new(&file))?;
    let same = std::fs::read(&file).is_ok_and(|bytes| bytes == saved.bytes);
    facts.say("file", if same { "same" } else { "different" });
    Ok(facts.finish())
}

fn make(facts: &mut Facts, scope: &mut MetadataScope) -> Result<()> {
    scope.set_module_name("made.dll")?;
    facts.say("module", "made.dll");
    let identity = AssemblyIdentity {
        name: "made",
        version: [1, 2, 3, 4],
        culture: "",
        public_key_or_token: &[],
        flags: 0,
    };
    let assembly = scope.define_assembly(&identity, 0x8004)?;
    scope.set_assembly(assembly, &AssemblyIdentity { culture: "de-DE", ..identity }, 0x8004)?;
    facts.say("assembly", "made 1.2.3.4 de-DE");
    let runtime = AssemblyIdentity { name: "System.Runtime", version: [0, 0, 0, 0], ..identity };
    let runtime_ref = scope.define_assembly_ref(&runtime)?;
    let token = [0xB0, 0x3F, 0x5F, 0x7F, 0x11, 0xD5, 0x0A, 0x3A];
    scope.set_assembly_ref(
        runtime_ref,
        &AssemblyIdentity { version: [4, 2, 2, 0], public_key_or_token: &token, ..runtime },
    )?;
    facts.say("assemblyref", "System.Runtime 4.2.2.0 B03F5F7F11D50A3A");

    let object = scope.define_type_ref(runtime_ref, "System.Object")?;
    let value_type = scope.define_type_ref(runtime_ref, "System.ValueType")?;
    let handler = scope.define_type_ref(runtime_ref, "System.EventHandler")?;
    let disposable = scope.define_type_ref(runtime_ref, "System.IDisposable")?;
    let comparable = scope.define_type_ref(runtime_ref, "System.IComparable")?;
    let object: TypeDefOrRef = object.into();

    let shop = scope.define_type_def(&NewTypeDef {
        name: "Made.Shop",
        attributes: TypeAttributes::PUBLIC,
        extends: Some(object),
        implements: &[disposable.into()],
    })?;
    scope.set_type_def(
        shop,
        &TypeDefChange {
            attributes: Some(TypeAttributes::PUBLIC | TypeAttributes::SEALED),
            implements: Some(&[disposable.into(), comparable.into()]),
            ..TypeDefChange::default()
        },
    )?;
    facts.say("type", "Made.Shop 101 : System.IDisposable, System.IComparable");
    let nested = scope.define_nested_type(
        shop,
        &NewTypeDef {
            name: "Place",
            attributes: TypeAttributes::NESTED_PUBLIC | TypeAttributes::EXPLICIT_LAYOUT,
            extends: Some(value_type.into()),
            implements: &[],
        },
    )?;
    facts.say("nested", "Place in Made.Shop");

    let field = |name, signature, constant| {
        let attributes = FieldAttributes::PUBLIC;
        scope.define_field(nested, &NewField { name, attributes, signature, constant })
    };
    let (x, y) = (field("X", &[0x06, 0x08], None)?, field("Y", &[0x06, 0x08], None)?);
    let fields = vec![FieldOffset { field: x, offset: 0 }, FieldOffset { field: y, offset: 8 }];
    scope.set_type_layout(nested, &TypeLayout { pack: 4, size: 16, fields })?;
    facts.say("layout", "4 16 X@0 Y@8");
    scope.set_field_marshal(x, &[0x07])?;
    facts.say("marshal", "X 07");
    scope.set_field_rva(y, 0x1234)?;
    facts.say("fieldrva", "Y 1234");

    let answer = 42_i32.to_le_bytes();
    let constant = scope.define_field(
        shop,
        &NewField {
            name: "Answer",
            attributes: FieldAttributes::PUBLIC | FieldAttributes::STATIC | FieldAttributes::LITERAL,
            signature: &[0x06, 0x08],
            constant: Some(Constant { element_type: ElementType::I4, bytes: &answer }),
        },
    )?;
    let other = 43_i32.to_le_bytes();
    let changed = Constant { element_type: ElementType::I4, bytes: &other };
    scope.set_field(constant, &FieldChange { constant: Some(changed), ..FieldChange::default() })?;
    facts.say("constant", "Answer 43");
    let wrong = Constant { element_type: ElementType::I8, bytes: &other };
    let refused = scope.set_field(constant, &FieldChange { constant: Some(wrong), ..FieldChange::default() });
    facts.say("constant.wrong", if refused.is_err() { "refused" } else { "taken" });

    let method = |name, attributes, signature| {
        scope.define_method(shop, &NewMethod { name, attributes, signature, rva: 0, impl_flags: 0 })
    };
    let public = MethodAttributes::PUBLIC | MethodAttributes::HIDE_BY_SIG;
    let special = public | MethodAttributes::SPECIAL_NAME;
    method(".ctor", public, &[0x20, 0x00, 0x01])?;
    facts.say("constructor", "1886");
    let getter = method("get_Count", special, &[0x20, 0x00, 0x08])?;
    let setter = method("set_Count", special, &[0x20, 0x01, 0x01, 0x08])?;
    let mut accessor = vec![0x20, 0x01, 0x01, 0x12];
    accessor.push(u8::try_from(TypeDefOrRef::from(handler).coded()).unwrap_or_default());
    let add = method("add_Changed", special, &accessor)?;
    let remove = method("remove_Changed", special, &accessor)?;
    let raise = method("raise_Changed", special, &[0x20, 0x00, 0x01])?;

    let first = b"f\0i\0r\0s\0t\0";
    let param = scope.define_param(
        setter,
        &NewParam {
            sequence: 1,
            name: Some("amount"),
            attributes: ParamAttributes::IN,
            constant: Some(Constant { element_type: ElementType::STRING, bytes: first }),
        },
    )?;
    scope.set_param(param, &ParamChange { name: Some("value"), ..ParamChange::default() })?;
    facts.say("param", "1 value In, HasDefault first");

    let property = scope.define_property(
        shop,
        &NewProperty {
            name: "Count",
            attributes: PropertyAttributes::empty(),
            signature: &[0x28, 0x00, 0x08],
            constant: None,
            getter: Some(getter),
            setter: None,
            others: &[],
        },
    )?;
    scope.set_property(property, &PropertyChange { setter: Some(setter), ..PropertyChange::default() })?;
    facts.say("property", "Count get_Count set_Count");
    let event = scope.define_event(
        shop,
        &NewEvent {
            name: "Changed",
            attributes: EventAttributes::empty(),
            event_type: Some(handler.into()),
            add,
            remove,
            raise: None,
            others: &[],
        },
    )?;
    scope.set_event(event, &EventChange { raise: Some(raise), ..EventChange::default() })?;
    facts.say("event", "Changed add_Changed remove_Changed raise_Changed");

    let virtually = public | MethodAttributes::VIRTUAL | MethodAttributes::NEW_SLOT;
    let body = method("Close", virtually, &[0x20, 0x00, 0x01])?;
    scope.set_method(
        body,
        &MethodChange { attributes: Some(virtually | MethodAttributes::FINAL), ..MethodChange::default() },
    )?;
    scope.set_method_impl_flags(body, 0x20)?;
    scope.set_method_rva(body, 0x5678)?;
    let dispose = scope.define_member_ref(disposable, "Dispose", &[0x20, 0x00, 0x01])?;
    scope.define_method_impl(shop, body, dispose)?;
    facts.say("methodimpl", "Close 1E6 20 5678 for Dispose");

    let parameter = scope.define_generic_param(
        body,
        &NewGenericParam {
            name: "T",
            index: 0,
            attributes: GenericParamAttributes::REFERENCE_TYPE,
            constraints: &[disposable.into()],
        },
    )?;
    let library = scope.define_module_ref("libfirst")?;
    let statically = public | MethodAttributes::STATIC | MethodAttributes::PINVOKE_IMPL;
    let native = method("getpid", statically, &[0x00, 0x00, 0x08])?;
    let target = PinvokeTarget { flags: 0x0200, name: "first", module: library };
    scope.define_pinvoke_map(native, &target)?;
    let c = scope.define_module_ref("libc")?;
    scope.set_pinvoke_map(native, None, Some("getpid"), Some(c))?;
    facts.say("pinvoke", "getpid libc CallingConventionCDecl");

    let moved = scope.define_member_ref(comparable, "Moved", &[0x20, 0x00, 0x01])?;
    scope.set_member_ref_parent(moved, disposable)?;
    facts.say("memberref", "Moved of System.IDisposable");

    let file = scope.define_file("texts.bin", &[1, 2], true)?;
    scope.set_file(file, &[3, 4, 5], false)?;
    facts.say("filerow", "texts.bin 030405 False");
    let place = ResourcePlace { implementation: None, offset: 0, is_public: true };
    let resource = scope.define_manifest_resource("Made.Texts", place)?;
    let place =
        ResourcePlace { implementation: Some(Implementation::FileRef(file)), is_public: false, ..place };
    scope.set_manifest_resource(resource, place)?;
    facts.say("resource", "Made.Texts Private in texts.bin");
    let target =
        ExportedTypeTarget { implementation: Implementation::FileRef(file), type_def: None, attributes: 1 };
    let exported = scope.define_exported_type("Made.Elsewhere", &target)?;
    let implementation = Implementation::AssemblyRef(runtime_ref);
    scope.set_exported_type(
        exported,
        &ExportedTypeTarget { implementation, attributes: 0x0020_0000, ..target },
    )?;
    facts.say("exported", "Made.Elsewhere forwarded to System.Runtime");
    let constructor = scope.define_member_ref(disposable, ".ctor", &[0x20, 0x00, 0x01])?;
    scope.define_custom_attribute(Token::from(assembly), constructor, &[1, 0, 0, 0])?;
    facts.say("attribute", "01000000");
    scope.set_generic_param(
        parameter,
        &GenericParamChange {
            name: Some("TItem"),
            attributes: Some(GenericParamAttributes::DEFAULT_CONSTRUCTOR),
            constraints: None,
        },
    )?;
    facts.say("generic", "0 TItem DefaultConstructorConstraint System.IDisposable");
    Ok(())
}
