//! The files of a symbolizer, by version id and by name.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sigparse::token::{AssemblyRef, ModuleRef, TypeDef};

use super::symbol_error::{Result, SymbolError};
use crate::identity::Mvid;
use crate::image::{Image, ImageError, ImageErrorKind, mvid_of};
use crate::metadata::{AssemblyName, Exported, Manifest, Metadata};

/// The extensions of assembly files.
const EXTENSIONS: [&str; 3] = ["dll", "exe", "winmd"];

/// A module of a [`Symbolizer`](crate::Symbolizer).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileModule(pub(super) u32);

/// An assembly file. The first use reads its metadata.
pub struct AssemblyFile {
    pub(super) path: PathBuf,
    image: OnceLock<Image>,
}

impl AssemblyFile {
    fn new(path: PathBuf) -> Self {
        Self { path, image: OnceLock::new() }
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn image(&self) -> Result<&Image> {
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let file = File::open(&self.path).map_err(|error| failed(&self.path, error))?;
        let image = Image::read(file).map_err(|error| self.error(error))?;
        Ok(self.image.get_or_init(|| image))
    }

    /// Returns the file name without extension: usually the name of the assembly.
    fn stem(&self) -> &str {
        stem(&self.path)
    }

    pub(super) fn error(&self, error: ImageError) -> SymbolError {
        SymbolError::Image { file: self.path.clone(), error }
    }
}

/// The files and folders of a symbolizer.
#[derive(Default)]
pub(super) struct Files {
    /// The folders and files that were added.
    places: Vec<PathBuf>,
    /// Files that have not been opened yet.
    unread: VecDeque<PathBuf>,
    modules: Vec<Arc<AssemblyFile>>,
    by_mvid: HashMap<Mvid, FileModule>,
    /// Files that seem to be assemblies and are malformed.
    unreadable: Vec<(PathBuf, String)>,
}

impl Files {
    pub(super) fn add_folder(&mut self, folder: &Path) -> Result<()> {
        self.unread.extend(list(folder)?.files);
        self.places.push(folder.to_owned());
        Ok(())
    }

    pub(super) fn add_tree(&mut self, folder: &Path) -> Result<()> {
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            let listed = list(&next)?;
            self.unread.extend(listed.files);
            // The first in order is taken next.
            folders.extend(listed.folders.into_iter().rev());
        }
        self.places.push(folder.join("**"));
        Ok(())
    }

    pub(super) fn add_file(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path).map_err(|error| failed(path, error))?;
        let mvid = mvid_of(file).map_err(|error| SymbolError::Image { file: path.to_owned(), error })?;
        self.insert(mvid, path.to_owned());
        self.places.push(path.to_owned());
        Ok(())
    }

    /// Returns the module with a version id. Opens files until it is found.
    pub(super) fn module(&mut self, mvid: Mvid) -> Result<(FileModule, Arc<AssemblyFile>)> {
        loop {
            if let Some(found) = self.by_mvid.get(&mvid) {
                return Ok((*found, self.get(*found)));
            }
            let Some(next) = self.unread.pop_front() else {
                let (places, unreadable) = (self.places.clone(), self.unreadable.clone());
                return Err(SymbolError::NoModule { mvid, places, unreadable });
            };
            self.open(next);
        }
    }

    /// Returns the modules whose files have the name of an assembly.
    pub(super) fn named(&mut self, assembly: &str) -> Vec<(FileModule, Arc<AssemblyFile>)> {
        let is_named = |path: &PathBuf| stem(path).eq_ignore_ascii_case(assembly);
        let (named, others) = core::mem::take(&mut self.unread).into_iter().partition(is_named);
        self.unread = others;
        let named: VecDeque<PathBuf> = named;
        named.into_iter().for_each(|path| self.open(path));
        let modules = (0..).map(FileModule).zip(&self.modules);
        let named = modules.filter(|(_, module)| module.stem().eq_ignore_ascii_case(assembly));
        named.map(|(id, module)| (id, Arc::clone(module))).collect()
    }

    pub(super) fn get(&self, module: FileModule) -> Arc<AssemblyFile> {
        // A module's number comes from here, and modules are never removed.
        let known = self.modules.get(module.0 as usize).cloned();
        known.unwrap_or_else(|| Arc::new(AssemblyFile::new(PathBuf::new())))
    }

    fn open(&mut self, path: PathBuf) {
        let read = File::open(&path).map_err(io_error).and_then(mvid_of);
        match read {
            Ok(mvid) => self.insert(mvid, path),
            Err(ImageError { kind: ImageErrorKind::NotPe | ImageErrorKind::NotManaged, .. }) => {}
            Err(error) => self.unreadable.push((path, error.to_string())),
        }
    }

    fn insert(&mut self, mvid: Mvid, path: PathBuf) {
        let Ok(number) = u32::try_from(self.modules.len()) else { return };
        // The same file in two folders: the first counts.
        self.by_mvid.entry(mvid).or_insert(FileModule(number));
        self.modules.push(Arc::new(AssemblyFile::new(path)));
    }
}

fn io_error(error: io::Error) -> ImageError {
    ImageError { offset: 0, kind: ImageErrorKind::Io(error) }
}

fn failed(path: &Path, error: io::Error) -> SymbolError {
    SymbolError::Io { path: path.to_owned(), error }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The assembly files of a folder and its subfolders, in order.
struct Listed {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn list(folder: &Path) -> Result<Listed> {
    let failed = |error| failed(folder, error);
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            folders.push(path);
        } else if path
            .extension()
            .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
            // Opening a FIFO may wait for ever.
            && path.is_file()
        {
            files.push(path);
        }
    }
    files.sort();
    folders.sort();
    Ok(Listed { files, folders })
}

/// Forwards each method to the image and adds the file to errors.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out> {
            self.image()?.$name($($arg),*).map_err(|error| self.error(error))
        })*
    };
}

impl core::fmt::Debug for AssemblyFile {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AssemblyFile({})", self.path.display())
    }
}

impl Metadata for AssemblyFile {
    type Error = SymbolError;

    crate::__metadata_methods!(forward);
    forward! {
        fn extension_groups(type_def: TypeDef) -> Vec<TypeDef>;
    }
}

impl Manifest for AssemblyFile {
    forward! {
        fn find_type_def(name: &str, enclosing: Option<TypeDef>) -> Option<TypeDef>;
        fn find_exported_type(name: &str) -> Option<Exported>;
        fn assembly_name() -> Option<AssemblyName>;
        fn referenced_assembly(token: AssemblyRef) -> AssemblyName;
        fn referenced_module(token: ModuleRef) -> String;
    }
}
