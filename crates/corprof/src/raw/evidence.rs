//! Values that are valid during a callback or hook, or state a precondition of calls, so that these calls are safe.
//!
//! Contract of the unsafe code here: each constructor states what its callers guarantee. The object of an [`InCallback`] is
//! alive during the callback of its lifetime, and the runtime copies what is passed to it before the call returns. Each
//! source of [`NoCollection`] is a guard or a borrow that no collection can outlast: the collector waits for a thread that is
//! in a hook or in a callback with an object, and for the end of a suspension.
#![allow(unsafe_code)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use corprof_sys as sys;
use corprof_types::{ClassId, FunctionId, ModuleId, ObjectId};
use sigparse::token::TypeDef;

use super::buffers::{assembly_metadata, length_of, wide};
use super::call::checked;
use crate::error::Result;
use crate::values::IlMapEntry;

/// The generic context of a call. Valid during the callback `'cb`
/// only.
///
/// It comes from the runtime (`COR_PRF_FRAME_INFO`), or with fast-path hooks from the registers in which the compiled code
/// itself gets its type arguments.
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo<'cb> {
    raw: usize,
    context: Context,
    callback: PhantomData<&'cb ()>,
}

impl FrameInfo<'_> {
    /// # Safety
    /// The runtime has passed `raw` for a frame that is there as long as the lifetime, or it is 0.
    pub(crate) const unsafe fn in_callback(raw: usize) -> Self {
        Self { raw, context: Context::None, callback: PhantomData }
    }

    pub(crate) const fn of_context(context: Context) -> Self {
        Self { raw: 0, context, callback: PhantomData }
    }

    /// The value that the runtime has passed; 0 with fast-path hooks.
    #[must_use]
    pub const fn as_raw(self) -> usize {
        self.raw
    }

    /// Returns a number that is the same for two calls of a function only if their type arguments are, as long as nothing is
    /// unloaded. `None` with slow-path hooks, and for code that is not shared.
    #[must_use]
    pub const fn key(self) -> Option<usize> {
        match self.context {
            Context::None => None,
            Context::Derived(class, ..) | Context::Class(class) => Some(class.as_raw()),
            Context::Method(function) => Some(function.as_raw()),
        }
    }

    pub(crate) const fn context(self) -> Context {
        self.context
    }
}

/// The type arguments of a call, as a fast-path hook finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// The code is not shared, or the type arguments are unknown.
    None,
    /// An object's class, and which type it is or derives from an instance of.
    Derived(ClassId, ModuleId, TypeDef),
    /// The class.
    Class(ClassId),
    /// The method.
    Method(FunctionId),
}

/// Evidence that no garbage collection moves an object during `'s`.
///
/// Made of a [`RuntimeSuspension`](crate::RuntimeSuspension), of the frame of an ELT hook, or of an [`ObjectId`] that a
/// callback has passed: `handle.object(&suspension)`.
#[derive(Clone, Copy, Debug)]
pub struct NoCollection<'s>(PhantomData<&'s ()>);

impl NoCollection<'_> {
    /// # Safety
    /// No collection begins during the lifetime.
    pub(crate) const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'s> From<ObjectId<'s>> for NoCollection<'s> {
    fn from(_: ObjectId<'s>) -> Self {
        Self(PhantomData)
    }
}

/// An object on a heap that is never collected (`ObjectID`): it neither moves nor ends.
///
/// It is no evidence that other objects stay where they are, and so no [`ObjectId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrozenObject(ObjectId<'static>);

impl FrozenObject {
    /// # Safety
    /// The object is on such a heap.
    pub(crate) const unsafe fn new(object: ObjectId<'static>) -> Self {
        Self(object)
    }

    /// The object's address.
    #[must_use]
    pub const fn as_raw(self) -> usize {
        self.0.as_raw()
    }
}

/// An object that the runtime can be called about: an [`ObjectId`], or a [`FrozenObject`].
pub trait Object: sealed::Object {
    /// The object's address.
    fn as_raw(&self) -> usize {
        self.id().as_raw()
    }
}

impl Object for ObjectId<'_> {}
impl Object for FrozenObject {}

pub(crate) mod sealed {
    use corprof_types::ObjectId;

    /// The id that both kinds of objects have for the runtime.
    pub trait Object: Copy {
        fn id(&self) -> ObjectId<'_>;
    }

    impl Object for ObjectId<'_> {
        fn id(&self) -> ObjectId<'_> {
            *self
        }
    }

    impl Object for super::FrozenObject {
        fn id(&self) -> ObjectId<'_> {
            self.0
        }
    }
}

/// An object of the runtime that a callback fills in: `ICorProfilerFunctionControl` or
/// `ICorProfilerAssemblyReferenceProvider`. It is alive during the callback `'cb`.
pub(crate) struct InCallback<'cb, I> {
    object: NonNull<I>,
    callback: PhantomData<&'cb ()>,
}

impl<I> InCallback<'_, I> {
    /// # Safety
    /// `object` is alive during the callback that the lifetime stands for.
    pub(crate) const unsafe fn new(object: NonNull<I>) -> Self {
        Self { object, callback: PhantomData }
    }
}

impl<I> core::fmt::Debug for InCallback<'_, I> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("InCallback")
    }
}

/// How a method is compiled again.
pub(crate) type FunctionControl<'cb> = InCallback<'cb, sys::ICorProfilerFunctionControl>;
/// The references of an assembly.
pub(crate) type ReferenceProvider<'cb> = InCallback<'cb, sys::ICorProfilerAssemblyReferenceProvider>;

/// Calls a method of one of these objects. For `unsafe` blocks that argue for the arguments.
macro_rules! call {
    ($self:ident, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $self.object.as_ptr();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        checked(concat!(stringify!($interface), "::", stringify!($method)), code).map(drop)
    }};
}

impl FunctionControl<'_> {
    /// `ICorProfilerFunctionControl::SetCodegenFlags`.
    pub(crate) fn set_codegen_flags(&self, flags: u32) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerFunctionControl::SetCodegenFlags(flags)) }
    }

    /// `ICorProfilerFunctionControl::SetILFunctionBody`.
    ///
    /// # Safety
    /// The body is a whole method body in the format of ECMA-335 II.25.4, and its IL is type-safe.
    pub(crate) unsafe fn set_body(&self, body: &[u8]) -> Result<()> {
        let length = length_of("ICorProfilerFunctionControl::SetILFunctionBody", body)?;
        // SAFETY: a list with its length; the contract of this function.
        unsafe { call!(self, ICorProfilerFunctionControl::SetILFunctionBody(length, body.as_ptr())) }
    }

    /// `ICorProfilerFunctionControl::SetILInstrumentedCodeMap`.
    pub(crate) fn set_code_map(&self, map: &[IlMapEntry]) -> Result<()> {
        let mut map: Vec<sys::COR_IL_MAP> = map.iter().copied().map(sys::COR_IL_MAP::from).collect();
        let length = length_of("ICorProfilerFunctionControl::SetILInstrumentedCodeMap", &map)?;
        // SAFETY: a list with its length.
        unsafe {
            call!(self, ICorProfilerFunctionControl::SetILInstrumentedCodeMap(length, map.as_mut_ptr()))
        }
    }
}

/// A reference to an assembly.
pub(crate) struct ReferenceParts<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: [u16; 4],
    pub(crate) culture: &'a str,
    pub(crate) public_key_or_token: &'a [u8],
    pub(crate) hash: &'a [u8],
    pub(crate) flags: u32,
}

impl ReferenceProvider<'_> {
    /// `ICorProfilerAssemblyReferenceProvider::AddAssemblyReference`.
    pub(crate) fn add(&self, reference: &ReferenceParts<'_>) -> Result<()> {
        const CALL: &str = "ICorProfilerAssemblyReferenceProvider::AddAssemblyReference";
        let (name, culture) = (wide(reference.name)?, wide(reference.culture)?);
        let mut metadata = assembly_metadata(reference.version, &culture);
        let info = sys::COR_PRF_ASSEMBLY_REFERENCE_INFO {
            pbPublicKeyOrToken: reference.public_key_or_token.as_ptr().cast_mut().cast(),
            cbPublicKeyOrToken: length_of(CALL, reference.public_key_or_token)?,
            szName: name.as_ptr(),
            pMetaData: &raw mut metadata,
            pbHashValue: reference.hash.as_ptr().cast_mut().cast(),
            cbHashValue: length_of(CALL, reference.hash)?,
            dwAssemblyRefFlags: reference.flags,
        };
        // SAFETY: a structure with texts that have a terminating zero, and lists with their length.
        unsafe { call!(self, ICorProfilerAssemblyReferenceProvider::AddAssemblyReference(&raw const info)) }
    }
}
