//! Metadata of modules: reading and editing.
#![forbid(unsafe_code)]

mod accessors;
mod attributes;
mod dispenser;
mod emit;
mod heaps;
mod manifest;
mod members;
mod module;
mod rows;
mod scope;
mod signatures;
mod tables;
mod types;

pub use accessors::MethodSemantics;
pub use attributes::{CustomAttributeProps, PermissionSetProps, PinvokeMap};
pub use clrnames::metadata::{
    Accessed, Constant, EventProps, FieldAttributes, FieldProps, GenericParamProps, MemberRefProps,
    MethodAttributes, MethodProps, ParamAttributes, ParamProps, PropertyProps, TypeAttributes, TypeDefProps,
    TypeRefProps,
};
pub use dispenser::{MetadataDispenser, MetadataOption, OpenedMetadata};
pub use emit::{
    AssemblyIdentity, EventAttributes, EventChange, ExportedTypeTarget, FieldChange, GenericParamAttributes,
    GenericParamChange, ImportFrom, MetadataEmit, MethodChange, NewEvent, NewField, NewGenericParam,
    NewMethod, NewParam, NewProperty, NewTypeDef, ParamChange, PinvokeTarget, PropertyAttributes,
    PropertyChange, ResourcePlace, TypeDefChange,
};
pub use heaps::{HeapSizes, MetadataStream};
pub use manifest::{AssemblyProps, AssemblyRefProps, ExportedTypeProps, ManifestResourceProps};
pub use members::MethodSpecProps;
pub use module::PeKind;
pub use rows::ModuleRows;
pub use scope::{MetadataScope, SavedMetadata};
pub use tables::{CodedTokenInfo, ColumnInfo, ColumnKind, MetadataTables, TableInfo};
pub use types::{FieldOffset, GenericParamConstraintProps, InterfaceImplProps, TypeLayout};

use crate::raw::metadata::Import;

/// Metadata of a module, for reading: `IMetaDataImport2` and `IMetaDataAssemblyImport`.
///
/// Returned by [`ProfilerInfo::module_metadata`](crate::ProfilerInfo::module_metadata). May be used from any thread and
/// any callback, and also after the module was unloaded: the metadata of a module that can be unloaded is copied when it
/// is opened. Each call takes a lock of the metadata.
///
/// Names are the metadata's: ``Dictionary`2``, with the namespace and a dot in front, nested types without their
/// enclosing ones. [`Names`](crate::Names) formats them as C# does.
pub struct Metadata {
    raw: Import,
}

impl Metadata {
    pub(crate) fn new(raw: Import) -> Self {
        Self { raw }
    }
}

impl core::fmt::Debug for Metadata {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Metadata")
    }
}
