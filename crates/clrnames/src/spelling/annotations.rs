//! What attributes say of the types in a signature and the signature cannot: the names of a tuple's elements,
//! and which `object` is `dynamic`.
//!
//! Both attributes hold one list for a whole type, in the order in which the signature writes its parts. A
//! name stands for an element of a tuple, a tuple before what is inside of it; the tuple that holds the
//! elements from the eighth on has entries of its own. A flag stands for each part, by-reference parts and
//! custom modifiers included.

use sigparse::attribute::{AttributeValue, NoTypes, Primitive, Value};
use sigparse::{ElementType, GenericInst, MethodSig, ParamDef, Token, Type, TypeSig};

use super::text::{TypeText, spell};
use super::types::Scope;
use super::{Answer, Speller};
use crate::Error;
use crate::metadata::Metadata;
use crate::source::Source;

/// The element names and flags of one type, used up as its parts are spelled.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    names: std::vec::IntoIter<Option<String>>,
    dynamic: std::vec::IntoIter<bool>,
}

impl Annotations {
    /// Those of a parameter, or of a return value.
    pub(super) fn of<M: Metadata>(metadata: &M, param: ParamDef) -> Result<Self, M::Error> {
        let of = param.into();
        let names =
            metadata.custom_attribute(of, "System.Runtime.CompilerServices.TupleElementNamesAttribute")?;
        let dynamic = metadata.custom_attribute(of, "System.Runtime.CompilerServices.DynamicAttribute")?;
        Ok(Self {
            names: names.map(tuple_names).unwrap_or_default().into_iter(),
            dynamic: dynamic.map(dynamic_flags).unwrap_or_default().into_iter(),
        })
    }

    /// Uses up the flags of a by-reference part and its custom modifiers.
    pub(super) fn pass_by_ref(&mut self, sig: TypeSig<'_>) {
        self.dynamic.by_ref().take(sig.modifiers().count() + 1).for_each(drop);
    }

    fn is_empty(&self) -> bool {
        self.names.len() == 0 && self.dynamic.len() == 0
    }
}

/// The values of the one array that an attribute's constructor takes.
fn array_of<T>(
    blob: &[u8],
    element: ElementType,
    value: impl Fn(Value<'_, '_>) -> Option<T>,
) -> Option<Vec<T>> {
    let constructor = [0x20, 0x01, ElementType::VOID.0, ElementType::SZARRAY.0, element.0];
    let constructor = MethodSig::parse(&constructor).ok()?;
    let attribute = AttributeValue::parse(blob, constructor, &NoTypes).ok()?;
    match attribute.fixed_args().next()?.ok()? {
        Value::Array(Some(values)) => values.map(|item| value(item.ok()?)).collect(),
        _ => None,
    }
}

fn tuple_names(blob: &[u8]) -> Vec<Option<String>> {
    let name = |value: Value<'_, '_>| match value {
        Value::String(name) => Some(name.map(str::to_owned)),
        _ => None,
    };
    array_of(blob, ElementType::STRING, name).unwrap_or_default()
}

fn dynamic_flags(blob: &[u8]) -> Vec<bool> {
    let flag = |value: Value<'_, '_>| match value {
        Value::Primitive(Primitive::Boolean(flag)) => Some(flag),
        _ => None,
    };
    // Without an argument the type itself is meant.
    array_of(blob, ElementType::BOOLEAN, flag).unwrap_or_else(|| vec![true])
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// The spelling of a type in a signature, with what is annotated.
    pub(super) fn annotated_text(
        &self,
        scope: &Scope<'_, S::Module>,
        sig: TypeSig<'_>,
        notes: &mut Annotations,
    ) -> Answer<TypeText, S> {
        if notes.is_empty() {
            return self.sig_text(scope, sig);
        }
        for _ in sig.modifiers() {
            notes.dynamic.next();
        }
        let is_dynamic = notes.dynamic.next().unwrap_or(false);
        Ok(match sig.ty() {
            Type::Object if is_dynamic => TypeText::plain("dynamic"),
            Type::Ptr(target) => self.annotated_text(scope, target, notes)?.pointer(),
            Type::ByRef(target) => {
                TypeText::plain(format!("ref {}", self.annotated_text(scope, target, notes)?.as_str()))
            }
            Type::SzArray(element) => self.annotated_text(scope, element, notes)?.array(1),
            Type::Array(array) => self.annotated_text(scope, array.element(), notes)?.array(array.rank()),
            Type::GenericInst(generic) => match self.tuple_length(scope, &generic)? {
                Some(length) if length > 1 => self.annotated_tuple(scope, &generic, length, notes)?,
                length => {
                    // A tuple of one is written as the struct that it is; its element has an entry.
                    notes.names.by_ref().take(length.unwrap_or(0)).for_each(drop);
                    let args: Answer<Vec<TypeText>, S> =
                        generic.args().map(|arg| self.annotated_text(scope, arg, notes)).collect();
                    match generic.type_def_or_ref() {
                        Some(token) => {
                            let levels = &self.definition(scope.module, token)?.levels;
                            spell(levels, &args?, |index| format!("!{index}"))
                        }
                        None => self.sig_text(scope, sig)?,
                    }
                }
            },
            Type::FnPtr(pointer) => {
                // The return type comes first, as in the signature; C# writes it last.
                let result = self.annotated_reference(scope, pointer.return_type(), false, notes)?;
                let mut types = Vec::new();
                for param in pointer.params() {
                    let malformed = |error| Error::Signature { of: "a function pointer".into(), error };
                    types.push(self.annotated_reference(
                        scope,
                        param.map_err(malformed)?.sig(),
                        true,
                        notes,
                    )?);
                }
                types.push(result);
                let plain = self.sig_text(scope, sig)?;
                let head = plain.as_str().split_once('<').map_or("delegate*", |(head, _)| head);
                TypeText::plain(format!("{head}<{}>", types.join(", ")))
            }
            _ => self.sig_text(scope, sig)?,
        })
    }

    /// A part of a function pointer.
    fn annotated_reference(
        &self,
        scope: &Scope<'_, S::Module>,
        sig: TypeSig<'_>,
        is_parameter: bool,
        notes: &mut Annotations,
    ) -> Answer<String, S> {
        let Some(target) = sig.by_ref() else {
            return Ok(self.annotated_text(scope, sig, notes)?.as_str().to_owned());
        };
        notes.pass_by_ref(sig);
        let keyword = self.reference_keyword(scope, sig, is_parameter);
        Ok(format!("{keyword} {}", self.annotated_text(scope, target, notes)?.as_str()))
    }

    /// How many elements a value tuple has, those from the eighth on included; `None` for other types.
    fn tuple_length(
        &self,
        scope: &Scope<'_, S::Module>,
        generic: &GenericInst<'_>,
    ) -> Answer<Option<usize>, S> {
        let Some(token) = generic.type_def_or_ref() else { return Ok(None) };
        if !self.definition(scope.module, token)?.metadata_name.starts_with("System.ValueTuple`") {
            return Ok(None);
        }
        match generic.args().nth(7).map(|rest| rest.ty()) {
            None => Ok(Some(generic.args().count())),
            Some(Type::GenericInst(rest)) => Ok(self.tuple_length(scope, &rest)?.map(|length| 7 + length)),
            Some(_) => Ok(None),
        }
    }

    /// A tuple with the names of its elements.
    fn annotated_tuple(
        &self,
        scope: &Scope<'_, S::Module>,
        generic: &GenericInst<'_>,
        length: usize,
        notes: &mut Annotations,
    ) -> Answer<TypeText, S> {
        let names: Vec<Option<String>> = notes.names.by_ref().take(length).collect();
        let mut types = Vec::with_capacity(length);
        self.tuple_types(scope, generic, notes, &mut types)?;
        let mut names = names.into_iter();
        let elements: Vec<String> = types
            .iter()
            .map(|element| match names.next().flatten() {
                Some(name) => format!("{} {name}", element.as_str()),
                None => element.as_str().to_owned(),
            })
            .collect();
        Ok(TypeText::plain(format!("({})", elements.join(", "))))
    }

    /// The types of a tuple's elements, those from the eighth on included.
    fn tuple_types(
        &self,
        scope: &Scope<'_, S::Module>,
        generic: &GenericInst<'_>,
        notes: &mut Annotations,
        types: &mut Vec<TypeText>,
    ) -> Answer<(), S> {
        for arg in generic.args().take(7) {
            types.push(self.annotated_text(scope, arg, notes)?);
        }
        if let Some(Type::GenericInst(rest)) = generic.args().nth(7).map(|rest| rest.ty()) {
            notes.dynamic.next();
            let length = self.tuple_length(scope, &rest)?.unwrap_or(0);
            notes.names.by_ref().take(length).for_each(drop);
            self.tuple_types(scope, &rest, notes, types)?;
        }
        Ok(())
    }
}

/// Whether a row has a custom attribute of the compiler's, named without its namespace.
pub(super) fn has_compiler_attribute<M: Metadata>(
    metadata: &M,
    of: impl Into<Token>,
    name: &str,
) -> Result<bool, M::Error> {
    metadata.has_custom_attribute(of.into(), &format!("System.Runtime.CompilerServices.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_list_with_gaps() {
        let blob = b"\x01\x00\x03\x00\x00\x00\x01a\xff\x02bc\x00\x00";
        assert_eq!(tuple_names(blob), [Some("a".to_owned()), None, Some("bc".to_owned())]);
        assert!(tuple_names(b"\x01\x00").is_empty());
    }

    #[test]
    fn flags_are_a_list_or_one_for_the_type_itself() {
        assert_eq!(dynamic_flags(b"\x01\x00\x02\x00\x00\x00\x00\x01\x00\x00"), [false, true]);
        assert_eq!(dynamic_flags(b"\x01\x00\x00\x00"), [true]);
    }
}
