//! Identities that outlive the process.

use clrnames::{ClassShape, MethodIdentity, Mvid, Source as _, TypeIdentity};

use super::Names;
use crate::{ClassId, Error, FunctionInstance, ModuleId, Result};

/// How deep types may be nested in one another before the runtime's answers are taken to be wrong.
const MAX_DEPTH: usize = 64;

impl Names {
    /// What stays the same of a function with its type arguments when the process ends: version ids, tokens.
    /// `clrnames::Symbolizer` turns it into the same names later, from the assembly files. `None` for a method
    /// that was made at run time: no file has it.
    ///
    /// No name is looked up. The instance is that of
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
    /// What the runtime or the metadata reports.
    pub fn identity(&self, instance: &FunctionInstance) -> Result<Option<MethodIdentity>> {
        let _lookup = self.lookup();
        let Some(method) = instance.token else { return Ok(None) };
        let class_args = match instance.class {
            Some(class) => match self.class_shape(&class)? {
                ClassShape::Defined { args, .. } => self.identities(&args, 0)?,
                // The methods that the runtime gives to arrays.
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        let method_args = self.identities(&instance.type_args, 0)?;
        Ok(Some(MethodIdentity { module: self.mvid(instance.module)?, method, class_args, method_args }))
    }

    /// What stays the same of a class with its type arguments when the process ends.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn class_identity(&self, class: ClassId) -> Result<TypeIdentity> {
        let _lookup = self.lookup();
        self.type_identity(class, 0)
    }

    /// A module's version id, new for each build of it.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn mvid(&self, module: ModuleId) -> Result<Mvid> {
        self.cached(
            |maps| &mut maps.mvids,
            module,
            || Ok(Mvid::from_bytes(self.metadata(module)?.mvid()?.to_bytes())),
        )
    }

    fn type_identity(&self, class: ClassId, depth: usize) -> Result<TypeIdentity> {
        if depth == MAX_DEPTH {
            return Err(Error::NotFound(format!("class {class} is nested in itself")));
        }
        let element = |element| self.type_identity(element, depth + 1).map(Box::new);
        Ok(match self.class_shape(&class)? {
            ClassShape::Defined { module, type_def, args } => TypeIdentity::Defined {
                module: self.mvid(module)?,
                type_def,
                args: self.identities(&args, depth + 1)?,
            },
            ClassShape::Array { element: of, rank } => TypeIdentity::Array { element: element(of)?, rank },
            ClassShape::ArrayOf { element, rank } => {
                TypeIdentity::Array { element: Box::new(TypeIdentity::Element(element)), rank }
            }
            ClassShape::Pointer(target) => TypeIdentity::Pointer(element(target)?),
            ClassShape::Element(element) => TypeIdentity::Element(element),
            ClassShape::Unknown => TypeIdentity::Unknown,
        })
    }

    fn identities(&self, classes: &[Option<ClassId>], depth: usize) -> Result<Vec<TypeIdentity>> {
        let identity = |class: &Option<ClassId>| {
            class.map_or(Ok(TypeIdentity::Unknown), |class| self.type_identity(class, depth))
        };
        classes.iter().map(identity).collect()
    }
}
