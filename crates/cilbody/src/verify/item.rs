//! Items on the evaluation stack: their kinds, and of structures their types.

use sigparse::{Token, Type, TypeSig};

use crate::error::ErrorKind;
use crate::kind::Kind;
use crate::limits;
use crate::module::{Module, type_of_spec};

/// An item on the evaluation stack, or what a variable, field or parameter takes.
#[derive(Clone, Copy)]
pub(super) struct Item<'m> {
    pub(super) kind: Kind,
    structure: Structure<'m>,
}

/// The type of a structure.
#[derive(Clone, Copy)]
enum Structure<'m> {
    /// Unknown, or the item is no structure.
    Unknown,
    /// One that is not generic: a TypeDef or TypeRef.
    Plain(Token),
    /// An instantiation of a generic one.
    Generic(TypeSig<'m>),
}

impl From<Kind> for Item<'_> {
    fn from(kind: Kind) -> Self {
        Self { kind, structure: Structure::Unknown }
    }
}

impl<'m> Item<'m> {
    /// The item for a value of this type.
    pub(super) fn of<M: Module + ?Sized>(sig: TypeSig<'m>, module: &M) -> Self {
        let kind = Kind::of(sig, module);
        let structure = match sig.ty() {
            // There are no more levels than sigparse allows.
            Type::Pinned(target) => return Self::of(target, module),
            _ if kind != Kind::Value => Structure::Unknown,
            Type::ValueType(ty) => Structure::Plain(ty.into()),
            Type::GenericInst(_) if sig.bytes().len() <= limits::MAX_COMPARED_TYPE => Structure::Generic(sig),
            _ => Structure::Unknown,
        };
        Self { kind, structure }
    }

    /// The item for a value of the type with a token.
    pub(super) fn of_token<M: Module + ?Sized>(ty: Token, module: &'m M) -> Self {
        if let Some(sig) = type_of_spec(module, ty) {
            return Self::of(sig, module);
        }
        let kind = Kind::of_token(ty, module);
        let structure = if kind == Kind::Value { Structure::Plain(ty) } else { Structure::Unknown };
        Self { kind, structure }
    }

    /// The item where two ways join; `None` if they cannot.
    pub(super) fn join<M: Module + ?Sized>(self, other: Self, module: &M) -> Option<Self> {
        let kind = self.kind.join(other.kind)?;
        if self.structure.is_written_as(&other.structure) {
            return Some(Self { kind, structure: self.structure });
        }
        self.structure.may_be(&other.structure, module).then_some(Self::from(kind))
    }

    /// Returns whether this item may be stored in, or passed as, the other one.
    pub(super) fn fits<M: Module + ?Sized>(self, to: Self, module: &M) -> bool {
        self.join(to, module).is_some()
    }

    /// Returns whether more or less is known of the other item.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.kind != other.kind || !self.structure.is_written_as(&other.structure)
    }

    /// The error for an item that does not fit.
    pub(super) fn misfit(self, expected: Self) -> ErrorKind {
        match self.kind.fits(expected.kind) {
            true => ErrorKind::OtherStructure,
            false => ErrorKind::StackKind { expected: expected.kind, found: self.kind },
        }
    }
}

impl Structure<'_> {
    /// Returns whether two types are the same token or the same signature.
    fn is_written_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Structure::Unknown, Structure::Unknown) => true,
            (Structure::Plain(one), Structure::Plain(other)) => one == other,
            (Structure::Generic(one), Structure::Generic(other)) => one.bytes() == other.bytes(),
            _ => false,
        }
    }

    /// Returns whether two structures may be of one type. Types that are not known may be any.
    fn may_be<M: Module + ?Sized>(&self, other: &Self, module: &M) -> bool {
        match (self, other) {
            (Structure::Unknown, _) | (_, Structure::Unknown) => true,
            (Structure::Plain(one), Structure::Plain(other)) => module.may_be_same_type(*one, *other),
            (Structure::Generic(one), Structure::Generic(other)) => may_be_instance(*one, *other, module),
            (Structure::Plain(_), Structure::Generic(_)) | (Structure::Generic(_), Structure::Plain(_)) => {
                false
            }
        }
    }
}

/// Returns whether values of two types may have the same layout. Type parameters may be any type: in the signature of a member
/// they are those of the instantiation that the member belongs to. References have one layout, and so have an enumeration and
/// its underlying type.
fn may_match<M: Module + ?Sized>(one: TypeSig<'_>, other: TypeSig<'_>, module: &M) -> bool {
    let (one, other) = (Item::of(one, module), Item::of(other, module));
    one.kind.fits(other.kind) && one.structure.may_be(&other.structure, module)
}

/// The same for instantiations of value types.
fn may_be_instance<M: Module + ?Sized>(one: TypeSig<'_>, other: TypeSig<'_>, module: &M) -> bool {
    let (Type::GenericInst(one), Type::GenericInst(other)) = (one.ty(), other.ty()) else { return true };
    let definitions = one.type_def_or_ref().zip(other.type_def_or_ref());
    definitions.is_none_or(|(one, other)| module.may_be_same_type(one.into(), other.into()))
        && one.args().zip(other.args()).all(|(one, other)| may_match(one, other, module))
}
