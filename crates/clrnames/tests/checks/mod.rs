//! What holds for any bytes: shared with the fuzz targets.

pub mod pdbs;

use std::sync::Arc;

use clrnames::metadata::{AssemblyName, Manifest as _};
use clrnames::resolution::ModuleSet;
use clrnames::{ClassKind, Formatter, Image, ImageError, Instantiation, Source};
use sigparse::token::{MethodDef, TypeDef};

/// `data/sample.cs`, compiled.
pub const SAMPLE: &[u8] = include_bytes!("../data/sample.dll");

/// A source of one file, in memory.
pub struct One<'d>(pub Arc<Image<&'d [u8]>>);

/// Whatever failed.
pub type Failure = Box<dyn std::error::Error>;

impl<'d> ModuleSet for One<'d> {
    type Module = ();
    type Metadata = Image<&'d [u8]>;
    type Error = Failure;

    fn metadata(&self, (): ()) -> Result<Arc<Image<&'d [u8]>>, Failure> {
        Ok(Arc::clone(&self.0))
    }

    fn candidates(&self, _: Option<()>, _: &AssemblyName) -> Result<Vec<()>, Failure> {
        Ok(Vec::new())
    }
}

impl Source for One<'_> {
    type Class = TypeDef;

    fn class_kind(&self, class: &TypeDef) -> Result<ClassKind<(), TypeDef>, Failure> {
        Ok(ClassKind::Defined { module: (), type_def: *class, args: Vec::new() })
    }

    fn is_value_type(&self, _: &TypeDef) -> Result<bool, Failure> {
        Ok(false)
    }
}

impl One<'_> {
    /// All names of a method: signature, declaration, ILAsm.
    pub fn all_names(&self, method: MethodDef) -> Result<[String; 3], Failure> {
        let formatter = Formatter::new(self);
        let definition = formatter.read_method((), method)?;
        let opt = self.0.find_type_def("Shop.Opt", None)?;
        let class_args = vec![opt; definition.class_arity.min(64)];
        let type_args = vec![None; definition.method_arity.min(64)];
        let method = Instantiation {
            module: (),
            definition: &definition,
            class_args: &class_args,
            type_args: &type_args,
        };
        let formatted = formatter.method(&method)?;
        let declaration = formatter.declaration(&method, &formatted)?.text;
        Ok([formatted.signature, declaration, formatter.il_name(&method)?])
    }
}

/// Names all that a file has; how much could be named and how much could not.
pub fn name_all(file: &[u8]) -> Result<(usize, usize), ImageError> {
    let one = One(Arc::new(Image::parse(file)?));
    let (mut named, mut failed) = (0, 0);
    for method in (1..200).map_while(MethodDef::from_rid) {
        match one.all_names(method) {
            Ok(_) => named += 1,
            Err(_) => failed += 1,
        }
    }
    Ok((named, failed))
}

/// Names all of the sample after every three bytes of the input have been written into it: two for the place,
/// one to be written.
pub fn patched(input: &[u8]) {
    let mut file = SAMPLE.to_vec();
    for patch in input.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % file.len();
        file[at] = patch[2];
    }
    // An error is as good as names: what counts is that there is one of the two.
    let _ = name_all(&file);
}
