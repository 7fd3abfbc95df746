//! Asking the runtime: [`ProfilerInfo`], one façade over `ICorProfilerInfo` to `ICorProfilerInfo15`.
//!
//! Contract of the unsafe code in this folder: the interface pointer is alive as long as the façade. A method
//! is called only after [`ProfilerInfo::require`] has made sure that the runtime's interface is new enough to
//! have its slot, but for what hooks with info ask about their call (`hooks`): they are installed by the version that
//! declares it. Each later version of the interface extends the earlier ones. Pointers passed to the
//! runtime are to locals or to buffers whose length is passed along. What the runtime writes is read only
//! when its code says success. An id that was seen to go is refused, and an unload waits for the calls that are
//! about it (`unload`, `inflight`); ids that the library has never seen are the caller's affair, since the runtime
//! offers no way to check them.
#![allow(unsafe_code)]

mod belongings;
mod buffers;
mod classes;
mod clerk;
mod code;
mod detach;
mod enumerators;
mod environment;
mod event_pipe;
mod events;
mod exceptions;
mod functions;
mod handles;
mod heap;
mod hooks;
mod il;
mod in_memory;
mod inflight;
mod loaded;
mod modules;
mod objects;
mod rejit;
mod runtime;
mod stack;
mod statics;
mod suspension;
mod symbols;
mod threads;
mod unload;
mod visit;

use core::ffi::c_void;
use core::hint::cold_path;
use core::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use corprof_sys as sys;

pub(crate) use belongings::Lifetime;
pub(crate) use buffers::length_of;
pub(crate) use buffers::{fill, fill_wide, lent};
pub use classes::{ClassInfo, ClassLayout, FieldOffset};
pub use code::{CodeRegion, IlOffset, IlToNativeMapEntry};
pub use enumerators::{Enumerator, FunctionVersion, ModuleMethod};
pub use event_pipe::{
    EventPipeEventSpec, EventPipeProviderChanged, EventPipeProviderConfig, EventPipeProviderState,
    EventPipeSession,
};
pub use exceptions::{ClauseKind, ExceptionClause};
pub(crate) use functions::room_of;
pub use functions::{DynamicFunctionInfo, FunctionInfo, FunctionInstance};
pub use handles::{HandleKind, ObjectHandle};
pub use heap::{GcGeneration, GenerationRange, NonGcHeapRange, Reference};
pub(crate) use inflight::{Asking, Work, place_of_thread};
pub(crate) use loaded::{Loaded, LoadedModule};
pub use modules::{AssemblyInfo, ModuleFlags, ModuleInfo};
pub use objects::{ArrayInfo, ArrayRank, StringLayout};
pub use rejit::Inliners;
pub use runtime::{RuntimeInfo, RuntimeType};
pub use stack::{StackFrame, StackWalk};
pub use statics::StaticKind;
pub use suspension::RuntimeSuspension;
pub use threads::AppDomainInfo;
pub(crate) use threads::in_suspend_finished;
pub use unload::{Forget, Unload};

use self::clerk::Clerk;
use crate::com::interface::{self, InfoPtr};
use crate::ids::AnyId;
use crate::{Error, HResult, Result};

/// The runtime, as seen by a profiler (`ICorProfilerInfo` to `ICorProfilerInfo15`).
///
/// Handed to [`Profiler::initialize`](crate::Profiler::initialize). Clones are cheap and refer to the same
/// runtime; calls may be made from any thread, but some are refused outside of certain callbacks, with an
/// error that says so. Each method names the COM method that it calls and the version that declares it: on
/// a runtime without that version it returns [`Error::RuntimeTooOld`]. After
/// [`Profiler::shutdown`](crate::Profiler::shutdown) and
/// [`Profiler::profiler_detach_succeeded`](crate::Profiler::profiler_detach_succeeded) have returned, the runtime is
/// not called any more, and the answer is [`Error::Ended`].
#[derive(Clone)]
pub struct ProfilerInfo {
    shared: Arc<Shared>,
}

/// What all clones share.
struct Shared {
    interface: InfoPtr,
    version: u8,
    /// Whether it must not be called any more.
    ended: AtomicBool,
    runtime: OnceLock<RuntimeInfo>,
    loaded: Loaded,
    /// Only with fast hooks.
    clerk: OnceLock<Clerk>,
    /// Only with selective hooks.
    calls_are_off: AtomicBool,
}

/// The versions of the interface, newest first.
const VERSIONS: [(u8, sys::GUID); 15] = [
    (15, sys::IID_ICorProfilerInfo15),
    (14, sys::IID_ICorProfilerInfo14),
    (13, sys::IID_ICorProfilerInfo13),
    (12, sys::IID_ICorProfilerInfo12),
    (11, sys::IID_ICorProfilerInfo11),
    (10, sys::IID_ICorProfilerInfo10),
    (9, sys::IID_ICorProfilerInfo9),
    (8, sys::IID_ICorProfilerInfo8),
    (7, sys::IID_ICorProfilerInfo7),
    (6, sys::IID_ICorProfilerInfo6),
    (5, sys::IID_ICorProfilerInfo5),
    (4, sys::IID_ICorProfilerInfo4),
    (3, sys::IID_ICorProfilerInfo3),
    (2, sys::IID_ICorProfilerInfo2),
    (1, sys::IID_ICorProfilerInfo),
];

impl ProfilerInfo {
    /// The façade over the newest version that the runtime's object answers for.
    ///
    /// # Safety
    /// `unknown` points to a live COM object.
    pub(crate) unsafe fn from_unknown(unknown: NonNull<c_void>) -> Result<Self> {
        for (version, iid) in VERSIONS {
            // SAFETY: forwarded to the caller.
            let Ok(raw) = (unsafe { interface::query_raw(unknown, iid) }) else { continue };
            // SAFETY: the pointer carries a reference and has the asked-for version, which begins with the
            // first one.
            let Some(interface) = (unsafe { interface::from_raw::<InfoPtr>(raw.as_ptr()) }) else { continue };
            let shared = Shared {
                interface,
                version,
                ended: AtomicBool::new(false),
                runtime: OnceLock::new(),
                loaded: Loaded::default(),
                clerk: OnceLock::new(),
                calls_are_off: AtomicBool::new(false),
            };
            return Ok(Self { shared: Arc::new(shared) });
        }
        Err(Error::Call {
            call: "IUnknown::QueryInterface(ICorProfilerInfo)",
            hresult: HResult::E_NOINTERFACE,
        })
    }

    /// The newest version of `ICorProfilerInfo` that this runtime has: 11 on .NET Core 3.1, 15 on .NET 9.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.shared.version
    }

    /// How often something has been unloaded, as far as the event mask lets it be seen. An answer is to be
    /// remembered only if the number is what it was before the question.
    #[must_use]
    pub fn unload_count(&self) -> u64 {
        self.shared.loaded.unloads()
    }

    /// How many facts about loaded modules and classes are remembered: for who wants to see what a profiler costs.
    /// Grows with what is loaded, and shrinks with what is unloaded. What [`Names`](crate::Names) remembers is not in
    /// it.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.shared.loaded.len()
    }

    /// From now on `who` is told which ids go away, for as long as it lives: for what a profiler remembers of ids
    /// itself. What is seen depends on the event mask: modules, with what belongs to them, with
    /// [`EventMask::MODULE_LOADS`](crate::EventMask::MODULE_LOADS), dynamic methods with
    /// [`EventMask::DYNAMIC_FUNCTION_UNLOADS`](crate::EventMask::DYNAMIC_FUNCTION_UNLOADS).
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use std::sync::{Arc, Mutex, PoisonError};
    ///
    /// use corprof::{Forget, FunctionId, ProfilerInfo, Unload};
    ///
    /// #[derive(Default)]
    /// struct Counts(Mutex<HashMap<FunctionId, u64>>);
    ///
    /// impl Forget for Counts {
    ///     fn forget(&self, unload: &Unload) {
    ///         let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
    ///         for function in unload.functions() {
    ///             counts.remove(&function);
    ///         }
    ///     }
    /// }
    ///
    /// fn counts(info: &ProfilerInfo) -> Arc<Counts> {
    ///     let counts = Arc::new(Counts::default());
    ///     info.forget_with(&counts);
    ///     counts
    /// }
    /// ```
    pub fn forget_with<F: Forget + 'static>(&self, who: &Arc<F>) {
        let who: Weak<F> = Arc::downgrade(who);
        self.shared.loaded.forget_with(who);
    }

    /// The running thread begins to ask about an id, with one call that needs no garbage collection; fails if what
    /// it names has been unloaded.
    pub(crate) fn asking(&self, id: impl Into<AnyId>) -> Result<Asking<'_>> {
        self.shared.loaded.asking(Work::Call, id.into())
    }

    /// The same with calls that may take longer.
    pub(crate) fn looking_up(&self, id: impl Into<AnyId>) -> Result<Asking<'_>> {
        self.shared.loaded.asking(Work::Lookup, id.into())
    }

    /// An id that the runtime has given: what it names is there.
    pub(crate) fn given<I: Into<AnyId> + Copy>(&self, id: Option<I>) -> Option<I> {
        let id = id?;
        self.shared.loaded.alive(id.into());
        Some(id)
    }

    /// The interface pointer.
    pub(crate) fn as_ptr(&self) -> *mut sys::ICorProfilerInfo {
        self.shared.interface.as_ptr()
    }

    /// Switches the calling of the profiler's hooks on or off, if they are
    /// [`selective`](crate::Hooks::selective); otherwise nothing happens. On from the beginning. From any thread, at any
    /// time: other threads see it soon, and at no cost.
    pub fn report_calls(&self, on: bool) {
        self.shared.calls_are_off.store(!on, Ordering::Relaxed);
    }

    /// Whether hooks are to be called.
    pub(crate) fn are_calls_reported(&self) -> bool {
        !self.shared.calls_are_off.load(Ordering::Relaxed)
    }

    /// Starts who asks what the runtime refuses to answer in fast hooks.
    pub(crate) fn start_clerk(&self) -> Result<()> {
        if self.shared.clerk.get().is_none() {
            let _ = self.shared.clerk.set(Clerk::start()?);
        }
        Ok(())
    }

    /// Whether the profiler's hooks are called by the compiled code directly.
    pub(crate) fn has_fast_hooks(&self) -> bool {
        self.shared.clerk.get().is_some()
    }

    /// Calls the runtime; once more on the clerk's thread if it refuses to answer on this one.
    pub(crate) fn ask(&self, mut call: impl FnMut() -> sys::HRESULT) -> sys::HRESULT {
        let answer = call();
        if answer != HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE.0 {
            return answer;
        }
        self.shared.clerk.get().and_then(|clerk| clerk.run(&mut call)).unwrap_or(answer)
    }

    /// What has been seen to be loaded.
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.shared.loaded
    }

    /// The runtime ends, or has let go of the profiler: from now on no call is made, whoever holds this. What other
    /// threads have begun to call before is not waited for.
    pub(crate) fn end(&self) {
        self.shared.ended.store(true, Ordering::SeqCst);
    }

    /// Fails unless the runtime is there.
    pub(crate) fn require_runtime(&self, call: &'static str) -> Result<()> {
        if self.shared.ended.load(Ordering::SeqCst) {
            cold_path();
            return Err(Error::Ended { call });
        }
        Ok(())
    }

    /// Fails unless the runtime is there, and has the version that declares `call`.
    pub(crate) fn require(&self, needed: u8, call: &'static str) -> Result<()> {
        self.require_runtime(call)?;
        if self.shared.version >= needed {
            return Ok(());
        }
        cold_path();
        Err(Error::RuntimeTooOld { call, needed, present: self.shared.version })
    }
}

impl core::fmt::Debug for ProfilerInfo {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "ProfilerInfo(ICorProfilerInfo{})", self.shared.version)
    }
}

/// The version of an interface type, to hold against the runtime's.
pub(crate) trait InfoVersion {
    /// 1 for `ICorProfilerInfo`.
    const VERSION: u8;
}

macro_rules! info_versions {
    ($($interface:ident = $version:literal,)*) => {$(
        impl InfoVersion for sys::$interface {
            const VERSION: u8 = $version;
        }
    )*};
}

info_versions! {
    ICorProfilerInfo = 1, ICorProfilerInfo2 = 2, ICorProfilerInfo3 = 3, ICorProfilerInfo4 = 4,
    ICorProfilerInfo5 = 5, ICorProfilerInfo6 = 6, ICorProfilerInfo7 = 7, ICorProfilerInfo8 = 8,
    ICorProfilerInfo9 = 9, ICorProfilerInfo10 = 10, ICorProfilerInfo11 = 11, ICorProfilerInfo12 = 12,
    ICorProfilerInfo13 = 13, ICorProfilerInfo14 = 14, ICorProfilerInfo15 = 15,
}

/// The code that a method returned, as a result that names the method.
pub(crate) fn checked(call: &'static str, code: sys::HRESULT) -> Result<HResult> {
    match HResult(code) {
        hresult if hresult.is_err() => {
            cold_path();
            Err(Error::Call { call, hresult })
        }
        hresult => Ok(hresult),
    }
}

/// Calls a method through the interface version that declares it: `Ok` with the success code, or the error
/// that names the call. Fails without a call where the runtime is too old. To be used in an `unsafe` block
/// that argues for the arguments.
///
/// With `asked`, what the runtime refuses to answer in a fast hook is asked on the clerk's thread: only for calls that
/// neither load nor collect nor suspend, and that are not about the running thread.
///
/// With `hooked`, the version is not asked for: for what a hook with info asks about its call, which the version that declares
/// it has installed.
macro_rules! call {
    ($info:expr, hooked $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
        let info: &$crate::ProfilerInfo = $info;
        info.require_runtime(CALL).and_then(|()| {
            let this = info.as_ptr().cast::<corprof_sys::$interface>();
            $crate::info::checked(CALL, ((*(*this).lpVtbl).$method)(this, $($arg),*))
        })
    }};
    (@ directly $info:ident, $call:expr) => { $call };
    (@ asked $info:ident, $call:expr) => { $info.ask(|| $call) };
    (@ $how:ident $info:expr, $interface:ident::$method:ident($($arg:expr),*)) => {{
        const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
        let info: &$crate::ProfilerInfo = $info;
        match info.require(<corprof_sys::$interface as $crate::info::InfoVersion>::VERSION, CALL) {
            Err(error) => Err(error),
            Ok(()) => {
                let this = info.as_ptr().cast::<corprof_sys::$interface>();
                let method = (*(*this).lpVtbl).$method;
                $crate::info::checked(CALL, $crate::info::call!(@ $how info, method(this, $($arg),*)))
            }
        }
    }};
    ($info:expr, asked $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {
        $crate::info::call!(@ asked $info, $interface::$method($($arg),*))
    };
    ($info:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {
        $crate::info::call!(@ directly $info, $interface::$method($($arg),*))
    };
}
pub(crate) use call;
