//! What callbacks pass: ids are kept for later calls, what is borrowed is for the calls of the callback.

use corprof::token::MethodDef;
use corprof::values::{
    FinalizerFlags, GcReason, GcRoots, Generations, JitCacheResult, MovedRanges, SurvivingRanges,
    SuspendReason, TransitionReason,
};
use corprof::widestring::U16Str;
use corprof::{
    AppDomainId, AssemblyId, AssemblyReferences, ClassId, EventPipeEvent, EventPipeProviderId,
    FunctionControl, FunctionId, GcHandleId, Guid, HResult, ModuleId, ObjectId, ReJitId, Result, ThreadId,
};

use crate::place::Given;
use crate::shared::Shared;

/// The type of an argument of a callback.
pub(crate) trait Learn<'a> {
    /// Keeps the argument.
    fn learn(self, shared: &Shared, given: &mut Given<'a>);
}

macro_rules! ids {
    ($($id:ident: $pool:ident),*) => {$(
        impl Learn<'_> for $id {
            fn learn(self, shared: &Shared, _: &mut Given<'_>) {
                shared.with_random(|random| shared.known.$pool.put(self, random));
            }
        }
    )*};
}

ids! {
    AppDomainId: app_domains, AssemblyId: assemblies, ModuleId: modules, ClassId: classes, FunctionId: functions,
    ThreadId: threads, ReJitId: rejits, EventPipeProviderId: providers
}

macro_rules! borrowed {
    ($($ty:ty: $field:ident),*) => {$(
        impl<'a> Learn<'a> for $ty {
            fn learn(self, _: &Shared, given: &mut Given<'a>) {
                given.$field = Some(self);
            }
        }
    )*};
}

borrowed! {
    &'a AssemblyReferences<'a>: references, &'a FunctionControl<'a>: control, &'a EventPipeEvent<'a>: event,
    Generations<'a>: generations, MovedRanges<'a>: moved, SurvivingRanges<'a>: surviving, GcRoots<'a>: roots
}

macro_rules! unused {
    ($($ty:ty),*) => {$(
        impl Learn<'_> for $ty {
            fn learn(self, _: &Shared, _: &mut Given<'_>) {}
        }
    )*};
}

unused! {
    Result<(), HResult>, HResult, bool, u32, usize, Guid, &str, &[u8], &[u32], &U16Str, JitCacheResult, MethodDef,
    TransitionReason, SuspendReason, GcReason, FinalizerFlags, GcHandleId, &[Option<GcHandleId>]
}

impl<'a> Learn<'a> for ObjectId<'a> {
    fn learn(self, shared: &Shared, given: &mut Given<'a>) {
        shared.with_random(|random| shared.known.addresses.put(self.as_raw(), random));
        given.object = Some(self);
    }
}

impl<'a, T: Learn<'a>> Learn<'a> for Option<T> {
    fn learn(self, shared: &Shared, given: &mut Given<'a>) {
        if let Some(value) = self {
            value.learn(shared, given);
        }
    }
}

impl<'a> Learn<'a> for &[Option<ObjectId<'a>>] {
    fn learn(self, shared: &Shared, given: &mut Given<'a>) {
        for object in self.iter().take(4) {
            object.learn(shared, given);
        }
    }
}

impl<'a> Learn<'a> for &[Option<ClassId>] {
    fn learn(self, shared: &Shared, given: &mut Given<'a>) {
        for class in self.iter().take(4) {
            class.learn(shared, given);
        }
    }
}
