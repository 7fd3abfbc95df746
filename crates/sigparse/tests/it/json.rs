//! `serde`, through JSON.

use serde_json::{from_value, json, to_value};
use sigparse::{CallingConvention, LocalVarSig, MethodSig, Signature, TypeDef, TypeDefOrRef, TypeSig};

use crate::vectors;

#[test]
fn views_are_their_structure() {
    let sig = MethodSig::parse(&[
        0x30, 0x01, 0x02, 0x01, 0x1F, 0x09, 0x10, 0x08, 0x15, 0x12, 0x09, 0x01, 0x1E, 0x00,
    ]);
    let plain = |ty: serde_json::Value| json!({ "modifiers": [], "ty": ty });
    let token = 0x0100_0002;
    assert_eq!(
        to_value(sig.unwrap()).unwrap(),
        json!({
            "header": 0x30,
            "generic_param_count": 1,
            "return_type": plain(json!("VOID")),
            "params": [
                { "vararg": false, "sig": { "modifiers": [{ "Required": token }], "ty": { "BYREF": plain(json!("I4")) } } },
                {
                    "vararg": false,
                    "sig": plain(json!({
                        "GENERICINST": { "definition": { "CLASS": token }, "args": [plain(json!({ "MVAR": 0 }))] }
                    })),
                },
            ],
        })
    );
    let array = TypeSig::parse(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x01, 0x7B]).unwrap();
    let shape = json!({ "rank": 2, "sizes": [5], "lower_bounds": [-3] });
    assert_eq!(
        to_value(array).unwrap(),
        plain(json!({ "ARRAY": { "element": plain(json!("I4")), "shape": shape } }))
    );
    let field = Signature::parse(&[0x06, 0x0E]).unwrap();
    assert_eq!(to_value(field).unwrap(), json!({ "Field": plain(json!("STRING")) }));
}

#[test]
fn every_vector_can_be_written() {
    for vector in vectors::all() {
        // A type by itself may begin like a signature of some kind, and then not be one.
        match Signature::parse(vector.blob) {
            Ok(sig) if sig.validate().is_ok() => drop(to_value(sig).unwrap()),
            _ => drop(TypeSig::parse(vector.blob).map(|sig| to_value(sig).unwrap())),
        }
    }
}

#[test]
fn a_malformed_item_is_an_error() {
    let sig = LocalVarSig::parse(&[0x07, 0x01, 0x00]).unwrap();
    let error = to_value(sig).unwrap_err().to_string();
    assert_eq!(error, "element type END begins no type (at byte 2)");
}

#[test]
fn numbers_come_back_checked() {
    assert_eq!(to_value(CallingConvention::VARARG).unwrap(), json!(5));
    assert_eq!(from_value::<CallingConvention>(json!(77)).unwrap(), CallingConvention(77));
    let ty = TypeDef::from_rid(3).unwrap();
    assert_eq!(to_value(ty).unwrap(), json!(0x0200_0003));
    assert_eq!(from_value::<TypeDef>(json!(0x0200_0003)).unwrap(), ty);
    assert_eq!(from_value::<TypeDefOrRef>(json!(0x0200_0003)).unwrap(), ty.into());
    assert!(from_value::<TypeDef>(json!(0x0200_0000)).unwrap_err().to_string().contains("nil"));
    assert!(from_value::<TypeDef>(json!(0x0600_0001)).unwrap_err().to_string().contains("METHOD_DEF"));
}

#[cfg(feature = "alloc")]
#[test]
fn owned_signatures_come_back_checked() {
    use sigparse::MethodSigBuf;
    let sig = MethodSigBuf::from_bytes([0x00, 0x01, 0x01, 0x08]).unwrap();
    let value = to_value(&sig).unwrap();
    assert_eq!(value, json!([0, 1, 1, 8]));
    assert_eq!(from_value::<MethodSigBuf>(value).unwrap(), sig);
    let error = from_value::<MethodSigBuf>(json!([0, 1, 1])).unwrap_err().to_string();
    assert!(error.contains("a count of 1 with 1 bytes left") || error.contains("too early"), "{error}");
}

#[test]
fn values_are_their_structure() {
    use sigparse::attribute::{AttributeValue, NoTypes};
    use sigparse::marshal::MarshalSpec;
    // [A(new object[] { 5, null }, P = "x")]
    let constructor = MethodSig::parse(&[0x20, 0x01, 0x01, 0x1D, 0x1C]).unwrap();
    let blob = b"\x01\x00\x02\x00\x00\x00\x08\x05\x00\x00\x00\x0E\xFF\x01\x00\x54\x0E\x01P\x01x";
    let value = AttributeValue::parse(blob, constructor, &NoTypes).unwrap();
    assert_eq!(
        to_value(value).unwrap(),
        json!({
            "fixed_args": [{ "SZARRAY": [{ "CA_BOXED": { "I4": 5 } }, { "CA_BOXED": { "STRING": null } }] }],
            "named_args": [{
                "is_property": true,
                "name": "P",
                "ty": { "element": "STRING", "is_array": false },
                "value": { "STRING": "x" },
            }],
        })
    );
    let cut = AttributeValue::parse(&blob[..blob.len() - 1], constructor, &NoTypes).unwrap();
    assert!(to_value(cut).unwrap_err().to_string().contains("1 with 0 bytes left"));
    let spec = MarshalSpec::parse(&[0x2A, 0x07, 0x02]).unwrap();
    assert_eq!(
        to_value(spec).unwrap(),
        json!({ "native_type": 0x2A, "element": 7, "size_param": 2, "count": null, "flags": null })
    );
    assert_eq!(to_value(MarshalSpec::parse(&[0x15]).unwrap()).unwrap(), json!({ "native_type": 0x15 }));
}
