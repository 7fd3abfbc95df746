//! Classes and objects.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ptr::with_exposed_provenance_mut;

use corprof::HResult;
use corprof_sys as sys;

use super::{Answer, Object, methods, put, put_list};
use crate::model::{ClassKind, Type, module_id};

/// From how many bytes on an object is large.
const LARGE: u32 = 85_000;

methods! {
    ICorProfilerInfo: GetClassFromObject(id: sys::ObjectID, out: *mut sys::ClassID) => |object| {
        let model = object.model();
        let found = object.object_at(&model, id)?;
        let class = model.heap.objects.get(found).and_then(|found| model.classes.get(found.class));
        put(out, class.map_or(0, |class| class.id()));
        Ok(())
    };
    ICorProfilerInfo: GetObjectSize(id: sys::ObjectID, out: *mut sys::ULONG) => |object| {
        let model = object.model();
        let found = object.object_at(&model, id)?;
        put(out, model.heap.objects.get(found).map_or(0, |found| u32::try_from(found.size).unwrap_or(u32::MAX)));
        Ok(())
    };
    ICorProfilerInfo4: GetObjectSize2(id: sys::ObjectID, out: *mut sys::SIZE_T) => |object| {
        let model = object.model();
        let found = object.object_at(&model, id)?;
        put(out, model.heap.objects.get(found).map_or(0, |found| found.size));
        Ok(())
    };
    ICorProfilerInfo2: GetObjectGeneration(id: sys::ObjectID, out: *mut sys::COR_PRF_GC_GENERATION_RANGE) => |object| {
        let model = object.model();
        let found = object.object_at(&model, id)?;
        let found = model.heap.objects.get(found).ok_or(HResult::E_INVALIDARG)?;
        put(out, sys::COR_PRF_GC_GENERATION_RANGE {
            generation: sys::COR_PRF_GC_GENERATION(found.generation),
            rangeStart: found.address(),
            rangeLength: found.size,
            rangeLengthReserved: found.size,
        });
        Ok(())
    };
    ICorProfilerInfo10: IsFrozenObject(id: sys::ObjectID, out: *mut sys::BOOL) => |object| {
        object.object_at(&object.model(), id)?;
        put(out, 0);
        Ok(())
    };
    ICorProfilerInfo10: GetLOHObjectSizeThreshold(out: *mut sys::DWORD) => |_| {
        put(out, LARGE);
        Ok(())
    };
    ICorProfilerInfo3: GetStringLayout2(length: *mut sys::ULONG, buffer: *mut sys::ULONG) => |_| {
        put(length, 8);
        put(buffer, 12);
        Ok(())
    };
    ICorProfilerInfo2: GetArrayObjectInfo(
        id: sys::ObjectID, dimensions: sys::ULONG32, sizes: *mut sys::ULONG32, bounds: *mut core::ffi::c_int,
        data: *mut *mut sys::BYTE,
    ) => |object| {
        let model = object.model();
        let found = object.object_at(&model, id)?;
        let found = model.heap.objects.get(found).ok_or(HResult::E_INVALIDARG)?;
        let rank = match model.classes.get(found.class).map(|class| &class.kind) {
            Some(ClassKind::Array { rank, .. }) if *rank == dimensions => *rank,
            _ => return Err(HResult::E_INVALIDARG),
        };
        let (lengths, offset) = found.dimensions(rank);
        put_list(sizes, rank, core::ptr::null_mut(), &lengths);
        put_list(bounds, rank, core::ptr::null_mut(), &vec![0; rank as usize]);
        put(data, with_exposed_provenance_mut(found.address() + offset));
        Ok(())
    };

    ICorProfilerInfo: IsArrayClass(
        id: sys::ClassID, element_type: *mut sys::CorElementType, element: *mut sys::ClassID, rank: *mut sys::ULONG,
    ) => |object| {
        let model = object.model();
        let class = object.class_of(&model, id)?;
        let Some(ClassKind::Array { element: of, rank: dimensions }) = model.classes.get(class).map(|class| &class.kind)
        else {
            return Err(HResult::S_FALSE);
        };
        put(element_type, sys::CorElementType(element_type_of(model.core.primitive(*of), model.is_value(*of), *of == model.core.string)));
        put(element, model.class_id(*of));
        put(rank, *dimensions);
        Ok(())
    };
    ICorProfilerInfo: GetClassIDInfo(id: sys::ClassID, module: *mut sys::ModuleID, token: *mut sys::mdTypeDef) => |object| {
        let none = core::ptr::null_mut();
        class_info(object, id, (module, token, none), 0, none.cast(), none)
    };
    ICorProfilerInfo2: GetClassIDInfo2(
        id: sys::ClassID, module: *mut sys::ModuleID, token: *mut sys::mdTypeDef, parent: *mut sys::ClassID,
        room: sys::ULONG32, count: *mut sys::ULONG32, list: *mut sys::ClassID,
    ) => |object| class_info(object, id, (module, token, parent), room, count, list);
    ICorProfilerInfo2: GetClassLayout(
        id: sys::ClassID, list: *mut sys::COR_FIELD_OFFSET, room: sys::ULONG, count: *mut sys::ULONG,
        size: *mut sys::ULONG,
    ) => |object| {
        let mut model = object.model();
        let class = object.class_of(&model, id)?;
        if class == model.core.string || matches!(model.classes.get(class).map(|class| &class.kind), Some(ClassKind::Array { .. })) {
            return Err(HResult::E_INVALIDARG);
        }
        let (fields, length) = model.layout(class);
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let fields: Vec<_> = fields
            .into_iter()
            .map(|(field, at)| sys::COR_FIELD_OFFSET { ridOfField: field, ulOffset: offset(at) })
            .collect();
        put_list(list, room, count, &fields);
        put(size, offset(length));
        Ok(())
    };
    ICorProfilerInfo2: GetBoxClassLayout(id: sys::ClassID, out: *mut sys::ULONG32) => |object| {
        let model = object.model();
        let class = object.class_of(&model, id)?;
        if !model.is_value(class) {
            return Err(HResult::E_INVALIDARG);
        }
        put(out, 8);
        Ok(())
    };
    ICorProfilerInfo: GetClassFromToken(id: sys::ModuleID, token: sys::mdTypeDef, out: *mut sys::ClassID) => |object| {
        class_from_token(object, id, token, &[], out)
    };
    ICorProfilerInfo2: GetClassFromTokenAndTypeArgs(
        id: sys::ModuleID, token: sys::mdTypeDef, count: sys::ULONG32, args: *mut sys::ClassID, out: *mut sys::ClassID,
    ) => |object| {
        let args = if count == 0 { &[] } else { core::slice::from_raw_parts(args, count as usize) };
        class_from_token(object, id, token, args, out)
    };

    ICorProfilerInfo10: EnumerateObjectReferences(
        id: sys::ObjectID, callback: sys::ObjectReferenceCallback, data: *mut core::ffi::c_void,
    ) => |object| {
        let callback = callback.ok_or(HResult::E_INVALIDARG)?;
        let mut model = object.model();
        let found = object.object_at(&model, id)?;
        let references = model.references_of(found);
        drop(model);
        if references.is_empty() {
            return Err(HResult::S_FALSE);
        }
        for (_, mut value) in references {
            if callback(id, &raw mut value, data) == 0 {
                break;
            }
        }
        Ok(())
    };
    ICorProfilerInfo15: EnumerateGCHeapObjects(callback: sys::ObjectCallback, data: *mut core::ffi::c_void) => |object| {
        let callback = callback.ok_or(HResult::E_INVALIDARG)?;
        let model = object.model();
        let alive = model.heap.objects.iter().filter(|object| object.is_alive);
        let addresses: Vec<usize> = alive.map(|object| object.address()).collect();
        drop(model);
        for address in addresses {
            if callback(address, data) == 0 {
                break;
            }
        }
        Ok(())
    };
    ICorProfilerInfo13: CreateHandle(
        id: sys::ObjectID, kind: sys::COR_PRF_HANDLE_TYPE, out: *mut sys::ObjectHandleID,
    ) => |object| {
        let _ = kind;
        let mut model = object.model();
        let found = object.object_at(&model, id)?;
        let handle = model.handles.create(found);
        drop(model);
        put(out, core::ptr::without_provenance_mut(handle));
        object.shared().handle_changed(handle, Some(id));
        Ok(())
    };
    ICorProfilerInfo13: DestroyHandle(handle: sys::ObjectHandleID) => |object| {
        let mut model = object.model();
        let is_destroyed = model.handles.destroy(handle.addr());
        drop(model);
        if !is_destroyed {
            return Err(HResult::E_INVALIDARG);
        }
        object.shared().handle_changed(handle.addr(), None);
        Ok(())
    };
    ICorProfilerInfo13: GetObjectIDFromHandle(handle: sys::ObjectHandleID, out: *mut sys::ObjectID) => |object| {
        let model = object.model();
        let found = model.handles.object(handle.addr()).ok_or(HResult::E_INVALIDARG)?;
        let alive = model.heap.objects.get(found).filter(|found| found.is_alive);
        put(out, alive.map_or(0, |found| found.address()));
        Ok(())
    };
}

type ClassAnswer = (*mut sys::ModuleID, *mut sys::mdTypeDef, *mut sys::ClassID);

/// # Safety
/// As the interface declares it.
unsafe fn class_info(
    object: &Object,
    id: sys::ClassID,
    out: ClassAnswer,
    room: u32,
    count: *mut u32,
    list: *mut sys::ClassID,
) -> Answer {
    let mut model = object.model();
    let class = object.class_of(&model, id)?;
    let kind = model.classes.get(class).map(|class| class.kind.clone());
    let Some(ClassKind::Instance { module, rid, args }) = kind else {
        return Err(HResult::CORPROF_E_CLASSID_IS_ARRAY);
    };
    let parent = model.parent(class);
    let id_of = |class| model.class_id(class);
    let args: Vec<usize> = args.into_iter().map(id_of).collect();
    // SAFETY: guaranteed by the caller.
    unsafe {
        put(out.0, module_id(module));
        put(out.1, 0x0200_0000 | rid);
        put(out.2, parent.map_or(0, id_of));
        put_list(list, room, count, &args);
    }
    Ok(())
}

/// # Safety
/// As the interface declares it.
unsafe fn class_from_token(
    object: &Object,
    id: sys::ModuleID,
    token: u32,
    args: &[sys::ClassID],
    out: *mut sys::ClassID,
) -> Answer {
    let mut model = object.model();
    let module = object.module_of(&model, id)?;
    if model.modules.get(module).and_then(|module| module.type_def(token)).is_none() {
        return Err(HResult::E_INVALIDARG);
    }
    let args: Result<Vec<usize>, HResult> = args.iter().map(|arg| object.class_of(&model, *arg)).collect();
    let class = model.class_for(ClassKind::Instance { module, rid: token & 0x00FF_FFFF, args: args? });
    // SAFETY: guaranteed by the caller.
    unsafe { put(out, model.class_id(class)) };
    Ok(())
}

/// The element type of an array's elements.
fn element_type_of(primitive: Option<&Type>, is_value: bool, is_string: bool) -> u32 {
    use sigparse::ElementType as E;
    let found = match primitive {
        Some(Type::Bool) => E::BOOLEAN,
        Some(Type::Char) => E::CHAR,
        Some(Type::I1) => E::I1,
        Some(Type::U1) => E::U1,
        Some(Type::I2) => E::I2,
        Some(Type::U2) => E::U2,
        Some(Type::I4) => E::I4,
        Some(Type::U4) => E::U4,
        Some(Type::I8) => E::I8,
        Some(Type::U8) => E::U8,
        Some(Type::R4) => E::R4,
        Some(Type::R8) => E::R8,
        Some(Type::I) => E::I,
        Some(Type::U) => E::U,
        _ if is_value => E::VALUETYPE,
        _ if is_string => E::STRING,
        _ => E::CLASS,
    };
    found.0.into()
}
