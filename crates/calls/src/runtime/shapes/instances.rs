//! The value type that a definition is with these arguments: the exact instance, or one that is laid out like it.

use std::sync::Arc;

use corprof::{ClassId, ModuleId, ResolvedType};

use super::pending::{Missing, note};
use crate::runtime::core_classes::CoreClass;
use crate::runtime::{ClrRuntime, failed, module_of};
use argvalues::{Primitive, RuntimeError, ShapeKind, TypeShape, ValueTypeQuery};

/// A loaded instance of a value type.
pub(super) enum LoadedInstance {
    /// The one that was looked for.
    Exact(ClassId),
    /// One that is laid out like it.
    Shared(ClassId),
}

/// The assembly that defines the built-in types.
pub(super) const CORE_LIB: &str = "System.Private.CoreLib";

impl ClrRuntime {
    /// See [`argvalues::Runtime::value_type`].
    pub(in crate::runtime) fn queried_value_type(
        &self,
        query: &ValueTypeQuery<'_>,
    ) -> Result<Arc<TypeShape>, RuntimeError> {
        if let Some(primitive) = Primitive::from_full_name(query.full_name) {
            return Ok(TypeShape::primitive(primitive));
        }
        let module = module_of(query.module)?;
        if !query.args.is_empty() {
            return self.find_value_type(module, query);
        }
        // A cached one has been found by `known_value_type`.
        let lookup = self.cache.definitions.begin((module, query.token.token()));
        let found = self.find_value_type(module, query)?;
        // An enum is known before its class is.
        if found.class_id().is_some() && !found.is_provisional() {
            lookup.store(Arc::clone(&found));
        }
        Ok(found)
    }

    fn find_value_type(
        &self,
        module: ModuleId,
        query: &ValueTypeQuery<'_>,
    ) -> Result<Arc<TypeShape>, RuntimeError> {
        let definition = self.names.resolve(module, query.token).map_err(failed)?;
        let instance = self.loaded_instance(definition, query.args);
        if let Some(LoadedInstance::Exact(class)) = instance {
            return self.kept_value_shape(class).map_err(failed);
        }
        // An enum is known from its metadata, loaded or not.
        if let Some(shape) = self.enum_shape(definition, || Ok(query.name.into())).map_err(failed)? {
            return Ok(Arc::new(shape));
        }
        let Some(LoadedInstance::Shared(class)) = instance else {
            note([Missing { definition, args: query.args.into() }]);
            return Err(RuntimeError::temporary(format!("{} has not been seen to be loaded", query.name)));
        };
        let info = self.info().class_info(class).map_err(failed)?;
        self.value_shape_with(class, &info, query.args.into(), || Ok(query.name.into())).map_err(failed)
    }

    /// Returns the loaded instance of a value type that has the layout of the one with these arguments.
    pub(super) fn loaded_instance(
        &self,
        definition: ResolvedType,
        args: &[Arc<TypeShape>],
    ) -> Option<LoadedInstance> {
        let known = |args: &[ClassId]| self.info().known_class(definition.module, definition.type_def, args);
        let exact: Option<Vec<ClassId>> = args.iter().map(|arg| self.class_of_arg(arg)).collect();
        if let Some(class) = exact.as_deref().and_then(known) {
            return Some(LoadedInstance::Exact(class));
        }
        // The layout is that of the canonical instance, for arguments that are references.
        let shared: Option<Vec<ClassId>> = args.iter().map(|arg| self.shared_class_of_arg(arg)).collect();
        shared.as_deref().and_then(known).map(LoadedInstance::Shared)
    }

    /// Returns the canonical class of an argument (`System.__Canon` for references).
    fn shared_class_of_arg(&self, arg: &TypeShape) -> Option<ClassId> {
        match arg.is_value_type() {
            true => self.shared_class(self.class_of_arg(arg)?),
            false => self.core_class(CoreClass::Canon),
        }
    }

    /// Returns the canonical class of a value type.
    fn shared_class(&self, class: ClassId) -> Option<ClassId> {
        let info = self.info().class_info(class).ok()?;
        let args: Option<Vec<ClassId>> = info
            .type_args
            .iter()
            .map(|arg| match self.is_box((*arg)?) {
                Ok(true) => self.shared_class((*arg)?),
                _ => self.core_class(CoreClass::Canon),
            })
            .collect();
        match args?.as_slice() {
            [] => Some(class),
            args => self.info().known_class(info.module, info.type_def, args),
        }
    }

    fn class_of_arg(&self, arg: &TypeShape) -> Option<ClassId> {
        if let Some(class) = arg.class_id() {
            return Some(class);
        }
        match arg.kind() {
            ShapeKind::Primitive(primitive) => self.core_class(CoreClass::Primitive(*primitive)),
            ShapeKind::String => self.core_class(CoreClass::String),
            _ => None,
        }
    }

    /// A class of the core library. It is never unloaded.
    fn core_class(&self, which: CoreClass) -> Option<ClassId> {
        if let Some(known) = self.core_classes.get(which) {
            return Some(known);
        }
        let found = self.names.find_type(CORE_LIB, which.full_name()).ok()?;
        let class = self.info().known_class(found.module, found.type_def, &[])?;
        self.core_classes.put(which, class);
        Some(class)
    }
}
