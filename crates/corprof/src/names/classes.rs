//! The names of classes.

use std::sync::Arc;

use clrnames::{Formatter, TypeName};
use corprof_types::{ClassId, ModuleId};
use sigparse::TypeDefOrRef;

use super::lookup::Names;
use crate::error::Result;

impl Names {
    /// Returns the name of a class as C# writes it: `System.Collections.Generic.List<int>`, `string[]`.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the class is still being loaded. Any other error of the runtime or the metadata.
    pub fn class(&self, class: ClassId) -> Result<Arc<str>> {
        Formatter::new(self).class_name(&class).map(TypeName::into_text)
    }

    /// Returns the name of a class as ILAsm writes it, without the names of assemblies: ``class List`1<int32>``, `string[]`.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn il_class(&self, class: ClassId) -> Result<String> {
        let _lookup = self.lookup();
        Formatter::new(self).il_class(&class)
    }

    /// Returns the metadata name of a definition or reference, nested types after a plus: ``Ns.Outer`1+Inner``. Nothing is
    /// loaded.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound): a `TypeSpec` has no name. Any error of the metadata.
    pub fn metadata_name(&self, module: ModuleId, token: TypeDefOrRef) -> Result<Arc<str>> {
        Formatter::new(self).metadata_name(module, token)
    }
}
