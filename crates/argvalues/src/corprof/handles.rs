//! What the runtime's own handles stand for: types, methods, fields, properties, events, modules.
//!
//! Type handles are class ids, method handles function ids, and module handles module ids. A type that is no class (a
//! pointer, a reference, a generic parameter) and a field have descriptions that the profiling API does not know: they
//! are read, without trusting them.
//!
//! The runtime trusts every id that it is given. A handle that it has not vouched for is shown to it only if it is a class
//! that was seen to be loaded, or a member of one.

use std::sync::Arc;

use ::corprof::{ClassId, FunctionId, Names, ProfilerInfo};
use sigparse::token::{EventDef, FieldDef, PropertyDef};
use sigparse::{ElementType, TypeDefOrRef};

use crate::{Handle, Memory};

/// How many pointers to pointers are followed.
const MAX_DEPTH: usize = 8;
/// In a type handle: it is the address of a description, and not a class id.
const DESCRIPTION: usize = 0b10;

/// Names handles.
pub(super) struct Handles<'r> {
    pub(super) names: &'r Names,
    pub(super) memory: &'r dyn Memory,
    /// Whether the handles are the runtime's own.
    pub(super) vouched: bool,
}

impl Handles<'_> {
    fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    pub(super) fn name(&self, handle: Handle) -> Option<Arc<str>> {
        match handle {
            Handle::Type(handle) => self.type_name(handle, MAX_DEPTH),
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
                let module = ::corprof::ModuleId::from_raw(module).filter(|_| self.vouched)?;
                Some(self.names.module(module).ok()?.file_name().into())
            }
        }
    }

    fn class(&self, handle: usize) -> Option<(::corprof::ModuleId, Arc<str>)> {
        let class = class_of(handle).filter(|class| self.is_class(*class))?;
        Some((self.info().class_info(class).ok()?.module, self.names.class(class).ok()?))
    }

    fn is_class(&self, class: ClassId) -> bool {
        self.vouched || self.info().is_known_class(class)
    }

    fn type_name(&self, handle: usize, depth: usize) -> Option<Arc<str>> {
        if let Some(class) = class_of(handle) {
            self.is_class(class).then_some(())?;
            return self.names.class(class).ok().or_else(|| self.definition(class));
        }
        // Of a type with one argument: what it is, then behind it its argument.
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
            let is_type = found & DESCRIPTION != 0
                || ClassId::from_raw(found).is_some_and(|class| self.info().is_known_class(class));
            is_type.then(|| self.type_name(found, depth - 1))?
        })?;
        Some(format!("{prefix}{argument}{suffix}").into())
    }

    /// What kind of type it is, of one that has a description.
    fn described(&self, handle: usize) -> Option<ElementType> {
        let mut kind = [0];
        self.memory.read_unvouched(handle & !DESCRIPTION, &mut kind).ok()?;
        Some(ElementType(kind[0]))
    }

    /// The class id that a type handle is. Before .NET 5 arrays have a description, which is their class id.
    pub(super) fn class_or_array(&self, handle: usize) -> Option<ClassId> {
        class_of(handle).filter(|class| self.is_class(*class)).or_else(|| {
            let is_array = matches!(self.described(handle)?, ElementType::SZARRAY | ElementType::ARRAY);
            ClassId::from_raw(handle).filter(|_| is_array && self.vouched)
        })
    }

    /// A generic type without arguments, which has its parameters in their place.
    fn definition(&self, class: ClassId) -> Option<Arc<str>> {
        let info = self.info().class_info(class).ok()?;
        let full_name = self.names.metadata_name(info.module, TypeDefOrRef::TypeDef(info.type_def)).ok()?;
        let metadata = self.names.metadata(info.module).ok()?;
        let parameters = metadata.generic_params(info.type_def).ok()?;
        let names: Option<Vec<String>> = parameters
            .into_iter()
            .map(|parameter| Some(metadata.generic_param(parameter).ok()?.name))
            .collect();
        let names = names?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(crate::type_name(&full_name, &names).into())
    }

    fn method(&self, method: usize, class: Option<usize>) -> Option<Arc<str>> {
        let class = class.and_then(class_of);
        (self.vouched || self.info().is_known_class(class?)).then_some(())?;
        let method = self.names.method(FunctionId::from_raw(method)?).ok()?;
        if !method.is_generic() {
            return Some(method.plain_name().into());
        }
        let own = self.info().function_instance(method.function, None).ok()?;
        let class = class.or(own.class);
        Some(self.names.instance(&method, class, &own.type_args).ok()?.name.as_str().into())
    }

    /// A field's description names a class and the field's row in the metadata, of which there are 24 bits.
    fn field(&self, field: usize, declaring: Option<usize>) -> Option<Arc<str>> {
        let word = self.word(field)?;
        // Up to .NET Core 3.1 the class is named by its distance.
        let described = [word, field.wrapping_add(word)]
            .into_iter()
            .filter_map(ClassId::from_raw)
            .find(|class| self.info().is_known_class(*class));
        let class = declaring.and_then(class_of).filter(|class| self.is_class(*class)).or(described)?;
        let info = self.info().class_info(class).ok()?;
        let mut bits = [0; 4];
        self.memory.read_unvouched(field.wrapping_add(size_of::<usize>()), &mut bits).ok()?;
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
        self.memory.read_unvouched(address, &mut word).ok()?;
        Some(usize::from_ne_bytes(word))
    }
}

/// The class that a type handle is, if it is one.
fn class_of(handle: usize) -> Option<ClassId> {
    ClassId::from_raw(handle).filter(|_| handle & DESCRIPTION == 0)
}
