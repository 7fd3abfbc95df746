//! Names as ILAsm writes them: ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.

use core::fmt::{self, Write};

use sigparse::print::{self, Style};
use sigparse::{ElementType, MethodSig, TypeDefOrRef, TypeSig};

use super::methods::MethodRef;
use super::types::CANON;
use super::{Answer, Speller};
use crate::Error;
use crate::source::{ClassShape, Source};

/// What the types of a signature are called, with the type arguments of a call in the place of parameters.
struct IlNames<'n, S: Source + ?Sized> {
    names: &'n Speller<'n, S>,
    module: S::Module,
    class_args: Vec<String>,
    method_args: Vec<String>,
}

impl<S: Source + ?Sized> print::Names for IlNames<'_, S> {
    fn type_name(&self, ty: TypeDefOrRef, _: Style, out: &mut dyn Write) -> fmt::Result {
        match self.names.metadata_name(self.module, ty) {
            Ok(name) => out.write_str(&name.replace('+', "/")),
            Err(_) => write!(out, "{ty}"),
        }
    }

    fn var(&self, number: u32, _: Style, out: &mut dyn Write) -> fmt::Result {
        argument(&self.class_args, number, "!", out)
    }

    fn mvar(&self, number: u32, _: Style, out: &mut dyn Write) -> fmt::Result {
        argument(&self.method_args, number, "!!", out)
    }

    fn internal(&self, handle: usize, _: Style, out: &mut dyn Write) -> fmt::Result {
        match self.names.source.internal_class(handle).and_then(|class| self.names.il_class(&class).ok()) {
            Some(name) => out.write_str(&name),
            None => out.write_str("(internal type)"),
        }
    }
}

/// The argument that stands for a generic parameter.
fn argument(args: &[String], number: u32, prefix: &str, out: &mut dyn Write) -> fmt::Result {
    match args.get(number as usize) {
        Some(arg) => out.write_str(arg),
        None => write!(out, "{prefix}{number}"),
    }
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// What ILAsm calls a method with these type arguments, without the names of assemblies:
    /// ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn il_name(&self, method: &MethodRef<'_, S>) -> Answer<String, S> {
        let definition = method.definition;
        let names = IlNames {
            names: self,
            module: method.module,
            class_args: self.il_classes(method.class_args)?,
            method_args: self.il_classes(method.type_args)?,
        };
        let sig = MethodSig::parse(&definition.signature)
            .map_err(|error| Error::Signature { of: definition.plain_name(), error })?;
        let class = match definition.declaring_type {
            Some(type_def) => {
                let name = self.metadata_name(method.module, TypeDefOrRef::TypeDef(type_def))?;
                format!("{}{}::", name.replace('+', "/"), list(&names.class_args))
            }
            None => String::new(),
        };
        Ok(sig.ilasm(&names).named(&format!("{class}{}", definition.name)).to_string())
    }

    /// What ILAsm calls a type argument, without the names of assemblies: ``class List`1<int32>``, `string[]`.
    ///
    /// # Errors
    /// What the source or the metadata reports.
    pub fn il_class(&self, class: &S::Class) -> Answer<String, S> {
        Ok(match self.source.class_shape(class)? {
            ClassShape::Defined { module, type_def, args } => {
                let name = self.metadata_name(module, TypeDefOrRef::TypeDef(type_def))?;
                if let Some(keyword) = keyword(&name) {
                    return Ok(keyword.to_owned());
                }
                let kind = if self.source.is_value_type(class)? { "valuetype" } else { "class" };
                format!("{kind} {}{}", name.replace('+', "/"), list(&self.il_classes(&args)?))
            }
            ClassShape::Array { element, rank } => array(&self.il_class(&element)?, rank),
            ClassShape::ArrayOf { element, rank } => array(&element_text(element), rank),
            ClassShape::Element(element) => element_text(element),
            ClassShape::Pointer(target) => format!("{}*", self.il_class(&target)?),
            ClassShape::Unknown => format!("class {CANON}"),
        })
    }

    fn il_classes(&self, classes: &[Option<S::Class>]) -> Answer<Vec<String>, S> {
        let name = |class: &Option<S::Class>| match class {
            Some(class) => self.il_class(class),
            None => Ok(format!("class {CANON}")),
        };
        classes.iter().map(name).collect()
    }
}

fn array(element: &str, rank: u32) -> String {
    match rank {
        1 => format!("{element}[]"),
        rank => format!("{element}[{}]", vec!["0..."; rank as usize].join(",")),
    }
}

/// The spelling of a type that is known by its kind alone.
fn element_text(element: ElementType) -> String {
    match element {
        ElementType::PTR => "void*".to_owned(),
        other => TypeSig::parse(&[other.0])
            .map_or_else(|_| format!("({other})"), |element| element.ilasm(&print::Tokens).to_string()),
    }
}

fn list(args: &[String]) -> String {
    if args.is_empty() { String::new() } else { format!("<{}>", args.join(", ")) }
}

/// ILAsm's word for a built-in type.
fn keyword(full_name: &str) -> Option<&'static str> {
    Some(match full_name.strip_prefix("System.")? {
        "Boolean" => "bool",
        "Char" => "char",
        "SByte" => "int8",
        "Byte" => "uint8",
        "Int16" => "int16",
        "UInt16" => "uint16",
        "Int32" => "int32",
        "UInt32" => "uint32",
        "Int64" => "int64",
        "UInt64" => "uint64",
        "IntPtr" => "native int",
        "UIntPtr" => "native uint",
        "Single" => "float32",
        "Double" => "float64",
        "String" => "string",
        "Object" => "object",
        "TypedReference" => "typedref",
        "Void" => "void",
        _ => return None,
    })
}
