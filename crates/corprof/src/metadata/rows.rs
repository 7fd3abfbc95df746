//! The metadata of a module as names need it: from its image where that can be, else from the runtime.
#![forbid(unsafe_code)]

use std::sync::OnceLock;

use clrnames::metadata as rows;
use clrnames::metadata::{AssemblyName, Exported, Manifest, Metadata as _};
use clrnames::{Image, Mvid};
use sigparse::TypeDefOrRef;
use sigparse::token::{AssemblyRef, MethodDef, ModuleRef, ParamDef, TypeDef};

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
    /// The metadata of a module's image, if it has one; `open` opens the runtime's when they are needed.
    pub(crate) fn new(
        image: Option<Image<&'static [u8]>>,
        open: impl Fn() -> Result<Metadata> + Send + Sync + 'static,
    ) -> Self {
        Self { image, runtime: OnceLock::new(), open: Box::new(open) }
    }

    /// Returns whether the rows are read in the module's image.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        self.image.is_some()
    }

    /// Opens the runtime's, where there is no image.
    pub(crate) fn open_unless_image(&self) -> Result<()> {
        if self.is_image() { Ok(()) } else { self.runtime().map(drop) }
    }

    fn runtime(&self) -> Result<&Metadata> {
        if let Some(known) = self.runtime.get() {
            return Ok(known);
        }
        let opened = (self.open)()?;
        Ok(self.runtime.get_or_init(|| opened))
    }

    /// Returns `true` if a type is a class: not an interface, a struct or an enum.
    ///
    /// # Errors
    /// The module has no such type, or its metadata is malformed.
    pub fn is_class(&self, token: TypeDef) -> Result<bool> {
        is_class(self, token)
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
        match self.image.as_ref().and_then(|image| image.mvid().ok()) {
            Some(mvid) => Ok(mvid),
            None => Ok(Mvid::from_bytes(self.runtime()?.mvid()?.to_bytes())),
        }
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

/// Reads the image, and what it does not have from the runtime.
macro_rules! either {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out> {
            if let Some(image) = &self.image
                && let Ok(found) = image.$name($($arg),*)
            {
                return Ok(found);
            }
            self.runtime()?.$name($($arg),*)
        })*
    };
}

impl rows::Metadata for ModuleRows {
    type Error = Error;

    clrnames::__metadata_methods!(either);
}

impl Manifest for ModuleRows {
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        match self.image.as_ref().map(|image| image.find_type_def(name, enclosing)) {
            Some(Ok(found)) => Ok(found),
            _ => self.runtime()?.find_type_def(name, enclosing),
        }
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        match self.image.as_ref().map(|image| image.find_exported_type(name)) {
            Some(Ok(found)) => Ok(found),
            _ => Manifest::find_exported_type(self.runtime()?, name),
        }
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>> {
        match self.image.as_ref().map(Manifest::assembly_name) {
            Some(Ok(found)) => Ok(found),
            _ => self.runtime()?.assembly_name(),
        }
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName> {
        match self.image.as_ref().map(|image| image.referenced_assembly(token)) {
            Some(Ok(found)) => Ok(found),
            _ => self.runtime()?.referenced_assembly(token),
        }
    }

    fn referenced_module(&self, token: ModuleRef) -> Result<String> {
        match self.image.as_ref().map(|image| image.referenced_module(token)) {
            Some(Ok(found)) => Ok(found),
            _ => self.runtime()?.referenced_module(token),
        }
    }
}

impl core::fmt::Debug for ModuleRows {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ModuleRows").field("is_image", &self.is_image()).finish_non_exhaustive()
    }
}
