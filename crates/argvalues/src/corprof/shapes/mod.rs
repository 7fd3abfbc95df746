//! From a class to its shape.

use std::cell::RefCell;
use std::sync::Arc;

use ::corprof::{ClassId, ClassInfo, Error, FieldAttributes, Instance, Metadata, ResolvedType, Result};
use sigparse::{ElementType, FieldSig, Reader, TypeDefOrRef, TypeSig};

use super::{ClrRuntime, failed, module_of};
use crate::{
    Declaring, EnumShape, Field, GenericContext, KnownBase, ModuleId, Primitive, RuntimeError, ShapeKind,
    Target, TypeShape, ValueTypeQuery, resolve,
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

/// A base class that is known, and how many fields are declared up to it.
type Inherited = (KnownBase, usize);

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
        let (fields, base) = match self.class_fields(class) {
            Ok(found) => found,
            // Some classes of the runtime's own keep their layout to themselves.
            Err(error) => {
                let shape = TypeShape::opaque(name, None, error.to_string());
                return Ok(Arc::new(shape.with_class(class_of(class))));
            }
        };
        let shape = match base {
            Some((base, inherited)) => TypeShape::derived(base, inherited, name, fields),
            None => TypeShape::class(&full_name, name, fields),
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

    pub(super) fn make_slot(&self, class: ClassId) -> Result<Arc<TypeShape>> {
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
        let args = self.slots(&info.type_args);
        self.value_shape_with(class, &info, args, || self.names.class(class))
    }

    /// The shape of values whose layout is that of a class, with type arguments that it may not have itself: one
    /// instance is laid out like another with other references.
    fn value_shape_with(
        &self,
        class: ClassId,
        info: &ClassInfo,
        args: Arc<[Arc<TypeShape>]>,
        name: impl Fn() -> Result<Arc<str>>,
    ) -> Result<Arc<TypeShape>> {
        let full_name = self.full_name_of(info)?;
        if let Some(primitive) = Primitive::from_full_name(&full_name) {
            return Ok(TypeShape::primitive(primitive));
        }
        let definition = ResolvedType { module: info.module, type_def: info.type_def };
        if let Some(shape) = self.enum_shape(definition, &name)? {
            return Ok(Arc::new(shape.with_class(class_of(class))));
        }
        let _until_dropped = InProgress::enter(class)?;
        let name = name()?;
        let layout = self.info().class_layout(class)?;
        let mut fields = Vec::with_capacity(layout.fields.len());
        self.own_fields(class, info, &args, &mut fields)?;
        let size = layout.size as usize;
        let shape = match <[Field; 1]>::try_from(fields) {
            Ok([first]) if self.is_full_of_items(info, &full_name)? => {
                TypeShape::inline_array(name, size, first)
            }
            Ok([only]) => TypeShape::value_type(&full_name, name, size, vec![only]),
            Err(fields) => TypeShape::value_type(&full_name, name, size, fields),
        };
        Ok(Arc::new(shape.with_args(args.to_vec()).with_class(class_of(class))))
    }

    /// Whether the one field of a value type stands for as many as there is room for: in an inline array, and in what
    /// C# makes of a `fixed` field.
    fn is_full_of_items(&self, info: &ClassInfo, full_name: &str) -> Result<bool> {
        const INLINE_ARRAY: &str = "System.Runtime.CompilerServices.InlineArrayAttribute";
        let metadata = self.names.metadata(info.module)?;
        Ok(full_name.ends_with(">e__FixedBuffer")
            || metadata.has_custom_attribute(info.type_def, INLINE_ARRAY)?)
    }

    /// The fields of a class, the base class's first; and the known base that it has, with the number of fields that
    /// are declared there.
    fn class_fields(&self, class: ClassId) -> Result<(Vec<Field>, Option<Inherited>)> {
        let mut chain = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next {
            let info = self.info().class_info(class)?;
            next = info.parent;
            chain.push((class, info));
        }
        let (mut fields, mut base) = (Vec::new(), None);
        for (class, info) in chain.iter().rev() {
            self.own_fields(*class, info, &self.slots(&info.type_args), &mut fields)?;
            let known = match &*self.full_name_of(info)? {
                "System.MulticastDelegate" => Some(KnownBase::Delegate),
                "System.Exception" => Some(KnownBase::Exception),
                "System.Threading.Tasks.Task" | "System.Threading.Tasks.Task`1" => Some(KnownBase::Task),
                _ => None,
            };
            base = known.map(|known| (known, fields.len())).or(base);
        }
        Ok((fields, base))
    }

    /// The fields that a class itself declares.
    fn own_fields(
        &self,
        class: ClassId,
        info: &ClassInfo,
        args: &Arc<[Arc<TypeShape>]>,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        let layout = self.info().class_layout(class)?;
        if layout.fields.is_empty() {
            return Ok(());
        }
        let metadata = self.names.metadata(info.module)?;
        let generics = GenericContext {
            module: ModuleId(info.module.as_raw()),
            type_args: Arc::clone(args),
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
        let known = |args: &[ClassId]| self.info().known_class(definition.module, definition.type_def, args);
        // An enum is known from its metadata, loaded or not.
        if let Some(shape) = self.enum_shape(definition, || Ok(query.name.into())).map_err(failed)? {
            let class = if query.args.is_empty() { known(&[]) } else { None };
            return Ok(Arc::new(
                class.into_iter().fold(shape, |shape, class| shape.with_class(class_of(class))),
            ));
        }
        let exact: Option<Vec<ClassId>> = query.args.iter().map(|arg| self.class_of_arg(arg)).collect();
        if let Some(class) = exact.as_deref().and_then(known) {
            return self.value_shape(class).map_err(failed);
        }
        // The layout is that of the instance that stands for all with references where this one has some.
        let shared: Option<Vec<ClassId>> =
            query.args.iter().map(|arg| self.shared_class_of_arg(arg)).collect();
        let class = shared
            .as_deref()
            .and_then(known)
            .ok_or_else(|| RuntimeError::new(format!("{} has not been seen to be loaded", query.name)))?;
        let info = self.info().class_info(class).map_err(failed)?;
        self.value_shape_with(class, &info, query.args.into(), || Ok(query.name.into())).map_err(failed)
    }

    /// The class that stands for the argument where code and layouts are shared.
    fn shared_class_of_arg(&self, arg: &TypeShape) -> Option<ClassId> {
        match arg.is_value_type() {
            true => self.shared_class(self.class_of_arg(arg)?),
            false => self.core_class("System.__Canon"),
        }
    }

    /// The class that stands for a value type where code and layouts are shared.
    fn shared_class(&self, class: ClassId) -> Option<ClassId> {
        let info = self.info().class_info(class).ok()?;
        let args: Option<Vec<ClassId>> = info
            .type_args
            .iter()
            .map(|arg| match self.info().box_layout((*arg)?) {
                Ok(Some(_)) => self.shared_class((*arg)?),
                _ => self.core_class("System.__Canon"),
            })
            .collect();
        match args?.as_slice() {
            [] => Some(class),
            args => self.info().known_class(info.module, info.type_def, args),
        }
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
