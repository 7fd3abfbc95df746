//! The annotations of types by attributes: the names of a tuple's elements, and which `object` is `dynamic`.
//!
//! Both attributes hold one list for a whole type, in the order of the signature's parts. There is a name for each element
//! of a tuple, outer tuples first; the tuple of the elements from the eighth on has entries of its own. There is a flag
//! for each part, by-reference parts and custom modifiers included.

use sigparse::attribute::{AttributeValue, NoTypes, Primitive, Value};
use sigparse::{ElementType, GenericInst, MethodSig, ParamDef, Token, Type, TypeSig};

use super::formatter::Result;
use super::scope::Scope;
use crate::csharp::{
    SignatureScope as _, TypeName, function_pointer_type, malformed_pointer, reference_keyword,
};
use crate::metadata::Metadata;
use crate::source::Source;

/// The element names and flags of one type, consumed as its parts are formatted.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    names: std::vec::IntoIter<Option<String>>,
    dynamic: std::vec::IntoIter<bool>,
}

impl Annotations {
    /// Reads the annotations of a parameter or return value.
    pub(super) fn of<M: Metadata>(metadata: &M, param: ParamDef) -> core::result::Result<Self, M::Error> {
        let of = param.into();
        let names =
            metadata.custom_attribute(of, "System.Runtime.CompilerServices.TupleElementNamesAttribute")?;
        let dynamic = metadata.custom_attribute(of, "System.Runtime.CompilerServices.DynamicAttribute")?;
        Ok(Self {
            names: names.map(tuple_names).unwrap_or_default().into_iter(),
            dynamic: dynamic.map(dynamic_flags).unwrap_or_default().into_iter(),
        })
    }

    /// Consumes the flags of a by-reference part and its custom modifiers.
    pub(super) fn pass_by_ref(&mut self, sig: TypeSig<'_>) {
        self.dynamic.by_ref().take(sig.modifiers().count() + 1).for_each(drop);
    }

    fn is_empty(&self) -> bool {
        self.names.len() == 0 && self.dynamic.len() == 0
    }
}

/// Returns the items of the one array that an attribute's constructor takes.
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
    // Without an argument the flag is for the type itself.
    array_of(blob, ElementType::BOOLEAN, flag).unwrap_or_else(|| vec![true])
}

impl<S: Source> Scope<'_, S> {
    /// Returns the name of a type in the signature, with its annotations.
    pub(super) fn annotated_name(&self, sig: TypeSig<'_>, notes: &mut Annotations) -> Result<TypeName, S> {
        if notes.is_empty() {
            return self.type_name(sig);
        }
        for _ in sig.modifiers() {
            notes.dynamic.next();
        }
        let is_dynamic = notes.dynamic.next().unwrap_or(false);
        Ok(match sig.ty() {
            Type::Object if is_dynamic => TypeName::new("dynamic"),
            Type::Ptr(target) => self.annotated_name(target, notes)?.pointer(),
            Type::ByRef(target) => TypeName::new(format!("ref {}", self.annotated_name(target, notes)?)),
            Type::SzArray(element) => self.annotated_name(element, notes)?.vector(),
            Type::Array(array) => self.annotated_name(array.element(), notes)?.array(array.rank()),
            Type::GenericInst(generic) => match self.tuple_length(&generic)? {
                Some(length) if length > 1 => self.annotated_tuple(&generic, length, notes)?,
                length => {
                    // A tuple of one is written as the struct that it is; its element has an entry.
                    notes.names.by_ref().take(length.unwrap_or(0)).for_each(drop);
                    let args: Result<Vec<TypeName>, S> =
                        generic.args().map(|arg| self.annotated_name(arg, notes)).collect();
                    match generic.type_def_or_ref() {
                        Some(token) => TypeName::of(&*self.definition(token)?, &args?),
                        None => self.type_name(sig)?,
                    }
                }
            },
            Type::FnPtr(pointer) => {
                // The return type comes first, as in the signature; C# writes it last.
                let result = self.annotated_reference(pointer.return_type(), false, notes)?;
                let mut types = Vec::new();
                for param in pointer.params() {
                    let param = param.map_err(malformed_pointer)?;
                    types.push(self.annotated_reference(param.sig(), true, notes)?);
                }
                types.push(result);
                function_pointer_type(pointer.calling_convention(), &types)
            }
            _ => self.type_name(sig)?,
        })
    }

    /// Formats a parameter or the return type of a function pointer.
    fn annotated_reference(
        &self,
        sig: TypeSig<'_>,
        is_parameter: bool,
        notes: &mut Annotations,
    ) -> Result<String, S> {
        let Some(target) = sig.by_ref() else {
            return Ok(self.annotated_name(sig, notes)?.to_string());
        };
        notes.pass_by_ref(sig);
        let keyword = reference_keyword(self, sig, is_parameter);
        Ok(format!("{keyword} {}", self.annotated_name(target, notes)?))
    }

    /// Returns the number of elements of a value tuple, those from the eighth on included; `None` for other types.
    fn tuple_length(&self, generic: &GenericInst<'_>) -> Result<Option<usize>, S> {
        let Some(token) = generic.type_def_or_ref() else { return Ok(None) };
        if !self.definition(token)?.metadata_name.starts_with("System.ValueTuple`") {
            return Ok(None);
        }
        match generic.args().nth(7).map(|rest| rest.ty()) {
            None => Ok(Some(generic.args().count())),
            Some(Type::GenericInst(rest)) => Ok(self.tuple_length(&rest)?.map(|length| 7 + length)),
            Some(_) => Ok(None),
        }
    }

    /// Formats a tuple with the names of its elements.
    fn annotated_tuple(
        &self,
        generic: &GenericInst<'_>,
        length: usize,
        notes: &mut Annotations,
    ) -> Result<TypeName, S> {
        let names: Vec<Option<String>> = notes.names.by_ref().take(length).collect();
        let mut types = Vec::with_capacity(length);
        self.tuple_types(generic, notes, &mut types)?;
        let mut names = names.into_iter();
        let elements: Vec<String> = types
            .iter()
            .map(|element| match names.next().flatten() {
                Some(name) => format!("{} {name}", element.as_str()),
                None => element.as_str().to_owned(),
            })
            .collect();
        Ok(TypeName::new(format!("({})", elements.join(", "))))
    }

    /// Formats the types of a tuple's elements, those from the eighth on included.
    fn tuple_types(
        &self,
        generic: &GenericInst<'_>,
        notes: &mut Annotations,
        types: &mut Vec<TypeName>,
    ) -> Result<(), S> {
        for arg in generic.args().take(7) {
            types.push(self.annotated_name(arg, notes)?);
        }
        if let Some(Type::GenericInst(rest)) = generic.args().nth(7).map(|rest| rest.ty()) {
            notes.dynamic.next();
            let length = self.tuple_length(&rest)?.unwrap_or(0);
            notes.names.by_ref().take(length).for_each(drop);
            self.tuple_types(&rest, notes, types)?;
        }
        Ok(())
    }
}

/// Returns whether a row has an attribute of `System.Runtime.CompilerServices`.
pub(super) fn has_compiler_attribute<M: Metadata>(
    metadata: &M,
    of: impl Into<Token>,
    name: &str,
) -> core::result::Result<bool, M::Error> {
    metadata.has_custom_attribute(of.into(), &format!("System.Runtime.CompilerServices.{name}"))
}

/// Returns the text that is the first argument of an attribute.
pub(super) fn text_argument(blob: &[u8]) -> Option<&str> {
    sigparse::Reader::new(blob.strip_prefix(&[1, 0])?).read_ser_string().ok()?
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
