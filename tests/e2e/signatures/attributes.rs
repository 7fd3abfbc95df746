//! Custom attribute values, as System.Reflection.Metadata reads them.

use anyhow::{Context as _, Result, ensure};
use sigparse::attribute::{AttributeTypes, AttributeValue, Primitive, Resolved, Value};
use sigparse::{ElementType, Error, MethodSig, Type, TypeSig};

use crate::attribute_builders;
use crate::corpus::{Corpus, ask};
use crate::oracle::{from_hex, to_hex};

/// What the oracle had to know: pairs of a token and a code, or of a name and a code.
struct Known<'l>(Vec<(&'l str, ElementType)>);

impl<'l> Known<'l> {
    fn parse(list: &'l str) -> Result<Self> {
        let pairs = list.split(',').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, code) = pair.split_once('=').context("no code")?;
            Ok((key, ElementType(u8::from_str_radix(code, 16)?)))
        });
        Ok(Self(pairs.collect::<Result<_>>()?))
    }

    fn code(&self, key: &str) -> Option<ElementType> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, code)| *code)
    }
}

impl AttributeTypes for Known<'_> {
    fn resolve(&self, ty: TypeSig<'_>) -> Option<Resolved> {
        let (Type::Class(ty) | Type::ValueType(ty)) = ty.ty() else { return None };
        Some(match self.code(&format!("{:08X}", ty.token()))? {
            ElementType::CA_TYPE => Resolved::SystemType,
            under => Resolved::Enum(under),
        })
    }

    fn named_enum(&self, name: &str) -> Option<ElementType> {
        self.code(&format!("'{}", hex(name)))
    }
}

fn hex(text: &str) -> String {
    format!("x{}", to_hex(text.as_bytes()))
}

fn primitive(value: Primitive) -> String {
    match value {
        Primitive::Boolean(v) => format!("BOOLEAN:{}", u8::from(v)),
        Primitive::Char(v) => format!("CHAR:{v}"),
        Primitive::I1(v) => format!("I1:{v}"),
        Primitive::U1(v) => format!("U1:{v}"),
        Primitive::I2(v) => format!("I2:{v}"),
        Primitive::U2(v) => format!("U2:{v}"),
        Primitive::I4(v) => format!("I4:{v}"),
        Primitive::U4(v) => format!("U4:{v}"),
        Primitive::I8(v) => format!("I8:{v}"),
        Primitive::U8(v) => format!("U8:{v}"),
        Primitive::R4(v) => format!("R4:{}", v.to_bits()),
        Primitive::R8(v) => format!("R8:{}", v.to_bits()),
    }
}

fn text(value: Value<'_, '_>) -> Result<String, Error> {
    Ok(match value {
        Value::Primitive(value) => primitive(value),
        Value::String(value) => format!("string:{}", value.map_or("null".to_owned(), hex)),
        Value::Type(value) => format!("type:{}", value.map_or("null".to_owned(), hex)),
        Value::Enum { value, .. } => format!("enum({})", primitive(value)),
        Value::Boxed(boxed) => text(boxed.value()?)?,
        Value::Array(None) => "null[]".to_owned(),
        Value::Array(Some(values)) => {
            let values: Result<Vec<String>, Error> = values.map(|value| text(value?)).collect();
            format!("[{}]", values?.join(","))
        }
    })
}

/// What an attribute says, unless it would be written with other bytes than it was read from.
fn decoded(constructor: &[u8], blob: &[u8], known: &Known<'_>) -> Result<String, Error> {
    let value = AttributeValue::parse(blob, MethodSig::parse(constructor)?, known)?;
    value.validate()?;
    let again = value.to_bytes()?;
    if again != blob {
        return Ok(format!("encoded again: {}", to_hex(&again)));
    }
    let fixed: Result<Vec<String>, Error> = value.fixed_args().map(|arg| text(arg?)).collect();
    let named: Result<Vec<String>, Error> = value
        .named_args()
        .map(|arg| {
            let arg = arg?;
            let kind = if arg.is_property { 'p' } else { 'f' };
            Ok(format!("{kind}:{}={}", hex(arg.name), text(arg.value)?))
        })
        .collect();
    Ok(format!("{};{}", fixed?.join(","), named?.join(",")))
}

#[test]
fn attributes_read_as_system_reflection_metadata_reads_them() -> Result<()> {
    let corpus = Corpus::extracted()?;
    let mut distinct = 0;
    let mut differences = Vec::new();
    for line in corpus.attributes() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, constructor, blob, known, expected] = fields[..] else {
            anyhow::bail!("the oracle's line {line:?} is short");
        };
        distinct += 1;
        let found = decoded(&from_hex(constructor)?, &from_hex(blob)?, &Known::parse(known)?);
        if found.as_deref() != Ok(expected) {
            differences.push(format!("{line}\n  {found:?}"));
        }
    }
    let (compared, left_out) = corpus.attributes;
    println!("{}: {compared} custom attributes, {distinct} of them distinct", corpus.name);
    println!("{left_out} left out: what they refer to is in no assembly of the corpus");
    ensure!(
        differences.is_empty(),
        "{} of {distinct} attributes differ; the first:\n{}",
        differences.len(),
        differences[..differences.len().min(10)].join("\n")
    );
    ensure!(compared >= corpus.floor.attributes, "fewer than {} attributes", corpus.floor.attributes);
    ensure!(left_out * 100 <= compared, "more than one in a hundred left out");
    Ok(())
}

#[test]
fn attributes_are_built_as_system_reflection_metadata_builds_them() -> Result<()> {
    let written = ask("encode", "encode", &[])?;
    for built in attribute_builders::ALL {
        let line = format!("{}\t{}", built.name, to_hex(&built.bytes()?));
        ensure!(
            written.lines().any(|other| other == line),
            "not as the oracle writes it:\n{line}\n{written}"
        );
    }
    ensure!(written.lines().count() == attribute_builders::ALL.len(), "the oracle has others:\n{written}");
    Ok(())
}
