//! What holds for any bytes at all. Fuzzing tries these on what it makes up, the tests on what it has found.

use sigparse::attribute::{AttributeTypes, AttributeValue, Resolved, Value};
use sigparse::{
    ElementType, Encoder, Error, FieldSigBuf, LocalVarSigBuf, MethodSig, MethodSigBuf, MethodSpecSigBuf,
    PropertySigBuf, Signature, Type, TypeSig, TypeSigBuf, TypeSpecSig, ilasm::Tokens, marshal::MarshalSpec,
    walk,
};

use crate::dump::{KINDS, Kind, by_views, by_walk};

/// Views and walk find the same structure or the same error, which lies in the blob.
pub fn decode(blob: &[u8]) {
    for kind in KINDS {
        let views = by_views(kind, blob);
        assert_eq!(views, by_walk(kind, blob), "{kind:?}");
        if let Err(error) = views {
            assert!(error.offset <= blob.len(), "{error:?} is beyond {kind:?}");
        }
    }
}

/// A signature that decodes encodes to what decodes to the same, and from then on to the same bytes.
pub fn roundtrip(blob: &[u8]) {
    for kind in KINDS {
        let Ok(meaning) = by_views(kind, blob) else {
            assert!(owned(kind, blob).is_err(), "{kind:?}");
            continue;
        };
        assert_eq!(owned(kind, blob).as_deref(), Ok(blob), "{kind:?}");
        let encoded = encode(kind, blob).expect("what decodes encodes");
        // Only integers that are longer than need be may change.
        assert!(encoded.len() <= blob.len(), "{kind:?}");
        assert_eq!(by_views(kind, &encoded), Ok(meaning), "{kind:?}");
        assert_eq!(encode(kind, &encoded).as_ref(), Ok(&encoded), "{kind:?}");
    }
}

/// Whatever can be parsed can be printed, malformed parameters included.
pub fn print(blob: &[u8]) {
    if let Ok(sig) = Signature::parse(blob) {
        let text = format!("{}\n{sig:?}", sig.ilasm(&Tokens));
        assert!(text.lines().all(|line| !line.is_empty()), "{text:?}");
    }
    if let Ok(sig) = TypeSpecSig::parse(blob) {
        let sig = sig.sig();
        assert!(!format!("{}{sig:?}", sig.ilasm(&Tokens)).is_empty());
    }
}

/// Custom attribute values and marshalling descriptors, and what is written of them: the first byte chooses the
/// constructor.
pub fn values(blob: &[u8]) {
    if let Ok(spec) = MarshalSpec::parse(blob) {
        let written = spec.to_buf().expect("what decodes encodes");
        assert!(written.as_bytes().len() <= blob.len(), "only long integers get shorter");
        assert_eq!(written.as_spec(), spec);
        let ilasm = spec.ilasm().to_string();
        assert!(ilasm.starts_with("marshal(") && ilasm.ends_with(')'), "{ilasm}");
        if let Some(bytes) = ilasm.strip_prefix("marshal({ ").and_then(|rest| rest.strip_suffix(" })")) {
            let bytes: Vec<u8> =
                bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect();
            assert_eq!(bytes, written.as_bytes(), "{ilasm}");
        }
    }
    let Some((&choice, blob)) = blob.split_first() else { return };
    let param: &[u8] = match choice % 8 {
        0 => &[0x1C],
        1 => &[0x1D, 0x1C],
        2 => &[0x0E],
        3 => &[0x1D, 0x0E],
        4 => &[0x08],
        5 => &[0x11, 0x09],
        6 => &[0x12, 0x05],
        _ => &[0x1D, 0x02],
    };
    let constructor = [&[0x20, 0x01, 0x01], param].concat();
    let constructor = MethodSig::parse(&constructor).expect("it is a constructor");
    let Ok(value) = AttributeValue::parse(blob, constructor, &Types) else { return };
    for arg in value.fixed_args() {
        look(arg.expect("it was read when the value was parsed"));
    }
    let ilasm = value.ilasm(&Tokens).to_string();
    assert!(ilasm.starts_with("{ ") && ilasm.ends_with(" }"), "{ilasm}");
    let mut named = 0;
    for arg in value.named_args() {
        match arg {
            Ok(arg) => {
                named += 1;
                look(arg.value);
            }
            Err(error) => assert!(error.offset <= blob.len(), "{error:?}"),
        }
    }
    assert!(value.validate().is_err() || named == usize::from(value.named_count()));
    match value.to_bytes() {
        Ok(written) => {
            assert!(written.len() <= blob.len(), "only long integers get shorter");
            let again =
                AttributeValue::parse(&written, constructor, &Types).expect("what was written is read");
            assert_eq!(format!("{again:?}"), format!("{value:?}"));
            assert_eq!(again.to_bytes(), Ok(written));
        }
        // Named arguments are read when somebody comes to them.
        Err(_) => assert!(value.named_args().any(|arg| arg.is_err()), "what decodes encodes"),
    }
}

/// Looks at every value of a value.
fn look(value: Value<'_, '_>) {
    match value {
        Value::Array(Some(values)) => {
            for value in values {
                look(value.expect("it was read when the array was"));
            }
        }
        Value::Boxed(boxed) => look(boxed.value().expect("it was read when the box was")),
        _ => {}
    }
}

/// All enumerations have bytes, except one of names; TypeRef 1 is `System.Type`.
struct Types;

impl AttributeTypes for Types {
    fn resolve(&self, ty: TypeSig<'_>) -> Option<Resolved> {
        match ty.ty() {
            Type::Class(ty) if ty.token() == 0x0100_0001 => Some(Resolved::SystemType),
            _ => Some(Resolved::Enum(ElementType::U1)),
        }
    }

    fn named_enum(&self, name: &str) -> Option<ElementType> {
        (name != "E").then_some(ElementType::I2)
    }
}

/// Decodes with a walk and encodes what it tells.
pub(crate) fn encode(kind: Kind, blob: &[u8]) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new();
    match kind {
        Kind::Method => walk::method(blob, &mut encoder)?,
        Kind::Field => walk::field(blob, &mut encoder)?,
        Kind::Property => walk::property(blob, &mut encoder)?,
        Kind::Locals => walk::locals(blob, &mut encoder)?,
        Kind::TypeSpec => walk::ty(blob, &mut encoder)?,
        Kind::MethodSpec => walk::method_spec(blob, &mut encoder)?,
    };
    encoder.finish()
}

/// The bytes of the owned signature.
fn owned(kind: Kind, blob: &[u8]) -> Result<Vec<u8>, Error> {
    Ok(match kind {
        Kind::Method => MethodSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::Field => FieldSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::Property => PropertySigBuf::from_bytes(blob)?.into_bytes(),
        Kind::Locals => LocalVarSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::TypeSpec => TypeSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::MethodSpec => MethodSpecSigBuf::from_bytes(blob)?.into_bytes(),
    })
}
