//! The fields of a class, with those that it inherits.

use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::{ClassId, ClassInfo, Error, Result};
use sigparse::FieldSig;

use super::is_complete;
use crate::runtime::ClrRuntime;
use crate::runtime::cache::ClassFields;
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
            self.add_fields(base, &info, &mut found)?;
            // The types of others may be loaded later.
            if found.fields.iter().all(|field| is_complete(field.shape())) {
                lookup.store(Arc::new(found.clone()));
            }
        }
        self.add_fields(class, info, &mut found)?;
        Ok(found)
    }

    /// Adds the fields of a class to those of its base classes.
    fn add_fields(&self, class: ClassId, info: &ClassInfo, found: &mut ClassFields) -> Result<()> {
        self.own_fields(class, info, &self.slots(&info.type_args), &mut found.fields)?;
        let known = match &*self.full_name_of(info)? {
            "System.MulticastDelegate" => Some(KnownBase::Delegate),
            "System.Exception" => Some(KnownBase::Exception),
            "System.Threading.Tasks.Task" | "System.Threading.Tasks.Task`1" => Some(KnownBase::Task),
            "System.Data.Common.DbCommand" => Some(KnownBase::DbCommand),
            _ => None,
        };
        found.base = known.map(|known| (known, found.fields.len())).or(found.base);
        Ok(())
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
