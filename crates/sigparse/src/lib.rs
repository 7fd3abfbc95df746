//! ECMA-335 signature blobs: a fast, exact decoder that does not allocate.
//!
//! .NET metadata describes the types of methods, fields, properties and local variables in small blobs
//! (ECMA-335, II.23.2). This crate reads every kind of them, with what the CLR added since.
//!
//! ```
//! use sigparse::{MethodSig, Type};
//!
//! // static void Copy(string, int[])
//! let sig = MethodSig::parse(&[0x00, 0x02, 0x01, 0x0E, 0x1D, 0x08])?;
//! assert!(sig.return_type().is_void());
//!
//! let mut params = sig.params();
//! assert_eq!(params.next().unwrap()?.ty(), Type::String);
//! let Type::SzArray(element) = params.next().unwrap()?.ty() else { panic!() };
//! assert_eq!(element.ty(), Type::I4);
//! # Ok::<(), sigparse::Error>(())
//! ```
//!
//! # Where to begin
//!
//! | blob of | begin with |
//! |---|---|
//! | `MethodDef`, a method's `MemberRef`, a call site | [`MethodSig`] |
//! | `Field`, a field's `MemberRef` | [`FieldSig`] |
//! | `Property` | [`PropertySig`] |
//! | `StandAloneSig` of a method body | [`LocalVarSig`] |
//! | `TypeSpec` | [`TypeSpecSig`] |
//! | `MethodSpec` | [`MethodSpecSig`] |
//! | any of these that names its kind | [`Signature`] |
//! | a type by itself | [`TypeSig`] |
//! | `CustomAttribute` | [`attribute::AttributeValue`] |
//! | `FieldMarshal` | [`marshal::MarshalSpec`] |
//!
//! | for | see |
//! |---|---|
//! | a method's name | `Names` of [`corprof`](https://docs.rs/corprof); without a runtime `Symbolizer` of [`clrnames`](https://docs.rs/clrnames) |
//! | argument values, results | `CallTracer` of [`corprof-calls`](https://docs.rs/corprof-calls) |
//! | a stack | `ProfilerInfo::walk_stack` of `corprof` |
//! | an allocation's size | `Profiler::object_allocated` and `ProfilerInfo::object_size` of `corprof` |
//! | an exception's message | `Profiler::exception_thrown` of `corprof`; the object's `_message` |
//!
//! [`walk`] reads a signature in one pass for a visitor, and [`ilasm`] prints it. The feature `alloc` adds owned
//! signatures (`MethodSigBuf`), their builders (`MethodSigBuilder`, `AttributeBuilder`, `MarshalSpecBuf`), and `Encoder`,
//! which carries signatures from one module to another. The feature `serde` writes signatures as their structure, and
//! reads tokens and owned signatures back.
//!
//! # Checks
//!
//! A [`TypeSig`] is walked to its end when it is read. From then on [`TypeSig::ty`] opens it level by level
//! and cannot fail. The items of a list (parameters, local variables) are read when the iterator comes to
//! them, so the iterator yields results, and `validate` reads them all and refuses bytes after the last.
//!
//! Malformed input gives an [`Error`] with an offset and a cause. No input makes this crate panic, loop
//! without end, recurse deeper than [`limits::MAX_DEPTH`] or allocate.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod array;
mod array_shape;
pub mod attribute;
#[cfg(feature = "alloc")]
pub mod builder;
mod bytes;
mod compressed;
mod element;
#[cfg(feature = "alloc")]
mod encoder;
mod error;
mod field;
mod generic;
mod grammar;
mod header;
pub mod ilasm;
pub mod limits;
mod locals;
mod macros;
pub mod marshal;
mod method;
mod modifier;
mod modifiers;
#[cfg(feature = "alloc")]
mod owned;
mod property;
mod reader;
#[cfg(feature = "serde")]
mod serde_impls;
mod signature;
mod skip;
mod spec;
pub mod token;
mod ty;
mod type_sig;
mod visitor;
pub mod walk;

pub use array::Array;
pub use array_shape::{ArrayShape, LowerBounds, Sizes};
#[cfg(feature = "alloc")]
pub use builder::{
    ArraySize, AttributeBuilder, LocalVarSigBuilder, MarshalSpecBuf, MethodSigBuilder, PropertySigBuilder,
    TypeEncoder, TypeList, ValueEncoder, ValueList,
};
pub use compressed::Compressed;
pub use element::ElementType;
#[cfg(feature = "alloc")]
pub use encoder::Encoder;
pub use error::{Error, ErrorKind};
pub use field::FieldSig;
pub use generic::{GenericInst, TypeArgs};
pub use header::{CallingConvention, SigHeader, SigKind};
pub use locals::{Local, LocalVarSig, Locals};
pub use method::{MethodSig, Param, Params};
pub use modifier::Modifier;
pub use modifiers::Modifiers;
#[cfg(feature = "alloc")]
pub use owned::{FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, TypeSigBuf};
pub use property::PropertySig;
pub use reader::Reader;
pub use signature::Signature;
pub use spec::{MethodSpecSig, TypeSpecSig};
pub use token::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    TypeDefOrRef, TypeOrMethodDef,
};
pub use token::{FieldDef, MemberRef, MethodDef, ParamDef, Token, TypeDef, TypeRef, TypeSpec};
pub use ty::Type;
pub use type_sig::TypeSig;
pub use visitor::Visitor;
