//! The visitor of a walk.

use crate::array_shape::ArrayShape;
use crate::element::ElementType;
use crate::header::SigHeader;
use crate::modifier::Modifier;
use crate::token::TypeDefOrRef;

/// The methods that a walk calls, in the order of the blob. Every method does nothing by default.
///
/// A prefix ([`ptr`](Self::ptr), [`by_ref`](Self::by_ref), [`sz_array`](Self::sz_array),
/// [`pinned`](Self::pinned), [`modifier`](Self::modifier)) is followed by the events of the one type it applies
/// to.
#[allow(unused_variables, reason = "the names document the parameters")]
pub trait Visitor<'a> {
    /// A type that is whole in itself: [`ElementType::is_leaf`].
    #[inline]
    fn leaf(&mut self, element: ElementType) {}

    /// CLASS.
    #[inline]
    fn class(&mut self, ty: TypeDefOrRef) {}

    /// VALUETYPE.
    #[inline]
    fn value_type(&mut self, ty: TypeDefOrRef) {}

    /// VAR: the parameter of a generic type.
    #[inline]
    fn var(&mut self, number: u32) {}

    /// MVAR: the parameter of a generic method.
    #[inline]
    fn mvar(&mut self, number: u32) {}

    /// INTERNAL: a type of the running process.
    #[inline]
    fn internal(&mut self, handle: usize) {}

    /// A custom modifier.
    #[inline]
    fn modifier(&mut self, modifier: Modifier) {}

    /// PTR.
    #[inline]
    fn ptr(&mut self) {}

    /// BYREF.
    #[inline]
    fn by_ref(&mut self) {}

    /// SZARRAY.
    #[inline]
    fn sz_array(&mut self) {}

    /// PINNED.
    #[inline]
    fn pinned(&mut self) {}

    /// ARRAY; the events of the element type follow, and then [`end_array`](Self::end_array).
    #[inline]
    fn begin_array(&mut self) {}

    /// The shape of the innermost ARRAY.
    #[inline]
    fn end_array(&mut self, shape: ArrayShape<'a>) {}

    /// GENERICINST; one of [`class`](Self::class), [`value_type`](Self::value_type) and
    /// [`internal`](Self::internal) follows, and then [`generic_args`](Self::generic_args).
    #[inline]
    fn begin_generic_inst(&mut self) {}

    /// The count of arguments of the innermost GENERICINST or of a method instantiation, before their events.
    #[inline]
    fn generic_args(&mut self, count: u32) {}

    /// The end of the innermost GENERICINST.
    #[inline]
    fn end_generic_inst(&mut self) {}

    /// FNPTR; the events of a method follow.
    #[inline]
    fn fn_ptr(&mut self) {}

    /// The head of a method signature; the events of the return type follow, then those of the parameters.
    #[inline]
    fn begin_method(&mut self, header: SigHeader, generic_params: u32, params: u32) {}

    /// The next parameter of the innermost method, from 0; its events follow.
    #[inline]
    fn param(&mut self, index: u32) {}

    /// SENTINEL: the parameters after it are not declared by the method.
    #[inline]
    fn sentinel(&mut self) {}

    /// The end of the innermost method signature.
    #[inline]
    fn end_method(&mut self) {}

    /// The head of a field signature; the events of its type follow.
    #[inline]
    fn begin_field(&mut self, header: SigHeader) {}

    /// The head of a method instantiation; [`generic_args`](Self::generic_args) follows, then the events of the
    /// arguments.
    #[inline]
    fn begin_method_spec(&mut self, header: SigHeader) {}

    /// The head of a property signature; the events of its type follow, then those of the parameters, each
    /// after a [`param`](Self::param).
    #[inline]
    fn begin_property(&mut self, header: SigHeader, params: u32) {}

    /// The head of a local variable signature; each variable is a [`local`](Self::local).
    #[inline]
    fn begin_locals(&mut self, header: SigHeader, count: u32) {}

    /// The next local variable, from 0; its events follow.
    #[inline]
    fn local(&mut self, index: u32) {}
}
