//! Identities to names.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::files::{AssemblyFile, FileModule, Files};
use super::symbol_error::{Result, SymbolError};
use crate::csharp::{TypeDefinition, TypeName};
use crate::error::Error;
use crate::format::{Declaration, FormattedMethod, Formatter, Instantiation, MethodDefinition, SourceMethod};
use crate::identity::{MethodIdentity, Mvid, TypeIdentity};

/// Names methods and types from assembly files, by their identities.
///
/// Needs no runtime. The names are those that `corprof` gives in the running process.
///
/// ```no_run
/// use clrnames::{MethodIdentity, Symbolizer};
///
/// let mut symbols = Symbolizer::new();
/// symbols.add_folder("shop/bin")?;
/// symbols.add_folder("/usr/share/dotnet/shared/Microsoft.NETCore.App/9.0.1")?;
///
/// let logged: MethodIdentity = "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int>".parse()?;
/// let method = symbols.method(&logged)?;
/// println!("{} in {}", method.declaration()?.text, method.file().display());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A lookup opens the files of the folders one after the other until it finds the module, and reads a few hundred bytes of
/// each. The first name from a file reads its metadata, which is kept. May be used from several threads.
#[derive(Default)]
pub struct Symbolizer {
    files: Mutex<Files>,
    /// Type names, by module and token.
    pub(super) definitions: Mutex<HashMap<(FileModule, u32), Arc<TypeDefinition>>>,
}

/// A method in an assembly file, with type arguments.
pub struct Symbol<'s> {
    symbols: &'s Symbolizer,
    module: FileModule,
    file: Arc<AssemblyFile>,
    definition: MethodDefinition,
    class_args: Vec<Option<TypeIdentity>>,
    type_args: Vec<Option<TypeIdentity>>,
}

impl Symbolizer {
    /// A symbolizer without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the `.dll`, `.exe` and `.winmd` files of a folder, without its subfolders. Files that were added first are
    /// preferred.
    ///
    /// # Errors
    /// [`SymbolError::Io`]: the folder cannot be read.
    pub fn add_folder(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        self.files().add_folder(folder.as_ref())
    }

    /// Adds the files of a folder and all its subfolders. Links to folders are not followed.
    ///
    /// # Errors
    /// [`SymbolError::Io`]: a folder cannot be read.
    pub fn add_tree(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        self.files().add_tree(folder.as_ref())
    }

    /// Adds a file, whatever its name.
    ///
    /// # Errors
    /// [`SymbolError::Io`]: the file cannot be read. [`SymbolError::Image`]: it is no assembly, or malformed.
    pub fn add_file(&mut self, file: impl AsRef<Path>) -> Result<()> {
        self.files().add_file(file.as_ref())
    }

    /// Finds a method.
    ///
    /// # Errors
    /// [`SymbolError::NoModule`]: no file has the module. [`SymbolError::Image`]: the file does not have the method, or is
    /// malformed. [`SymbolError::Name`]: the method has another number of generic parameters.
    pub fn method(&self, identity: &MethodIdentity) -> Result<Symbol<'_>> {
        let (module, file) = self.files().module(identity.module)?;
        let definition = Formatter::new(self).read_method(module, identity.method)?;
        let class_args = arguments(&identity.class_args, definition.class_arity);
        let fits = |given: usize, declared: usize| given == 0 || given == declared;
        let (class_count, method_count) = (identity.class_args.len(), identity.method_args.len());
        if !fits(class_count, definition.class_arity) || !fits(method_count, definition.method_arity) {
            return Err(SymbolError::Name(Error::NotFound(format!(
                "{identity} does not fit: {} has {} generic parameters and {} of its type",
                definition.plain_name(),
                definition.method_arity,
                definition.class_arity,
            ))));
        }
        let type_args = arguments(&identity.method_args, 0);
        Ok(Symbol { symbols: self, module, file, definition, class_args, type_args })
    }

    /// Returns the file of a module.
    ///
    /// # Errors
    /// [`SymbolError::NoModule`]: no file has the module.
    pub fn file(&self, module: Mvid) -> Result<Arc<AssemblyFile>> {
        self.files().module(module).map(|(_, file)| file)
    }

    /// Returns the name of a type as C# writes it.
    ///
    /// # Errors
    /// As for [`Symbolizer::method`].
    pub fn class(&self, identity: &TypeIdentity) -> Result<Arc<str>> {
        Formatter::new(self).class_name(identity).map(TypeName::into_text)
    }

    pub(super) fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns type arguments as a source has them; without any, `at_least` unknown ones.
pub(super) fn arguments(identities: &[TypeIdentity], at_least: usize) -> Vec<Option<TypeIdentity>> {
    let args = identities.iter().map(|identity| match identity {
        TypeIdentity::Unknown => None,
        known => Some(known.clone()),
    });
    let mut args: Vec<Option<TypeIdentity>> = args.collect();
    if args.is_empty() {
        args.resize(at_least, None);
    }
    args
}

impl Symbol<'_> {
    /// Returns the path of the method's file.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.file.path()
    }

    /// Returns the token, name, attributes and signature.
    #[must_use]
    pub fn definition(&self) -> &MethodDefinition {
        &self.definition
    }

    /// Formats the name, the signature and the parameters, with type arguments.
    ///
    /// # Errors
    /// Any error of the metadata.
    pub fn format(&self) -> Result<FormattedMethod> {
        Formatter::new(self.symbols).method(&self.instantiation())
    }

    /// Formats the method as the source declares it.
    ///
    /// # Errors
    /// Any error of the metadata.
    pub fn declaration(&self) -> Result<Declaration<FileModule, TypeIdentity>> {
        Formatter::new(self.symbols).declaration(&self.instantiation(), &self.format()?)
    }

    /// Returns the source method that a compiler-generated method was lowered from; `None` for other methods.
    ///
    /// # Errors
    /// Any error of the metadata.
    pub fn source_method(&self) -> Result<Option<SourceMethod<FileModule, TypeIdentity>>> {
        Formatter::new(self.symbols).source_method(&self.instantiation())
    }

    /// Formats the method as ILAsm writes it, without the names of assemblies.
    ///
    /// # Errors
    /// Any error of the metadata.
    pub fn il_name(&self) -> Result<String> {
        Formatter::new(self.symbols).il_name(&self.instantiation())
    }

    fn instantiation(&self) -> Instantiation<'_, Symbolizer> {
        Instantiation {
            module: self.module,
            definition: &self.definition,
            class_args: &self.class_args,
            type_args: &self.type_args,
        }
    }
}

impl core::fmt::Debug for Symbolizer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Symbolizer")
    }
}

impl core::fmt::Debug for Symbol<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Symbol({} in {})", self.definition.plain_name(), self.file.path().display())
    }
}
