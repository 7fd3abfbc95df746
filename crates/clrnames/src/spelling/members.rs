//! What a method is in the source, and what it is called there: constructors, operators, accessors, explicit
//! implementations, lambdas, local functions.

use sigparse::token::{MethodDef, TypeDef};
use sigparse::{MethodDefOrRef, MethodSig, PropertySig, TypeDefOrRef, TypeSig};

use super::generated::{self, Kind};
use super::text::{TypeText, spell};
use super::types::{CANON, Scope};
use super::{Answer, PlaceOf, Speller};
use crate::metadata::{Accessed, Metadata as _, MethodAttributes};
use crate::source::Source;

/// What a method is in the source.
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
    /// A method that the program made at run time.
    Dynamic,
    /// Code of the runtime's own, for a call between managed and native code for instance.
    NativeStub,
}

/// A method and where it stands.
pub(super) struct Place<'p, M, C> {
    pub(super) module: M,
    pub(super) type_def: TypeDef,
    /// The method; `None` for one that is known by its name alone.
    pub(super) method: Option<MethodDef>,
    pub(super) name: &'p str,
    /// The type arguments of the type, then those of the method.
    pub(super) args: &'p [Option<C>],
}

/// What a method is called, in pieces.
pub(super) struct Member {
    pub(super) kind: MethodKind,
    /// The type, or the method that a local function stands in.
    pub(super) container: String,
    /// `Add`, `Shop.IHolds.Take`, `Cart`, `operator +`, `this`.
    pub(super) text: String,
    /// `<int>`, empty for a method without type parameters.
    pub(super) type_args: String,
    /// `.get` for an accessor.
    pub(super) accessor: &'static str,
    /// Whether it is the accessor of an indexer, which has parameters in brackets.
    pub(super) is_indexer: bool,
}

impl Member {
    /// `Shop.Cart<string>.Add<int>`, `Shop.Cart<string>.Count.get`.
    pub(super) fn name(&self) -> String {
        format!("{}.{}{}{}", self.container, self.text, self.type_args, self.accessor)
    }
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// What a method is called in the source.
    pub(super) fn member(&self, place: &PlaceOf<'_, S>) -> Answer<Member, S> {
        let metadata = self.metadata(place.module)?;
        let (container, mut used) = self.container(place)?;
        let mut member = Member {
            kind: MethodKind::Ordinary,
            container,
            text: place.name.to_owned(),
            type_args: String::new(),
            accessor: "",
            is_indexer: false,
        };
        match generated::parse(place.name).map(|name| name.kind) {
            Some(Kind::Lambda(ordinals)) => {
                (member.kind, member.text) = (MethodKind::Lambda, format!("AnonymousMethod__{ordinals}"));
            }
            Some(Kind::LocalFunction(name)) => {
                (member.kind, member.text) = (MethodKind::LocalFunction, name.to_owned());
            }
            _ => {
                if let Some(method) = place.method {
                    self.describe(&metadata, place, method, &mut member)?;
                }
                if self.is_state_machine(&metadata, place.type_def)? {
                    member.kind = MethodKind::StateMachine;
                }
            }
        }
        if member.kind == MethodKind::Lambda {
            // A lambda has none of its own.
            used = place.args.len();
        }
        let own = self.class_texts(place.args.get(used..).unwrap_or_default())?;
        if !own.is_empty() {
            let own: Vec<&str> = own.iter().map(TypeText::as_str).collect();
            member.type_args = format!("<{}>", own.join(", "));
        }
        Ok(member)
    }

    /// What comes before a method's own name, and how many of the type arguments it has used up.
    fn container(&self, place: &PlaceOf<'_, S>) -> Answer<(String, usize), S> {
        if let Some(source) = self.source_of(place)? {
            return Ok((source.full_name, source.class_args.len() + source.type_args.len()));
        }
        let definition = self.definition(place.module, TypeDefOrRef::TypeDef(place.type_def))?;
        let arity = definition.parameters.len();
        let args = self.class_texts(place.args.get(..arity).unwrap_or(place.args))?;
        let text = match definition.levels.as_slice() {
            // A built-in type's own name, not its keyword: it is the place, not the type of a value.
            [level] if level.arity == 0 => level.name.clone(),
            levels => spell(levels, &args, |_| CANON.to_owned()).as_str().to_owned(),
        };
        Ok((text, arity))
    }

    fn is_state_machine(&self, metadata: &S::Metadata, type_def: TypeDef) -> Answer<bool, S> {
        let name = metadata.type_def(type_def)?.name;
        Ok(generated::parse(&name).is_some_and(|name| name.kind == Kind::StateMachine))
    }

    /// What the metadata says of a method that somebody wrote.
    fn describe(
        &self,
        metadata: &S::Metadata,
        place: &PlaceOf<'_, S>,
        method: MethodDef,
        member: &mut Member,
    ) -> Answer<(), S> {
        let props = metadata.method(method)?;
        let type_name = metadata.type_def(place.type_def)?.name;
        let (prefix, own_name) = self.explicit(metadata, place, method)?;
        let special = props.attributes.contains(MethodAttributes::SPECIAL_NAME);
        match (props.name.as_str(), metadata.accessed(method)?) {
            // Nobody wrote the constructors of such types.
            (".ctor" | ".cctor", _) if type_name.starts_with('<') => {}
            (".ctor", _) => {
                (member.kind, member.text) = (MethodKind::Constructor, simple_name(&type_name).to_owned());
            }
            (".cctor", _) => {
                (member.kind, member.text) =
                    (MethodKind::StaticConstructor, simple_name(&type_name).to_owned());
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
                    true if self.is_initializer(place.module, props.signature) => {
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
            }
        }
        Ok(())
    }

    /// For an explicit implementation, the interface with a dot behind it and the name of its method.
    fn explicit(
        &self,
        metadata: &S::Metadata,
        place: &PlaceOf<'_, S>,
        method: MethodDef,
    ) -> Answer<(String, Option<String>), S> {
        let none = Ok((String::new(), None));
        if place.name.trim_start_matches('.').find('.').is_none() {
            return none;
        }
        let body = MethodDefOrRef::MethodDef(method);
        let impls = metadata.method_impls(place.type_def)?;
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
        let args = self.class_texts(place.args)?;
        let scope = Scope { module: place.module, class_args: &args, method_args: &[] };
        let interface = match parent {
            TypeDefOrRef::TypeSpec(spec) => match TypeSig::parse(metadata.type_spec(spec)?) {
                Ok(sig) => self.sig_text(&scope, sig)?,
                Err(_) => return none,
            },
            named => {
                let definition = self.definition(place.module, named)?;
                spell(&definition.levels, &[], |index| format!("!{index}"))
            }
        };
        Ok((format!("{}.", interface.as_str()), Some(name)))
    }

    /// Whether a setter may be called during initialisation only: its `void` has a modifier that says so.
    fn is_initializer(&self, module: S::Module, signature: &[u8]) -> bool {
        let Ok(sig) = MethodSig::parse(signature) else { return false };
        sig.return_type().modifiers().filter_map(sigparse::Modifier::ty).any(|token| {
            let name = self.metadata_name(module, token);
            name.is_ok_and(|name| &*name == "System.Runtime.CompilerServices.IsExternalInit")
        })
    }
}

/// The name of a type without its namespace and arity.
fn simple_name(name: &str) -> &str {
    let name = name.rsplit_once('`').map_or(name, |(name, _)| name);
    after_dot(name)
}

/// What comes after the last dot.
fn after_dot(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// Whether a method called `Finalize` is one: it is that of `System.Object`, or overrides it.
fn is_finalizer(type_name: &str, attributes: MethodAttributes, signature: &[u8]) -> bool {
    attributes.contains(MethodAttributes::VIRTUAL)
        && (!attributes.contains(MethodAttributes::NEW_SLOT) || type_name == "System.Object")
        && MethodSig::parse(signature).is_ok_and(|sig| {
            sig.param_count() == 0 && sig.generic_param_count() == 0 && sig.return_type().is_void()
        })
}

/// What C# writes for an operator's method.
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
