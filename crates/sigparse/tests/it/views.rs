//! What the borrowed views offer beyond structure: offsets, equality, lengths, debug output.

use std::collections::HashSet;

use sigparse::{CallingConvention, LocalVarSig, MethodSig, Modifier, Signature, Type, TypeDefOrRef, TypeSig};

#[test]
fn offsets_count_from_the_start_of_the_blob() {
    // void M(List<string[]>)
    let blob = [0x00, 0x01, 0x01, 0x15, 0x12, 0x09, 0x01, 0x1D, 0x0E];
    let sig = MethodSig::parse(&blob).unwrap();
    assert_eq!(sig.return_type().offset(), 2);
    let param = sig.params().next().unwrap().unwrap();
    assert_eq!((param.sig().offset(), param.sig().bytes()), (3, &blob[3..]));
    let Type::GenericInst(inst) = param.ty() else { panic!("{param:?}") };
    let arg = inst.args().next().unwrap();
    assert_eq!((arg.offset(), arg.bytes()), (7, &blob[7..]));
}

#[test]
fn types_are_equal_if_their_bytes_are() {
    let blob = [0x07, 0x03, 0x1D, 0x08, 0x1D, 0x08, 0x1D, 0x09];
    let sig = LocalVarSig::parse(&blob).unwrap();
    let types: Vec<TypeSig<'_>> = sig.locals().map(|local| local.unwrap().sig()).collect();
    assert_eq!(types[0], types[1]);
    assert_ne!(types[1], types[2]);
    assert_eq!(types[0].ty(), types[1].ty());
    assert_eq!(types.iter().collect::<HashSet<_>>().len(), 2);
}

#[test]
fn methods_are_equal_if_their_bytes_are() {
    let blob = [0x07, 0x02, 0x1B, 0x00, 0x01, 0x01, 0x08, 0x1B, 0x00, 0x01, 0x01, 0x08];
    let sig = LocalVarSig::parse(&blob).unwrap();
    let mut types = sig.locals().map(|local| local.unwrap().ty());
    assert_eq!(types.next(), types.next());
    assert_ne!(MethodSig::parse(&blob[3..7]).unwrap(), MethodSig::parse(&[0x20, 0x01, 0x01, 0x08]).unwrap());
}

#[test]
fn a_list_of_types_knows_its_length() {
    let sig = TypeSig::parse(&[0x15, 0x12, 0x09, 0x02, 0x08, 0x0E]).unwrap();
    let Type::GenericInst(inst) = sig.ty() else { panic!("{sig:?}") };
    assert_eq!(inst.args().len(), 2);
    assert_eq!(inst.type_def_or_ref(), TypeDefOrRef::from_token(0x0100_0002));
    assert!(!inst.is_value_type());
    let mut args = inst.args();
    args.next();
    assert_eq!(args.len(), 1);
    assert_eq!(MethodSig::parse(&[0x00, 0x02, 0x01, 0x08, 0x08]).unwrap().params().size_hint(), (1, Some(2)));
}

#[test]
fn shortcuts() {
    let sig = MethodSig::parse(&[0x20, 0x01, 0x1F, 0x09, 0x01, 0x20, 0x0D, 0x10, 0x08]).unwrap();
    assert!(sig.return_type().is_void());
    assert_eq!(sig.calling_convention(), CallingConvention::DEFAULT);
    let param = sig.params().next().unwrap().unwrap();
    assert_eq!(param.by_ref().map(|target| target.ty()), Some(Type::I4));
    let modifier = param.modifiers().next().unwrap();
    assert_eq!(modifier, Modifier::Optional(TypeDefOrRef::from_token(0x0100_0003).unwrap()));
    assert!(!modifier.is_required());
    assert_eq!(modifier.ty().map(TypeDefOrRef::token), Some(0x0100_0003));
}

#[test]
fn debug_output_shows_the_structure() {
    let sig = MethodSig::parse(&[0x00, 0x01, 0x01, 0x1F, 0x09, 0x1D, 0x08]).unwrap();
    assert_eq!(
        format!("{sig:?}"),
        "MethodSig { header: DEFAULT, generic_param_count: 0, return_type: Void, \
         params: [Ok(Required(TypeRef(TypeRef(0x01000002))) SzArray(I4))] }"
    );
    let sig = TypeSig::parse(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x01, 0x7B]).unwrap();
    assert_eq!(
        format!("{sig:?}"),
        "Array(Array { element: I4, shape: ArrayShape { rank: 2, sizes: [5], lower_bounds: [-3] } })"
    );
}

#[test]
fn any_signature_by_its_first_byte() {
    use sigparse::SigKind;
    for (blob, kind) in [
        (&[0x00, 0x00, 0x01][..], SigKind::Method),
        (&[0x09, 0x00, 0x01], SigKind::Method),
        (&[0x06, 0x08], SigKind::Field),
        (&[0x28, 0x00, 0x08], SigKind::Property),
        (&[0x07, 0x01, 0x08], SigKind::LocalVar),
        (&[0x0A, 0x01, 0x08], SigKind::MethodSpec),
    ] {
        let sig = Signature::parse(blob).unwrap();
        assert_eq!(sig.kind(), kind);
        sig.validate().unwrap();
        assert_eq!(sigparse::walk::signature(blob, &mut Nothing), Ok(blob.len()));
    }
}

struct Nothing;

impl sigparse::Visitor<'_> for Nothing {}
