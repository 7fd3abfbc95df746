//! Short-lived COM objects: ReJIT parameters and the IL allocator.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use corprof::HResult;
use corprof_sys as sys;

use super::{Answer, Kind, Object, UNKNOWN, answer, methods};
use crate::model::{Memory, ReJit};

/// Changes the parameters of the ReJIT.
fn change(object: &Object, change: impl FnOnce(&mut ReJit)) -> Answer {
    let Kind::Control(control) = object.kind() else { return Err(HResult::E_INVALIDARG) };
    let mut model = object.model();
    change(model.rejits.get_mut(control.rejit).ok_or(HResult::E_INVALIDARG)?);
    Ok(())
}

methods! {
    ICorProfilerFunctionControl: SetCodegenFlags(flags: sys::DWORD) => |object| {
        change(object, |rejit| rejit.flags = flags)
    };
    ICorProfilerFunctionControl: SetILFunctionBody(length: sys::ULONG, body: sys::LPCBYTE) => |object| {
        if body.is_null() || length == 0 {
            return Err(HResult::E_INVALIDARG);
        }
        let il = core::slice::from_raw_parts(body, length as usize).to_vec();
        change(object, |rejit| rejit.il = Some(il))
    };
    ICorProfilerFunctionControl: SetILInstrumentedCodeMap(count: sys::ULONG, map: *mut sys::COR_IL_MAP) => |object| {
        let _ = (count, map);
        change(object, |_| ())
    };
}

/// The vtable of `IMethodMalloc`.
pub(super) const MALLOC: sys::IMethodMallocVtbl = sys::IMethodMallocVtbl { base: UNKNOWN, Alloc };

unsafe extern "system" fn Alloc(this: *mut sys::IMethodMalloc, bytes: sys::ULONG) -> sys::PVOID {
    let mut memory = core::ptr::null_mut();
    // SAFETY: as the contract of the folder has it.
    unsafe {
        answer(this.cast(), "IMethodMalloc::Alloc", |object| {
            let allocated = Memory::new(bytes as usize);
            memory = core::ptr::with_exposed_provenance_mut(allocated.address());
            object.model().allocated.push(allocated);
            Ok(())
        });
    }
    memory
}
