//! Functions and their IL.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use corprof::{EventMask, HResult};
use corprof_sys as sys;

use super::{Answer, Kind, List, Object, methods, put, put_borrowed, put_list};
use crate::model::{ClassKind, Model, ReJit, ReJitState, function_id};

/// The IL of a method: that of the profiler, or its own.
fn il_of(model: &Model, module: usize, token: u32) -> Result<&[u8], HResult> {
    let method =
        model.modules.get(module).and_then(|module| module.method(token)).ok_or(HResult::E_INVALIDARG)?;
    match method.replaced.as_ref().unwrap_or(&method.il) {
        il if il.is_empty() => Err(HResult::CORPROF_E_FUNCTION_NOT_IL),
        il => Ok(il),
    }
}

/// The length of a method's header and body (ECMA-335 II.25.4). What follows it, its exception clauses, is left out.
fn il_length(head: [u8; 8]) -> usize {
    match head[0] & 3 {
        // Tiny: one byte, with the length in it.
        2 => 1 + usize::from(head[0] >> 2),
        // Fat: the upper half is the number of words of the header, and the code follows it.
        _ => {
            usize::from(head[1] >> 4) * 4 + u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize
        }
    }
}

/// Adds ReJIT requests.
///
/// # Safety
/// The lists have `count` items.
unsafe fn request(
    object: &Object,
    count: u32,
    modules: *mut sys::ModuleID,
    methods: *mut sys::mdMethodDef,
) -> Answer {
    let mut model = object.model();
    let [low, high] = model.profiling.mask;
    if !EventMask::from_halves(low, high).contains(EventMask::ENABLE_REJIT) {
        return Err(HResult::CORPROF_E_REJIT_NOT_ENABLED);
    }
    for index in 0..count as usize {
        // SAFETY: guaranteed by the caller.
        let (module, method) = unsafe { (modules.add(index).read(), methods.add(index).read()) };
        let module = object.module_of(&model, module)?;
        il_of(&model, module, method)?;
        let id = model.rejits.len() + 1;
        model.rejits.push(ReJit { module, method, id, state: ReJitState::Requested, il: None, flags: 0 });
    }
    Ok(())
}

fn compiled(model: &Model) -> Vec<sys::COR_PRF_FUNCTION> {
    let compiled = model.functions.iter().enumerate().filter(|(_, function)| function.is_compiled);
    compiled.map(|(index, _)| sys::COR_PRF_FUNCTION { functionId: function_id(index), reJitId: 0 }).collect()
}

methods! {
    ICorProfilerInfo: GetFunctionFromToken(id: sys::ModuleID, token: sys::mdToken, out: *mut sys::FunctionID) => |object| {
        from_token(object, id, token, 0, &[], out)
    };
    ICorProfilerInfo2: GetFunctionFromTokenAndTypeArgs(
        id: sys::ModuleID, token: sys::mdMethodDef, class: sys::ClassID, count: sys::ULONG32, args: *mut sys::ClassID,
        out: *mut sys::FunctionID,
    ) => |object| {
        let args = if count == 0 { &[] } else { core::slice::from_raw_parts(args, count as usize) };
        from_token(object, id, token, class, args, out)
    };
    ICorProfilerInfo: GetTokenAndMetaDataFromFunction(
        id: sys::FunctionID, iid: sys::REFIID, out: *mut *mut sys::IUnknown, token: *mut sys::mdToken,
    ) => |object| {
        let _ = iid;
        let model = object.model();
        let index = object.function_of(&model, id)?;
        let (module, rid) = model.functions.get(index).map(|function| (function.module, function.rid)).ok_or(HResult::E_INVALIDARG)?;
        drop(model);
        put(token, 0x0600_0000 | rid);
        if !out.is_null() {
            put(out, object.sibling(Kind::Import(module)).cast());
        }
        Ok(())
    };
    ICorProfilerInfo8: IsFunctionDynamic(id: sys::FunctionID, out: *mut sys::BOOL) => |object| {
        object.function_of(&object.model(), id)?;
        put(out, 0);
        Ok(())
    };
    ICorProfilerInfo: GetILFunctionBody(
        id: sys::ModuleID, token: sys::mdMethodDef, out: *mut sys::LPCBYTE, length: *mut sys::ULONG,
    ) => |object| {
        let model = object.model();
        let module = object.module_of(&model, id)?;
        put_borrowed(out, length, il_of(&model, module, token)?);
        Ok(())
    };
    ICorProfilerInfo: GetILFunctionBodyAllocator(id: sys::ModuleID, out: *mut *mut sys::IMethodMalloc) => |object| {
        object.module_of(&object.model(), id)?;
        put(out, object.sibling(Kind::Malloc).cast());
        Ok(())
    };
    ICorProfilerInfo: SetILFunctionBody(id: sys::ModuleID, token: sys::mdMethodDef, body: sys::LPCBYTE) => |object| {
        let mut model = object.model();
        let module = object.module_of(&model, id)?;
        il_of(&model, module, token)?;
        let memory = model.allocated.iter().find(|memory| memory.address() == body.addr()).cloned();
        let Some(memory) = memory else {
            object.shared().misused("SetILFunctionBody was called with memory that is not of the method's allocator".to_owned());
            return Err(HResult::E_INVALIDARG);
        };
        let head: Vec<u8> = memory.bytes(0, 8);
        let mut first = [0; 8];
        first.copy_from_slice(&head);
        let il = memory.bytes(0, il_length(first).min(memory.length()));
        let rid = token & 0x00FF_FFFF;
        let method = model.modules.get_mut(module).and_then(|module| module.methods.get_mut(rid as usize - 1));
        method.ok_or(HResult::E_INVALIDARG)?.replaced = Some(il.into());
        Ok(())
    };
    ICorProfilerInfo3: EnumJITedFunctions(out: *mut *mut sys::ICorProfilerFunctionEnum) => |object| {
        let compiled = compiled(&object.model());
        put(out, object.sibling(Kind::List(List::functions(compiled))).cast());
        Ok(())
    };
    ICorProfilerInfo4: EnumJITedFunctions2(out: *mut *mut sys::ICorProfilerFunctionEnum) => |object| {
        let compiled = compiled(&object.model());
        put(out, object.sibling(Kind::List(List::functions(compiled))).cast());
        Ok(())
    };
    ICorProfilerInfo4: RequestReJIT(
        count: sys::ULONG, modules: *mut sys::ModuleID, methods: *mut sys::mdMethodDef,
    ) => |object| request(object, count, modules, methods);
    ICorProfilerInfo10: RequestReJITWithInliners(
        flags: sys::DWORD, count: sys::ULONG, modules: *mut sys::ModuleID, methods: *mut sys::mdMethodDef,
    ) => |object| {
        let _ = flags;
        request(object, count, modules, methods)
    };
    ICorProfilerInfo4: RequestRevert(
        count: sys::ULONG, modules: *mut sys::ModuleID, methods: *mut sys::mdMethodDef, status: *mut sys::HRESULT,
    ) => |object| {
        let mut model = object.model();
        for index in 0..count as usize {
            let (module, method) = (modules.add(index).read(), methods.add(index).read());
            let module = object.module_of(&model, module)?;
            let of = |rejit: &&mut ReJit| (rejit.module, rejit.method) == (module, method);
            let latest = model.rejits.iter_mut().rev().find(of);
            let code = match latest.filter(|rejit| rejit.state != ReJitState::Reverted) {
                Some(rejit) => {
                    rejit.state = ReJitState::Reverted;
                    HResult::S_OK
                }
                // There is nothing to go back from.
                None => HResult(0x8013_1387_u32.cast_signed()),
            };
            put(status.add(index), code.0);
        }
        Ok(())
    };
    ICorProfilerInfo4: GetReJITIDs(
        id: sys::FunctionID, room: sys::ULONG, count: *mut sys::ULONG, list: *mut sys::ReJITID,
    ) => |object| {
        let model = object.model();
        let index = object.function_of(&model, id)?;
        let of = model.functions.get(index).map(|function| (function.module, 0x0600_0000 | function.rid));
        let is_of = |rejit: &&ReJit| Some((rejit.module, rejit.method)) == of && rejit.state != ReJitState::Requested;
        let ids: Vec<usize> = core::iter::once(0).chain(model.rejits.iter().filter(is_of).map(|rejit| rejit.id)).collect();
        put_list(list, room, count, &ids);
        Ok(())
    };
    ICorProfilerInfo7: ApplyMetaData(id: sys::ModuleID) => |object| {
        object.module_of(&object.model(), id)?;
        Ok(())
    };
}

/// # Safety
/// As the interface declares it.
unsafe fn from_token(
    object: &Object,
    id: sys::ModuleID,
    token: u32,
    class: sys::ClassID,
    args: &[sys::ClassID],
    out: *mut sys::FunctionID,
) -> Answer {
    let mut model = object.model();
    let module = object.module_of(&model, id)?;
    let type_def = model
        .modules
        .get(module)
        .and_then(|module| module.method(token))
        .ok_or(HResult::E_INVALIDARG)?
        .type_def;
    let class = if class == 0 {
        model.class_for(ClassKind::Instance { module, rid: type_def & 0x00FF_FFFF, args: Vec::new() })
    } else {
        object.class_of(&model, class)?
    };
    let args: Result<Vec<usize>, HResult> = args.iter().map(|arg| object.class_of(&model, *arg)).collect();
    let instance = model.instance(module, token & 0x00FF_FFFF, class, args?);
    // SAFETY: guaranteed by the caller.
    unsafe { put(out, model.instances.get(instance).map_or(0, |instance| function_id(instance.function))) };
    Ok(())
}
