//! From a class to its shape.

use std::cell::RefCell;
use std::sync::Arc;

use ::corprof::{ClassId, ClassInfo, Error, FieldAttributes, Instance, Metadata, ResolvedType, Result};
use sigparse::{ElementType, FieldSig, Reader, TypeDefOrRef, TypeSig};

use super::{ClrRuntime, failed, module_of};
use crate::{
    Declaring, EnumShape, Field, GenericContext, ModuleId, Primitive, RuntimeError, ShapeKind, Target,
    TypeShape, ValueTypeQuery, resolve,
};

/// The assembly that defines the built-in types.
const CORE_LIB: &str = "System.Private.CoreLib";

thread_local! {
    /// The value types whose shapes are being made on this thread: one that contains itself must not go round
    /// in circles.
    static IN_PROGRESS: RefCell<Vec<ClassId>> = const { RefCell::new(Vec::new()) };
}

/// A value type whose shape is being made, until dropped.
struct InProgress;

impl InProgress {
    fn enter(class: ClassId) -> Result<Self> {
        IN_PROGRESS.with_borrow_mut(|classes| {
            if classes.contains(&class) {
                return Err(Error::NotFound("the value type contains itself".to_owned()));
            }
            classes.push(class);
            Ok(Self)
        })
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        IN_PROGRESS.with_borrow_mut(Vec::pop);
    }
}

impl ClrRuntime {
    /// The shape of a class's objects; of the value inside for a box.
    pub(super) fn object_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        let unloads = self.info().unload_count();
        if let Some(known) = self.cache.get(|maps| &maps.objects, &class) {
            return Ok(known);
        }
        let shape = self.make_object_shape(class)?;
        let known = Arc::clone(&shape);
        self.cache.put(|maps| &mut maps.objects, class, known, || self.info().unload_count() == unloads);
        Ok(shape)
    }

    fn make_object_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        // Its name is not needed for an array, but whoever asks for it learns when the class goes away.
        let name = self.names.class(class);
        if let Some(array) = self.info().array_class(class)? {
            let element = match array.element_class {
                Some(element) => self.slot(element),
                None => self.element_slot(array.element_type),
            };
            let shape = match array.rank {
                1 => TypeShape::vector(element),
                rank => TypeShape::array(element, rank as usize),
            };
            return Ok(Arc::new(shape.with_class(class_of(class))));
        }
        if self.info().box_layout(class)?.is_some() {
            return self.value_shape(class);
        }
        let info = self.info().class_info(class)?;
        let full_name = self.full_name_of(&info)?;
        if full_name == "System.String" {
            return Ok(TypeShape::string());
        }
        let name = name?;
        let fields = match self.class_fields(class) {
            Ok(fields) => fields,
            // Some classes of the runtime's own keep their layout to themselves.
            Err(error) => {
                let shape = TypeShape::opaque(name, None, error.to_string());
                return Ok(Arc::new(shape.with_class(class_of(class))));
            }
        };
        let shape = match self.is_delegate(&info)? {
            true => TypeShape::delegate(name, fields),
            false => TypeShape::class(&full_name, name, fields),
        };
        let args = self.slots(&info.type_args);
        Ok(Arc::new(shape.with_args(args.to_vec()).with_class(class_of(class))))
    }

    /// The shape of a slot that holds values of a class: the value itself, or a reference.
    pub(super) fn slot(&self, class: ClassId) -> Arc<TypeShape> {
        let unloads = self.info().unload_count();
        if let Some(known) = self.cache.get(|maps| &maps.slots, &class) {
            return known;
        }
        let shape = self
            .make_slot(class)
            .unwrap_or_else(|error| Arc::new(TypeShape::opaque("?", None, error.to_string())));
        let known = Arc::clone(&shape);
        self.cache.put(|maps| &mut maps.slots, class, known, || self.info().unload_count() == unloads);
        shape
    }

    fn make_slot(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        if self.info().box_layout(class)?.is_some() {
            return self.value_shape(class);
        }
        let name = self.names.class(class)?;
        Ok(match &*name {
            "string" => TypeShape::string(),
            "object" => TypeShape::object(),
            _ => Arc::new(TypeShape::reference(name).with_class(class_of(class))),
        })
    }

    /// The shape of a value type's values.
    fn value_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        let info = self.info().class_info(class)?;
        let full_name = self.full_name_of(&info)?;
        if let Some(primitive) = Primitive::from_full_name(&full_name) {
            return Ok(TypeShape::primitive(primitive));
        }
        let definition = ResolvedType { module: info.module, type_def: info.type_def };
        if let Some(shape) = self.enum_shape(definition, || self.names.class(class))? {
            return Ok(Arc::new(shape.with_class(class_of(class))));
        }
        let _until_dropped = InProgress::enter(class)?;
        let name = self.names.class(class)?;
        let layout = self.info().class_layout(class)?;
        let mut fields = Vec::with_capacity(layout.fields.len());
        self.own_fields(class, &info, &mut fields)?;
        let args = self.slots(&info.type_args);
        let shape = TypeShape::value_type(&full_name, name, layout.size as usize, fields);
        Ok(Arc::new(shape.with_args(args.to_vec()).with_class(class_of(class))))
    }

    /// The fields of a class, the base class's first.
    fn class_fields(&self, class: ClassId) -> Result<Vec<Field>> {
        let mut chain = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next {
            let info = self.info().class_info(class)?;
            next = info.parent;
            chain.push((class, info));
        }
        let mut fields = Vec::new();
        for (class, info) in chain.iter().rev() {
            self.own_fields(*class, info, &mut fields)?;
        }
        Ok(fields)
    }

    /// The fields that a class itself declares.
    fn own_fields(&self, class: ClassId, info: &ClassInfo, fields: &mut Vec<Field>) -> Result<()> {
        let layout = self.info().class_layout(class)?;
        if layout.fields.is_empty() {
            return Ok(());
        }
        let metadata = self.names.metadata(info.module)?;
        let generics = GenericContext {
            module: ModuleId(info.module.as_raw()),
            type_args: self.slots(&info.type_args),
            method_args: Arc::default(),
        };
        for place in layout.fields {
            let props = metadata.field(place.field)?;
            let sig = FieldSig::parse(props.signature)
                .map_err(|error| Error::Signature { of: props.name.clone(), error })?;
            let shape =
                resolve(self, sig.sig(), &generics).unwrap_or_else(|error| Arc::new(error.stand_in()));
            fields.push(Field::new(&props.name, place.offset as usize, shape));
        }
        Ok(())
    }

    /// The shape of an enum, from its metadata; `None` for a type that is none. One inside of a generic type has
    /// the arguments in its name, which only who asks knows.
    fn enum_shape(
        &self,
        definition: ResolvedType,
        name: impl FnOnce() -> Result<Arc<str>>,
    ) -> Result<Option<TypeShape>> {
        let ResolvedType { module, type_def } = definition;
        let metadata = self.names.metadata(module)?;
        let Some(base) = metadata.type_def(type_def)?.extends else { return Ok(None) };
        if &*self.names.metadata_name(module, base)? != "System.Enum" {
            return Ok(None);
        }
        let (mut underlying, mut members) = (None, Vec::new());
        for field in metadata.fields(type_def)? {
            let props = metadata.field(field)?;
            if props.attributes.contains(FieldAttributes::LITERAL) {
                let constant =
                    props.constant.and_then(|constant| bits(constant.element_type, constant.bytes));
                members.extend(constant.map(|bits| (bits, props.name.into_boxed_str())));
            } else if !props.attributes.contains(FieldAttributes::STATIC) {
                underlying = self.underlying_type(&props.name, props.signature)?;
            }
        }
        let underlying = underlying
            .ok_or_else(|| Error::NotFound(format!("the enum {type_def} has no field with its value")))?;
        let has_flags = metadata.has_custom_attribute(type_def, "System.FlagsAttribute")?;
        Ok(Some(TypeShape::enumeration(name()?, EnumShape::new(underlying, has_flags, members))))
    }

    /// The type of an enum's value, from the signature of its one instance field.
    fn underlying_type(&self, name: &str, signature: &[u8]) -> Result<Option<Primitive>> {
        let sig =
            FieldSig::parse(signature).map_err(|error| Error::Signature { of: name.to_owned(), error })?;
        let shape = resolve(self, sig.sig(), &GenericContext::new(ModuleId(0))).ok();
        Ok(shape.and_then(|shape| match shape.kind() {
            ShapeKind::Primitive(primitive) => Some(*primitive),
            _ => None,
        }))
    }

    /// The shape of the items of an array whose item type has no class: a primitive type or a pointer.
    fn element_slot(&self, element: ElementType) -> Arc<TypeShape> {
        let resolved = TypeSig::parse(&[element.0])
            .ok()
            .and_then(|sig| resolve(self, sig, &GenericContext::new(ModuleId(0))).ok());
        resolved.unwrap_or_else(|| match element {
            ElementType::PTR => Arc::new(TypeShape::pointer("void", Target::Unknown)),
            other => Arc::new(TypeShape::opaque(other.to_string(), None, "items of unknown type")),
        })
    }

    /// See [`crate::Runtime::value_type`].
    pub(super) fn queried_value_type(
        &self,
        query: &ValueTypeQuery<'_>,
    ) -> Result<Arc<TypeShape>, RuntimeError> {
        if let Some(primitive) = Primitive::from_full_name(query.full_name) {
            return Ok(TypeShape::primitive(primitive));
        }
        let definition = self.names.resolve(module_of(query.module)?, query.token).map_err(failed)?;
        // An enum is known from its metadata, loaded or not.
        if let Some(shape) = self.enum_shape(definition, || Ok(query.name.into())).map_err(failed)? {
            return Ok(Arc::new(shape));
        }
        let class = self
            .class_of_query(definition, query)
            .ok_or_else(|| RuntimeError::new(format!("{} has not been seen to be loaded", query.name)))?;
        self.value_shape(class).map_err(failed)
    }

    /// The class of a value type that a signature names, if it has been seen: with its arguments as they are,
    /// or with references for all that are references, which gives the same layout.
    fn class_of_query(&self, definition: ResolvedType, query: &ValueTypeQuery<'_>) -> Option<ClassId> {
        let ResolvedType { module, type_def } = definition;
        let known = |args: &[ClassId]| self.info().known_class(module, type_def, args);
        let exact: Option<Vec<ClassId>> = query.args.iter().map(|arg| self.class_of_arg(arg)).collect();
        if let Some(class) = exact.as_deref().and_then(known) {
            return Some(class);
        }
        let canon = self.core_class("System.__Canon");
        let shared: Option<Vec<ClassId>> = query
            .args
            .iter()
            .map(|arg| if arg.is_value_type() { self.class_of_arg(arg) } else { canon })
            .collect();
        shared.as_deref().and_then(known)
    }

    fn class_of_arg(&self, arg: &TypeShape) -> Option<ClassId> {
        if let Some(class) = arg.class_id() {
            return ClassId::from_raw(class.0);
        }
        match arg.kind() {
            ShapeKind::Primitive(primitive) => self.core_class(full_name_of_primitive(*primitive)?),
            ShapeKind::String => self.core_class("System.String"),
            _ => None,
        }
    }

    /// A class of the core library that is not generic.
    fn core_class(&self, name: &str) -> Option<ClassId> {
        let found = self.names.find_type(CORE_LIB, name).ok()?;
        self.info().known_class(found.module, found.type_def, &[])
    }

    /// What `this` of a function is.
    pub(super) fn declaring(&self, instance: &Instance) -> Declaring {
        let Some(type_def) = instance.method.declaring_type else { return Declaring::Reference };
        let module = instance.method.module;
        let class = instance.class.or_else(|| self.info().known_class(module, type_def, &[]));
        match class {
            Some(class) if matches!(self.info().box_layout(class), Ok(Some(_))) => {
                Declaring::ValueType(self.slot(class))
            }
            Some(_) => Declaring::Reference,
            None if self
                .names
                .metadata(module)
                .is_ok_and(|metadata| self.extends_value_type(&metadata, instance)) =>
            {
                let reason = "its class has not been seen to be loaded";
                let shape = TypeShape::opaque(instance.class_name.as_str(), None, reason);
                Declaring::ValueType(Arc::new(shape))
            }
            None => Declaring::Reference,
        }
    }

    /// Whether the type that declares a function is a value type, by its metadata alone.
    fn extends_value_type(&self, metadata: &Metadata, instance: &Instance) -> bool {
        let Some(type_def) = instance.method.declaring_type else { return false };
        let base = metadata.type_def(type_def).ok().and_then(|props| props.extends);
        base.and_then(|base| self.names.metadata_name(instance.method.module, base).ok())
            .is_some_and(|base| matches!(&*base, "System.ValueType" | "System.Enum"))
    }

    fn is_delegate(&self, info: &ClassInfo) -> Result<bool> {
        let Some(parent) = info.parent else { return Ok(false) };
        let parent = self.info().class_info(parent)?;
        Ok(self.full_name_of(&parent)? == "System.MulticastDelegate")
    }

    fn full_name_of(&self, info: &ClassInfo) -> Result<String> {
        let name = self.names.metadata_name(info.module, TypeDefOrRef::TypeDef(info.type_def))?;
        Ok(name.to_string())
    }
}

/// A class id as decoding keeps it.
fn class_of(class: ClassId) -> crate::ClassId {
    crate::ClassId(class.as_raw())
}

/// The full name of a primitive type.
fn full_name_of_primitive(primitive: Primitive) -> Option<&'static str> {
    const NAMES: [&str; Primitive::ALL.len()] = [
        "System.Boolean",
        "System.Char",
        "System.SByte",
        "System.Byte",
        "System.Int16",
        "System.UInt16",
        "System.Int32",
        "System.UInt32",
        "System.Int64",
        "System.UInt64",
        "System.Single",
        "System.Double",
        "System.IntPtr",
        "System.UIntPtr",
    ];
    NAMES.into_iter().find(|name| Primitive::from_full_name(name) == Some(primitive))
}

/// A constant's bits, sign-extended; `None` for one that is no integer.
fn bits(element: ElementType, bytes: &[u8]) -> Option<u64> {
    let value = Reader::new(bytes).read_primitive(element).ok()?.as_integer()?;
    // Every integer of metadata fits one of the two.
    u64::try_from(value).ok().or_else(|| i64::try_from(value).ok().map(i64::cast_unsigned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_sign_extended() {
        assert_eq!(bits(ElementType::I1, &[0xFF]), Some(u64::MAX));
        assert_eq!(bits(ElementType::U1, &[0xFF]), Some(0xFF));
        assert_eq!(bits(ElementType::I4, &[1, 0, 0, 0x80]), Some(0xFFFF_FFFF_8000_0001));
        assert_eq!(bits(ElementType::I4, &[1, 0]), None);
        assert_eq!(bits(ElementType::R4, &[0; 4]), None);
    }

    #[test]
    fn every_primitive_type_has_a_name() {
        for primitive in Primitive::ALL {
            let name = full_name_of_primitive(primitive);
            assert_eq!(name.and_then(Primitive::from_full_name), Some(primitive));
        }
    }
}
