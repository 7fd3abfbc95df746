//! Methods: what their definition says, and what the type arguments of a call make of it.

use core::fmt;
use std::fmt::Write;
use std::sync::Arc;

use sigparse::token::{MethodDef, ParamDef, TypeDef};
use sigparse::{MethodSig, TypeDefOrRef};

use super::text::{TypeText, spell};
use super::types::{CANON, Scope};
use super::{Answer, Speller};
use crate::Error;
use crate::metadata::{Metadata, MethodAttributes, ParamAttributes};
use crate::source::Source;

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterMode {
    /// By value.
    Value,
    /// By reference, for reading: `in` and `ref readonly`.
    In,
    /// By reference: `ref`.
    Ref,
    /// By reference, for the method to assign: `out`.
    Out,
}

impl ParameterMode {
    /// The keyword with a space after it, empty for a parameter that is passed by value.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Value => "",
            Self::In => "in ",
            Self::Ref => "ref ",
            Self::Out => "out ",
        }
    }

    /// Whether what is passed is an address.
    #[must_use]
    pub fn is_by_ref(self) -> bool {
        self != Self::Value
    }
}

/// What the metadata says of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ParameterRow {
    name: String,
    attributes: ParamAttributes,
    read_only: bool,
}

/// What a method's definition says: the same for every call of it.
pub struct MethodDefinition {
    /// Its token; `None` for a method that was made at run time.
    pub token: Option<MethodDef>,
    /// The type that declares it; `None` for global functions and for methods made at run time.
    pub declaring_type: Option<TypeDef>,
    /// Its name in the metadata: `Add`, `.ctor`, `get_Item`.
    pub name: String,
    /// Its attributes; none for a method that was made at run time.
    pub attributes: MethodAttributes,
    /// Its signature, for [`sigparse::MethodSig`].
    pub signature: Box<[u8]>,
    /// The number of generic parameters of the declaring type, enclosing types' included.
    pub class_arity: usize,
    /// The number of generic parameters of the method.
    pub method_arity: usize,
    parameters: Vec<ParameterRow>,
    /// The declaring type with its enclosing ones, in C#'s spelling without arguments.
    type_name: String,
}

impl MethodDefinition {
    /// That of a method that was made at run time: it has a name and a signature, and no metadata.
    ///
    /// # Errors
    /// That the signature is malformed.
    pub fn dynamic(name: String, signature: Vec<u8>) -> Result<Self, Error> {
        let count = parse(&signature, &name)?.param_count() as usize;
        Ok(Self {
            token: None,
            declaring_type: None,
            name,
            attributes: MethodAttributes::empty(),
            signature: signature.into(),
            class_arity: 0,
            method_arity: 0,
            parameters: vec![ParameterRow::unnamed(); count],
            // What stack traces call the type of such methods.
            type_name: "DynamicClass".to_owned(),
        })
    }

    /// Whether the method has no `this`.
    #[must_use]
    pub fn is_static(&self) -> bool {
        MethodSig::parse(&self.signature).is_ok_and(|sig| !sig.has_this())
    }

    /// `Namespace.Type.Method`, without generic arguments.
    #[must_use]
    pub fn plain_name(&self) -> String {
        format!("{}.{}", self.type_name, self.name)
    }

    /// Whether the method or its type is generic, so that what a call looks like depends on the call.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        self.class_arity + self.method_arity > 0
    }
}

impl fmt::Debug for MethodDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MethodDefinition({})", self.plain_name())
    }
}

/// A parameter of an [`Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty where the metadata has none.
    pub name: String,
    /// What C# calls its type; for one that is passed by reference, the type of what is referred to.
    pub type_name: Arc<str>,
    /// How it is passed.
    pub mode: ParameterMode,
}

/// A method with type arguments.
pub struct MethodRef<'m, S: Source + ?Sized> {
    /// The module that defines it.
    pub module: S::Module,
    /// What its definition says.
    pub definition: &'m MethodDefinition,
    /// The type arguments of the declaring type, enclosing types' included; `None` for one that is not known.
    pub class_args: &'m [Option<S::Class>],
    /// The type arguments of the method.
    pub type_args: &'m [Option<S::Class>],
}

/// A method with the type arguments of a call, as C# calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// `Shop.Cart<string>.Add<int>`.
    pub name: String,
    /// `Shop.Cart<string>`.
    pub class_name: String,
    /// `bool Shop.Cart<string>.Add<int>(string name, ref int count)`.
    pub signature: String,
    /// The parameters, in order, without `this`.
    pub parameters: Vec<Parameter>,
    /// What C# calls the type that is returned, `ref ` in front of it where a reference is returned; `None`
    /// for `void`.
    pub return_type: Option<Arc<str>>,
    /// Whether one of the type arguments is `System.__Canon`: the code is shared, and only the frame of a
    /// call knows them all.
    pub is_shared: bool,
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// What a method's definition says.
    ///
    /// # Errors
    /// What the metadata reports; that the signature is malformed.
    pub fn read_method(&self, module: S::Module, token: MethodDef) -> Answer<MethodDefinition, S> {
        let metadata = self.metadata(module)?;
        let props = metadata.method(token)?;
        let (type_name, class_arity) = match props.declaring_type {
            Some(type_def) => {
                let definition = self.definition(module, TypeDefOrRef::TypeDef(type_def))?;
                let names: Vec<&str> = definition.levels.iter().map(|level| level.name.as_str()).collect();
                (names.join("."), definition.parameters.len())
            }
            None => ("<Module>".to_owned(), 0),
        };
        let sig = parse(props.signature, &token)?;
        let count = sig.param_count() as usize;
        Ok(MethodDefinition {
            token: Some(token),
            declaring_type: props.declaring_type,
            class_arity,
            method_arity: sig.generic_param_count() as usize,
            parameters: parameter_rows(&*metadata, token, count)?,
            name: props.name,
            attributes: props.attributes,
            signature: props.signature.into(),
            type_name,
        })
    }

    /// A method with type arguments, as C# calls it.
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn call(&self, method: &MethodRef<'_, S>) -> Answer<Call, S> {
        let definition = method.definition;
        let class_texts = self.class_texts(method.class_args)?;
        let method_texts = self.class_texts(method.type_args)?;
        let (class_name, name) = self.names(method, &class_texts, &method_texts)?;
        let scope = Scope { module: method.module, class_args: &class_texts, method_args: &method_texts };
        let sig = parse(&definition.signature, &name)?;
        let parameters = self.parameters(definition, &scope, &sig)?;
        let return_type = match sig.return_type() {
            nothing if nothing.is_void() => None,
            value => Some(self.sig_text(&scope, value)?.into_text()),
        };
        let signature = spell_signature(return_type.as_deref(), &name, &parameters);
        let is_shared = class_texts.iter().chain(&method_texts).any(|arg| arg.as_str().contains(CANON));
        Ok(Call { name, class_name, signature, parameters, return_type, is_shared })
    }

    /// What C# calls a method with type arguments, without its parameters: `Shop.Cart<string>.Add<int>`.
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn method_name(&self, method: &MethodRef<'_, S>) -> Answer<String, S> {
        let class_texts = self.class_texts(method.class_args)?;
        let method_texts = self.class_texts(method.type_args)?;
        self.names(method, &class_texts, &method_texts).map(|(_, name)| name)
    }

    /// The names of the declaring type and of the method, with type arguments.
    fn names(
        &self,
        method: &MethodRef<'_, S>,
        class_texts: &[TypeText],
        method_texts: &[TypeText],
    ) -> Answer<(String, String), S> {
        let definition = method.definition;
        let class_name = match definition.declaring_type {
            Some(type_def) => {
                let declaring = self.definition(method.module, TypeDefOrRef::TypeDef(type_def))?;
                // A built-in type's own name, not its keyword: it is the place, not the type of a value.
                match declaring.levels.as_slice() {
                    [level] if level.arity == 0 => level.name.clone(),
                    levels => spell(levels, class_texts, |_| CANON.to_owned()).as_str().to_owned(),
                }
            }
            None => definition.type_name.clone(),
        };
        let mut name = format!("{class_name}.{}", definition.name);
        if !method_texts.is_empty() {
            let args: Vec<&str> = method_texts.iter().map(TypeText::as_str).collect();
            name.push_str(&format!("<{}>", args.join(", ")));
        }
        Ok((class_name, name))
    }

    fn parameters(
        &self,
        method: &MethodDefinition,
        scope: &Scope<'_, S::Module>,
        sig: &MethodSig<'_>,
    ) -> Answer<Vec<Parameter>, S> {
        let mut parameters = Vec::with_capacity(method.parameters.len());
        for (param, row) in sig.params().zip(&method.parameters) {
            let param = param.map_err(|error| Error::Signature { of: method.plain_name(), error })?;
            let target = param.by_ref();
            let mode = row.mode(target.is_some());
            let type_name = self.sig_text(scope, target.unwrap_or(param.sig()))?.into_text();
            parameters.push(Parameter { name: row.name.clone(), type_name, mode });
        }
        Ok(parameters)
    }
}

impl ParameterRow {
    /// A parameter of which the metadata says nothing.
    fn unnamed() -> Self {
        Self { name: String::new(), attributes: ParamAttributes::empty(), read_only: false }
    }

    fn mode(&self, by_ref: bool) -> ParameterMode {
        let (is_in, is_out) =
            (self.attributes.contains(ParamAttributes::IN), self.attributes.contains(ParamAttributes::OUT));
        match (by_ref, is_in, is_out) {
            (false, ..) => ParameterMode::Value,
            (true, false, true) => ParameterMode::Out,
            (true, true, false) if self.read_only => ParameterMode::In,
            (true, ..) => ParameterMode::Ref,
        }
    }
}

/// What the metadata says of a method's parameters, in the order of the signature.
fn parameter_rows<M: Metadata>(
    metadata: &M,
    method: MethodDef,
    count: usize,
) -> Result<Vec<ParameterRow>, M::Error> {
    let mut rows = vec![ParameterRow::unnamed(); count];
    for param in metadata.params(method)? {
        let props = metadata.param(param)?;
        // 0 is the return value.
        let Some(index) = (props.sequence as usize).checked_sub(1) else { continue };
        let read_only = props.attributes.contains(ParamAttributes::IN) && is_read_only(metadata, param)?;
        if let Some(row) = rows.get_mut(index) {
            *row = ParameterRow { name: props.name, attributes: props.attributes, read_only };
        }
    }
    Ok(rows)
}

/// Whether a by-reference parameter is `in` or `ref readonly`, and not a `ref` with an `[In]` for marshalling.
fn is_read_only<M: Metadata>(metadata: &M, param: ParamDef) -> Result<bool, M::Error> {
    const READ_ONLY: [&str; 2] = [
        "System.Runtime.CompilerServices.IsReadOnlyAttribute",
        "System.Runtime.CompilerServices.RequiresLocationAttribute",
    ];
    for name in READ_ONLY {
        if metadata.has_custom_attribute(param.into(), name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn parse<'s>(blob: &'s [u8], of: &dyn fmt::Display) -> Result<MethodSig<'s>, Error> {
    MethodSig::parse(blob).map_err(|error| Error::Signature { of: of.to_string(), error })
}

fn spell_signature(return_type: Option<&str>, name: &str, parameters: &[Parameter]) -> String {
    let mut text = format!("{} {name}(", return_type.unwrap_or("void"));
    for (index, Parameter { name, type_name, mode }) in parameters.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let space = if name.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{}{type_name}{space}{name}", mode.prefix());
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, type_name: &str, mode: ParameterMode) -> Parameter {
        Parameter { name: name.into(), type_name: type_name.into(), mode }
    }

    #[test]
    fn signatures_read_like_declarations() {
        let parameters = [
            parameter("name", "string", ParameterMode::Value),
            parameter("count", "int", ParameterMode::Ref),
            parameter("item", "Shop.Item", ParameterMode::Out),
        ];
        assert_eq!(
            spell_signature(Some("bool"), "Shop.Cart<string>.Add<int>", &parameters),
            "bool Shop.Cart<string>.Add<int>(string name, ref int count, out Shop.Item item)"
        );
        assert_eq!(
            spell_signature(None, "A.B", &[parameter("", "int", ParameterMode::In)]),
            "void A.B(in int)"
        );
    }

    #[test]
    fn the_mode_is_in_the_attributes() {
        let row = |attributes, read_only| ParameterRow { name: String::new(), attributes, read_only };
        let (is_in, is_out) = (ParamAttributes::IN, ParamAttributes::OUT);
        assert_eq!(row(is_out, false).mode(true), ParameterMode::Out);
        assert_eq!(row(is_out, false).mode(false), ParameterMode::Value);
        assert_eq!(row(is_in, true).mode(true), ParameterMode::In);
        assert_eq!(row(is_in, false).mode(true), ParameterMode::Ref);
        assert_eq!(row(is_in | is_out, false).mode(true), ParameterMode::Ref);
    }
}
