//! The runtime's own handles: types, methods, fields, properties, events, modules.
//!
//! Type handles are class ids, method handles function ids, and module handles module ids. The profiling API has no ids
//! for the descriptions of a type that is no class (a pointer, a reference, a generic parameter) and of a field: they
//! are read as untrusted memory.
//!
//! The runtime does not check the ids that are passed to it. An untrusted handle is passed to it only if it is a class
//! that was seen to be loaded, or a method of one.
//!
//! Contract of the unsafe code here: with `trusted`, a handle was read where the runtime itself keeps one of its kind. Others
//! count as what the memory there describes, if its class has been seen to be loaded.
#![allow(unsafe_code)]

use crate::limits::MAX_POINTERS;
use std::sync::Arc;

use corprof::clrnames::TypeName;
use corprof::clrnames::metadata::Metadata as _;
use corprof::{ClassId, FunctionId, Names, ProfilerInfo};
use sigparse::token::{EventDef, FieldDef, PropertyDef};
use sigparse::{ElementType, TypeDefOrRef};

use super::stubs::is_method;
use argvalues::{Handle, Memory};

/// In a type handle: it is the address of a description, and not a class id.
const DESCRIPTION: usize = 0b10;

/// Names handles.
pub(super) struct Handles<'r> {
    pub(super) names: &'r Names,
    pub(super) memory: &'r dyn Memory,
    /// Whether the handles are the runtime's own.
    pub(super) trusted: bool,
}

impl Handles<'_> {
    fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    pub(super) fn name(&self, handle: Handle) -> Option<Arc<str>> {
        match handle {
            Handle::Type(handle) => self.type_name(handle, MAX_POINTERS),
            Handle::Method(method, class) => self.method(method, class),
            Handle::Field(field, class) => self.field(field, class),
            Handle::Property(token, class) => {
                let (module, class_name) = self.class(class)?;
                let property = PropertyDef::from_token(token)?;
                let name = self.names.metadata(module).ok()?.property(property).ok()?.name;
                Some(format!("{class_name}.{name}").into())
            }
            Handle::Event(token, class) => {
                let (module, class_name) = self.class(class)?;
                let event = EventDef::from_token(token)?;
                let name = self.names.metadata(module).ok()?.event(event).ok()?.name;
                Some(format!("{class_name}.{name}").into())
            }
            Handle::Module(module) => {
                self.trusted.then_some(())?;
                // SAFETY: the handle is trusted.
                let module = unsafe { corprof::ModuleId::from_raw(module) }?;
                Some(self.names.module(module).ok()?.file_name().into())
            }
        }
    }

    fn class(&self, handle: usize) -> Option<(corprof::ModuleId, Arc<str>)> {
        let class = self.class_of(handle)?;
        Some((self.info().class_info(class).ok()?.module, self.names.class(class).ok()?))
    }

    /// Returns the class that a type handle is, if it is one.
    fn class_of(&self, handle: usize) -> Option<ClassId> {
        if handle & DESCRIPTION != 0 {
            return None;
        }
        if self.trusted {
            // SAFETY: the handle is trusted, and no description.
            return unsafe { ClassId::from_raw(handle) };
        }
        self.info().class_by_number(handle)
    }

    fn type_name(&self, handle: usize, depth: usize) -> Option<Arc<str>> {
        if handle & DESCRIPTION == 0 {
            let class = self.class_of(handle)?;
            return self.names.class(class).ok().or_else(|| self.definition(class));
        }
        // The kind of a type with one argument, followed by its argument.
        let (prefix, suffix) = match self.described(handle)? {
            ElementType::PTR => ("", "*"),
            ElementType::BYREF => ("ref ", ""),
            _ => return self.names.class(self.class_or_array(handle)?).ok(),
        };
        let description = handle & !DESCRIPTION;
        (depth > 0).then_some(())?;
        // Its place differs between versions; before .NET 5 there is another class in front of it.
        let argument = [2, 1, 3].into_iter().find_map(|word| {
            let found = self.word(description.wrapping_add(word * size_of::<usize>()))?;
            let is_type = found & DESCRIPTION != 0 || self.info().class_by_number(found).is_some();
            is_type.then(|| self.type_name(found, depth - 1))?
        })?;
        Some(format!("{prefix}{argument}{suffix}").into())
    }

    /// Returns the kind of a type that has a description.
    fn described(&self, handle: usize) -> Option<ElementType> {
        let mut kind = [0];
        self.memory.read_untrusted(handle & !DESCRIPTION, &mut kind).ok()?;
        Some(ElementType(kind[0]))
    }

    /// The class id that a type handle is. Before .NET 5 arrays have a description, which is their class id.
    pub(super) fn class_or_array(&self, handle: usize) -> Option<ClassId> {
        self.class_of(handle).or_else(|| {
            let is_array = matches!(self.described(handle)?, ElementType::SZARRAY | ElementType::ARRAY);
            // SAFETY: the handle is trusted, and the description of an array is its class id.
            (is_array && self.trusted).then(|| unsafe { ClassId::from_raw(handle) })?
        })
    }

    /// Returns the name of a generic type definition, with its parameters in the place of arguments.
    fn definition(&self, class: ClassId) -> Option<Arc<str>> {
        let info = self.info().class_info(class).ok()?;
        let full_name = self.names.metadata_name(info.module, TypeDefOrRef::TypeDef(info.type_def)).ok()?;
        let metadata = self.names.metadata(info.module).ok()?;
        let parameters = metadata.generic_params(info.type_def.into()).ok()?;
        let names: Option<Vec<String>> = parameters
            .into_iter()
            .map(|parameter| Some(metadata.generic_param(parameter).ok()?.name))
            .collect();
        let names = names?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(TypeName::from_metadata(&full_name, &names).into_text())
    }

    fn method(&self, method: usize, class: Option<usize>) -> Option<Arc<str>> {
        let class = class.and_then(|class| self.class_of(class));
        let is_class = |number| self.info().class_by_number(number).is_some();
        (self.trusted || is_method(self.memory, method, is_class)).then_some(())?;
        // SAFETY: the handle is trusted, or what is there is the description of a method of a class that is loaded.
        let method = self.names.method(unsafe { FunctionId::from_raw(method) }?).ok()?;
        if !method.is_generic() {
            return Some(method.plain_name().into());
        }
        let own = self.info().function_instance(method.function, None).ok()?;
        let class = class.or(own.class);
        Some(self.names.instance(&method, class, &own.type_args).ok()?.name.as_str().into())
    }

    /// The description of a field has its class and its 24-bit row in the metadata.
    fn field(&self, field: usize, declaring: Option<usize>) -> Option<Arc<str>> {
        let word = self.word(field)?;
        // Up to .NET Core 3.1 the class is named by its distance.
        let described = [word, field.wrapping_add(word)]
            .into_iter()
            .find_map(|number| self.info().class_by_number(number));
        let class = declaring.and_then(|class| self.class_of(class)).or(described)?;
        let info = self.info().class_info(class).ok()?;
        let mut bits = [0; 4];
        self.memory.read_untrusted(field.wrapping_add(size_of::<usize>()), &mut bits).ok()?;
        let bits = u32::from_ne_bytes(bits);
        let metadata = self.names.metadata(info.module).ok()?;
        let fields = metadata.fields(info.type_def).ok()?;
        // Where the row fits in fewer bits, others may have another use.
        const ROWS: [u32; 2] = [0xff_ffff, 0x1_ffff];
        let field = ROWS.into_iter().find_map(|rows| {
            let field = FieldDef::from_rid(bits & rows)?;
            fields.contains(&field).then_some(field)
        })?;
        let name = metadata.field(field).ok()?.name;
        Some(format!("{}.{name}", self.names.class(class).ok()?).into())
    }

    fn word(&self, address: usize) -> Option<usize> {
        let mut word = [0; size_of::<usize>()];
        self.memory.read_untrusted(address, &mut word).ok()?;
        Some(usize::from_ne_bytes(word))
    }
}
