//! Descriptions of types for decoding.
//!
//! A [`TypeShape`] is created once per type, by an implementation of [`Runtime`](crate::Runtime) or from a signature,
//! and shared. It describes a type in two roles:
//!
//! - as the type of a **slot** (an argument, a field, an item): the size of the slot and the meaning of its bytes. All
//!   reference types are alike here: a pointer to an object, whose header identifies its class.
//! - as the type of an **object** on the heap: a class has fields, an array has items, and a value type is a box.

mod deferred;
mod enums;
mod fields;
mod primitive;
mod view;
mod well_known;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use clrnames::TypeName;
use corprof_types::ClassId;

pub use deferred::{DeferredType, SigTypeContext};
pub use enums::{EnumNames, EnumShape};
pub use fields::{ClassShape, Field, StructShape};
pub(crate) use primitive::Width;
pub use primitive::{Integer, Primitive};
pub use view::KnownBase;
pub(crate) use view::{
    ChunkFields, ClassView, CollectionFields, CollectionKind, ConcurrentFields, ConcurrentKind,
    DelegateFields, HandleField, HandleKind, LazyFields, TaskFields, TextFields,
};
pub(crate) use well_known::WellKnown;

use crate::memory::POINTER_SIZE;

/// A type: its name, the size of its slots, and how its bytes are read.
///
/// ```
/// use argvalues::{Field, Primitive, TypeShape};
///
/// let int = TypeShape::primitive(Primitive::I32);
/// let point = TypeShape::value_type(
///     "Shop.Point",
///     "Shop.Point",
///     8,
///     vec![Field::new("X", 0, int.clone()), Field::new("<Y>k__BackingField", 4, int)],
/// );
/// assert_eq!(point.size(), Some(8));
/// ```
#[derive(Clone, Debug)]
pub struct TypeShape {
    /// Tells the names of this shape and of its fields from those of all others of the process; clones have the same.
    number: u64,
    name: Arc<str>,
    class: Option<ClassId>,
    args: Box<[Arc<TypeShape>]>,
    /// That of a slot: it is read at each value.
    size: Option<usize>,
    is_provisional: bool,
    kind: ShapeKind,
}

/// The decoding of a type's bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ShapeKind {
    /// No value at all.
    Void,
    /// The bytes are a number, a character or a truth value.
    Primitive(Primitive),
    /// A number with names.
    Enum(EnumShape),
    /// Fields in place.
    Struct(StructShape),
    /// A reference that is null or a string, never anything else.
    String,
    /// A reference to an object whose header identifies its class: a class, an interface, an array or `object`.
    Reference,
    /// A reference; as an object: fields behind a header.
    Class(ClassShape),
    /// A reference; as an object: an array.
    Array(ArrayShape),
    /// An unmanaged pointer.
    Pointer(Target),
    /// A managed reference in a slot: a ref field, a `ref` return, a parameter that is passed by reference.
    ByRef(Target),
    /// The address of code.
    FunctionPointer,
    /// Bytes of a known size whose meaning is not decoded.
    Opaque {
        /// The size, where even that is known.
        size: Option<usize>,
        /// Why, in a few words: `not decoded`, `layout not known`.
        reason: Arc<str>,
    },
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct ArrayShape {
    /// The type of the items' slots.
    pub element: Arc<TypeShape>,
    /// The number of dimensions.
    pub rank: usize,
    /// Whether this is a vector, which has one dimension from 0 and is written `T[]`.
    pub vector: bool,
}

/// The target of a pointer or managed reference.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Target {
    /// Unknown, or no target type (`void*`).
    Unknown,
    /// A type.
    Shape(Arc<TypeShape>),
    /// A type that is queried when it is met, since a structure may contain pointers to itself.
    Deferred(Box<DeferredType>),
}

impl TypeShape {
    fn new(name: impl Into<Arc<str>>, kind: ShapeKind) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let size = size_of_slot(&kind);
        let is_provisional = has_provisional_part(&kind);
        Self { number, name: name.into(), class: None, args: Box::default(), size, is_provisional, kind }
    }

    /// `void`.
    #[must_use]
    pub fn void() -> Arc<Self> {
        static VOID: LazyLock<Arc<TypeShape>> =
            LazyLock::new(|| Arc::new(TypeShape::new("void", ShapeKind::Void)));
        Arc::clone(&VOID)
    }

    /// A primitive type.
    #[must_use]
    pub fn primitive(primitive: Primitive) -> Arc<Self> {
        static ALL: LazyLock<[Arc<TypeShape>; Primitive::ALL.len()]> = LazyLock::new(|| {
            Primitive::ALL.map(|each| Arc::new(TypeShape::new(each.name(), ShapeKind::Primitive(each))))
        });
        Arc::clone(&ALL[primitive as usize])
    }

    /// `string`.
    #[must_use]
    pub fn string() -> Arc<Self> {
        static STRING: LazyLock<Arc<TypeShape>> =
            LazyLock::new(|| Arc::new(TypeShape::new("string", ShapeKind::String)));
        Arc::clone(&STRING)
    }

    /// `object`.
    #[must_use]
    pub fn object() -> Arc<Self> {
        static OBJECT: LazyLock<Arc<TypeShape>> =
            LazyLock::new(|| Arc::new(TypeShape::new("object", ShapeKind::Reference)));
        Arc::clone(&OBJECT)
    }

    /// Creates the slot of a class, an interface or an array, whose objects identify their own class.
    #[must_use]
    pub fn reference(name: impl Into<Arc<str>>) -> Self {
        Self::new(name, ShapeKind::Reference)
    }

    /// The objects of a class: all instance fields, base class first.
    ///
    /// `full_name` is the name as metadata has it (`System.Collections.Generic.List` followed by a backtick and `1`), by
    /// which the types are recognised that are written in a form of their own; `name` is the name as C#
    /// writes it ([`TypeName`]).
    #[must_use]
    pub fn class(full_name: &str, name: impl Into<Arc<str>>, fields: Vec<Field>) -> Self {
        if full_name == "System.String" {
            return Self::new("string", ShapeKind::String);
        }
        Self::new(name, ShapeKind::Class(ClassShape::new(full_name, fields)))
    }

    /// Creates the objects of a class that is a known base or derives from one: all instance fields. The base
    /// and its own base classes declare the first `inherited` of them.
    #[must_use]
    pub fn derived(base: KnownBase, inherited: usize, name: impl Into<Arc<str>>, fields: Vec<Field>) -> Self {
        Self::new(name, ShapeKind::Class(ClassShape::derived(base, inherited, fields)))
    }

    /// Returns whether the objects of a [class](Self::class) with this full name and these fields are shown in a form of their own, and
    /// not as their fields.
    #[must_use]
    pub fn has_form(full_name: &str, fields: &[Field]) -> bool {
        ClassView::recognise(full_name, fields).is_some()
    }

    /// The objects of a class that derives from one with a [form](Self::has_form) of its own: all instance fields, of which `base`
    /// has the first.
    ///
    /// They are shown as objects of the base class, under the name of this one. Fields that are not those of the base class follow: after its
    /// fields where it is shown as fields (`Lazy<T>`), and otherwise the value of the base class is the first field, `base`.
    #[must_use]
    pub fn subclass(base: Arc<Self>, name: impl Into<Arc<str>>, fields: Vec<Field>) -> Self {
        let is_provisional = base.is_provisional;
        let shape = Self::new(name, ShapeKind::Class(ClassShape::subclass(base, fields)));
        if is_provisional { shape.provisional() } else { shape }
    }

    /// The objects of a delegate type, with the fields of `System.Delegate` and `System.MulticastDelegate`.
    #[must_use]
    pub fn delegate(name: impl Into<Arc<str>>, fields: Vec<Field>) -> Self {
        Self::derived(KnownBase::Delegate, fields.len(), name, fields)
    }

    /// A value type that is no enum: its size and all its instance fields, with the offsets that they have
    /// in a slot (without any header). The names are those of [`class`](Self::class). What the runtime
    /// computes with (`System.Int32`) becomes a [`primitive`](Self::primitive).
    #[must_use]
    pub fn value_type(full_name: &str, name: impl Into<Arc<str>>, size: usize, fields: Vec<Field>) -> Self {
        if let Some(primitive) = Primitive::from_full_name(full_name) {
            return Self::clone(&Self::primitive(primitive));
        }
        Self::new(name, ShapeKind::Struct(StructShape::new(full_name, size, fields)))
    }

    /// An inline array or a fixed buffer: a value type of this size, full of items like its one field.
    #[must_use]
    pub fn inline_array(name: impl Into<Arc<str>>, size: usize, first: Field) -> Self {
        Self::new(name, ShapeKind::Struct(StructShape::row(size, vec![first])))
    }

    /// A union of C# 15: a value type of this size, whose one field refers to the case: what its property `Value` returns. It is shown
    /// as its case. With a field that is no reference to an object it is a value type like any other.
    #[must_use]
    pub fn union(name: impl Into<Arc<str>>, size: usize, case: Field) -> Self {
        let structure = match case.shape().kind() {
            ShapeKind::Reference => StructShape::union(size, vec![case]),
            _ => StructShape::new("", size, vec![case]),
        };
        Self::new(name, ShapeKind::Struct(structure))
    }

    /// An enum.
    #[must_use]
    pub fn enumeration(name: impl Into<Arc<str>>, shape: EnumShape) -> Self {
        Self::new(name, ShapeKind::Enum(shape))
    }

    /// The objects of a vector, `T[]`.
    #[must_use]
    pub fn vector(element: Arc<Self>) -> Self {
        let name = TypeName::new(element.name()).vector();
        Self::new(name.into_text(), ShapeKind::Array(ArrayShape { element, rank: 1, vector: true }))
    }

    /// The objects of an array of several dimensions, or of one dimension with a lower bound.
    #[must_use]
    pub fn array(element: Arc<Self>, rank: usize) -> Self {
        let name = TypeName::new(element.name()).array(u32::try_from(rank).unwrap_or(u32::MAX));
        Self::new(name.into_text(), ShapeKind::Array(ArrayShape { element, rank, vector: false }))
    }

    /// Creates the shape of an unmanaged pointer to the type `target_name`.
    #[must_use]
    pub fn pointer(target_name: &str, target: Target) -> Self {
        Self::new(format!("{target_name}*"), ShapeKind::Pointer(target))
    }

    /// Creates a managed reference. `name` is that of the target type.
    #[must_use]
    pub fn by_ref(target_name: &str, target: Target) -> Self {
        Self::new(format!("ref {target_name}"), ShapeKind::ByRef(target))
    }

    /// A function pointer.
    #[must_use]
    pub fn function_pointer(name: impl Into<Arc<str>>) -> Self {
        Self::new(name, ShapeKind::FunctionPointer)
    }

    /// Creates a value type that cannot be opened, with the cause. Without a size, it is decoded only if it has a range
    /// of its own.
    #[must_use]
    pub fn opaque(name: impl Into<Arc<str>>, size: Option<usize>, reason: impl Into<Arc<str>>) -> Self {
        Self::new(name, ShapeKind::Opaque { size, reason: reason.into() })
    }

    /// With the type arguments of a generic instance. Spans and vectors need theirs: it is the type of their items.
    #[must_use]
    pub fn with_args(mut self, args: impl Into<Box<[Arc<Self>]>>) -> Self {
        self.args = args.into();
        self.is_provisional |= self.args.iter().any(|arg| arg.is_provisional);
        if let ShapeKind::Class(class) = &mut self.kind {
            class.name_items(&self.args);
        }
        self
    }

    /// As a shape that may be another one later, since a type in it is not known yet. So is every shape that has one in place: as a
    /// field, as the type of its items, or as a type argument. A [`Scratch`](crate::Scratch) does not cache it: a
    /// [`Runtime`](crate::Runtime) is asked for it at each value.
    #[must_use]
    pub const fn provisional(mut self) -> Self {
        self.is_provisional = true;
        self
    }

    /// Returns whether it may be another one later.
    #[must_use]
    #[inline]
    pub const fn is_provisional(&self) -> bool {
        self.is_provisional
    }

    /// With the runtime's id of the class, which comes back to a [`Runtime`](crate::Runtime) when this type
    /// is an argument of a generic one.
    #[must_use]
    pub fn with_class(mut self, class: ClassId) -> Self {
        self.class = Some(class);
        self
    }

    /// The name as C# writes it.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A number that no shape has whose name or fields have other names.
    #[inline]
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// The runtime's id of the class, where the shape came from there.
    #[must_use]
    pub const fn class_id(&self) -> Option<ClassId> {
        self.class
    }

    /// The type arguments of a generic instance, where they are known.
    #[must_use]
    pub fn args(&self) -> &[Arc<Self>] {
        &self.args
    }

    /// Returns how values are decoded.
    #[must_use]
    #[inline]
    pub const fn kind(&self) -> &ShapeKind {
        &self.kind
    }

    /// The size of a slot of this type, if it is known: that of a reference for reference types.
    #[must_use]
    #[inline]
    pub const fn size(&self) -> Option<usize> {
        self.size
    }

    /// Returns whether slots of this type hold the value itself and not a reference to an object.
    #[must_use]
    pub const fn is_value_type(&self) -> bool {
        matches!(
            self.kind,
            ShapeKind::Primitive(_) | ShapeKind::Enum(_) | ShapeKind::Struct(_) | ShapeKind::Opaque { .. }
        )
    }
}

/// Returns whether a type in place is not known yet.
fn has_provisional_part(kind: &ShapeKind) -> bool {
    let has_one = |fields: &[Field]| fields.iter().any(|field| field.shape().is_provisional);
    match kind {
        ShapeKind::Struct(shape) => {
            shape.well_known().is_none_or(|known| WellKnown::needs_fields(*known)) && has_one(shape.fields())
        }
        ShapeKind::Class(shape) => has_one(shape.fields()),
        ShapeKind::Array(shape) => shape.element.is_provisional,
        _ => false,
    }
}

/// Returns the size of a slot.
const fn size_of_slot(kind: &ShapeKind) -> Option<usize> {
    match kind {
        ShapeKind::Void => Some(0),
        ShapeKind::Primitive(primitive) => Some(primitive.size()),
        ShapeKind::Enum(shape) => Some(shape.underlying().size()),
        ShapeKind::Struct(shape) => Some(shape.size()),
        ShapeKind::Opaque { size, .. } => *size,
        ShapeKind::String
        | ShapeKind::Reference
        | ShapeKind::Class(_)
        | ShapeKind::Array(_)
        | ShapeKind::Pointer(_)
        | ShapeKind::ByRef(_)
        | ShapeKind::FunctionPointer => Some(POINTER_SIZE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_are_shared_and_found_by_name() {
        for primitive in Primitive::ALL {
            let shape = TypeShape::primitive(primitive);
            assert!(Arc::ptr_eq(&shape, &TypeShape::primitive(primitive)));
            assert_eq!((shape.name(), shape.size()), (primitive.name(), Some(primitive.size())));
        }
        let int = TypeShape::value_type("System.Int32", "int", 4, Vec::new());
        assert!(matches!(int.kind(), ShapeKind::Primitive(Primitive::I32)));
        let string = TypeShape::class("System.String", "string", Vec::new());
        assert!(matches!(string.kind(), ShapeKind::String));
    }

    #[test]
    fn arrays_are_named_after_their_items() {
        let vector = Arc::new(TypeShape::vector(TypeShape::primitive(Primitive::I32)));
        assert_eq!(vector.name(), "int[]");
        assert_eq!(TypeShape::vector(vector.clone()).name(), "int[][]");
        assert_eq!(TypeShape::array(vector, 2).name(), "int[,][]");
        assert_eq!(TypeShape::array(TypeShape::string(), 1).name(), "string[*]");
    }
}
