//! Names as ILAsm writes them: ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.

use core::fmt::{self, Write};

use sigparse::print::{self, Style};
use sigparse::{ElementType, MethodSig, TypeDefOrRef, TypeSig};

use super::Names;
use super::methods::Instance;
use super::types::CANON;
use crate::{ClassId, Error, HResult, ModuleId, Result};

/// What the types of a signature are called, with the type arguments of a call in the place of parameters.
struct IlNames<'n> {
    names: &'n Names,
    module: ModuleId,
    class_args: Vec<String>,
    method_args: Vec<String>,
}

impl print::Names for IlNames<'_> {
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
        match ClassId::from_raw(handle).and_then(|class| self.names.il_class(class).ok()) {
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

impl Names {
    /// What ILAsm calls a function with the type arguments of a call, without the names of assemblies:
    /// ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn il_name(&self, instance: &Instance) -> Result<String> {
        let _lookup = self.lookup();
        let method = &instance.method;
        let names = IlNames {
            names: self,
            module: method.module,
            class_args: self.il_classes(&instance.class_args)?,
            method_args: self.il_classes(&instance.type_args)?,
        };
        let sig = MethodSig::parse(&method.signature)
            .map_err(|error| Error::Signature { of: method.plain_name(), error })?;
        let class = match method.declaring_type {
            Some(type_def) => {
                let name = self.metadata_name(method.module, TypeDefOrRef::TypeDef(type_def))?;
                format!("{}{}::", name.replace('+', "/"), list(&names.class_args))
            }
            None => String::new(),
        };
        Ok(sig.ilasm(&names).named(&format!("{class}{}", method.name)).to_string())
    }

    /// What ILAsm calls a class, without the names of assemblies: ``class List`1<int32>``, `string[]`.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn il_class(&self, class: ClassId) -> Result<String> {
        let _lookup = self.lookup();
        let info = match self.info().class_info(class) {
            Ok(info) => info,
            Err(Error::Call {
                hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY | HResult::CORPROF_E_CLASSID_IS_COMPOSITE,
                ..
            }) => return self.il_array(class),
            Err(error) => return Err(error),
        };
        let name = self.metadata_name(info.module, TypeDefOrRef::TypeDef(info.type_def))?;
        if let Some(keyword) = keyword(&name) {
            return Ok(keyword.to_owned());
        }
        let kind = if self.info().box_layout(class)?.is_some() { "valuetype" } else { "class" };
        Ok(format!("{kind} {}{}", name.replace('+', "/"), list(&self.il_classes(&info.type_args)?)))
    }

    fn il_array(&self, class: ClassId) -> Result<String> {
        let Some(array) = self.info().array_class(class)? else {
            return Err(Error::NotFound(format!("class {class} is a pointer, byref or function pointer")));
        };
        let element = match (array.element_class, array.element_type) {
            (Some(element), _) => self.il_class(element)?,
            (None, ElementType::PTR) => "void*".to_owned(),
            (None, other) => TypeSig::parse(&[other.0])
                .map_or_else(|_| format!("({other})"), |element| element.ilasm(&print::Tokens).to_string()),
        };
        Ok(match array.rank {
            1 => format!("{element}[]"),
            rank => format!("{element}[{}]", vec!["0..."; rank as usize].join(",")),
        })
    }

    fn il_classes(&self, classes: &[Option<ClassId>]) -> Result<Vec<String>> {
        let name = |class: &Option<ClassId>| {
            class.map_or_else(|| Ok(format!("class {CANON}")), |class| self.il_class(class))
        };
        classes.iter().map(name).collect()
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
