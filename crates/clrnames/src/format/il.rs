//! Methods and types as ILAsm writes them: ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
//!
//! Signatures are printed by [`sigparse::ilasm`]. Here are the names for it, and the types of the runtime, which have no
//! signature.

use core::fmt::{self, Write};

use sigparse::ilasm::{self, Names};
use sigparse::{ElementType, MethodSig, TypeDefOrRef};

use super::formatter::{Formatter, Result};
use super::methods::Instantiation;
use crate::csharp::{CANON, element_type};
use crate::error::Error;
use crate::source::{ClassKind, Source};

/// The names of types in a signature, with type arguments for its generic parameters.
struct IlNames<'n, S: Source> {
    formatter: &'n Formatter<'n, S>,
    module: S::Module,
    class_args: Vec<String>,
    method_args: Vec<String>,
}

impl<S: Source> Names for IlNames<'_, S> {
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result {
        match self.formatter.metadata_name(self.module, ty) {
            Ok(name) => out.write_str(&nested(&name)),
            Err(_) => write!(out, "{ty}"),
        }
    }

    fn var(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        argument(&self.class_args, number, "!", out)
    }

    fn mvar(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        argument(&self.method_args, number, "!!", out)
    }

    fn internal(&self, handle: usize, out: &mut dyn Write) -> fmt::Result {
        let class = self.formatter.source.internal_class(handle);
        match class.and_then(|class| self.formatter.il_class(&class).ok()) {
            Some(name) => out.write_str(&name),
            None => out.write_str("(internal type)"),
        }
    }
}

/// Writes the argument for a generic parameter, or the parameter.
fn argument(args: &[String], number: u32, prefix: &str, out: &mut dyn Write) -> fmt::Result {
    match args.get(number as usize) {
        Some(arg) => out.write_str(arg),
        None => write!(out, "{prefix}{number}"),
    }
}

impl<S: Source> Formatter<'_, S> {
    /// Formats a method with type arguments as ILAsm writes it, without the names of assemblies:
    /// ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn il_name(&self, method: &Instantiation<'_, S>) -> Result<String, S> {
        let definition = method.definition;
        let names = IlNames {
            formatter: self,
            module: method.module,
            class_args: self.il_classes(method.class_args)?,
            method_args: self.il_classes(method.type_args)?,
        };
        let sig = MethodSig::parse(&definition.signature)
            .map_err(|error| Error::Signature { of: definition.plain_name(), error })?;
        let class = match definition.declaring_type {
            Some(type_def) => {
                let name = self.metadata_name(method.module, TypeDefOrRef::TypeDef(type_def))?;
                format!("{}{}::", nested(&name), list(&names.class_args))
            }
            None => String::new(),
        };
        Ok(sig.ilasm(&names).named(&format!("{class}{}", definition.name)).to_string())
    }

    /// Formats a type argument as ILAsm writes it, without the names of assemblies: ``class List`1<int32>``, `string[]`.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn il_class(&self, class: &S::Class) -> Result<String, S> {
        Ok(match self.source.class_kind(class)? {
            ClassKind::Defined { module, type_def, args } => {
                let name = self.metadata_name(module, TypeDefOrRef::TypeDef(type_def))?;
                if let Some(keyword) = element_type(&name).and_then(ilasm::keyword) {
                    return Ok(keyword.to_owned());
                }
                let kind = if self.source.is_value_type(class)? { "valuetype" } else { "class" };
                format!("{kind} {}{}", nested(&name), list(&self.il_classes(&args)?))
            }
            ClassKind::Array { element, rank } => array(&self.il_class(&element)?, rank),
            ClassKind::ArrayOf { element, rank } => array(&element_name(element), rank),
            ClassKind::Element(element) => element_name(element),
            ClassKind::Pointer(target) => format!("{}*", self.il_class(&target)?),
            ClassKind::Unknown => format!("class {CANON}"),
        })
    }

    fn il_classes(&self, classes: &[Option<S::Class>]) -> Result<Vec<String>, S> {
        let name = |class: &Option<S::Class>| match class {
            Some(class) => self.il_class(class),
            None => Ok(format!("class {CANON}")),
        };
        classes.iter().map(name).collect()
    }
}

/// Returns a metadata name with nested types after a slash.
fn nested(metadata_name: &str) -> String {
    metadata_name.replace('+', "/")
}

/// Returns an array type. The lower bounds are those of every array that C# creates (II.14.2).
fn array(element: &str, rank: u32) -> String {
    match rank {
        1 => format!("{element}[]"),
        rank => format!("{element}[{}]", vec!["0..."; rank as usize].join(",")),
    }
}

/// Returns an element type that stands alone. `PTR` without a target gives `void*`.
fn element_name(element: ElementType) -> String {
    match (ilasm::keyword(element), element) {
        (Some(keyword), _) => keyword.to_owned(),
        (None, ElementType::PTR) => "void*".to_owned(),
        (None, other) => format!("({other})"),
    }
}

fn list(args: &[String]) -> String {
    if args.is_empty() { String::new() } else { format!("<{}>", args.join(", ")) }
}
