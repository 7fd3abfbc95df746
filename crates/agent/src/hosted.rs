//! A tool as an agent knows it.

use corprof::{PartHost, PartKey, Profiler, Result};
use corprof_tools::Tool;

/// A tool that an agent can start. Its name is the prefix of its settings in small letters: `gc` for `GC_`.
#[derive(Clone, Copy, Debug)]
pub struct HostedTool {
    pub(crate) prefix: &'static str,
    pub(crate) start: fn(&PartHost, &'static str) -> Result<PartKey>,
    pub(crate) attach: fn(&PartHost, &'static str, &[u8]) -> Result<PartKey>,
}

impl HostedTool {
    /// The tool that is a `T`.
    #[must_use]
    pub const fn of<T: Tool + Profiler>() -> Self {
        Self {
            prefix: T::PREFIX,
            start: |host, name| host.add(name, T::initialize),
            attach: |host, name, data| host.add(name, |info| T::initialize_for_attach(info, data)),
        }
    }
}
