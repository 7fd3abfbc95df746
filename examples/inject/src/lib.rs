//! Logs calls of selected methods as spans, with arguments and times: code is inserted by ReJIT, and reverted later. The README
//! describes the settings.
//!
//! Contract of the unsafe code here: inserted code calls functions of this library with the signatures that they have; the
//! library is never unloaded.
#![allow(unsafe_code)]

mod arguments;
mod callbacks;
mod edit;
mod lines;
mod requests;
mod spans;
mod tasks;

use std::fmt::Display;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use corprof::token::MethodDef;
use corprof::{
    Error, EventMask, FunctionControl, FunctionId, HResult, ModuleId, ModuleMethod, Profiler, ProfilerInfo,
    Reserve, Result,
};
use corprof_in_process::outlet::Outlet;
use corprof_link::Client;
use corprof_rewrite::Rewriter;
use method_filter::{MethodFilter, Secrets};

use crate::lines::Lines;
use crate::requests::{Event, Requests, Role, Selected};
use crate::spans::Out;

#[cfg(feature = "export")]
corprof::export_profiler!("{C4A1B5D2-6E0F-4F3B-8D57-91E2A7B3C6F0}", [Inject]);

/// Lets callbacks and inserted code finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
pub(crate) static MEMORY: Reserve = Reserve::new();

/// The first major version of .NET with which methods are recompiled that the JIT has inlined a selected one into before.
const FIRST_WITH_INLINERS: u16 = 9;

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The profiler.
pub struct Inject {
    rewriter: Rewriter,
    selected: Selected,
    /// Modules that were loaded, for the thread that requests ReJIT.
    loaded: Mutex<Sender<Event>>,
    /// The arguments that are not logged.
    secrets: Secrets,
}

/// Returns the error of a setting.
fn wrong(name: &str, message: impl Into<String>) -> Error {
    Error::Setting { name: name.to_owned(), message: message.into() }
}

/// Returns a setting that a client has sent.
fn sent(lines: &str, name: &str) -> Option<String> {
    corprof_link::settings(lines).find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
}

impl Inject {
    fn begin(
        info: &ProfilerInfo,
        client: Option<&Client>,
        setting: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let methods = setting("INJECT_METHODS").unwrap_or_default();
        if methods.trim().is_empty() {
            return Err(wrong(
                "INJECT_METHODS",
                "INJECT_METHODS names no methods: set it to patterns such as *!Shop.Cart.*",
            ));
        }
        let filter = MethodFilter::new(false, ("", ""), ("INJECT_METHODS", &methods), ("", ""))
            .map_err(|error| wrong("INJECT_METHODS", error.to_string()))?;
        let seconds = setting("INJECT_SECONDS").map(|text| text.parse::<u64>()).transpose();
        let seconds = seconds.map_err(|_| wrong("INJECT_SECONDS", "INJECT_SECONDS is a whole number"))?;
        let show_secrets = match setting("INJECT_SHOW_SECRETS").as_deref() {
            None | Some("" | "0" | "false") => false,
            Some("1" | "true") => true,
            Some(_) => return Err(wrong("INJECT_SHOW_SECRETS", "INJECT_SHOW_SECRETS is 1 or 0")),
        };
        let redact = setting("INJECT_REDACT").unwrap_or_default();
        let secrets = Secrets::new(!show_secrets, ("INJECT_REDACT", &redact))
            .map_err(|error| wrong("INJECT_REDACT", error.to_string()))?;
        let out = match (client, setting("INJECT_OUT")) {
            (Some(client), _) => Lines::start(client.clone()).map(Out::Client),
            (None, Some(path)) => Outlet::create(Path::new(&path)).map(Out::Outlet),
            (None, None) => Ok(Out::Outlet(Outlet::standard_error())),
        };
        let out = out.map_err(|error| Error::other(format!("INJECT_OUT: {error}")))?;
        info.set_event_mask(EventMask::ENABLE_REJIT | EventMask::MODULE_LOADS | EventMask::JIT_COMPILATION)?;
        spans::begin(info.string_layout()?, out);
        let (loaded, events) = channel();
        if let Some(client) = client {
            let asked = loaded.clone();
            // The thread has ended when the methods were reverted.
            let watched = client.watch(move |_| _ = asked.send(Event::Stop));
            watched.map_err(|error| Error::other(error.to_string()))?;
            client.accept();
        }
        let requests = Requests {
            rewriter: Rewriter::new(info),
            selected: Selected::default(),
            filter,
            until: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        };
        let this = Self {
            rewriter: requests.rewriter.clone(),
            selected: requests.selected.clone(),
            loaded: Mutex::new(loaded),
            secrets,
        };
        let thread = std::thread::Builder::new().name("inject".to_owned());
        thread.spawn(move || requests.run(&events)).map_err(|error| Error::other(error.to_string()))?;
        Ok(this)
    }
}

impl Profiler for Inject {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let begin = |client: Option<&Client>, lines: Option<&str>| {
            Self::begin(info, client, |name| match lines {
                Some(lines) => sent(lines, name),
                None => std::env::var(name).ok(),
            })
        };
        let setting = |error: &Error| error.setting().map(str::to_owned);
        corprof_link::start("inject", begin, setting, Error::Declined)
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(client_data).into_owned();
        let setting = |name: &str| sent(&text, name);
        let client = Client::of_client_data("inject", client_data)
            .map_err(|error| Error::Declined(format!("it cannot connect to its client: {error}")))?;
        let this = Self::begin(info, client.as_ref(), setting).map_err(|error| match &client {
            Some(client) => {
                client.refuse(error.setting().unwrap_or_default(), &error.to_string());
                Error::Declined(error.to_string())
            }
            None => error,
        })?;
        if info.runtime_info()?.major < FIRST_WITH_INLINERS {
            spans::write("  before .NET 9: calls that were inlined before now are not logged");
        }
        Ok(this)
    }

    fn profiler_attach_complete(&self) {
        for module in self.rewriter.info().modules().unwrap_or_default() {
            // The thread has ended when the methods were reverted.
            let _ = locked(&self.loaded).send(Event::Loaded(module));
        }
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let _ = locked(&self.loaded).send(Event::Loaded(module));
    }

    fn module_unload_started(&self, module: ModuleId) {
        // Another module may get the same id.
        locked(&self.selected).retain(|method, _| method.module != module);
    }

    fn jit_inlining(&self, _: FunctionId, callee: FunctionId) -> bool {
        // An inlined call would not be logged.
        let callee = self.rewriter.info().function_info(callee).ok().and_then(|callee| {
            let method = callee.token?;
            Some(ModuleMethod { module: callee.module, method })
        });
        callee.is_none_or(|callee| !locked(&self.selected).contains_key(&callee))
    }

    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        // Methods into which a selected one was inlined are also passed here: they keep their IL.
        let role = locked(&self.selected).get(&ModuleMethod { module, method }).copied();
        let Some(role) = role else { return Ok(()) };
        // SAFETY: the code calls functions of this library, which is never unloaded, with their own signatures.
        let outcome = unsafe {
            self.rewriter.at_rejit(module, method, control, |method| match role {
                Role::Span { number, is_async } => edit::span(method, number, is_async, &self.secrets),
                Role::Completion => tasks::completions(method),
            })
        };
        if let Err(error) = outcome {
            // It is none of those that are reverted.
            locked(&self.selected).remove(&ModuleMethod { module, method });
            refused(method, role, &error);
        }
        Ok(())
    }

    fn profiler_detach_succeeded(&self) {
        spans::end("detached", None);
    }

    fn shutdown(&self) {
        spans::end("the program has ended", None);
    }

    fn rejit_error(&self, module: ModuleId, method: MethodDef, _: Option<FunctionId>, error: HResult) {
        // Methods into which a selected one was inlined are reported here too.
        let role = locked(&self.selected).get(&ModuleMethod { module, method }).copied();
        refused(method, role.unwrap_or(Role::Completion), &error);
    }
}

/// Logs that a method keeps its code.
fn refused(method: MethodDef, role: Role, error: &dyn Display) {
    let name = match role {
        Role::Span { number, .. } => spans::name_of(number),
        // A method that was not selected itself.
        Role::Completion => method.to_string(),
    };
    spans::write(&format!("  {name} keeps its code: {error}"));
}
