//! Marshalling descriptors (II.23.4).

use crate::error::{Error, ErrorKind};
use crate::macros::open_u8;
use crate::method::no_trailing_bytes;
use crate::reader::Reader;

open_u8! {
    /// A type of native code: the first byte of a marshalling descriptor (II.23.4), with the CLR's additions.
    NativeType {
        /// A Boolean of four bytes; 0 is false.
        BOOLEAN = 0x02,
        /// `int8`.
        I1 = 0x03,
        /// `uint8`.
        U1 = 0x04,
        /// `int16`.
        I2 = 0x05,
        /// `uint16`.
        U2 = 0x06,
        /// `int32`.
        I4 = 0x07,
        /// `uint32`.
        U4 = 0x08,
        /// `int64`.
        I8 = 0x09,
        /// `uint64`.
        U8 = 0x0A,
        /// `float`.
        R4 = 0x0B,
        /// `double`.
        R8 = 0x0C,
        /// COM's `CURRENCY`.
        CURRENCY = 0x0F,
        /// COM's `BSTR`.
        BSTR = 0x13,
        /// A string of one-byte characters, ended by 0.
        LPSTR = 0x14,
        /// A string of UTF-16, ended by 0.
        LPWSTR = 0x15,
        /// A string of the platform's characters, ended by 0.
        LPTSTR = 0x16,
        /// A string in the structure itself; followed by the count of characters.
        FIXEDSYSSTRING = 0x17,
        /// `IUnknown`; perhaps followed by the parameter that holds the IID.
        IUNKNOWN = 0x19,
        /// `IDispatch`; perhaps followed by the parameter that holds the IID.
        IDISPATCH = 0x1A,
        /// A structure.
        STRUCT = 0x1B,
        /// A COM interface; perhaps followed by the parameter that holds the IID.
        INTF = 0x1C,
        /// COM's `SAFEARRAY`; perhaps followed by the type of the elements.
        SAFEARRAY = 0x1D,
        /// An array in the structure itself; followed by the count and perhaps the type of the elements.
        FIXEDARRAY = 0x1E,
        /// A signed integer of the size of a pointer.
        INT = 0x1F,
        /// An unsigned integer of the size of a pointer.
        UINT = 0x20,
        /// Visual Basic's `ByValStr`.
        BYVALSTR = 0x22,
        /// `ANSI BSTR`.
        ANSIBSTR = 0x23,
        /// `BSTR` or `ANSI BSTR`, by the platform.
        TBSTR = 0x24,
        /// COM's `VARIANT_BOOL`.
        VARIANTBOOL = 0x25,
        /// A function pointer.
        FUNC = 0x26,
        /// `AsAny`: by the object passed.
        ASANY = 0x28,
        /// An array by its address; followed by the type of the elements and where its size is.
        ARRAY = 0x2A,
        /// A pointer to a structure.
        LPSTRUCT = 0x2B,
        /// A marshaller of its own; followed by its name.
        CUSTOMMARSHALER = 0x2C,
        /// COM's `HRESULT` as a result.
        ERROR = 0x2D,
        /// WinRT's `IInspectable`.
        IINSPECTABLE = 0x2E,
        /// WinRT's `HSTRING`.
        HSTRING = 0x2F,
        /// A string of UTF-8, ended by 0.
        LPUTF8STR = 0x30,
        /// Not known yet: the elements of an array go by their managed type.
        MAX = 0x50,
    }
}

/// The marshalling of a field, parameter or result to native code and back (II.23.4).
///
/// ```
/// use sigparse::marshal::{MarshalSpec, NativeType};
///
/// // [MarshalAs(UnmanagedType.LPArray, ArraySubType = UnmanagedType.I4, SizeParamIndex = 1)]
/// let spec = MarshalSpec::parse(&[0x2A, 0x07, 0x01])?;
/// let expected = MarshalSpec::Array { element: Some(NativeType::I4), size_param: Some(1), count: None, flags: None };
/// assert_eq!(spec, expected);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarshalSpec<'a> {
    /// A type without parameters.
    Simple(NativeType),
    /// IUNKNOWN, IDISPATCH or INTF.
    Interface {
        /// The native type.
        native: NativeType,
        /// The number of the parameter that holds the IID.
        iid_param: Option<u32>,
    },
    /// FIXEDSYSSTRING.
    FixedString {
        /// The number of characters.
        length: u32,
    },
    /// FIXEDARRAY.
    FixedArray {
        /// The number of elements.
        count: u32,
        /// The type of the elements.
        element: Option<NativeType>,
    },
    /// SAFEARRAY.
    SafeArray {
        /// The type of the elements, a `VARTYPE` of COM.
        variant_type: Option<u32>,
        /// The name of the managed type of the elements, if they are structures.
        user_defined: Option<&'a str>,
    },
    /// ARRAY. Without either, the array's size is not known to native code.
    Array {
        /// The type of the elements; [`NativeType::MAX`] where something follows it and there is none.
        element: Option<NativeType>,
        /// The number of the parameter that holds the size. With `flags` it counts only if their lowest bit is
        /// set.
        size_param: Option<u32>,
        /// The number of additional elements.
        count: Option<u32>,
        /// The CLR's flags.
        flags: Option<u32>,
    },
    /// CUSTOMMARSHALER.
    Custom {
        /// A GUID, not used.
        guid: &'a str,
        /// The name of a native type, not used.
        native_type: &'a str,
        /// The name of the marshaller's type.
        marshaler: &'a str,
        /// The cookie that is passed to the marshaller.
        cookie: &'a str,
    },
}

impl<'a> MarshalSpec<'a> {
    /// Reads a marshalling descriptor. Bytes after it are an error, since its length depends on them.
    ///
    /// # Errors
    /// If the descriptor is malformed.
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        let spec = Self::read(&mut reader)?;
        no_trailing_bytes(reader)?;
        Ok(spec)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let native = NativeType(reader.read_u8()?);
        Ok(match native {
            NativeType::IUNKNOWN | NativeType::IDISPATCH | NativeType::INTF => {
                Self::Interface { native, iid_param: optional(reader)? }
            }
            NativeType::FIXEDSYSSTRING => Self::FixedString { length: reader.read_compressed_u32()? },
            NativeType::FIXEDARRAY => {
                Self::FixedArray { count: reader.read_compressed_u32()?, element: element(reader)? }
            }
            NativeType::SAFEARRAY => Self::SafeArray {
                variant_type: optional(reader)?,
                user_defined: if reader.is_empty() { None } else { Some(reader.read_counted_str()?) },
            },
            NativeType::ARRAY => Self::Array {
                element: element(reader)?,
                size_param: optional(reader)?,
                count: optional(reader)?,
                flags: optional(reader)?,
            },
            NativeType::CUSTOMMARSHALER => Self::Custom {
                guid: reader.read_counted_str()?,
                native_type: reader.read_counted_str()?,
                marshaler: reader.read_counted_str()?,
                cookie: reader.read_counted_str()?,
            },
            _ => Self::Simple(native),
        })
    }

    /// The native type that the descriptor begins with.
    pub const fn native_type(&self) -> NativeType {
        match self {
            Self::Simple(native) | Self::Interface { native, .. } => *native,
            Self::FixedString { .. } => NativeType::FIXEDSYSSTRING,
            Self::FixedArray { .. } => NativeType::FIXEDARRAY,
            Self::SafeArray { .. } => NativeType::SAFEARRAY,
            Self::Array { .. } => NativeType::ARRAY,
            Self::Custom { .. } => NativeType::CUSTOMMARSHALER,
        }
    }
}

/// Reads a number if any bytes are left.
fn optional(reader: &mut Reader<'_>) -> Result<Option<u32>, Error> {
    if reader.is_empty() { Ok(None) } else { reader.read_compressed_u32().map(Some) }
}

/// Reads the type of an array's elements, if any bytes are left.
fn element(reader: &mut Reader<'_>) -> Result<Option<NativeType>, Error> {
    let at = reader.position();
    let Some(value) = optional(reader)? else { return Ok(None) };
    match u8::try_from(value) {
        Ok(native) => Ok(Some(NativeType(native))),
        Err(_) => Err(Error::new(at, ErrorKind::InvalidNativeType(value))),
    }
}
