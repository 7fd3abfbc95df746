//! The data of a hooked function: its instances, the locations of its values, the plan of its calls.

use std::sync::{Arc, OnceLock};

use corprof::{
    ClassId, Error, FrameInfo, FunctionForm, FunctionId, Method, ProfilerInfo, Result, UnloadCache,
};

use crate::budget::{Budget, Quota};
use crate::convention::FunctionLocations;
use crate::located::Located;
use crate::method::CalledMethod;
use crate::registers::ValueLocations;
use crate::role::Role;
use crate::runtime::ClrRuntime;
use crate::selection::{Gate, SelectedCalls};
use crate::shape::Inserted;
use crate::source::EnterSource;
use crate::traced::{Registry, Traced};
use crate::tracer::CallTracer;

/// A hooked function.
///
/// The instantiation of shared generic code is known at a call only: there is a `Traced` for each that has been called.
pub struct Function<T: CallTracer> {
    method: Arc<Method>,
    /// The plan of its calls, made at an earlier one.
    plan: OnceLock<CallPlan<T>>,
    /// The instantiation, where the function has only one.
    only: OnceLock<Arc<Traced<T::Method>>>,
    /// The instantiations, where it has several.
    instances: OnceLock<Instances<T>>,
    /// The method without type arguments, for calls whose instantiation cannot be determined.
    unknown: OnceLock<Arc<Traced<T::Method>>>,
    /// With fast hooks, where everything is at a call.
    locations: FunctionLocations,
    /// The traced calls; all of them if absent.
    pub(crate) gate: Option<Gate>,
    /// The calls that are traced whatever the budget is.
    pub(crate) quota: Quota<T::Method>,
    role: Role,
    /// Of an async variant, the integer register of the continuation; absent inside if it is unknown.
    continuation: OnceLock<Option<u8>>,
    registry: Arc<Registry<T::Method>>,
}

/// How each call of a function is reported: one instantiation, every location known, no `ref` or `out` parameter.
///
/// Made once, for the [source](crate::source) that the values of its calls come from.
pub(crate) struct CallPlan<T: CallTracer> {
    pub(crate) function: FunctionId,
    pub(crate) method: Arc<Traced<T::Method>>,
    pub(crate) locations: ValueLocations,
}

/// The type arguments of a call.
type Key = (Option<ClassId>, Vec<Option<ClassId>>);

impl<T: CallTracer> Function<T> {
    pub(crate) fn new(
        method: Arc<Method>,
        selected: Option<SelectedCalls>,
        budget: Option<&Arc<Budget<T::Method>>>,
        role: Role,
        registry: &Arc<Registry<T::Method>>,
    ) -> Self {
        let quota = Quota::new(budget);
        Self {
            method,
            plan: OnceLock::new(),
            only: OnceLock::new(),
            instances: OnceLock::new(),
            unknown: OnceLock::new(),
            locations: FunctionLocations::new(),
            gate: selected.map(Gate::new),
            quota,
            role,
            continuation: OnceLock::new(),
            registry: Arc::clone(registry),
        }
    }

    pub(crate) fn id(&self) -> FunctionId {
        self.method.function
    }

    /// Returns whether calls may be omitted.
    #[inline(always)]
    pub(crate) fn is_limited(&self) -> bool {
        self.quota.limited().is_some()
    }

    #[inline(always)]
    pub(crate) fn plan(&self) -> Option<&CallPlan<T>> {
        self.plan.get()
    }

    /// Makes the plan for later calls, after one of this method from a source like this.
    #[cold]
    pub(crate) fn make_plan(&self, source: impl EnterSource, method: &Arc<Traced<T::Method>>) {
        let is_settled = self.role == Role::Traced(FunctionForm::Declared)
            && self.only.get().is_some_and(|only| Arc::ptr_eq(only, method))
            && self.gate.is_none();
        // Shared code never is, and comes here at each call.
        let plan = method.called.plan().filter(|plan| is_settled && !plan.has_outs());
        let Some(locations) = plan.and_then(|plan| source.locations(&self.locations, plan)) else { return };
        // Another thread may have made the same.
        let _ = self.plan.set(CallPlan { function: self.id(), method: Arc::clone(method), locations });
    }

    /// Returns whether the function is not traced, and ends suspended calls.
    #[inline]
    pub(crate) fn is_boundary(&self) -> bool {
        self.role == Role::Boundary
    }

    /// Fails if it is unknown which values the function's calls have.
    pub(crate) fn check_values(&self) -> Result<()> {
        match self.role {
            Role::Boundary
            | Role::Traced(FunctionForm::Declared | FunctionForm::Thunk | FunctionForm::Variant) => Ok(()),
            Role::Traced(_) => Err(Error::other(
                "the runtime may suspend this method, and it is unknown whether it does, so that its values are not located",
            )),
        }
    }

    /// Returns whether the function resumes a call, and does not begin one.
    ///
    /// # Errors
    /// It is unknown.
    pub(crate) fn is_resumed(&self, runtime: &ClrRuntime, source: impl EnterSource) -> Result<bool> {
        self.check_values()?;
        if self.role != Role::Traced(FunctionForm::Variant) {
            return Ok(false);
        }
        let register = match self.continuation.get() {
            Some(known) => *known,
            None => {
                let found = runtime.continuation(&self.method)?;
                *self.continuation.get_or_init(|| found)
            }
        };
        let continuation = register.and_then(|register| source.integer_register(register));
        let continuation = continuation.ok_or_else(|| {
            Error::other(
                "it is unknown whether the runtime resumes this method, so that its values are not located",
            )
        })?;
        Ok(continuation != 0)
    }

    /// With fast hooks, the locations of its values.
    pub(crate) const fn locations(&self) -> &FunctionLocations {
        &self.locations
    }

    /// The only instantiation, once it has been called.
    #[inline]
    pub(crate) fn only(&self) -> Option<&Arc<Traced<T::Method>>> {
        self.only.get()
    }

    /// Returns the instantiation of a call with this frame; without a frame, the one that the function alone
    /// determines.
    pub(crate) fn instance(
        &self,
        tracer: &T,
        runtime: &ClrRuntime,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<Arc<Traced<T::Method>>> {
        if let Some(only) = self.only.get() {
            return Ok(Arc::clone(only));
        }
        if !self.method.is_generic() {
            // The locations have just been worked out with it.
            if let Some(instance) = runtime.planned_instance(&self.method) {
                return Ok(self.set_only(traced(tracer, CalledMethod::new(runtime, instance)?)));
            }
            let class = match self.method.token {
                Some(_) => runtime.info().function_info(self.id())?.class,
                None => None,
            };
            return Ok(self.set_only(self.make(tracer, runtime, (class, Vec::new()))?));
        }
        let instances = self.instances.get_or_init(|| Instances::new(runtime.info()));
        match frame.and_then(FrameInfo::key) {
            Some(context) => instances
                .by_context
                .get_or_find(context, || self.shared_instance(instances, tracer, runtime, frame)),
            None => self.shared_instance(instances, tracer, runtime, frame),
        }
    }

    /// Returns the instantiation of a call.
    pub(crate) fn instance_of(
        &self,
        tracer: &T,
        runtime: &ClrRuntime,
        call: Located<'_>,
    ) -> Result<Arc<Traced<T::Method>>> {
        match call {
            Located::Hook(arguments) => self.instance(tracer, runtime, Some(arguments.frame())),
            Located::Inserted(call) => self.passed_instance(tracer, runtime, call),
        }
    }

    /// Returns the instantiation of a call that inserted code reports.
    fn passed_instance(
        &self,
        tracer: &T,
        runtime: &ClrRuntime,
        call: Inserted<'_>,
    ) -> Result<Arc<Traced<T::Method>>> {
        if let Some(only) = self.only.get() {
            return Ok(Arc::clone(only));
        }
        // The running call keeps its types loaded.
        runtime.info().note_loaded_classes(call.types());
        if !self.method.is_generic() {
            return self.instance(tracer, runtime, None);
        }
        let instances = self.instances.get_or_init(|| Instances::new(runtime.info()));
        let by_arguments = || {
            let key = match call.generic_arguments() {
                (None, type_args) => (runtime.info().function_info(self.id())?.class, type_args),
                key => key,
            };
            let find = || self.make(tracer, runtime, key.clone());
            instances.by_arguments.get_or_find(key.clone(), find)
        };
        match call.only_context() {
            Some(context) => instances.by_context.get_or_find(context, by_arguments),
            None => by_arguments(),
        }
    }

    /// Returns the instantiation for a function that may have several.
    fn shared_instance(
        &self,
        instances: &Instances<T>,
        tracer: &T,
        runtime: &ClrRuntime,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<Arc<Traced<T::Method>>> {
        // The running call keeps its type arguments loaded.
        let instance = runtime.info().function_instance(self.id(), frame)?;
        let key = (instance.class, instance.type_args);
        if let Some(known) = instances.by_arguments.get(&key) {
            return Ok(known);
        }
        let lookup = instances.by_arguments.begin(key.clone());
        let made = self.make(tracer, runtime, key)?;
        if !made.called.may_be_shared() && self.is_unshared(runtime) {
            return Ok(self.set_only(made));
        }
        lookup.store(Arc::clone(&made));
        Ok(made)
    }

    /// Returns whether the code belongs to one instantiation, so that no frame is needed to identify it.
    fn is_unshared(&self, runtime: &ClrRuntime) -> bool {
        let alone = runtime.info().function_instance(self.id(), None);
        alone.and_then(|alone| runtime.is_unshared(&self.method, &alone)).unwrap_or(false)
    }

    fn make(
        &self,
        tracer: &T,
        runtime: &ClrRuntime,
        (class, type_args): Key,
    ) -> Result<Arc<Traced<T::Method>>> {
        let instance = runtime.names().instance(&self.method, class, &type_args)?;
        Ok(traced(tracer, CalledMethod::new(runtime, instance)?))
    }

    fn set_only(&self, instance: Arc<Traced<T::Method>>) -> Arc<Traced<T::Method>> {
        let only = self.only.get_or_init(|| {
            self.registry.put(self.id(), &instance);
            instance
        });
        Arc::clone(only)
    }

    /// Returns the instantiation of a call whose type arguments the runtime does not report.
    pub(crate) fn instance_without_frame(&self, tracer: &T, runtime: &ClrRuntime) -> Arc<Traced<T::Method>> {
        self.instance(tracer, runtime, None).unwrap_or_else(|_| {
            let make = || traced(tracer, CalledMethod::unknown(runtime, Arc::clone(&self.method)));
            Arc::clone(self.unknown.get_or_init(make))
        })
    }
}

/// Makes a traced method, with the tracer's data for it.
fn traced<T: CallTracer>(tracer: &T, called: CalledMethod) -> Arc<Traced<T::Method>> {
    let kept = tracer.prepare(&called);
    Arc::new(Traced::new(called, kept))
}

impl<T: CallTracer> Drop for Function<T> {
    fn drop(&mut self) {
        if let Some(only) = self.only.get() {
            self.registry.remove(self.id(), only);
        }
    }
}

/// The instantiations of a generic function. Any unload ends all: afterwards an id among the type arguments may be another class's.
struct Instances<T: CallTracer> {
    by_arguments: UnloadCache<Key, Arc<Traced<T::Method>>>,
    /// With fast hooks, the same by the generic context of the call, without a call of the runtime.
    by_context: UnloadCache<usize, Arc<Traced<T::Method>>>,
}

impl<T: CallTracer> Instances<T> {
    fn new(info: &ProfilerInfo) -> Self {
        Self {
            by_arguments: UnloadCache::until_any_unload(info),
            by_context: UnloadCache::until_any_unload(info),
        }
    }
}
