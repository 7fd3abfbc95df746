//! Identities that outlive the process.

use clrnames::{ClassKind, MethodIdentity, Mvid, Source as _, TypeIdentity};

use corprof_types::{ClassId, ModuleId};

use super::lookup::Names;
use crate::error::{Error, Result};
use crate::limits::MAX_TYPE_NESTING;
use crate::runtime::FunctionInstance;

impl Names {
    /// Returns the identity of a function with its type arguments, which outlives the process: version ids and tokens.
    ///
    /// `clrnames::Symbolizer` returns the same names for it later, from the assembly files. `None` for a dynamic method,
    /// which is in no file. No name is looked up. The instance is that of
    /// [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance).
    ///
    /// ```
    /// use corprof::{FrameInfo, FunctionId, Names, Result};
    ///
    /// fn log(names: &Names, function: FunctionId, frame: FrameInfo<'_>) -> Result<()> {
    ///     let instance = names.info().function_instance(function, Some(frame))?;
    ///     if let Some(identity) = names.identity(&instance)? {
    ///         eprintln!("{identity}"); // 5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123(int)
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn identity(&self, instance: &FunctionInstance) -> Result<Option<MethodIdentity>> {
        let _lookup = self.lookup();
        let Some(method) = instance.token else { return Ok(None) };
        let class_args = match instance.class {
            Some(class) => match self.class_kind(&class)? {
                ClassKind::Defined { args, .. } => self.identities(&args, 0)?,
                // The runtime's methods of arrays have no type arguments.
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        let method_args = self.identities(&instance.type_args, 0)?;
        Ok(Some(MethodIdentity { module: self.mvid(instance.module)?, method, class_args, method_args }))
    }

    /// Returns the identity of a class with its type arguments, which outlives the process.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn class_identity(&self, class: ClassId) -> Result<TypeIdentity> {
        let _lookup = self.lookup();
        self.type_identity(class, 0)
    }

    /// Returns a module's version id, new for each build.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn mvid(&self, module: ModuleId) -> Result<Mvid> {
        self.cached(&self.caches().mvids, module, || self.metadata(module)?.mvid())
    }

    fn type_identity(&self, class: ClassId, depth: usize) -> Result<TypeIdentity> {
        if depth == MAX_TYPE_NESTING {
            return Err(Error::NotFound(format!("class {class} is nested in itself")));
        }
        let element = |element| self.type_identity(element, depth + 1).map(Box::new);
        Ok(match self.class_kind(&class)? {
            ClassKind::Defined { module, type_def, args } => TypeIdentity::Defined {
                module: self.mvid(module)?,
                type_def,
                args: self.identities(&args, depth + 1)?,
            },
            ClassKind::Array { element: of, rank } => TypeIdentity::Array { element: element(of)?, rank },
            ClassKind::ArrayOf { element, rank } => {
                TypeIdentity::Array { element: Box::new(TypeIdentity::Element(element)), rank }
            }
            ClassKind::Pointer(target) => TypeIdentity::Pointer(element(target)?),
            ClassKind::Element(element) => TypeIdentity::Element(element),
            ClassKind::Unknown => TypeIdentity::Unknown,
        })
    }

    fn identities(&self, classes: &[Option<ClassId>], depth: usize) -> Result<Vec<TypeIdentity>> {
        let identity = |class: &Option<ClassId>| {
            class.map_or(Ok(TypeIdentity::Unknown), |class| self.type_identity(class, depth))
        };
        classes.iter().map(identity).collect()
    }
}
