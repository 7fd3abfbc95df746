//! The profiler's callback object: its creation, and a function for each callback.
//!
//! Contract of the unsafe code here: the object is one of `corprof`'s, created by the class factory of the profiler's
//! entry point, and has one reference until it is dropped. Every version of the callback interface is a prefix of the
//! newest, which `corprof` implements. Lists and texts are borrowed for the call.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::{NonNull, null_mut};
use std::sync::{Mutex, PoisonError};

use corprof::__export::{Class, Profilers, get_class_object};
use corprof::{Guid, HResult, Profiler};
use corprof_sys as sys;

use crate::com::Shared;

/// The type of `DllGetClassObject`.
type GetClassObject = unsafe extern "system" fn(*const Guid, *const Guid, *mut *mut c_void) -> i32;

/// The class id of a profiler, and the entry point that creates it.
pub struct Entry<P> {
    clsid: Guid,
    get: GetClassObject,
    profiler: PhantomData<fn() -> P>,
}

/// The class id of profilers that are loaded without a library.
const CLSID: Guid = Guid::parse("{5E5A5D0B-1E00-4D0B-8D0B-1E0000000001}");

impl<P: Profilers> Entry<P> {
    /// The entry point that [`corprof::export_profiler!`] defines for `P`.
    pub(crate) fn of() -> Self {
        unsafe extern "system" fn get<P: Profilers>(
            clsid: *const Guid,
            iid: *const Guid,
            out: *mut *mut c_void,
        ) -> i32 {
            // SAFETY: as COM has it.
            unsafe { get_class_object(const { &[Class::new(CLSID, P::PARTS)] }, clsid, iid, out) }
        }
        Self { clsid: CLSID, get: get::<P>, profiler: PhantomData }
    }

    /// The entry point of a library: its `DllGetClassObject`, and the class id to request.
    ///
    /// # Safety
    /// The function is the one that [`corprof::export_profiler!`] has defined for `P`.
    pub unsafe fn exported(clsid: Guid, get: GetClassObject) -> Self {
        Self { clsid, get, profiler: PhantomData }
    }
}

impl<P> core::fmt::Debug for Entry<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Entry({})", self.clsid)
    }
}

/// The callback object.
pub(crate) struct Callback<P> {
    object: NonNull<c_void>,
    profiler: PhantomData<fn() -> P>,
    /// The callbacks that have returned a failure code.
    failures: Mutex<Vec<(&'static str, HResult)>>,
}

// SAFETY: the runtime calls from any thread; the object counts atomically.
unsafe impl<P> Send for Callback<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Callback<P> {}

impl<P: Profilers> Callback<P> {
    /// Creates the callback object as the runtime does: class factory, object with `ICorProfilerCallback2`,
    /// `QueryInterface` for the newest version.
    pub(crate) fn create(entry: &Entry<P>, newest: u8) -> Result<Self, HResult> {
        let factory_iid = sys::IID_IClassFactory;
        let mut factory: *mut c_void = null_mut();
        // SAFETY: pointers to locals.
        HResult(unsafe {
            (entry.get)(&raw const entry.clsid, (&raw const factory_iid).cast(), &raw mut factory)
        })
        .ok()?;
        let factory = factory.cast::<sys::IClassFactory>();
        let (iid, mut object) = (sys::IID_ICorProfilerCallback2, null_mut());
        // SAFETY: a factory that was handed out, pointers to locals; its reference is given back.
        let code = unsafe {
            let vtable = &*(*factory).lpVtbl;
            let code = (vtable.CreateInstance)(factory, null_mut(), &raw const iid, &raw mut object);
            (vtable.base.Release)(factory.cast());
            HResult(code)
        };
        code.ok()?;
        let made = Self::new(object)?;
        let iid = *sys::CALLBACK_INTERFACES.get(usize::from(newest) - 1).ok_or(HResult::E_INVALIDARG)?;
        let mut newer = null_mut();
        // SAFETY: a live object, pointers to locals. It is dropped, with its reference, when this ends.
        let code = unsafe {
            let this = made.object.cast::<sys::IUnknown>().as_ptr();
            HResult(((*(*this).lpVtbl).QueryInterface)(this, &raw const iid, &raw mut newer))
        };
        code.ok()?;
        Self::new(newer)
    }

    /// The COM object.
    #[cfg(test)]
    pub(super) fn object(&self) -> *mut c_void {
        self.object.as_ptr()
    }

    fn new(object: *mut c_void) -> Result<Self, HResult> {
        let object = NonNull::new(object).ok_or(HResult::E_POINTER)?;
        Ok(Self { object, profiler: PhantomData, failures: Mutex::default() })
    }

    /// From now on the runtime reports to this object what happens during the profiler's own calls.
    pub(crate) fn attach_to(&self, shared: &Shared) {
        // SAFETY: an object of `corprof`'s, detached before it is dropped: by the session, which owns it.
        unsafe { shared.set_callback(Some(self.object)) };
    }

    /// The runtime reports nothing any more.
    pub(crate) fn detach_from(&self, shared: &Shared) {
        // SAFETY: there is no object.
        unsafe { shared.set_callback(None) };
    }

    /// The callbacks that have returned a failure code.
    pub(crate) fn failures(&self) -> Vec<(&'static str, HResult)> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answered(&self, method: &'static str, code: i32) -> HResult {
        if HResult(code).is_err() {
            self.failures.lock().unwrap_or_else(PoisonError::into_inner).push((method, HResult(code)));
        }
        HResult(code)
    }

    /// Returns whether the profiler has panicked.
    pub(crate) fn has_panicked(&self) -> bool {
        // SAFETY: as for the profiler.
        unsafe { corprof::__export::has_panicked(self.object.as_ptr()) }
    }

    /// The profiler of this type, once it has been initialised.
    pub(crate) fn part<A: Profiler>(&self) -> Option<&A> {
        // SAFETY: an object of `corprof`'s, alive as long as this is.
        unsafe { corprof::__export::part(self.object.as_ptr()) }
    }

    /// `Initialize`.
    pub(crate) fn initialize(&self, info: *mut sys::IUnknown) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback>().as_ptr();
        // SAFETY: two live objects.
        HResult(unsafe { ((*(*this).lpVtbl).Initialize)(this, info) })
    }

    /// `InitializeForAttach`.
    pub(crate) fn initialize_for_attach(&self, info: *mut sys::IUnknown, data: &[u8]) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback3>().as_ptr();
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
        // SAFETY: two live objects, and bytes with their length that are only read.
        HResult(unsafe {
            ((*(*this).lpVtbl).InitializeForAttach)(this, info, data.as_ptr().cast_mut().cast(), length)
        })
    }

    /// `GetReJITParameters`.
    pub(crate) fn rejit_parameters(&self, module: usize, method: u32, control: *mut c_void) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback4>().as_ptr();
        // SAFETY: two live objects.
        let code = unsafe { ((*(*this).lpVtbl).GetReJITParameters)(this, module, method, control.cast()) };
        self.answered("GetReJITParameters", code)
    }

    /// `JITInlining`.
    pub(crate) fn inlining(&self, caller: usize, callee: usize) -> bool {
        let this = self.object.cast::<sys::ICorProfilerCallback>().as_ptr();
        let mut inline = 1;
        // SAFETY: a live object, a pointer to a local.
        let code = unsafe { ((*(*this).lpVtbl).JITInlining)(this, caller, callee, &raw mut inline) };
        self.answered("JITInlining", code);
        inline != 0
    }

    /// A thread has a name.
    pub(crate) fn thread_name_changed(&self, thread: usize, name: &str) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback2>().as_ptr();
        let mut units: Vec<u16> = name.encode_utf16().collect();
        let length = u32::try_from(units.len()).unwrap_or(u32::MAX);
        // SAFETY: a live object, a text with its length.
        let code = unsafe { ((*(*this).lpVtbl).ThreadNameChanged)(this, thread, length, units.as_mut_ptr()) };
        self.answered("ThreadNameChanged", code)
    }

    /// A collection of some generations begins.
    pub(crate) fn collection_started(&self, generations: &[bool], is_induced: bool) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback2>().as_ptr();
        let mut collected: Vec<sys::BOOL> = generations.iter().map(|collected| (*collected).into()).collect();
        let count = i32::try_from(collected.len()).unwrap_or(i32::MAX);
        let reason = if is_induced { sys::COR_PRF_GC_INDUCED } else { sys::COR_PRF_GC_OTHER };
        // SAFETY: a live object, a list with its length.
        let code = unsafe {
            ((*(*this).lpVtbl).GarbageCollectionStarted)(this, count, collected.as_mut_ptr(), reason)
        };
        self.answered("GarbageCollectionStarted", code)
    }

    /// Objects have moved: from where, to where, how long.
    pub(crate) fn moved(&self, old: &mut [usize], new: &mut [usize], lengths: &mut [usize]) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback4>().as_ptr();
        let count = u32::try_from(old.len().min(new.len()).min(lengths.len())).unwrap_or(u32::MAX);
        // SAFETY: a live object, lists that are as long as the count at least.
        let code = unsafe {
            let moved = (*(*this).lpVtbl).MovedReferences2;
            moved(this, count, old.as_mut_ptr(), new.as_mut_ptr(), lengths.as_mut_ptr())
        };
        self.answered("MovedReferences2", code)
    }

    /// Objects have stayed where they are.
    pub(crate) fn survived(&self, starts: &mut [usize], lengths: &mut [usize]) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback4>().as_ptr();
        let count = u32::try_from(starts.len().min(lengths.len())).unwrap_or(u32::MAX);
        // SAFETY: a live object, lists that are as long as the count at least.
        let code = unsafe {
            ((*(*this).lpVtbl).SurvivingReferences2)(this, count, starts.as_mut_ptr(), lengths.as_mut_ptr())
        };
        self.answered("SurvivingReferences2", code)
    }

    /// `ObjectReferences`. A failure code ends the enumeration.
    pub(crate) fn object_references(&self, object: usize, class: usize, references: &mut [usize]) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback>().as_ptr();
        let count = u32::try_from(references.len()).unwrap_or(u32::MAX);
        // SAFETY: a live object, a list with its length.
        HResult(unsafe {
            ((*(*this).lpVtbl).ObjectReferences)(this, object, class, count, references.as_mut_ptr())
        })
    }

    /// The roots on the stacks of threads.
    pub(crate) fn stack_roots(&self, objects: &mut [usize], functions: &mut [usize]) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback2>().as_ptr();
        let count = u32::try_from(objects.len().min(functions.len())).unwrap_or(u32::MAX);
        let mut kinds = vec![sys::COR_PRF_GC_ROOT_STACK; count as usize];
        let mut flags = vec![sys::COR_PRF_GC_ROOT_FLAGS(0); count as usize];
        // SAFETY: a live object, lists that are as long as the count at least.
        let code = unsafe {
            let roots = (*(*this).lpVtbl).RootReferences2;
            roots(
                this,
                count,
                objects.as_mut_ptr(),
                kinds.as_mut_ptr(),
                flags.as_mut_ptr(),
                functions.as_mut_ptr(),
            )
        };
        self.answered("RootReferences2", code)
    }
}

impl<P> Drop for Callback<P> {
    fn drop(&mut self) {
        let this = self.object.cast::<sys::IUnknown>().as_ptr();
        // SAFETY: the one reference.
        unsafe { ((*(*this).lpVtbl).Release)(this) };
    }
}

/// Declares callbacks with integer arguments only.
macro_rules! callbacks {
    ($($interface:ident { $($name:ident = $method:ident($($arg:ident: $ty:ty),*);)* })*) => {
        impl<P: Profilers> Callback<P> {$($(
            pub(crate) fn $name(&self, $($arg: $ty),*) -> HResult {
                let this = self.object.cast::<sys::$interface>().as_ptr();
                let _site = crate::site::in_callback(stringify!($method));
                // SAFETY: a live object, and numbers.
                let code = unsafe { ((*(*this).lpVtbl).$method)(this, $($arg.into()),*) };
                self.answered(stringify!($method), code)
            }
        )*)*}
    };
}

callbacks! {
    ICorProfilerCallback {
        shutdown = Shutdown();
        app_domain_creation_started = AppDomainCreationStarted(id: usize);
        app_domain_creation_finished = AppDomainCreationFinished(id: usize, code: i32);
        assembly_load_started = AssemblyLoadStarted(id: usize);
        assembly_load_finished = AssemblyLoadFinished(id: usize, code: i32);
        assembly_unload_started = AssemblyUnloadStarted(id: usize);
        assembly_unload_finished = AssemblyUnloadFinished(id: usize, code: i32);
        module_load_started = ModuleLoadStarted(id: usize);
        module_load_finished = ModuleLoadFinished(id: usize, code: i32);
        module_unload_started = ModuleUnloadStarted(id: usize);
        module_unload_finished = ModuleUnloadFinished(id: usize, code: i32);
        module_attached_to_assembly = ModuleAttachedToAssembly(module: usize, assembly: usize);
        class_load_started = ClassLoadStarted(id: usize);
        class_load_finished = ClassLoadFinished(id: usize, code: i32);
        class_unload_started = ClassUnloadStarted(id: usize);
        class_unload_finished = ClassUnloadFinished(id: usize, code: i32);
        jit_compilation_started = JITCompilationStarted(id: usize, is_safe_to_block: bool);
        jit_compilation_finished = JITCompilationFinished(id: usize, code: i32, is_safe_to_block: bool);
        thread_created = ThreadCreated(id: usize);
        thread_destroyed = ThreadDestroyed(id: usize);
        thread_assigned_to_os_thread = ThreadAssignedToOSThread(id: usize, os_thread: u32);
        suspend_finished = RuntimeSuspendFinished();
        resume_started = RuntimeResumeStarted();
        resume_finished = RuntimeResumeFinished();
        object_allocated = ObjectAllocated(object: usize, class: usize);
        exception_thrown = ExceptionThrown(object: usize);
        search_function_enter = ExceptionSearchFunctionEnter(function: usize);
        search_function_leave = ExceptionSearchFunctionLeave();
        search_catcher_found = ExceptionSearchCatcherFound(function: usize);
        unwind_function_enter = ExceptionUnwindFunctionEnter(function: usize);
        unwind_function_leave = ExceptionUnwindFunctionLeave();
        unwind_finally_enter = ExceptionUnwindFinallyEnter(function: usize);
        unwind_finally_leave = ExceptionUnwindFinallyLeave();
        catcher_enter = ExceptionCatcherEnter(function: usize, object: usize);
        catcher_leave = ExceptionCatcherLeave();
    }
    ICorProfilerCallback2 {
        collection_finished = GarbageCollectionFinished();
    }
    ICorProfilerCallback3 {
        attach_complete = ProfilerAttachComplete();
        detach_succeeded = ProfilerDetachSucceeded();
    }
    ICorProfilerCallback4 {
        rejit_started = ReJITCompilationStarted(function: usize, rejit: usize, is_safe_to_block: bool);
        rejit_finished = ReJITCompilationFinished(function: usize, rejit: usize, code: i32, is_safe_to_block: bool);
        rejit_error = ReJITError(module: usize, method: u32, function: usize, code: i32);
    }
}

impl<P: Profilers> Callback<P> {
    /// The program is about to be stopped for a collection.
    pub(crate) fn suspend_started(&self) -> HResult {
        let this = self.object.cast::<sys::ICorProfilerCallback>().as_ptr();
        // SAFETY: a live object, and a number.
        let code = unsafe { ((*(*this).lpVtbl).RuntimeSuspendStarted)(this, sys::COR_PRF_SUSPEND_FOR_GC) };
        self.answered("RuntimeSuspendStarted", code)
    }
}
