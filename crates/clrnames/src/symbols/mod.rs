//! Names of methods whose process is gone, from the assembly files.
//!
//! | file | subject |
//! |---|---|
//! | `files` | which file has which module |
//! | `resolve` | references from one file to another |
//! | `error` | why an identity has no name |

mod error;
mod files;
mod resolve;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sigparse::TypeDefOrRef;
use sigparse::token::TypeDef;

pub use error::SymbolError;
pub use files::AssemblyFile;
use files::Files;

use crate::Error;
use crate::identity::{MethodIdentity, Mvid, TypeIdentity};
use crate::metadata::Metadata as _;
use crate::source::{ClassShape, Source};
use crate::spelling::{
    Call, Declaration, Definition, MethodDefinition, MethodRef, SourceMethod, Speller, TypeText,
};

/// The result of looking for a name.
type Result<T, E = SymbolError> = core::result::Result<T, E>;

/// Turns identities into names, by assembly files in folders that it is given. Needs no runtime, and gives the
/// names that `corprof` gives in the live process.
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
/// A folder's files are opened when a module is looked for, one after the other until it is found, and of each
/// a few hundred bytes are read. The metadata of a file is read when something in it is named, and kept. May be
/// used from several threads.
#[derive(Default)]
pub struct Symbolizer {
    files: Mutex<Files>,
    definitions: Mutex<HashMap<(u32, u32), Arc<Definition>>>,
}

/// A module of a [`Symbolizer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileModule(u32);

/// A method that has been found in a file.
pub struct Symbol<'s> {
    symbols: &'s Symbolizer,
    module: FileModule,
    file: Arc<AssemblyFile>,
    definition: MethodDefinition,
    class_args: Vec<Option<TypeIdentity>>,
    type_args: Vec<Option<TypeIdentity>>,
}

impl Symbolizer {
    /// One that knows no files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks in a folder from now on: in its `.dll`, `.exe` and `.winmd` files, and not in folders below it.
    /// What was added first is preferred.
    ///
    /// # Errors
    /// That the folder cannot be read.
    pub fn add_folder(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        self.files().add_folder(folder.as_ref())
    }

    /// Looks in a folder and all folders below it from now on. Links to folders are not followed.
    ///
    /// # Errors
    /// That a folder cannot be read.
    pub fn add_tree(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        self.files().add_tree(folder.as_ref())
    }

    /// Looks in a file from now on, whatever its name.
    ///
    /// # Errors
    /// That the file cannot be read, or is no assembly.
    pub fn add_file(&mut self, file: impl AsRef<Path>) -> Result<()> {
        self.files().add_file(file.as_ref())
    }

    /// Finds a method.
    ///
    /// # Errors
    /// [`SymbolError::NoModule`] when no file has its module; that the file has no such method, or another
    /// number of generic parameters, or is malformed.
    pub fn method(&self, identity: &MethodIdentity) -> Result<Symbol<'_>> {
        let (module, file) = self.files().module(identity.module)?;
        let definition = Speller::new(self).read_method(module, identity.method)?;
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

    /// The file that has a module.
    ///
    /// # Errors
    /// [`SymbolError::NoModule`] when there is none.
    pub fn file(&self, module: Mvid) -> Result<Arc<AssemblyFile>> {
        self.files().module(module).map(|(_, file)| file)
    }

    /// What C# calls a type.
    ///
    /// # Errors
    /// As for [`Symbolizer::method`].
    pub fn class(&self, identity: &TypeIdentity) -> Result<Arc<str>> {
        Speller::new(self).spell_class(identity).map(TypeText::into_text)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn module(&self, module: FileModule) -> Arc<AssemblyFile> {
        self.files().get(module)
    }
}

/// The arguments as sources have them; what is not known of so many is unknown.
fn arguments(identities: &[TypeIdentity], at_least: usize) -> Vec<Option<TypeIdentity>> {
    let known = identities.iter().map(|identity| match identity {
        TypeIdentity::Unknown => None,
        known => Some(known.clone()),
    });
    let mut args: Vec<Option<TypeIdentity>> = known.collect();
    if args.is_empty() {
        args.resize(at_least, None);
    }
    args
}

impl Source for Symbolizer {
    type Module = FileModule;
    type Class = TypeIdentity;
    type Metadata = AssemblyFile;
    type Error = SymbolError;

    fn metadata(&self, module: FileModule) -> Result<Arc<AssemblyFile>> {
        Ok(self.module(module))
    }

    fn class_shape(&self, class: &TypeIdentity) -> Result<ClassShape<FileModule, TypeIdentity>> {
        Ok(match class {
            TypeIdentity::Defined { module, type_def, args } => {
                let (module, _) = self.files().module(*module)?;
                ClassShape::Defined { module, type_def: *type_def, args: arguments(args, 0) }
            }
            TypeIdentity::Array { element, rank } => {
                ClassShape::Array { element: (**element).clone(), rank: *rank }
            }
            TypeIdentity::Pointer(target) => ClassShape::Pointer((**target).clone()),
            TypeIdentity::Element(element) => ClassShape::Element(*element),
            TypeIdentity::Unknown => ClassShape::Unknown,
        })
    }

    fn is_value_type(&self, class: &TypeIdentity) -> Result<bool> {
        let TypeIdentity::Defined { module, type_def, .. } = class else { return Ok(false) };
        let (module, file) = self.files().module(*module)?;
        let Some(base) = file.type_def(*type_def)?.extends else { return Ok(false) };
        if matches!(base, TypeDefOrRef::TypeSpec(_)) {
            return Ok(false);
        }
        let base = self.type_definition(module, base)?;
        Ok(match &*base.metadata_name {
            "System.Enum" => true,
            // The base of all enums is itself a class.
            "System.ValueType" => file.type_def(*type_def)?.name != "System.Enum",
            _ => false,
        })
    }

    fn definition_of(&self, module: FileModule, token: TypeDefOrRef) -> Result<(FileModule, TypeDef)> {
        self.resolve(module, token)
    }

    fn type_definition(&self, module: FileModule, token: TypeDefOrRef) -> Result<Arc<Definition>> {
        let definitions = || self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (module.0, token.token());
        if let Some(known) = definitions().get(&key) {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(Speller::new(self).read_definition(module, token)?);
        definitions().insert(key, Arc::clone(&read));
        Ok(read)
    }
}

impl Symbol<'_> {
    /// The file that it was found in.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file.path
    }

    /// Token, name, attributes, signature.
    #[must_use]
    pub fn definition(&self) -> &MethodDefinition {
        &self.definition
    }

    /// What C# calls it with these type arguments, and its signature.
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn call(&self) -> Result<Call> {
        Speller::new(self.symbols).call(&self.method_ref())
    }

    /// The method as the source declares it.
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn declaration(&self) -> Result<Declaration<FileModule, TypeIdentity>> {
        Speller::new(self.symbols).declaration(&self.method_ref(), &self.call()?)
    }

    /// The method of the source that a method of the compiler's belongs to; `None` for methods that somebody
    /// wrote.
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn source_method(&self) -> Result<Option<SourceMethod<FileModule, TypeIdentity>>> {
        Speller::new(self.symbols).source_method(&self.method_ref())
    }

    /// What ILAsm calls it, without the names of assemblies.
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn il_name(&self) -> Result<String> {
        Speller::new(self.symbols).il_name(&self.method_ref())
    }

    fn method_ref(&self) -> MethodRef<'_, Symbolizer> {
        MethodRef {
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
        write!(f, "Symbol({} in {})", self.definition.plain_name(), self.file.path.display())
    }
}
