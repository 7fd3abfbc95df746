//! Input that is wrong: an error that says where and what, and never anything worse.

use sigparse::{
    ElementType, ErrorKind, FieldSig, LocalVarSig, MethodSig, MethodSpecSig, PropertySig, SigHeader, SigKind,
    Signature, TypeSig, TypeSpecSig, limits,
};

use crate::{
    dump::{Kind, by_views},
    vectors,
};

fn error(kind: Kind, blob: &[u8]) -> (usize, ErrorKind) {
    let error = by_views(kind, blob).expect_err("the blob is malformed");
    (error.offset, error.kind)
}

#[test]
fn every_truncation_of_every_vector() {
    for vector in vectors::all() {
        for length in 0..vector.blob.len() {
            let (offset, kind) = error(vector.kind, &vector.blob[..length]);
            assert!(offset <= length, "{} cut to {length}: offset {offset}", vector.what);
            match kind {
                ErrorKind::UnexpectedEnd => assert_eq!(offset, length, "{} cut to {length}", vector.what),
                ErrorKind::CountExceedsData { remaining, count } => {
                    assert!(offset < length && remaining < count as usize, "{} cut to {length}", vector.what);
                }
                other => panic!("{} cut to {length}: {other:?}", vector.what),
            }
        }
    }
}

#[test]
fn every_vector_with_bytes_after_it() {
    for vector in vectors::all() {
        let mut blob = vector.blob.to_vec();
        blob.extend([0x01, 0x02]);
        let expected = (vector.blob.len(), ErrorKind::TrailingBytes(2));
        assert_eq!(error(vector.kind, &blob), expected, "{}", vector.what);
        // Lenient by default, and the bytes are there to be seen.
        let trailing = match vector.kind {
            Kind::Method => MethodSig::parse(&blob).unwrap().trailing_bytes().unwrap(),
            Kind::Field => FieldSig::parse(&blob).unwrap().trailing_bytes(),
            Kind::Property => PropertySig::parse(&blob).unwrap().trailing_bytes().unwrap(),
            Kind::Locals => LocalVarSig::parse(&blob).unwrap().trailing_bytes().unwrap(),
            Kind::TypeSpec => TypeSpecSig::parse(&blob).unwrap().trailing_bytes(),
            Kind::MethodSpec => MethodSpecSig::parse(&blob).unwrap().trailing_bytes(),
        };
        assert_eq!(trailing, [0x01, 0x02], "{}", vector.what);
    }
}

#[test]
fn nesting_of_50_000_levels() {
    for unit in [
        &[0x0F][..],                                       // PTR
        &[0x10],                                           // BYREF
        &[0x1D],                                           // SZARRAY
        &[0x45],                                           // PINNED
        &[0x14],                                           // ARRAY
        &[0x15, 0x12, 0x09, 0x01],                         // GENERICINST
        &[0x1B, 0x00, 0x00],                               // FNPTR, in the return type
        &[0x1B, 0x00, 0x01, 0x01],                         // FNPTR, in the parameter
        &[0x1F, 0x09, 0x0F],                               // modifiers do not reset the depth
        &[0x15, 0x12, 0x09, 0x01, 0x1D, 0x1B, 0x00, 0x00], // several together
    ] {
        let mut blob = unit.repeat(50_000);
        blob.push(0x08);
        let error = TypeSig::parse(&blob).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooDeep, "{unit:02X?}");
        assert!(error.offset <= unit.len() * (limits::MAX_DEPTH as usize + 1), "{unit:02X?}");
    }
}

#[test]
fn nesting_at_the_limit() {
    let depth = limits::MAX_DEPTH as usize;
    let mut blob = vec![0x1D; depth];
    blob.push(0x08);
    let mut sig = TypeSig::parse(&blob).unwrap();
    let mut levels = 0;
    while let sigparse::Type::SzArray(element) = sig.ty() {
        sig = element;
        levels += 1;
    }
    assert_eq!(levels, depth);
    blob.insert(0, 0x1D);
    assert_eq!(TypeSig::parse(&blob).unwrap_err().kind, ErrorKind::TooDeep);
}

#[test]
fn modifiers_at_the_limit() {
    let depth = limits::MAX_DEPTH as usize;
    let mut blob = [0x20, 0x09].repeat(depth);
    blob.push(0x08);
    let sig = TypeSig::parse(&blob).unwrap();
    assert_eq!(sig.modifiers().count(), depth);
    assert_eq!(sig.ty(), sigparse::Type::I4);
    blob.splice(0..0, [0x1F, 0x09]);
    assert_eq!(TypeSig::parse(&blob).unwrap_err().kind, ErrorKind::TooDeep);
}

#[test]
fn the_highest_count() {
    const COUNT: u32 = 0x1FFF_FFFF;
    const MAX: [u8; 4] = [0xDF, 0xFF, 0xFF, 0xFF];
    let blob = |before: &[u8], after: &[u8]| [before, &MAX, after].concat();
    let exceeds = |offset, remaining| (offset, ErrorKind::CountExceedsData { count: COUNT, remaining });
    assert_eq!(error(Kind::Method, &blob(&[0x00], &[0x01])), exceeds(1, 1));
    assert_eq!(error(Kind::Property, &blob(&[0x08], &[0x01])), exceeds(1, 1));
    assert_eq!(error(Kind::Locals, &blob(&[0x07], &[0x08, 0x08])), exceeds(1, 2));
    assert_eq!(error(Kind::MethodSpec, &blob(&[0x0A], &[0x08])), exceeds(1, 1));
    assert_eq!(error(Kind::TypeSpec, &blob(&[0x15, 0x12, 0x09], &[0x08])), exceeds(3, 1));
    assert_eq!(error(Kind::TypeSpec, &blob(&[0x1B, 0x00], &[0x01])), exceeds(2, 1));
    // Counts with no bytes behind them have limits of their own.
    assert_eq!(
        error(Kind::Method, &blob(&[0x10], &[0x00, 0x01])),
        (1, ErrorKind::InvalidGenericCount(COUNT))
    );
    assert_eq!(
        error(Kind::TypeSpec, &blob(&[0x14, 0x08], &[0x00, 0x00])),
        (2, ErrorKind::InvalidRank(COUNT))
    );
    let shape = (3, ErrorKind::InvalidShape { count: COUNT, rank: 2 });
    assert_eq!(error(Kind::TypeSpec, &blob(&[0x14, 0x08, 0x02], &[0x00])), shape);
    let shape = (4, ErrorKind::InvalidShape { count: COUNT, rank: 2 });
    assert_eq!(error(Kind::TypeSpec, &blob(&[0x14, 0x08, 0x02, 0x00], &[])), shape);
}

#[test]
fn counts_that_ecma_335_excludes() {
    assert_eq!(error(Kind::TypeSpec, &[0x14, 0x08, 0x00, 0x00, 0x00]), (2, ErrorKind::InvalidRank(0)));
    assert_eq!(error(Kind::TypeSpec, &[0x14, 0x08, 0x21, 0x00, 0x00]), (2, ErrorKind::InvalidRank(33)));
    let shape = (3, ErrorKind::InvalidShape { count: 2, rank: 1 });
    assert_eq!(error(Kind::TypeSpec, &[0x14, 0x08, 0x01, 0x02, 0x01, 0x01, 0x00]), shape);
    assert_eq!(error(Kind::TypeSpec, &[0x15, 0x12, 0x09, 0x00]), (3, ErrorKind::InvalidGenericCount(0)));
    assert_eq!(error(Kind::MethodSpec, &[0x0A, 0x00]), (1, ErrorKind::InvalidGenericCount(0)));
    assert_eq!(error(Kind::Method, &[0x10, 0x00, 0x00, 0x01]), (1, ErrorKind::InvalidGenericCount(0)));
}

#[test]
fn sentinels_where_there_can_be_none() {
    let sentinel = |offset| (offset, ErrorKind::UnexpectedSentinel);
    // A second one.
    assert_eq!(error(Kind::Method, &[0x05, 0x02, 0x01, 0x41, 0x08, 0x41, 0x08]), sentinel(5));
    assert_eq!(error(Kind::Method, &[0x05, 0x01, 0x01, 0x41, 0x41, 0x08]), sentinel(4));
    // In a convention that has no variable arguments.
    assert_eq!(error(Kind::Method, &[0x00, 0x01, 0x01, 0x41, 0x08]), sentinel(3));
    assert_eq!(error(Kind::Method, &[0x09, 0x01, 0x01, 0x41, 0x08]), sentinel(3));
    assert_eq!(error(Kind::Property, &[0x08, 0x01, 0x08, 0x41, 0x08]), sentinel(3));
    // Where a type is due.
    assert_eq!(error(Kind::Method, &[0x05, 0x00, 0x41, 0x01]), sentinel(2));
    assert_eq!(error(Kind::TypeSpec, &[0x1D, 0x41, 0x08]), sentinel(1));
    assert_eq!(error(Kind::Locals, &[0x07, 0x01, 0x41, 0x08]), sentinel(2));
    assert_eq!(error(Kind::Method, &[0x05, 0x01, 0x01, 0x10, 0x41, 0x08]), sentinel(4));
    // After the last parameter it belongs to nothing.
    assert_eq!(error(Kind::Method, &[0x05, 0x01, 0x01, 0x08, 0x41]), (4, ErrorKind::TrailingBytes(1)));
}

#[test]
fn bytes_that_begin_no_type() {
    for byte in 0..=u8::MAX {
        let known = (0x01..=0x22).contains(&byte) && ![0x17, 0x1A].contains(&byte) || byte == 0x45;
        // Well formed after every element type but GENERICINST and FNPTR.
        let blob = [byte, 0x08, 0x01, 0x00, 0x00, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01];
        let found = TypeSig::parse(&blob);
        let expected = match byte {
            0x41 => Some(ErrorKind::UnexpectedSentinel),
            0x15 => Some(ErrorKind::UnexpectedElementType(ElementType::I4)),
            0x1B => Some(ErrorKind::WrongKind { expected: SigKind::Method, found: SigHeader(0x08) }),
            _ if known => None,
            _ => Some(ErrorKind::UnexpectedElementType(ElementType(byte))),
        };
        assert_eq!(found.map(drop).map_err(|error| error.kind).err(), expected, "0x{byte:02X}");
    }
}

#[test]
fn type_def_or_ref_that_is_none() {
    let none = |offset, value| (offset, ErrorKind::InvalidTypeDefOrRef(value));
    assert_eq!(error(Kind::TypeSpec, &[0x12, 0x07]), none(1, 7)); // tag 3
    assert_eq!(error(Kind::TypeSpec, &[0x11, 0x00]), none(1, 0)); // row 0
    assert_eq!(error(Kind::TypeSpec, &[0x12, 0xC4, 0x00, 0x00, 0x00]), none(1, 0x0400_0000)); // row 0x1000000
    assert_eq!(error(Kind::TypeSpec, &[0x1F, 0x03, 0x08]), none(1, 3));
}

#[test]
fn blobs_of_another_kind() {
    let wrong = |expected, found| ErrorKind::WrongKind { expected, found: SigHeader(found) };
    assert_eq!(MethodSig::parse(&[0x06, 0x08]).unwrap_err().kind, wrong(SigKind::Method, 0x06));
    assert_eq!(FieldSig::parse(&[0x07, 0x00]).unwrap_err().kind, wrong(SigKind::Field, 0x07));
    assert_eq!(PropertySig::parse(&[0x20, 0x00]).unwrap_err().kind, wrong(SigKind::Property, 0x20));
    assert_eq!(LocalVarSig::parse(&[0x0A, 0x00]).unwrap_err().kind, wrong(SigKind::LocalVar, 0x0A));
    assert_eq!(MethodSpecSig::parse(&[0x28, 0x00]).unwrap_err().kind, wrong(SigKind::MethodSpec, 0x28));
    assert_eq!(Signature::parse(&[0x0C, 0x00]).unwrap_err().kind, wrong(SigKind::Method, 0x0C));
}

#[test]
fn empty_blobs() {
    let end = MethodSig::parse(&[]).unwrap_err();
    assert_eq!((end.offset, end.kind), (0, ErrorKind::UnexpectedEnd));
    assert_eq!(Signature::parse(&[]).unwrap_err(), end);
    assert_eq!(FieldSig::parse(&[]).unwrap_err(), end);
    assert_eq!(PropertySig::parse(&[]).unwrap_err(), end);
    assert_eq!(LocalVarSig::parse(&[]).unwrap_err(), end);
    assert_eq!(TypeSpecSig::parse(&[]).unwrap_err(), end);
    assert_eq!(MethodSpecSig::parse(&[]).unwrap_err(), end);
    assert_eq!(TypeSig::parse(&[]).unwrap_err(), end);
}

#[test]
fn iterators_end_after_an_error() {
    let sig = MethodSig::parse(&[0x00, 0x03, 0x01, 0x08, 0x00, 0x08]).unwrap();
    let mut params = sig.params();
    assert!(params.next().unwrap().is_ok());
    assert_eq!(params.next().unwrap().unwrap_err().offset, 4);
    assert!(params.next().is_none());
    let sig = LocalVarSig::parse(&[0x07, 0x02, 0x00, 0x08]).unwrap();
    let mut locals = sig.locals();
    assert!(locals.next().unwrap().is_err());
    assert!(locals.next().is_none());
}

#[test]
fn messages_say_what_and_where() {
    let message = |kind, blob: &[u8]| by_views(kind, blob).unwrap_err().to_string();
    assert_eq!(message(Kind::Method, &[0x00]), "the blob ends too early (at byte 1)");
    assert_eq!(
        message(Kind::Method, &[0x06, 0x08]),
        "expected a method signature, found a field signature (header 0x06) (at byte 0)"
    );
    assert_eq!(
        message(Kind::Field, &[0x0F]),
        "expected a field signature, found header 0x0F, which no signature has (at byte 0)"
    );
    assert_eq!(message(Kind::Field, &[0x06, 0x17]), "element type 0x17 begins no type (at byte 1)");
    assert_eq!(message(Kind::Field, &[0x06, 0x12, 0xE1]), "0xE1 begins no compressed integer (at byte 2)");
    assert_eq!(
        message(Kind::Field, &[0x06, 0x12, 0x07]),
        "0x7 encodes no TypeDef, TypeRef or TypeSpec (at byte 2)"
    );
    assert_eq!(message(Kind::Locals, &[0x07, 0x05, 0x08]), "a count of 5 with 1 bytes left (at byte 1)");
    assert_eq!(message(Kind::Field, &[0x06, 0x08, 0x08]), "1 bytes follow the signature (at byte 2)");
}
