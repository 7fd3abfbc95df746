//! From a class to its shape.

mod enums;
mod fields;
mod instances;
mod pending;

use std::cell::RefCell;
use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::{ClassId, ClassInfo, Error, FieldAttributes, Instance, ModuleRows, ResolvedType, Result};
use sigparse::{ElementType, TypeDefOrRef, TypeSig};

use self::instances::CORE_LIB;
pub(super) use self::pending::Pending;
use super::cache::{Base, ClassFields};
use super::{ClrRuntime, may_be_known_later};
use argvalues::{Declaring, Field, Primitive, SigTypeContext, Target, TypeShape, resolve};

thread_local! {
    /// The value types whose shapes are being made on this thread: one that contains itself must not go round
    /// in circles.
    static IN_PROGRESS: RefCell<Vec<ClassId>> = const { RefCell::new(Vec::new()) };
}

/// A value type whose shape is being made, until dropped.
struct InProgress;

impl InProgress {
    fn enter(class: ClassId) -> Result<Self> {
        // A thread that ends, whose list has been dropped, does not find out whether a type contains itself.
        let entered = IN_PROGRESS.try_with(|classes| {
            let mut classes = classes.borrow_mut();
            if classes.contains(&class) {
                return Err(Error::NotFound("the value type contains itself".to_owned()));
            }
            classes.push(class);
            Ok(Self)
        });
        entered.unwrap_or_else(|_| Err(Error::NotFound("the thread is ending".to_owned())))
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        // The list may have been dropped since.
        let _ = IN_PROGRESS.try_with(|classes| classes.borrow_mut().pop());
    }
}

impl ClrRuntime {
    fn make_object_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        // An array does not need the name, but the lookup registers the class for eviction when it is unloaded.
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
            return Ok(Arc::new(shape.with_class(class)));
        }
        if self.is_box(class)? {
            return self.value_shape(class);
        }
        let info = self.info().class_info(class)?;
        let full_name = self.full_name_of(&info)?;
        if full_name == "System.String" {
            return Ok(TypeShape::string());
        }
        let name = name?;
        let ClassFields { fields, base } = match self.class_fields(class, &info) {
            Ok(found) => found,
            // Some classes of the runtime's own keep their layout to themselves.
            Err(error) => {
                let shape = TypeShape::opaque(name, None, error.to_string());
                return Ok(Arc::new(shape.with_class(class)));
            }
        };
        let shape = match base {
            _ if TypeShape::has_form(&full_name, &fields) => TypeShape::class(&full_name, name, fields),
            Some((Base::Known(base), inherited)) => TypeShape::derived(base, inherited, name, fields),
            Some((Base::Class(base), _)) => TypeShape::subclass(base, name, fields),
            None => TypeShape::class(&full_name, name, fields),
        };
        let args = self.slots(&info.type_args);
        Ok(Arc::new(shape.with_args(args.to_vec()).with_class(class)))
    }

    /// The shape of a slot that holds values of a class: the value itself, or a reference.
    pub(super) fn slot(&self, class: ClassId) -> Arc<TypeShape> {
        if let Some(known) = self.cache.slots.get(&class) {
            return known;
        }
        let lookup = self.cache.slots.begin(class);
        let shape = self.make_slot(class).unwrap_or_else(|error| {
            let shape = TypeShape::opaque("?", None, error.to_string());
            Arc::new(if may_be_known_later(&error) { shape.provisional() } else { shape })
        });
        if !shape.is_provisional() {
            lookup.store(Arc::clone(&shape));
        }
        shape
    }

    pub(super) fn make_slot(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        if self.is_box(class)? {
            return self.value_shape(class);
        }
        let name = self.names.class(class)?;
        Ok(match &*name {
            "string" => TypeShape::string(),
            "object" => TypeShape::object(),
            _ => Arc::new(TypeShape::reference(name).with_class(class)),
        })
    }

    /// Returns whether the objects of a class are boxes: whether it is a value type.
    ///
    /// Cached, since fast hooks cannot make the query on their own thread.
    pub(super) fn is_box(&self, class: ClassId) -> Result<bool> {
        self.cache.boxes.get_or_find(class, || match self.is_value_type(class) {
            Some(known) => Ok(known),
            None => Ok(self.info().box_layout(class)?.is_some()),
        })
    }

    /// Returns whether a class is a value type: whether it extends one of the two types of the core library that only value types
    /// extend. `None` if it has no metadata of its own, as an array. The query for the layout of a box takes longer: in fast hooks
    /// another thread makes it.
    fn is_value_type(&self, class: ClassId) -> Option<bool> {
        let info = self.info().class_info(class).ok()?;
        let bases = match self.value_type_bases.get() {
            Some(bases) => *bases,
            None => {
                let base = |name| self.names.find_type(CORE_LIB, name).ok();
                let found = [base("System.ValueType")?, base("System.Enum")?];
                *self.value_type_bases.get_or_init(|| found)
            }
        };
        let [_, of_enums] = bases;
        if (ResolvedType { module: info.module, type_def: info.type_def }) == of_enums {
            return Some(false);
        }
        let extends = self.names.metadata(info.module).ok()?.type_def(info.type_def).ok()?.extends;
        match extends {
            // A generic type is no base of a value type, and neither is none.
            None | Some(TypeDefOrRef::TypeSpec(_)) => Some(false),
            Some(base) => Some(bases.contains(&self.names.resolve(info.module, base).ok()?)),
        }
    }

    /// The shape of a value type's values, cached unless it may be another one later.
    fn kept_value_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        if let Some(known) = self.cache.slots.get(&class) {
            return Ok(known);
        }
        let lookup = self.cache.slots.begin(class);
        let shape = self.value_shape(class)?;
        if !shape.is_provisional() {
            lookup.store(Arc::clone(&shape));
        }
        Ok(shape)
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
            return Ok(Arc::new(shape.with_class(class)));
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
            Ok([only]) if self.is_union(info)? => TypeShape::union(name, size, only),
            Ok([only]) => TypeShape::value_type(&full_name, name, size, vec![only]),
            Err(fields) => TypeShape::value_type(&full_name, name, size, fields),
        };
        Ok(Arc::new(shape.with_args(args.to_vec()).with_class(class)))
    }

    /// Returns whether the one field of a value type is repeated to its end: in an inline array, and in the type that
    /// C# generates for a `fixed` field.
    fn is_full_of_items(&self, info: &ClassInfo, full_name: &str) -> Result<bool> {
        const INLINE_ARRAY: &str = "System.Runtime.CompilerServices.InlineArrayAttribute";
        let metadata = self.names.metadata(info.module)?;
        Ok(full_name.ends_with(">e__FixedBuffer")
            || metadata.has_custom_attribute(info.type_def.into(), INLINE_ARRAY)?)
    }

    /// Returns whether a value type with one field is a union of C# 15 whose case the field has: the case is what the property `Value`
    /// returns, and the field is the one that the compiler made for it. What a property returns that is written by hand is known to its
    /// code alone.
    fn is_union(&self, info: &ClassInfo) -> Result<bool> {
        const UNION: &str = "System.Runtime.CompilerServices.UnionAttribute";
        let metadata = self.names.metadata(info.module)?;
        if !metadata.has_custom_attribute(info.type_def.into(), UNION)? {
            return Ok(false);
        }
        for field in metadata.fields(info.type_def)? {
            let props = metadata.field(field)?;
            if !props.attributes.contains(FieldAttributes::STATIC) {
                return Ok(props.name == "<Value>k__BackingField");
            }
        }
        Ok(false)
    }

    /// The shape of the items of an array whose item type has no class: a primitive type or a pointer.
    fn element_slot(&self, element: ElementType) -> Arc<TypeShape> {
        let resolved = TypeSig::parse(&[element.0])
            .ok()
            .and_then(|sig| resolve(self, sig, &SigTypeContext::default()).ok());
        resolved.unwrap_or_else(|| match element {
            ElementType::PTR => Arc::new(TypeShape::pointer("void", Target::Unknown)),
            other => Arc::new(TypeShape::opaque(other.to_string(), None, "items of unknown type")),
        })
    }

    /// Returns the kind of a function's declaring type.
    pub(super) fn declaring(&self, instance: &Instance) -> Declaring {
        let Some(type_def) = instance.method.declaring_type else { return Declaring::Reference };
        let module = instance.method.module;
        let class = instance.class.or_else(|| self.info().known_class(module, type_def, &[]));
        match class {
            Some(class) if self.is_box(class).unwrap_or_default() => Declaring::ValueType(self.slot(class)),
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

    /// Returns whether the type that declares a function is a value type, by its metadata alone.
    fn extends_value_type(&self, metadata: &ModuleRows, instance: &Instance) -> bool {
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
