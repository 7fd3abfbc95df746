//! The metadata of a loaded module, for reading and writing, as method bodies need it.
#![forbid(unsafe_code)]

use cilbody::TypeKind;
use corprof::token::{MemberRef, MethodDef, MethodSpec, StandAloneSig, Table, TypeDef, TypeSpec};
use corprof::{Metadata, MetadataEmit, ModuleId, ProfilerInfo};
use sigparse::{FieldDef, MethodDefOrRef, Token, Type, TypeDefOrRef, TypeSpecSig};

use crate::Result;
use crate::core_library::CoreLibrary;

/// A loaded module whose methods are rewritten.
///
/// Returned by [`Rewriter::module`](crate::Rewriter::module), once for each module. May be used on any thread.
pub struct LiveModule {
    id: ModuleId,
    pub(crate) emit: MetadataEmit,
    pub(crate) core: CoreLibrary,
}

impl LiveModule {
    pub(crate) fn open(info: &ProfilerInfo, id: ModuleId) -> Result<Self> {
        let emit = info.module_metadata_emit(id)?;
        let core = CoreLibrary::of(info, emit.metadata())?;
        Ok(Self { id, emit, core })
    }

    /// The module's id.
    #[must_use]
    pub const fn id(&self) -> ModuleId {
        self.id
    }

    /// The module's metadata, added rows included.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        self.emit.metadata()
    }

    /// The module's metadata, for rows that [`LiveModule`] has no method for.
    #[must_use]
    pub const fn emit(&self) -> &MetadataEmit {
        &self.emit
    }

    /// Returns whether the module has the row of a token.
    pub(crate) fn has_row(&self, token: Token) -> bool {
        self.metadata().is_valid_token(token)
    }

    fn kind_of_def(&self, ty: TypeDef) -> TypeKind {
        let Ok(props) = self.metadata().type_def(ty) else { return TypeKind::Unknown };
        let base = match props.extends {
            Some(TypeDefOrRef::TypeDef(base)) => self.metadata().type_def(base).map(|base| base.name),
            Some(TypeDefOrRef::TypeRef(base)) => self.metadata().type_ref(base).map(|base| base.name),
            // A generic class; interfaces, and `System.Object`.
            Some(TypeDefOrRef::TypeSpec(_)) | None => return TypeKind::Reference,
        };
        match base.as_deref() {
            Ok("System.ValueType") if props.name == "System.Enum" => TypeKind::Reference,
            // The primitive types of the core library, and enumerations of any size.
            Ok("System.ValueType") if props.name.starts_with("System.") => TypeKind::Unknown,
            Ok("System.ValueType") => TypeKind::Value,
            Ok("System.Enum") | Err(_) => TypeKind::Unknown,
            Ok(_) => TypeKind::Reference,
        }
    }
}

impl cilbody::Module for LiveModule {
    fn method_sig(&self, method: Token) -> Option<&[u8]> {
        let method = match method.table() {
            Table::METHOD_SPEC => {
                match self.metadata().method_spec(MethodSpec::from_token(method.0)?).ok()?.method? {
                    MethodDefOrRef::MethodDef(method) => method.into(),
                    MethodDefOrRef::MemberRef(method) => method.into(),
                }
            }
            _ => method,
        };
        match MethodDef::from_token(method.0) {
            Some(method) => Some(self.metadata().method(method).ok()?.signature),
            None => Some(self.metadata().member_ref(MemberRef::from_token(method.0)?).ok()?.signature),
        }
    }

    fn field_sig(&self, field: Token) -> Option<&[u8]> {
        match FieldDef::from_token(field.0) {
            Some(field) => Some(self.metadata().field(field).ok()?.signature),
            None => Some(self.metadata().member_ref(MemberRef::from_token(field.0)?).ok()?.signature),
        }
    }

    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]> {
        self.metadata().signature(StandAloneSig::from_token(token.0)?).ok()
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        if let Some(ty) = TypeDef::from_token(ty.0) {
            return self.kind_of_def(ty);
        }
        let Some(spec) = TypeSpec::from_token(ty.0) else { return TypeKind::Unknown };
        let Some(sig) = self.metadata().type_spec(spec).ok().and_then(|blob| TypeSpecSig::parse(blob).ok())
        else {
            return TypeKind::Unknown;
        };
        match sig.ty() {
            Type::SzArray(_) | Type::Array(_) => TypeKind::Reference,
            Type::GenericInst(inst) if matches!(inst.definition(), Type::Class(_)) => TypeKind::Reference,
            _ => TypeKind::Unknown,
        }
    }
}

impl core::fmt::Debug for LiveModule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LiveModule").field("id", &self.id).finish_non_exhaustive()
    }
}
