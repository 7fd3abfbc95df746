//! Marshalling descriptors (II.23.4): hand-made vectors.

use sigparse::{
    ErrorKind,
    marshal::{MarshalSpec, MarshalSpec as M, NativeType, NativeType as N},
};

/// Blobs, and what they mean. The bytes are those that II.23.4 describes, with the order of an ARRAY's numbers and the
/// flags from the CLR.
#[rustfmt::skip] // One vector, one entry.
pub(crate) const VECTORS: &[(&[u8], MarshalSpec<'_>)] = &[
    (&[0x02], M::Simple(N::BOOLEAN)),
    (&[0x15], M::Simple(N::LPWSTR)),
    (&[0x30], M::Simple(N::LPUTF8STR)),
    (&[0x99], M::Simple(NativeType(0x99))),
    (&[0x19], M::Interface { native: N::IUNKNOWN, iid_param: None }),
    (&[0x1A, 0x00], M::Interface { native: N::IDISPATCH, iid_param: Some(0) }),
    (&[0x1C, 0x02], M::Interface { native: N::INTF, iid_param: Some(2) }),
    (&[0x17, 0x20], M::FixedString { length: 32 }),
    (&[0x17, 0x81, 0x00], M::FixedString { length: 256 }),
    (&[0x1E, 0x04], M::FixedArray { count: 4, element: None }),
    (&[0x1E, 0x04, 0x04], M::FixedArray { count: 4, element: Some(N::U1) }),
    (&[0x1E, 0xC0, 0x01, 0x00, 0x00, 0x50], M::FixedArray { count: 65536, element: Some(N::MAX) }),
    (&[0x1D], M::SafeArray { variant_type: None, user_defined: None }),
    (&[0x1D, 0x08], M::SafeArray { variant_type: Some(8), user_defined: None }),
    (&[0x1D, 0x24, 0x01, b'S'], M::SafeArray { variant_type: Some(0x24), user_defined: Some("S") }),
    (&[0x1D, 0x24, 0x00], M::SafeArray { variant_type: Some(0x24), user_defined: Some("") }),
    (&[0x2A], M::Array { element: None, size_param: None, count: None, flags: None }),
    (&[0x2A, 0x50], M::Array { element: Some(N::MAX), size_param: None, count: None, flags: None }),
    (&[0x2A, 0x07, 0x02], M::Array { element: Some(N::I4), size_param: Some(2), count: None, flags: None }),
    (&[0x2A, 0x07, 0x02, 0x80, 0x80], M::Array { element: Some(N::I4), size_param: Some(2), count: Some(128), flags: None }),
    (&[0x2A, 0x50, 0x00, 0x03, 0x00], M::Array { element: Some(N::MAX), size_param: Some(0), count: Some(3), flags: Some(0) }),
    (&[0x2A, 0x07, 0x02, 0x03, 0x01], M::Array { element: Some(N::I4), size_param: Some(2), count: Some(3), flags: Some(1) }),
    (&[0x2C, 0x00, 0x00, 0x02, b'M', b'y', 0x01, b'c'], M::Custom { guid: "", native_type: "", marshaler: "My", cookie: "c" }),
    (&[0x2C, 0x01, b'g', 0x01, b'n', 0x00, 0x00], M::Custom { guid: "g", native_type: "n", marshaler: "", cookie: "" }),
];

#[test]
fn descriptors_are_read() {
    for (blob, expected) in VECTORS {
        assert_eq!(MarshalSpec::parse(blob), Ok(*expected), "{blob:02X?}");
        assert_eq!(expected.native_type().0, blob[0]);
    }
}

#[test]
fn malformed_descriptors() {
    let error = |blob: &[u8]| MarshalSpec::parse(blob).unwrap_err();
    assert_eq!((error(&[]).offset, error(&[]).kind), (0, ErrorKind::UnexpectedEnd));
    assert_eq!(error(&[0x15, 0x00]).kind, ErrorKind::TrailingBytes(1));
    assert_eq!(error(&[0x17]).kind, ErrorKind::UnexpectedEnd);
    assert_eq!(error(&[0x2A, 0x81, 0x00]).kind, ErrorKind::InvalidNativeType(256));
    assert_eq!(
        error(&[0x2C, 0x00, 0x00, 0x05, b'M']).kind,
        ErrorKind::CountExceedsData { count: 5, remaining: 1 }
    );
}
