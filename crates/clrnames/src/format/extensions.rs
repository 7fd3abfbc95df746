//! Members of extension blocks, which C# has since version 14: `extension(string text) { public bool IsLong => …; }`.
//!
//! The compiler makes two of each member. The one that runs is a static method of the static class, with the receiver in front:
//! `get_IsLong(string text)`. The declared one has no code: it is a member of a type that is nested in the static class and has a name
//! that begins with `<G>$` and the type parameters of the block. Its attribute names the type with a method whose parameter is the
//! receiver.

use sigparse::MethodSig;
use sigparse::token::{MethodDef, ParamDef, TypeDef};

use super::annotations::text_argument;
use super::declaration::receiver_text;
use super::formatter::{Formatter, Result, type_arguments};
use super::members::Declared;
use super::scope::Scope;
use crate::csharp::TypeName;
use crate::error::Error;
use crate::metadata::{Accessed, Manifest, Metadata as _, MethodAttributes, TypeAttributes};
use crate::source::Source;

/// The method whose parameter is the receiver.
const RECEIVER: &str = "<Extension>$";

/// The attribute of a declared member: the name of the type with the receiver.
const MARKER: &str = "System.Runtime.CompilerServices.ExtensionMarkerAttribute";

/// The most types that are looked at for one method: the types that are nested in its class, and those of the members that may be it. With
/// more, the method has the name that it has in the metadata.
const MAX_STEPS: usize = 4096;

/// The extension block that declares a method.
pub(super) struct Extension {
    /// The type with the declared member.
    pub(super) group: TypeDef,
    /// The declared member.
    pub(super) declared: MethodDef,
    /// The number of type parameters of the block, which come first among those of the method.
    pub(super) arity: usize,
    /// `extension<T>(System.Collections.Generic.List<T>)`.
    pub(super) text: String,
    /// Whether the first parameter of the method that runs is the receiver.
    pub(super) has_receiver: bool,
}

impl<S: Source> Formatter<'_, S> {
    /// Returns the extension block that declares a method; `None` for a method that is declared otherwise.
    pub(super) fn extension(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        method: MethodDef,
    ) -> Result<Option<Extension>, S> {
        const STATIC_CLASS: TypeAttributes = TypeAttributes::ABSTRACT.union(TypeAttributes::SEALED);
        if !metadata.type_def(declared.type_def)?.attributes.contains(STATIC_CLASS) {
            return Ok(None);
        }
        let props = metadata.method(method)?;
        if !props.attributes.contains(MethodAttributes::STATIC) {
            return Ok(None);
        }
        let parameters = MethodSig::parse(props.signature).map_or(0, |sig| sig.param_count() as usize);
        let mut steps = 0;
        for group in metadata.extension_groups(declared.type_def)? {
            steps += 1;
            if steps > MAX_STEPS {
                break;
            }
            let arity = metadata.generic_params(group.into())?.len();
            for candidate in metadata.methods_named(group, &props.name)? {
                steps += 2 * parameters + 2;
                if steps > MAX_STEPS {
                    break;
                }
                let candidate = Candidate { group, method: candidate, arity };
                if let Some(found) = self.implemented(metadata, declared, &candidate, props.signature)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Returns the block of a declared member, if a method has the code of it.
    fn implemented(
        &self,
        metadata: &S::Metadata,
        declared: &Declared<'_, S>,
        candidate: &Candidate,
        signature: &[u8],
    ) -> Result<Option<Extension>, S> {
        let Some(receiver) = receiver(metadata, candidate)? else { return Ok(None) };
        let member = metadata.method(candidate.method)?;
        let (Ok(code), Ok(sig)) = (MethodSig::parse(signature), MethodSig::parse(member.signature)) else {
            return Ok(None);
        };
        let has_receiver = !member.attributes.contains(MethodAttributes::STATIC);
        let own = code.generic_param_count() as usize;
        if own != candidate.arity + sig.generic_param_count() as usize
            || code.param_count() != sig.param_count() + u32::from(has_receiver)
        {
            return Ok(None);
        }
        // Without arguments, parameters are compared by their numbers.
        let unknown: Vec<TypeName> = (0..own).map(|number| TypeName::new(format!("!!{number}"))).collect();
        let of_code = self.types(declared.module, &code, (&[], &unknown))?;
        let split = unknown.split_at(candidate.arity);
        let mut of_member = self.types(declared.module, &sig, split)?;
        let marker = metadata.method(receiver.method)?;
        let Ok(marker_sig) = MethodSig::parse(marker.signature) else { return Ok(None) };
        if has_receiver {
            let [_, parameter] = &self.types(declared.module, &marker_sig, split)?[..] else {
                return Ok(None);
            };
            of_member.insert(1, parameter.clone());
        }
        if of_code != of_member {
            return Ok(None);
        }
        let class_args = declared.args.get(..candidate.arity).unwrap_or(declared.args);
        let class_args = &self.class_names(class_args)?;
        let scope = Scope { formatter: self, module: declared.module, class_args, method_args: &[] };
        let receiver = receiver_text(&scope, metadata, &marker_sig, receiver.row)?;
        let type_args = type_arguments(class_args);
        Ok(Some(Extension {
            group: candidate.group,
            declared: candidate.method,
            arity: candidate.arity,
            text: format!("extension{type_args}({receiver})"),
            has_receiver,
        }))
    }

    /// Returns the names of the types of a signature: the result, and the parameters.
    fn types(
        &self,
        module: S::Module,
        sig: &MethodSig<'_>,
        (class_args, method_args): (&[TypeName], &[TypeName]),
    ) -> Result<Vec<TypeName>, S> {
        let scope = Scope { formatter: self, module, class_args, method_args };
        let mut types = vec![scope.type_name(sig.return_type())?];
        for param in sig.params() {
            let of = "a member of an extension block";
            let param = param.map_err(|error| Error::Signature { of: of.to_owned(), error })?;
            types.push(scope.type_name(param.sig())?);
        }
        Ok(types)
    }
}

/// A declared member.
struct Candidate {
    group: TypeDef,
    method: MethodDef,
    arity: usize,
}

/// The method whose parameter is the receiver of a block, and the row of the parameter.
struct Marker {
    method: MethodDef,
    row: Option<ParamDef>,
}

/// Returns the receiver of a declared member: its attribute, or that of its property, names the type with it.
fn receiver<M: Manifest>(
    metadata: &M,
    candidate: &Candidate,
) -> core::result::Result<Option<Marker>, M::Error> {
    let mut blob = metadata.custom_attribute(candidate.method.into(), MARKER)?;
    if blob.is_none()
        && let Some(Accessed::Property(property)) = metadata.accessed(candidate.method)?
    {
        blob = metadata.custom_attribute(property.into(), MARKER)?;
    }
    let Some(name) = blob.and_then(text_argument) else { return Ok(None) };
    let Some(marker) = metadata.find_type_def(name, Some(candidate.group))? else { return Ok(None) };
    let Some(method) = metadata.methods_named(marker, RECEIVER)?.into_iter().next() else { return Ok(None) };
    let mut row = None;
    for param in metadata.params(method)? {
        if metadata.param(param)?.sequence == 1 {
            row = Some(param);
        }
    }
    Ok(Some(Marker { method, row }))
}
