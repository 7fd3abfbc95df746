//! Types, written one event at a time.

use core::marker::PhantomData;

use crate::element::ElementType;
use crate::encoder::Bytes;
use crate::modifier::Modifier;
use crate::owned::MethodSigBuf;
use crate::token::TypeDefOrRef;
use crate::type_sig::TypeSig;

/// Writes one type: any number of prefixes, then the method that finishes it.
///
/// ```
/// use sigparse::{TypeDefOrRef, TypeSigBuf};
///
/// let list = TypeDefOrRef::from_token(0x0100_0002).unwrap();
/// let sig = TypeSigBuf::build(|ty| {
///     ty.by_ref().generic_class(list, |args| {
///         args.arg(|ty| ty.sz_array().i4());
///         args.arg(|ty| ty.mvar(0));
///     })
/// })?;
/// assert_eq!(sig.to_string(), "class 0x01000002<int32[], !!0>&");
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Debug)]
pub struct TypeEncoder<'b> {
    out: &'b mut Bytes,
}

/// The proof that a [`TypeEncoder`] has written its type, or a [`ValueEncoder`](super::ValueEncoder) its value.
#[derive(Debug)]
pub struct Done<'b>(PhantomData<&'b mut ()>);

impl Done<'_> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

macro_rules! leaves {
    ($( $(#[$meta:meta])* $name:ident = $element:ident, )+) => {
        impl<'b> TypeEncoder<'b> { $(
            $(#[$meta])*
            pub fn $name(self) -> Done<'b> {
                self.out.element(ElementType::$element);
                Done::new()
            }
        )+ }
    };
}

leaves! {
    /// VOID.
    void = VOID,
    /// BOOLEAN.
    boolean = BOOLEAN,
    /// CHAR.
    char = CHAR,
    /// I1.
    i1 = I1,
    /// U1.
    u1 = U1,
    /// I2.
    i2 = I2,
    /// U2.
    u2 = U2,
    /// I4.
    i4 = I4,
    /// U4.
    u4 = U4,
    /// I8.
    i8 = I8,
    /// U8.
    u8 = U8,
    /// R4.
    r4 = R4,
    /// R8.
    r8 = R8,
    /// I.
    i = I,
    /// U.
    u = U,
    /// STRING.
    string = STRING,
    /// OBJECT.
    object = OBJECT,
    /// TYPEDBYREF.
    typed_by_ref = TYPEDBYREF,
}

macro_rules! prefixes {
    ($( $(#[$meta:meta])* $name:ident = $element:ident, )+) => {
        impl TypeEncoder<'_> { $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(self) -> Self {
                self.out.element(ElementType::$element);
                self
            }
        )+ }
    };
}

prefixes! {
    /// PTR: an unmanaged pointer to what comes next.
    ptr = PTR,
    /// BYREF: a managed reference to the next type.
    by_ref = BYREF,
    /// SZARRAY: a vector of the next type.
    sz_array = SZARRAY,
    /// PINNED: the next type, pinned.
    pinned = PINNED,
}

impl<'b> TypeEncoder<'b> {
    pub(super) fn new(out: &'b mut Bytes) -> Self {
        Self { out }
    }

    /// A custom modifier of the next type.
    #[must_use]
    pub fn modifier(self, modifier: Modifier) -> Self {
        self.out.modifier(modifier);
        self
    }

    /// CLASS.
    pub fn class(self, ty: TypeDefOrRef) -> Done<'b> {
        self.out.element(ElementType::CLASS);
        self.out.type_def_or_ref(ty);
        Done::new()
    }

    /// VALUETYPE.
    pub fn value_type(self, ty: TypeDefOrRef) -> Done<'b> {
        self.out.element(ElementType::VALUETYPE);
        self.out.type_def_or_ref(ty);
        Done::new()
    }

    /// VAR: the parameter of a generic type.
    pub fn var(self, number: u32) -> Done<'b> {
        self.out.element(ElementType::VAR);
        self.out.unsigned(number);
        Done::new()
    }

    /// MVAR: the parameter of a generic method.
    pub fn mvar(self, number: u32) -> Done<'b> {
        self.out.element(ElementType::MVAR);
        self.out.unsigned(number);
        Done::new()
    }

    /// INTERNAL: a type of the running process.
    pub fn internal(self, handle: usize) -> Done<'b> {
        self.out.element(ElementType::INTERNAL);
        self.out.pointer(handle);
        Done::new()
    }

    /// ARRAY, with the sizes and lower bounds of the first dimensions.
    pub fn array(
        self,
        rank: u32,
        sizes: &[u32],
        lower_bounds: &[i32],
        element: impl for<'e> FnOnce(TypeEncoder<'e>) -> Done<'e>,
    ) -> Done<'b> {
        self.out.element(ElementType::ARRAY);
        element(TypeEncoder { out: self.out });
        self.out.shape(rank, sizes.iter().copied(), lower_bounds.iter().copied());
        Done::new()
    }

    /// GENERICINST of a class or an interface.
    pub fn generic_class(self, ty: TypeDefOrRef, args: impl FnOnce(&mut TypeList)) -> Done<'b> {
        self.generic_inst(ElementType::CLASS, ty, args)
    }

    /// GENERICINST of a value type.
    pub fn generic_value_type(self, ty: TypeDefOrRef, args: impl FnOnce(&mut TypeList)) -> Done<'b> {
        self.generic_inst(ElementType::VALUETYPE, ty, args)
    }

    fn generic_inst(
        self,
        element: ElementType,
        ty: TypeDefOrRef,
        args: impl FnOnce(&mut TypeList),
    ) -> Done<'b> {
        self.out.element(ElementType::GENERICINST);
        self.out.element(element);
        self.out.type_def_or_ref(ty);
        TypeList::write(self.out, args);
        Done::new()
    }

    /// FNPTR.
    pub fn fn_ptr(self, sig: &MethodSigBuf) -> Done<'b> {
        self.out.element(ElementType::FNPTR);
        self.out.bytes.extend_from_slice(sig.as_bytes());
        Done::new()
    }

    /// A type of another signature, as it is.
    pub fn copy(self, sig: TypeSig<'_>) -> Done<'b> {
        self.out.bytes.extend_from_slice(sig.bytes());
        Done::new()
    }
}

/// Writes types one after the other.
#[derive(Debug, Default)]
pub struct TypeList {
    pub(super) out: Bytes,
    count: usize,
}

impl TypeList {
    /// Writes the next type.
    pub fn arg(&mut self, ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) {
        ty(TypeEncoder { out: &mut self.out });
        self.count += 1;
    }

    pub(super) fn write(out: &mut Bytes, args: impl FnOnce(&mut TypeList)) {
        let mut list = Self::default();
        args(&mut list);
        out.count(list.count);
        out.append(list.out);
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.count).unwrap_or(u32::MAX)
    }
}
