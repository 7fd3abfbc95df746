//! The methods of `ICorProfilerInfo` to `ICorProfilerInfo15`, each a typed function of [`Info`].
//!
//! Contract of the unsafe code in this folder: the interface pointer is alive as long as the `Info`. A method is called
//! only after the version of the runtime's interface was compared with the version that declares it (`call!`); each later
//! version extends the earlier ones. The exceptions are the methods of slow-path ELT hooks (`hooks`), which that version
//! has installed. Pointers that are passed are to locals, or to buffers whose length is passed along; what they point to is
//! read after success only. An id that is passed was reported by the runtime (the contract of its constructor), is not
//! known to be unloaded, and is not unloaded during the call (`Info::about`). Ids are made of what the runtime has written.
//!
//! | file | subject |
//! |---|---|
//! | `table` | the methods that take and write values, lists and texts; the enumerators |
//! | `special` | the methods that no table fits |
//! | `functions`, `classes`, `modules`, `event_pipe`, `process` | what is made of the places that `table` fills: safe code |
//! | `visits` | the methods that call back: stacks, the heap, references |
//! | `hooks` | the methods of ELT hooks |

mod classes;
mod event_pipe;
mod functions;
mod hooks;
mod modules;
mod process;
mod sessions;
mod special;
mod table;
mod visits;

use core::hint::cold_path;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use corprof_sys as sys;
use corprof_types::{HResult, ModuleId};

use super::abi::About;
use super::alive::Alive;
use super::call_site::{self, Class, Scope};
use super::helper_thread::HelperThread;
use super::inflight::{Asking, Work};
use super::interface::{InfoPtr, Unknown};
use super::metadata::Edits;
use crate::error::{Error, Result};

pub(crate) use super::abi::{Address, Handle};
pub(crate) use event_pipe::{Delivered, EventDefinition, ProviderChanged, ProviderConfig, in_callback_about};
pub(crate) use sessions::Delivering;
pub(crate) use table::all_of;
pub(crate) use visits::{Frame, StackSeed, Suspended};

/// The runtime's `ICorProfilerInfo` object.
pub(crate) struct Info {
    interface: InfoPtr,
    version: u8,
    /// The major version of the runtime.
    major: OnceLock<u16>,
    /// Whether it must not be called any more.
    ended: AtomicBool,
    /// Only with fast hooks.
    helper: OnceLock<HelperThread>,
    alive: Arc<Alive>,
    /// Whether slow-path ELT hooks are installed.
    slow_path_hooks: AtomicBool,
    /// Whether the profiler has changed the IL of a method.
    irreversible: AtomicBool,
    /// The edits of the modules whose metadata the profiler has edited or applied.
    edits: Mutex<HashMap<ModuleId, Arc<Edits>>>,
    providers: event_pipe::Providers,
    /// Whether a thread of the profiler has suspended the runtime, or is suspending it.
    is_suspended: AtomicBool,
}

impl core::fmt::Debug for Info {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "ICorProfilerInfo{}", self.version)
    }
}

impl Info {
    /// The newest version that the runtime's object has.
    pub(crate) fn from_unknown(unknown: Unknown<'_>) -> Result<Self> {
        let (version, interface) = unknown.newest_info().ok_or(Error::Call {
            call: "IUnknown::QueryInterface(ICorProfilerInfo)",
            hresult: HResult::E_NOINTERFACE,
        })?;
        Ok(Self {
            interface,
            version,
            major: OnceLock::new(),
            ended: AtomicBool::new(false),
            helper: OnceLock::new(),
            alive: Arc::new(Alive::of_this_profiler()),
            slow_path_hooks: AtomicBool::new(false),
            irreversible: AtomicBool::new(false),
            edits: Mutex::default(),
            providers: event_pipe::Providers::default(),
            is_suspended: AtomicBool::new(false),
        })
    }

    /// The newest version of the interface.
    pub(crate) fn version(&self) -> u8 {
        self.version
    }

    /// The runtime has this major version.
    pub(crate) fn set_major(&self, major: u16) {
        let _ = self.major.set(major);
    }

    /// Which ids are alive.
    pub(crate) fn alive(&self) -> &Arc<Alive> {
        &self.alive
    }

    /// The runtime ends, or has released the profiler: no call begins from now on. Calls that other threads have begun
    /// before are not waited for.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Starts the thread that repeats the calls which the runtime refuses in fast hooks.
    pub(crate) fn start_helper(&self) -> Result<()> {
        if self.helper.get().is_none() {
            let _ = self.helper.set(HelperThread::start()?);
        }
        Ok(())
    }

    /// Whether the helper thread runs, so whether compiled code calls the profiler's hooks directly.
    pub(crate) fn has_helper(&self) -> bool {
        self.helper.get().is_some()
    }

    /// Whether slow-path ELT hooks are installed.
    pub(crate) fn has_slow_path_hooks(&self) -> bool {
        self.slow_path_hooks.load(Ordering::Relaxed)
    }

    /// The edits of a module's metadata. A module that gets the number of an unloaded one shares its edits.
    pub(crate) fn edits_of(&self, module: ModuleId) -> Arc<Edits> {
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(edits.entry(module).or_default())
    }

    /// Whether the profiler has done what a detach cannot undo: hooks and changed IL.
    pub(crate) fn is_irreversible(&self) -> bool {
        self.irreversible.load(Ordering::Relaxed) || self.has_slow_path_hooks() || self.has_helper()
    }

    /// Fails where a detach must not be requested.
    pub(crate) fn check_detach(&self) -> Result<()> {
        self.begin(3, "ICorProfilerInfo3::RequestProfilerDetach", Class::Collects).map(drop)
    }

    /// Whether the runtime has refused a call since it does not know that a fast hook is running.
    pub(crate) fn is_refused_in_fast_hook(&self, error: &Error) -> bool {
        let refused = HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
        self.has_helper() && matches!(error, Error::Call { hresult, .. } if *hresult == refused)
    }

    fn as_ptr(&self) -> *mut sys::ICorProfilerInfo {
        self.interface.as_ptr()
    }

    /// Makes a call; once more on the helper thread if the runtime refuses it on this one.
    fn proxied(&self, mut call: impl FnMut() -> sys::HRESULT) -> sys::HRESULT {
        let code = call();
        if code != HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE.0 {
            return code;
        }
        self.helper.get().and_then(|helper| helper.run(&mut call)).unwrap_or(code)
    }

    /// Fails unless the running thread is the profiler's own, in no callback, hook or call, and has not suspended the runtime.
    pub(crate) fn require_own_thread(&self, call: &'static str) -> Result<()> {
        self.require_runtime(call)?;
        call_site::require_own(call, || self.is_on_managed_thread())
    }

    /// The same, or in a callback about the profiler's own start and end.
    pub(crate) fn require_unlocked_thread(&self, call: &'static str) -> Result<()> {
        self.require_runtime(call)?;
        call_site::require_unlocked(call, || self.is_on_managed_thread())
    }

    fn is_on_managed_thread(&self) -> bool {
        let unmanaged = HResult::CORPROF_E_NOT_MANAGED_THREAD;
        !matches!(self.current_thread(), Err(Error::Call { hresult, .. }) if hresult == unmanaged)
    }

    /// Begins a call with an argument: refuses an id that is unloaded, or that must not be passed yet, and keeps it until the end
    /// of the call.
    fn about<A: About>(&self, call: &'static str, work: Work, argument: &A) -> Result<Option<Asking<'_>>> {
        let Some(id) = argument.id() else { return Ok(None) };
        let asking = self.alive.begin_about(work, id)?;
        self.alive.require_loaded(call, id)?;
        Ok(Some(asking))
    }

    /// Fails unless the runtime is there.
    fn require_runtime(&self, call: &'static str) -> Result<()> {
        if self.ended.load(Ordering::SeqCst) {
            cold_path();
            return Err(Error::Ended { call });
        }
        Ok(())
    }

    /// Fails unless the runtime is there, and has the version that declares `call`.
    fn require(&self, needed: u8, call: &'static str) -> Result<()> {
        self.require_runtime(call)?;
        if self.version >= needed {
            return Ok(());
        }
        cold_path();
        Err(Error::RuntimeTooOld { call, needed, present: self.version })
    }

    /// Begins a call of a method of this class: fails unless the runtime has it, and it may be called where the thread is.
    #[inline]
    fn begin(&self, needed: u8, call: &'static str, class: Class) -> Result<Scope> {
        self.require(needed, call)?;
        let major = self.major.get().copied().unwrap_or_default();
        Scope::call(call, class, major, || self.is_on_managed_thread())
    }
}

/// The version of an interface type, to compare with the runtime's.
trait InfoVersion {
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

/// Calls a method through the version of the interface that declares it: `Ok` with the success code, or the error that
/// names the call. To be used in an `unsafe` block that argues for the arguments.
///
/// The word in front of the method is its [`Class`](crate::raw::call_site::Class): what it does, and so where it may be called.
macro_rules! call {
    (@ Proxied $info:ident, $call:expr) => { $info.proxied(|| $call) };
    (@ $class:ident $info:ident, $call:expr) => { $call };
    ($info:expr, $class:ident $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
        const VERSION: u8 = <corprof_sys::$interface as $crate::raw::info::InfoVersion>::VERSION;
        let info: &$crate::raw::info::Info = $info;
        use $crate::raw::call_site::Class;
        match info.begin(VERSION, CALL, Class::$class) {
            Err(error) => Err(error),
            Ok(_scope) => {
                let this = info.as_ptr().cast::<corprof_sys::$interface>();
                let method = (*(*this).lpVtbl).$method;
                $crate::raw::call::checked(CALL, $crate::raw::info::call!(@ $class info, method(this, $($arg),*)))
            }
        }
    }};
}
use call;

/// The name of a method, for what fails beside the call itself.
macro_rules! name {
    ($interface:ident::$method:ident) => {
        concat!(stringify!($interface), "::", stringify!($method))
    };
}
use name;
