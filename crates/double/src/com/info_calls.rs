//! Hooks, the queries of hooks, and stacks.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ffi::c_void;
use core::ptr::null_mut;

use corprof::{EventMask, HResult};
use corprof_sys as sys;

use super::{Answer, Object, methods, put, put_list};
use crate::model::{Memory, Model, function_id, module_id};

/// The offset of the saved registers in the record of a hook, in words: its first word points there.
pub(crate) const AREA: usize = 8;
/// The length of the record in words.
pub(crate) const RECORD: usize = 64;
/// The offset of `xmm0` and `xmm1` in that area, in words, which .NET Core 3.1 damages.
const DAMAGED: [usize; 2] = [7, 8];

/// The offset of the caller's stack pointer in that area, in words, as the runtime has it on x86-64 and arm64.
const CALLER_STACK: usize = if cfg!(target_arch = "aarch64") { 29 } else { 4 };

/// The contents of the saved registers before a hook, which have to be there after it, for a caller with this stack pointer.
pub(crate) fn saved(word: usize, caller_stack: usize) -> u64 {
    if word == AREA + CALLER_STACK { caller_stack as u64 } else { 0xD0B1_E000_0000_0000 | word as u64 }
}

/// Returns whether the saved registers are unchanged.
pub(crate) fn is_whole(record: &Memory, caller_stack: usize) -> bool {
    (AREA..RECORD).all(|word| record.word(word) == saved(word, caller_stack))
}

fn mask(model: &Model) -> EventMask {
    let [low, high] = model.profiling.mask;
    EventMask::from_halves(low, high)
}

/// The call of the running hook, if it is one of this function.
fn frame_of(
    object: &Object,
    model: &Model,
    function: sys::FunctionID,
    elt: sys::COR_PRF_ELT_INFO,
) -> Result<usize, HResult> {
    let by_record = |frame: &crate::model::Frame| frame.record.address() == elt;
    let found = model.frames.iter().position(by_record).filter(|index| {
        let instance = model.frames.get(*index).and_then(|frame| model.instances.get(frame.instance));
        instance.is_some_and(|instance| function_id(instance.function) == function)
    });
    found.ok_or_else(|| {
        object.shared().misused(format!(
            "{elt:#x} was asked about, which is no call of the function {function:#x} in a hook"
        ));
        HResult::E_INVALIDARG
    })
}

/// The generic context of the frame, if the event mask enables it.
fn frame_info(model: &Model, frame: usize) -> usize {
    let wanted = EventMask::ENABLE_FRAME_INFO | EventMask::ENABLE_FUNCTION_ARGS;
    if mask(model).intersects(wanted) { frame + 1 } else { 0 }
}

methods! {
    ICorProfilerInfo3: SetFunctionIDMapper2(mapper: sys::FunctionIDMapper2, data: *mut c_void) => |object| {
        let mut model = object.model();
        model.profiling.mapper = mapper;
        model.profiling.mapper_data = data.expose_provenance();
        Ok(())
    };
    ICorProfilerInfo3: SetEnterLeaveFunctionHooks3(
        enter: sys::FunctionEnter3, leave: sys::FunctionLeave3, tailcall: sys::FunctionTailcall3,
    ) => |object| {
        let mut model = object.model();
        if model.profiling.is_initialized {
            return Err(HResult::CORPROF_E_CALL_ONLY_FROM_INIT);
        }
        if !mask(&model).contains(EventMask::ENTER_LEAVE) {
            return Err(HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS);
        }
        model.profiling.has_fast_hooks = enter.is_some() || leave.is_some() || tailcall.is_some();
        Ok(())
    };
    ICorProfilerInfo3: SetEnterLeaveFunctionHooks3WithInfo(
        enter: sys::FunctionEnter3WithInfo, leave: sys::FunctionLeave3WithInfo, tailcall: sys::FunctionTailcall3WithInfo,
    ) => |object| {
        let mut model = object.model();
        if model.profiling.is_initialized {
            return Err(HResult::CORPROF_E_CALL_ONLY_FROM_INIT);
        }
        let values = EventMask::ENABLE_FUNCTION_ARGS | EventMask::ENABLE_FUNCTION_RETVAL | EventMask::ENABLE_FRAME_INFO;
        if !mask(&model).contains(EventMask::ENTER_LEAVE) || !mask(&model).intersects(values) {
            return Err(HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS);
        }
        model.profiling.enter = enter;
        model.profiling.leave = leave;
        model.profiling.tailcall = tailcall;
        Ok(())
    };
    ICorProfilerInfo3: GetFunctionEnter3Info(
        function: sys::FunctionID, elt: sys::COR_PRF_ELT_INFO, frame_out: *mut sys::COR_PRF_FRAME_INFO,
        bytes: *mut sys::ULONG, list: *mut sys::COR_PRF_FUNCTION_ARGUMENT_INFO,
    ) => |object| {
        let model = object.model();
        let index = frame_of(object, &model, function, elt)?;
        let frame = model.frames.get(index).ok_or(HResult::E_INVALIDARG)?;
        let with_arguments = mask(&model).contains(EventMask::ENABLE_FUNCTION_ARGS);
        let arguments = if with_arguments { frame.arguments.as_slice() } else { &[] };
        let ranges: Vec<_> = arguments
            .iter()
            .map(|(address, length)| sys::COR_PRF_FUNCTION_ARGUMENT_RANGE { startAddress: *address, length: *length })
            .collect();
        put(frame_out, frame_info(&model, index));
        let head = core::mem::offset_of!(sys::COR_PRF_FUNCTION_ARGUMENT_INFO, ranges);
        let needed = u32::try_from(head + size_of_val(ranges.as_slice())).unwrap_or(u32::MAX);
        let room = bytes.as_ref().copied().unwrap_or(0);
        put(bytes, needed);
        if list.is_null() || room < needed {
            return Err(HResult::INSUFFICIENT_BUFFER);
        }
        put(&raw mut (*list).numRanges, u32::try_from(ranges.len()).unwrap_or(0));
        put(&raw mut (*list).totalArgumentSize, arguments.iter().map(|(_, length)| *length).sum());
        put_list((&raw mut (*list).ranges).cast(), u32::MAX, null_mut(), &ranges);
        if object.shared().version.damages_registers() {
            DAMAGED.iter().for_each(|word| frame.record.set_word(AREA + word, 0));
        }
        Ok(())
    };
    ICorProfilerInfo3: GetFunctionLeave3Info(
        function: sys::FunctionID, elt: sys::COR_PRF_ELT_INFO, frame_out: *mut sys::COR_PRF_FRAME_INFO,
        range: *mut sys::COR_PRF_FUNCTION_ARGUMENT_RANGE,
    ) => |object| {
        let model = object.model();
        let index = frame_of(object, &model, function, elt)?;
        let (address, length) = model.frames.get(index).ok_or(HResult::E_INVALIDARG)?.result;
        let (address, length) =
            if mask(&model).contains(EventMask::ENABLE_FUNCTION_RETVAL) { (address, length) } else { (0, 0) };
        put(frame_out, frame_info(&model, index));
        put(range, sys::COR_PRF_FUNCTION_ARGUMENT_RANGE { startAddress: address, length });
        Ok(())
    };
    ICorProfilerInfo3: GetFunctionTailcall3Info(
        function: sys::FunctionID, elt: sys::COR_PRF_ELT_INFO, frame_out: *mut sys::COR_PRF_FRAME_INFO,
    ) => |object| {
        let model = object.model();
        let index = frame_of(object, &model, function, elt)?;
        put(frame_out, frame_info(&model, index));
        Ok(())
    };

    ICorProfilerInfo: GetFunctionInfo(
        function: sys::FunctionID, class: *mut sys::ClassID, module: *mut sys::ModuleID, token: *mut sys::mdToken,
    ) => |object| function_info(object, function, 0, (class, module, token), 0, null_mut(), null_mut());
    ICorProfilerInfo2: GetFunctionInfo2(
        function: sys::FunctionID, frame: sys::COR_PRF_FRAME_INFO, class: *mut sys::ClassID, module: *mut sys::ModuleID,
        token: *mut sys::mdToken, room: sys::ULONG32, count: *mut sys::ULONG32, args: *mut sys::ClassID,
    ) => |object| function_info(object, function, frame, (class, module, token), room, count, args);

    ICorProfilerInfo2: DoStackSnapshot(
        thread: sys::ThreadID, callback: sys::StackSnapshotCallback, flags: sys::ULONG32, data: *mut c_void,
        context: *mut sys::BYTE, context_length: sys::ULONG32,
    ) => |object| {
        let _ = (flags, context, context_length);
        let callback = callback.ok_or(HResult::E_INVALIDARG)?;
        let model = object.model();
        if !mask(&model).contains(EventMask::ENABLE_STACK_SNAPSHOT) {
            return Err(HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS);
        }
        let own = model.current_thread();
        let thread = if thread == 0 { own } else { Some(object.thread_of(&model, thread)?) };
        let thread = thread.ok_or(HResult::CORPROF_E_STACKSNAPSHOT_UNSAFE)?;
        if own != Some(thread) && model.profiling.suspensions == 0 {
            return Err(HResult::CORPROF_E_STACKSNAPSHOT_UNSAFE);
        }
        let frames: Vec<(usize, usize)> = model
            .stack(thread)
            .filter_map(|index| Some((index, model.instances.get(model.frames.get(index)?.instance)?.function)))
            .collect();
        let frames: Vec<_> = frames
            .into_iter()
            .map(|(index, function)| (function_id(function), frame_info(&model, index), index))
            .collect();
        drop(model);
        for (function, info, index) in frames {
            if callback(function, 0x6000_0000 + index * 0x10, info, 0, null_mut(), data) != HResult::S_OK.0 {
                return Err(HResult::CORPROF_E_STACKSNAPSHOT_ABORTED);
            }
        }
        Ok(())
    };
}

type FunctionAnswer = (*mut sys::ClassID, *mut sys::ModuleID, *mut sys::mdToken);

/// # Safety
/// As the interface declares it.
unsafe fn function_info(
    object: &Object,
    function: sys::FunctionID,
    frame: sys::COR_PRF_FRAME_INFO,
    out: FunctionAnswer,
    room: u32,
    count: *mut u32,
    list: *mut sys::ClassID,
) -> Answer {
    let model = object.model();
    let index = object.function_of(&model, function)?;
    let found = model.functions.get(index).ok_or(HResult::E_INVALIDARG)?;
    let exact = match frame.checked_sub(1) {
        None => None,
        Some(frame) => {
            let instance = model.frames.get(frame).filter(|frame| frame.is_running);
            let instance = instance.and_then(|frame| model.instances.get(frame.instance));
            let Some(instance) = instance.filter(|instance| instance.function == index) else {
                object.shared().misused(format!(
                    "a frame was asked about for the function {function:#x} after it had ended"
                ));
                return Err(HResult::E_INVALIDARG);
            };
            Some(instance)
        }
    };
    let id_of = |class| model.class_id(class);
    let class = exact.map_or(found.class, |exact| Some(exact.class));
    let args: Vec<usize> =
        exact.map_or(&found.args, |exact| &exact.args).iter().map(|arg| id_of(*arg)).collect();
    // SAFETY: guaranteed by the caller.
    unsafe {
        put(out.0, class.map_or(0, id_of));
        put(out.1, module_id(found.module));
        put(out.2, 0x0600_0000 | found.rid);
        put_list(list, room, count, &args);
    }
    Ok(())
}
