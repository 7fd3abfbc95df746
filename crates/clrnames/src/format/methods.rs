//! Method definitions, and methods with type arguments.

use core::fmt;
use std::sync::Arc;

use sigparse::token::{MethodDef, ParamDef, TypeDef};
use sigparse::{MethodSig, TypeDefOrRef};

use super::formatter::{Formatter, Result};
use super::scope::Scope;
use crate::csharp::{CANON, TypeName};
use crate::error::Error;
use crate::metadata::{Metadata, MethodAttributes, ParamAttributes};
use crate::source::Source;

/// The mode in which a parameter is passed.
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
    /// Returns the keyword with a space after it, empty for a parameter by value.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Value => "",
            Self::In => "in ",
            Self::Ref => "ref ",
            Self::Out => "out ",
        }
    }
}

/// The row of a parameter in the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ParameterRow {
    name: String,
    attributes: ParamAttributes,
    read_only: bool,
}

/// A method's definition: the same for every call.
pub struct MethodDefinition {
    /// The token; `None` for a dynamic method, which has no metadata.
    pub token: Option<MethodDef>,
    /// The declaring type; `None` for global functions and dynamic methods.
    pub declaring_type: Option<TypeDef>,
    /// The name in the metadata: `Add`, `.ctor`, `get_Item`.
    pub name: String,
    /// The attributes; empty for a dynamic method.
    pub attributes: MethodAttributes,
    /// The signature, for [`sigparse::MethodSig`].
    pub signature: Box<[u8]>,
    /// The number of generic parameters of the declaring type, enclosing types' included.
    pub class_arity: usize,
    /// The number of generic parameters of the method.
    pub method_arity: usize,
    /// The declaring type with its enclosing types, as C# writes it without type arguments.
    type_name: String,
}

impl MethodDefinition {
    /// Creates the definition of a dynamic method, which has a name and a signature and no metadata.
    ///
    /// # Errors
    /// [`Error::Signature`]: the signature is malformed.
    pub fn dynamic(name: String, signature: Vec<u8>) -> core::result::Result<Self, Error> {
        parse(&signature, &name)?;
        Ok(Self {
            token: None,
            declaring_type: None,
            name,
            attributes: MethodAttributes::empty(),
            signature: signature.into(),
            class_arity: 0,
            method_arity: 0,
            // The type of dynamic methods in stack traces.
            type_name: "DynamicClass".to_owned(),
        })
    }

    /// Returns whether the method has no `this`.
    #[must_use]
    pub fn is_static(&self) -> bool {
        MethodSig::parse(&self.signature).is_ok_and(|sig| !sig.has_this())
    }

    /// Returns `Namespace.Type.Method`, without generic arguments.
    #[must_use]
    pub fn plain_name(&self) -> String {
        format!("{}.{}", self.type_name, self.name)
    }

    /// Returns whether the method or its type is generic, so that its full name depends on the call.
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

/// A parameter of a [`FormattedMethod`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name; empty where the metadata has none.
    pub name: String,
    /// The type as C# writes it; of a by-reference parameter, the type of its target.
    pub type_name: Arc<str>,
    /// The mode of passing.
    pub mode: ParameterMode,
}

/// A method and its type arguments, to be formatted.
pub struct Instantiation<'m, S: Source> {
    /// The module that defines it.
    pub module: S::Module,
    /// The definition, from [`Formatter::read_method`].
    pub definition: &'m MethodDefinition,
    /// The type arguments of the declaring type, enclosing types' included; `None` for one that is not known.
    pub class_args: &'m [Option<S::Class>],
    /// The type arguments of the method.
    pub type_args: &'m [Option<S::Class>],
}

/// A method with type arguments, as C# writes its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedMethod {
    /// `Shop.Cart<string>.Add<int>`.
    pub name: String,
    /// `Shop.Cart<string>`.
    pub class_name: String,
    /// `bool Shop.Cart<string>.Add<int>(string name, ref int count)`.
    pub signature: String,
    /// The parameters, in order, without `this`.
    pub parameters: Vec<Parameter>,
    /// The return type, with `ref ` in front for a reference; `None` for `void`.
    pub return_type: Option<Arc<str>>,
    /// Whether a type argument is `System.__Canon`: the code is shared, and only the frame of a call has the exact
    /// arguments.
    pub is_shared: bool,
}

impl<S: Source> Formatter<'_, S> {
    /// Reads a method's definition.
    ///
    /// # Errors
    /// [`Error::Signature`]: the signature is malformed. Any error of the metadata.
    pub fn read_method(&self, module: S::Module, token: MethodDef) -> Result<MethodDefinition, S> {
        let metadata = self.metadata(module)?;
        let props = metadata.method(token)?;
        let (type_name, class_arity) = match props.declaring_type {
            Some(type_def) => {
                let definition = self.definition(module, TypeDefOrRef::TypeDef(type_def))?;
                (definition.plain_name(), definition.parameters.len())
            }
            None => ("<Module>".to_owned(), 0),
        };
        Ok(MethodDefinition {
            token: Some(token),
            declaring_type: props.declaring_type,
            class_arity,
            method_arity: parse(props.signature, &token)?.generic_param_count() as usize,
            name: props.name,
            attributes: props.attributes,
            signature: props.signature.into(),
            type_name,
        })
    }

    /// Formats a method with type arguments.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn method(&self, method: &Instantiation<'_, S>) -> Result<FormattedMethod, S> {
        let definition = method.definition;
        let class_args = self.class_names(method.class_args)?;
        let method_args = self.class_names(method.type_args)?;
        let (class_name, name) = self.names(method, &class_args, &method_args)?;
        let scope = Scope {
            formatter: self,
            module: method.module,
            class_args: &class_args,
            method_args: &method_args,
        };
        let sig = parse(&definition.signature, &name)?;
        let parameters = self.parameters(method, &scope, &sig)?;
        let return_type = match sig.return_type() {
            void if void.is_void() => None,
            value => Some(scope.type_name(value)?.into_text()),
        };
        let signature = format_signature(return_type.as_deref(), &name, &parameters);
        let is_shared = class_args.iter().chain(&method_args).any(|arg| arg.as_str().contains(CANON));
        Ok(FormattedMethod { name, class_name, signature, parameters, return_type, is_shared })
    }

    /// Returns the name of a method with type arguments, without its parameters: `Shop.Cart<string>.Add<int>`.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn method_name(&self, method: &Instantiation<'_, S>) -> Result<String, S> {
        let class_args = self.class_names(method.class_args)?;
        let method_args = self.class_names(method.type_args)?;
        self.names(method, &class_args, &method_args).map(|(_, name)| name)
    }

    /// Returns the names of the declaring type and of the method, with type arguments.
    fn names(
        &self,
        method: &Instantiation<'_, S>,
        class_args: &[TypeName],
        method_args: &[TypeName],
    ) -> Result<(String, String), S> {
        let definition = method.definition;
        let class_name = match definition.declaring_type {
            Some(type_def) => {
                let declaring = self.definition(method.module, TypeDefOrRef::TypeDef(type_def))?;
                TypeName::of_container(&declaring, class_args).to_string()
            }
            None => definition.type_name.clone(),
        };
        let args: usize = method_args.iter().map(|arg| arg.as_str().len() + ", ".len()).sum();
        let mut name = String::with_capacity(class_name.len() + ".".len() + definition.name.len() + args);
        name.push_str(&class_name);
        name.push('.');
        name.push_str(&definition.name);
        for (index, arg) in method_args.iter().enumerate() {
            name.push_str(if index == 0 { "<" } else { ", " });
            name.push_str(arg.as_str());
        }
        if !method_args.is_empty() {
            name.push('>');
        }
        Ok((class_name, name))
    }

    /// Returns the parameters, whose rows are read here: the name of a method does without them.
    fn parameters(
        &self,
        method: &Instantiation<'_, S>,
        scope: &Scope<'_, S>,
        sig: &MethodSig<'_>,
    ) -> Result<Vec<Parameter>, S> {
        // Each takes a byte of the signature at least, whatever that says.
        let count = (sig.param_count() as usize).min(method.definition.signature.len());
        let mut rows = vec![ParameterRow::unnamed(); count];
        if let Some(token) = method.definition.token {
            read_rows(&*self.metadata(method.module)?, token, &mut rows)?;
        }
        let mut parameters = Vec::with_capacity(rows.len());
        for (param, row) in sig.params().zip(rows) {
            let param =
                param.map_err(|error| Error::Signature { of: method.definition.plain_name(), error })?;
            let target = param.by_ref();
            let mode = row.mode(target.is_some());
            let type_name = scope.type_name(target.unwrap_or(param.sig()))?.into_text();
            parameters.push(Parameter { name: row.name, type_name, mode });
        }
        Ok(parameters)
    }
}

impl ParameterRow {
    /// A parameter without a row.
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

/// Reads the rows of a method's parameters, in the order of the signature. Those without a row stay as they are.
fn read_rows<M: Metadata>(
    metadata: &M,
    method: MethodDef,
    rows: &mut [ParameterRow],
) -> core::result::Result<(), M::Error> {
    for param in metadata.params(method)? {
        let props = metadata.param(param)?;
        // 0 is the return value.
        let Some(index) = (props.sequence as usize).checked_sub(1) else { continue };
        let read_only = props.attributes.contains(ParamAttributes::IN) && is_read_only(metadata, param)?;
        if let Some(row) = rows.get_mut(index) {
            *row = ParameterRow { name: props.name, attributes: props.attributes, read_only };
        }
    }
    Ok(())
}

/// Returns whether a by-reference parameter is `in` or `ref readonly`, and not a `ref` with an `[In]` for marshalling.
fn is_read_only<M: Metadata>(metadata: &M, param: ParamDef) -> core::result::Result<bool, M::Error> {
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

fn parse<'s>(blob: &'s [u8], of: &dyn fmt::Display) -> core::result::Result<MethodSig<'s>, Error> {
    MethodSig::parse(blob).map_err(|error| Error::Signature { of: of.to_string(), error })
}

fn format_signature(return_type: Option<&str>, name: &str, parameters: &[Parameter]) -> String {
    /// The most that stands around a type and a name.
    const AROUND: usize = ", ref  ".len();
    let return_type = return_type.unwrap_or("void");
    let length = |parameter: &Parameter| parameter.name.len() + parameter.type_name.len() + AROUND;
    let parameters_length: usize = parameters.iter().map(length).sum();
    let mut text = String::with_capacity(return_type.len() + name.len() + " ()".len() + parameters_length);
    for piece in [return_type, " ", name, "("] {
        text.push_str(piece);
    }
    for (index, Parameter { name, type_name, mode }) in parameters.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let space = if name.is_empty() { "" } else { " " };
        for piece in [comma, mode.prefix(), type_name, space, name] {
            text.push_str(piece);
        }
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
            format_signature(Some("bool"), "Shop.Cart<string>.Add<int>", &parameters),
            "bool Shop.Cart<string>.Add<int>(string name, ref int count, out Shop.Item item)"
        );
        assert_eq!(
            format_signature(None, "A.B", &[parameter("", "int", ParameterMode::In)]),
            "void A.B(in int)"
        );
    }

    #[test]
    fn parameter_modes_follow_the_attributes() {
        let row = |attributes, read_only| ParameterRow { name: String::new(), attributes, read_only };
        let (is_in, is_out) = (ParamAttributes::IN, ParamAttributes::OUT);
        assert_eq!(row(is_out, false).mode(true), ParameterMode::Out);
        assert_eq!(row(is_out, false).mode(false), ParameterMode::Value);
        assert_eq!(row(is_in, true).mode(true), ParameterMode::In);
        assert_eq!(row(is_in, false).mode(true), ParameterMode::Ref);
        assert_eq!(row(is_in | is_out, false).mode(true), ParameterMode::Ref);
    }
}
