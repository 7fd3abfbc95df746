//! The metadata import of a module.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ffi::c_void;
use core::ptr::without_provenance_mut;

use corprof::HResult;
use corprof_sys as sys;

use super::{Answer, Kind, Object, answer, length_of, methods, put, put_list, text_of};
use crate::model::{Enumeration, Module};

/// Looks at the module that the object is for.
pub(super) fn with<R>(
    object: &Object,
    work: impl FnOnce(&Module) -> Result<R, HResult>,
) -> Result<R, HResult> {
    let Kind::Import(module) = object.kind() else { return Err(HResult::E_INVALIDARG) };
    let model = object.model();
    work(model.modules.get(*module).ok_or(HResult::E_INVALIDARG)?)
}

/// The handle of an enumeration: a number, from one on.
fn number_of(handle: sys::HCORENUM) -> usize {
    handle.addr()
}

/// Hands out the next tokens. An enumeration begins with a handle that is null, and is open from then on.
///
/// # Safety
/// `handle` points to a handle; `list` and `count` are as for [`put_list`].
pub(super) unsafe fn enumerate(
    object: &Object,
    handle: *mut sys::HCORENUM,
    list: *mut u32,
    room: u32,
    count: *mut u32,
    tokens: impl FnOnce() -> Result<Vec<u32>, HResult>,
) -> Answer {
    // SAFETY: guaranteed by the caller.
    let taken = unsafe { next(object, handle, room as usize, tokens) }?;
    // SAFETY: guaranteed by the caller.
    unsafe {
        put_list(list, room, core::ptr::null_mut(), &taken);
        put(count, length_of(&taken));
    }
    if taken.is_empty() { Err(HResult::S_FALSE) } else { Ok(()) }
}

/// # Safety
/// `handle` points to a handle.
unsafe fn next(
    object: &Object,
    handle: *mut sys::HCORENUM,
    wanted: usize,
    tokens: impl FnOnce() -> Result<Vec<u32>, HResult>,
) -> Result<Vec<u32>, HResult> {
    // SAFETY: guaranteed by the caller.
    let known = unsafe { handle.read() };
    let number = if known.is_null() {
        let tokens = tokens()?;
        let number = object.model().open_enumeration(Enumeration { tokens, read: 0 });
        // SAFETY: guaranteed by the caller.
        unsafe { handle.write(without_provenance_mut(number)) };
        number
    } else {
        number_of(known)
    };
    let mut model = object.model();
    let Some(Some(open)) = model.enumeration(number) else {
        drop(model);
        object.shared().misused("an enumeration was read after it had been closed".to_owned());
        return Err(HResult::E_INVALIDARG);
    };
    let taken: Vec<u32> = open.tokens.iter().skip(open.read).take(wanted).copied().collect();
    open.read += taken.len();
    Ok(taken)
}

/// Ends an enumeration.
///
/// # Safety
/// As for [`answer`].
pub(super) unsafe fn close(this: *mut c_void, name: &'static str, handle: sys::HCORENUM) {
    let work = |object: &Object| {
        let closed = object.model().enumeration(number_of(handle)).and_then(Option::take);
        if closed.is_none() && !handle.is_null() {
            object.shared().misused("an enumeration was closed twice".to_owned());
        }
        Ok(())
    };
    // SAFETY: forwarded to the caller.
    unsafe { answer(this, name, work) };
}

/// Declares enumerations: the interface, the COM name, the parameters, the table, and the filter on a module's rows.
macro_rules! enumerations {
    ($($interface:ident: $method:ident($($arg:ident: $ty:ty),*) => |$module:ident| $tokens:expr;)*) => {
        methods! {$(
            $interface: $method(
                handle: *mut sys::HCORENUM, $($arg: $ty,)* list: *mut u32, room: sys::ULONG, count: *mut sys::ULONG,
            ) => |object| {
                enumerate(object, handle, list, room, count, || with(object, |$module| Ok($tokens)))
            };
        )*}
    };
}

enumerations! {
    // Without the type that global members belong to.
    IMetaDataImport: EnumTypeDefs() => |module| Module::tokens(&module.type_defs, 0x02, |_| true).split_off(1);
    IMetaDataImport: EnumTypeRefs() => |module| Module::tokens(&module.type_refs, 0x01, |_| true);
    IMetaDataImport: EnumTypeSpecs() => |module| Module::tokens(&module.type_specs, 0x1B, |_| true);
    IMetaDataImport: EnumUserStrings() => |_module| Vec::new();
    IMetaDataImport: EnumModuleRefs() => |_module| Vec::new();
    IMetaDataImport: EnumSignatures() => |_module| Vec::new();
    IMetaDataImport: EnumMemberRefs(parent: sys::mdToken) => |_module| { let _ = parent; Vec::new() };
    IMetaDataImport2: EnumMethodSpecs(of: sys::mdToken) => |_module| { let _ = of; Vec::new() };
    IMetaDataImport2: EnumGenericParamConstraints(of: sys::mdGenericParam) => |_module| { let _ = of; Vec::new() };
    IMetaDataImport: EnumEvents(of: sys::mdTypeDef) => |_module| { let _ = of; Vec::new() };
    IMetaDataImport: EnumInterfaceImpls(of: sys::mdTypeDef) => |module|
        Module::tokens(&module.interface_impls, 0x09, |row| row.0 == of);
    IMetaDataImport: EnumMethods(of: sys::mdTypeDef) => |module|
        Module::tokens(&module.methods, 0x06, |row| row.type_def == of);
    IMetaDataImport: EnumMethodsWithName(of: sys::mdTypeDef, name: sys::LPCWSTR) => |module| {
        let name = text_of(name);
        Module::tokens(&module.methods, 0x06, |row| row.type_def == of && row.name == name)
    };
    IMetaDataImport: EnumFields(of: sys::mdTypeDef) => |module|
        Module::tokens(&module.fields, 0x04, |row| row.type_def == of);
    IMetaDataImport: EnumFieldsWithName(of: sys::mdTypeDef, name: sys::LPCWSTR) => |module| {
        let name = text_of(name);
        Module::tokens(&module.fields, 0x04, |row| row.type_def == of && row.name == name)
    };
    IMetaDataImport: EnumMembers(of: sys::mdTypeDef) => |module| {
        let mut members = Module::tokens(&module.methods, 0x06, |row| row.type_def == of);
        members.extend(Module::tokens(&module.fields, 0x04, |row| row.type_def == of));
        members
    };
    IMetaDataImport: EnumMembersWithName(of: sys::mdTypeDef, name: sys::LPCWSTR) => |module| {
        let name = text_of(name);
        let mut members = Module::tokens(&module.methods, 0x06, |row| row.type_def == of && row.name == name);
        members.extend(Module::tokens(&module.fields, 0x04, |row| row.type_def == of && row.name == name));
        members
    };
    IMetaDataImport: EnumParams(of: sys::mdMethodDef) => |module|
        Module::tokens(&module.params, 0x08, |row| row.method == of);
    IMetaDataImport: EnumProperties(of: sys::mdTypeDef) => |_module| { let _ = of; Vec::new() };
    IMetaDataImport: EnumMethodSemantics(of: sys::mdMethodDef) => |_module| { let _ = of; Vec::new() };
    IMetaDataImport: EnumCustomAttributes(of: sys::mdToken, constructor: sys::mdToken) => |module| {
        // The fake runtime's attributes have the name of their type, not its constructor.
        let _ = constructor;
        Module::tokens(&module.attributes, 0x0C, |row| of == 0 || row.of == of)
    };
    IMetaDataImport2: EnumGenericParams(of: sys::mdToken) => |module|
        Module::tokens(&module.generic_params, 0x2A, |row| row.owner == of);
}

methods! {
    IMetaDataImport: EnumMethodImpls(
        handle: *mut sys::HCORENUM, of: sys::mdTypeDef, bodies: *mut sys::mdToken, declarations: *mut sys::mdToken,
        room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| {
        let _ = (of, bodies, declarations);
        enumerate(object, handle, core::ptr::null_mut(), room, count, || Ok(Vec::new()))
    };
    IMetaDataImport: CountEnum(handle: sys::HCORENUM, out: *mut sys::ULONG) => |object| {
        let mut model = object.model();
        let open = model.enumeration(number_of(handle)).and_then(|open| open.as_ref());
        put(out, open.map_or(0, |open| length_of(&open.tokens)));
        Ok(())
    };
    IMetaDataImport: ResetEnum(handle: sys::HCORENUM, position: sys::ULONG) => |object| {
        let mut model = object.model();
        let open = model.enumeration(number_of(handle)).and_then(|open| open.as_mut());
        open.ok_or(HResult::E_INVALIDARG)?.read = position as usize;
        Ok(())
    };
}

pub(super) unsafe extern "system" fn CloseEnum(this: *mut sys::IMetaDataImport, handle: sys::HCORENUM) {
    // SAFETY: as the contract of the folder has it.
    unsafe { close(this.cast(), "IMetaDataImport::CloseEnum", handle) };
}
