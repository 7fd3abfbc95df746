//! The metadata of a module as names need it: from its image where that can be, else from the runtime.
#![forbid(unsafe_code)]

use std::sync::OnceLock;

use clrnames::metadata as rows;
use clrnames::metadata::{AssemblyName, Exported, Manifest, Metadata as _};
use clrnames::{Image, ImageError, Mvid};
use sigparse::TypeDefOrRef;
use sigparse::token::{AssemblyRef, MethodDef, ModuleRef, ParamDef, Table, TypeDef};

use super::Metadata;
use crate::error::{Error, Result};

/// Metadata of a module, for reading: the part that names and values need.
///
/// Returned by [`ProfilerInfo::metadata_rows`](crate::ProfilerInfo::metadata_rows). It is read in the image of the module, without a
/// call of the runtime and without a lock, if the module has an image, is never unloaded and is not edited through this crate. The
/// runtime's own metadata ([`Metadata`]) are for the rest: opened when they are needed first, since the runtime's accesses to
/// them are slower from then on. Rows that another editor has added are found there.
///
/// Most methods are those of [`clrnames::metadata::Metadata`] and [`clrnames::metadata::Manifest`].
pub struct ModuleRows {
    image: Option<Image<&'static [u8]>>,
    runtime: OnceLock<Metadata>,
    /// Opens the runtime's.
    open: Box<Open>,
}

/// Opens the runtime's metadata of a module.
type Open = dyn Fn() -> Result<Metadata> + Send + Sync;

impl ModuleRows {
    /// The metadata of a module's image, if it has one; `open` opens the runtime's: now if it has none, else when they are needed.
    pub(crate) fn new(
        image: Option<Image<&'static [u8]>>,
        open: impl Fn() -> Result<Metadata> + Send + Sync + 'static,
    ) -> Result<Self> {
        let runtime = if image.is_some() { OnceLock::new() } else { OnceLock::from(open()?) };
        Ok(Self { image, runtime, open: Box::new(open) })
    }

    /// Returns whether the rows are read in the module's image.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        self.image.is_some()
    }

    fn runtime(&self) -> Result<&Metadata> {
        if let Some(known) = self.runtime.get() {
            return Ok(known);
        }
        let opened = (self.open)()?;
        Ok(self.runtime.get_or_init(|| opened))
    }

    /// What is read in the image; else, or if the image does not have it, in the runtime's.
    fn read<'s, R>(
        &'s self,
        in_image: impl FnOnce(&'s Image<&'static [u8]>) -> core::result::Result<R, ImageError>,
        in_runtime: impl FnOnce(&'s Metadata) -> Result<R>,
    ) -> Result<R> {
        match self.image.as_ref().map(in_image) {
            Some(Ok(found)) => Ok(found),
            Some(Err(_)) | None => in_runtime(self.runtime()?),
        }
    }

    /// Returns the types that the module defines, nested ones too.
    ///
    /// # Errors
    /// Any failure of the runtime's enumeration, for a module without an image.
    pub fn type_defs(&self) -> Result<Vec<TypeDef>> {
        match &self.image {
            Some(image) => Ok((1..=image.row_count(Table::TYPE_DEF)).filter_map(TypeDef::from_rid).collect()),
            None => self.runtime()?.type_defs(),
        }
    }

    /// Returns `true` if a type is a class: not an interface, a struct or an enum.
    ///
    /// # Errors
    /// The module has no such type, or its metadata is malformed.
    pub fn is_class(&self, token: TypeDef) -> Result<bool> {
        is_class(self, token)
    }

    /// Returns the implementation flags of a method (`MethodImplAttributes`, ECMA-335 II.23.1.11).
    ///
    /// # Errors
    /// The module has no such method, or its metadata is malformed.
    pub fn method_impl_flags(&self, method: MethodDef) -> Result<u32> {
        self.read(|image| image.method_impl_flags(method), |runtime| Ok(runtime.rva(method)?.1))
    }

    /// Returns the row of a method's parameter by its number, 0 for the result; `None` if it has none.
    ///
    /// # Errors
    /// The module has no such method, or its metadata is malformed.
    pub fn param_at(&self, method: MethodDef, sequence: u32) -> Result<Option<ParamDef>> {
        for param in self.params(method)? {
            if self.param(param)?.sequence == sequence {
                return Ok(Some(param));
            }
        }
        Ok(None)
    }

    /// Returns the module's version id, new for each build (ECMA-335 II.22.30).
    ///
    /// # Errors
    /// The metadata has no module row, or is malformed.
    pub fn mvid(&self) -> Result<Mvid> {
        self.read(Image::mvid, |runtime| Ok(Mvid::from_bytes(runtime.mvid()?.to_bytes())))
    }
}

/// Returns whether a type is a class: not an interface, a struct or an enum.
pub(super) fn is_class(metadata: &impl rows::Metadata<Error = Error>, token: TypeDef) -> Result<bool> {
    let base = match metadata.type_def(token)?.extends {
        None => return Ok(false),
        // An instance of a generic class.
        Some(TypeDefOrRef::TypeSpec(_)) => return Ok(true),
        Some(TypeDefOrRef::TypeDef(base)) => metadata.type_def(base)?.name,
        Some(TypeDefOrRef::TypeRef(base)) => metadata.type_ref(base)?.name,
    };
    Ok(!matches!(&*base, "System.ValueType" | "System.Enum"))
}

/// Reads each row so.
macro_rules! either {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out> {
            self.read(|image| image.$name($($arg),*), |runtime| runtime.$name($($arg),*))
        })*
    };
}

impl rows::Metadata for ModuleRows {
    type Error = Error;

    clrnames::__metadata_methods!(either);

    fn extension_groups(&self, type_def: TypeDef) -> Result<Vec<TypeDef>> {
        self.read(
            |image| image.extension_groups(type_def),
            |runtime| rows::Metadata::extension_groups(runtime, type_def),
        )
    }
}

impl Manifest for ModuleRows {
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        self.read(
            |image| image.find_type_def(name, enclosing),
            |runtime| runtime.find_type_def(name, enclosing),
        )
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        self.read(
            |image| image.find_exported_type(name),
            |runtime| Manifest::find_exported_type(runtime, name),
        )
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>> {
        self.read(Manifest::assembly_name, Manifest::assembly_name)
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName> {
        self.read(|image| image.referenced_assembly(token), |runtime| runtime.referenced_assembly(token))
    }

    fn referenced_module(&self, token: ModuleRef) -> Result<String> {
        self.read(|image| image.referenced_module(token), |runtime| runtime.referenced_module(token))
    }
}

impl core::fmt::Debug for ModuleRows {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ModuleRows").field("is_image", &self.is_image()).finish_non_exhaustive()
    }
}
