#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(unix)]
mod control;
#[cfg(not(unix))]
#[path = "control_elsewhere.rs"]
mod control;
mod environment;
mod events;
mod hosted;
mod limits;
mod sessions;

use std::sync::Arc;

use corprof::{Error, PartHost, Profiler, ProfilerInfo, Result};

pub use crate::hosted::HostedTool;
use crate::sessions::Sessions;

/// For the expansion of [`agent!`] only.
#[doc(hidden)]
pub mod __export {
    pub use corprof;
}

/// Exports an agent: a profiler that hosts tools.
///
/// Each tool is a [`Tool`](corprof_tools::Tool) and a [`Profiler`], as for a library of its own. The expansion has an
/// [`export_profiler!`](corprof::export_profiler), so use it once, in a library with `crate-type = ["cdylib"]`, in which no other tool
/// has an entry point of its own.
///
/// ```
/// # use corprof::{Profiler, ProfilerInfo, Result};
/// # use corprof_tools::{Reporter, Settings, Tool};
/// struct Modules(Reporter);
///
/// impl Tool for Modules {
///     const PREFIX: &'static str = "MODULES_";
///     fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
///         Ok(Self(Reporter::start("modules", info, settings, |_| b"none\n".to_vec())?))
///     }
///     fn reporter(&self) -> &Reporter {
///         &self.0
///     }
/// }
///
/// impl Profiler for Modules {
///     corprof_tools::tool_callbacks!();
/// }
///
/// corprof_agent::agent! {
///     clsid: "{6B3F0E1A-52C7-4D08-9E64-0A7C1D5B2F93}",
///     tools: [Modules],
/// }
/// ```
#[macro_export]
macro_rules! agent {
    (clsid: $clsid:expr, tools: [$($tool:ty),+ $(,)?] $(,)?) => {
        const _: () = {
            struct Hosted;

            impl $crate::Tools for Hosted {
                const TOOLS: &'static [$crate::HostedTool] = &[$($crate::HostedTool::of::<$tool>()),+];
            }

            $crate::__export::corprof::export_profiler!($clsid, [$crate::Agent<Hosted>]);
        };
    };
}

/// The tools of an [`Agent`].
pub trait Tools: Send + Sync + 'static {
    /// The tools. Their names must differ.
    const TOOLS: &'static [HostedTool];
}

/// The profiler that hosts tools: see [`agent!`]. A library with other profilers exports it as one of them.
pub struct Agent<T> {
    sessions: Arc<Sessions>,
    tools: core::marker::PhantomData<fn() -> T>,
}

impl<T: Tools> Agent<T> {
    fn new(info: &ProfilerInfo) -> Self {
        Self { sessions: Sessions::new(info, T::TOOLS), tools: core::marker::PhantomData }
    }

    fn run(self, is_attached: bool) -> Result<Self> {
        control::start(&self.sessions, is_attached).map_err(|error| {
            // The tools have threads, which join nobody that is dropped.
            Error::other(format!("cannot start a thread: {error}"))
        })?;
        Ok(self)
    }
}

impl<T: Tools> Profiler for Agent<T> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let agent = Self::new(info);
        environment::start(&agent.sessions)?;
        agent.run(false)
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        let agent = Self::new(info);
        let (tool, data) = sessions::tool_of(client_data);
        agent.sessions.attach(tool.as_deref(), &data)?;
        agent.run(true)
    }

    fn host(&self) -> Option<&PartHost> {
        Some(self.sessions.host())
    }

    fn shutdown(&self) {
        self.sessions.end();
    }

    fn profiler_detach_succeeded(&self) {
        self.sessions.end();
    }
}
