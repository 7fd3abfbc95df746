//! The fields of a class, with those that it inherits.

use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::{ClassId, ClassInfo, Error, Result};
use sigparse::FieldSig;

use crate::runtime::ClrRuntime;
use crate::runtime::cache::{Base, ClassFields};
use argvalues::{Field, KnownBase, SigTypeContext, TypeShape, resolve};

impl ClrRuntime {
    /// The fields of a class, the base class's first; and the known base that it has, with the number of fields that
    /// are declared there. Those of the base classes are cached: the classes of a program have few.
    pub(super) fn class_fields(&self, class: ClassId, info: &ClassInfo) -> Result<ClassFields> {
        let mut bases = Vec::new();
        let mut found = ClassFields::default();
        let mut next = info.parent;
        while let Some(base) = next {
            if let Some(known) = self.cache.bases.get(&base) {
                found = ClassFields::clone(&known);
                break;
            }
            let lookup = self.cache.bases.begin(base);
            let info = self.info().class_info(base)?;
            next = info.parent;
            bases.push((lookup, base, info));
        }
        for (lookup, base, info) in bases.into_iter().rev() {
            let full_name = self.add_fields(base, &info, &mut found)?;
            if TypeShape::has_form(&full_name, &found.fields) {
                let shape = TypeShape::class(&full_name, self.names.class(base)?, found.fields.clone())
                    .with_args(self.slots(&info.type_args).to_vec())
                    .with_class(base);
                found.base = Some((Base::Class(Arc::new(shape)), found.fields.len()));
            }
            // The types of others may be loaded later.
            if found.fields.iter().all(|field| !field.shape().is_provisional()) {
                lookup.store(Arc::new(found.clone()));
            }
        }
        self.add_fields(class, info, &mut found)?;
        Ok(found)
    }

    /// Adds the fields of a class to those of its base classes, and returns its full name.
    fn add_fields(&self, class: ClassId, info: &ClassInfo, found: &mut ClassFields) -> Result<String> {
        self.own_fields(class, info, &self.slots(&info.type_args), &mut found.fields)?;
        let full_name = self.full_name_of(info)?;
        let known = match &*full_name {
            "System.MulticastDelegate" => Some(KnownBase::Delegate),
            "System.Exception" => Some(KnownBase::Exception),
            "System.Threading.Tasks.Task" | "System.Threading.Tasks.Task`1" => Some(KnownBase::Task),
            "System.Data.Common.DbCommand" => Some(KnownBase::DbCommand),
            _ => None,
        };
        if let Some(known) = known {
            found.base = Some((Base::Known(known), found.fields.len()));
        }
        Ok(full_name)
    }

    /// The fields that a class itself declares.
    pub(super) fn own_fields(
        &self,
        class: ClassId,
        info: &ClassInfo,
        args: &Arc<[Arc<TypeShape>]>,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        let layout = self.info().class_layout(class)?;
        if layout.fields.is_empty() {
            return Ok(());
        }
        let metadata = self.names.metadata(info.module)?;
        let generics = SigTypeContext {
            module: Some(info.module),
            type_args: Arc::clone(args),
            method_args: Arc::default(),
        };
        for place in layout.fields {
            let props = metadata.field(place.field)?;
            let sig = FieldSig::parse(props.signature)
                .map_err(|error| Error::Signature { of: props.name.clone(), error })?;
            let shape =
                resolve(self, sig.sig(), &generics).unwrap_or_else(|error| Arc::new(error.opaque_shape()));
            let field = Field::new(&props.name, place.offset as usize, shape);
            let is_secret =
                self.redact.as_ref().is_some_and(|redact| redact.field(field.name(), field.shape().name()));
            fields.push(if is_secret { field.redacted() } else { field });
        }
        Ok(())
    }
}
