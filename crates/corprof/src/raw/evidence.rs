//! Values that only the runtime can make true: what they state is a precondition of calls, so that these are safe.
//!
//! Contract of the unsafe code here: none is called. Each constructor states what its callers promise. Each source of
//! [`NoCollection`] is a guard or a borrow that no collection can outlast: the collector waits for a thread that is in a hook
//! or in a callback with an object, and for the end of a suspension.
#![allow(unsafe_code)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use corprof_types::{ClassId, FunctionId, ModuleId, ObjectId};
use sigparse::token::TypeDef;

/// An object of the runtime's that is alive during the callback `'cb`.
pub(crate) struct InCallback<'cb, I> {
    pub(super) object: NonNull<I>,
    callback: PhantomData<&'cb ()>,
}

impl<I> InCallback<'_, I> {
    /// # Safety
    /// `object` is alive during the callback that the lifetime stands for.
    pub(crate) const unsafe fn new(object: NonNull<I>) -> Self {
        Self { object, callback: PhantomData }
    }
}

/// What is known of a frame beyond its function: the generic context of the call. Valid during the callback `'cb`
/// only.
///
/// From the runtime (`COR_PRF_FRAME_INFO`), or with fast hooks from the registers: what the compiled code itself knows
/// its type arguments by.
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

    /// The value that the runtime knows; 0 with fast hooks.
    #[must_use]
    pub const fn as_raw(self) -> usize {
        self.raw
    }

    /// A number that is the same for two calls of a function only if their type arguments are, as long as nothing is
    /// unloaded. Only fast hooks have one, for shared code.
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

/// What a fast hook knows of a call's type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// The code is not shared, or it is not known.
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

macro_rules! frames {
    ($($frame:ident)*) => {$(
        impl<'s> From<&'s crate::$frame<'_>> for NoCollection<'s> {
            fn from(_: &'s crate::$frame<'_>) -> Self {
                Self(PhantomData)
            }
        }
    )*};
}

frames! { EnterFrame LeaveFrame TailcallFrame }

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

    /// What both kinds of objects are to the runtime.
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
