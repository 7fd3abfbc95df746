//! The source methods that compiler-generated methods were lowered from: of lambdas, local functions, iterators and
//! `async` methods.

use sigparse::token::{MethodDef, TypeDef};
use sigparse::{MethodSig, TypeDefOrRef};

use super::annotations::text_argument;
use super::formatter::{Formatter, Result};
use super::generated::{self, Kind};
use super::members::Declared;
use crate::metadata::Metadata;
use crate::resolution::ModuleSet;
use crate::source::Source;

/// The source method of a source's method.
pub(super) type SourceOf<S> = SourceMethod<<S as ModuleSet>::Module, <S as Source>::Class>;

/// The source method that a compiler-generated method was lowered from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMethod<M, C> {
    /// The module of both.
    pub module: M,
    /// The declaring type.
    pub declaring_type: TypeDef,
    /// The name in the metadata.
    pub name: String,
    /// The method, or all overloads if they cannot be distinguished. Empty for a method that is not in the metadata.
    pub candidates: Vec<MethodDef>,
    /// The type arguments of the declaring type.
    pub class_args: Vec<Option<C>>,
    /// The type arguments of the method.
    pub type_args: Vec<Option<C>>,
    /// The name as in [`Declaration::name`](crate::Declaration::name).
    pub full_name: String,
}

impl<M, C> SourceMethod<M, C> {
    /// Returns the token if there is one candidate.
    #[must_use]
    pub fn method(&self) -> Option<MethodDef> {
        match self.candidates.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

impl<S: Source> Formatter<'_, S> {
    /// Returns the source method that a method was lowered from: the method that contains a lambda or local function, the
    /// iterator or `async` method of a state machine. `None` for all others.
    pub(super) fn lowered_from(&self, declared: &Declared<'_, S>) -> Result<Option<SourceOf<S>>, S> {
        let metadata = self.metadata(declared.module)?;
        let type_name = metadata.type_def(declared.type_def)?.name;
        let (source, mut declaring) = match (generated::parse(declared.name), generated::parse(&type_name)) {
            (Some(name), _) if name.kind != Kind::StateMachine => (name.source, declared.type_def),
            (_, Some(name)) if name.kind == Kind::StateMachine => {
                let Some(enclosing) = metadata.enclosing_type(declared.type_def)? else { return Ok(None) };
                return self.started_by(&metadata, declared, enclosing, name.source).map(Some);
            }
            _ => return Ok(None),
        };
        while generated::is_generated_type(&metadata.type_def(declaring)?.name) {
            let Some(enclosing) = metadata.enclosing_type(declaring)? else { break };
            declaring = enclosing;
        }
        let candidates = candidates(&*metadata, declaring, source)?;
        self.source_method_of(&metadata, declared, declaring, source, candidates).map(Some)
    }

    /// Returns the method that creates a state machine: its attribute names the state machine's type.
    fn started_by(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        declaring: TypeDef,
        source: &str,
    ) -> Result<SourceOf<S>, S> {
        let machine = self.metadata_name(declared.module, TypeDefOrRef::TypeDef(declared.type_def))?;
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
        self.source_method_of(metadata, declared, declaring, source, candidates)
    }

    fn source_method_of(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        declaring_type: TypeDef,
        name: &str,
        mut candidates: Vec<MethodDef>,
    ) -> Result<SourceOf<S>, S> {
        let definition = self.definition(declared.module, TypeDefOrRef::TypeDef(declaring_type))?;
        let class_arity = definition.parameters.len().min(declared.args.len());
        let (class_args, rest) = declared.args.split_at(class_arity);
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
            .member(&Declared {
                module: declared.module,
                type_def: declaring_type,
                method: candidates.first().copied(),
                name: &name,
                args: &args,
            })?
            .name();
        Ok(SourceMethod {
            module: declared.module,
            declaring_type,
            name,
            candidates,
            class_args: class_args.to_vec(),
            type_args: type_args.to_vec(),
            full_name,
        })
    }
}

/// Returns the methods of a type that a generated name may refer to. In a type's name the compiler writes a hyphen for
/// each dot of the method's name.
fn candidates<M: Metadata>(
    metadata: &M,
    declaring: TypeDef,
    source: &str,
) -> core::result::Result<Vec<MethodDef>, M::Error> {
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

/// Returns the name of the type that is an attribute's argument, without escapes.
fn type_argument(blob: &[u8]) -> Option<String> {
    let text = text_argument(blob)?;
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
