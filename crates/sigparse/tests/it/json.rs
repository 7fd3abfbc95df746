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

#[cfg(feature = "alloc")]
#[test]
fn trees_are_written_as_the_views_are() {
    use sigparse::{SigTree, TypeTree};
    for vector in vectors::all() {
        match Signature::parse(vector.blob) {
            Ok(sig) if sig.validate().is_ok() => {
                let tree = SigTree::parse(vector.blob).unwrap();
                assert_eq!(to_value(tree).unwrap(), to_value(sig).unwrap(), "{}", vector.what);
            }
            _ => {
                let tree = TypeTree::parse(vector.blob).unwrap();
                let sig = TypeSig::parse(vector.blob).unwrap();
                assert_eq!(to_value(tree).unwrap(), to_value(sig).unwrap(), "{}", vector.what);
            }
        }
    }
}
