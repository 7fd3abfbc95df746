//! Queries that decoding makes to the runtime.

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use corprof_types::{ArrayInfo, ModuleId, StringLayout};
use sigparse::TypeDefOrRef;

use crate::{memory::POINTER_SIZE, shape::TypeShape};

/// The queries that decoding makes to the runtime: layouts, and the types of objects.
///
/// # For implementers over the profiling API
///
/// **Cache.** [`object_type`](Self::object_type) is called for every decoded object and should cost little more than a
/// lookup by the object's header word: create the [`TypeShape`] of a class once, keep the `Arc`, and drop it when the
/// class is unloaded. The other methods that return shapes are called when a plan is compiled, and for pointers to
/// structs. Hold no lock while calling the runtime.
///
/// **Recursive types.** The shape of a type needs the shapes of its fields' types. References, pointers, managed
/// references and spans end the recursion: [`resolve`](crate::resolve) creates a [`TypeShape::reference`] from a name
/// alone, and queries targets later. Return an error for a cycle that remains in the metadata (a struct that contains a
/// generic struct over itself, which the runtime does not load): keep track of the types in progress on the thread.
///
/// **Fields** ([`Field`](crate::Field)). List all instance fields, those of base classes first, those of each class in
/// the order of declaration, which is the order of `GetClassLayout` or of metadata. Field offsets of a class count from
/// the address of the reference, header word included; those of a value type from the start of the unboxed value. The
/// type of a field comes from its `FieldSig` (`GetFieldProps`), through [`resolve`](crate::resolve) with a
/// [`SigTypeContext`](crate::SigTypeContext) of the class's own type arguments (`GetClassIDInfo2`). A field whose type
/// has no shape becomes [`TypeShape::opaque`]; the other fields are not affected.
///
/// **Value types** embedded in others have a size (`GetClassLayout`) and no header. An enum is a value type whose base
/// is `System.Enum`. Its underlying type is that of its one instance field, its members are its literal static fields
/// (`EnumFields`, `GetFieldProps` for the constants), and `[Flags]` is a custom attribute.
///
/// **Boxes.** An object whose class is a value type is a box: `GetBoxClassLayout` succeeds for it and returns
/// [`box_offset`](Self::box_offset). The shape is that of the value type itself.
///
/// **Shared generic code.** Return [`TypeShape::reference`] for a type argument that the runtime knows only as
/// `System.__Canon`. The type of each object comes from its header.
pub trait Runtime {
    /// Returns the offsets of a string's length (32 bits) and of its first UTF-16 unit (`GetStringLayout2`).
    fn string_layout(&self) -> StringLayout;

    /// Returns the offset of the value in a box from the reference's address (`GetBoxClassLayout`).
    fn box_offset(&self) -> usize {
        POINTER_SIZE
    }

    /// Returns the type of an object (`GetClassFromObject`): a class with its fields, a delegate, an array with its
    /// item type, `string`, or the value type in a box. For a class without a shape, return [`TypeShape::opaque`] with
    /// its name.
    ///
    /// # Errors
    /// If the header belongs to no known class, or the runtime refuses. Do not pass an object that is not
    /// [trusted](ObjectRef::trusted) to the runtime, which would crash at a wild address: return a shape for headers
    /// that were seen before (in `ClassLoadFinished`, an allocation, or a trusted object), and an error for others.
    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError>;

    /// Returns a number that changes when shapes from [`object_type`](Self::object_type) become invalid, if these
    /// depend on the header word alone and hold for untrusted objects too. A [`Scratch`](crate::Scratch) then caches
    /// shapes until the number changes. With `None` it caches nothing.
    fn epoch(&self) -> Option<u64> {
        None
    }

    /// Returns the items of an array object of `rank` dimensions (`GetArrayObjectInfo`).
    ///
    /// The shape came from [`object_type`](Self::object_type) for the same object.
    ///
    /// # Errors
    /// If the runtime refuses.
    fn array(&self, object: ObjectRef, rank: usize) -> Result<ArrayInfo, RuntimeError>;

    /// Returns the metadata name of a type definition or reference, with nesting and generic arity as
    /// [`clrnames::csharp::TypeDefinition::parse`] reads them: ``Ns.Outer`1+Inner``. Nothing may be loaded for it.
    ///
    /// # Errors
    /// If the token has no name there.
    fn full_name(&self, module: Option<ModuleId>, token: TypeDefOrRef) -> Result<Cow<'_, str>, RuntimeError>;

    /// Returns the shape of a value type in a signature: an enum, a struct, an instance of a generic struct.
    ///
    /// # Errors
    /// If the type is not loaded or not found, or its layout is refused. The parameter, field or item is then shown as
    /// an error or an opaque value.
    fn value_type(&self, query: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError>;

    /// Returns the shape of a value type without type arguments, if it is cached. Its names are not read then.
    fn known_value_type(&self, module: Option<ModuleId>, token: TypeDefOrRef) -> Option<Arc<TypeShape>> {
        let _ = (module, token);
        None
    }

    /// Returns the name of the method whose code starts at an address, namespace and type included, for delegates
    /// (`GetFunctionFromIP`). `None` for a stub.
    fn method_name(&self, code: usize) -> Option<Arc<str>> {
        let _ = code;
        None
    }

    /// Returns the C# name of the entity behind a runtime handle, for `System.Type` and reflection objects. Without a
    /// name they are shown as their fields.
    ///
    /// `trusted` is whether the object with the handle is; otherwise the number may be no handle.
    fn handle_name(&self, handle: Handle, trusted: bool) -> Option<Arc<str>> {
        let _ = (handle, trusted);
        None
    }

    /// Returns the shape of slots of the type behind a type handle, which the program stores beside an address
    /// (`System.TypedReference`). Called only with trusted handles.
    ///
    /// # Errors
    /// If there is none.
    fn handle_shape(&self, type_handle: usize) -> Result<Arc<TypeShape>, RuntimeError> {
        let _ = type_handle;
        Err(RuntimeError::new("its type is not known"))
    }

    /// Returns the offset from UTC, in minutes, of a local time in ticks of 100 ns since year 1. `daylight` selects the
    /// first of two equal clock times, before daylight saving time ends. With `None` a local `DateTime` is shown as its
    /// raw field.
    fn utc_offset(&self, local_ticks: u64, daylight: bool) -> Option<i32> {
        let _ = (local_ticks, daylight);
        None
    }
}

/// The runtime handle in a `System.Type` or a reflection object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle {
    /// A type, by its type handle.
    Type(usize),
    /// A method or constructor, by its method handle and the type handle of its class, where that is known.
    Method(usize, Option<usize>),
    /// A field, by its field handle and the type handle of its class, where that is known.
    Field(usize, Option<usize>),
    /// A property, by its token and the type handle of its class.
    Property(u32, usize),
    /// An event, by its token and the type handle of its class.
    Event(u32, usize),
    /// A module.
    Module(usize),
}

/// An object whose header was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectRef {
    /// The address that the reference points to.
    pub address: usize,
    /// The header word at that address. It identifies the class; a garbage collection in progress uses its lowest bits.
    pub header: usize,
    /// Whether the reference comes from a location that the runtime maintains, and not from a pointer, span or managed
    /// reference of the program.
    pub trusted: bool,
}

impl ObjectRef {
    /// Creates a trusted object from its address and header word.
    #[must_use]
    pub const fn new(address: usize, header: usize) -> Self {
        Self { address, header, trusted: true }
    }
}

/// A value type in a signature.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ValueTypeQuery<'a> {
    /// The module whose metadata has the signature.
    pub module: Option<ModuleId>,
    /// The type, a generic definition if there are arguments.
    pub token: TypeDefOrRef,
    /// Its full name in metadata, from [`Runtime::full_name`].
    pub full_name: &'a str,
    /// Its C# name, with the arguments.
    pub name: &'a str,
    /// The type arguments. Those from the runtime have a [`class_id`](TypeShape::class_id). For reference types without
    /// one, the layout does not depend on the class (`System.__Canon`, `System.Object`). The class of a primitive type
    /// is found by its name.
    pub args: &'a [Arc<TypeShape>],
}

/// A failed query: the cause in a few words.
///
/// ```
/// # use argvalues::RuntimeError;
/// let error = RuntimeError::new("the class is not loaded");
/// assert_eq!(error.to_string(), "the class is not loaded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    message: Cow<'static, str>,
    is_temporary: bool,
}

impl RuntimeError {
    /// Creates an error from a message: the failed operation, and the name of the HRESULT if there was one.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), is_temporary: false }
    }

    /// Creates an error of a query that may succeed later, such as one for a type that is not loaded yet. A shape that is made without
    /// the answer is [provisional](TypeShape::provisional).
    #[must_use]
    pub fn temporary(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), is_temporary: true }
    }

    /// Returns whether the query may succeed later.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        self.is_temporary
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for RuntimeError {}
