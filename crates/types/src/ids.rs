//! Run-time ids: identifiers of loaded entities of this process.
//!
//! An id is a number that the runtime assigns and reuses. It is never dereferenced here. It becomes stale when its
//! entity is unloaded; the runtime does not check, so a stale id must not be passed to it. `corprof` refuses ids whose
//! unload it has seen, with `Error::Unloaded`. Object ids and frames are valid until the callback returns, so they
//! borrow from it.
//!
//! Contract of the unsafe code here: the unsafe constructors state what their callers promise; only tests call them.
#![allow(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroUsize;

macro_rules! run_time_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(NonZeroUsize);

        impl $name {
            /// Makes an id of a number; `None` for zero, which names nothing.
            ///
            /// The runtime uses an id as the address of its entity, without a check. `corprof` refuses ids whose
            /// unload it has seen, and passes all others on.
            ///
            /// # Safety
            /// `raw` is zero, or an id of this kind that the runtime of this process has reported.
            #[must_use]
            pub const unsafe fn from_raw(raw: usize) -> Option<Self> {
                match NonZeroUsize::new(raw) {
                    Some(raw) => Some(Self(raw)),
                    None => None,
                }
            }

            /// Returns the number that the runtime uses.
            #[must_use]
            pub const fn as_raw(self) -> usize {
                self.0.get()
            }
        }

        number_of_id! { $name }
    )*};
}

macro_rules! number_of_id {
    ($name:ident) => {
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
    };
}

/// One version of a method's code (`ReJITID`) other than the first.
///
/// The runtime looks it up among the versions of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct ReJitId(NonZeroUsize);

impl ReJitId {
    /// Makes an id of a number; `None` for zero, the first version.
    #[must_use]
    pub const fn from_raw(raw: usize) -> Option<Self> {
        match NonZeroUsize::new(raw) {
            Some(raw) => Some(Self(raw)),
            None => None,
        }
    }

    /// Returns the number that the runtime uses.
    #[must_use]
    pub const fn as_raw(self) -> usize {
        self.0.get()
    }
}

number_of_id! { ReJitId }

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
    Thread(ThreadId) = "thread",
}

/// An object on the managed heap (`ObjectID`).
///
/// Valid during the callback `'cb` only: the next garbage collection may move the object.
///
/// ```compile_fail,E0597
/// # use corprof_types::ObjectId;
/// # fn callback(scope: &u8) -> ObjectId<'_> { unsafe { ObjectId::from_raw(8) }.unwrap() }
/// let kept;
/// {
///     let scope = 0; // stands for the callback
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

impl ObjectId<'_> {
    /// The id for a reference that was read while the collector could not run; `None` for a null reference.
    ///
    /// # Safety
    /// `raw` is null or the address of an object on the managed heap, which stays there and alive for the lifetime of
    /// the id.
    #[must_use]
    pub const unsafe fn from_raw(raw: usize) -> Option<Self> {
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

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn function(number: usize) -> Option<FunctionId> {
        // SAFETY: no runtime sees it.
        unsafe { FunctionId::from_raw(number) }
    }

    #[test]
    fn zero_names_nothing() {
        assert_eq!(function(0), None);
        assert_eq!(function(0x10).map(FunctionId::as_raw), Some(0x10));
    }

    #[test]
    fn an_id_says_what_it_is_of() {
        let id = AnyId::from(function(0x10).unwrap());
        assert_eq!(id.to_string(), "function 0x10");
    }

    #[test]
    fn ids_fit_the_pointers_they_come_from() {
        assert_eq!(size_of::<Option<ClassId>>(), size_of::<usize>());
        assert_eq!(size_of::<Option<ObjectId<'_>>>(), size_of::<usize>());
    }
}
