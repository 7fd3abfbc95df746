//! [`Runtime`] over the profiling API: the runtime that this process runs on.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the answers that decoding asks for |
//! | `shapes` | from a class to its shape: fields, arrays, enums, delegates |
//! | `locations` | where the arguments of a function are, for fast hooks |
//! | `sysv` | where the calling convention puts what |
//! | `returned` | structs that come back in registers |
//! | `handles` | what types and objects of reflection stand for |
//! | `stubs` | from the code that a delegate calls to the method |
//! | `cache` | what is remembered, and forgotten when it is unloaded |

mod cache;
mod handles;
mod locations;
mod returned;
mod shapes;
mod stubs;
mod sysv;

use std::borrow::Cow;
use std::sync::Arc;

use ::corprof::{ClassId, EventMask, Instance, Names, ObjectId, ProfilerInfo, Result};
use sigparse::TypeDefOrRef;

use self::cache::Cache;
use self::handles::Handles;
use crate::{
    ArrayInfo, GenericContext, Handle, MethodPlan, Mode, ModuleId, ObjectRef, PlanContext, Runtime,
    RuntimeError, StringLayout, TypeShape, ValueTypeQuery,
};

/// The runtime that the profiler is loaded into.
///
/// Finds layouts through what has been seen to be loaded, and loads nothing. Needs [`ClrRuntime::EVENTS`] in
/// the event mask. May be used from any callback in which objects may be read: the hooks among them.
pub struct ClrRuntime {
    names: Names,
    string_layout: StringLayout,
    cache: Arc<Cache>,
    /// For code, where it can be read without danger.
    code: Option<CodeMemory>,
    local_time: Option<Box<LocalTime>>,
}

/// The answer to [`Runtime::utc_offset`].
type LocalTime = dyn Fn(u64, bool) -> Option<i32> + Send + Sync;

#[cfg(target_os = "linux")]
type CodeMemory = crate::Checked;
/// There is none.
#[cfg(not(target_os = "linux"))]
type CodeMemory = crate::SliceMemory;

impl ClrRuntime {
    /// The events that have to be in the event mask: they tell which classes there are and when they go.
    pub const EVENTS: EventMask = EventMask::CLASS_LOADS.union(EventMask::MODULE_LOADS);

    /// The runtime behind `names`.
    ///
    /// # Errors
    /// What the runtime reports when it is asked for the layout of strings.
    pub fn new(names: &Names) -> Result<Self> {
        let layout = names.info().string_layout()?;
        let string_layout =
            StringLayout { length: layout.length_offset as usize, chars: layout.buffer_offset as usize };
        #[cfg(target_os = "linux")]
        let code = CodeMemory::new().ok();
        #[cfg(not(target_os = "linux"))]
        let code = None;
        let cache = Arc::new(Cache::default());
        names.info().forget_with(&cache);
        Ok(Self { names: names.clone(), string_layout, cache, code, local_time: None })
    }

    /// With an answer to [`Runtime::utc_offset`]: what the time zone of the process says. The profiling API does not
    /// know; without an answer, a local `DateTime` is shown as its raw field.
    #[must_use]
    pub fn local_time(mut self, offset: impl Fn(u64, bool) -> Option<i32> + Send + Sync + 'static) -> Self {
        self.local_time = Some(Box::new(offset));
        self
    }

    /// The names behind it.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// How many shapes and names of methods are remembered: for who wants to see what a profiler costs. Shrinks with
    /// what is unloaded. What the [names](Self::names) remember is not in it.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.cache.len()
    }

    fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    /// How to decode the calls of a function with these type arguments.
    ///
    /// # Errors
    /// When the function's signature is malformed. What cannot be made for one parameter is an error in the
    /// place of its value.
    pub fn plan(&self, instance: &Instance) -> Result<MethodPlan> {
        let method = &instance.method;
        let generics = GenericContext {
            module: ModuleId(method.module.as_raw()),
            type_args: self.slots(&instance.class_args),
            method_args: self.slots(&instance.type_args),
        };
        let malformed = |error| ::corprof::Error::Signature { of: instance.name.clone(), error };
        let sig = sigparse::MethodSig::parse(&method.signature).map_err(malformed)?;
        let modes: Vec<Mode> = instance.parameters.iter().map(|parameter| parameter.mode.into()).collect();
        let declaring = self.declaring(instance);
        let context = PlanContext { generics: &generics, declaring: &declaring, modes: &modes };
        MethodPlan::compile(self, &sig, context).map_err(malformed)
    }

    /// The shapes of slots that hold values of these classes; one that the runtime does not know holds a
    /// reference.
    fn slots(&self, classes: &[Option<ClassId>]) -> Arc<[Arc<TypeShape>]> {
        let canon = || Arc::new(TypeShape::reference("System.__Canon"));
        classes.iter().map(|class| class.map_or_else(canon, |class| self.slot(class))).collect()
    }

    /// What names handles, where memory can be read without danger.
    fn handles(&self, vouched: bool) -> Option<Handles<'_>> {
        Some(Handles { names: &self.names, memory: self.code.as_ref()?, vouched })
    }
}

impl core::fmt::Debug for ClrRuntime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ClrRuntime")
    }
}

impl From<::corprof::ParameterMode> for Mode {
    fn from(mode: ::corprof::ParameterMode) -> Self {
        match mode {
            ::corprof::ParameterMode::Value => Self::Value,
            ::corprof::ParameterMode::In => Self::In,
            ::corprof::ParameterMode::Ref => Self::Ref,
            ::corprof::ParameterMode::Out => Self::Out,
        }
    }
}

impl Runtime for ClrRuntime {
    fn string_layout(&self) -> StringLayout {
        self.string_layout
    }

    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        let unloads = self.info().unload_count();
        // A collection marks objects in the lowest bits of their header.
        let header = object.header & !0b111;
        if let Some((_, shape)) = self.cache.get(|maps| &maps.headers, &header) {
            return Ok(shape);
        }
        let class = if object.vouched {
            let scope = ();
            let id = ObjectId::from_raw(object.address, &scope)
                .ok_or_else(|| RuntimeError::new("a null reference has no class"))?;
            self.info().class_of_object(id).map_err(failed)?
        } else {
            // The header is the class's id, but for arrays before .NET 5. What the runtime has not told of is not
            // shown to it.
            ClassId::from_raw(header).filter(|class| self.info().is_known_class(*class)).ok_or_else(|| {
                RuntimeError::new("what it points to is no object of a class that was seen before")
            })?
        };
        let shape = self.object_shape(class).map_err(failed)?;
        let known = (class, Arc::clone(&shape));
        self.cache.put(|maps| &mut maps.headers, header, known, || self.info().unload_count() == unloads);
        Ok(shape)
    }

    fn epoch(&self) -> Option<u64> {
        Some(self.info().unload_count())
    }

    fn array(&self, object: ObjectRef, rank: usize) -> Result<ArrayInfo, RuntimeError> {
        let scope = ();
        let id = ObjectId::from_raw(object.address, &scope)
            .ok_or_else(|| RuntimeError::new("a null reference is no array"))?;
        let rank = u32::try_from(rank).map_err(|_| RuntimeError::new("too many dimensions"))?;
        let info = self.info().array_object_info(id, rank).map_err(failed)?;
        let (mut lengths, mut lower_bounds) = ([0; crate::MAX_RANK], [0; crate::MAX_RANK]);
        let dimensions = info.dimensions();
        for (dimension, (length, lower_bound)) in
            dimensions.iter().zip(lengths.iter_mut().zip(&mut lower_bounds))
        {
            (*length, *lower_bound) = (dimension.length, dimension.lower_bound);
        }
        let rank = dimensions.len();
        let (lengths, lower_bounds) = (lengths.get(..rank), lower_bounds.get(..rank));
        ArrayInfo::new(info.data, lengths.unwrap_or_default(), lower_bounds.unwrap_or_default())
            .ok_or_else(|| RuntimeError::new("too many dimensions"))
    }

    fn full_name(&self, module: ModuleId, token: TypeDefOrRef) -> Result<Cow<'_, str>, RuntimeError> {
        let module = module_of(module)?;
        let name = self.names.metadata_name(module, token).map_err(failed)?;
        Ok(Cow::Owned(name.to_string()))
    }

    fn value_type(&self, query: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError> {
        self.queried_value_type(query)
    }

    fn method_name(&self, code: usize) -> Option<Arc<str>> {
        let unloads = self.info().unload_count();
        if let Some((_, known)) = self.cache.get(|maps| &maps.methods, &code) {
            return Some(known);
        }
        let function = match &self.code {
            Some(memory) => stubs::function_at(self.info(), memory, code)?,
            None => self.info().function_from_ip(code).ok()??,
        };
        let method = self.names.method(function).ok()?;
        let name: Arc<str> = if method.is_generic() {
            let instance = self.info().function_instance(function, None).ok()?;
            self.names.instance(&method, instance.class, &instance.type_args).ok()?.name.as_str().into()
        } else {
            method.plain_name().into()
        };
        let known = (function, Arc::clone(&name));
        self.cache.put(|maps| &mut maps.methods, code, known, || self.info().unload_count() == unloads);
        Some(name)
    }

    fn handle_name(&self, handle: Handle, vouched: bool) -> Option<Arc<str>> {
        let unloads = self.info().unload_count();
        if let Some(known) = self.cache.get(|maps| &maps.handles, &handle) {
            return Some(known);
        }
        let name = self.handles(vouched)?.name(handle)?;
        let known = Arc::clone(&name);
        self.cache.put(|maps| &mut maps.handles, handle, known, || self.info().unload_count() == unloads);
        Some(name)
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
fn failed(error: ::corprof::Error) -> RuntimeError {
    RuntimeError::new(error.to_string())
}

/// A module id that decoding hands back.
fn module_of(module: ModuleId) -> Result<::corprof::ModuleId, RuntimeError> {
    ::corprof::ModuleId::from_raw(module.0).ok_or_else(|| RuntimeError::new("the module's id is zero"))
}
