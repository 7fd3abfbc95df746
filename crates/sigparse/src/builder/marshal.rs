//! Marshalling descriptors (II.23.4), written.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use crate::encoder::Bytes;
use crate::error::{Error, ErrorKind};
use crate::marshal::{MarshalSpec, NativeType};

/// The source of an array's size for native code (II.23.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySize {
    /// Nowhere.
    Unknown,
    /// From the parameter with this number: `SizeParamIndex`.
    Param(u32),
    /// It is always this: `SizeConst`.
    Const(u32),
    /// The sum of the parameter and a constant.
    ParamAndConst {
        /// The number of the parameter.
        param: u32,
        /// The constant.
        count: u32,
    },
}

/// An owned [`MarshalSpec`]: its bytes, known to be well formed.
///
/// ```
/// use sigparse::{ArraySize, MarshalSpecBuf, marshal::NativeType};
///
/// // [MarshalAs(UnmanagedType.LPArray, ArraySubType = UnmanagedType.I4, SizeParamIndex = 1)]
/// let spec = MarshalSpecBuf::array(Some(NativeType::I4), ArraySize::Param(1))?;
/// assert_eq!(spec.as_bytes(), [0x2A, 0x07, 0x01]);
/// // [MarshalAs(UnmanagedType.LPWStr)]
/// assert_eq!(MarshalSpecBuf::simple(NativeType::LPWSTR)?.as_bytes(), [0x15]);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarshalSpecBuf(Box<[u8]>);

impl MarshalSpecBuf {
    /// Takes a blob as it is. All of it has to be one well-formed descriptor.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn from_bytes(blob: impl Into<Box<[u8]>>) -> Result<Self, Error> {
        let blob = blob.into();
        MarshalSpec::parse(&blob)?;
        Ok(Self(blob))
    }

    /// A type without parameters.
    ///
    /// # Errors
    /// If the type needs more than itself: FIXEDSYSSTRING, FIXEDARRAY, CUSTOMMARSHALER.
    pub fn simple(native: NativeType) -> Result<Self, Error> {
        Self::from_bytes([native.0])
    }

    /// IUNKNOWN, IDISPATCH or INTF, perhaps with the number of the parameter that holds the IID.
    ///
    /// # Errors
    /// If it is none of these, or the number is out of range.
    pub fn interface(native: NativeType, iid_param: Option<u32>) -> Result<Self, Error> {
        MarshalSpec::Interface { native, iid_param }.to_buf()
    }

    /// FIXEDSYSSTRING with so many characters: `ByValTStr`.
    ///
    /// # Errors
    /// If the number is out of range.
    pub fn fixed_string(length: u32) -> Result<Self, Error> {
        MarshalSpec::FixedString { length }.to_buf()
    }

    /// FIXEDARRAY with so many elements: `ByValArray`.
    ///
    /// # Errors
    /// If the number is out of range.
    pub fn fixed_array(count: u32, element: Option<NativeType>) -> Result<Self, Error> {
        MarshalSpec::FixedArray { count, element }.to_buf()
    }

    /// SAFEARRAY, perhaps with the type of its elements, a `VARTYPE` of COM.
    ///
    /// # Errors
    /// If the number is out of range.
    pub fn safe_array(variant_type: Option<u32>) -> Result<Self, Error> {
        MarshalSpec::SafeArray { variant_type, user_defined: None }.to_buf()
    }

    /// SAFEARRAY of structures (or of another `VARTYPE`), with the name of their managed type.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn safe_array_of(variant_type: u32, user_defined: &str) -> Result<Self, Error> {
        MarshalSpec::SafeArray { variant_type: Some(variant_type), user_defined: Some(user_defined) }.to_buf()
    }

    /// ARRAY, an array by its address: `LPArray`. Without an element type, the elements go by their managed type.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn array(element: Option<NativeType>, size: ArraySize) -> Result<Self, Error> {
        // The lowest bit of the flags says that the parameter counts; one stands there in any case.
        let (size_param, count, flags) = match size {
            ArraySize::Unknown => (None, None, None),
            ArraySize::Param(param) => (Some(param), None, None),
            ArraySize::Const(count) => (Some(0), Some(count), Some(0)),
            ArraySize::ParamAndConst { param, count } => (Some(param), Some(count), Some(1)),
        };
        let element = Some(element.unwrap_or(NativeType::MAX));
        MarshalSpec::Array { element, size_param, count, flags }.to_buf()
    }

    /// CUSTOMMARSHALER: the name of the marshaller's type, and its cookie.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn custom(marshaler: &str, cookie: &str) -> Result<Self, Error> {
        MarshalSpec::Custom { guid: "", native_type: "", marshaler, cookie }.to_buf()
    }

    /// The descriptor.
    pub fn as_spec(&self) -> MarshalSpec<'_> {
        let parsed = MarshalSpec::parse(&self.0);
        debug_assert!(parsed.is_ok(), "checked when it was made: {:02X?}", self.0);
        // The bytes were checked when this was made, so they parse.
        parsed.unwrap_or(MarshalSpec::Simple(NativeType::MAX))
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

impl AsRef<[u8]> for MarshalSpecBuf {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for MarshalSpecBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_spec(), f)
    }
}

impl fmt::Display for MarshalSpecBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_spec(), f)
    }
}

impl MarshalSpec<'_> {
    /// The descriptor's bytes. A descriptor that was read gives the same bytes, except integers that were longer
    /// than need be.
    ///
    /// # Errors
    /// If no bytes are read as this descriptor (a FIXEDARRAY without a count, an ARRAY's `count` without what comes
    /// before it), or a number is out of range.
    pub fn to_buf(&self) -> Result<MarshalSpecBuf, Error> {
        let mut out = Bytes::default();
        out.bytes.push(self.native_type().0);
        match *self {
            Self::Simple(_) => {}
            Self::Interface { iid_param, .. } => out.optional(iid_param),
            Self::FixedString { length } => out.unsigned(length),
            Self::FixedArray { count, element } => {
                out.unsigned(count);
                out.optional(element.map(|native| native.0.into()));
            }
            Self::SafeArray { variant_type, user_defined } => {
                out.optional(variant_type);
                user_defined.into_iter().for_each(|name| out.counted(name.as_bytes()));
            }
            Self::Array { element, size_param, count, flags } => {
                out.optional(element.map(|native| native.0.into()));
                [size_param, count, flags].into_iter().for_each(|number| out.optional(number));
            }
            Self::Custom { guid, native_type, marshaler, cookie } => {
                [guid, native_type, marshaler, cookie]
                    .into_iter()
                    .for_each(|text| out.counted(text.as_bytes()));
            }
        }
        let buf = MarshalSpecBuf::from_bytes(out.finish()?)?;
        if buf.as_spec() != *self {
            return Err(Error::new(0, ErrorKind::AmbiguousMarshalSpec));
        }
        Ok(buf)
    }
}

impl Bytes {
    fn optional(&mut self, number: Option<u32>) {
        number.into_iter().for_each(|number| self.unsigned(number));
    }
}
