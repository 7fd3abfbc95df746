//! Typed tokens and coded indexes.

use sigparse::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    TypeDefOrRef, TypeOrMethodDef,
    token::{FieldDef, MethodDef, Table, Token, TypeDef, TypeRef, TypeSpec, UserString, WrongToken},
};

#[test]
fn nil_and_foreign_tokens_are_none() {
    assert_eq!(TypeDef::from_token(0x0200_0000), None);
    assert_eq!(TypeDef::from_token(0x0100_0001), None);
    assert_eq!(TypeDef::from_token(0), None);
    assert_eq!(TypeDef::from_rid(0), None);
    assert_eq!(TypeDef::from_rid(0x0100_0000), None);
    let ty = TypeDef::from_rid(0x00FF_FFFF).unwrap();
    assert_eq!((ty.token(), ty.rid()), (0x02FF_FFFF, 0x00FF_FFFF));
    assert_eq!(UserString::from_token(0x7000_0001).unwrap().rid(), 1);
}

#[test]
fn tokens_are_as_small_as_their_value() {
    assert_eq!(size_of::<Option<MethodDef>>(), 4);
    assert_eq!(size_of::<Option<TypeDefOrRef>>(), 8);
}

#[test]
fn tokens_print() {
    let field = FieldDef::from_rid(0x1A).unwrap();
    assert_eq!(field.to_string(), "0x0400001A");
    assert_eq!(format!("{field:?}"), "FieldDef(0x0400001A)");
    assert_eq!(format!("{:?}", Token(0x99)), "Token(0x00000099)");
    assert_eq!(Table::METHOD_DEF.to_string(), "METHOD_DEF");
    assert_eq!(Table(0x55).to_string(), "0x55");
}

#[test]
fn conversions_name_what_was_wrong() {
    let wrong = MethodDef::try_from(Token(0x0200_0001)).unwrap_err();
    assert_eq!(wrong, WrongToken(Token(0x0200_0001)));
    assert_eq!(wrong.to_string(), "token 0x02000001 of table TYPE_DEF is not of the table asked for");
    assert_eq!(TypeRef::try_from(Token(0x0100_0000)).unwrap_err().to_string(), "token 0x01000000 is nil");
    assert_eq!(Token::from(TypeSpec::from_rid(2).unwrap()), Token::new(Table::TYPE_SPEC, 2));
}

/// II.24.2.6: tag widths and tags.
#[test]
fn coded_indexes_of_the_standard() {
    let token = |index: Option<u32>| index.unwrap();
    assert_eq!(token(TypeDefOrRef::from_coded(0x48).map(Into::into)), 0x0200_0012);
    assert_eq!(token(TypeDefOrRef::from_coded(0x49).map(Into::into)), 0x0100_0012);
    assert_eq!(token(TypeDefOrRef::from_coded(0x4A).map(Into::into)), 0x1B00_0012);
    assert_eq!(TypeDefOrRef::from_coded(0x4B), None);
    assert_eq!(token(ResolutionScope::from_coded(0x0B).map(Into::into)), 0x0100_0002);
    assert_eq!(token(ResolutionScope::from_coded(0x0A).map(Into::into)), 0x2300_0002);
    assert_eq!(token(MemberRefParent::from_coded(0x0C).map(Into::into)), 0x1B00_0001);
    assert_eq!(MemberRefParent::from_coded(0x0D), None);
    assert_eq!(token(MethodDefOrRef::from_coded(0x03).map(Into::into)), 0x0A00_0001);
    assert_eq!(token(CustomAttributeType::from_coded(0x0B).map(Into::into)), 0x0A00_0001);
    assert_eq!(CustomAttributeType::from_coded(0x08), None);
    assert_eq!(token(TypeOrMethodDef::from_coded(0x05).map(Into::into)), 0x0600_0002);
    assert_eq!(token(Implementation::from_coded(0x05).map(Into::into)), 0x2300_0001);
    assert_eq!(token(HasFieldMarshal::from_coded(0x05).map(Into::into)), 0x0800_0002);
}

#[test]
fn coded_indexes_go_there_and_back() {
    for value in 0..0x1000 {
        if let Some(index) = TypeDefOrRef::from_coded(value) {
            assert_eq!(index.coded(), value);
            assert_eq!(TypeDefOrRef::from_token(index.token()), Some(index));
            assert_eq!(TypeDefOrRef::try_from(Token(index.token())), Ok(index));
        }
        if let Some(index) = MemberRefParent::from_coded(value) {
            assert_eq!(index.coded(), value);
            assert_eq!(MemberRefParent::from_token(index.token()), Some(index));
        }
    }
    assert!(TypeDefOrRef::try_from(Token(0x0600_0001)).is_err());
}
