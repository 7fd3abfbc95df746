//! Methods as the source declares them: with the names of tuple elements, `dynamic`, modifiers and default
//! values of parameters, and C#'s own words for constructors, operators and accessors.

use core::fmt::Write;

use sigparse::token::{MethodDef, ParamDef};
use sigparse::{MethodSig, Param, Type, TypeSig};

use super::annotations::{Annotations, has_compiler_attribute};
use super::formatter::{Formatter, Result};
use super::generated;
use super::lowered::{SourceMethod, SourceOf};
use super::members::{Declared, Member, MethodKind};
use super::methods::{FormattedMethod, Instantiation, ParameterMode};
use super::scope::Scope;
use crate::error::Error;
use crate::metadata::{Metadata, ParamAttributes};
use crate::source::Source;

/// A method with the type arguments of a call, as the source declares it.
///
/// | method | text |
/// |---|---|
/// | ordinary | `bool Shop.Cart<string>.Add<int>(string name, ref int count, int limit = 5)` |
/// | constructors | `Shop.Cart<string>.Cart(int size)`, `static Shop.Cart<string>.Cart()` |
/// | finalizer | `Shop.Cart<string>.~Cart()` |
/// | operators | `Shop.Money Shop.Money.operator +(Shop.Money a, Shop.Money b)` |
/// | conversions | `Shop.Money.implicit operator decimal(Shop.Money money)` |
/// | accessors | `int Shop.Cart<string>.Count.get`, `string Shop.Cart<string>.this[int index].set` |
/// | events | `System.Action Shop.Cart<string>.Changed.add` |
/// | explicit implementations | `void Shop.Cart<string>.Shop.IHolds<string>.Take()` |
/// | local functions | `int Shop.Cart<string>.Add<int>.Check(int value)` |
/// | lambdas | `int Shop.Cart<string>.Add<int>.AnonymousMethod__0_1(int value)` |
/// | state machines | `void Shop.Cart<string>.Load.MoveNext()`, for `async Task Load()` |
///
/// Nullable reference types are not shown: `string?` is `string`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration<M, C> {
    /// The kind of method.
    pub kind: MethodKind,
    /// Type and method without return type and parameters: `Shop.Cart<string>.Add<int>`.
    pub name: String,
    /// The whole declaration.
    pub text: String,
    /// The source method that a compiler-generated method was lowered from.
    pub source: Option<SourceMethod<M, C>>,
}

impl<S: Source> Formatter<'_, S> {
    /// Formats a method with type arguments as the source declares it. `formatted` is from [`Formatter::method`].
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn declaration(
        &self,
        method: &Instantiation<'_, S>,
        formatted: &FormattedMethod,
    ) -> Result<Declaration<S::Module, S::Class>, S> {
        let args = [method.class_args, method.type_args].concat();
        let Some((token, declared)) = declared(method, &args) else {
            let definition = method.definition;
            let is_stub = definition.token.is_none() && definition.name.starts_with("IL_STUB");
            return Ok(Declaration {
                kind: match definition.token {
                    Some(_) => MethodKind::Ordinary,
                    None if is_stub => MethodKind::NativeStub,
                    None => MethodKind::Dynamic,
                },
                name: formatted.name.clone(),
                text: formatted.signature.clone(),
                source: None,
            });
        };
        let member = self.member(&declared)?;
        let name = member.name();
        let text = self.declaration_text(method, token, &member)?;
        Ok(Declaration { kind: member.kind, name, text, source: self.lowered_from(&declared)? })
    }

    /// Returns the source method that a compiler-generated method was lowered from; `None` for other methods.
    ///
    /// This is the method that contains a lambda or local function, or the iterator or `async` method of a state machine,
    /// which may be a lambda or local function in turn.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn source_method(&self, method: &Instantiation<'_, S>) -> Result<Option<SourceOf<S>>, S> {
        let args = [method.class_args, method.type_args].concat();
        match declared(method, &args) {
            Some((_, declared)) => self.lowered_from(&declared),
            None => Ok(None),
        }
    }

    fn declaration_text(
        &self,
        method: &Instantiation<'_, S>,
        token: MethodDef,
        member: &Member,
    ) -> Result<String, S> {
        let metadata = self.metadata(method.module)?;
        let class_args = self.class_names(method.class_args)?;
        let method_args = self.class_names(method.type_args)?;
        let scope = Scope {
            formatter: self,
            module: method.module,
            class_args: &class_args,
            method_args: &method_args,
        };
        let definition = method.definition;
        let malformed = |error| Error::Signature { of: definition.plain_name(), error };
        let sig = MethodSig::parse(&definition.signature).map_err(malformed)?;
        let rows = Rows::of(&*metadata, token, sig.param_count() as usize)?;
        let context = Parameters { scope: &scope, metadata: &*metadata };
        let mut parameters = Vec::new();
        for (param, row) in sig.params().zip(&rows.parameters) {
            let param = param.map_err(malformed)?;
            if member.kind == MethodKind::LocalFunction && context.is_closure(param.sig()) {
                continue;
            }
            parameters.push(context.parameter(&param, row.as_ref())?);
        }
        if member.has_receiver {
            // It is in the name.
            parameters.drain(..parameters.len().min(1));
        } else if has_compiler_attribute(&*metadata, token, "ExtensionAttribute")?
            && let Some(first) = parameters.first_mut()
        {
            first.text.insert_str(0, "this ");
        }
        let result = context.result(sig.return_type(), rows.result)?;
        let name = member.name();
        let (container, text) = (&member.container, &member.text);
        Ok(match member.kind {
            MethodKind::Constructor => format!("{name}({})", list(&parameters)),
            MethodKind::StaticConstructor => format!("static {name}()"),
            MethodKind::Finalizer => format!("{name}()"),
            // With the names of a tuple's elements.
            MethodKind::Conversion => format!("{container}.{text}{result}({})", list(&parameters)),
            MethodKind::EventAdder | MethodKind::EventRemover => {
                let event_type = parameters.last().map_or("", |value| &value.type_name);
                format!("{event_type} {name}")
            }
            MethodKind::Getter | MethodKind::Setter | MethodKind::Initializer => {
                let value = match member.kind {
                    MethodKind::Getter => result,
                    _ => parameters.pop().map_or_else(String::new, |value| value.type_name),
                };
                let index =
                    if member.is_indexer { format!("[{}]", list(&parameters)) } else { String::new() };
                format!("{value} {container}.{text}{index}{}", member.accessor)
            }
            _ => format!("{result} {name}({})", list(&parameters)),
        })
    }
}

/// Returns a method's token and declaration; `None` for dynamic methods and global functions.
fn declared<'p, S: Source>(
    method: &Instantiation<'p, S>,
    args: &'p [Option<S::Class>],
) -> Option<(MethodDef, Declared<'p, S>)> {
    let definition = method.definition;
    let (token, type_def) = (definition.token?, definition.declaring_type?);
    let name = &definition.name;
    Some((token, Declared { module: method.module, type_def, method: Some(token), name, args }))
}

/// The rows of a method's parameters.
struct Rows {
    result: Option<ParamDef>,
    parameters: Vec<Option<(ParamDef, String, ParamAttributes)>>,
}

impl Rows {
    fn of<M: Metadata>(
        metadata: &M,
        method: MethodDef,
        count: usize,
    ) -> core::result::Result<Self, M::Error> {
        let mut rows = Self { result: None, parameters: vec![None; count] };
        for param in metadata.params(method)? {
            let props = metadata.param(param)?;
            match (props.sequence as usize).checked_sub(1) {
                None => rows.result = Some(param),
                Some(index) => {
                    if let Some(row) = rows.parameters.get_mut(index) {
                        *row = Some((param, props.name, props.attributes));
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// A formatted parameter.
struct FormattedParameter {
    type_name: String,
    text: String,
}

fn list(parameters: &[FormattedParameter]) -> String {
    let texts: Vec<&str> = parameters.iter().map(|parameter| parameter.text.as_str()).collect();
    texts.join(", ")
}

/// Formats the receiver of an extension block, which is the first parameter of a method: `ref Shop.Counter`.
pub(super) fn receiver_text<S: Source>(
    scope: &Scope<'_, S>,
    metadata: &S::Metadata,
    sig: &MethodSig<'_>,
    row: Option<ParamDef>,
) -> Result<String, S> {
    let Some(Ok(param)) = sig.params().next() else { return Ok(String::new()) };
    let row = match row {
        Some(row) => Some((row, String::new(), metadata.param(row)?.attributes)),
        None => None,
    };
    // Its name says nothing about which block it is.
    Ok(Parameters { scope, metadata }.parameter(&param, row.as_ref())?.text)
}

/// The formatter of a method's parameters and return type.
struct Parameters<'c, S: Source> {
    scope: &'c Scope<'c, S>,
    metadata: &'c S::Metadata,
}

impl<S: Source> Parameters<'_, S> {
    fn annotations(&self, param: Option<ParamDef>) -> Result<Annotations, S> {
        Ok(match param {
            Some(param) => Annotations::of(self.metadata, param)?,
            None => Annotations::default(),
        })
    }

    fn has(&self, param: ParamDef, attribute: &str) -> Result<bool, S> {
        Ok(has_compiler_attribute(self.metadata, param, attribute)?)
    }

    /// Formats the return type, with `ref` or `ref readonly`.
    fn result(&self, sig: TypeSig<'_>, row: Option<ParamDef>) -> Result<String, S> {
        let mut notes = self.annotations(row)?;
        let Some(target) = sig.by_ref() else {
            return Ok(self.scope.annotated_name(sig, &mut notes)?.to_string());
        };
        notes.pass_by_ref(sig);
        let is_read_only = row.is_some_and(|row| self.has(row, "IsReadOnlyAttribute").unwrap_or(false));
        let keyword = if is_read_only { "ref readonly" } else { "ref" };
        Ok(format!("{keyword} {}", self.scope.annotated_name(target, &mut notes)?))
    }

    fn parameter(
        &self,
        param: &Param<'_>,
        row: Option<&(ParamDef, String, ParamAttributes)>,
    ) -> Result<FormattedParameter, S> {
        let sig = param.sig();
        let mut notes = self.annotations(row.map(|(param, ..)| *param))?;
        let target = param.by_ref();
        if target.is_some() {
            notes.pass_by_ref(sig);
        }
        let type_sig = target.unwrap_or(sig);
        let type_name = self.scope.annotated_name(type_sig, &mut notes)?.to_string();
        let mut text = String::new();
        if let Some((param, name, attributes)) = row {
            text.push_str(self.modifiers(*param, *attributes, target.is_some())?);
            // Writing to a string does not fail.
            let _ = write!(text, "{type_name} {name}");
            if let Some(value) = self.scope.default_value(self.metadata, *param, type_sig)? {
                let _ = write!(text, " = {value}");
            }
        } else {
            let _ = write!(text, "{}{type_name}", if target.is_some() { "ref " } else { "" });
        }
        let text = text.trim_end().to_owned();
        Ok(FormattedParameter { type_name, text })
    }

    /// Returns the keywords in front of a parameter.
    fn modifiers(
        &self,
        param: ParamDef,
        attributes: ParamAttributes,
        by_ref: bool,
    ) -> Result<&'static str, S> {
        if self.metadata.has_custom_attribute(param.into(), "System.ParamArrayAttribute")?
            || self.has(param, "ParamCollectionAttribute")?
        {
            return Ok("params ");
        }
        let is_scoped = self.has(param, "ScopedRefAttribute")?;
        let mode = match (attributes.contains(ParamAttributes::IN), attributes.contains(ParamAttributes::OUT))
        {
            _ if !by_ref => ParameterMode::Value,
            (false, true) => ParameterMode::Out,
            (true, false) if self.has(param, "IsReadOnlyAttribute")? => ParameterMode::In,
            (true, false) if self.has(param, "RequiresLocationAttribute")? => {
                return Ok(if is_scoped { "scoped ref readonly " } else { "ref readonly " });
            }
            _ => ParameterMode::Ref,
        };
        Ok(match mode {
            ParameterMode::Value if is_scoped => "scoped ",
            ParameterMode::In if is_scoped => "scoped in ",
            ParameterMode::Ref if is_scoped => "scoped ref ",
            mode => mode.prefix(),
        })
    }

    /// Returns whether a parameter passes a local function its captured variables; it is not in the source.
    fn is_closure(&self, sig: TypeSig<'_>) -> bool {
        let token = match sig.by_ref().map(|target| target.ty()) {
            Some(Type::ValueType(token)) => Some(token),
            Some(Type::GenericInst(generic)) => generic.type_def_or_ref(),
            _ => None,
        };
        token.is_some_and(|token| {
            let name = self.scope.metadata_name(token);
            name.is_ok_and(|name| name.rsplit('+').next().is_some_and(generated::is_closure))
        })
    }
}
