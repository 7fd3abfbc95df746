//! Custom attribute values (II.23.3), built. The bytes are those that the encoder of System.Reflection.Metadata writes:
//! `tests/apps/sigoracle/Encoded.cs` has the same attributes, and the end-to-end tests compare.

use sigparse::{
    AttributeBuilder, ElementType, MethodSig,
    attribute::{ArgElement, Primitive},
};

use crate::attribute_types::Types;

/// An attribute that is built.
pub(crate) struct Built {
    pub(crate) name: &'static str,
    pub(crate) constructor: &'static [u8],
    pub(crate) build: fn(AttributeBuilder<'_>) -> AttributeBuilder<'_>,
    pub(crate) blob: &'static [u8],
}

impl Built {
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, sigparse::Error> {
        (self.build)(AttributeBuilder::new(MethodSig::parse(self.constructor)?, &Types)).finish()
    }
}

const I4: ArgElement<'_> = ArgElement::Primitive(ElementType::I4);
const E: ArgElement<'_> = ArgElement::Enum { name: Some("E"), under: ElementType::I2 };
const LONG: &str = match str::from_utf8(&[b'x'; 200]) {
    Ok(text) => text,
    Err(_) => "",
};

pub(crate) const ALL: &[Built] = &[
    Built {
        name: "nothing",
        constructor: &[0x20, 0x00, 0x01],
        build: |attribute| attribute,
        blob: &[1, 0, 0, 0],
    },
    Built {
        name: "primitives",
        constructor: &[
            0x20, 0x0C, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D,
        ],
        build: |attribute| {
            attribute
                .arg(|value| value.primitive(true))
                .arg(|value| value.primitive(Primitive::Char(b'x'.into())))
                .arg(|value| value.primitive(-1_i8))
                .arg(|value| value.primitive(255_u8))
                .arg(|value| value.primitive(-2_i16))
                .arg(|value| value.primitive(513_u16))
                .arg(|value| value.primitive(-3))
                .arg(|value| value.primitive(2_147_483_649_u32))
                .arg(|value| value.primitive(-4_i64))
                .arg(|value| value.primitive(u64::MAX))
                .arg(|value| value.primitive(1.5_f32))
                .arg(|value| value.primitive(-1.5))
        },
        blob: b"\x01\x00\x01x\x00\xFF\xFF\xFE\xFF\x01\x02\xFD\xFF\xFF\xFF\x01\x00\x00\x80\
            \xFC\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\
            \x00\x00\xC0\x3F\x00\x00\x00\x00\x00\x00\xF8\xBF\x00\x00",
    },
    Built {
        name: "strings",
        constructor: &[0x20, 0x05, 0x01, 0x0E, 0x0E, 0x0E, 0x0E, 0x0E],
        build: |attribute| {
            attribute
                .arg(|value| value.string("abc"))
                .arg(|value| value.string(""))
                .arg(|value| value.string(None))
                .arg(|value| value.string("déjà"))
                .arg(|value| value.string(LONG))
        },
        blob: b"\x01\x00\x03abc\x00\xFF\x06d\xC3\xA9j\xC3\xA0\x80\xC8\
            xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
            xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
            \x00\x00",
    },
    Built {
        name: "types",
        constructor: &[0x20, 0x02, 0x01, 0x12, 0x05, 0x12, 0x05],
        build: |attribute| {
            attribute.arg(|value| value.type_name("N.T, A")).arg(|value| value.type_name(None))
        },
        blob: b"\x01\x00\x06N.T, A\xFF\x00\x00",
    },
    Built {
        name: "enumeration",
        constructor: &[0x20, 0x01, 0x01, 0x11, 0x09],
        build: |attribute| attribute.arg(|value| value.primitive(7_u8)),
        blob: &[1, 0, 7, 0, 0],
    },
    Built {
        name: "vectors",
        constructor: &[0x20, 0x04, 0x01, 0x1D, 0x08, 0x1D, 0x0E, 0x1D, 0x1C, 0x1D, 0x11, 0x09],
        build: |attribute| {
            attribute
                .arg(|value| {
                    value.array(I4, |values| {
                        values.item(|value| value.primitive(1));
                        values.item(|value| value.primitive(-1));
                    })
                })
                .arg(|value| {
                    value.array(ArgElement::String, |values| {
                        values.item(|value| value.string("a"));
                        values.item(|value| value.string(None));
                    })
                })
                .arg(|value| value.array(ArgElement::Object, |_| ()))
                .arg(|value| value.null_array(ArgElement::Enum { name: None, under: ElementType::U1 }))
        },
        blob: b"\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\xFF\xFF\xFF\xFF\x02\x00\x00\x00\x01a\xFF\
            \x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x00",
    },
    Built {
        name: "boxed",
        constructor: &[0x20, 0x05, 0x01, 0x1C, 0x1C, 0x1C, 0x1C, 0x1C],
        build: |attribute| {
            attribute
                .arg(|value| value.boxed(|value| value.primitive(5)))
                .arg(|value| value.boxed(|value| value.string(None)))
                .arg(|value| value.boxed(|value| value.type_name("T")))
                .arg(|value| value.boxed(|value| value.enumeration("E", 2_i16)))
                .arg(|value| {
                    value.boxed(|value| {
                        value.array(ArgElement::Primitive(ElementType::BOOLEAN), |values| {
                            values.item(|value| value.primitive(false));
                        })
                    })
                })
        },
        blob: b"\x01\x00\x08\x05\x00\x00\x00\x0E\xFF\x50\x01T\x55\x01E\x02\x00\x1D\x02\x01\x00\x00\x00\x00\
            \x00\x00",
    },
    Built {
        name: "boxed in a vector",
        constructor: &[0x20, 0x01, 0x01, 0x1D, 0x1C],
        build: |attribute| {
            attribute.arg(|value| {
                value.array(ArgElement::Object, |values| {
                    values.item(|value| value.boxed(|value| value.primitive(true)));
                    values.item(|value| {
                        value.boxed(|value| {
                            value.array(ArgElement::Primitive(ElementType::U1), |values| {
                                values.item(|value| value.primitive(3_u8));
                            })
                        })
                    });
                })
            })
        },
        blob: b"\x01\x00\x02\x00\x00\x00\x02\x01\x1D\x05\x01\x00\x00\x00\x03\x00\x00",
    },
    Built {
        name: "named",
        constructor: &[0x20, 0x00, 0x01],
        build: |attribute| {
            attribute
                .property("P", |value| value.primitive(true))
                .field("F", |value| {
                    value.array(ArgElement::String, |values| values.item(|value| value.string("hi")))
                })
                .property("Q", |value| value.enumeration("E", 5_i16))
                .field("T", |value| value.type_name("AB"))
                .field("O", |value| value.boxed(|value| value.primitive(Primitive::Char(b'c'.into()))))
                .property("V", |value| value.null_array(E))
                .property("W", |value| {
                    value.array(ArgElement::Object, |values| {
                        values.item(|value| value.boxed(|value| value.primitive(2.0)));
                    })
                })
        },
        blob: b"\x01\x00\x07\x00\x54\x02\x01P\x01\x53\x1D\x0E\x01F\x01\x00\x00\x00\x02hi\x54\x55\x01E\x01Q\x05\x00\
            \x53\x50\x01T\x02AB\x53\x51\x01O\x03c\x00\x54\x1D\x55\x01E\x01V\xFF\xFF\xFF\xFF\
            \x54\x1D\x51\x01W\x01\x00\x00\x00\x0D\x00\x00\x00\x00\x00\x00\x00\x40",
    },
];

#[cfg(test)]
mod tests {
    use sigparse::{Error, ErrorKind, attribute::AttributeValue};

    use super::*;

    #[test]
    fn attributes_are_built() {
        for built in ALL {
            assert_eq!(built.bytes().as_deref(), Ok(built.blob), "{}", built.name);
        }
    }

    #[test]
    fn what_is_read_is_written_again() {
        for built in ALL {
            let constructor = MethodSig::parse(built.constructor).unwrap();
            let value = AttributeValue::parse(built.blob, constructor, &Types).unwrap();
            assert_eq!(value.to_bytes().as_deref(), Ok(built.blob), "{}", built.name);
        }
        let constructor = MethodSig::parse(&[0x20, 0x00, 0x01]).unwrap();
        let nothing = AttributeValue::parse(&[], constructor, &Types).unwrap();
        assert_eq!(nothing.to_bytes().as_deref(), Ok(&[][..]), "an empty blob stays one");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let kind = |param: &[u8], build: fn(AttributeBuilder<'_>) -> AttributeBuilder<'_>| {
            let constructor = [&[0x20, 0x01, 0x01], param].concat();
            let built: Result<Vec<u8>, Error> =
                build(AttributeBuilder::new(MethodSig::parse(&constructor).unwrap(), &Types)).finish();
            built.unwrap_err().kind
        };
        let wrong = |expected, found| ErrorKind::WrongArgumentType { expected, found };
        type T = ElementType;
        assert_eq!(kind(&[0x08], |a| a), ErrorKind::WrongArgumentCount { expected: 1 });
        fn twice(a: AttributeBuilder<'_>) -> AttributeBuilder<'_> {
            a.arg(|v| v.primitive(1)).arg(|v| v.primitive(1))
        }
        assert_eq!(kind(&[0x08], twice), ErrorKind::WrongArgumentCount { expected: 1 });
        assert_eq!(kind(&[0x08], |a| a.arg(|v| v.primitive(1_u32))), wrong(T::I4, T::U4));
        assert_eq!(kind(&[0x08], |a| a.arg(|v| v.string("x"))), wrong(T::I4, T::STRING));
        assert_eq!(kind(&[0x11, 0x09], |a| a.arg(|v| v.primitive(1))), wrong(T::CA_ENUM, T::I4));
        assert_eq!(kind(&[0x1C], |a| a.arg(|v| v.primitive(1))), wrong(T::CA_BOXED, T::I4));
        assert_eq!(kind(&[0x12, 0x05], |a| a.arg(|v| v.string("x"))), wrong(T::CA_TYPE, T::STRING));
        assert_eq!(kind(&[0x1D, 0x08], |a| a.arg(|v| v.primitive(1))), wrong(T::SZARRAY, T::I4));
        assert_eq!(
            kind(&[0x1D, 0x08], |a| a.arg(|v| v.null_array(ArgElement::String))),
            wrong(T::I4, T::STRING)
        );
        fn mixed(a: AttributeBuilder<'_>) -> AttributeBuilder<'_> {
            a.arg(|v| v.array(I4, |values| values.item(|v| v.string("x"))))
        }
        assert_eq!(kind(&[0x1D, 0x08], mixed), wrong(T::I4, T::STRING));
        // Nobody knows the size of an enumeration X, and E is none of ints.
        let unknown = ErrorKind::UnknownAttributeType(T::CA_ENUM);
        assert_eq!(kind(&[0x1C], |a| a.arg(|v| v.boxed(|v| v.enumeration("X", 1)))), unknown);
        assert_eq!(kind(&[0x1C], |a| a.arg(|v| v.boxed(|v| v.enumeration("E", 1)))), unknown);
        fn nameless(a: AttributeBuilder<'_>) -> AttributeBuilder<'_> {
            let element = ArgElement::Enum { name: None, under: ElementType::I4 };
            a.arg(move |v| v.boxed(|v| v.null_array(element)))
        }
        assert_eq!(kind(&[0x1C], nameless), unknown);
        fn no_type(a: AttributeBuilder<'_>) -> AttributeBuilder<'_> {
            a.arg(|v| v.boxed(|v| v.null_array(ArgElement::Primitive(ElementType::CLASS))))
        }
        assert_eq!(kind(&[0x1C], no_type), ErrorKind::UnknownAttributeType(T::CLASS));
        // A parameter that no attribute can have.
        assert_eq!(
            kind(&[0x0F, 0x08], |a| a.arg(|v| v.primitive(1))),
            ErrorKind::UnknownAttributeType(T::PTR)
        );
    }
}
