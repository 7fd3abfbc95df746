//! The COM objects that the profiler calls.
//!
//! Contract of the unsafe code in this folder: the profiler calls these functions with `this` an object of the fake
//! runtime, and with arguments as the interface declares them: each pointer is null, or points to a value of its type,
//! or to as many of them as its count argument; texts end with a zero. The memory of an object lives as long as
//! [`Shared`], which each reference of the profiler keeps alive; so do borrowed parts of the metadata.
#![allow(unsafe_code)]

mod control;
mod emit;
mod enumerators;
mod ids;
mod import;
mod import_rows;
mod info;
mod info_calls;
mod info_code;
mod info_objects;
mod manifest;
mod object;
mod places;
mod stub;
mod vtables;

use std::sync::Arc;

pub(crate) use enumerators::List;
pub(crate) use info_calls::{AREA, RECORD, is_whole, saved};
pub(crate) use object::{Answer, Control, Kind, Object, Shared};

use object::{UNKNOWN, answer, unscripted};
use places::{length_of, put, put_borrowed, put_list, put_text, text_of};

use crate::Version;

/// Creates the objects of a runtime.
pub(crate) fn runtime(version: Version) -> Arc<Shared> {
    Shared::with_vtables(version, vtables::of)
}

/// Calls `ForceGC` as a profiler would that is not written with `corprof`.
#[cfg(test)]
pub(crate) fn force_gc(shared: &Shared) {
    let this = shared.info().cast::<corprof_sys::ICorProfilerInfo>();
    // SAFETY: the runtime's own object.
    unsafe { ((*(*this).lpVtbl).ForceGC)(this) };
}

/// Declares methods: interface, COM name, parameters and body. The body may use the helpers above; pointers are as the
/// interface declares them.
macro_rules! methods {
    ($($interface:ident: $method:ident($($arg:ident: $ty:ty),* $(,)?) => |$object:pat_param| $body:expr;)*) => {$(
        pub(super) unsafe extern "system" fn $method(
            this: *mut corprof_sys::$interface,
            $($arg: $ty),*
        ) -> corprof_sys::HRESULT {
            // SAFETY: as the contract of the folder has it.
            unsafe {
                $crate::com::answer(
                    this.cast(),
                    concat!(stringify!($interface), "::", stringify!($method)),
                    |$object| $body,
                )
            }
        }
    )*};
}
use methods;
