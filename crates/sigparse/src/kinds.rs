//! The kinds of signature that are no method's: fields, properties, locals, and instantiations.

use core::{fmt, iter::FusedIterator};

use crate::{
    CallingConvention, Error, MethodSig, Modifiers, Params, Reader, SigHeader, SigKind, Type, TypeArgs,
    TypeSig, limits,
    method::{Sentinel, no_trailing_bytes},
    walk::{Skip, read_generic_arg_count, walk_type, wrong_kind},
};

/// Reads a header and checks its kind.
#[inline]
fn read_header(
    reader: &mut Reader<'_>,
    expected: SigKind,
    convention: CallingConvention,
) -> Result<SigHeader, Error> {
    let at = reader.position();
    let header = SigHeader(reader.read_u8()?);
    if header.calling_convention() != convention {
        return Err(wrong_kind(at, expected, header));
    }
    Ok(header)
}

/// The type of a field (II.23.2.4).
///
/// The type of a `ref` field is a [`Type::ByRef`].
///
/// ```
/// use sigparse::{FieldSig, Modifier, Type};
///
/// // volatile int: modreq(0x01000003) int
/// let sig = FieldSig::parse(&[0x06, 0x1F, 0x0D, 0x08])?;
/// assert_eq!(sig.ty(), Type::I4);
/// assert!(sig.modifiers().all(|modifier| modifier.is_required()));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldSig<'a> {
    sig: TypeSig<'a>,
    trailing: Reader<'a>,
}

impl<'a> FieldSig<'a> {
    /// Reads a field signature, whole.
    ///
    /// # Errors
    /// If it is malformed or of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        read_header(&mut reader, SigKind::Field, CallingConvention::FIELD)?;
        Ok(Self { sig: reader.read_type()?, trailing: reader })
    }

    /// The type with its custom modifiers.
    #[inline]
    pub const fn sig(&self) -> TypeSig<'a> {
        self.sig
    }

    /// The outermost level of the type.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        self.sig.ty()
    }

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        self.sig.modifiers()
    }

    /// Checks that nothing follows the signature.
    ///
    /// # Errors
    /// If bytes do.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.trailing)
    }

    /// The bytes after the signature.
    pub fn trailing_bytes(&self) -> &'a [u8] {
        self.trailing.rest()
    }
}

/// The type of a property, and the parameters of an indexer (II.23.2.5).
///
/// ```
/// use sigparse::{PropertySig, Type};
///
/// // instance string this[int]
/// let sig = PropertySig::parse(&[0x28, 0x01, 0x0E, 0x08])?;
/// assert!(sig.has_this());
/// assert_eq!(sig.property_type().ty(), Type::String);
/// assert_eq!(sig.param_count(), 1);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PropertySig<'a> {
    header: SigHeader,
    property_type: TypeSig<'a>,
    params: Params<'a>,
}

impl<'a> PropertySig<'a> {
    /// Reads the head and the type of a property signature.
    ///
    /// # Errors
    /// If they are malformed, or the header is of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        let header = read_header(&mut reader, SigKind::Property, CallingConvention::PROPERTY)?;
        let count = reader.read_count()?;
        let property_type = reader.read_type()?;
        Ok(Self {
            header,
            property_type,
            params: Params { reader, index: 0, count, sentinel: Sentinel::Impossible },
        })
    }

    /// The first byte.
    #[inline]
    pub const fn header(&self) -> SigHeader {
        self.header
    }

    /// Whether the property is an instance's.
    #[inline]
    pub const fn has_this(&self) -> bool {
        self.header.has_this()
    }

    /// The number of parameters of an indexer.
    #[inline]
    pub const fn param_count(&self) -> u32 {
        self.params.count
    }

    /// The type of the property.
    #[inline]
    pub const fn property_type(&self) -> TypeSig<'a> {
        self.property_type
    }

    /// The parameters of an indexer.
    #[inline]
    pub const fn params(&self) -> Params<'a> {
        self.params
    }

    /// Reads all parameters and checks that nothing follows them.
    ///
    /// # Errors
    /// If a parameter is malformed, or bytes follow the last one.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.params.end()?)
    }

    /// The bytes after the last parameter.
    ///
    /// # Errors
    /// If a parameter is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.params.end()?.rest())
    }
}

/// The types of a method's local variables (II.23.2.6).
///
/// ```
/// use sigparse::{LocalVarSig, Type};
///
/// // int; pinned ref byte
/// let sig = LocalVarSig::parse(&[0x07, 0x02, 0x08, 0x45, 0x10, 0x05])?;
/// for local in sig.locals() {
///     let local = local?;
///     assert_eq!(local.is_pinned(), local.index() == 1);
/// }
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LocalVarSig<'a> {
    locals: Locals<'a>,
}

impl<'a> LocalVarSig<'a> {
    /// Reads the head of a local variable signature. The variables are read as [`locals`](Self::locals) comes
    /// to them.
    ///
    /// # Errors
    /// If it is malformed or of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        read_header(&mut reader, SigKind::LocalVar, CallingConvention::LOCAL_SIG)?;
        let count = reader.read_count()?;
        Ok(Self { locals: Locals { reader, index: 0, count } })
    }

    /// The number of variables.
    #[inline]
    pub const fn local_count(&self) -> u32 {
        self.locals.count
    }

    /// The variables, in order.
    #[inline]
    pub const fn locals(&self) -> Locals<'a> {
        self.locals
    }

    /// Reads all variables and checks that nothing follows them.
    ///
    /// # Errors
    /// If a variable is malformed, or bytes follow the last one.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.locals.end()?)
    }

    /// The bytes after the last variable.
    ///
    /// # Errors
    /// If a variable is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.locals.end()?.rest())
    }
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local<'a> {
    index: u32,
    sig: TypeSig<'a>,
}

impl<'a> Local<'a> {
    /// The number of the variable, from 0.
    #[inline]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The type with its custom modifiers.
    #[inline]
    pub const fn sig(&self) -> TypeSig<'a> {
        self.sig
    }

    /// The outermost level of the type.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        self.sig.ty()
    }

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        self.sig.modifiers()
    }

    /// Whether the variable keeps its object from being moved (II.23.2.9).
    #[inline]
    pub fn is_pinned(&self) -> bool {
        matches!(self.ty(), Type::Pinned(_))
    }
}

/// The local variables of a method: an iterator that reads each as it comes to it, and ends after an error.
#[derive(Clone, Copy)]
pub struct Locals<'a> {
    reader: Reader<'a>,
    index: u32,
    count: u32,
}

impl<'a> Locals<'a> {
    fn end(mut self) -> Result<Reader<'a>, Error> {
        for local in self.by_ref() {
            local?;
        }
        Ok(self.reader)
    }
}

impl<'a> Iterator for Locals<'a> {
    type Item = Result<Local<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.count {
            return None;
        }
        let sig = self.reader.read_type();
        let index = self.index;
        self.index = if sig.is_ok() { index + 1 } else { self.count };
        Some(sig.map(|sig| Local { index, sig }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error ends the iteration early.
        let left = (self.count - self.index) as usize;
        (left.min(1), Some(left))
    }
}

impl FusedIterator for Locals<'_> {}

impl fmt::Debug for Locals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.map(|local| local.map(|local| local.sig))).finish()
    }
}

/// A constructed type: the signature of a `TypeSpec` row (II.23.2.14).
///
/// ECMA-335 allows PTR, FNPTR, ARRAY, SZARRAY and GENERICINST here; compilers also write VAR, MVAR, custom
/// modifiers and primitives, so any type is accepted.
///
/// ```
/// use sigparse::{Type, TypeSpecSig};
///
/// let sig = TypeSpecSig::parse(&[0x1D, 0x13, 0x00])?;
/// assert!(matches!(sig.ty(), Type::SzArray(element) if element.ty() == Type::Var(0)));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeSpecSig<'a> {
    sig: TypeSig<'a>,
    trailing: Reader<'a>,
}

impl<'a> TypeSpecSig<'a> {
    /// Reads the signature of a constructed type, whole.
    ///
    /// # Errors
    /// If it is malformed.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        Ok(Self { sig: reader.read_type()?, trailing: reader })
    }

    /// The type with its custom modifiers.
    #[inline]
    pub const fn sig(&self) -> TypeSig<'a> {
        self.sig
    }

    /// The outermost level of the type.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        self.sig.ty()
    }

    /// Checks that nothing follows the signature.
    ///
    /// # Errors
    /// If bytes do.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.trailing)
    }

    /// The bytes after the signature.
    pub fn trailing_bytes(&self) -> &'a [u8] {
        self.trailing.rest()
    }
}

/// The arguments of a generic method: the signature of a `MethodSpec` row (II.23.2.15).
///
/// ```
/// use sigparse::{MethodSpecSig, Type};
///
/// let sig = MethodSpecSig::parse(&[0x0A, 0x02, 0x08, 0x1E, 0x00])?;
/// assert!(sig.args().map(|arg| arg.ty()).eq([Type::I4, Type::MVar(0)]));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodSpecSig<'a> {
    args: TypeArgs<'a>,
    trailing: Reader<'a>,
}

impl<'a> MethodSpecSig<'a> {
    /// Reads the arguments of a generic method, whole.
    ///
    /// # Errors
    /// If they are malformed or the header is of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        read_header(&mut reader, SigKind::MethodSpec, CallingConvention::GENERICINST)?;
        let count = read_generic_arg_count(&mut reader)?;
        let args = reader;
        for _ in 0..count {
            walk_type(&mut reader, limits::MAX_DEPTH, &mut Skip)?;
        }
        Ok(Self { args: TypeArgs::walked(args.up_to(&reader), count), trailing: reader })
    }

    /// The arguments, at least one.
    #[inline]
    pub const fn args(&self) -> TypeArgs<'a> {
        self.args
    }

    /// Checks that nothing follows the signature.
    ///
    /// # Errors
    /// If bytes do.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.trailing)
    }

    /// The bytes after the signature.
    pub fn trailing_bytes(&self) -> &'a [u8] {
        self.trailing.rest()
    }
}

/// Any signature that names its kind in the first byte: what a `MemberRef`, a `StandAloneSig` or a blob of
/// unknown origin can hold.
///
/// ```
/// use sigparse::Signature;
///
/// assert!(matches!(Signature::parse(&[0x07, 0x01, 0x08])?, Signature::LocalVar(_)));
/// assert!(matches!(Signature::parse(&[0x06, 0x08])?, Signature::Field(_)));
/// assert!(matches!(Signature::parse(&[0x00, 0x00, 0x01])?, Signature::Method(_)));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Signature<'a> {
    /// A method (II.23.2.1 to 3).
    Method(MethodSig<'a>),
    /// A field (II.23.2.4).
    Field(FieldSig<'a>),
    /// A property (II.23.2.5).
    Property(PropertySig<'a>),
    /// Local variables (II.23.2.6).
    LocalVar(LocalVarSig<'a>),
    /// The arguments of a generic method (II.23.2.15).
    MethodSpec(MethodSpecSig<'a>),
}

impl<'a> Signature<'a> {
    /// Reads a signature of the kind that the first byte names.
    ///
    /// # Errors
    /// If it is malformed, or the first byte names no kind.
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let header = SigHeader(Reader::new(blob).read_u8()?);
        Ok(match SigKind::of(header) {
            Some(SigKind::Field) => Self::Field(FieldSig::parse(blob)?),
            Some(SigKind::Property) => Self::Property(PropertySig::parse(blob)?),
            Some(SigKind::LocalVar) => Self::LocalVar(LocalVarSig::parse(blob)?),
            Some(SigKind::MethodSpec) => Self::MethodSpec(MethodSpecSig::parse(blob)?),
            Some(SigKind::Method) | None => Self::Method(MethodSig::parse(blob)?),
        })
    }

    /// The kind of the signature.
    pub const fn kind(&self) -> SigKind {
        match self {
            Self::Method(_) => SigKind::Method,
            Self::Field(_) => SigKind::Field,
            Self::Property(_) => SigKind::Property,
            Self::LocalVar(_) => SigKind::LocalVar,
            Self::MethodSpec(_) => SigKind::MethodSpec,
        }
    }

    /// Reads the whole signature and checks that nothing follows it.
    ///
    /// # Errors
    /// If it is malformed, or bytes follow it.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Method(sig) => sig.validate(),
            Self::Field(sig) => sig.validate(),
            Self::Property(sig) => sig.validate(),
            Self::LocalVar(sig) => sig.validate(),
            Self::MethodSpec(sig) => sig.validate(),
        }
    }
}
