//! What only the runtime knows.

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use sigparse::TypeDefOrRef;

use crate::{limits::MAX_RANK, memory::POINTER_SIZE, shape::TypeShape};

/// The knowledge of the runtime that decoding needs: layouts, and what an object is.
///
/// # For whoever implements this over the profiling API
///
/// **Cache.** [`object_type`](Self::object_type) is called for every object that is decoded, and has to cost
/// little more than finding the shape by the object's header word: make a class's [`TypeShape`] once, keep the
/// `Arc`, drop it when the class is unloaded. The other methods that return shapes are called when a plan is
/// compiled and for pointers to structs. No lock may be held while the runtime is called.
///
/// **A type that contains itself.** Making the shape of a type asks for the shapes of its fields' types.
/// References, pointers, managed references and spans end the recursion: [`resolve`](crate::resolve) makes a
/// [`TypeShape::reference`] from a name alone, and leaves targets to be asked for later. A metadata-level
/// cycle that is left (a struct that contains a generic struct over itself, which the runtime does not load) must be
/// answered with an error: remember the types that are being made on this thread.
///
/// **Fields** ([`Field`](crate::Field)). All instance fields, the base class's first, each class's in the order of
/// `GetClassLayout` or metadata, whichever is the order of declaration. For a class the offsets count from
/// where the reference points, so the header word is included; for a value type they count from the start
/// of the unboxed value. The type of a field comes from its `FieldSig` (`GetFieldProps`), through
/// [`resolve`](crate::resolve) with a [`GenericContext`] of the class's own type arguments
/// (`GetClassIDInfo2`). A field whose type cannot be made becomes [`TypeShape::opaque`], which is shown as such and
/// costs the others nothing.
///
/// **Value types** embedded in others have a size (`GetClassLayout`) and no header. An enum is a value type
/// whose base is `System.Enum`: its underlying type is that of its one instance field, its members
/// are its literal static fields (`EnumFields`, `GetFieldProps` for the constants), and `[Flags]` is a custom
/// attribute by name.
///
/// **Boxes.** An object whose class is a value type is a box: `GetBoxClassLayout` gives
/// [`box_offset`](Self::box_offset) and is also the test for it. The shape is that of the value type itself.
///
/// **Shared generic code.** A type argument that the runtime knows only as `System.__Canon` is a reference:
/// give [`TypeShape::reference`]. What the object is, it says itself.
pub trait Runtime {
    /// Where a string has its length (32 bits) and its first UTF-16 unit (`GetStringLayout2`).
    fn string_layout(&self) -> StringLayout;

    /// Where the value is in a box, from where the reference points (`GetBoxClassLayout`).
    fn box_offset(&self) -> usize {
        POINTER_SIZE
    }

    /// What an object is (`GetClassFromObject`): a class with its fields, a delegate, an array with its item
    /// type, `string`, or the value type that a box holds. A class that has no shape yet gets
    /// [`TypeShape::opaque`], with its name, and is shown as name and address.
    ///
    /// # Errors
    /// When the header belongs to no class that is known, or the runtime refuses. An object that is not
    /// [vouched](ObjectRef::vouched) for must not be handed to the runtime, which would crash on a wild one:
    /// answer for headers that were seen before (in `ClassLoadFinished`, an allocation, or a vouched object), and
    /// return an error for others.
    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError>;

    /// A number that changes when an answer of [`object_type`](Self::object_type) may no longer hold, where that answer
    /// depends on the header word alone and holds for objects that nobody vouches for too. A
    /// [`Scratch`](crate::Scratch) then keeps answers until the number changes. `None`: nothing is kept.
    fn epoch(&self) -> Option<u64> {
        None
    }

    /// The items of an array object of `rank` dimensions (`GetArrayObjectInfo`).
    ///
    /// The shape came from [`object_type`](Self::object_type) for the same object.
    ///
    /// # Errors
    /// When the runtime refuses.
    fn array(&self, object: ObjectRef, rank: usize) -> Result<ArrayInfo, RuntimeError>;

    /// The full name in metadata of a type definition or reference, with nesting and generic arity as
    /// [`type_name`](crate::type_name) reads them. Nothing may be loaded for it.
    ///
    /// # Errors
    /// When the token has no name there.
    fn full_name(&self, module: ModuleId, token: TypeDefOrRef) -> Result<Cow<'_, str>, RuntimeError>;

    /// The shape of a value type that a signature names: an enum, a struct, an instance of a generic struct.
    ///
    /// # Errors
    /// When it is not loaded, or not found, or its layout is refused. The parameter, field or
    /// item type that needed it is then shown as an error or an opaque value.
    fn value_type(&self, query: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError>;

    /// The name of the method whose code starts at `code`, namespace and type included, for delegates
    /// (`GetFunctionFromIP`). It may be a stub, which has no name.
    fn method_name(&self, code: usize) -> Option<Arc<str>> {
        let _ = code;
        None
    }

    /// The name of what a handle of the runtime's stands for, as C# has it: `System.Type` and reflection objects are
    /// shown as that. Without an answer they are shown as their fields. `vouched` is whether the runtime itself gave
    /// the object that has the handle; otherwise the number may be none.
    fn handle_name(&self, handle: Handle, vouched: bool) -> Option<Arc<str>> {
        let _ = (handle, vouched);
        None
    }

    /// The shape of slots of the type that a type handle stands for, which the program keeps beside an address
    /// (`System.TypedReference`). Asked only where the runtime vouches for both.
    ///
    /// # Errors
    /// When there is none.
    fn handle_shape(&self, type_handle: usize) -> Result<Arc<TypeShape>, RuntimeError> {
        let _ = type_handle;
        Err(RuntimeError::new("its type is not known"))
    }

    /// The offset from UTC, in minutes, of a local time of the program's, given in ticks of 100 ns since
    /// year 1. Of two equal clock times, when daylight saving time ends, `daylight` tells the first, which still
    /// is in it. Without an answer a local `DateTime` is shown as its raw field.
    fn utc_offset(&self, local_ticks: u64, daylight: bool) -> Option<i32> {
        let _ = (local_ticks, daylight);
        None
    }
}

/// A module, by the runtime's own number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub usize);

/// A loaded class, by the runtime's own number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassId(pub usize);

/// What a `System.Type` or an object of reflection stands for, by the runtime's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// Where a string has what, from where the reference points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringLayout {
    /// The offset of the length, 32 bits, in UTF-16 units.
    pub length: usize,
    /// The offset of the first unit.
    pub chars: usize,
}

/// An object whose header was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectRef {
    /// Where the reference points.
    pub address: usize,
    /// The word there. It identifies the class; a garbage collection in progress uses its lowest bits.
    pub header: usize,
    /// Whether the reference came from where the runtime keeps references, and is not something that a pointer,
    /// a span or a managed reference of the program's led to.
    pub vouched: bool,
}

impl ObjectRef {
    /// An object at an address, with its header word, vouched for.
    #[must_use]
    pub const fn new(address: usize, header: usize) -> Self {
        Self { address, header, vouched: true }
    }
}

/// Where the items of an array are, and how many.
///
/// ```
/// # use argvalues::ArrayInfo;
/// let table = ArrayInfo::new(0x1000, &[2, 3], &[0, 1]).unwrap();
/// assert_eq!(table.length(), Some(6));
/// assert_eq!(ArrayInfo::vector(0x1000, 4).dims(), [4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    data: usize,
    rank: usize,
    dims: [u32; MAX_RANK],
    lower: [i32; MAX_RANK],
}

impl ArrayInfo {
    /// An array with the size and the lower bound of each dimension. `None` if those are not equally many, or
    /// more than the runtime has.
    #[must_use]
    pub fn new(data: usize, dims: &[u32], lower: &[i32]) -> Option<Self> {
        let rank = dims.len();
        let mut info = Self { data, rank, dims: [0; MAX_RANK], lower: [0; MAX_RANK] };
        if lower.len() != rank {
            return None;
        }
        info.dims.get_mut(..rank)?.copy_from_slice(dims);
        info.lower.get_mut(..rank)?.copy_from_slice(lower);
        Some(info)
    }

    /// An array of one dimension from 0.
    #[must_use]
    pub const fn vector(data: usize, length: u32) -> Self {
        let mut info = Self { data, rank: 1, dims: [0; MAX_RANK], lower: [0; MAX_RANK] };
        info.dims[0] = length;
        info
    }

    /// The address of the first item.
    #[must_use]
    pub const fn data(&self) -> usize {
        self.data
    }

    /// The size of each dimension.
    #[must_use]
    pub fn dims(&self) -> &[u32] {
        self.dims.get(..self.rank).unwrap_or_default()
    }

    /// The lower bound of each dimension.
    #[must_use]
    pub fn lower(&self) -> &[i32] {
        self.lower.get(..self.rank).unwrap_or_default()
    }

    /// The number of items, unless that is no number.
    #[must_use]
    pub fn length(&self) -> Option<usize> {
        self.dims().iter().try_fold(1_usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?))
    }
}

/// What a signature's type tokens and generic parameters mean: the module it comes from, and the arguments.
///
/// The arguments are shapes of slots, as the runtime names them for this call or class. When fewer are given
/// than a signature uses, the parameters that need the missing ones cannot be decoded and say so.
#[derive(Clone, Debug)]
pub struct GenericContext {
    /// The module whose metadata holds the signature.
    pub module: ModuleId,
    /// The arguments of the type.
    pub type_args: Arc<[Arc<TypeShape>]>,
    /// The arguments of the method.
    pub method_args: Arc<[Arc<TypeShape>]>,
}

impl GenericContext {
    /// The context of something that is not generic.
    #[must_use]
    pub fn new(module: ModuleId) -> Self {
        Self { module, type_args: Arc::default(), method_args: Arc::default() }
    }
}

/// A value type that a signature names.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ValueTypeQuery<'a> {
    /// The module whose metadata holds the signature.
    pub module: ModuleId,
    /// The type, a generic definition if there are arguments.
    pub token: TypeDefOrRef,
    /// Its full name in metadata, from [`Runtime::full_name`].
    pub full_name: &'a str,
    /// Its name as C# writes it, with the arguments.
    pub name: &'a str,
    /// The type arguments. Those that came from the runtime have a [`class_id`](TypeShape::class_id); of
    /// reference types without one, any class does for the layout (`System.__Canon`, `System.Object`), since the
    /// layouts of all reference instances are equal; of primitive types the class is found by the name.
    pub args: &'a [Arc<TypeShape>],
}

/// A type in a signature that is looked at later: the bytes of it, and what they mean.
#[derive(Clone, Debug)]
pub struct DeferredType {
    signature: Box<[u8]>,
    context: GenericContext,
}

impl DeferredType {
    /// Keeps a type for later.
    #[must_use]
    pub fn new(ty: sigparse::TypeSig<'_>, context: &GenericContext) -> Self {
        Self { signature: ty.bytes().into(), context: context.clone() }
    }

    /// The shape, now.
    ///
    /// # Errors
    /// When a type in it cannot be resolved.
    pub fn resolve<R: Runtime + ?Sized>(&self, runtime: &R) -> Result<Arc<TypeShape>, crate::ResolveError> {
        let ty = sigparse::TypeSig::parse(&self.signature)?;
        crate::resolve(runtime, ty, &self.context)
    }
}

/// The runtime could not answer: in a few words, why.
///
/// ```
/// # use argvalues::RuntimeError;
/// let error = RuntimeError::new("the class is not loaded");
/// assert_eq!(error.to_string(), "the class is not loaded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError(Cow<'static, str>);

impl RuntimeError {
    /// An error with a message: what failed, and the name of the HRESULT if there was one.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for RuntimeError {}
