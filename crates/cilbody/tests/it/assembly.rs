//! Assembly files: their method bodies, and their metadata as a [`Module`].

use std::path::{Path, PathBuf};

use cilbody::{Module, ReturnType, TypeKind};
use clrnames::metadata::{Metadata as _, returns_task};
use clrnames::{Image, Sections};
use sigparse::token::{MethodDef, MethodSpec, Table, TypeDef, TypeRef};
use sigparse::{MethodDefOrRef, MethodSig, Token, TypeDefOrRef};

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

    /// What the body of a method returns.
    pub(crate) fn returns<'s>(&self, method: MethodDef, sig: &MethodSig<'s>) -> ReturnType<'s> {
        const ASYNC: u32 = 0x2000;
        let is_async = self.image.method_impl_flags(method).unwrap() & ASYNC != 0
            && returns_task(&self.image, self.image.signature(method.into()).unwrap()).unwrap();
        if is_async { ReturnType::of_async(sig) } else { ReturnType::of(sig) }
    }

    fn name(&self, ty: Token) -> Option<String> {
        match TypeDef::from_token(ty.0) {
            Some(ty) => self.image.type_def(ty).ok().map(|props| props.name),
            None => self.image.type_ref(TypeRef::from_token(ty.0)?).ok().map(|props| props.name),
        }
    }

    fn kind_of_def(&self, ty: TypeDef) -> TypeKind {
        let Ok(props) = self.image.type_def(ty) else { return TypeKind::Unknown };
        let base = match props.extends {
            Some(TypeDefOrRef::TypeDef(base)) => self.name(base.into()),
            Some(TypeDefOrRef::TypeRef(base)) => self.name(base.into()),
            // An instantiation of a class.
            Some(TypeDefOrRef::TypeSpec(_)) => return TypeKind::Reference,
            None => None,
        };
        TypeKind::of_type(&props.name, base.as_deref())
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

    fn type_spec_sig(&self, ty: Token) -> Option<&[u8]> {
        self.image.signature(ty).ok()
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        TypeDef::from_token(ty.0).map_or(TypeKind::Unknown, |ty| self.kind_of_def(ty))
    }

    fn may_be_same_type(&self, one: Token, other: Token) -> bool {
        match (TypeDef::from_token(one.0), TypeDef::from_token(other.0)) {
            (Some(one), Some(other)) => one == other,
            _ => self.name(one) == self.name(other),
        }
    }
}
