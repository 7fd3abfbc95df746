//! The data of a hooked function: its instances, and the locations of its values.

use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use corprof::{
    ArgumentWord, ClassId, EnterFrame, Error, FrameInfo, FunctionId, IdMap, Locations, Method, Result,
    ResultWord,
};

use crate::budget::{Budget, Quota};
use crate::convention::FunctionLocations;
use crate::method::CalledMethod;
use crate::registers::ReadyPlaces;
use crate::runtime::ClrRuntime;
use crate::selection::{Gate, SelectedCalls};
use crate::traced::{Registry, Traced};
use crate::tracer::CallTracer;

/// A hooked function.
///
/// The instantiation of shared generic code is known at a call only: there is a `Traced` for each that has been called.
pub struct Function<T: CallTracer> {
    method: Arc<Method>,
    /// The data of a call that needs no queries; found at an earlier call.
    ready: OnceLock<Ready<T>>,
    /// With slow-path hooks, the method of a call that needs no queries about its type arguments and keeps nothing.
    settled: OnceLock<Arc<Traced<T::Method>>>,
    /// The instantiation, where the function has only one.
    only: OnceLock<Arc<Traced<T::Method>>>,
    shared: RwLock<Instances<Key, T>>,
    /// With fast hooks, the same by the generic context of the call, without a call of the runtime.
    by_context: RwLock<Instances<usize, T>>,
    /// The method without type arguments, for calls whose instantiation cannot be determined.
    unknown: OnceLock<Arc<Traced<T::Method>>>,
    /// With fast hooks, where everything is at a call.
    locations: FunctionLocations,
    /// The traced calls; all of them if absent.
    pub(crate) gate: Option<Gate>,
    /// The calls that are traced whatever the budget is.
    pub(crate) quota: Quota<T::Method>,
    /// Whether it may be a function that the runtime suspends, whose values are not read.
    may_be_suspended: bool,
    registry: Arc<Registry<T::Method>>,
}

/// The data of a call of a fully known function: fast-path hooks, one instantiation, every location known, no `ref` or
/// `out` parameter.
pub(crate) struct Ready<T: CallTracer> {
    pub(crate) function: FunctionId,
    pub(crate) method: Arc<Traced<T::Method>>,
    pub(crate) locations: Locations,
    /// The arguments, if each is a word; else empty.
    pub(crate) words: Box<[ArgumentWord]>,
    /// The result, if it is a word; no bits of it for `void`.
    pub(crate) result: Option<ResultWord>,
}

impl<T: CallTracer> Ready<T> {
    #[inline(always)]
    pub(crate) fn places(&self) -> ReadyPlaces<'_> {
        ReadyPlaces { words: &self.words, locations: &self.locations }
    }
}

/// The type arguments of a call.
type Key = (Option<ClassId>, Vec<Option<ClassId>>);

impl<T: CallTracer> Function<T> {
    pub(crate) fn new(
        method: Arc<Method>,
        selected: Option<SelectedCalls>,
        budget: Option<&Arc<Budget<T::Method>>>,
        may_be_suspended: bool,
        registry: &Arc<Registry<T::Method>>,
    ) -> Self {
        let quota = Quota::new(budget);
        Self {
            method,
            ready: OnceLock::new(),
            settled: OnceLock::new(),
            only: OnceLock::new(),
            shared: RwLock::default(),
            by_context: RwLock::default(),
            unknown: OnceLock::new(),
            locations: FunctionLocations::new(),
            gate: selected.map(Gate::new),
            quota,
            may_be_suspended,
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
    pub(crate) fn ready(&self) -> Option<&Ready<T>> {
        self.ready.get()
    }

    #[inline(always)]
    pub(crate) fn settled(&self) -> Option<&Traced<T::Method>> {
        self.settled.get().map(|method| &**method)
    }

    /// Prepares the short way in slow-path hooks for later calls, after one of this method.
    #[cold]
    pub(crate) fn settle(&self, method: &Arc<Traced<T::Method>>) {
        if self.is_settled_with(method) {
            // Another thread may have settled the same.
            let _ = self.settled.set(Arc::clone(method));
        }
    }

    /// Returns whether every call is one of this method, is reported, and keeps nothing for its end.
    fn is_settled_with(&self, method: &Arc<Traced<T::Method>>) -> bool {
        self.only.get().is_some_and(|only| Arc::ptr_eq(only, method))
            && self.gate.is_none()
            && method.called.plan().is_some_and(|plan| !plan.has_outs())
    }

    /// Prepares the short way for later calls, after one of this method.
    #[cold]
    pub(crate) fn prepare_ready(&self, method: &Arc<Traced<T::Method>>) {
        // Shared code never is, and comes here at each call.
        if !self.is_settled_with(method) {
            return;
        }
        let Some(locations) = self.locations.get().filter(|locations| locations.is_complete()) else {
            return;
        };
        let words = (0..locations.arguments.len()).map(|index| locations.argument_word(index));
        let ready = Ready {
            function: self.id(),
            method: Arc::clone(method),
            locations: locations.clone(),
            words: words.collect::<Option<_>>().unwrap_or_default(),
            result: match method.called.returns() {
                true => locations.result_word(),
                false => Some(ResultWord::NONE),
            },
        };
        // Another thread may have prepared the same.
        let _ = self.ready.set(ready);
    }

    /// Fails if the values of the function's calls cannot be read.
    pub(crate) fn check_values(&self) -> Result<()> {
        if self.may_be_suspended {
            return Err(Error::other(
                "the runtime may suspend this method, so that its values are not located",
            ));
        }
        Ok(())
    }

    /// The locations for a call that begins: worked out at the first call, and again while some are unknown.
    pub(crate) fn locations(&self, runtime: &ClrRuntime, frame: &EnterFrame<'_>) -> Result<&Locations> {
        self.locations.locate(runtime, frame)
    }

    /// The locations for a call that ends.
    pub(crate) fn known_locations(&self) -> Option<&Locations> {
        self.locations.get()
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
        let unloads = runtime.info().unload_count();
        let context = frame.and_then(FrameInfo::key);
        if let Some(context) = context {
            let by_context = self.by_context.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(instance) = by_context.get(unloads, &context) {
                return Ok(instance);
            }
        }
        let instance = self.shared_instance(tracer, runtime, frame)?;
        if let Some(context) = context {
            self.by_context.write().unwrap_or_else(PoisonError::into_inner).put(unloads, context, &instance);
        }
        Ok(instance)
    }

    /// Returns the instantiation for a function that may have several.
    fn shared_instance(
        &self,
        tracer: &T,
        runtime: &ClrRuntime,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<Arc<Traced<T::Method>>> {
        let info = runtime.info();
        let unloads = info.unload_count();
        let instance = info.function_instance(self.id(), frame)?;
        let key = (instance.class, instance.type_args);
        if let Some(known) = self.shared.read().unwrap_or_else(PoisonError::into_inner).get(unloads, &key) {
            return Ok(known);
        }
        let made = self.make(tracer, runtime, key.clone())?;
        if !made.called.may_be_shared() && self.is_unshared(runtime) {
            return Ok(self.set_only(made));
        }
        self.shared.write().unwrap_or_else(PoisonError::into_inner).put(unloads, key, &made);
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

/// Instantiations by their type arguments, and the number of unloads when they were found. After one more unload an id
/// among the type arguments may be another class's.
struct Instances<K, T: CallTracer> {
    unloads: u64,
    known: IdMap<K, Arc<Traced<T::Method>>>,
}

impl<K, T: CallTracer> Default for Instances<K, T> {
    fn default() -> Self {
        Self { unloads: 0, known: IdMap::default() }
    }
}

impl<K: Eq + Hash, T: CallTracer> Instances<K, T> {
    /// The instantiation, if nothing has been unloaded since it was found.
    fn get(&self, unloads: u64, key: &K) -> Option<Arc<Traced<T::Method>>> {
        if self.unloads == unloads { self.known.get(key).cloned() } else { None }
    }

    /// Adds an instantiation found at this count of unloads, and evicts those found before.
    fn put(&mut self, unloads: u64, key: K, instance: &Arc<Traced<T::Method>>) {
        if self.unloads > unloads {
            return;
        }
        if self.unloads < unloads {
            self.known.clear();
            self.unloads = unloads;
        }
        self.known.insert(key, Arc::clone(instance));
    }
}
