//! The life of a tool: its settings, its reports, its end.

use corprof::{ProfilerInfo, Result};

use crate::report::Reporter;
use crate::settings::Settings;

/// A profiler that measures, and writes a report at intervals and at the end.
///
/// [`tool_callbacks!`](crate::tool_callbacks) defines its callbacks about the beginning and the end.
pub trait Tool: Sized {
    /// What the names of the settings begin with, such as `GC_`.
    const PREFIX: &'static str;
    /// The names of the tool's own settings, without the prefix.
    const SETTINGS: &'static [&'static str] = &[];

    /// Begins to measure.
    ///
    /// # Errors
    /// The tool's reason not to run.
    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self>;

    /// Returns what writes the reports.
    fn reporter(&self) -> &Reporter;

    /// Called when the tool has been attached to a running program, in the callback `profiler_attach_complete`.
    fn attached(&self) {}

    /// Ends the measurement, before the last report.
    fn stop(&self) {}

    /// Ends the measurement, and writes the last report.
    fn end(&self) {
        self.stop();
        self.reporter().end();
    }
}

/// Defines the callbacks about the beginning and the end of a [`Tool`], in its `impl Profiler`: a tool that is started with the
/// program has its settings from the environment, and one that is attached has them from the client data.
#[macro_export]
macro_rules! tool_callbacks {
    () => {
        fn initialize(info: &::corprof::ProfilerInfo) -> ::corprof::Result<Self> {
            let (prefix, names) = (<Self as $crate::Tool>::PREFIX, <Self as $crate::Tool>::SETTINGS);
            let settings = $crate::Settings::from_environment(prefix, names)?;
            let tool = <Self as $crate::Tool>::start(info, &settings)?;
            $crate::Tool::reporter(&tool).ready();
            Ok(tool)
        }

        fn initialize_for_attach(
            info: &::corprof::ProfilerInfo,
            client_data: &[u8],
        ) -> ::corprof::Result<Self> {
            let (prefix, names) = (<Self as $crate::Tool>::PREFIX, <Self as $crate::Tool>::SETTINGS);
            let settings = $crate::Settings::from_client_data(prefix, names, client_data)?;
            <Self as $crate::Tool>::start(info, &settings)
        }

        fn profiler_attach_complete(&self) {
            $crate::Tool::attached(self);
            $crate::Tool::reporter(self).ready();
        }

        fn profiler_detach_succeeded(&self) {
            $crate::Tool::end(self);
        }

        fn shutdown(&self) {
            $crate::Tool::end(self);
        }
    };
}
