//! The functions of the vtable: each makes slices, references and ids of what the runtime passes.
//!
//! Contract of the unsafe code here: the runtime calls these functions with `this` a live object made by
//! `new_object::<CallbackObject<P>>`, and with arguments as `corprof.idl` declares them. A list is a count and as many elements
//! behind a pointer, which may be null if the count is zero. Objects, lists, texts and interfaces stay as they are until the
//! callback returns. Nothing unwinds out of these functions.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use corprof_sys as sys;
use corprof_types::{
    AppDomainId, AssemblyId, ClassId, EventPipeProviderId, FunctionId, GcHandleId, Guid, HResult, ModuleId,
    ObjectId, ThreadId,
};
use widestring::U16CStr;

use super::{collection, compilation, event_pipe, exceptions, lifecycle, loading, threads};
use crate::profiler::Profiler;
use crate::profiler::object::CallbackObject;
use crate::raw::evidence::InCallback;
use crate::raw::interface::{Unknown, value_of};
use crate::runtime::event_pipe::EventPipeEvent;
use crate::values::{GcRoots, MovedRanges, SurvivingRanges};

/// A list.
///
/// # Safety
/// `data` points to `count` elements that stay as they are for `'a`, or `count` is zero. `T` has the layout of the elements.
unsafe fn list<'a, T, E>(data: *const E, count: sys::ULONG) -> &'a [T] {
    const { assert!(size_of::<T>() == size_of::<E>() && align_of::<T>() == align_of::<E>()) };
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the contract of this function; a u32 fits a usize on every target that the runtime has.
    unsafe { core::slice::from_raw_parts(data.cast(), count as usize) }
}

/// A GUID.
///
/// # Safety
/// `guid` is null, or points to one.
unsafe fn guid(guid: *const sys::GUID) -> Option<Guid> {
    // SAFETY: says the caller.
    unsafe { guid.as_ref() }.copied().map(Guid::from_sys)
}

/// A text with a terminating zero.
///
/// # Safety
/// `text` is null, or points to a text with a terminating zero that stays as it is for `'a`.
unsafe fn text<'a>(text: *const sys::WCHAR) -> Option<&'a U16CStr> {
    // SAFETY: says the caller.
    (!text.is_null()).then(|| unsafe { U16CStr::from_ptr_str(text) })
}

/// A place for an answer.
///
/// # Safety
/// `place` is null, or points to memory for a `T` that is the callback's own for `'a`.
unsafe fn place<'a, T>(place: *mut T) -> Option<&'a mut MaybeUninit<T>> {
    // SAFETY: says the caller.
    unsafe { place.cast::<MaybeUninit<T>>().as_mut() }
}

/// An object that the profiler fills in.
///
/// # Safety
/// `object` is null, or alive for `'a`.
unsafe fn control<'a, I>(object: *mut I) -> Option<InCallback<'a, I>> {
    // SAFETY: says the caller.
    NonNull::new(object).map(|object| unsafe { InCallback::new(object) })
}

/// The runtime's own object.
///
/// # Safety
/// `unknown` is null, or a COM object that is alive for `'a`.
unsafe fn interface<'a>(unknown: *mut sys::IUnknown) -> Option<Unknown<'a>> {
    // SAFETY: says the caller.
    NonNull::new(unknown.cast()).map(|unknown| unsafe { Unknown::new(unknown) })
}

/// Declares the functions: the interface, the COM name, the parameters, and the arguments of the function of the same name
/// in the module.
macro_rules! thunks {
    ($($module:ident { $($interface:ident: $method:ident($($arg:ident: $ty:ty),* $(,)?) => ($($argument:expr),* $(,)?);)* })*) => {$($(
        pub(in crate::profiler) unsafe extern "system" fn $method<P: Profiler>(
            this: *mut sys::$interface,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            // SAFETY: the contract of this file.
            unsafe { $module::$method(value_of::<CallbackObject<P>>(this.cast()), $($argument),*) }.0
        }
    )*)*};
}

thunks! {
    lifecycle {
        ICorProfilerCallback: Initialize(unknown: *mut sys::IUnknown) => (interface(unknown));
        ICorProfilerCallback: Shutdown() => ();
        ICorProfilerCallback3: InitializeForAttach(unknown: *mut sys::IUnknown, data: *mut c_void, length: sys::UINT)
            => (interface(unknown), list(data.cast_const().cast::<u8>(), length));
        ICorProfilerCallback3: ProfilerAttachComplete() => ();
        ICorProfilerCallback3: ProfilerDetachSucceeded() => ();
        ICorProfilerCallback11: LoadAsNotificationOnly(answer: *mut sys::BOOL) => (place(answer));
    }
    loading {
        ICorProfilerCallback: AppDomainCreationStarted(id: sys::AppDomainID) => (AppDomainId::from_raw(id));
        ICorProfilerCallback: AppDomainCreationFinished(id: sys::AppDomainID, code: sys::HRESULT) => (AppDomainId::from_raw(id), code);
        ICorProfilerCallback: AppDomainShutdownStarted(id: sys::AppDomainID) => (AppDomainId::from_raw(id));
        ICorProfilerCallback: AppDomainShutdownFinished(id: sys::AppDomainID, code: sys::HRESULT) => (AppDomainId::from_raw(id), code);
        ICorProfilerCallback: AssemblyLoadStarted(id: sys::AssemblyID) => (AssemblyId::from_raw(id));
        ICorProfilerCallback: AssemblyLoadFinished(id: sys::AssemblyID, code: sys::HRESULT) => (AssemblyId::from_raw(id), code);
        ICorProfilerCallback: AssemblyUnloadStarted(id: sys::AssemblyID) => (AssemblyId::from_raw(id));
        ICorProfilerCallback: AssemblyUnloadFinished(id: sys::AssemblyID, code: sys::HRESULT) => (AssemblyId::from_raw(id), code);
        ICorProfilerCallback: ModuleLoadStarted(id: sys::ModuleID) => (ModuleId::from_raw(id));
        ICorProfilerCallback: ModuleLoadFinished(id: sys::ModuleID, code: sys::HRESULT) => (ModuleId::from_raw(id), code);
        ICorProfilerCallback: ModuleUnloadStarted(id: sys::ModuleID) => (ModuleId::from_raw(id));
        ICorProfilerCallback: ModuleUnloadFinished(id: sys::ModuleID, code: sys::HRESULT) => (ModuleId::from_raw(id), code);
        ICorProfilerCallback: ModuleAttachedToAssembly(id: sys::ModuleID, assembly: sys::AssemblyID) => (ModuleId::from_raw(id), AssemblyId::from_raw(assembly));
        ICorProfilerCallback: ClassLoadStarted(id: sys::ClassID) => (ClassId::from_raw(id));
        ICorProfilerCallback: ClassLoadFinished(id: sys::ClassID, code: sys::HRESULT) => (ClassId::from_raw(id), code);
        ICorProfilerCallback: ClassUnloadStarted(id: sys::ClassID) => (ClassId::from_raw(id));
        ICorProfilerCallback: ClassUnloadFinished(id: sys::ClassID, code: sys::HRESULT) => (ClassId::from_raw(id), code);
        ICorProfilerCallback: FunctionUnloadStarted(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ThreadDestroyed(id: sys::ThreadID) => (ThreadId::from_raw(id));
        ICorProfilerCallback: COMClassicVTableCreated(id: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void, slots: sys::ULONG)
            => (ClassId::from_raw(id), guid(iid), vtable.addr(), slots);
        ICorProfilerCallback: COMClassicVTableDestroyed(id: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void)
            => (ClassId::from_raw(id), guid(iid), vtable.addr());
        ICorProfilerCallback6: GetAssemblyReferences(path: *const sys::WCHAR, provider: *mut sys::ICorProfilerAssemblyReferenceProvider)
            => (text(path), control(provider));
        ICorProfilerCallback7: ModuleInMemorySymbolsUpdated(id: sys::ModuleID) => (ModuleId::from_raw(id));
        ICorProfilerCallback9: DynamicMethodUnloaded(id: sys::FunctionID) => (FunctionId::from_raw(id));
    }
    compilation {
        ICorProfilerCallback: JITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL) => (FunctionId::from_raw(id), safe != 0);
        ICorProfilerCallback: JITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL) => (FunctionId::from_raw(id), code, safe != 0);
        ICorProfilerCallback: JITCachedFunctionSearchStarted(id: sys::FunctionID, answer: *mut sys::BOOL) => (FunctionId::from_raw(id), place(answer));
        ICorProfilerCallback: JITCachedFunctionSearchFinished(id: sys::FunctionID, result: sys::COR_PRF_JIT_CACHE) => (FunctionId::from_raw(id), result);
        ICorProfilerCallback: JITFunctionPitched(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: JITInlining(caller: sys::FunctionID, callee: sys::FunctionID, answer: *mut sys::BOOL)
            => (FunctionId::from_raw(caller), FunctionId::from_raw(callee), place(answer));
        ICorProfilerCallback4: ReJITCompilationStarted(id: sys::FunctionID, rejit: sys::ReJITID, safe: sys::BOOL) => (FunctionId::from_raw(id), rejit, safe != 0);
        ICorProfilerCallback4: GetReJITParameters(id: sys::ModuleID, method: sys::mdMethodDef, object: *mut sys::ICorProfilerFunctionControl)
            => (ModuleId::from_raw(id), method, control(object));
        ICorProfilerCallback4: ReJITCompilationFinished(id: sys::FunctionID, rejit: sys::ReJITID, code: sys::HRESULT, safe: sys::BOOL)
            => (FunctionId::from_raw(id), rejit, code, safe != 0);
        ICorProfilerCallback4: ReJITError(id: sys::ModuleID, method: sys::mdMethodDef, function: sys::FunctionID, code: sys::HRESULT)
            => (ModuleId::from_raw(id), method, FunctionId::from_raw(function), code);
        ICorProfilerCallback8: DynamicMethodJITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL, il: sys::LPCBYTE, length: sys::ULONG)
            => (FunctionId::from_raw(id), safe != 0, list(il, length));
        ICorProfilerCallback8: DynamicMethodJITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
            => (FunctionId::from_raw(id), code, safe != 0);
    }
    threads {
        ICorProfilerCallback: ThreadCreated(id: sys::ThreadID) => (ThreadId::from_raw(id));
        ICorProfilerCallback: ThreadAssignedToOSThread(id: sys::ThreadID, os_thread: sys::DWORD) => (ThreadId::from_raw(id), os_thread);
        ICorProfilerCallback: UnmanagedToManagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON) => (FunctionId::from_raw(id), reason);
        ICorProfilerCallback: ManagedToUnmanagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON) => (FunctionId::from_raw(id), reason);
        ICorProfilerCallback: RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON) => (reason);
        ICorProfilerCallback: RuntimeSuspendFinished() => ();
        ICorProfilerCallback: RuntimeSuspendAborted() => ();
        ICorProfilerCallback: RuntimeResumeStarted() => ();
        ICorProfilerCallback: RuntimeResumeFinished() => ();
        ICorProfilerCallback: RuntimeThreadSuspended(id: sys::ThreadID) => (ThreadId::from_raw(id));
        ICorProfilerCallback: RuntimeThreadResumed(id: sys::ThreadID) => (ThreadId::from_raw(id));
        ICorProfilerCallback2: ThreadNameChanged(id: sys::ThreadID, length: sys::ULONG, name: *mut sys::WCHAR) => (ThreadId::from_raw(id), list(name, length));
    }
    collection {
        ICorProfilerCallback: ObjectAllocated(object: sys::ObjectID, class: sys::ClassID) => (ObjectId::from_raw(object), ClassId::from_raw(class));
        ICorProfilerCallback: ObjectsAllocatedByClass(count: sys::ULONG, classes: *mut sys::ClassID, counts: *mut sys::ULONG)
            => (list(classes, count), list(counts, count));
        ICorProfilerCallback: ObjectReferences(object: sys::ObjectID, class: sys::ClassID, count: sys::ULONG, references: *mut sys::ObjectID)
            => (ObjectId::from_raw(object), ClassId::from_raw(class), list(references, count));
        ICorProfilerCallback2: GarbageCollectionStarted(count: core::ffi::c_int, collected: *mut sys::BOOL, reason: sys::COR_PRF_GC_REASON)
            => (list(collected, count.max(0).cast_unsigned()), reason);
        ICorProfilerCallback2: GarbageCollectionFinished() => ();
        ICorProfilerCallback2: FinalizeableObjectQueued(flags: sys::DWORD, object: sys::ObjectID) => (flags, ObjectId::from_raw(object));
        ICorProfilerCallback2: RootReferences2(
            count: sys::ULONG, objects: *mut sys::ObjectID, kinds: *mut sys::COR_PRF_GC_ROOT_KIND,
            flags: *mut sys::COR_PRF_GC_ROOT_FLAGS, ids: *mut sys::UINT_PTR
        ) => (GcRoots {
            objects: list(objects, count),
            kinds: list(kinds, count),
            flags: list(flags, count),
            ids: list(ids, count),
        });
        ICorProfilerCallback2: HandleCreated(handle: sys::GCHandleID, object: sys::ObjectID) => (GcHandleId::from_raw(handle), ObjectId::from_raw(object));
        ICorProfilerCallback2: HandleDestroyed(handle: sys::GCHandleID) => (GcHandleId::from_raw(handle));
        ICorProfilerCallback4: MovedReferences2(
            count: sys::ULONG, old: *mut sys::ObjectID, new: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
        ) => (MovedRanges { old: list(old, count), new: list(new, count), length: list(lengths, count) });
        ICorProfilerCallback4: SurvivingReferences2(count: sys::ULONG, starts: *mut sys::ObjectID, lengths: *mut sys::SIZE_T)
            => (SurvivingRanges { start: list(starts, count), length: list(lengths, count) });
        ICorProfilerCallback5: ConditionalWeakTableElementReferences(
            count: sys::ULONG, keys: *mut sys::ObjectID, values: *mut sys::ObjectID, handles: *mut sys::GCHandleID
        ) => (list(keys, count), list(values, count), list(handles, count));
    }
    exceptions {
        ICorProfilerCallback: ExceptionThrown(object: sys::ObjectID) => (ObjectId::from_raw(object));
        ICorProfilerCallback: ExceptionSearchFunctionEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionSearchFunctionLeave() => ();
        ICorProfilerCallback: ExceptionSearchFilterEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionSearchFilterLeave() => ();
        ICorProfilerCallback: ExceptionSearchCatcherFound(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionUnwindFunctionEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionUnwindFunctionLeave() => ();
        ICorProfilerCallback: ExceptionUnwindFinallyEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionUnwindFinallyLeave() => ();
        ICorProfilerCallback: ExceptionCatcherEnter(id: sys::FunctionID, object: sys::ObjectID) => (FunctionId::from_raw(id), ObjectId::from_raw(object));
        ICorProfilerCallback: ExceptionCatcherLeave() => ();
        ICorProfilerCallback: ExceptionOSHandlerEnter(id: sys::UINT_PTR) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionOSHandlerLeave(id: sys::UINT_PTR) => (FunctionId::from_raw(id));
        ICorProfilerCallback: ExceptionCLRCatcherFound() => ();
        ICorProfilerCallback: ExceptionCLRCatcherExecute() => ();
    }
    event_pipe {
        ICorProfilerCallback10: EventPipeEventDelivered(
            provider: sys::EVENTPIPE_PROVIDER, id: sys::DWORD, version: sys::DWORD,
            metadata_length: sys::ULONG, metadata: sys::LPCBYTE, data_length: sys::ULONG, data: sys::LPCBYTE,
            activity: sys::LPCGUID, related_activity: sys::LPCGUID, thread: sys::ThreadID,
            frames: sys::ULONG, stack: *mut sys::UINT_PTR
        ) => (EventPipeProviderId::from_raw(provider).map(|provider| EventPipeEvent {
            provider,
            id,
            version,
            metadata: list(metadata, metadata_length),
            data: list(data, data_length),
            activity: guid(activity),
            related_activity: guid(related_activity),
            thread: ThreadId::from_raw(thread),
            stack: list(stack, frames),
        }));
        ICorProfilerCallback10: EventPipeProviderCreated(id: sys::EVENTPIPE_PROVIDER) => (EventPipeProviderId::from_raw(id));
    }
}

/// Declares callbacks that are not delivered, with the reason.
macro_rules! not_delivered {
    ($reason:literal: $($interface:ident: $method:ident($($ty:ty),*);)*) => {$(
        #[doc = $reason]
        pub(in crate::profiler) extern "system" fn $method(_: *mut sys::$interface, $(_: $ty),*) -> sys::HRESULT {
            HResult::S_OK.0
        }
    )*};
}

not_delivered! { "Superseded by the second version of itself, which the runtime calls as well.":
    ICorProfilerCallback: MovedReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ObjectID, *mut sys::ULONG);
    ICorProfilerCallback: RootReferences(sys::ULONG, *mut sys::ObjectID);
    ICorProfilerCallback2: SurvivingReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ULONG);
}

not_delivered! { "Remoting exists on the .NET Framework only.":
    ICorProfilerCallback: RemotingClientInvocationStarted();
    ICorProfilerCallback: RemotingClientSendingMessage(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingClientReceivingReply(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingClientInvocationFinished();
    ICorProfilerCallback: RemotingServerReceivingMessage(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingServerInvocationStarted();
    ICorProfilerCallback: RemotingServerInvocationReturned();
    ICorProfilerCallback: RemotingServerSendingReply(*mut sys::GUID, sys::BOOL);
}
