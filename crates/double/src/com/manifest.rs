//! A module's assembly manifest.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ffi::c_void;

use corprof::HResult;
use corprof_sys as sys;

use super::import::{close, enumerate};
use super::{Kind, Object, methods, put, put_borrowed, put_text};
use crate::model::Module;

/// Looks at the module that the object is for.
fn with<R>(object: &Object, work: impl FnOnce(&Module) -> Result<R, HResult>) -> Result<R, HResult> {
    let Kind::Manifest(module) = object.kind() else { return Err(HResult::E_INVALIDARG) };
    let model = object.model();
    work(model.modules.get(*module).ok_or(HResult::E_INVALIDARG)?)
}

/// Writes a version where there is a place for it.
///
/// # Safety
/// `out` is null, or points to a structure whose texts have no room.
unsafe fn put_version(out: *mut sys::ASSEMBLYMETADATA, version: [u16; 4]) {
    // SAFETY: guaranteed by the caller.
    if let Some(out) = unsafe { out.as_mut() } {
        [out.usMajorVersion, out.usMinorVersion, out.usBuildNumber, out.usRevisionNumber] = version;
    }
}

methods! {
    IMetaDataAssemblyImport: GetAssemblyFromScope(out: *mut sys::mdAssembly) => |_| {
        put(out, 0x2000_0001);
        Ok(())
    };
    IMetaDataAssemblyImport: GetAssemblyProps(
        token: sys::mdAssembly, key: *mut *const c_void, key_length: *mut sys::ULONG, algorithm: *mut sys::ULONG,
        text: sys::LPWSTR, room: sys::ULONG, count: *mut sys::ULONG, metadata: *mut sys::ASSEMBLYMETADATA,
        flags: *mut sys::DWORD,
    ) => |object| with(object, |module| {
        if token != 0x2000_0001 {
            return Err(HResult::CLDB_E_RECORD_NOTFOUND);
        }
        put_borrowed(key, key_length, &[]);
        put(algorithm, 0x8004);
        put_text(text, room, count, &module.assembly);
        put_version(metadata, module.version);
        put(flags, 0);
        Ok(())
    });
    IMetaDataAssemblyImport: GetAssemblyRefProps(
        token: sys::mdAssemblyRef, key: *mut *const c_void, key_length: *mut sys::ULONG, text: sys::LPWSTR,
        room: sys::ULONG, count: *mut sys::ULONG, metadata: *mut sys::ASSEMBLYMETADATA, hash: *mut *const c_void,
        hash_length: *mut sys::ULONG, flags: *mut sys::DWORD,
    ) => |object| with(object, |module| {
        let row = Module::row(&module.assembly_refs, 0x23, token).ok_or(HResult::CLDB_E_RECORD_NOTFOUND)?;
        put_borrowed(key, key_length, &[]);
        put_text(text, room, count, &row.name);
        put_version(metadata, row.version);
        put_borrowed(hash, hash_length, &[]);
        put(flags, 0);
        Ok(())
    });
    IMetaDataAssemblyImport: EnumAssemblyRefs(
        handle: *mut sys::HCORENUM, list: *mut sys::mdAssemblyRef, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| {
        let tokens = || with(object, |module| Ok(Module::tokens(&module.assembly_refs, 0x23, |_| true)));
        enumerate(object, handle, list, room, count, tokens)
    };
    IMetaDataAssemblyImport: EnumExportedTypes(
        handle: *mut sys::HCORENUM, list: *mut sys::mdExportedType, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| enumerate(object, handle, list, room, count, || Ok(Vec::new()));
    IMetaDataAssemblyImport: EnumFiles(
        handle: *mut sys::HCORENUM, list: *mut sys::mdFile, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| enumerate(object, handle, list, room, count, || Ok(Vec::new()));
    IMetaDataAssemblyImport: EnumManifestResources(
        handle: *mut sys::HCORENUM, list: *mut sys::mdManifestResource, room: sys::ULONG, count: *mut sys::ULONG,
    ) => |object| enumerate(object, handle, list, room, count, || Ok(Vec::new()));
    IMetaDataAssemblyImport: FindExportedTypeByName(
        name: sys::LPCWSTR, enclosing: sys::mdToken, out: *mut sys::mdExportedType,
    ) => |_| {
        let _ = (name, enclosing, out);
        Err(HResult::CLDB_E_RECORD_NOTFOUND)
    };
}

pub(super) unsafe extern "system" fn CloseEnum(
    this: *mut sys::IMetaDataAssemblyImport,
    handle: sys::HCORENUM,
) {
    // SAFETY: as the contract of the folder has it.
    unsafe { close(this.cast(), "IMetaDataAssemblyImport::CloseEnum", handle) };
}
