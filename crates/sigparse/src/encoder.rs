//! Signatures back to bytes.

use alloc::vec::Vec;

use crate::array_shape::ArrayShape;
use crate::compressed::Compressed;
use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::header::SigHeader;
use crate::modifier::Modifier;
use crate::token::TypeDefOrRef;
use crate::visitor::Visitor;

/// Bytes of a signature that is being written.
///
/// The first number that has no encoding is reported at the end.
#[derive(Debug, Default)]
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    error: Option<Error>,
}

impl Bytes {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), error: None }
    }

    pub(crate) fn element(&mut self, element: ElementType) {
        self.bytes.push(element.0);
    }

    pub(crate) fn unsigned(&mut self, value: u32) {
        self.compressed(Compressed::unsigned(value), i64::from(value));
    }

    pub(crate) fn signed(&mut self, value: i32) {
        self.compressed(Compressed::signed(value), i64::from(value));
    }

    fn compressed(&mut self, compressed: Option<Compressed>, value: i64) {
        match compressed {
            Some(compressed) => self.bytes.extend_from_slice(&compressed),
            None => self.fail(Error::new(self.bytes.len(), ErrorKind::IntegerOutOfRange(value))),
        }
    }

    /// Keeps an error, unless there is one already.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Writes bytes with their count before them.
    pub(crate) fn counted(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn type_def_or_ref(&mut self, ty: TypeDefOrRef) {
        // A row has three bytes, so this has a compressed form.
        self.unsigned(ty.coded());
    }

    pub(crate) fn pointer(&mut self, handle: usize) {
        self.bytes.extend_from_slice(&handle.to_ne_bytes());
    }

    pub(crate) fn modifier(&mut self, modifier: Modifier) {
        match modifier {
            Modifier::Required(ty) => {
                self.element(ElementType::CMOD_REQD);
                self.type_def_or_ref(ty);
            }
            Modifier::Optional(ty) => {
                self.element(ElementType::CMOD_OPT);
                self.type_def_or_ref(ty);
            }
            Modifier::Internal { required, handle } => {
                self.element(ElementType::CMOD_INTERNAL);
                self.bytes.push(u8::from(required));
                self.pointer(handle);
            }
        }
    }

    /// Writes the shape of an array.
    ///
    /// A count that does not fit is written as one that the walk at the end refuses.
    pub(crate) fn shape(
        &mut self,
        rank: u32,
        sizes: impl ExactSizeIterator<Item = u32>,
        lower_bounds: impl ExactSizeIterator<Item = i32>,
    ) {
        self.unsigned(rank);
        self.count(sizes.len());
        sizes.for_each(|size| self.unsigned(size));
        self.count(lower_bounds.len());
        lower_bounds.for_each(|bound| self.signed(bound));
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.unsigned(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Appends the bytes and the error of another.
    pub(crate) fn append(&mut self, other: Bytes) {
        if let Some(error) = other.error {
            self.fail(Error::new(self.bytes.len() + error.offset, error.kind));
        }
        self.bytes.extend_from_slice(&other.bytes);
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, Error> {
        self.error.map_or(Ok(self.bytes), Err)
    }
}

/// A visitor that encodes the signature it visits, and may replace every type token.
///
/// This is how a signature is carried from one module to another, whose tokens differ. Without a replacement
/// the bytes are preserved, except for integers that were longer than necessary.
///
/// ```
/// use sigparse::{Encoder, TypeDefOrRef, walk};
///
/// // class 0x01000002 M(int) in one module, class 0x01000020 M(int) in the other
/// let blob = [0x00, 0x01, 0x12, 0x09, 0x08];
/// let there = TypeDefOrRef::from_token(0x0100_0020).unwrap();
/// let mut encoder = Encoder::with_tokens(|_here| there);
/// walk::signature(&blob, &mut encoder)?;
/// assert_eq!(encoder.finish()?, [0x00, 0x01, 0x12, 0x80, 0x81, 0x08]);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Debug)]
pub struct Encoder<F = fn(TypeDefOrRef) -> TypeDefOrRef> {
    out: Bytes,
    tokens: F,
}

impl Encoder {
    /// An encoder that leaves the tokens as they are.
    pub fn new() -> Self {
        Self::with_tokens(core::convert::identity)
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: FnMut(TypeDefOrRef) -> TypeDefOrRef> Encoder<F> {
    /// An encoder that replaces each token by the function's result.
    pub fn with_tokens(tokens: F) -> Self {
        Self { out: Bytes::default(), tokens }
    }

    /// Returns the bytes of the signature.
    ///
    /// # Errors
    /// None after a successful walk: everything that a walk visits can be encoded.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        self.out.finish()
    }

    fn with_token(&mut self, element: ElementType, ty: TypeDefOrRef) {
        self.out.element(element);
        let ty = (self.tokens)(ty);
        self.out.type_def_or_ref(ty);
    }

    fn with_number(&mut self, element: ElementType, number: u32) {
        self.out.element(element);
        self.out.unsigned(number);
    }
}

impl<'a, F: FnMut(TypeDefOrRef) -> TypeDefOrRef> Visitor<'a> for Encoder<F> {
    fn leaf(&mut self, element: ElementType) {
        self.out.element(element);
    }

    fn class(&mut self, ty: TypeDefOrRef) {
        self.with_token(ElementType::CLASS, ty);
    }

    fn value_type(&mut self, ty: TypeDefOrRef) {
        self.with_token(ElementType::VALUETYPE, ty);
    }

    fn var(&mut self, number: u32) {
        self.with_number(ElementType::VAR, number);
    }

    fn mvar(&mut self, number: u32) {
        self.with_number(ElementType::MVAR, number);
    }

    fn internal(&mut self, handle: usize) {
        self.out.element(ElementType::INTERNAL);
        self.out.pointer(handle);
    }

    fn modifier(&mut self, modifier: Modifier) {
        let modifier = match modifier {
            Modifier::Required(ty) => Modifier::Required((self.tokens)(ty)),
            Modifier::Optional(ty) => Modifier::Optional((self.tokens)(ty)),
            internal @ Modifier::Internal { .. } => internal,
        };
        self.out.modifier(modifier);
    }

    fn ptr(&mut self) {
        self.out.element(ElementType::PTR);
    }

    fn by_ref(&mut self) {
        self.out.element(ElementType::BYREF);
    }

    fn sz_array(&mut self) {
        self.out.element(ElementType::SZARRAY);
    }

    fn pinned(&mut self) {
        self.out.element(ElementType::PINNED);
    }

    fn begin_array(&mut self) {
        self.out.element(ElementType::ARRAY);
    }

    fn end_array(&mut self, shape: ArrayShape<'a>) {
        self.out.shape(shape.rank(), shape.sizes(), shape.lower_bounds());
    }

    fn begin_generic_inst(&mut self) {
        self.out.element(ElementType::GENERICINST);
    }

    fn generic_args(&mut self, count: u32) {
        self.out.unsigned(count);
    }

    fn fn_ptr(&mut self) {
        self.out.element(ElementType::FNPTR);
    }

    fn begin_method(&mut self, header: SigHeader, generic_params: u32, params: u32) {
        self.out.bytes.push(header.0);
        if header.is_generic() {
            self.out.unsigned(generic_params);
        }
        self.out.unsigned(params);
    }

    fn sentinel(&mut self) {
        self.out.element(ElementType::SENTINEL);
    }

    fn begin_field(&mut self, header: SigHeader) {
        self.out.bytes.push(header.0);
    }

    fn begin_property(&mut self, header: SigHeader, params: u32) {
        self.out.bytes.push(header.0);
        self.out.unsigned(params);
    }

    fn begin_locals(&mut self, header: SigHeader, count: u32) {
        self.out.bytes.push(header.0);
        self.out.unsigned(count);
    }

    fn begin_method_spec(&mut self, header: SigHeader) {
        self.out.bytes.push(header.0);
    }
}
