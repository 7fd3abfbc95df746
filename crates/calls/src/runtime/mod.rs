//! [`Runtime`] over the profiling API: the runtime that this process runs on.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the queries of the decoder |
//! | `shapes` | from a class to its shape: fields, arrays, enums, delegates |
//! | `handles` | the names behind handles of types and reflection objects |
//! | `planned` | the plan that a thread has compiled last |
//! | `stubs` | from the code address of a delegate to the method |
//! | `self_test` | the confirmation of locations, on a runtime that was not measured |
//! | `cache` | cached facts, evicted at unloads |
//! | `core_classes` | the classes of the core library that are never evicted |
//!
//! Contract of the unsafe code here: an object is passed to the runtime only if the reference came from the runtime in
//! a running hook, so that no collection moves it. Code addresses are those of delegates.
#![allow(unsafe_code)]

mod cache;
mod core_classes;
mod handles;
mod planned;
mod redact;
mod self_test;
mod shapes;
mod stubs;

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use argvalues::{
    ArrayInfo, Checked, Handle, MethodPlan, Mode, ObjectRef, PlanContext, Runtime, RuntimeError,
    SigTypeContext, StringLayout, TypeShape, ValueTypeQuery,
};
use corprof::{
    ClassId, EventMask, FunctionForm, HResult, Instance, Method, ModuleId, Names, ObjectId, ProfilerInfo,
    ResolvedType, Result,
};
use sigparse::TypeDefOrRef;

use self::cache::Cache;
use self::core_classes::CoreClasses;
use self::handles::Handles;
pub use self::redact::Redact;
pub(crate) use self::self_test::SelfTest;

/// The runtime that has loaded the profiler.
///
/// Finds layouts among the types that have been seen to be loaded, and loads nothing. Needs [`ClrRuntime::EVENTS`] in
/// the event mask. May be used in any callback in which objects may be read, including the hooks.
pub struct ClrRuntime {
    names: Names,
    string_layout: StringLayout,
    /// `System.ValueType` and `System.Enum`, once a class was compared with them.
    value_type_bases: OnceLock<[ResolvedType; 2]>,
    cache: Cache,
    /// The classes of primitives, of `string` and of `System.__Canon`, as far as they are known.
    core_classes: CoreClasses,
    /// For code, where it can be read without danger.
    code: Option<Checked>,
    local_time: Option<Box<LocalTime>>,
    redact: Option<Box<dyn Redact>>,
    /// The confirmation of locations, if it was requested.
    self_test: Option<SelfTest>,
}

/// The result of [`Runtime::utc_offset`].
type LocalTime = dyn Fn(u64, bool) -> Option<i32> + Send + Sync;

impl ClrRuntime {
    /// The flags that the event mask must have, for loads and unloads of classes.
    pub const EVENTS: EventMask = EventMask::CLASS_LOADS.union(EventMask::MODULE_LOADS);

    /// Creates the runtime behind `names`.
    ///
    /// # Errors
    /// Any failure of the query for the layout of strings.
    pub fn new(names: &Names) -> Result<Self> {
        let string_layout = names.info().string_layout()?;
        let code = Checked::new().ok();
        let cache = Cache::new(names.info());
        Ok(Self {
            names: names.clone(),
            string_layout,
            value_type_bases: OnceLock::new(),
            cache,
            core_classes: CoreClasses::default(),
            code,
            local_time: None,
            redact: None,
            self_test: None,
        })
    }

    /// Lets the locations of fast-path hooks be confirmed by a self-test, as on a runtime on which they were not measured. See [`locations`](Self::locations).
    #[must_use]
    pub fn self_tested(mut self) -> Self {
        self.self_test = Some(SelfTest::default());
        self
    }

    pub(crate) fn self_test(&self) -> Option<&SelfTest> {
        self.self_test.as_ref()
    }

    /// Sets the offsets of local times, [`Runtime::utc_offset`], which depend on the time zone of the process. The
    /// profiling API does not report it; without it, a local `DateTime` is shown as its raw field.
    #[must_use]
    pub fn local_time(mut self, offset: impl Fn(u64, bool) -> Option<i32> + Send + Sync + 'static) -> Self {
        self.local_time = Some(Box::new(offset));
        self
    }

    /// With values that are not read.
    #[must_use]
    pub fn redact(mut self, redact: Box<dyn Redact>) -> Self {
        self.redact = Some(redact);
        self
    }

    /// Returns the names of modules, classes and functions.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the number of cached shapes and names of methods, for measuring profiler overhead. It shrinks at
    /// unloads. The caches of the [names](Self::names) are not included.
    #[must_use]
    pub fn cached_entries(&self) -> usize {
        self.cache.len()
    }

    pub(crate) fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    /// Compiles the plan for calls of a function with these type arguments.
    ///
    /// # Errors
    /// If the function's signature is malformed. A parameter whose type cannot be resolved is an error in the place of
    /// its value.
    pub fn plan(&self, instance: &Arc<Instance>) -> Result<MethodPlan> {
        let plan = match planned::take(instance) {
            Some(plan) => plan,
            None => self.plan_of_everything(instance)?,
        };
        Ok(match self.redact.as_deref() {
            Some(redact) => plan.redact(|value| redact::is_secret(redact, &self.names, instance, value)),
            None => plan,
        })
    }

    /// The plan without redacted values, as locations need it. It is kept for [`plan`](Self::plan), which follows at the first
    /// call of a method.
    pub(crate) fn plan_for_locations(&self, instance: Arc<Instance>) -> Result<Rc<MethodPlan>> {
        let plan = Rc::new(self.plan_of_everything(&instance)?);
        planned::put(instance, Rc::clone(&plan));
        Ok(plan)
    }

    /// Returns the instance of a method that is not generic, if the thread's last plan for locations was that of this method.
    pub(crate) fn planned_instance(&self, method: &Arc<Method>) -> Option<Arc<Instance>> {
        let has_one = method.token.is_some() && !method.is_generic();
        has_one.then(|| planned::instance_of(method))?
    }

    fn plan_of_everything(&self, instance: &Instance) -> Result<MethodPlan> {
        let method = &instance.method;
        let generics = SigTypeContext {
            module: Some(method.module),
            type_args: self.slots(&instance.class_args),
            method_args: self.slots(&instance.type_args),
        };
        let malformed = |error| corprof::Error::Signature { of: instance.name.clone(), error };
        let sig = sigparse::MethodSig::parse(&method.signature).map_err(malformed)?;
        let modes: Vec<Mode> = instance.parameters.iter().map(|parameter| mode_of(parameter.mode)).collect();
        let declaring = self.declaring(instance);
        let type_names: Vec<_> = instance.parameters.iter().map(|parameter| &parameter.type_name).collect();
        let awaited = self.is_variant(method);
        let result = awaited_name(instance.return_type.as_ref(), awaited);
        let context = PlanContext {
            generics: &generics,
            declaring: &declaring,
            modes: &modes,
            type_names: &type_names,
            return_type: result.as_ref(),
            awaited,
        };
        MethodPlan::compile(self, &sig, context).map_err(malformed)
    }

    /// Returns whether a function returns the result of the task in its signature.
    pub(crate) fn is_variant(&self, method: &Method) -> bool {
        self.info().function_form(method.function) == FunctionForm::Variant
    }

    /// Returns the shapes of slots that hold values of these classes. An unknown class gives a reference.
    fn slots(&self, classes: &[Option<ClassId>]) -> Arc<[Arc<TypeShape>]> {
        if classes.is_empty() {
            return Arc::default();
        }
        let canon = || Arc::new(TypeShape::reference("System.__Canon"));
        classes.iter().map(|class| class.map_or_else(canon, |class| self.slot(class))).collect()
    }

    /// Returns the lookup of handles, if memory can be read safely.
    fn handles(&self, trusted: bool) -> Option<Handles<'_>> {
        Some(Handles { names: &self.names, memory: self.code.as_ref()?, trusted })
    }
}

impl core::fmt::Debug for ClrRuntime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ClrRuntime")
    }
}

/// Returns the C# name of what a function returns, by the name of its return type: `int` for `Task<int>` if that is awaited.
pub(crate) fn awaited_name(return_type: Option<&Arc<str>>, awaited: bool) -> Option<Arc<str>> {
    let declared = return_type?;
    if !awaited {
        return Some(Arc::clone(declared));
    }
    let tasks = ["System.Threading.Tasks.Task<", "System.Threading.Tasks.ValueTask<"];
    let arguments = tasks.iter().find_map(|task| declared.strip_prefix(task))?;
    arguments.strip_suffix('>').map(Arc::from)
}

/// Converts the passing mode of a parameter.
pub(crate) const fn mode_of(mode: corprof::ParameterMode) -> Mode {
    match mode {
        corprof::ParameterMode::Value => Mode::Value,
        corprof::ParameterMode::In => Mode::In,
        corprof::ParameterMode::Ref => Mode::Ref,
        corprof::ParameterMode::Out => Mode::Out,
    }
}

impl Runtime for ClrRuntime {
    fn string_layout(&self) -> StringLayout {
        self.string_layout
    }

    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        // A collection marks objects in the lowest bits of their header.
        let header = object.header & !0b111;
        let known = self.cache.headers.get(&header);
        if let Some((_, shape)) = &known
            && !shape.is_provisional()
        {
            return Ok(Arc::clone(shape));
        }
        let lookup = self.cache.headers.begin(header);
        let class = if let Some((class, _)) = &known {
            *class
        } else if object.trusted {
            // SAFETY: the runtime itself gave the reference, in the hook that is running.
            let id = unsafe { ObjectId::from_raw(object.address) }
                .ok_or_else(|| RuntimeError::new("a null reference has no class"))?;
            self.info().class_of_object(id).map_err(failed)?
        } else {
            // The header is the class's id, except for arrays before .NET 5. A class that the runtime has not reported
            // is not passed to it.
            self.info().class_by_number(header).ok_or_else(|| {
                RuntimeError::new("what it points to is no object of a class that was seen before")
            })?
        };
        let shape = self.object_shape(class).map_err(failed)?;
        if known.is_none_or(|(_, before)| !Arc::ptr_eq(&before, &shape)) {
            lookup.store((class, Arc::clone(&shape)));
        }
        Ok(shape)
    }

    fn epoch(&self) -> Option<u64> {
        Some(self.info().unload_count())
    }

    fn array(&self, object: ObjectRef, rank: usize) -> Result<ArrayInfo, RuntimeError> {
        // SAFETY: the object's header was found to be that of an array, in the hook that is running.
        let id = unsafe { ObjectId::from_raw(object.address) }
            .ok_or_else(|| RuntimeError::new("a null reference is no array"))?;
        let rank = u32::try_from(rank).map_err(|_| RuntimeError::new("too many dimensions"))?;
        self.info().array_object_info(id, rank).map_err(failed)
    }

    fn full_name(&self, module: Option<ModuleId>, token: TypeDefOrRef) -> Result<Cow<'_, str>, RuntimeError> {
        let module = module_of(module)?;
        let name = self.names.metadata_name(module, token).map_err(failed)?;
        Ok(Cow::Owned(name.to_string()))
    }

    fn value_type(&self, query: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError> {
        self.queried_value_type(query)
    }

    fn known_value_type(&self, module: Option<ModuleId>, token: TypeDefOrRef) -> Option<Arc<TypeShape>> {
        self.cache.definitions.get(&(module?, token.token()))
    }

    fn method_name(&self, code: usize) -> Option<Arc<str>> {
        if let Some((_, known)) = self.cache.methods.get(&code) {
            return Some(known);
        }
        let lookup = self.cache.methods.begin(code);
        let function = match &self.code {
            Some(memory) => stubs::function_at(self.info(), memory, code)?,
            // SAFETY: a delegate has the address of a method's code or of a stub.
            None => unsafe { self.info().function_from_ip(code) }.ok()??,
        };
        let method = self.names.method(function).ok()?;
        let name: Arc<str> = if method.is_generic() {
            let instance = self.info().function_instance(function, None).ok()?;
            self.names.instance(&method, instance.class, &instance.type_args).ok()?.name.as_str().into()
        } else {
            method.plain_name().into()
        };
        lookup.store((function, Arc::clone(&name)));
        Some(name)
    }

    fn handle_name(&self, handle: Handle, trusted: bool) -> Option<Arc<str>> {
        self.cache
            .handles
            .get_or_find(handle, || self.handles(trusted).and_then(|handles| handles.name(handle)).ok_or(()))
            .ok()
    }

    fn utc_offset(&self, local_ticks: u64, daylight: bool) -> Option<i32> {
        self.local_time.as_ref()?(local_ticks, daylight)
    }

    fn handle_shape(&self, type_handle: usize) -> Result<Arc<TypeShape>, RuntimeError> {
        let class = self.handles(true).and_then(|handles| handles.class_or_array(type_handle));
        let class = class.ok_or_else(|| RuntimeError::new("its type is no class"))?;
        self.make_slot(class).map_err(failed)
    }
}

/// An error of the profiling API, as decoding reports it.
fn failed(error: corprof::Error) -> RuntimeError {
    let message = error.to_string();
    if may_be_known_later(&error) { RuntimeError::temporary(message) } else { RuntimeError::new(message) }
}

/// Returns whether a query may succeed later: its class or module is being loaded, or the module of a reference is not loaded.
const fn may_be_known_later(error: &corprof::Error) -> bool {
    matches!(
        error,
        corprof::Error::Call { hresult: HResult::CORPROF_E_DATAINCOMPLETE, .. }
            | corprof::Error::Loading { .. }
            | corprof::Error::NotFound(_)
    )
}

/// The module of a signature that names a type by a token.
fn module_of(module: Option<ModuleId>) -> Result<ModuleId, RuntimeError> {
    module.ok_or_else(|| RuntimeError::new("the signature has no module"))
}
