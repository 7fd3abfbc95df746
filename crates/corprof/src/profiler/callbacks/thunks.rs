//! The functions of the vtable: each makes slices, references and ids of what the runtime passes.
//!
//! Contract of the unsafe code here: the runtime calls these functions with `this` a live object made by
//! `new_object::<CallbackObject>`, and with arguments as `corprof.idl` declares them. A list is a count and as many elements
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
use crate::event_mask::Callback;
use crate::profiler::object::CallbackObject;
use crate::raw::call_site::{Event, Scope};
use crate::raw::evidence::InCallback;
use crate::raw::info::Delivered;
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

/// Declares the functions: what the callback comes with ([`Event`]), the interface, the COM name, the parameters, and the
/// arguments of the function of the same name in the module.
///
/// The runtime's source states for each callback whether a collection may run (`GC_NOTRIGGER` in its contract, or cooperative
/// mode with an object or with frames that the collector cannot read).
macro_rules! thunks {
    ($($module:ident($($if_taken:ident)?) { $($event:ident $interface:ident: $method:ident($($arg:ident: $ty:ty),* $(,)?) => ($($argument:expr),* $(,)?);)* })*) => {$(
        thunks! { @ $module($($if_taken)?) $({ $event $interface $method($($arg: $ty),*) ($($argument),*) })* }
    )*};
    // What needs flags is looked at only if somebody takes it.
    (@ $module:ident(if_taken) $({ $event:ident $interface:ident $method:ident($($arg:ident: $ty:ty),*) ($($argument:expr),*) })*) => {$(
        pub(in crate::profiler) unsafe extern "system" fn $method(
            this: *mut sys::$interface,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            // Apart, so that a callback that nobody takes saves no registers.
            #[inline(never)]
            unsafe extern "system" fn taken(this: *mut sys::$interface, $($arg: $ty),*) -> sys::HRESULT {
                let _scope = Scope::callback(Event::$event);
                // SAFETY: the contract of this file.
                unsafe { $module::$method(value_of::<CallbackObject>(this.cast()), $($argument),*) }.0
            }
            // SAFETY: the contract of this file.
            unsafe {
                if value_of::<CallbackObject>(this.cast()).ignores(Callback::$method) {
                    return HResult::S_OK.0;
                }
                taken(this, $($arg),*)
            }
        }
    )*};
    (@ $module:ident() $({ $event:ident $interface:ident $method:ident($($arg:ident: $ty:ty),*) ($($argument:expr),*) })*) => {$(
        pub(in crate::profiler) unsafe extern "system" fn $method(
            this: *mut sys::$interface,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            let _scope = Scope::callback(Event::$event);
            // SAFETY: the contract of this file.
            unsafe { $module::$method(value_of::<CallbackObject>(this.cast()), $($argument),*) }.0
        }
    )*};
}

thunks! {
    lifecycle() {
        Lifecycle ICorProfilerCallback: Initialize(unknown: *mut sys::IUnknown) => (interface(unknown));
        Lifecycle ICorProfilerCallback: Shutdown() => ();
        Lifecycle ICorProfilerCallback3: InitializeForAttach(unknown: *mut sys::IUnknown, data: *mut c_void, length: sys::UINT)
            => (interface(unknown), list(data.cast_const().cast::<u8>(), length));
        Lifecycle ICorProfilerCallback3: ProfilerAttachComplete() => ();
        Lifecycle ICorProfilerCallback3: ProfilerDetachSucceeded() => ();
        Lifecycle ICorProfilerCallback11: LoadAsNotificationOnly(answer: *mut sys::BOOL) => (place(answer));
    }
    loading(if_taken) {
        Callback ICorProfilerCallback: AppDomainCreationStarted(id: sys::AppDomainID) => (AppDomainId::from_raw(id));
        Callback ICorProfilerCallback: AppDomainCreationFinished(id: sys::AppDomainID, code: sys::HRESULT) => (AppDomainId::from_raw(id), code);
        Callback ICorProfilerCallback: AppDomainShutdownStarted(id: sys::AppDomainID) => (AppDomainId::from_raw(id));
        Callback ICorProfilerCallback: AppDomainShutdownFinished(id: sys::AppDomainID, code: sys::HRESULT) => (AppDomainId::from_raw(id), code);
        Callback ICorProfilerCallback: AssemblyLoadStarted(id: sys::AssemblyID) => (AssemblyId::from_raw(id));
        Callback ICorProfilerCallback: AssemblyLoadFinished(id: sys::AssemblyID, code: sys::HRESULT) => (AssemblyId::from_raw(id), code);
        Callback ICorProfilerCallback: AssemblyUnloadStarted(id: sys::AssemblyID) => (AssemblyId::from_raw(id));
        Callback ICorProfilerCallback: AssemblyUnloadFinished(id: sys::AssemblyID, code: sys::HRESULT) => (AssemblyId::from_raw(id), code);
        Callback ICorProfilerCallback: ModuleLoadStarted(id: sys::ModuleID) => (ModuleId::from_raw(id));
        Callback ICorProfilerCallback: ModuleLoadFinished(id: sys::ModuleID, code: sys::HRESULT) => (ModuleId::from_raw(id), code);
        Callback ICorProfilerCallback: ModuleUnloadStarted(id: sys::ModuleID) => (ModuleId::from_raw(id));
        Callback ICorProfilerCallback: ModuleUnloadFinished(id: sys::ModuleID, code: sys::HRESULT) => (ModuleId::from_raw(id), code);
        Callback ICorProfilerCallback: ModuleAttachedToAssembly(id: sys::ModuleID, assembly: sys::AssemblyID) => (ModuleId::from_raw(id), AssemblyId::from_raw(assembly));
        Callback ICorProfilerCallback: ClassLoadStarted(id: sys::ClassID) => (ClassId::from_raw(id));
        Callback ICorProfilerCallback: ClassLoadFinished(id: sys::ClassID, code: sys::HRESULT) => (ClassId::from_raw(id), code);
        Callback ICorProfilerCallback: ClassUnloadStarted(id: sys::ClassID) => (ClassId::from_raw(id));
        Callback ICorProfilerCallback: ClassUnloadFinished(id: sys::ClassID, code: sys::HRESULT) => (ClassId::from_raw(id), code);
        Callback ICorProfilerCallback: FunctionUnloadStarted(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: ThreadDestroyed(id: sys::ThreadID) => (ThreadId::from_raw(id));
        Callback ICorProfilerCallback: COMClassicVTableCreated(id: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void, slots: sys::ULONG)
            => (ClassId::from_raw(id), guid(iid), vtable.addr(), slots);
        Callback ICorProfilerCallback: COMClassicVTableDestroyed(id: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void)
            => (ClassId::from_raw(id), guid(iid), vtable.addr());
        Callback ICorProfilerCallback6: GetAssemblyReferences(path: *const sys::WCHAR, provider: *mut sys::ICorProfilerAssemblyReferenceProvider)
            => (text(path), control(provider));
        Callback ICorProfilerCallback7: ModuleInMemorySymbolsUpdated(id: sys::ModuleID) => (ModuleId::from_raw(id));
        Objects ICorProfilerCallback9: DynamicMethodUnloaded(id: sys::FunctionID) => (FunctionId::from_raw(id));
    }
    compilation(if_taken) {
        Callback ICorProfilerCallback: JITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL) => (FunctionId::from_raw(id), safe != 0);
        Callback ICorProfilerCallback: JITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL) => (FunctionId::from_raw(id), code, safe != 0);
        Callback ICorProfilerCallback: JITCachedFunctionSearchStarted(id: sys::FunctionID, answer: *mut sys::BOOL) => (FunctionId::from_raw(id), place(answer));
        Callback ICorProfilerCallback: JITCachedFunctionSearchFinished(id: sys::FunctionID, result: sys::COR_PRF_JIT_CACHE) => (FunctionId::from_raw(id), result);
        Callback ICorProfilerCallback: JITFunctionPitched(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: JITInlining(caller: sys::FunctionID, callee: sys::FunctionID, answer: *mut sys::BOOL)
            => (FunctionId::from_raw(caller), FunctionId::from_raw(callee), place(answer));
        Callback ICorProfilerCallback4: ReJITCompilationStarted(id: sys::FunctionID, rejit: sys::ReJITID, safe: sys::BOOL) => (FunctionId::from_raw(id), rejit, safe != 0);
        Callback ICorProfilerCallback4: GetReJITParameters(id: sys::ModuleID, method: sys::mdMethodDef, object: *mut sys::ICorProfilerFunctionControl)
            => (ModuleId::from_raw(id), method, control(object));
        Callback ICorProfilerCallback4: ReJITCompilationFinished(id: sys::FunctionID, rejit: sys::ReJITID, code: sys::HRESULT, safe: sys::BOOL)
            => (FunctionId::from_raw(id), rejit, code, safe != 0);
        Callback ICorProfilerCallback4: ReJITError(id: sys::ModuleID, method: sys::mdMethodDef, function: sys::FunctionID, code: sys::HRESULT)
            => (ModuleId::from_raw(id), method, FunctionId::from_raw(function), code);
        Callback ICorProfilerCallback8: DynamicMethodJITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL, il: sys::LPCBYTE, length: sys::ULONG)
            => (FunctionId::from_raw(id), safe != 0, list(il, length));
        Callback ICorProfilerCallback8: DynamicMethodJITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
            => (FunctionId::from_raw(id), code, safe != 0);
    }
    threads(if_taken) {
        ThreadCreated ICorProfilerCallback: ThreadCreated(id: sys::ThreadID) => (ThreadId::from_raw(id));
        Objects ICorProfilerCallback: ThreadAssignedToOSThread(id: sys::ThreadID, os_thread: sys::DWORD) => (ThreadId::from_raw(id), os_thread);
        Callback ICorProfilerCallback: UnmanagedToManagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON) => (FunctionId::from_raw(id), reason);
        Callback ICorProfilerCallback: ManagedToUnmanagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON) => (FunctionId::from_raw(id), reason);
        Suspension ICorProfilerCallback: RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON) => (reason);
        Suspension ICorProfilerCallback: RuntimeSuspendFinished() => ();
        Suspension ICorProfilerCallback: RuntimeSuspendAborted() => ();
        Suspension ICorProfilerCallback: RuntimeResumeStarted() => ();
        Suspension ICorProfilerCallback: RuntimeResumeFinished() => ();
        Suspension ICorProfilerCallback: RuntimeThreadSuspended(id: sys::ThreadID) => (ThreadId::from_raw(id));
        Suspension ICorProfilerCallback: RuntimeThreadResumed(id: sys::ThreadID) => (ThreadId::from_raw(id));
        Callback ICorProfilerCallback2: ThreadNameChanged(id: sys::ThreadID, length: sys::ULONG, name: *mut sys::WCHAR) => (ThreadId::from_raw(id), list(name, length));
    }
    collection(if_taken) {
        Objects ICorProfilerCallback: ObjectAllocated(object: sys::ObjectID, class: sys::ClassID) => (ObjectId::from_raw(object), ClassId::from_raw(class));
        Collection ICorProfilerCallback: ObjectsAllocatedByClass(count: sys::ULONG, classes: *mut sys::ClassID, counts: *mut sys::ULONG)
            => (list(classes, count), list(counts, count));
        Collection ICorProfilerCallback: ObjectReferences(object: sys::ObjectID, class: sys::ClassID, count: sys::ULONG, references: *mut sys::ObjectID)
            => (ObjectId::from_raw(object), ClassId::from_raw(class), list(references, count));
        Collection ICorProfilerCallback2: GarbageCollectionStarted(count: core::ffi::c_int, collected: *mut sys::BOOL, reason: sys::COR_PRF_GC_REASON)
            => (list(collected, count.max(0).cast_unsigned()), reason);
        Collection ICorProfilerCallback2: GarbageCollectionFinished() => ();
        Objects ICorProfilerCallback2: FinalizeableObjectQueued(flags: sys::DWORD, object: sys::ObjectID) => (flags, ObjectId::from_raw(object));
        Collection ICorProfilerCallback2: RootReferences2(
            count: sys::ULONG, objects: *mut sys::ObjectID, kinds: *mut sys::COR_PRF_GC_ROOT_KIND,
            flags: *mut sys::COR_PRF_GC_ROOT_FLAGS, ids: *mut sys::UINT_PTR
        ) => (GcRoots {
            objects: list(objects, count),
            kinds: list(kinds, count),
            flags: list(flags, count),
            ids: list(ids, count),
        });
        Objects ICorProfilerCallback2: HandleCreated(handle: sys::GCHandleID, object: sys::ObjectID) => (GcHandleId::from_raw(handle), ObjectId::from_raw(object));
        Objects ICorProfilerCallback2: HandleDestroyed(handle: sys::GCHandleID) => (GcHandleId::from_raw(handle));
        Collection ICorProfilerCallback4: MovedReferences2(
            count: sys::ULONG, old: *mut sys::ObjectID, new: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
        ) => (MovedRanges { old: list(old, count), new: list(new, count), length: list(lengths, count) });
        Collection ICorProfilerCallback4: SurvivingReferences2(count: sys::ULONG, starts: *mut sys::ObjectID, lengths: *mut sys::SIZE_T)
            => (SurvivingRanges { start: list(starts, count), length: list(lengths, count) });
        Collection ICorProfilerCallback5: ConditionalWeakTableElementReferences(
            count: sys::ULONG, keys: *mut sys::ObjectID, values: *mut sys::ObjectID, handles: *mut sys::GCHandleID
        ) => (list(keys, count), list(values, count), list(handles, count));
    }
    exceptions(if_taken) {
        Objects ICorProfilerCallback: ExceptionThrown(object: sys::ObjectID) => (ObjectId::from_raw(object));
        Callback ICorProfilerCallback: ExceptionSearchFunctionEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: ExceptionSearchFunctionLeave() => ();
        Callback ICorProfilerCallback: ExceptionSearchFilterEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: ExceptionSearchFilterLeave() => ();
        Callback ICorProfilerCallback: ExceptionSearchCatcherFound(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Objects ICorProfilerCallback: ExceptionUnwindFunctionEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Objects ICorProfilerCallback: ExceptionUnwindFunctionLeave() => ();
        Objects ICorProfilerCallback: ExceptionUnwindFinallyEnter(id: sys::FunctionID) => (FunctionId::from_raw(id));
        Objects ICorProfilerCallback: ExceptionUnwindFinallyLeave() => ();
        Objects ICorProfilerCallback: ExceptionCatcherEnter(id: sys::FunctionID, object: sys::ObjectID) => (FunctionId::from_raw(id), ObjectId::from_raw(object));
        Objects ICorProfilerCallback: ExceptionCatcherLeave() => ();
        Callback ICorProfilerCallback: ExceptionOSHandlerEnter(id: sys::UINT_PTR) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: ExceptionOSHandlerLeave(id: sys::UINT_PTR) => (FunctionId::from_raw(id));
        Callback ICorProfilerCallback: ExceptionCLRCatcherFound() => ();
        Callback ICorProfilerCallback: ExceptionCLRCatcherExecute() => ();
    }
    event_pipe(if_taken) {
        Objects ICorProfilerCallback10: EventPipeEventDelivered(
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
            delivered: Delivered { provider, id, version, data: list(data, data_length) },
        }));
        Objects ICorProfilerCallback10: EventPipeProviderCreated(id: sys::EVENTPIPE_PROVIDER) => (EventPipeProviderId::from_raw(id));
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
