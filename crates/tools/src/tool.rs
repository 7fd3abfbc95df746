//! The life of a tool: its settings, its reports, its end.

use corprof::{Error, ProfilerInfo, Result};
use corprof_link::Client;

use recording::streams::Schema;

use crate::output::Output;
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

/// Starts a tool with its program, for its `initialize`: for the client that has started the program, with the settings that it has
/// sent, or on its own, with those of the environment.
///
/// # Errors
/// The tool's reason not to run. [`Error::Declined`] if the client knows the reason, means another process, or does not answer.
pub fn start_with_program<T: Tool>(info: &ProfilerInfo) -> Result<T> {
    let begin = |client: Option<&Client>, lines: Option<&str>| {
        let settings = match lines {
            Some(lines) => Settings::from_client(T::PREFIX, T::SETTINGS, lines),
            None => Settings::from_environment(T::PREFIX, T::SETTINGS),
        };
        let tool = T::start(info, &settings?.with_client(client.cloned()))?;
        tool.reporter().ready();
        Ok(tool)
    };
    let setting = |error: &Error| error.setting().map(str::to_owned);
    corprof_link::start(&name::<T>(), begin, setting, Error::Declined)
}

fn name<T: Tool>() -> String {
    T::PREFIX.trim_end_matches('_').to_ascii_lowercase()
}

/// A [`Tool`] whose rows go to a recording: it measures, and whoever reads the recording makes reports of it.
pub trait Records: Sized {
    /// Its name, such as `gc`.
    const NAME: &'static str;
    /// What the names of the settings begin with, such as `GC_`.
    const PREFIX: &'static str;
    /// The names of the tool's own settings, without the prefix. The recording has their values, also of those that only a report
    /// uses.
    const SETTINGS: &'static [&'static str] = &[];
    /// What its rows have.
    const STREAMS: &'static [&'static Schema];

    /// Begins to measure. The tool keeps the output until its end.
    ///
    /// # Errors
    /// The tool's reason not to run.
    fn start(info: &ProfilerInfo, settings: &Settings, output: Output) -> Result<Self>;

    /// Returns the output.
    fn output(&self) -> &Output;

    /// Called when the tool has been attached to a running program, in the callback `profiler_attach_complete`.
    fn attached(&self) {}

    /// Ends the measurement: its last rows are emitted here.
    fn stop(&self) {}
}

impl<T: Records> Tool for T {
    const PREFIX: &'static str = T::PREFIX;
    const SETTINGS: &'static [&'static str] = T::SETTINGS;

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        settings.check_recorded(T::NAME)?;
        let output = Output::start(T::NAME, info, settings, T::STREAMS)?;
        T::start(info, settings, output)
    }

    fn reporter(&self) -> &Reporter {
        self.output().reporter()
    }

    fn attached(&self) {
        T::attached(self);
    }

    fn stop(&self) {
        T::stop(self);
    }
}

/// Starts a tool that is being attached, for its `initialize_for_attach`. A client that waits for it is told if it does not run.
///
/// # Errors
/// The tool's reason not to run. [`Error::Declined`] if the client knows the reason, or does not wait any more: a process that was
/// stopped when it was requested, and goes on now, is not measured.
pub fn start_attached<T: Tool>(info: &ProfilerInfo, client_data: &[u8]) -> Result<T> {
    let client = Client::of_client_data(&name::<T>(), client_data)
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
/// program has its settings from the client that has started that, or from the environment, and one that is attached has them from the client data.
#[macro_export]
macro_rules! tool_callbacks {
    () => {
        fn initialize(info: &::corprof::ProfilerInfo) -> ::corprof::Result<Self> {
            $crate::start_with_program(info)
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
            $crate::Tool::reporter(self).detached();
            $crate::Tool::end(self);
        }

        fn shutdown(&self) {
            $crate::Tool::end(self);
        }
    };
}
