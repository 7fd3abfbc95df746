//! The metadata of a loaded module, for reading and writing, as method bodies need it.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cilbody::TypeKind;
use corprof::clrnames::metadata::Metadata as _;
use corprof::token::{MemberRef, MethodDef, MethodSpec, StandAloneSig, Table, TypeSpec};
use corprof::{Metadata, MetadataEmit, ModuleId, Names};
use sigparse::{FieldDef, MethodDefOrRef, Token, TypeDefOrRef};

use crate::Result;
use crate::core_library::CoreLibrary;

/// A loaded module whose methods are rewritten.
///
/// Returned by [`Rewriter::module`](crate::Rewriter::module), once for each module. May be used on any thread.
pub struct LiveModule {
    id: ModuleId,
    names: Names,
    pub(crate) emit: MetadataEmit,
    pub(crate) core: CoreLibrary,
    /// The kinds of types that have been looked up.
    kinds: Mutex<HashMap<Token, TypeKind>>,
}

impl LiveModule {
    pub(crate) fn open(names: &Names, id: ModuleId) -> Result<Self> {
        let emit = names.info().module_metadata_emit(id)?;
        let core = CoreLibrary::of(names.info(), emit.metadata())?;
        Ok(Self { id, names: names.clone(), emit, core, kinds: Mutex::default() })
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

    /// The metadata name of a TypeDef or TypeRef; of a nested type its own.
    fn type_name(&self, ty: TypeDefOrRef) -> Option<String> {
        let name = match ty {
            TypeDefOrRef::TypeDef(ty) => self.metadata().type_def(ty).ok()?.name,
            TypeDefOrRef::TypeRef(ty) => self.metadata().type_ref(ty).ok()?.name,
            TypeDefOrRef::TypeSpec(_) => return None,
        };
        Some(name.to_string())
    }

    /// The kind of a type, by its definition in whatever loaded module that is.
    fn find_kind(&self, ty: TypeDefOrRef) -> Option<TypeKind> {
        let defined = self.names.resolve(self.id, ty).ok()?;
        let metadata = self.names.info().metadata_rows(defined.module).ok()?;
        let props = metadata.type_def(defined.type_def).ok()?;
        let base = match props.extends {
            Some(TypeDefOrRef::TypeDef(base)) => Some(metadata.type_def(base).ok()?.name),
            Some(TypeDefOrRef::TypeRef(base)) => Some(metadata.type_ref(base).ok()?.name),
            // An instantiation of a class.
            Some(TypeDefOrRef::TypeSpec(_)) => return Some(TypeKind::Reference),
            None => None,
        };
        Some(TypeKind::of_type(&props.name, base.as_deref()))
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

    fn type_spec_sig(&self, ty: Token) -> Option<&[u8]> {
        self.metadata().type_spec(TypeSpec::from_token(ty.0)?).ok()
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        let Some(named) = TypeDefOrRef::from_token(ty.0) else { return TypeKind::Unknown };
        let kinds = || self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = kinds().get(&ty) {
            return *kind;
        }
        // The module that defines the type may be loaded later.
        let Some(kind) = self.find_kind(named) else { return TypeKind::Unknown };
        kinds().insert(ty, kind);
        kind
    }

    fn may_be_same_type(&self, one: Token, other: Token) -> bool {
        match [one, other].map(|ty| TypeDefOrRef::from_token(ty.0)) {
            [Some(TypeDefOrRef::TypeDef(one)), Some(TypeDefOrRef::TypeDef(other))] => one == other,
            [Some(one), Some(other)] => self.type_name(one) == self.type_name(other),
            _ => true,
        }
    }
}

impl core::fmt::Debug for LiveModule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LiveModule").field("id", &self.id).finish_non_exhaustive()
    }
}
