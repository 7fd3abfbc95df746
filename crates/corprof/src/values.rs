//! The arguments of callbacks besides ids: reasons, flags, and lists that are borrowed from the callback.

use core::fmt;

use corprof_types::{ClassId, FunctionId, ObjectId};

/// An open set of named values: a value without a name is preserved.
macro_rules! open_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $number:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$vdoc])* pub const $value: Self = Self($number);)*
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Self::$value => f.write_str(stringify!($value)),)*
                    Self(other) => write!(f, "{}({other})", stringify!($name)),
                }
            }
        }
    };
}

open_enum! {
    /// The result of a search for precompiled code (`COR_PRF_JIT_CACHE`).
    JitCacheResult {
        /// Precompiled code was found.
        CACHED_FUNCTION_FOUND = 0;
        /// No precompiled code was found: the method will be jitted.
        CACHED_FUNCTION_NOT_FOUND = 1;
    }
}
open_enum! {
    /// The reason of a transition between managed and unmanaged code (`COR_PRF_TRANSITION_REASON`).
    TransitionReason {
        /// A call.
        CALL = 0;
        /// The return from a call.
        RETURN = 1;
    }
}
open_enum! {
    /// The reason of a suspension of all managed threads (`COR_PRF_SUSPEND_REASON`).
    SuspendReason {
        /// No reason is given.
        OTHER = 0;
        /// A garbage collection.
        FOR_GC = 1;
        /// An application domain shuts down.
        FOR_APP_DOMAIN_SHUTDOWN = 2;
        /// Compiled code is discarded.
        FOR_CODE_PITCHING = 3;
        /// The process ends.
        FOR_SHUTDOWN = 4;
        /// The debugger.
        FOR_INPROC_DEBUGGER = 6;
        /// Preparation of a garbage collection.
        FOR_GC_PREP = 7;
        /// ReJIT.
        FOR_REJIT = 8;
        /// A profiler suspends the runtime.
        FOR_PROFILER = 9;
    }
}
open_enum! {
    /// The reason of a garbage collection (`COR_PRF_GC_REASON`).
    GcReason {
        /// Another reason, such as allocation.
        OTHER = 0;
        /// Induced by the program or a profiler.
        INDUCED = 1;
    }
}
open_enum! {
    /// The kind of a GC root (`COR_PRF_GC_ROOT_KIND`).
    GcRootKind {
        /// Something else.
        OTHER = 0;
        /// A stack slot or register.
        STACK = 1;
        /// The finalizer queue.
        FINALIZER = 2;
        /// A handle.
        HANDLE = 3;
    }
}

bitflags::bitflags! {
    /// The properties of a GC root (`COR_PRF_GC_ROOT_FLAGS`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct GcRootFlags: u32 {
        /// The object may not move.
        const PINNING = 0x1;
        /// The root does not keep the object alive.
        const WEAK_REF = 0x2;
        /// The root points into the object.
        const INTERIOR = 0x4;
        /// The root is a reference-counted handle.
        const REF_COUNTED = 0x8;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// The properties of an object in the finalizer queue (`COR_PRF_FINALIZER_FLAGS`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct FinalizerFlags: u32 {
        /// Its finalizer is critical.
        const CRITICAL = 0x1;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// The optimisations that the JIT leaves out for a ReJIT version (`COR_PRF_CODEGEN_FLAGS`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct CodegenFlags: u32 {
        /// Disables inlining into the method.
        const DISABLE_INLINING = 0x1;
        /// Disables all optimisations.
        const DISABLE_ALL_OPTIMIZATIONS = 0x2;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// The options of a ReJIT request (`COR_PRF_REJIT_FLAGS`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct ReJitFlags: u32 {
        /// Disables inlining of the methods, and recompiles the methods into which they are inlined.
        const BLOCK_INLINING = 0x1;
        /// Calls `GetReJITParameters` for the methods into which they are inlined.
        const INLINING_CALLBACKS = 0x2;
        const _ = !0;
    }
}

/// An entry of the map from original to new IL offsets (`COR_IL_MAP`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IlMapEntry {
    /// The offset in the IL of the file.
    pub old_offset: u32,
    /// The offset in the new IL.
    pub new_offset: u32,
    /// Whether a debugger may stop at the offset.
    pub accurate: bool,
}

impl From<IlMapEntry> for corprof_sys::COR_IL_MAP {
    fn from(entry: IlMapEntry) -> Self {
        Self { oldOffset: entry.old_offset, newOffset: entry.new_offset, fAccurate: entry.accurate.into() }
    }
}

/// The generations that a garbage collection collects.
#[derive(Clone, Copy, Debug)]
pub struct Generations<'cb>(pub(crate) &'cb [i32]);

impl Generations<'_> {
    /// Returns whether the generation is collected; 0 to 2, 3 for the large and 4 for the pinned object heap.
    #[must_use]
    pub fn contains(self, generation: usize) -> bool {
        self.0.get(generation).is_some_and(|collected| *collected != 0)
    }
}

/// A range of objects that a compacting collection moved together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedRange {
    /// The old address of the first object.
    pub old: usize,
    /// The new address of the first object; the others have moved by the same distance.
    pub new: usize,
    /// The length of the range in bytes.
    pub length: usize,
}

/// The ranges that a compacting collection moved, in ascending order of the old addresses.
#[derive(Clone, Copy, Debug)]
pub struct MovedRanges<'cb> {
    pub(crate) old: &'cb [usize],
    pub(crate) new: &'cb [usize],
    pub(crate) length: &'cb [usize],
}

impl<'cb> MovedRanges<'cb> {
    /// Returns the ranges.
    pub fn iter(self) -> impl Iterator<Item = MovedRange> + 'cb {
        let news_and_lengths = self.new.iter().zip(self.length);
        self.old.iter().zip(news_and_lengths).map(|(old, (new, length))| MovedRange {
            old: *old,
            new: *new,
            length: *length,
        })
    }
}

/// A range of live objects that a collection did not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurvivingRange {
    /// The address of the first object.
    pub start: usize,
    /// The length of the range in bytes.
    pub length: usize,
}

/// The ranges of live objects after a collection without compaction.
#[derive(Clone, Copy, Debug)]
pub struct SurvivingRanges<'cb> {
    pub(crate) start: &'cb [usize],
    pub(crate) length: &'cb [usize],
}

impl<'cb> SurvivingRanges<'cb> {
    /// Returns the ranges.
    pub fn iter(self) -> impl Iterator<Item = SurvivingRange> + 'cb {
        self.start
            .iter()
            .zip(self.length)
            .map(|(start, length)| SurvivingRange { start: *start, length: *length })
    }
}

/// A root that the collector found.
#[derive(Clone, Copy, Debug)]
pub struct GcRoot<'cb> {
    /// The object, or `None` for a root that is empty.
    pub object: Option<ObjectId<'cb>>,
    /// The kind of the root.
    pub kind: GcRootKind,
    /// The properties of the root.
    pub flags: GcRootFlags,
    /// The function id for a stack root, the handle id for a handle; meaningless otherwise.
    pub id: usize,
    /// The function whose frame holds a stack root; `None` for other kinds, and if the runtime does not report it.
    pub function: Option<FunctionId>,
}

/// The roots that the collector found.
#[derive(Clone, Copy, Debug)]
pub struct GcRoots<'cb> {
    pub(crate) objects: &'cb [Option<ObjectId<'cb>>],
    pub(crate) kinds: &'cb [GcRootKind],
    pub(crate) flags: &'cb [u32],
    /// Those of roots that are not on a stack are no functions.
    pub(crate) ids: &'cb [Option<FunctionId>],
}

impl<'cb> GcRoots<'cb> {
    /// Returns the roots.
    pub fn iter(self) -> impl Iterator<Item = GcRoot<'cb>> + 'cb {
        self.objects.iter().zip(self.kinds).zip(self.flags.iter().zip(self.ids)).map(
            |((object, kind), (flags, id))| GcRoot {
                object: *object,
                kind: *kind,
                flags: GcRootFlags::from_bits_retain(*flags),
                id: id.map_or(0, FunctionId::as_raw),
                function: id.filter(|_| *kind == GcRootKind::STACK),
            },
        )
    }
}

/// An array type's element type and rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayClass {
    /// The element's type as signatures write it, for instance `ELEMENT_TYPE_I4`.
    pub element_type: sigparse::ElementType,
    /// The element's class; `None` where it has none, as for pointers.
    pub element_class: Option<ClassId>,
    /// The number of dimensions.
    pub rank: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_ranges_are_read_in_step() {
        let ranges = MovedRanges { old: &[16, 64], new: &[8, 32], length: &[24, 40] };
        let ranges: Vec<_> = ranges.iter().collect();
        assert_eq!(ranges[1], MovedRange { old: 64, new: 32, length: 40 });
        assert_eq!(ranges.len(), 2);
    }

    #[test]
    fn values_without_a_name_survive() {
        assert_eq!(format!("{:?}", SuspendReason(5)), "SuspendReason(5)");
        assert_eq!(format!("{:?}", SuspendReason::FOR_GC), "FOR_GC");
    }
}
