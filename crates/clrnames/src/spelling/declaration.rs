//! Methods as the source declares them: with the names of tuple elements, `dynamic`, modifiers and default
//! values of parameters, and C#'s own words for constructors, operators and accessors.

use core::fmt::Write;

use sigparse::token::{MethodDef, ParamDef};
use sigparse::{MethodSig, Param, Type, TypeSig};

use super::annotations::{Annotations, has_compiler_attribute};
use super::generated;
use super::members::{Member, MethodKind, Place};
use super::methods::{Call, MethodRef, ParameterMode};
use super::source::SourceMethod;
use super::types::Scope;
use super::{Answer, PlaceOf, SourceOf, Speller};
use crate::Error;
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
    /// What it is.
    pub kind: MethodKind,
    /// Type and method without return type and parameters: `Shop.Cart<string>.Add<int>`.
    pub name: String,
    /// All of it.
    pub text: String,
    /// The method of the source that a method of the compiler's belongs to.
    pub source: Option<SourceMethod<M, C>>,
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// A method with type arguments, as the source declares it. `call` is what C# calls it ([`Speller::call`]).
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn declaration(
        &self,
        method: &MethodRef<'_, S>,
        call: &Call,
    ) -> Answer<Declaration<S::Module, S::Class>, S> {
        let args = [method.class_args, method.type_args].concat();
        let Some((token, place)) = place_of(method, &args) else {
            let definition = method.definition;
            let is_stub = definition.token.is_none() && definition.name.starts_with("IL_STUB");
            return Ok(Declaration {
                kind: match definition.token {
                    Some(_) => MethodKind::Ordinary,
                    None if is_stub => MethodKind::NativeStub,
                    None => MethodKind::Dynamic,
                },
                name: call.name.clone(),
                text: call.signature.clone(),
                source: None,
            });
        };
        let member = self.member(&place)?;
        let name = member.name();
        let text = self.declaration_text(method, token, &member)?;
        Ok(Declaration { kind: member.kind, name, text, source: self.source_of(&place)? })
    }

    /// The method of the source that a method of the compiler's belongs to: that in which a lambda or local
    /// function stands, the iterator or `async` method for the methods of its state machine, of which the
    /// source may be a lambda or local function in turn. `None` for methods that somebody wrote.
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn source_method(&self, method: &MethodRef<'_, S>) -> Answer<Option<SourceOf<S>>, S> {
        let args = [method.class_args, method.type_args].concat();
        match place_of(method, &args) {
            Some((_, place)) => self.source_of(&place),
            None => Ok(None),
        }
    }

    fn declaration_text(
        &self,
        method: &MethodRef<'_, S>,
        token: MethodDef,
        member: &Member,
    ) -> Answer<String, S> {
        let metadata = self.metadata(method.module)?;
        let class_args = self.class_texts(method.class_args)?;
        let method_args = self.class_texts(method.type_args)?;
        let scope = Scope { module: method.module, class_args: &class_args, method_args: &method_args };
        let definition = method.definition;
        let malformed = |error| Error::Signature { of: definition.plain_name(), error };
        let sig = MethodSig::parse(&definition.signature).map_err(malformed)?;
        let rows = Rows::of(&*metadata, token, sig.param_count() as usize)?;
        let context = Context { names: self, scope: &scope, metadata: &*metadata };
        let mut parameters = Vec::new();
        for (param, row) in sig.params().zip(&rows.parameters) {
            let param = param.map_err(malformed)?;
            if member.kind == MethodKind::LocalFunction && context.is_closure(param.sig()) {
                continue;
            }
            parameters.push(context.parameter(&param, row.as_ref())?);
        }
        if has_compiler_attribute(&*metadata, token, "ExtensionAttribute")?
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
            MethodKind::Conversion => format!("{name}{result}({})", list(&parameters)),
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

/// Where a method stands in the metadata; `None` for those made at run time and global functions.
fn place_of<'p, S: Source + ?Sized>(
    method: &MethodRef<'p, S>,
    args: &'p [Option<S::Class>],
) -> Option<(MethodDef, PlaceOf<'p, S>)> {
    let definition = method.definition;
    let (token, type_def) = (definition.token?, definition.declaring_type?);
    let place = Place { module: method.module, type_def, method: Some(token), name: &definition.name, args };
    Some((token, place))
}

/// The rows of a method's parameters.
struct Rows {
    result: Option<ParamDef>,
    parameters: Vec<Option<(ParamDef, String, ParamAttributes)>>,
}

impl Rows {
    fn of<M: Metadata>(metadata: &M, method: MethodDef, count: usize) -> Result<Self, M::Error> {
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

/// A parameter that has been spelled.
struct Spelled {
    type_name: String,
    text: String,
}

fn list(parameters: &[Spelled]) -> String {
    let texts: Vec<&str> = parameters.iter().map(|parameter| parameter.text.as_str()).collect();
    texts.join(", ")
}

/// What parameters are spelled with.
struct Context<'c, S: Source + ?Sized> {
    names: &'c Speller<'c, S>,
    scope: &'c Scope<'c, S::Module>,
    metadata: &'c S::Metadata,
}

impl<S: Source + ?Sized> Context<'_, S> {
    fn annotations(&self, param: Option<ParamDef>) -> Answer<Annotations, S> {
        Ok(match param {
            Some(param) => Annotations::of(self.metadata, param)?,
            None => Annotations::default(),
        })
    }

    fn has(&self, param: ParamDef, attribute: &str) -> Answer<bool, S> {
        Ok(has_compiler_attribute(self.metadata, param, attribute)?)
    }

    /// What is returned, with `ref` or `ref readonly`.
    fn result(&self, sig: TypeSig<'_>, row: Option<ParamDef>) -> Answer<String, S> {
        let mut notes = self.annotations(row)?;
        let Some(target) = sig.by_ref() else {
            return Ok(self.names.annotated_text(self.scope, sig, &mut notes)?.as_str().to_owned());
        };
        notes.pass_by_ref(sig);
        let is_read_only = row.is_some_and(|row| self.has(row, "IsReadOnlyAttribute").unwrap_or(false));
        let keyword = if is_read_only { "ref readonly" } else { "ref" };
        Ok(format!("{keyword} {}", self.names.annotated_text(self.scope, target, &mut notes)?.as_str()))
    }

    fn parameter(
        &self,
        param: &Param<'_>,
        row: Option<&(ParamDef, String, ParamAttributes)>,
    ) -> Answer<Spelled, S> {
        let sig = param.sig();
        let mut notes = self.annotations(row.map(|(param, ..)| *param))?;
        let target = param.by_ref();
        if target.is_some() {
            notes.pass_by_ref(sig);
        }
        let type_sig = target.unwrap_or(sig);
        let type_name = self.names.annotated_text(self.scope, type_sig, &mut notes)?.as_str().to_owned();
        let mut text = String::new();
        if let Some((param, name, attributes)) = row {
            text.push_str(self.modifiers(*param, *attributes, target.is_some())?);
            // Writing to a string does not fail.
            let _ = write!(text, "{type_name} {name}");
            if let Some(value) = self.names.default_value(self.scope, self.metadata, *param, type_sig)? {
                let _ = write!(text, " = {value}");
            }
        } else {
            let _ = write!(text, "{}{type_name}", if target.is_some() { "ref " } else { "" });
        }
        let text = text.trim_end().to_owned();
        Ok(Spelled { type_name, text })
    }

    /// The keywords in front of a parameter.
    fn modifiers(
        &self,
        param: ParamDef,
        attributes: ParamAttributes,
        by_ref: bool,
    ) -> Answer<&'static str, S> {
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

    /// Whether a parameter hands a local function the variables that it captures: nobody wrote it.
    fn is_closure(&self, sig: TypeSig<'_>) -> bool {
        let token = match sig.by_ref().map(|target| target.ty()) {
            Some(Type::ValueType(token)) => Some(token),
            Some(Type::GenericInst(generic)) => generic.type_def_or_ref(),
            _ => None,
        };
        token.is_some_and(|token| {
            let name = self.names.metadata_name(self.scope.module, token);
            name.is_ok_and(|name| name.rsplit('+').next().is_some_and(generated::is_closure))
        })
    }
}
