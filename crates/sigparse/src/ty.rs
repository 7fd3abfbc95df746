//! Types (II.23.2.12): a borrowed view that opens one level at a time.

use core::fmt;

use crate::array::Array;
use crate::bytes::{self, Bytes, Failed};
use crate::element::ElementType;
use crate::generic::{Definition, GenericInst};
use crate::method::{MethodSig, Param};
use crate::reader::Reader;
use crate::token::TypeDefOrRef;
use crate::type_sig::TypeSig;

/// One level of a type (II.23.2.12). A nested type is another [`TypeSig`].
///
/// Whether a type makes sense where it stands (a `void` parameter, a reference to a reference) is not checked:
/// that is the runtime's business, and it accepts more than ECMA-335 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type<'a> {
    /// VOID: `void`; a return type, or the target of a pointer.
    Void,
    /// BOOLEAN: `bool`.
    Boolean,
    /// CHAR: `char`, a UTF-16 code unit.
    Char,
    /// I1: `sbyte`.
    I1,
    /// U1: `byte`.
    U1,
    /// I2: `short`.
    I2,
    /// U2: `ushort`.
    U2,
    /// I4: `int`.
    I4,
    /// U4: `uint`.
    U4,
    /// I8: `long`.
    I8,
    /// U8: `ulong`.
    U8,
    /// R4: `float`.
    R4,
    /// R8: `double`.
    R8,
    /// I: `nint`.
    I,
    /// U: `nuint`.
    U,
    /// STRING: `string`.
    String,
    /// OBJECT: `object`.
    Object,
    /// TYPEDBYREF: `System.TypedReference`.
    TypedByRef,
    /// CLASS: a class or an interface.
    Class(TypeDefOrRef),
    /// VALUETYPE: a structure or an enumeration.
    ValueType(TypeDefOrRef),
    /// VAR: a parameter of the generic type, from 0.
    Var(u32),
    /// MVAR: a parameter of the generic method, from 0.
    MVar(u32),
    /// PTR: an unmanaged pointer to this.
    Ptr(TypeSig<'a>),
    /// BYREF: a managed reference to this; `ref`, `in`, `out`.
    ByRef(TypeSig<'a>),
    /// SZARRAY: a vector of this.
    SzArray(TypeSig<'a>),
    /// ARRAY: an array with a rank and perhaps bounds.
    Array(Array<'a>),
    /// GENERICINST: a generic type with its arguments.
    GenericInst(GenericInst<'a>),
    /// FNPTR: a pointer to a function with this signature.
    FnPtr(MethodSig<'a>),
    /// PINNED: this, in a local variable that keeps the collector from moving the object.
    Pinned(TypeSig<'a>),
    /// INTERNAL: a type of the running process, by the runtime's type handle. Never in a file.
    Internal(usize),
}

impl<'a> TypeSig<'a> {
    /// The outermost level, without the custom modifiers before it.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        open(self.0)
    }

    /// Returns the target of a BYREF; `None` for other types.
    #[inline]
    pub fn by_ref(&self) -> Option<TypeSig<'a>> {
        match self.ty() {
            Type::ByRef(target) => Some(target),
            _ => None,
        }
    }
}

impl GenericInst<'_> {
    /// Returns the generic type: a [`Type::Class`], a [`Type::ValueType`] or a [`Type::Internal`].
    #[inline]
    pub const fn definition(&self) -> Type<'static> {
        match self.definition {
            Definition::Class(ty) => Type::Class(ty),
            Definition::ValueType(ty) => Type::ValueType(ty),
            Definition::Internal(handle) => Type::Internal(handle),
        }
    }
}

impl<'a> Param<'a> {
    /// Returns the outermost level of the type, without the custom modifiers before it.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        self.sig().ty()
    }

    /// Returns the target of a parameter by reference; `None` for others.
    #[inline]
    pub fn by_ref(&self) -> Option<TypeSig<'a>> {
        self.sig().by_ref()
    }
}

/// Opens one level of a type that has been walked or skipped, and whose bytes end with the type.
///
/// This checks nothing: `grammar` names the tests that hold it against the grammar. Rare types are opened by functions that
/// return less than a type, because one that returned a type would keep it in memory and out of the caller's registers.
#[inline(always)]
fn open(mut reader: Reader<'_>) -> Type<'_> {
    /// Unwraps a read that the walk has done before.
    macro_rules! read_before {
        ($read:expr) => {
            match $read {
                Some(value) => value,
                None => {
                    impossible();
                    return Type::Void;
                }
            }
        };
    }
    let mut element = ElementType(read_before!(reader.peek_u8()));
    reader.advance();
    loop {
        let mut bytes = reader.bytes();
        return match element {
            ElementType::VOID => Type::Void,
            ElementType::BOOLEAN => Type::Boolean,
            ElementType::CHAR => Type::Char,
            ElementType::I1 => Type::I1,
            ElementType::U1 => Type::U1,
            ElementType::I2 => Type::I2,
            ElementType::U2 => Type::U2,
            ElementType::I4 => Type::I4,
            ElementType::U4 => Type::U4,
            ElementType::I8 => Type::I8,
            ElementType::U8 => Type::U8,
            ElementType::R4 => Type::R4,
            ElementType::R8 => Type::R8,
            ElementType::I => Type::I,
            ElementType::U => Type::U,
            ElementType::STRING => Type::String,
            ElementType::OBJECT => Type::Object,
            ElementType::TYPEDBYREF => Type::TypedByRef,
            ElementType::CLASS => Type::Class(read_before!(type_def_or_ref(&mut bytes))),
            ElementType::VALUETYPE => Type::ValueType(read_before!(type_def_or_ref(&mut bytes))),
            ElementType::VAR => Type::Var(read_before!(number(&mut bytes))),
            ElementType::MVAR => Type::MVar(read_before!(number(&mut bytes))),
            ElementType::PTR => Type::Ptr(TypeSig::walked(reader)),
            ElementType::BYREF => Type::ByRef(TypeSig::walked(reader)),
            ElementType::SZARRAY => Type::SzArray(TypeSig::walked(reader)),
            ElementType::PINNED => Type::Pinned(TypeSig::walked(reader)),
            ElementType::GENERICINST => Type::GenericInst(read_before!(GenericInst::walked(reader))),
            ElementType::ARRAY => Type::Array(read_before!(open_array(reader))),
            ElementType::FNPTR => Type::FnPtr(read_before!(open_fn_ptr(reader))),
            ElementType::INTERNAL => Type::Internal(read_before!(open_internal(reader))),
            ElementType::CMOD_REQD | ElementType::CMOD_OPT | ElementType::CMOD_INTERNAL => {
                (element, reader) = read_before!(after_modifiers(element, reader));
                continue;
            }
            _ => {
                impossible();
                Type::Void
            }
        };
    }
}

#[inline(always)]
fn type_def_or_ref(bytes: &mut Bytes<'_>) -> Option<TypeDefOrRef> {
    bytes::type_def_or_ref::<Failed>(bytes).ok()
}

#[inline(always)]
fn number(bytes: &mut Bytes<'_>) -> Option<u32> {
    bytes::unsigned::<Failed>(bytes).ok()
}

/// Goes past the modifiers that begin with this one.
#[cold]
#[inline(never)]
fn after_modifiers(mut element: ElementType, mut reader: Reader<'_>) -> Option<(ElementType, Reader<'_>)> {
    while element.is_modifier() {
        reader.take(|bytes| bytes::modifier(element, bytes)).ok()?;
        element = ElementType(reader.read_u8().ok()?);
    }
    Some((element, reader))
}

#[cold]
#[inline(never)]
fn open_array(mut reader: Reader<'_>) -> Option<Array<'_>> {
    Array::read(&mut reader).ok()
}

#[cold]
#[inline(never)]
fn open_fn_ptr(reader: Reader<'_>) -> Option<MethodSig<'_>> {
    MethodSig::read(reader).ok()
}

#[cold]
#[inline(never)]
fn open_internal(mut reader: Reader<'_>) -> Option<usize> {
    reader.read_pointer().ok()
}

/// Not called: bytes that were walked can be opened. The type would be `void`.
#[cold]
#[inline(never)]
fn impossible() {
    debug_assert!(false, "what has been walked can be opened");
}

impl Type<'_> {
    /// The element type that the type is encoded with.
    pub const fn element_type(&self) -> ElementType {
        match self {
            Self::Void => ElementType::VOID,
            Self::Boolean => ElementType::BOOLEAN,
            Self::Char => ElementType::CHAR,
            Self::I1 => ElementType::I1,
            Self::U1 => ElementType::U1,
            Self::I2 => ElementType::I2,
            Self::U2 => ElementType::U2,
            Self::I4 => ElementType::I4,
            Self::U4 => ElementType::U4,
            Self::I8 => ElementType::I8,
            Self::U8 => ElementType::U8,
            Self::R4 => ElementType::R4,
            Self::R8 => ElementType::R8,
            Self::I => ElementType::I,
            Self::U => ElementType::U,
            Self::String => ElementType::STRING,
            Self::Object => ElementType::OBJECT,
            Self::TypedByRef => ElementType::TYPEDBYREF,
            Self::Class(_) => ElementType::CLASS,
            Self::ValueType(_) => ElementType::VALUETYPE,
            Self::Var(_) => ElementType::VAR,
            Self::MVar(_) => ElementType::MVAR,
            Self::Ptr(_) => ElementType::PTR,
            Self::ByRef(_) => ElementType::BYREF,
            Self::SzArray(_) => ElementType::SZARRAY,
            Self::Array(_) => ElementType::ARRAY,
            Self::GenericInst(_) => ElementType::GENERICINST,
            Self::FnPtr(_) => ElementType::FNPTR,
            Self::Pinned(_) => ElementType::PINNED,
            Self::Internal(_) => ElementType::INTERNAL,
        }
    }
}

impl fmt::Debug for TypeSig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for modifier in self.modifiers() {
            write!(f, "{modifier:?} ")?;
        }
        fmt::Debug::fmt(&self.ty(), f)
    }
}
