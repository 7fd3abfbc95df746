//! The methods of the source behind those that the compiler made of lambdas, local functions, iterators and
//! `async` methods.

use sigparse::token::{MethodDef, TypeDef};
use sigparse::{MethodSig, TypeDefOrRef};

use super::generated::{self, Kind};
use super::members::Place;
use super::{Answer, PlaceOf, SourceOf, Speller};
use crate::metadata::Metadata;
use crate::source::Source;

/// The method of the source that a method of the compiler's belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMethod<M, C> {
    /// The module of both.
    pub module: M,
    /// The type that declares it.
    pub declaring_type: TypeDef,
    /// Its name in the metadata.
    pub name: String,
    /// It, or where overloads cannot be told apart all of them. Empty for one that is not in the metadata.
    pub candidates: Vec<MethodDef>,
    /// The type arguments of the declaring type.
    pub class_args: Vec<Option<C>>,
    /// The type arguments of the method.
    pub type_args: Vec<Option<C>>,
    /// What C# calls it, as in [`Declaration::name`](crate::Declaration::name).
    pub full_name: String,
}

impl<M, C> SourceMethod<M, C> {
    /// Its token, if it is the only candidate.
    #[must_use]
    pub fn method(&self) -> Option<MethodDef> {
        match self.candidates.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// The method of the source that a method belongs to: that in which a lambda or local function stands,
    /// the iterator or `async` method for the methods of a state machine. `None` for all others.
    pub(super) fn source_of(&self, place: &PlaceOf<'_, S>) -> Answer<Option<SourceOf<S>>, S> {
        let metadata = self.metadata(place.module)?;
        let type_name = metadata.type_def(place.type_def)?.name;
        let (source, mut declaring) = match (generated::parse(place.name), generated::parse(&type_name)) {
            (Some(name), _) if name.kind != Kind::StateMachine => (name.source, place.type_def),
            (_, Some(name)) if name.kind == Kind::StateMachine => {
                let Some(enclosing) = metadata.enclosing_type(place.type_def)? else { return Ok(None) };
                return self.started_by(&metadata, place, enclosing, name.source).map(Some);
            }
            _ => return Ok(None),
        };
        while generated::is_generated_type(&metadata.type_def(declaring)?.name) {
            let Some(enclosing) = metadata.enclosing_type(declaring)? else { break };
            declaring = enclosing;
        }
        let candidates = candidates(&*metadata, declaring, source)?;
        self.source_method_of(&metadata, place, declaring, source, candidates).map(Some)
    }

    /// The method that makes a state machine: it says so in an attribute.
    fn started_by(
        &self,
        metadata: &S::Metadata,
        place: &PlaceOf<'_, S>,
        declaring: TypeDef,
        source: &str,
    ) -> Answer<SourceOf<S>, S> {
        let machine = self.metadata_name(place.module, TypeDefOrRef::TypeDef(place.type_def))?;
        let mut candidates = candidates(metadata, declaring, source)?;
        let mut found = None;
        for candidate in &candidates {
            for attribute in ["AsyncStateMachine", "IteratorStateMachine", "AsyncIteratorStateMachine"] {
                let attribute = format!("System.Runtime.CompilerServices.{attribute}Attribute");
                let value = metadata.custom_attribute((*candidate).into(), &attribute)?;
                if value.and_then(type_argument).is_some_and(|name| name == *machine) {
                    found = Some(*candidate);
                }
            }
        }
        if let Some(found) = found {
            candidates = vec![found];
        }
        self.source_method_of(metadata, place, declaring, source, candidates)
    }

    fn source_method_of(
        &self,
        metadata: &S::Metadata,
        place: &PlaceOf<'_, S>,
        declaring_type: TypeDef,
        name: &str,
        mut candidates: Vec<MethodDef>,
    ) -> Answer<SourceOf<S>, S> {
        let definition = self.definition(place.module, TypeDefOrRef::TypeDef(declaring_type))?;
        let class_arity = definition.parameters.len().min(place.args.len());
        let (class_args, rest) = place.args.split_at(class_arity);
        let arity = |method: &MethodDef| {
            let sig = metadata.method(*method).ok().and_then(|props| MethodSig::parse(props.signature).ok());
            sig.map_or(0, |sig| sig.generic_param_count() as usize)
        };
        candidates.retain(|method| arity(method) <= rest.len());
        let method_arity = candidates.iter().map(arity).max().unwrap_or(rest.len());
        let type_args = rest.get(..method_arity).unwrap_or(rest);
        let args = [class_args, type_args].concat();
        let name = match candidates.first() {
            Some(method) => metadata.method(*method)?.name,
            None => name.to_owned(),
        };
        let full_name = self
            .member(&Place {
                module: place.module,
                type_def: declaring_type,
                method: candidates.first().copied(),
                name: &name,
                args: &args,
            })?
            .name();
        Ok(SourceMethod {
            module: place.module,
            declaring_type,
            name,
            candidates,
            class_args: class_args.to_vec(),
            type_args: type_args.to_vec(),
            full_name,
        })
    }
}

/// The methods of a type that the compiler can have meant. It writes a hyphen for each dot of the name when it
/// makes a type's name of it.
fn candidates<M: Metadata>(
    metadata: &M,
    declaring: TypeDef,
    source: &str,
) -> Result<Vec<MethodDef>, M::Error> {
    let named = metadata.methods_named(declaring, source)?;
    if !named.is_empty() || !source.contains('-') {
        return Ok(named);
    }
    let mut candidates = Vec::new();
    for method in metadata.methods(declaring)? {
        if metadata.method(method)?.name.replace('.', "-") == source {
            candidates.push(method);
        }
    }
    Ok(candidates)
}

/// The name of the type that an attribute has as its argument, without escapes.
fn type_argument(blob: &[u8]) -> Option<String> {
    let text = sigparse::Reader::new(blob.strip_prefix(&[1, 0])?).read_ser_string().ok()??;
    let (mut name, mut escaped) = (String::with_capacity(text.len()), false);
    for char in text.chars() {
        match char {
            _ if escaped => {
                name.push(char);
                escaped = false;
            }
            '\\' => escaped = true,
            // The assembly follows.
            ',' => break,
            _ => name.push(char),
        }
    }
    Some(name)
}
