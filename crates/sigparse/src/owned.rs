//! Owned signatures: their bytes, known to be well formed, in one allocation each.
//!
//! An owned signature is its encoding. `as_sig` opens it as the borrowed view of the same kind, so there is one
//! way to look at a signature, owned or not.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use crate::compressed::Compressed;
use crate::encoder::Bytes;
use crate::error::Error;
use crate::field::FieldSig;
use crate::grammar::skip_method;
use crate::header::SigHeader;
use crate::locals::LocalVarSig;
use crate::method::MethodSig;
use crate::method::no_trailing_bytes;
use crate::property::PropertySig;
use crate::reader::Reader;
use crate::spec::{MethodSpecSig, TypeSpecSig};
use crate::type_sig::TypeSig;

macro_rules! owned {
    ($(
        $(#[$meta:meta])*
        $name:ident of $view:ident, $parse:ident, else $fallback:expr;
    )+) => { $(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<[u8]>);

        impl $name {
            /// Takes a blob as it is. All of it has to be one well-formed signature.
            ///
            /// # Errors
            /// If it is malformed, or bytes follow the signature.
            pub fn from_bytes(blob: impl Into<Box<[u8]>>) -> Result<Self, Error> {
                let blob = blob.into();
                $parse(&blob)?;
                Ok(Self(blob))
            }

            /// The signature.
            pub fn as_sig(&self) -> $view<'_> {
                let parsed = $view::parse(&self.0);
                debug_assert!(parsed.is_ok(), "checked when it was made: {self:?}", self = self.0);
                // The bytes were checked when this was made, so they parse.
                parsed.unwrap_or($fallback)
            }

            /// The bytes.
            pub fn as_bytes(&self) -> &[u8] {
                &self.0
            }

            /// The bytes, given up.
            pub fn into_bytes(self) -> Vec<u8> {
                self.0.into_vec()
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.as_sig(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.as_sig(), f)
            }
        }
    )+ };
}

owned! {
    /// An owned [`TypeSig`].
    ///
    /// ```
    /// use sigparse::{Type, TypeSigBuf};
    ///
    /// let sig = TypeSigBuf::build(|ty| ty.sz_array().string())?;
    /// assert_eq!(sig.as_bytes(), [0x1D, 0x0E]);
    /// assert!(matches!(sig.as_sig().ty(), Type::SzArray(element) if element.ty() == Type::String));
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    TypeSigBuf of TypeSig, check_type, else TypeSig::VOID;
    /// An owned [`MethodSig`]. [`MethodSigBuilder`](crate::MethodSigBuilder) builds one.
    MethodSigBuf of MethodSig, check_method, else MethodSig::NOTHING;
    /// An owned [`FieldSig`].
    FieldSigBuf of FieldSig, check_field, else FieldSig::VOID;
    /// An owned [`PropertySig`]. [`PropertySigBuilder`](crate::PropertySigBuilder) builds one.
    PropertySigBuf of PropertySig, check_property, else PropertySig::VOID;
    /// An owned [`LocalVarSig`]. [`LocalVarSigBuilder`](crate::LocalVarSigBuilder) builds one.
    LocalVarSigBuf of LocalVarSig, check_locals, else LocalVarSig::EMPTY;
    /// An owned [`MethodSpecSig`].
    MethodSpecSigBuf of MethodSpecSig, check_method_spec, else MethodSpecSig::VOID;
}

fn check_type(blob: &[u8]) -> Result<(), Error> {
    TypeSpecSig::parse(blob)?.validate()
}

fn check_method(blob: &[u8]) -> Result<(), Error> {
    let mut reader = Reader::new(blob);
    skip_method(&mut reader)?;
    no_trailing_bytes(reader)
}

fn check_field(blob: &[u8]) -> Result<(), Error> {
    FieldSig::parse(blob)?.validate()
}

fn check_property(blob: &[u8]) -> Result<(), Error> {
    PropertySig::parse(blob)?.validate()
}

fn check_locals(blob: &[u8]) -> Result<(), Error> {
    LocalVarSig::parse(blob)?.validate()
}

fn check_method_spec(blob: &[u8]) -> Result<(), Error> {
    MethodSpecSig::parse(blob)?.validate()
}

impl TypeSig<'_> {
    /// The type on its own, in one allocation.
    pub fn to_buf(&self) -> TypeSigBuf {
        // The bytes of a view are one well-formed type.
        TypeSigBuf(self.bytes().into())
    }
}

impl MethodSig<'_> {
    /// The signature on its own, in one allocation, without bytes after it.
    ///
    /// # Errors
    /// If a parameter is malformed.
    pub fn to_buf(&self) -> Result<MethodSigBuf, Error> {
        let (return_type, params) = (self.return_type(), self.param_bytes()?);
        let counts = [self.param_count()]
            .into_iter()
            .chain(self.header().is_generic().then(|| self.generic_param_count()));
        let head_len = counts.filter_map(Compressed::unsigned).fold(1, |len, count| len + count.len());
        let mut out = Bytes::with_capacity(head_len + return_type.bytes().len() + params.len());
        method_head(&mut out, self.header(), self.generic_param_count(), self.param_count());
        out.bytes.extend_from_slice(return_type.bytes());
        out.bytes.extend_from_slice(params);
        // The head was read from a signature and all types have been, so this is one.
        Ok(MethodSigBuf(out.finish()?.into()))
    }
}

/// Writes header, generic parameter count and parameter count.
pub(crate) fn method_head(out: &mut Bytes, header: SigHeader, generic_params: u32, params: u32) {
    out.bytes.push(header.0);
    if header.is_generic() {
        out.unsigned(generic_params);
    }
    out.unsigned(params);
}
