//! Generic types with arguments (II.23.2.12).

use core::{fmt, iter::FusedIterator};

use crate::bytes::{self, Failed};
use crate::element::ElementType;
use crate::reader::Reader;
use crate::token::TypeDefOrRef;
use crate::type_sig::TypeSig;

/// A GENERICINST: a generic type with its arguments (II.23.2.12).
///
/// ```
/// use sigparse::{Type, TypeDefOrRef, TypeSig};
///
/// // class 0x01000002<int, string>
/// let sig = TypeSig::parse(&[0x15, 0x12, 0x09, 0x02, 0x08, 0x0E])?;
/// let Type::GenericInst(inst) = sig.ty() else { panic!() };
/// assert_eq!(inst.definition(), Type::Class(TypeDefOrRef::from_token(0x0100_0002).unwrap()));
/// assert!(inst.args().map(|arg| arg.ty()).eq([Type::I4, Type::String]));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GenericInst<'a> {
    pub(crate) definition: Definition,
    args: TypeArgs<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Definition {
    Class(TypeDefOrRef),
    ValueType(TypeDefOrRef),
    Internal(usize),
}

impl<'a> GenericInst<'a> {
    /// The bytes after the element type, which have been walked and end with the last argument.
    #[inline(always)]
    pub(crate) fn walked(mut reader: Reader<'a>) -> Option<Self> {
        let mut bytes = reader.bytes();
        let definition = match ElementType(*bytes.next()?) {
            ElementType::CLASS => Definition::Class(bytes::type_def_or_ref::<Failed>(&mut bytes).ok()?),
            ElementType::VALUETYPE => {
                Definition::ValueType(bytes::type_def_or_ref::<Failed>(&mut bytes).ok()?)
            }
            _ => Definition::Internal(bytes::pointer::<Failed>(&mut bytes).ok()?),
        };
        let left = bytes::unsigned::<Failed>(&mut bytes).ok()?;
        reader.split_before(bytes.as_slice());
        Some(Self { definition, args: TypeArgs { reader, left } })
    }

    /// The generic type's token, unless it is one of the running process.
    #[inline]
    pub const fn type_def_or_ref(&self) -> Option<TypeDefOrRef> {
        match self.definition {
            Definition::Class(ty) | Definition::ValueType(ty) => Some(ty),
            Definition::Internal(_) => None,
        }
    }

    /// Returns whether the generic type is encoded as a value type.
    #[inline]
    pub const fn is_value_type(&self) -> bool {
        matches!(self.definition, Definition::ValueType(_))
    }

    /// The arguments, at least one.
    #[inline]
    pub const fn args(&self) -> TypeArgs<'a> {
        self.args
    }
}

/// The arguments of a generic type or method: an iterator over types that are known to be well formed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeArgs<'a> {
    reader: Reader<'a>,
    left: u32,
}

impl<'a> TypeArgs<'a> {
    /// Arguments in bytes that have been walked and end with the last one.
    pub(crate) const fn walked(reader: Reader<'a>, count: u32) -> Self {
        Self { reader, left: count }
    }
}

impl<'a> Iterator for TypeArgs<'a> {
    type Item = TypeSig<'a>;

    #[inline]
    fn next(&mut self) -> Option<TypeSig<'a>> {
        self.left = self.left.checked_sub(1)?;
        if self.left == 0 {
            // The last one ends where the bytes do.
            return Some(TypeSig::walked(self.reader));
        }
        self.reader.read_type().ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for TypeArgs<'_> {}

impl FusedIterator for TypeArgs<'_> {}

impl fmt::Debug for TypeArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}
