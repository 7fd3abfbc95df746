//! Editing metadata: tokens in, tokens out.
#![forbid(unsafe_code)]

mod accessors;
mod attributes;
mod imports;
mod manifest;
mod members;
mod references;
mod types;

pub use accessors::{
    EventAttributes, EventChange, NewEvent, NewProperty, PropertyAttributes, PropertyChange,
};
pub use attributes::PinvokeTarget;
pub use manifest::{AssemblyIdentity, ExportedTypeTarget, ResourcePlace};
pub use members::{FieldChange, MethodChange, NewField, NewMethod, NewParam, ParamChange};
pub use references::ImportFrom;
pub use types::{GenericParamAttributes, GenericParamChange, NewGenericParam, NewTypeDef, TypeDefChange};

use super::Metadata;
use crate::error::Result;
use crate::raw::metadata::Emit;

/// Metadata, for writing: `IMetaDataEmit2` and `IMetaDataAssemblyEmit`.
///
/// Returned by [`ProfilerInfo::module_metadata_emit`](crate::ProfilerInfo::module_metadata_emit) for a loaded module;
/// [`MetadataScope`](crate::MetadataScope) has the same methods for metadata that is in no module. May be used from any
/// thread, and after the module was unloaded. Each call takes a lock of the metadata, and is refused while another thread
/// [applies](crate::ProfilerInfo::apply_metadata) it ([`Error::Misplaced`](crate::Error::Misplaced)).
///
/// Every token that is passed must be a row of this metadata: otherwise a method returns `CLDB_E_RECORD_NOTFOUND`.
/// Signatures must be well formed. The code of the program that uses the rows is not checked.
///
/// ```
/// use corprof::token::{MemberRef, TypeRef, UserString};
/// use corprof::{MetadataEmit, Result};
///
/// /// The operands of a call of `Console.WriteLine("called")`: its argument and its method.
/// fn references(emit: &MetadataEmit, console: TypeRef) -> Result<(UserString, MemberRef)> {
///     // A static method that returns nothing and takes a string (ECMA-335 II.23.2.1).
///     let signature = [0x00, 0x01, 0x01, 0x0E];
///     Ok((emit.define_user_string("called")?, emit.define_member_ref(console, "WriteLine", &signature)?))
/// }
/// ```
pub struct MetadataEmit {
    pub(super) raw: Emit,
    metadata: Metadata,
}

impl MetadataEmit {
    pub(crate) fn new(raw: Emit) -> Self {
        let metadata = Metadata::new(raw.import());
        Self { raw, metadata }
    }

    /// Returns the same metadata, for reading.
    ///
    /// New rows are visible in it at once.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Renames the module. `IMetaDataEmit::SetModuleProps`.
    ///
    /// Of a path only the file name counts.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the name contains a zero. Any failure of the call.
    #[doc(alias = "SetModuleProps")]
    pub fn set_module_name(&self, name: &str) -> Result<()> {
        self.raw.set_module_name(name)
    }
}

impl core::fmt::Debug for MetadataEmit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataEmit")
    }
}
