//! The methods that no table fits: they return memory, owned or borrowed, load types, or return addresses that may move.
//!
//! Contract of the unsafe code here: that of [`super`].
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, copy_nonoverlapping, null, null_mut};
use core::sync::atomic::Ordering;

use com::Interface;
use corprof_sys as sys;
use corprof_types::{ClassId, FunctionId, HResult, ModuleId, ObjectId};
use nettrace::runtime_events::{RuntimeEvent, ids};
use sigparse::{MethodDef, TypeDef};

use super::{Delivered, Info, Work, call, name};
use crate::error::{Error, Result};
use crate::raw::abi::{Handle, Pass, borrowed};
use crate::raw::buffers::{fill_wide, length_of, room_of};
use crate::raw::evidence::NoCollection;
use crate::raw::inflight::Asking;
use crate::raw::interface;
use crate::values::IlMapEntry;

/// The lengths and lower bounds of an array's dimensions, and the address of its elements.
pub(crate) type ArrayParts<const RANK: usize> = ([u32; RANK], [i32; RANK], usize);

/// Methods as the runtime takes them: modules and tokens in two lists.
struct Methods<'a> {
    count: u32,
    modules: Vec<usize>,
    tokens: Vec<u32>,
    _alive: Vec<Option<Asking<'a>>>,
}

impl Info {
    /// An address in the library of the runtime.
    pub(crate) fn in_library(&self) -> *const c_void {
        // SAFETY: the vtable of a live interface is data of the library that implements it.
        unsafe { (*self.as_ptr()).lpVtbl }.cast()
    }

    /// The class of the object that an event reports as allocated; `None` for other events.
    pub(crate) fn allocated_class(&self, event: Delivered<'_>) -> Result<Option<ClassId>> {
        let Delivered { provider, id, version, data } = event;
        if !matches!(id, ids::ALLOCATION_TICK | ids::ALLOCATION_SAMPLED) || !self.is_of_runtime(provider)? {
            return Ok(None);
        }
        let decoded = RuntimeEvent::decode(id, version, data, size_of::<usize>());
        let class =
            match decoded.map_err(|error| Error::other(format!("event {id} of an allocation: {error}")))? {
                Some(RuntimeEvent::AllocationTick(tick)) => tick.type_id,
                Some(RuntimeEvent::AllocationSampled(sampled)) => Some(sampled.type_id),
                _ => None,
            };
        let class = class.and_then(|class| usize::try_from(class).ok()).unwrap_or(0);
        // SAFETY: the payload is that of the running callback, unchanged. In both events of its own provider the runtime writes its
        // handle of the object's class, which is the class's id, or zero; the object is alive on this thread, and keeps the class.
        Ok(unsafe { ClassId::from_raw(class) })
    }

    /// `ICorProfilerInfo2::GetClassFromTokenAndTypeArgs`.
    ///
    /// # Safety
    /// The ids stay alive during the call, for which unloads do not wait; the type may be loaded now.
    pub(crate) unsafe fn class_from_token(
        &self,
        module: ModuleId,
        type_def: TypeDef,
        type_args: &[ClassId],
    ) -> Result<ClassId> {
        const CALL: &str = name!(ICorProfilerInfo2::GetClassFromTokenAndTypeArgs);
        self.alive.check(module.into())?;
        self.alive.require_loaded(CALL, module.into())?;
        for class in type_args {
            self.alive.check((*class).into())?;
        }
        let mut args: Vec<usize> = type_args.iter().map(|class| class.as_raw()).collect();
        let mut class: Option<ClassId> = None;
        // SAFETY: a local, and a list with its length that is only read; the caller argues for the rest.
        unsafe {
            call!(self, Reads ICorProfilerInfo2::GetClassFromTokenAndTypeArgs(
                module.as_raw(), type_def.token(), length_of(CALL, &args)?, args.as_mut_ptr(), Pass::pass(&mut &mut class),
            ))
        }?;
        class.ok_or(Error::Null { call: CALL, what: "class" })
    }

    /// `ICorProfilerInfo2::GetArrayObjectInfo`. The rank has to be from 1 to `RANK`.
    pub(crate) fn array_object_info<const RANK: usize>(
        &self,
        array: ObjectId<'_>,
        rank: usize,
    ) -> Result<ArrayParts<RANK>> {
        let (mut lengths, mut bounds, mut data) = ([0; RANK], [0; RANK], null_mut());
        let room = lengths.get_mut(..rank).unwrap_or_default();
        // SAFETY: two buffers of at least the length that is passed, and a local.
        unsafe {
            call!(self, Reads ICorProfilerInfo2::GetArrayObjectInfo(
                array.as_raw(), room_of(room), room.as_mut_ptr(), bounds.as_mut_ptr(), &raw mut data,
            ))
        }?;
        Ok((lengths, bounds, data.addr()))
    }

    /// `ICorProfilerInfo13::GetObjectIDFromHandle`.
    pub(crate) fn object_of_handle<'s>(
        &self,
        handle: &Handle,
        _: NoCollection<'s>,
    ) -> Result<Option<ObjectId<'s>>> {
        // SAFETY: the object of a handle is alive now, and so until the next collection.
        self.address_of_handle(handle).map(|object| unsafe { ObjectId::from_raw(object) })
    }

    /// Whether `ICorProfilerInfo13::GetObjectIDFromHandle` returns an object.
    pub(crate) fn is_handle_alive(&self, handle: &Handle) -> Result<bool> {
        self.address_of_handle(handle).map(|object| object != 0)
    }

    fn address_of_handle(&self, mut handle: &Handle) -> Result<usize> {
        let mut object = 0;
        // SAFETY: a handle that has not been destroyed, and a local.
        unsafe {
            call!(self, Reads ICorProfilerInfo13::GetObjectIDFromHandle(Pass::pass(&mut handle), &raw mut object))
        }?;
        Ok(object)
    }

    /// `ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs`.
    ///
    /// # Safety
    /// The ids stay alive during the call, for which unloads do not wait; the type may be loaded now.
    pub(crate) unsafe fn function_from_token(
        &self,
        module: ModuleId,
        method: MethodDef,
        mut class: Option<ClassId>,
        type_args: &[ClassId],
    ) -> Result<FunctionId> {
        const CALL: &str = name!(ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs);
        self.alive.check(module.into())?;
        self.alive.require_loaded(CALL, module.into())?;
        for class in type_args.iter().chain(&class) {
            self.alive.check((*class).into())?;
        }
        let mut args: Vec<usize> = type_args.iter().map(|class| class.as_raw()).collect();
        let mut function: Option<FunctionId> = None;
        // SAFETY: a local, and a list with its length that is only read; the caller argues for the rest.
        unsafe {
            call!(self, Reads ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs(
                module.as_raw(), method.token(), Pass::pass(&mut class), length_of(CALL, &args)?, args.as_mut_ptr(),
                Pass::pass(&mut &mut function),
            ))
        }?;
        function.ok_or(Error::Null { call: CALL, what: "function" })
    }

    /// `ICorProfilerInfo8::GetDynamicFunctionInfo`: module, name and signature.
    pub(crate) fn dynamic_function_info(&self, function: FunctionId) -> Result<DynamicFunction> {
        let _alive = self.about(name!(ICorProfilerInfo8::GetDynamicFunctionInfo), Work::Call, &function)?;
        let (mut module, mut blob, mut length) = (None::<ModuleId>, null(), 0);
        let name = fill_wide(name!(ICorProfilerInfo8::GetDynamicFunctionInfo), |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(self, Proxied ICorProfilerInfo8::GetDynamicFunctionInfo(
                    function.as_raw(), Pass::pass(&mut &mut module), &raw mut blob, &raw mut length,
                    room_of(room), &raw mut needed, room.as_mut_ptr(),
                ))
            }?;
            Ok(needed)
        })?;
        // SAFETY: the method has reported a signature of that length, which lives as long as the function; its unload waits
        // for the end of this call.
        let signature = unsafe { borrowed(blob, length) }.to_vec();
        let mut classes = ClassesOfHandles(Vec::new());
        // The rest of a malformed signature has no classes; its parser reports the error.
        let _ = sigparse::walk::method(&signature, &mut classes);
        Ok((module, name, signature, classes.0))
    }

    /// `ICorProfilerInfo::GetModuleMetaData`, opened with these flags (`CorOpenFlags`).
    pub(crate) fn module_metadata<I: Interface>(&self, module: ModuleId, flags: u32) -> Result<I> {
        let _alive = self.about(name!(ICorProfilerInfo::GetModuleMetaData), Work::Lookup, &module)?;
        let mut out = null_mut();
        let iid = interface::iid_of::<I>();
        // SAFETY: locals.
        unsafe {
            call!(self, Proxied ICorProfilerInfo::GetModuleMetaData(
                module.as_raw(), flags, &raw const iid, &raw mut out,
            ))
        }?;
        // SAFETY: the method has written a pointer to the requested interface, with a reference.
        let metadata = unsafe { interface::from_raw::<I>(out.cast()) };
        let call = name!(ICorProfilerInfo::GetModuleMetaData);
        metadata.ok_or(Error::Null { call, what: "metadata" })
    }

    /// `ICorProfilerInfo::GetILFunctionBody`.
    pub(crate) fn il_function_body(&self, module: ModuleId, method: MethodDef) -> Result<Vec<u8>> {
        let _alive = self.about(name!(ICorProfilerInfo::GetILFunctionBody), Work::Lookup, &module)?;
        let (mut body, mut length) = (null(), 0);
        // SAFETY: locals.
        unsafe {
            call!(self, Reads ICorProfilerInfo::GetILFunctionBody(
                module.as_raw(), method.token(), &raw mut body, &raw mut length,
            ))
        }?;
        // SAFETY: the method has reported a body of that length, which lives as long as the module; its unload waits for
        // the end of this call.
        Ok(unsafe { borrowed(body, length) }.to_vec())
    }

    /// `ICorProfilerInfo::SetILFunctionBody`, with memory of `IMethodMalloc::Alloc`.
    ///
    /// # Safety
    /// The body is a whole method body in the format of ECMA-335 II.25.4, and its IL keeps the types of what it uses.
    pub(crate) unsafe fn set_il_function_body(
        &self,
        module: ModuleId,
        method: MethodDef,
        body: &[u8],
    ) -> Result<()> {
        const ALLOC: &str = name!(IMethodMalloc::Alloc);
        let length = length_of(ALLOC, body)?;
        let call = name!(ICorProfilerInfo::GetILFunctionBodyAllocator);
        let allocator = self.il_allocator(module)?.ok_or(Error::Null { call, what: "allocator" })?;
        let this = allocator.as_ptr();
        // SAFETY: a live allocator.
        let memory = unsafe { ((*(*this).lpVtbl).Alloc)(this, length) }.cast::<u8>();
        if memory.is_null() {
            return Err(Error::Call { call: ALLOC, hresult: HResult::E_OUTOFMEMORY });
        }
        let _alive = self.about(name!(ICorProfilerInfo::SetILFunctionBody), Work::Lookup, &module)?;
        // SAFETY: as many bytes were allocated, for this call alone; the body that is set is the runtime's from here on,
        // and the caller vouches for it.
        unsafe {
            copy_nonoverlapping(body.as_ptr(), memory, body.len());
            call!(self, Reads ICorProfilerInfo::SetILFunctionBody(
                module.as_raw(), method.token(), memory.cast_const(),
            ))
        }?;
        self.irreversible.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// `ICorProfilerInfo::SetILInstrumentedCodeMap`. Where the runtime refuses the map, its memory stays: whether the
    /// runtime has freed it is not known.
    pub(crate) fn set_il_instrumented_code_map(
        &self,
        function: FunctionId,
        first: bool,
        map: &[IlMapEntry],
    ) -> Result<()> {
        const CALL: &str = name!(ICorProfilerInfo::SetILInstrumentedCodeMap);
        let _alive = self.about(CALL, Work::Lookup, &function)?;
        let count = length_of(CALL, map)?;
        let bytes = size_of::<sys::COR_IL_MAP>() * map.len().max(1);
        // SAFETY: a number of bytes that is not zero.
        let Some(memory) = NonNull::new(unsafe { task_memory(bytes) }) else {
            return Err(Error::Call { call: CALL, hresult: HResult::E_OUTOFMEMORY });
        };
        let entries = memory.cast::<sys::COR_IL_MAP>();
        for (index, entry) in map.iter().enumerate() {
            // SAFETY: there is space for as many entries; the memory is aligned for anything.
            unsafe { entries.add(index).write((*entry).into()) };
        }
        // SAFETY: a list with its length; the runtime takes it over.
        unsafe {
            call!(self, Reads ICorProfilerInfo::SetILInstrumentedCodeMap(
                function.as_raw(), first.into(), count, entries.as_ptr(),
            ))
        }
        .map(drop)
    }

    /// `ICorProfilerInfo4::RequestReJIT`.
    pub(crate) fn request_rejit(&self, methods: &[(ModuleId, MethodDef)]) -> Result<()> {
        let mut methods = self.lists(name!(ICorProfilerInfo4::RequestReJIT), methods)?;
        // SAFETY: two lists with their common length, which are only read.
        unsafe {
            call!(self, Collects ICorProfilerInfo4::RequestReJIT(
                methods.count, methods.modules.as_mut_ptr(), methods.tokens.as_mut_ptr(),
            ))
        }
        .map(drop)
    }

    /// `ICorProfilerInfo10::RequestReJITWithInliners`.
    pub(crate) fn request_rejit_with_inliners(
        &self,
        flags: u32,
        methods: &[(ModuleId, MethodDef)],
    ) -> Result<()> {
        let mut methods = self.lists(name!(ICorProfilerInfo10::RequestReJITWithInliners), methods)?;
        // SAFETY: two lists with their common length, which are only read.
        unsafe {
            call!(self, Collects ICorProfilerInfo10::RequestReJITWithInliners(
                flags, methods.count, methods.modules.as_mut_ptr(), methods.tokens.as_mut_ptr(),
            ))
        }
        .map(drop)
    }

    /// `ICorProfilerInfo4::RequestRevert`: an outcome for each method.
    pub(crate) fn request_revert(&self, methods: &[(ModuleId, MethodDef)]) -> Result<Vec<HResult>> {
        let mut methods = self.lists(name!(ICorProfilerInfo4::RequestRevert), methods)?;
        let mut status = vec![HResult::S_OK.0; methods.modules.len()];
        // SAFETY: two lists that are read and one that is written, with their common length.
        unsafe {
            call!(self, Collects ICorProfilerInfo4::RequestRevert(
                methods.count, methods.modules.as_mut_ptr(), methods.tokens.as_mut_ptr(), status.as_mut_ptr(),
            ))
        }?;
        Ok(status.into_iter().map(HResult).collect())
    }

    fn lists(&self, call: &'static str, methods: &[(ModuleId, MethodDef)]) -> Result<Methods<'_>> {
        let _alive = methods.iter().map(|(module, _)| self.about(call, Work::Lookup, module));
        Ok(Methods {
            count: length_of(call, methods)?,
            _alive: _alive.collect::<Result<_>>()?,
            modules: methods.iter().map(|(module, _)| module.as_raw()).collect(),
            tokens: methods.iter().map(|(_, method)| method.token()).collect(),
        })
    }
}

/// Memory that the runtime can free: `CoTaskMemAlloc`, which is `malloc` where there is no COM.
///
/// # Safety
/// As C has it.
unsafe fn task_memory(bytes: usize) -> *mut c_void {
    #[cfg(windows)]
    #[link(name = "ole32")]
    unsafe extern "system" {
        #[link_name = "CoTaskMemAlloc"]
        fn allocate(bytes: usize) -> *mut c_void;
    }
    #[cfg(not(windows))]
    unsafe extern "C" {
        #[link_name = "malloc"]
        fn allocate(bytes: usize) -> *mut c_void;
    }
    // SAFETY: as C has it.
    unsafe { allocate(bytes) }
}

/// A function's module, name and signature, and the classes in that.
type DynamicFunction = (Option<ModuleId>, String, Vec<u8>, Vec<ClassId>);

/// The classes that a signature of the runtime's own making has as handles.
struct ClassesOfHandles(Vec<ClassId>);

impl sigparse::Visitor<'_> for ClassesOfHandles {
    fn internal(&mut self, handle: usize) {
        // SAFETY: the runtime has made the signature, and writes handles of types that are loaded.
        self.0.extend(unsafe { ClassId::from_raw(handle) });
    }
}
