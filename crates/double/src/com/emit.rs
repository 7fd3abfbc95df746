//! A module's metadata for writing, which the fake runtime refuses to change.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use corprof::HResult;
use corprof_sys as sys;

use super::{Kind, methods};

methods! {
    IMetaDataEmit: SetRVA(token: sys::mdMethodDef, _rva: sys::ULONG) => |object| {
        let Kind::Emit(module) = object.kind() else { return Err(HResult::E_INVALIDARG) };
        let found = object.model().modules.get(*module).is_some_and(|module| module.method(token).is_some());
        // Only the code for a row that does not exist is scripted.
        Err(if found { HResult::E_NOTIMPL } else { HResult::CLDB_E_INDEX_NOTFOUND })
    };
}
