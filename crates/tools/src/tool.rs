//! The life of a tool: its settings, its reports, its end.

use corprof::{Error, ProfilerInfo, Result};
use corprof_link::Client;

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

/// Starts a tool that is being attached, for its `initialize_for_attach`. A client that waits for it is told if it does not run.
///
/// # Errors
/// The tool's reason not to run. [`Error::Declined`] if the client knows the reason, or does not wait any more: a process that was
/// stopped when it was requested, and goes on now, is not measured.
pub fn start_attached<T: Tool>(info: &ProfilerInfo, client_data: &[u8]) -> Result<T> {
    let name = T::PREFIX.trim_end_matches('_').to_ascii_lowercase();
    let client = Client::of_client_data(&name, client_data)
        .map_err(|error| Error::Declined(format!("it cannot connect to its client: {error}")))?;
    let settings = Settings::from_client_data(T::PREFIX, T::SETTINGS, client_data).map_err(Error::from);
    let started = settings.and_then(|settings| T::start(info, &settings.with_client(client.clone())));
    let Some(client) = client else { return started };
    match started {
        Ok(tool) => {
            client.accept();
            Ok(tool)
        }
        Err(error) => {
            client.refuse(error.setting().unwrap_or_default(), &error.to_string());
            Err(Error::Declined(error.to_string()))
        }
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
            $crate::start_attached(info, client_data)
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
