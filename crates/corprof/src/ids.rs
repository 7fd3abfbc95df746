//! Run-time ids: the runtime's names for things that exist in this process now.
//!
//! An id is a number that the runtime hands out and takes back. It is never dereferenced here. It becomes
//! stale when what it names is unloaded; the runtime does not check, so a stale id must not be passed back. What
//! this library has seen to go it refuses, with [`Error::Unloaded`](crate::Error::Unloaded).
//! Object ids and frames move or end when the callback returns, which is why they borrow from it.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroUsize;

use crate::hooks::Context;

macro_rules! run_time_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(NonZeroUsize);

        impl $name {
            /// The id for a value that came from the runtime; `None` for zero, which names nothing.
            #[must_use]
            pub const fn from_raw(raw: usize) -> Option<Self> {
                match NonZeroUsize::new(raw) {
                    Some(raw) => Some(Self(raw)),
                    None => None,
                }
            }

            /// The value that the runtime knows.
            #[must_use]
            pub const fn as_raw(self) -> usize {
                self.0.get()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:#x})", stringify!($name), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }
    )*};
}

run_time_id! {
    /// An application domain (`AppDomainID`). .NET has one; it goes when the process ends.
    AppDomainId;
    /// A loaded assembly (`AssemblyID`). Stale once `AssemblyUnloadStarted` has returned.
    AssemblyId;
    /// A loaded module (`ModuleID`). Stale once `ModuleUnloadStarted` has returned.
    ModuleId;
    /// A loaded type, an exact instantiation where it is generic (`ClassID`). Stale once its module, or that
    /// of one of its type arguments, is unloaded.
    ClassId;
    /// A method with code, shared by the reference instantiations of a generic one (`FunctionID`). Stale
    /// once its module is unloaded.
    FunctionId;
    /// A managed thread (`ThreadID`). Stale once `ThreadDestroyed` has returned.
    ThreadId;
    /// One version of a method's code (`ReJITID`) other than the first.
    ReJitId;
    /// A GC handle (`GCHandleID`). Stale once it is destroyed.
    GcHandleId;
    /// A provider of EventPipe events (`EVENTPIPE_PROVIDER`). Lives until the process ends.
    EventPipeProviderId;
    /// An event that the profiler has defined (`EVENTPIPE_EVENT`). Lives as long as its provider.
    EventPipeEventId;
}

macro_rules! any_id {
    ($($kind:ident($id:ident) = $name:literal,)*) => {
        /// An id of any kind whose end the runtime reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum AnyId {$(
            #[doc = concat!("An id of this kind: ", $name, ".")]
            $kind($id),
        )*}

        $(impl From<$id> for AnyId {
            fn from(id: $id) -> Self {
                Self::$kind(id)
            }
        })*

        impl fmt::Display for AnyId {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind(id) => write!(f, concat!($name, " {}"), id),)*
                }
            }
        }
    };
}

any_id! {
    AppDomain(AppDomainId) = "application domain",
    Assembly(AssemblyId) = "assembly",
    Module(ModuleId) = "module",
    Class(ClassId) = "class",
    Function(FunctionId) = "function",
}

/// An object on the managed heap (`ObjectID`), valid during the callback `'cb` only: the next garbage
/// collection may move it.
///
/// ```compile_fail,E0597
/// # use corprof::ObjectId;
/// # fn callback(scope: &u8) -> ObjectId<'_> { ObjectId::from_raw(8, scope).unwrap() }
/// let kept;
/// {
///     let scope = 0; // what the callback lends
///     kept = callback(&scope);
/// }
/// println!("{kept}"); // does not compile: the object id outlives its callback
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct ObjectId<'cb> {
    raw: NonZeroUsize,
    callback: PhantomData<&'cb ()>,
}

impl<'cb> ObjectId<'cb> {
    /// The id for a reference read during the callback that `scope` stands for; `None` for a null reference.
    #[must_use]
    pub const fn from_raw<T: ?Sized>(raw: usize, scope: &'cb T) -> Option<Self> {
        let _ = scope;
        Self::in_callback(raw)
    }

    /// The same, for this crate, where the callback's lifetime is given by the surrounding function.
    pub(crate) const fn in_callback(raw: usize) -> Option<Self> {
        match NonZeroUsize::new(raw) {
            Some(raw) => Some(Self { raw, callback: PhantomData }),
            None => None,
        }
    }

    /// The object's address.
    #[must_use]
    pub const fn as_raw(self) -> usize {
        self.raw.get()
    }
}

impl fmt::Debug for ObjectId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({:#x})", self.raw)
    }
}

impl fmt::Display for ObjectId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.raw)
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
    pub(crate) const fn in_callback(raw: usize) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_names_nothing() {
        assert_eq!(FunctionId::from_raw(0), None);
        assert_eq!(FunctionId::from_raw(0x10).map(FunctionId::as_raw), Some(0x10));
        assert!(ObjectId::from_raw(0, "scope").is_none());
    }

    #[test]
    fn an_id_says_what_it_is_of() {
        let id = AnyId::from(FunctionId::from_raw(0x10).unwrap());
        assert_eq!(id.to_string(), "function 0x10");
    }

    #[test]
    fn ids_fit_the_pointers_they_come_from() {
        assert_eq!(size_of::<Option<ClassId>>(), size_of::<usize>());
        assert_eq!(size_of::<Option<ObjectId<'_>>>(), size_of::<usize>());
    }
}
