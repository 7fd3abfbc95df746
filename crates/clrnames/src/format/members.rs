//! The kinds of methods in the source and their names there: constructors, operators, accessors, explicit
//! implementations, lambdas, local functions.

use sigparse::token::{MethodDef, TypeDef};
use sigparse::{MethodDefOrRef, MethodSig, PropertySig, TypeDefOrRef, TypeSig};

use super::formatter::{Formatter, Result, type_arguments};
use super::generated::{self, Kind};
use super::scope::Scope;
use crate::csharp::{self, NO_ARGS, TypeName};
use crate::metadata::{Accessed, Metadata as _, MethodAttributes};
use crate::resolution::ModuleSet;
use crate::source::Source;

/// The kind of a method in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MethodKind {
    /// A method with a name.
    Ordinary,
    /// A constructor of instances.
    Constructor,
    /// A static constructor.
    StaticConstructor,
    /// A finalizer: `~Cart()`.
    Finalizer,
    /// An operator: `operator +`.
    Operator,
    /// A conversion: `implicit operator decimal`.
    Conversion,
    /// The `get` of a property or indexer.
    Getter,
    /// The `set` of a property or indexer.
    Setter,
    /// The `init` of a property or indexer.
    Initializer,
    /// The `add` of an event.
    EventAdder,
    /// The `remove` of an event.
    EventRemover,
    /// A local function.
    LocalFunction,
    /// A lambda or an anonymous method.
    Lambda,
    /// A method of the class or struct that an iterator or `async` method became: `MoveNext`.
    StateMachine,
    /// A dynamic method, made at run time.
    Dynamic,
    /// A stub of the runtime, for a call between managed and native code for instance.
    NativeStub,
}

/// A method with its declaring type and type arguments.
pub(super) struct Declared<'p, S: Source> {
    pub(super) module: <S as ModuleSet>::Module,
    pub(super) type_def: TypeDef,
    /// The method; `None` if only its name is available.
    pub(super) method: Option<MethodDef>,
    pub(super) name: &'p str,
    /// The type arguments of the type, then those of the method.
    pub(super) args: &'p [Option<S::Class>],
}

/// The parts of a method's name in the source.
pub(super) struct Member {
    pub(super) kind: MethodKind,
    /// The type, or the method that contains a local function.
    pub(super) container: String,
    /// `Add`, `Shop.IHolds.Take`, `Cart`, `operator +`, `implicit operator `, `this`.
    pub(super) text: String,
    /// What a conversion converts to; empty for other members. Conversions differ in it alone.
    pub(super) converts_to: String,
    /// `<int>`, empty for a method without type parameters.
    pub(super) type_args: String,
    /// `.get` for an accessor.
    pub(super) accessor: &'static str,
    /// Whether it is the accessor of an indexer, which has parameters in brackets.
    pub(super) is_indexer: bool,
    /// Whether the first parameter is the receiver of an extension block, which is in the container's text.
    pub(super) has_receiver: bool,
}

impl Member {
    /// `Shop.Cart<string>.Add<int>`, `Shop.Cart<string>.Count.get`.
    pub(super) fn name(&self) -> String {
        let Self { container, text, converts_to, type_args, accessor, .. } = self;
        format!("{container}.{text}{converts_to}{type_args}{accessor}")
    }
}

impl<S: Source> Formatter<'_, S> {
    /// Returns the parts of a method's name in the source.
    pub(super) fn member(&self, declared: &Declared<'_, S>) -> Result<Member, S> {
        let metadata = self.metadata(declared.module)?;
        let (container, mut used) = self.container(declared)?;
        let mut member = Member {
            kind: MethodKind::Ordinary,
            container,
            text: declared.name.to_owned(),
            converts_to: String::new(),
            type_args: String::new(),
            accessor: "",
            is_indexer: false,
            has_receiver: false,
        };
        match generated::parse(declared.name).map(|name| name.kind) {
            Some(Kind::Lambda(ordinals)) => {
                (member.kind, member.text) = (MethodKind::Lambda, format!("AnonymousMethod__{ordinals}"));
            }
            Some(Kind::LocalFunction(name)) => {
                (member.kind, member.text) = (MethodKind::LocalFunction, name.to_owned());
            }
            _ => {
                if let Some(method) = declared.method {
                    match self.extension(&metadata, declared, method)? {
                        Some(extension) => {
                            member.container = format!("{}.{}", member.container, extension.text);
                            member.has_receiver = extension.has_receiver;
                            used += extension.arity;
                            let method = extension.declared;
                            let of_block =
                                Declared { type_def: extension.group, method: Some(method), ..*declared };
                            self.describe(&metadata, &of_block, method, &mut member)?;
                        }
                        None => self.describe(&metadata, declared, method, &mut member)?,
                    }
                }
                if self.is_state_machine(&metadata, declared.type_def)? {
                    member.kind = MethodKind::StateMachine;
                }
            }
        }
        if member.kind == MethodKind::Lambda {
            // A lambda has none of its own.
            used = declared.args.len();
        }
        let own = self.class_names(declared.args.get(used..).unwrap_or_default())?;
        member.type_args = type_arguments(&own);
        Ok(member)
    }

    /// Returns the name of a method's container, and the number of type arguments in it.
    fn container(&self, declared: &Declared<'_, S>) -> Result<(String, usize), S> {
        if let Some(source) = self.lowered_from(declared)? {
            return Ok((source.full_name, source.class_args.len() + source.type_args.len()));
        }
        let definition = self.definition(declared.module, TypeDefOrRef::TypeDef(declared.type_def))?;
        let arity = definition.parameters.len();
        let args = self.class_names(declared.args.get(..arity).unwrap_or(declared.args))?;
        Ok((TypeName::of_container(&definition, &args).to_string(), arity))
    }

    fn is_state_machine(&self, metadata: &S::Metadata, type_def: TypeDef) -> Result<bool, S> {
        let name = metadata.type_def(type_def)?.name;
        Ok(generated::parse(&name).is_some_and(|name| name.kind == Kind::StateMachine))
    }

    /// Fills in the parts of a method that is in the source.
    fn describe(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        method: MethodDef,
        member: &mut Member,
    ) -> Result<(), S> {
        let props = metadata.method(method)?;
        let type_name = metadata.type_def(declared.type_def)?.name;
        let (prefix, own_name) = self.explicit(metadata, declared, method)?;
        let special = props.attributes.contains(MethodAttributes::SPECIAL_NAME);
        match (props.name.as_str(), metadata.accessed(method)?) {
            // Compiler-generated types have no constructors in the source.
            (".ctor" | ".cctor", _) if csharp::in_source(&type_name).starts_with('<') => {}
            (".ctor", _) => {
                (member.kind, member.text) = (MethodKind::Constructor, simple_name(&type_name));
            }
            (".cctor", _) => {
                (member.kind, member.text) = (MethodKind::StaticConstructor, simple_name(&type_name));
            }
            ("Finalize", _) if is_finalizer(&type_name, props.attributes, props.signature) => {
                member.kind = MethodKind::Finalizer;
                member.text = format!("~{}", simple_name(&type_name));
            }
            (_, Some(Accessed::Property(property))) => {
                let property = metadata.property(property)?;
                let is_setter = property.setter == Some(method);
                (member.kind, member.accessor) = match is_setter {
                    false => (MethodKind::Getter, ".get"),
                    true if self.is_initializer(declared.module, props.signature) => {
                        (MethodKind::Initializer, ".init")
                    }
                    true => (MethodKind::Setter, ".set"),
                };
                member.is_indexer =
                    PropertySig::parse(property.signature).is_ok_and(|sig| sig.param_count() > 0);
                let name = if prefix.is_empty() { &property.name } else { after_dot(&property.name) };
                let name = if member.is_indexer { "this" } else { name };
                member.text = format!("{prefix}{name}");
            }
            (_, Some(Accessed::Event(event))) => {
                let event = metadata.event(event)?;
                (member.kind, member.accessor) = match event.remove == Some(method) {
                    true => (MethodKind::EventRemover, ".remove"),
                    false => (MethodKind::EventAdder, ".add"),
                };
                let name = if prefix.is_empty() { &event.name } else { after_dot(&event.name) };
                member.text = format!("{prefix}{name}");
            }
            _ => {
                let name = own_name.as_deref().unwrap_or(&props.name);
                member.text = format!("{prefix}{name}");
                if let (true, Some((kind, symbol))) = (special || own_name.is_some(), operator(name)) {
                    (member.kind, member.text) = (kind, format!("{prefix}{symbol}"));
                }
                if member.kind == MethodKind::Conversion
                    && let Ok(sig) = MethodSig::parse(props.signature)
                {
                    let args = self.class_names(declared.args)?;
                    let scope = Scope {
                        formatter: self,
                        module: declared.module,
                        class_args: &args,
                        method_args: &[],
                    };
                    member.converts_to = scope.type_name(sig.return_type())?.to_string();
                }
            }
        }
        Ok(())
    }

    /// Returns the interface of an explicit implementation with a dot after it, and the name of its method.
    fn explicit(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        method: MethodDef,
    ) -> Result<(String, Option<String>), S> {
        let none = Ok((String::new(), None));
        if declared.name.trim_start_matches('.').find('.').is_none() {
            return none;
        }
        let body = MethodDefOrRef::MethodDef(method);
        let impls = metadata.method_impls(declared.type_def)?;
        let Some((_, declaration)) = impls.into_iter().find(|(of, _)| *of == body) else { return none };
        let (parent, name) = match declaration {
            MethodDefOrRef::MethodDef(declared) => {
                let props = metadata.method(declared)?;
                (props.declaring_type.map(TypeDefOrRef::TypeDef), props.name)
            }
            MethodDefOrRef::MemberRef(declared) => {
                let props = metadata.member_ref(declared)?;
                (TypeDefOrRef::from_token(props.parent.0), props.name)
            }
        };
        let Some(parent) = parent else { return none };
        let args = self.class_names(declared.args)?;
        let scope = Scope { formatter: self, module: declared.module, class_args: &args, method_args: &[] };
        let interface = match parent {
            TypeDefOrRef::TypeSpec(spec) => match TypeSig::parse(metadata.type_spec(spec)?) {
                Ok(sig) => scope.type_name(sig)?,
                Err(_) => return none,
            },
            named => {
                let definition = self.definition(declared.module, named)?;
                TypeName::of(&definition, NO_ARGS)
            }
        };
        Ok((format!("{}.", interface.as_str()), Some(name)))
    }

    /// Returns whether a setter is `init`: its `void` has the modifier `IsExternalInit`.
    fn is_initializer(&self, module: S::Module, signature: &[u8]) -> bool {
        let Ok(sig) = MethodSig::parse(signature) else { return false };
        sig.return_type().modifiers().filter_map(sigparse::Modifier::ty).any(|token| {
            let name = self.metadata_name(module, token);
            name.is_ok_and(|name| &*name == "System.Runtime.CompilerServices.IsExternalInit")
        })
    }
}

/// Returns the name of a type without its namespace, its arity and its file.
fn simple_name(name: &str) -> String {
    let name = csharp::in_source(name.rsplit_once('`').map_or(name, |(name, _)| name));
    let name = after_dot(&name);
    name.split_once('@').map_or(name, |(name, _)| name).to_owned()
}

/// Returns the part after the last dot.
fn after_dot(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// Returns whether a method with the name `Finalize` is `System.Object.Finalize` or overrides it.
fn is_finalizer(type_name: &str, attributes: MethodAttributes, signature: &[u8]) -> bool {
    attributes.contains(MethodAttributes::VIRTUAL)
        && (!attributes.contains(MethodAttributes::NEW_SLOT) || type_name == "System.Object")
        && MethodSig::parse(signature).is_ok_and(|sig| {
            sig.param_count() == 0 && sig.generic_param_count() == 0 && sig.return_type().is_void()
        })
}

/// Returns the C# syntax of an operator's method.
fn operator(name: &str) -> Option<(MethodKind, &'static str)> {
    let conversion = |text| Some((MethodKind::Conversion, text));
    let operator = match name.strip_prefix("op_")? {
        "Implicit" => return conversion("implicit operator "),
        "Explicit" => return conversion("explicit operator "),
        "CheckedExplicit" => return conversion("explicit operator checked "),
        "Addition" => "operator +",
        "Subtraction" => "operator -",
        "Multiply" => "operator *",
        "Division" => "operator /",
        "Modulus" => "operator %",
        "BitwiseAnd" => "operator &",
        "BitwiseOr" => "operator |",
        "ExclusiveOr" => "operator ^",
        "LeftShift" => "operator <<",
        "RightShift" => "operator >>",
        "UnsignedRightShift" => "operator >>>",
        "Equality" => "operator ==",
        "Inequality" => "operator !=",
        "LessThan" => "operator <",
        "GreaterThan" => "operator >",
        "LessThanOrEqual" => "operator <=",
        "GreaterThanOrEqual" => "operator >=",
        "UnaryPlus" => "operator +",
        "UnaryNegation" => "operator -",
        "LogicalNot" => "operator !",
        "OnesComplement" => "operator ~",
        "Increment" => "operator ++",
        "Decrement" => "operator --",
        "True" => "operator true",
        "False" => "operator false",
        "CheckedAddition" => "operator checked +",
        "CheckedSubtraction" => "operator checked -",
        "CheckedMultiply" => "operator checked *",
        "CheckedDivision" => "operator checked /",
        "CheckedUnaryNegation" => "operator checked -",
        "CheckedIncrement" => "operator checked ++",
        "CheckedDecrement" => "operator checked --",
        _ => return None,
    };
    Some((MethodKind::Operator, operator))
}
