//! Prints the names of each method of a .NET program: one line of JSON when a method, or an instantiation of
//! it, is called for the first time. The README describes the lines.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use corprof::clrnames::metadata::Metadata as _;
use corprof::sigparse::{TypeDefOrRef, TypeRef};
use corprof::{
    AssemblyId, ClassId, EnterFrame, Error, EventMask, FrameInfo, FunctionHooks, FunctionId,
    FunctionInstance, HResult, Hooks, Instance, LastError, ModuleFlags, ModuleId, Names, Profiler,
    ProfilerInfo, Reserve, Result,
};
use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;
use corprof_link::{Client, Messages};
use serde_json::{Value, json};

#[cfg(feature = "export")]
corprof::export_profiler!("{0F6C1B6E-6B1F-4E0B-9C57-2A8D3E4F5B61}", [MethodNames]);

/// Lets hooks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// A function with the type arguments of a call.
type Key = (FunctionId, Option<ClassId>, Vec<Option<ClassId>>);

/// The profiler.
pub struct MethodNames {
    names: Names,
    all: bool,
    references: bool,
    /// The name of the method at which naming stops.
    until: Option<String>,
    /// The function of that name.
    last: OnceLock<FunctionId>,
    /// Whether it has been called.
    is_over: AtomicBool,
    /// The modules that have been seen.
    modules: Mutex<Vec<ModuleId>>,
    out: Mutex<Outlet>,
    /// The number of lines that could not be written, or for which there was no memory.
    missing: AtomicU64,
    /// The functions that have been named.
    seen: Mutex<HashSet<Key>>,
    /// Whether a folder is the framework's.
    frameworks: Mutex<HashMap<String, bool>>,
}

/// What goes to the client, or to standard error.
static MESSAGES: Messages = Messages::new("methodnames");

impl MethodNames {
    fn begin(info: &ProfilerInfo, setting: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let out = match setting("METHODNAMES_OUT") {
            Some(path) => Outlet::create(Path::new(&path)).map_err(|error| {
                Error::other(format!(
                    "METHODNAMES_OUT: cannot create {}: {error}",
                    Path::new(&path).display()
                ))
            })?,
            None => Outlet::standard_error(),
        };
        let names = Names::new(info);
        info.set_event_mask(
            EventMask::CALLS_WITH_VALUES
                | EventMask::MODULE_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::JIT_COMPILATION,
        )?;
        Ok(Self {
            names,
            all: is_set(setting("METHODNAMES_ALL")),
            references: is_set(setting("METHODNAMES_REFERENCES")),
            until: setting("METHODNAMES_UNTIL").and_then(|name| name.into_string().ok()),
            last: OnceLock::new(),
            is_over: AtomicBool::new(false),
            modules: Mutex::default(),
            out: Mutex::new(out),
            missing: AtomicU64::new(0),
            seen: Mutex::default(),
            frameworks: Mutex::default(),
        })
    }
}

impl Profiler for MethodNames {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let begin = |client: Option<&Client>, lines: Option<&str>| {
            MESSAGES.go_to(client);
            let sent = |name: &str, lines: &str| {
                let mut settings = corprof_link::settings(lines);
                settings.find(|(own, _)| *own == name).map(|(_, value)| value.into())
            };
            Self::begin(info, |name| match lines {
                Some(lines) => sent(name, lines),
                None => std::env::var_os(name),
            })
        };
        corprof_link::start("methodnames", begin, |_: &Error| None, Error::Declined)
    }

    fn initialize_for_attach(_: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Err(Error::NotAttachable("methods are seen by enter hooks, which an attached profiler may not have"))
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }

    fn module_attached_to_assembly(&self, module: ModuleId, _: AssemblyId) {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).push(module);
    }

    fn module_unload_started(&self, module: ModuleId) {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| *known != module);
    }

    fn shutdown(&self) {
        if self.references {
            let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for module in modules {
                self.write_references(module);
            }
            for facade in ["netstandard", "mscorlib", "System.Runtime"] {
                let found = self.names.find_type(facade, "System.Collections.Generic.IList`1");
                let to = found.and_then(|found| self.names.module(found.module));
                let error = to.as_ref().err().map(ToString::to_string);
                self.write(
                    &json!({ "facade": facade, "to": to.ok().map(|to| to.path.clone()), "missing": error }),
                );
            }
        }
        let missing = self.missing.load(Ordering::Relaxed);
        if missing > 0 {
            MESSAGES.say(&format!("{missing} lines are missing"));
        }
        MESSAGES.end();
    }

    fn dynamic_method_jit_compilation_finished(&self, function: FunctionId, _: Result<(), HResult>, _: bool) {
        // Stubs of the runtime are not hooked.
        if !self.is_over.load(Ordering::Relaxed) {
            self.name(function, None);
        }
    }
}

impl FunctionHooks for MethodNames {
    type Function = FunctionId;

    fn map_function(&self, function: FunctionId) -> Option<FunctionId> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        match self.names.method(function) {
            Ok(method) => {
                if self.until.as_ref().is_some_and(|until| method.plain_name() == *until) {
                    let _ = self.last.set(function);
                }
                (self.all || !self.is_framework(&method.module_info.path)).then_some(function)
            }
            Err(_) => Some(function),
        }
    }

    fn enter(&self, function: &FunctionId, frame: &EnterFrame<'_>) {
        if self.last.get() == Some(function) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        let named = frame.arguments(|arguments| self.name(*function, Some(arguments.frame())));
        if named.is_err() {
            self.name(*function, None);
        }
    }
}

impl MethodNames {
    /// Writes the line for a call, unless it has been written already.
    fn name(&self, function: FunctionId, frame: Option<FrameInfo<'_>>) {
        let _kept = LastError::keep();
        if MEMORY.is_low() {
            self.missing.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let line = match self.line(function, frame) {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => json!({ "error": error.to_string() }),
        };
        self.write(&line);
    }

    fn write(&self, line: &Value) {
        // Unprintable characters occur only in JSON strings, and the escapes are JSON's.
        let line = format!("{}\n", Printable(&line.to_string()));
        let written = self.out.lock().unwrap_or_else(PoisonError::into_inner).write_line(line.as_bytes());
        if written.is_err() {
            self.missing.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn line(&self, function: FunctionId, frame: Option<FrameInfo<'_>>) -> Result<Option<Value>> {
        let method = self.names.method(function)?;
        let (class, type_args) = match method.token {
            Some(_) => {
                let instance = self.names.info().function_instance(function, frame)?;
                (instance.class, instance.type_args)
            }
            None => (None, Vec::new()),
        };
        let key = (function, class, type_args);
        if !self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone()) {
            return Ok(None);
        }
        let instance = self.names.instance(&method, key.1, &key.2)?;
        let mut line = self.describe(&instance)?;
        let (module, token) = (method.module, method.token);
        let function = FunctionInstance { class: key.1, module, token, type_args: key.2 };
        if let Some(identity) = self.names.identity(&function)? {
            line["id"] = identity.to_string().into();
        }
        if !method.module_info.flags.contains(ModuleFlags::DISK) {
            line["in_memory"] = true.into();
        }
        Ok(Some(line))
    }

    fn describe(&self, instance: &Instance) -> Result<Value> {
        let method = &instance.method;
        let declaration = self.names.declaration(instance)?;
        let mut line = json!({
            "module": method.module_info.file_name(),
            "token": method.token.map_or(0, |token| token.token()),
            "kind": format!("{:?}", declaration.kind),
            "method": instance.name,
            "signature": instance.signature,
            "declaration": declaration.text,
            "il": self.names.il_name(instance)?,
        });
        if let Some(source) = declaration.source {
            let tokens: Vec<u32> = source.candidates.iter().map(|method| method.token()).collect();
            line["source"] = json!({ "name": source.full_name, "tokens": tokens });
        }
        Ok(line)
    }

    /// Writes the resolution of each type reference of a module.
    fn write_references(&self, module: ModuleId) {
        let (Ok(metadata), Ok(from)) = (self.names.metadata(module), self.names.module(module)) else {
            return;
        };
        for type_ref in (1..).map_while(TypeRef::from_rid) {
            if metadata.type_ref(type_ref).is_err() {
                return;
            }
            let found = self.names.resolve(module, TypeDefOrRef::TypeRef(type_ref)).and_then(|found| {
                let to = self.names.module(found.module)?;
                Ok(json!({ "path": to.path, "id": found.module.as_raw(), "token": found.type_def.token() }))
            });
            self.write(&json!({
                "path": from.path,
                "id": module.as_raw(),
                "reference": type_ref.token(),
                "to": found.as_ref().ok(),
                "missing": found.as_ref().err().map(ToString::to_string),
            }));
        }
    }

    /// Whether a module is in the core library's folder.
    fn is_framework(&self, path: &str) -> bool {
        let Some(folder) = Path::new(path).parent() else { return false };
        let mut frameworks = self.frameworks.lock().unwrap_or_else(PoisonError::into_inner);
        *frameworks
            .entry(folder.to_string_lossy().into_owned())
            .or_insert_with(|| folder.join("System.Private.CoreLib.dll").is_file())
    }
}

/// Whether a setting is set.
fn is_set(value: Option<OsString>) -> bool {
    value.is_some_and(|value| value == "1")
}
