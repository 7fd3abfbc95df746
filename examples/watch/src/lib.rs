//! Prints exceptions, garbage collections, modules and threads of a .NET program as they occur. It can be loaded when the
//! program starts, or attached to a running one, and can be detached. The README describes the lines.

mod session;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Instant;

use corprof::values::{GcReason, Generations};
use corprof::{
    ClassId, Error, FunctionId, HResult, ModuleId, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result,
    ThreadId,
};
use corprof_link::Client;

use crate::session::Session;
use crate::settings::{Out, Settings};

#[cfg(feature = "export")]
corprof::export_profiler!("{5A0F3A1E-9D0B-4E9B-8F43-2B7A5C9E6D10}", [Watch]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
pub(crate) static MEMORY: Reserve = Reserve::new();

/// The profiler.
pub struct Watch {
    names: Names,
    session: Session,
    /// The start of the collection in progress.
    collecting: Mutex<Option<(Instant, String)>>,
}

impl Watch {
    fn new(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(settings.events)?;
        let session = Session::begin(info, settings)
            .map_err(|error| Error::other(format!("cannot write to {:?}: {error}", settings.out)))?;
        let runtime =
            info.runtime_info().map_or_else(|error| error.to_string(), |info| info.version_string.clone());
        session.line(&format!("watching process {}, runtime {runtime}", std::process::id()));
        if !settings.given.is_empty() {
            session.line(&format!("settings: {}", settings.given.join(" ")));
        }
        Ok(Self { names: Names::new(info), session, collecting: Mutex::default() })
    }

    /// Reports the modules and threads from before the profiler was attached.
    fn already_there(&self) -> Result<String> {
        let info = self.names.info();
        let (threads, modules) = (info.threads()?.len(), info.modules()?.len());
        Ok(format!("already there: {modules} modules, {threads} threads"))
    }

    fn name_of(&self, class: Result<ClassId>) -> String {
        class
            .and_then(|class| self.names.class(class))
            .map_or_else(|error| error.to_string(), |name| name.to_string())
    }
}

impl Profiler for Watch {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let begin = |client: Option<&Client>, lines: Option<&str>| {
            let settings = match lines {
                Some(lines) => Settings::from_client_data(lines.as_bytes())?,
                None => Settings::from_environment()?,
            };
            let out = client.map_or(settings.out, |client| Out::Client(client.clone()));
            let watch = Self::new(info, &Settings { out, ..settings })?;
            watch.session.ready();
            Ok(watch)
        };
        let setting = |error: &Error| error.setting().map(str::to_owned);
        corprof_link::start("watch", begin, setting, Error::Declined)
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        let client = Client::of_client_data("watch", client_data)
            .map_err(|error| Error::Declined(format!("it cannot connect to its client: {error}")))?;
        let settings = Settings::from_client_data(client_data).map_err(Error::from);
        let Some(client) = client else { return Self::new(info, &settings?) };
        let settings = settings.map(|settings| Settings { out: Out::Client(client.clone()), ..settings });
        settings.and_then(|settings| Self::new(info, &settings)).map_err(|error| {
            client.refuse(error.setting().unwrap_or_default(), &error.to_string());
            Error::Declined(error.to_string())
        })
    }

    fn profiler_attach_complete(&self) {
        let line = self.already_there().unwrap_or_else(|error| error.to_string());
        self.session.line(&line);
        self.session.ready();
    }

    fn profiler_detach_succeeded(&self) {
        self.session.end("detached");
    }

    fn shutdown(&self) {
        self.session.end("the program ends");
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let name = self.name_of(self.names.info().class_of_object(exception));
        self.session.line(&format!("exception  {name}"));
    }

    fn exception_search_catcher_found(&self, function: FunctionId) {
        let name =
            self.names.method(function).map_or_else(|error| error.to_string(), |method| method.plain_name());
        self.session.line(&format!("caught     in {name}"));
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        let oldest = (0..=2).rev().find(|generation| generations.contains(*generation));
        let why = if reason == GcReason::INDUCED { ", induced" } else { "" };
        let what = format!("collection of generation {}{why}", oldest.unwrap_or(0));
        *self.collecting.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), what));
    }

    fn garbage_collection_finished(&self) {
        let collecting = self.collecting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((begin, what)) = collecting {
            let milliseconds = begin.elapsed().as_secs_f64() * 1000.0;
            self.session.line(&format!("gc         {what}, {milliseconds:.2} ms"));
        }
    }

    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        let path =
            self.names.module(module).map_or_else(|error| error.to_string(), |module| module.path.clone());
        let failure = status.err().map_or_else(String::new, |code| format!(", which failed: {code}"));
        self.session.line(&format!("module     {path}{failure}"));
    }

    fn thread_assigned_to_os_thread(&self, _: ThreadId, os_thread: u32) {
        self.session.line(&format!("thread     {os_thread} begins"));
    }

    fn thread_name_changed(&self, _: ThreadId, name: &widestring::U16Str) {
        self.session.line(&format!("thread     is called {:?}", name.to_string_lossy()));
    }

    fn thread_destroyed(&self, _: ThreadId) {
        self.session.line("thread     ends");
    }
}
