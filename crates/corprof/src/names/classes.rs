//! Classes, and what names are spelled from: modules, metadata, classes and their type arguments.

use std::sync::Arc;

use clrnames::{ClassShape, Definition, Source, Speller, TypeText};
use sigparse::{TypeDef, TypeDefOrRef};

use super::Names;
use crate::metadata::Metadata;
use crate::{ClassId, Error, HResult, ModuleId, Result};

impl Names {
    /// What C# calls a class: `System.Collections.Generic.List<int>`, `string[]`.
    ///
    /// # Errors
    /// What the runtime reports, for instance `CORPROF_E_DATAINCOMPLETE` for a class that is still being
    /// loaded.
    pub fn class(&self, class: ClassId) -> Result<Arc<str>> {
        self.class_text(&class).map(TypeText::into_text)
    }

    /// What ILAsm calls a class, without the names of assemblies: ``class List`1<int32>``, `string[]`.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn il_class(&self, class: ClassId) -> Result<String> {
        let _lookup = self.lookup();
        Speller::new(self).il_class(&class)
    }

    /// The name that the metadata has for a definition or reference of a module, with its namespace and, behind
    /// a plus, the types it is nested in: ``Ns.Outer`1+Inner``. Nothing is loaded.
    ///
    /// # Errors
    /// What the metadata reports; that a `TypeSpec` has no name.
    pub fn metadata_name(&self, module: ModuleId, token: TypeDefOrRef) -> Result<Arc<str>> {
        Ok(Arc::clone(&self.type_definition(module, token)?.metadata_name))
    }

    fn array_shape(&self, class: ClassId) -> Result<ClassShape<ModuleId, ClassId>> {
        let Some(array) = self.info().array_class(class)? else {
            return Err(Error::NotFound(format!("class {class} is a pointer, byref or function pointer")));
        };
        let rank = array.rank;
        Ok(match array.element_class {
            Some(element) => ClassShape::Array { element, rank },
            None => ClassShape::ArrayOf { element: array.element_type, rank },
        })
    }
}

impl Source for Names {
    type Module = ModuleId;
    type Class = ClassId;
    type Metadata = Metadata;
    type Error = Error;

    fn metadata(&self, module: ModuleId) -> Result<Arc<Metadata>> {
        Names::metadata(self, module)
    }

    fn class_shape(&self, class: &ClassId) -> Result<ClassShape<ModuleId, ClassId>> {
        match self.info().class_info(*class) {
            Ok(info) => {
                let (module, type_def) = (info.module, info.type_def);
                Ok(ClassShape::Defined { module, type_def, args: info.type_args })
            }
            Err(Error::Call {
                hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY | HResult::CORPROF_E_CLASSID_IS_COMPOSITE,
                ..
            }) => self.array_shape(*class),
            Err(error) => Err(error),
        }
    }

    fn is_value_type(&self, class: &ClassId) -> Result<bool> {
        Ok(self.info().box_layout(*class)?.is_some())
    }

    fn definition_of(&self, module: ModuleId, token: TypeDefOrRef) -> Result<(ModuleId, TypeDef)> {
        self.resolve(module, token).map(|found| (found.module, found.type_def))
    }

    fn internal_class(&self, handle: usize) -> Option<ClassId> {
        ClassId::from_raw(handle)
    }

    fn type_definition(&self, module: ModuleId, token: TypeDefOrRef) -> Result<Arc<Definition>> {
        self.cached(
            |maps| &mut maps.definitions,
            (module, token.token()),
            || Speller::new(self).read_definition(module, token).map(Arc::new),
        )
    }

    fn class_text(&self, class: &ClassId) -> Result<TypeText> {
        self.cached(
            |maps| &mut maps.classes,
            *class,
            || {
                self.info().class_owners_seen(*class);
                Speller::new(self).spell_class(class)
            },
        )
    }
}
