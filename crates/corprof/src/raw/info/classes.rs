//! Classes and their fields.
#![forbid(unsafe_code)]

use corprof_sys as sys;
use corprof_types::{ClassId, ModuleId};
use sigparse::{FieldDef, TypeDef};

use super::{Info, name};
use crate::error::Result;
use crate::raw::abi::Written;
use crate::raw::buffers::fill;

/// A class: its module, its definition, its base class, and its type arguments.
pub(crate) struct ClassParts {
    pub(crate) module: Option<ModuleId>,
    pub(crate) type_def: Option<TypeDef>,
    pub(crate) parent: Option<ClassId>,
    pub(crate) type_args: Vec<Option<ClassId>>,
}

impl Info {
    /// `ICorProfilerInfo2::GetClassIDInfo2`.
    pub(crate) fn class_info(&self, class: ClassId) -> Result<ClassParts> {
        let (mut module, mut type_def, mut parent) = (None, 0, None);
        let args = fill(name!(ICorProfilerInfo2::GetClassIDInfo2), |room| {
            let mut count = 0;
            self.get_class_info(class, &mut module, &mut type_def, &mut parent, room, &mut count)?;
            Ok(count)
        })?;
        Ok(ClassParts { module, type_def: TypeDef::from_token(type_def), parent, type_args: args.to_vec() })
    }

    /// `ICorProfilerInfo2::GetClassLayout`: the size, and the fields with their offsets.
    pub(crate) fn class_layout(&self, class: ClassId) -> Result<(u32, Vec<(FieldDef, u32)>)> {
        let (mut count, mut size) = (0, 0);
        self.count_class_fields(class, &mut count, &mut size)?;
        let mut fields = vec![sys::COR_FIELD_OFFSET::EMPTY; count as usize];
        if !fields.is_empty() {
            self.get_class_layout(class, &mut fields, &mut count, &mut size)?;
        }
        let fields = fields.iter().take(count as usize);
        let fields =
            fields.filter_map(|field| Some((FieldDef::from_token(field.ridOfField)?, field.ulOffset)));
        Ok((size, fields.collect()))
    }
}
