//! The source of the formatter: the classes and modules that the process has loaded.

use std::sync::Arc;

use clrnames::csharp::TypeDefinition;
use clrnames::metadata::AssemblyName;
use clrnames::resolution::{ModuleSet, Resolved};
use clrnames::{ClassKind, Source, TypeName};
use corprof_types::{ClassId, HResult, ModuleId};
use sigparse::{TypeDefOrRef, TypeRef};

use super::lookup::Names;
use crate::error::{Error, Result};
use crate::metadata::ModuleRows;

impl ModuleSet for Names {
    type Module = ModuleId;
    type Metadata = ModuleRows;
    type Error = Error;

    fn metadata(&self, module: ModuleId) -> Result<Arc<ModuleRows>> {
        Names::metadata(self, module)
    }

    fn candidates(&self, from: Option<ModuleId>, assembly: &AssemblyName) -> Result<Vec<ModuleId>> {
        Ok(self.ranked_modules(from, assembly))
    }

    fn module_of_assembly(&self, of: ModuleId, file: &str) -> Result<Option<ModuleId>> {
        let loaded = self.info().loaded();
        let Some(assembly) = loaded.module(of).map(|module| module.assembly) else { return Ok(None) };
        for other in loaded.modules_in(assembly) {
            if self.module(other)?.file_name().eq_ignore_ascii_case(file) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    fn cached_reference(
        &self,
        module: ModuleId,
        type_ref: TypeRef,
        resolve: impl FnOnce() -> Result<Resolved<ModuleId>>,
    ) -> Result<Resolved<ModuleId>> {
        self.reference(module, type_ref, resolve)
    }
}

impl Source for Names {
    type Class = ClassId;

    fn class_kind(&self, class: &ClassId) -> Result<ClassKind<ModuleId, ClassId>> {
        match self.info().class_info(*class) {
            Ok(info) => {
                let (module, type_def) = (info.module, info.type_def);
                Ok(ClassKind::Defined { module, type_def, args: info.type_args })
            }
            Err(Error::Call {
                hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY | HResult::CORPROF_E_CLASSID_IS_COMPOSITE,
                ..
            }) => self.array_kind(*class),
            Err(error) => Err(error),
        }
    }

    fn is_value_type(&self, class: &ClassId) -> Result<bool> {
        Ok(self.info().box_layout(*class)?.is_some())
    }

    fn internal_class(&self, handle: usize) -> Option<ClassId> {
        self.info().class_by_number(handle)
    }

    fn cached_definition(
        &self,
        module: ModuleId,
        token: TypeDefOrRef,
        read: impl FnOnce() -> Result<TypeDefinition>,
    ) -> Result<Arc<TypeDefinition>> {
        self.cached(&self.caches().definitions, (module, token.token()), || read().map(Arc::new))
    }

    fn cached_class_name(
        &self,
        class: &ClassId,
        format: impl FnOnce() -> Result<TypeName>,
    ) -> Result<TypeName> {
        self.cached(&self.caches().classes, *class, || {
            self.info().class_owners_seen(*class);
            format()
        })
    }
}

impl Names {
    fn array_kind(&self, class: ClassId) -> Result<ClassKind<ModuleId, ClassId>> {
        let Some(array) = self.info().array_class(class)? else {
            return Err(Error::NotFound(format!("class {class} is a pointer, byref or function pointer")));
        };
        let rank = array.rank;
        Ok(match array.element_class {
            Some(element) => ClassKind::Array { element, rank },
            None => ClassKind::ArrayOf { element: array.element_type, rank },
        })
    }
}
