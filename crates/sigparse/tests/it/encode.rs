//! Signatures back to bytes: decode → encode gives what went in, and builders build what they say.

use sigparse::{
    CallingConvention, Compressed, Encoder, Error, ErrorKind, FieldSigBuf, LocalVarSigBuf,
    LocalVarSigBuilder, MethodSig, MethodSigBuf, MethodSigBuilder, MethodSpecSigBuf, Modifier,
    PropertySigBuf, PropertySigBuilder, Reader, Token, TypeDefOrRef, TypeSig, TypeSigBuf, limits, walk,
};

use crate::{
    checks::encode as again,
    dump::{KINDS, Kind, by_views},
    rng::Rng,
    vectors,
};

/// Takes a blob into an owned signature and out again, and prints it on the way.
fn owned(kind: Kind, blob: &[u8]) -> Result<(Vec<u8>, String), Error> {
    macro_rules! through {
        ($buf:ident) => {{
            let buf = $buf::from_bytes(blob)?;
            let text = buf.to_string();
            assert_eq!(text, buf.as_sig().to_string());
            (buf.into_bytes(), text)
        }};
    }
    Ok(match kind {
        Kind::Method => through!(MethodSigBuf),
        Kind::Field => through!(FieldSigBuf),
        Kind::Property => through!(PropertySigBuf),
        Kind::Locals => through!(LocalVarSigBuf),
        Kind::TypeSpec => through!(TypeSigBuf),
        Kind::MethodSpec => through!(MethodSpecSigBuf),
    })
}

#[test]
fn every_vector_comes_out_as_it_went_in() {
    for vector in vectors::all() {
        assert_eq!(again(vector.kind, vector.blob).as_deref(), Ok(vector.blob), "{}", vector.what);
        assert_eq!(owned(vector.kind, vector.blob).unwrap().0, vector.blob, "{}", vector.what);
        if vector.kind == Kind::Method {
            let buf = MethodSig::parse(vector.blob).unwrap().to_buf().unwrap();
            assert_eq!(buf.as_bytes(), vector.blob, "{}", vector.what);
        }
    }
}

#[test]
fn random_signatures_keep_their_meaning() {
    let mut rng = Rng::new(3);
    let mut well_formed = 0;
    for _ in 0..200_000 {
        let kind = KINDS[rng.below(KINDS.len())];
        let mut blob =
            vec![[0x00, 0x06, 0x28, 0x07, 0x1D, 0x0A][KINDS.iter().position(|&k| k == kind).unwrap()]];
        blob.extend((0..rng.below(12)).map(|_| rng.byte()));
        let Ok(meaning) = by_views(kind, &blob) else {
            assert!(owned(kind, &blob).is_err());
            continue;
        };
        well_formed += 1;
        let encoded = again(kind, &blob).unwrap();
        // Only integers longer than need be may change, and they get shorter.
        assert!(encoded.len() <= blob.len());
        assert_eq!(by_views(kind, &encoded), Ok(meaning));
        assert_eq!(again(kind, &encoded), Ok(encoded));
    }
    assert!(well_formed > 1_000, "{well_formed}");
}

#[test]
fn compressed_integers_come_back() {
    let mut unsigned = vec![0, 0x7F, 0x80, 0x3FFF, 0x4000, limits::MAX_COMPRESSED_UNSIGNED];
    let mut signed = vec![0, -1, 63, 64, -64, -65, 8191, 8192, -8192, -8193];
    signed.extend([limits::MIN_COMPRESSED_SIGNED, limits::MAX_COMPRESSED_SIGNED]);
    let mut rng = Rng::new(4);
    for _ in 0..10_000 {
        let number = u32::try_from(rng.below(0x2000_0000)).unwrap() >> rng.below(29);
        unsigned.push(number);
        signed.push((number.cast_signed() >> 1) * if number & 1 == 0 { 1 } else { -1 });
    }
    for number in unsigned {
        let compressed = Compressed::unsigned(number).unwrap();
        assert_eq!(Reader::new(&compressed).read_compressed_u32(), Ok(number));
        let length = match number {
            0..=0x7F => 1,
            0x80..=0x3FFF => 2,
            _ => 4,
        };
        assert_eq!(compressed.len(), length, "{number:#X}");
    }
    for number in signed {
        let compressed = Compressed::signed(number).unwrap();
        assert_eq!(Reader::new(&compressed).read_compressed_i32(), Ok(number));
    }
    assert_eq!(Compressed::unsigned(limits::MAX_COMPRESSED_UNSIGNED + 1), None);
    assert_eq!(Compressed::signed(limits::MAX_COMPRESSED_SIGNED + 1), None);
    assert_eq!(Compressed::signed(limits::MIN_COMPRESSED_SIGNED - 1), None);
    assert_eq!(*Compressed::signed(-8193).unwrap(), [0xDF, 0xFF, 0xBF, 0xFF]);
}

fn ty(token: u32) -> TypeDefOrRef {
    TypeDefOrRef::from_token(token).unwrap()
}

#[test]
fn builders_of_types() {
    let bytes = |sig: Result<TypeSigBuf, Error>| sig.unwrap().into_bytes();
    assert_eq!(bytes(TypeSigBuf::build(|t| t.ptr().ptr().void())), [0x0F, 0x0F, 0x01]);
    assert_eq!(bytes(TypeSigBuf::build(|t| t.class(ty(0x0100_0002)))), [0x12, 0x09]);
    assert_eq!(bytes(TypeSigBuf::build(|t| t.value_type(ty(0x0200_0020)))), [0x11, 0x80, 0x80]);
    assert_eq!(
        bytes(TypeSigBuf::build(|t| t.array(2, &[5], &[-3, 4], |t| t.i4()))),
        [0x14, 0x08, 0x02, 0x01, 0x05, 0x02, 0x7B, 0x08]
    );
    let modified = TypeSigBuf::build(|t| {
        t.modifier(Modifier::Required(ty(0x0100_0002)))
            .by_ref()
            .modifier(Modifier::Optional(ty(0x0100_0003)))
            .u8()
    });
    assert_eq!(bytes(modified), [0x1F, 0x09, 0x10, 0x20, 0x0D, 0x0B]);
    let nested = TypeSigBuf::build(|t| {
        t.generic_value_type(ty(0x0200_0002), |args| {
            args.arg(|t| t.generic_class(ty(0x0100_0002), |args| args.arg(|t| t.var(0))));
            args.arg(|t| t.sz_array().mvar(1));
        })
    });
    assert_eq!(bytes(nested), [0x15, 0x11, 0x08, 0x02, 0x15, 0x12, 0x09, 0x01, 0x13, 0x00, 0x1D, 0x1E, 0x01]);
    let sig = MethodSigBuilder::new(|t| t.void()).param(|t| t.i4()).finish().unwrap();
    let pointer = TypeSigBuf::build(|t| t.sz_array().fn_ptr(&sig)).unwrap();
    assert_eq!(pointer.as_bytes(), [0x1D, 0x1B, 0x00, 0x01, 0x01, 0x08]);
    assert_eq!(bytes(TypeSigBuf::build(|t| t.ptr().copy(pointer.as_sig())))[..3], [0x0F, 0x1D, 0x1B]);
    assert_eq!(TypeSig::parse(&[0x08, 0xFF]).unwrap().to_buf().as_bytes(), [0x08]);
}

#[test]
fn builders_of_the_other_kinds() {
    let call = MethodSigBuilder::new(|t| t.void())
        .calling_convention(CallingConvention::VARARG)
        .has_this()
        .param(|t| t.string())
        .sentinel()
        .param(|t| t.i4())
        .param(|t| t.r8())
        .finish()
        .unwrap();
    assert_eq!(call.as_bytes(), [0x25, 0x03, 0x01, 0x0E, 0x41, 0x08, 0x0D]);
    assert_eq!(FieldSigBuf::build(|t| t.object()).unwrap().as_bytes(), [0x06, 0x1C]);
    assert_eq!(PropertySigBuilder::new(|t| t.i4()).finish().unwrap().as_bytes(), [0x08, 0x00, 0x08]);
    assert_eq!(LocalVarSigBuilder::new().finish().unwrap().as_bytes(), [0x07, 0x00]);
    let many =
        (0..300).fold(LocalVarSigBuilder::new(), |locals, _| locals.local(|t| t.i4())).finish().unwrap();
    assert_eq!((many.as_sig().local_count(), &many.as_bytes()[..4]), (300, &[0x07, 0x81, 0x2C, 0x08][..]));
}

#[test]
fn builders_refuse_what_would_be_ill_formed() {
    let kind = |sig: Result<TypeSigBuf, Error>| sig.unwrap_err().kind;
    let method = |builder: MethodSigBuilder| builder.finish().unwrap_err().kind;
    let void = || MethodSigBuilder::new(|t| t.void());
    assert_eq!(kind(TypeSigBuf::build(|t| t.array(0, &[], &[], |t| t.i4()))), ErrorKind::InvalidRank(0));
    assert_eq!(
        kind(TypeSigBuf::build(|t| t.array(1, &[1, 2], &[], |t| t.i4()))),
        ErrorKind::InvalidShape { count: 2, rank: 1 }
    );
    assert_eq!(
        kind(TypeSigBuf::build(|t| t.array(1, &[u32::MAX], &[], |t| t.i4()))),
        ErrorKind::IntegerOutOfRange(i64::from(u32::MAX))
    );
    assert_eq!(
        kind(TypeSigBuf::build(|t| t.array(1, &[], &[i32::MIN], |t| t.i4()))),
        ErrorKind::IntegerOutOfRange(i64::from(i32::MIN))
    );
    assert_eq!(
        kind(TypeSigBuf::build(|t| t.generic_class(ty(0x0100_0002), |_| ()))),
        ErrorKind::InvalidGenericCount(0)
    );
    assert_eq!(
        kind(TypeSigBuf::build(|t| t.generic_class(ty(0x0100_0002), |args| args.arg(|t| t.var(u32::MAX))))),
        ErrorKind::IntegerOutOfRange(i64::from(u32::MAX))
    );
    assert_eq!(kind(TypeSigBuf::build(|t| (0..200).fold(t, |t, _| t.ptr()).void())), ErrorKind::TooDeep);
    assert_eq!(MethodSpecSigBuf::build(|_| ()).unwrap_err().kind, ErrorKind::InvalidGenericCount(0));
    assert_eq!(method(void().sentinel().param(|t| t.i4())), ErrorKind::UnexpectedSentinel);
    let vararg = || void().calling_convention(CallingConvention::VARARG);
    let twice = vararg().sentinel().param(|t| t.i4()).sentinel().param(|t| t.i4());
    assert_eq!(method(twice), ErrorKind::UnexpectedSentinel);
    assert_eq!(vararg().sentinel().finish().unwrap().as_bytes(), [0x05, 0x00, 0x01]);
    assert!(matches!(
        method(void().calling_convention(CallingConvention::FIELD)),
        ErrorKind::WrongKind { .. }
    ));
    assert_eq!(method(void().generic_params(0x1_0000)), ErrorKind::InvalidGenericCount(0x1_0000));
}

#[test]
fn tokens_are_replaced_everywhere() {
    // modreq(A) B<A> (A modopt in a function pointer)
    let blob = [
        0x00, 0x01, 0x1F, 0x09, 0x15, 0x12, 0x0D, 0x01, 0x12, 0x09, 0x1B, 0x00, 0x00, 0x20, 0x09, 0x11, 0x0D,
    ];
    let mut encoder = Encoder::with_tokens(|here| ty(0x0200_0000 | Token::from(here).rid()));
    walk::method(&blob, &mut encoder).unwrap();
    let moved = encoder.finish().unwrap();
    let text = by_views(Kind::Method, &moved).unwrap();
    assert_eq!(
        text,
        "DEFAULT reqd:0x02000002 GENERICINST(CLASS:0x02000003 | CLASS:0x02000002) \
         (FNPTR(DEFAULT opt:0x02000002 VALUETYPE:0x02000003 ()))"
    );
}
