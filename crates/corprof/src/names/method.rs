//! Functions, and functions with type arguments.

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use clrnames::{FormattedMethod, MethodDefinition};
use corprof_types::{ClassId, FunctionId, ModuleId};

use crate::runtime::ModuleInfo;

/// A method with type arguments, as the source declares it.
pub type Declaration = clrnames::Declaration<ModuleId, ClassId>;

/// The source method that a compiler-generated method was lowered from.
pub type SourceMethod = clrnames::SourceMethod<ModuleId, ClassId>;

/// A function's module and definition: the same for every call.
pub struct Method {
    /// The function.
    pub function: FunctionId,
    /// The module that defines it.
    pub module: ModuleId,
    /// The module's file.
    pub module_info: Arc<ModuleInfo>,
    /// Token, name, attributes, signature. A dynamic method has no token.
    pub definition: MethodDefinition,
}

/// The declaration of a method, with or without a function of it.
#[derive(Clone, Copy)]
pub struct DeclaredMethod<'m> {
    /// The module that defines it.
    pub module: ModuleId,
    /// The module's file.
    pub module_info: &'m ModuleInfo,
    /// Token, name, attributes, signature. A dynamic method has no token.
    pub definition: &'m MethodDefinition,
}

impl Method {
    /// The declaration.
    #[must_use]
    pub fn declared(&self) -> DeclaredMethod<'_> {
        let Self { module, module_info, definition, .. } = self;
        DeclaredMethod { module: *module, module_info, definition }
    }
}

impl Deref for DeclaredMethod<'_> {
    type Target = MethodDefinition;

    fn deref(&self) -> &MethodDefinition {
        self.definition
    }
}

impl fmt::Debug for DeclaredMethod<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeclaredMethod({})", self.plain_name())
    }
}

impl Deref for Method {
    type Target = MethodDefinition;

    fn deref(&self) -> &MethodDefinition {
        &self.definition
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.plain_name())
    }
}

/// A function with type arguments, formatted.
#[derive(Debug)]
pub struct Instance {
    /// The function.
    pub method: Arc<Method>,
    /// The declaring class, an exact instantiation where the runtime knows it.
    pub class: Option<ClassId>,
    /// The type arguments of the declaring class.
    pub class_args: Vec<Option<ClassId>>,
    /// The type arguments of the method.
    pub type_args: Vec<Option<ClassId>>,
    /// Name, signature, parameters.
    pub formatted: FormattedMethod,
}

impl Deref for Instance {
    type Target = FormattedMethod;

    fn deref(&self) -> &FormattedMethod {
        &self.formatted
    }
}
