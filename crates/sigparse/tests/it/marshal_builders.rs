//! Marshalling descriptors (II.23.4), built and written again.

use sigparse::{
    ArraySize, Error, ErrorKind, MarshalSpecBuf,
    marshal::{MarshalSpec as M, NativeType as N},
};

use crate::marshalling::VECTORS;

#[test]
fn every_vector_comes_out_as_it_went_in() {
    for (blob, spec) in VECTORS {
        let buf = spec.to_buf().unwrap();
        assert_eq!(buf.as_bytes(), *blob, "{spec:?}");
        assert_eq!(buf.as_spec(), *spec);
        assert_eq!(MarshalSpecBuf::from_bytes(*blob), Ok(buf));
    }
}

#[test]
fn builders() {
    let check = |buf: Result<MarshalSpecBuf, Error>, expected: &[u8]| {
        assert_eq!(buf.map(MarshalSpecBuf::into_bytes).as_deref(), Ok(expected));
    };
    check(MarshalSpecBuf::simple(N::LPWSTR), &[0x15]);
    check(MarshalSpecBuf::interface(N::IUNKNOWN, None), &[0x19]);
    check(MarshalSpecBuf::interface(N::INTF, Some(2)), &[0x1C, 0x02]);
    check(MarshalSpecBuf::fixed_string(256), &[0x17, 0x81, 0x00]);
    check(MarshalSpecBuf::fixed_array(4, None), &[0x1E, 0x04]);
    check(MarshalSpecBuf::fixed_array(4, Some(N::U1)), &[0x1E, 0x04, 0x04]);
    check(MarshalSpecBuf::safe_array(None), &[0x1D]);
    check(MarshalSpecBuf::safe_array(Some(8)), &[0x1D, 0x08]);
    check(MarshalSpecBuf::safe_array_of(0x24, "S"), &[0x1D, 0x24, 0x01, b'S']);
    check(MarshalSpecBuf::array(None, ArraySize::Unknown), &[0x2A, 0x50]);
    check(MarshalSpecBuf::array(Some(N::I4), ArraySize::Param(2)), &[0x2A, 0x07, 0x02]);
    check(MarshalSpecBuf::array(None, ArraySize::Const(3)), &[0x2A, 0x50, 0x00, 0x03, 0x00]);
    let both = ArraySize::ParamAndConst { param: 2, count: 3 };
    check(MarshalSpecBuf::array(Some(N::I4), both), &[0x2A, 0x07, 0x02, 0x03, 0x01]);
    check(MarshalSpecBuf::custom("My", "c"), &[0x2C, 0x00, 0x00, 0x02, b'M', b'y', 0x01, b'c']);
}

#[test]
fn what_would_be_ill_formed_is_refused() {
    let kind = |buf: Result<MarshalSpecBuf, Error>| buf.unwrap_err().kind;
    for incomplete in [N::FIXEDSYSSTRING, N::FIXEDARRAY, N::CUSTOMMARSHALER] {
        assert_eq!(kind(MarshalSpecBuf::simple(incomplete)), ErrorKind::UnexpectedEnd, "{incomplete}");
    }
    assert_eq!(kind(MarshalSpecBuf::interface(N::BSTR, None)), ErrorKind::AmbiguousMarshalSpec);
    assert_eq!(kind(MarshalSpecBuf::interface(N::BSTR, Some(1))), ErrorKind::TrailingBytes(1));
    let gap = M::Array { element: None, size_param: Some(7), count: None, flags: None };
    assert_eq!(kind(gap.to_buf()), ErrorKind::AmbiguousMarshalSpec);
    let nameless = M::SafeArray { variant_type: None, user_defined: Some("x") };
    assert_eq!(kind(nameless.to_buf()), ErrorKind::CountExceedsData { count: 120, remaining: 0 });
    let large = MarshalSpecBuf::fixed_string(u32::MAX);
    assert_eq!(kind(large), ErrorKind::IntegerOutOfRange(i64::from(u32::MAX)));
}
