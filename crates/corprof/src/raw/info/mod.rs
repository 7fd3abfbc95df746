//! The methods of `ICorProfilerInfo` to `ICorProfilerInfo15`, each a typed function of [`Info`].
//!
//! Contract of the unsafe code in this folder: the interface pointer is alive as long as the `Info`. A method is called
//! only after the version of the runtime's interface was compared with the version that declares it (`call!`); each later
//! version extends the earlier ones. The exceptions are the methods of slow-path ELT hooks (`hooks`), which that version
//! has installed. Pointers that are passed are to locals, or to buffers whose length is passed along; what they point to is
//! read after success only. An id that is passed was reported by the runtime (the contract of its constructor), is not
//! known to be gone, and does not go during the call (`Info::about`). Ids are made of what the runtime has written.
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
mod special;
mod table;
mod visits;

use core::hint::cold_path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use corprof_sys as sys;
use corprof_types::{AnyId, HResult};

use super::alive::Alive;
use super::collecting;
use super::helper_thread::HelperThread;
use super::inflight::{Asking, Work};
use super::interface::{InfoPtr, Unknown};
use crate::error::{Error, Result};

pub(crate) use super::abi::{Address, Handle};
pub(crate) use event_pipe::{EventDefinition, ProviderChanged, ProviderConfig, in_callback_about};
pub(crate) use table::all_of;
pub(crate) use visits::{Frame, StackSeed, Suspended};

/// The runtime's `ICorProfilerInfo` object.
pub(crate) struct Info {
    interface: InfoPtr,
    version: u8,
    /// Whether it must not be called any more.
    ended: AtomicBool,
    /// Only with fast hooks.
    helper: OnceLock<HelperThread>,
    alive: Arc<Alive>,
    /// Whether slow-path ELT hooks are installed.
    slow_path_hooks: AtomicBool,
    providers: event_pipe::Providers,
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
            ended: AtomicBool::new(false),
            helper: OnceLock::new(),
            alive: Arc::default(),
            slow_path_hooks: AtomicBool::new(false),
            providers: event_pipe::Providers::default(),
        })
    }

    /// The newest version of the interface.
    pub(crate) fn version(&self) -> u8 {
        self.version
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

    /// Returns whether a garbage collection may run during a call of the running thread.
    fn may_collect(&self) -> bool {
        collecting::is_allowed(|| self.is_on_managed_thread())
    }

    /// Returns whether the running thread is in no callback and no hook, and is not managed.
    pub(crate) fn is_on_own_thread(&self) -> bool {
        collecting::is_own(|| self.is_on_managed_thread())
    }

    fn is_on_managed_thread(&self) -> bool {
        let unmanaged = HResult::CORPROF_E_NOT_MANAGED_THREAD;
        !matches!(self.current_thread(), Err(Error::Call { hresult, .. }) if hresult == unmanaged)
    }

    /// Begins a call about an id: refuses one that is gone, and keeps one that is not until the end of the call.
    fn about(&self, work: Work, id: Option<AnyId>) -> Result<Option<Asking<'_>>> {
        id.map(|id| self.alive.begin_about(work, id)).transpose()
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
/// `directly` on this thread. `proxied` once more on the helper thread where the runtime refuses the call in a fast hook:
/// only for calls that neither load nor collect nor suspend, and that are not about the running thread. `collecting` on this
/// thread, unless a garbage collection must not run: see [`collecting`](crate::raw::collecting).
macro_rules! call {
    (@ directly $info:ident, $call:expr) => { $call };
    (@ proxied $info:ident, $call:expr) => { $info.proxied(|| $call) };
    (@ collecting $info:ident, $call:expr) => {
        if $info.may_collect() { $call } else { corprof_types::HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE.0 }
    };
    ($info:expr, $how:ident $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
        let info: &$crate::raw::info::Info = $info;
        match info.require(<corprof_sys::$interface as $crate::raw::info::InfoVersion>::VERSION, CALL) {
            Err(error) => Err(error),
            Ok(()) => {
                let this = info.as_ptr().cast::<corprof_sys::$interface>();
                let method = (*(*this).lpVtbl).$method;
                $crate::raw::call::checked(CALL, $crate::raw::info::call!(@ $how info, method(this, $($arg),*)))
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
