//! The fields of a class, with those that it inherits.

use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::{ClassId, ClassInfo, Error, Result};
use sigparse::FieldSig;

use crate::runtime::ClrRuntime;
use argvalues::{Field, KnownBase, SigTypeContext, TypeShape, resolve};

/// A base class that is known, and how many fields are declared up to it.
pub(super) type Inherited = (KnownBase, usize);

impl ClrRuntime {
    /// The fields of a class, the base class's first; and the known base that it has, with the number of fields that
    /// are declared there.
    pub(super) fn class_fields(&self, class: ClassId) -> Result<(Vec<Field>, Option<Inherited>)> {
        let mut chain = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next {
            let info = self.info().class_info(class)?;
            next = info.parent;
            chain.push((class, info));
        }
        let (mut fields, mut base) = (Vec::new(), None);
        for (class, info) in chain.iter().rev() {
            self.own_fields(*class, info, &self.slots(&info.type_args), &mut fields)?;
            let known = match &*self.full_name_of(info)? {
                "System.MulticastDelegate" => Some(KnownBase::Delegate),
                "System.Exception" => Some(KnownBase::Exception),
                "System.Threading.Tasks.Task" | "System.Threading.Tasks.Task`1" => Some(KnownBase::Task),
                _ => None,
            };
            base = known.map(|known| (known, fields.len())).or(base);
        }
        Ok((fields, base))
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
