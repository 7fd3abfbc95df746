//! A module's metadata: what its tokens stand for.
//!
//! Contract of the unsafe code in this folder: the interface pointer is alive as long as [`Metadata`], and
//! keeps the metadata open. Pointers passed to it are to locals or to buffers whose length is passed along;
//! what it writes is read only when its code says success. Blobs that it lends stay where they are as long as
//! the module is loaded and its metadata is not edited; they are handed out borrowed from the [`Metadata`].
#![allow(unsafe_code)]

mod assemblies;
mod details;
mod dispenser;
mod emit;
mod enumerate;
mod find;
mod for_names;
mod generics;
mod heaps;
mod image;
mod lists;
mod members;
mod native;
mod resources;
mod scope;
mod semantics;
mod tables;
mod token_map;
mod types;

use core::ptr::NonNull;
use std::sync::OnceLock;

pub use assemblies::{AssemblyProps, AssemblyRefProps, ExportedTypeProps};
pub use clrnames::metadata::{
    Accessed, Constant, EventProps, FieldAttributes, FieldProps, GenericParamProps, MemberRefProps,
    MethodAttributes, MethodProps, ParamAttributes, ParamProps, PropertyProps, TypeAttributes, TypeDefProps,
    TypeRefProps,
};
pub use details::{InterfaceImplProps, MethodSemantics, PermissionSetProps};
pub use dispenser::{MetadataDispenser, MetadataOption};
pub use emit::{
    AssemblyIdentity, EventAttributes, EventChange, ExportedTypeTarget, FieldChange, GenericParamAttributes,
    GenericParamChange, ImportFrom, MetadataEmit, MethodChange, NewEvent, NewField, NewGenericParam,
    NewMethod, NewParam, NewProperty, NewTypeDef, ParamChange, PinvokeTarget, PropertyAttributes,
    PropertyChange, ResourcePlace, TypeDefChange,
};
pub use generics::{CustomAttributeProps, GenericParamConstraintProps, MethodSpecProps};
pub use heaps::{HeapSizes, MetadataStream};
pub use image::PeKind;
pub use native::{PinvokeMap, TypeLayout};
pub use resources::ManifestResourceProps;
pub use scope::{MetadataScope, SavedMetadata};
pub use tables::{CodedTokenInfo, ColumnInfo, ColumnKind, MetadataTables, TableInfo};

use com::Interface;

use crate::com::interface::{self, AssemblyImportPtr, ImportPtr};
use crate::{Error, HResult, Result};

/// A module's metadata, for reading (`IMetaDataImport2` and `IMetaDataAssemblyImport`).
///
/// From [`ProfilerInfo::module_metadata`](crate::ProfilerInfo::module_metadata). May be used from any thread
/// and any callback. Must be dropped before the module is unloaded.
///
/// Names are the metadata's: ``Dictionary`2``, with the namespace and a dot in front, nested types without
/// their enclosing ones. [`Names`](crate::Names) makes C# of them.
pub struct Metadata {
    import: ImportPtr,
    assembly: OnceLock<Option<AssemblyImportPtr>>,
    /// Whether it was opened from bytes, which a module's own was not.
    has_storage: bool,
}

impl Metadata {
    pub(crate) fn new(import: ImportPtr) -> Self {
        Self { import, assembly: OnceLock::new(), has_storage: false }
    }

    /// Metadata that a dispenser has opened from bytes.
    fn with_storage(import: ImportPtr) -> Self {
        Self { has_storage: true, ..Self::new(import) }
    }

    /// The interface to the assembly manifest.
    fn assembly_import(&self) -> Result<&AssemblyImportPtr> {
        let found = self.assembly.get_or_init(|| {
            let unknown: NonNull<core::ffi::c_void> = self.import.as_raw().cast();
            // SAFETY: the metadata's object is alive.
            unsafe { interface::query(unknown) }.ok()
        });
        found.as_ref().ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyImport)",
            hresult: HResult::E_NOINTERFACE,
        })
    }
}

impl core::fmt::Debug for Metadata {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Metadata")
    }
}

/// Calls a method of `IMetaDataImport` or `IMetaDataImport2`; `Ok` with the success code. To be used in an
/// `unsafe` block that argues for the arguments.
macro_rules! import {
    ($metadata:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $metadata.import.as_ptr().cast::<corprof_sys::$interface>();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        $crate::info::checked(concat!(stringify!($interface), "::", stringify!($method)), code)
    }};
}
use import;
