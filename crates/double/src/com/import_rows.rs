//! The contents of metadata rows.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ffi::c_void;

use corprof::HResult;
use corprof_sys as sys;

use super::import::with;
use super::{Answer, Object, methods, put, put_borrowed, put_text, text_of};
use crate::model::Module;

/// The code for a missing row.
const NO_ROW: HResult = HResult::CLDB_E_RECORD_NOTFOUND;
/// The element type of a field or parameter without a constant: `ELEMENT_TYPE_VOID`.
const NO_CONSTANT: u32 = 1;

/// The first of some tokens.
///
/// # Safety
/// `out` is null, or points to a place for a token.
unsafe fn first(tokens: &[u32], out: *mut u32) -> Answer {
    let token = *tokens.first().ok_or(NO_ROW)?;
    // SAFETY: guaranteed by the caller.
    unsafe { put(out, token) };
    Ok(())
}

methods! {
    IMetaDataImport: FindTypeDefByName(name: sys::LPCWSTR, enclosing: sys::mdToken, out: *mut sys::mdTypeDef) => |object| {
        let name = text_of(name);
        with(object, |module| {
            let is = Module::tokens(&module.type_defs, 0x02, |row| {
                row.name == name && row.enclosing == enclosing & 0x00FF_FFFF
            });
            first(&is, out)
        })
    };
    IMetaDataImport: FindTypeRef(scope: sys::mdToken, name: sys::LPCWSTR, out: *mut sys::mdTypeRef) => |object| {
        let name = text_of(name);
        with(object, |module| {
            first(&Module::tokens(&module.type_refs, 0x01, |row| row.scope == scope && row.name == name), out)
        })
    };
    IMetaDataImport: FindMethod(
        of: sys::mdTypeDef, name: sys::LPCWSTR, signature: sys::PCCOR_SIGNATURE, length: sys::ULONG,
        out: *mut sys::mdMethodDef,
    ) => |object| {
        let (name, signature) = (text_of(name), bytes(signature, length));
        with(object, |module| {
            let is = |row: &crate::model::MethodRow| {
                row.type_def == of && row.name == name && signature.is_none_or(|wanted| *wanted == *row.signature)
            };
            first(&Module::tokens(&module.methods, 0x06, is), out)
        })
    };
    IMetaDataImport: FindField(
        of: sys::mdTypeDef, name: sys::LPCWSTR, signature: sys::PCCOR_SIGNATURE, length: sys::ULONG,
        out: *mut sys::mdFieldDef,
    ) => |object| {
        let (name, signature) = (text_of(name), bytes(signature, length));
        with(object, |module| {
            let is = |row: &crate::model::Field| {
                row.type_def == of && row.name == name && signature.is_none_or(|wanted| *wanted == *row.signature)
            };
            first(&Module::tokens(&module.fields, 0x04, is), out)
        })
    };
    IMetaDataImport: GetScopeProps(text: sys::LPWSTR, room: sys::ULONG, count: *mut sys::ULONG, mvid: *mut sys::GUID) => |object| {
        with(object, |module| {
            put_text(text, room, count, module.path.rsplit(['/', '\\']).next().unwrap_or_default());
            put(mvid, guid_of(module.mvid));
            Ok(())
        })
    };
    IMetaDataImport: GetModuleFromScope(out: *mut sys::mdModule) => |_| {
        put(out, 1);
        Ok(())
    };
    IMetaDataImport: GetTypeDefProps(
        token: sys::mdTypeDef, text: sys::LPWSTR, room: sys::ULONG, count: *mut sys::ULONG, flags: *mut sys::DWORD,
        extends: *mut sys::mdToken,
    ) => |object| with(object, |module| {
        let row = module.type_def(token).ok_or(NO_ROW)?;
        put_text(text, room, count, &row.name);
        put(flags, row.attributes);
        // A type that extends nothing has the nil definition here.
        put(extends, if row.extends == 0 { 0x0200_0000 } else { row.extends });
        Ok(())
    });
    IMetaDataImport: GetNestedClassProps(token: sys::mdTypeDef, out: *mut sys::mdTypeDef) => |object| {
        with(object, |module| match module.type_def(token).ok_or(NO_ROW)?.enclosing {
            0 => Err(NO_ROW),
            rid => {
                put(out, 0x0200_0000 | rid);
                Ok(())
            }
        })
    };
    IMetaDataImport: GetTypeRefProps(
        token: sys::mdTypeRef, scope: *mut sys::mdToken, text: sys::LPWSTR, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| with(object, |module| {
        let row = Module::row(&module.type_refs, 0x01, token).ok_or(NO_ROW)?;
        put(scope, row.scope);
        put_text(text, room, count, &row.name);
        Ok(())
    });
    IMetaDataImport: GetTypeSpecFromToken(
        token: sys::mdTypeSpec, blob: *mut sys::PCCOR_SIGNATURE, length: *mut sys::ULONG,
    ) => |object| with(object, |module| {
        put_borrowed(blob, length, Module::row(&module.type_specs, 0x1B, token).ok_or(NO_ROW)?);
        Ok(())
    });
    IMetaDataImport: GetInterfaceImplProps(
        token: sys::mdInterfaceImpl, class: *mut sys::mdTypeDef, interface: *mut sys::mdToken,
    ) => |object| with(object, |module| {
        let row = Module::row(&module.interface_impls, 0x09, token).ok_or(NO_ROW)?;
        put(class, row.0);
        put(interface, row.1);
        Ok(())
    });
    IMetaDataImport: GetMethodProps(
        token: sys::mdMethodDef, class: *mut sys::mdTypeDef, text: sys::LPWSTR, room: sys::ULONG,
        count: *mut sys::ULONG, flags: *mut sys::DWORD, blob: *mut sys::PCCOR_SIGNATURE, length: *mut sys::ULONG,
        rva: *mut sys::ULONG, impl_flags: *mut sys::DWORD,
    ) => |object| with(object, |module| {
        let row = module.method(token).ok_or(NO_ROW)?;
        // Of a global method, the class is nil.
        put(class, if row.type_def == 0x0200_0001 { 0x0200_0000 } else { row.type_def });
        put_text(text, room, count, &row.name);
        put(flags, row.attributes);
        put_borrowed(blob, length, &row.signature);
        put(rva, rva_of(token, row));
        put(impl_flags, row.impl_flags);
        Ok(())
    });
    IMetaDataImport: GetRVA(token: sys::mdToken, rva: *mut sys::ULONG, flags: *mut sys::DWORD) => |object| {
        with(object, |module| {
            let row = module.method(token).ok_or(NO_ROW)?;
            put(rva, rva_of(token, row));
            put(flags, row.impl_flags);
            Ok(())
        })
    };
    IMetaDataImport: GetParamForMethodIndex(
        method: sys::mdMethodDef, sequence: sys::ULONG, out: *mut sys::mdParamDef,
    ) => |object| with(object, |module| {
        first(&Module::tokens(&module.params, 0x08, |row| row.method == method && row.sequence == sequence), out)
    });
    IMetaDataImport: GetParamProps(
        token: sys::mdParamDef, method: *mut sys::mdMethodDef, sequence: *mut sys::ULONG, text: sys::LPWSTR,
        room: sys::ULONG, count: *mut sys::ULONG, flags: *mut sys::DWORD, element_type: *mut sys::DWORD,
        value: *mut sys::UVCP_CONSTANT, value_length: *mut sys::ULONG,
    ) => |object| with(object, |module| {
        let row = Module::row(&module.params, 0x08, token).ok_or(NO_ROW)?;
        put(method, row.method);
        put(sequence, row.sequence);
        put_text(text, room, count, &row.name);
        put(flags, row.attributes);
        put_constant(None, element_type, value, value_length);
        Ok(())
    });
    IMetaDataImport: GetFieldProps(
        token: sys::mdFieldDef, class: *mut sys::mdTypeDef, text: sys::LPWSTR, room: sys::ULONG,
        count: *mut sys::ULONG, flags: *mut sys::DWORD, blob: *mut sys::PCCOR_SIGNATURE, length: *mut sys::ULONG,
        element_type: *mut sys::DWORD, value: *mut sys::UVCP_CONSTANT, value_length: *mut sys::ULONG,
    ) => |object| with(object, |module| {
        let row = module.field(token).ok_or(NO_ROW)?;
        put(class, row.type_def);
        put_text(text, room, count, &row.name);
        put(flags, row.attributes);
        put_borrowed(blob, length, &row.signature);
        put_constant(row.constant.as_ref(), element_type, value, value_length);
        Ok(())
    });
    IMetaDataImport: GetCustomAttributeByName(
        of: sys::mdToken, name: sys::LPCWSTR, blob: *mut *const c_void, length: *mut sys::ULONG,
    ) => |object| {
        let name = text_of(name);
        with(object, |module| {
            let found = module.attributes.iter().find(|row| row.of == of && row.name == name);
            put_borrowed(blob, length, &found.ok_or(HResult::S_FALSE)?.value);
            Ok(())
        })
    };
    IMetaDataImport: IsGlobal(token: sys::mdToken, out: *mut core::ffi::c_int) => |object| with(object, |module| {
        let owner = module.method(token).map(|row| row.type_def).or_else(|| module.field(token).map(|row| row.type_def));
        put(out, i32::from(owner == Some(0x0200_0001)));
        Ok(())
    });
    IMetaDataImport2: GetGenericParamProps(
        token: sys::mdGenericParam, number: *mut sys::ULONG, flags: *mut sys::DWORD, owner: *mut sys::mdToken,
        reserved: *mut sys::DWORD, text: sys::LPWSTR, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| with(object, |module| {
        let _ = reserved;
        let row = Module::row(&module.generic_params, 0x2A, token).ok_or(NO_ROW)?;
        put(number, row.number);
        put(flags, 0);
        put(owner, row.owner);
        put_text(text, room, count, &row.name);
        Ok(())
    });
}

pub(super) unsafe extern "system" fn IsValidToken(
    this: *mut sys::IMetaDataImport,
    token: sys::mdToken,
) -> sys::BOOL {
    let mut valid = false;
    let work = |object: &Object| {
        with(object, |module| {
            let count = match token >> 24 {
                0x01 => module.type_refs.len(),
                0x02 => module.type_defs.len(),
                0x04 => module.fields.len(),
                0x06 => module.methods.len(),
                0x08 => module.params.len(),
                0x09 => module.interface_impls.len(),
                0x0C => module.attributes.len(),
                0x1B => module.type_specs.len(),
                0x20 => 1,
                0x23 => module.assembly_refs.len(),
                0x2A => module.generic_params.len(),
                _ => 0,
            };
            valid = (1..=count).contains(&(token as usize & 0x00FF_FFFF));
            Ok(())
        })
    };
    // SAFETY: as the contract of the folder has it.
    unsafe { super::answer(this.cast(), "IMetaDataImport::IsValidToken", work) };
    valid.into()
}

/// A GUID, from its bytes in the order of its text.
fn guid_of(bytes: [u8; 16]) -> sys::GUID {
    let [a, b, c, d, e, f, g, h, data4 @ ..] = bytes;
    sys::GUID {
        data1: u32::from_be_bytes([a, b, c, d]),
        data2: u16::from_be_bytes([e, f]),
        data3: u16::from_be_bytes([g, h]),
        data4,
    }
}

/// The RVA of a method's IL; 0 for a method without IL.
fn rva_of(token: u32, row: &crate::model::MethodRow) -> u32 {
    if row.il.is_empty() { 0 } else { 0x2000 + (token & 0x00FF_FFFF) * 0x100 }
}

/// # Safety
/// Each is null, or points to a place for its value.
unsafe fn put_constant(
    constant: Option<&(u32, Box<[u8]>)>,
    element_type: *mut u32,
    value: *mut sys::UVCP_CONSTANT,
    length: *mut u32,
) {
    // SAFETY: guaranteed by the caller. Lengths are of strings only.
    unsafe {
        put(element_type, constant.map_or(NO_CONSTANT, |(element_type, _)| *element_type));
        put(value, constant.map_or(core::ptr::null(), |(_, blob)| blob.as_ptr().wrapping_add(1).cast()));
        put(length, 0);
    }
}

/// The signature to search for; `None` for any.
///
/// # Safety
/// `data` is null, or points to `length` bytes that stay as they are for `'a`.
unsafe fn bytes<'a>(data: *const u8, length: u32) -> Option<&'a [u8]> {
    // SAFETY: guaranteed by the caller.
    (!data.is_null()).then(|| unsafe { core::slice::from_raw_parts(data, length as usize) })
}
