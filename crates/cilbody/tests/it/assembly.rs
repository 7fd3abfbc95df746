//! Assembly files: their method bodies, and their metadata as a [`Module`].

use std::path::{Path, PathBuf};

use cilbody::{Module, TypeKind};
use clrnames::metadata::Metadata as _;
use clrnames::{Image, Sections};
use sigparse::token::{MethodDef, MethodSpec, Table, TypeDef, TypeSpec};
use sigparse::{MethodDefOrRef, Token, Type, TypeDefOrRef, TypeSpecSig};

/// An assembly file in memory.
pub(crate) struct Assembly<'d> {
    pub(crate) path: PathBuf,
    file: &'d [u8],
    sections: Sections,
    pub(crate) image: Image<&'d [u8]>,
}

impl<'d> Assembly<'d> {
    /// Opens an assembly; `None` for a file that is not one.
    pub(crate) fn open(path: &Path, file: &'d [u8]) -> Option<Self> {
        let image = Image::parse(file).ok()?;
        Some(Self {
            path: path.to_owned(),
            file,
            sections: Sections::read(std::io::Cursor::new(file)).ok()?,
            image,
        })
    }

    /// The methods that have a body in IL, each with the bytes from there on.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (MethodDef, &'d [u8])> {
        let methods = (1..=self.image.row_count(Table::METHOD_DEF)).filter_map(MethodDef::from_rid);
        methods.filter_map(|method| {
            let rva = self.image.method_rva(method).unwrap()?;
            let offset = usize::try_from(self.sections.file_offset(rva).unwrap()).unwrap();
            Some((method, &self.file[offset..]))
        })
    }

    fn kind_of_def(&self, ty: TypeDef) -> TypeKind {
        let Ok(props) = self.image.type_def(ty) else { return TypeKind::Unknown };
        let base = match props.extends {
            Some(TypeDefOrRef::TypeDef(base)) => self.image.type_def(base).map(|base| base.name),
            Some(TypeDefOrRef::TypeRef(base)) => self.image.type_ref(base).map(|base| base.name),
            Some(TypeDefOrRef::TypeSpec(_)) => return TypeKind::Reference,
            // Interfaces, and System.Object.
            None => return TypeKind::Reference,
        };
        match base.as_deref() {
            Ok("System.ValueType") if props.name == "System.Enum" => TypeKind::Reference,
            // The primitive types of the core library, and enumerations of whatever size.
            Ok("System.ValueType") if props.name.starts_with("System.") => TypeKind::Unknown,
            Ok("System.ValueType") => TypeKind::Value,
            Ok("System.Enum") => TypeKind::Unknown,
            Ok(_) => TypeKind::Reference,
            Err(_) => TypeKind::Unknown,
        }
    }
}

impl Module for Assembly<'_> {
    fn method_sig(&self, method: Token) -> Option<&[u8]> {
        let method = match method.table() {
            Table::METHOD_SPEC => {
                let spec = MethodSpec::from_token(method.0)?;
                match self.image.method_spec_method(spec).ok()? {
                    MethodDefOrRef::MethodDef(method) => method.into(),
                    MethodDefOrRef::MemberRef(method) => method.into(),
                }
            }
            _ => method,
        };
        self.image.signature(method).ok()
    }

    fn field_sig(&self, field: Token) -> Option<&[u8]> {
        self.image.signature(field).ok()
    }

    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]> {
        self.image.signature(token).ok()
    }

    fn rows(&self, table: Table) -> Option<u32> {
        Some(self.image.row_count(table))
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        if let Some(ty) = TypeDef::from_token(ty.0) {
            return self.kind_of_def(ty);
        }
        let Some(spec) = TypeSpec::from_token(ty.0) else { return TypeKind::Unknown };
        let Some(sig) = self.image.type_spec(spec).ok().and_then(|blob| TypeSpecSig::parse(blob).ok()) else {
            return TypeKind::Unknown;
        };
        match sig.ty() {
            Type::SzArray(_) | Type::Array(_) => TypeKind::Reference,
            Type::GenericInst(inst) if matches!(inst.definition(), Type::Class(_)) => TypeKind::Reference,
            _ => TypeKind::Unknown,
        }
    }
}
