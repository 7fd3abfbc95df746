//! Ids that the runtime reports: they are alive, and their lifetimes are recorded.
#![forbid(unsafe_code)]

use corprof_types::{AnyId, AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId, ReJitId};
use sigparse::MethodDef;

use super::{ClassInfo, FunctionInfo, FunctionInstance};
use crate::error::Result;
use crate::raw::alive::Held;
use crate::raw::inflight::Work;
use crate::runtime::ProfilerInfo;
use crate::values::ArrayClass;

impl ProfilerInfo {
    /// Makes a call that returns ids. An unload waits until their lifetimes are recorded.
    pub(super) fn reported<T: Reported>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        let loaded = self.loaded();
        let unloads = loaded.unloads();
        if loaded.is_everything_permanent() {
            let value = call()?;
            if loaded.is_everything_permanent() && loaded.unloads() == unloads {
                return Ok(value);
            }
        }
        let _asking = self.raw().alive().begin(Work::Call);
        let value = call()?;
        value.each(&mut |id| self.note_returned(id));
        Ok(value)
    }

    /// The same, about an id that may not have been noted: callbacks pass some, and `unsafe` code makes them.
    pub(super) fn reported_about<T: Reported>(
        &self,
        about: impl Into<AnyId>,
        call: impl Fn() -> Result<T>,
    ) -> Result<T> {
        let about = About(about.into());
        self.reported(|| Ok((about, call()?))).map(|(_, value)| value)
    }

    /// Records the lifetime of an id that a call has returned.
    ///
    /// Lists of the runtime still have what is being unloaded. So a module that is unloaded stays so until a callback reports its
    /// load, as each load is reported, and so does what belongs to the module.
    pub(crate) fn note_returned(&self, id: AnyId) {
        let is_load_reported = matches!(id, AnyId::Module(_) | AnyId::Assembly(_));
        if !(is_load_reported && self.raw().alive().is_unloaded(id)) {
            self.note_reported(id);
        }
    }

    /// Records the lifetime of an id that a callback has passed, which is therefore alive.
    pub(crate) fn note_reported(&self, id: AnyId) {
        let was_unloaded = self.raw().alive().is_unloaded(id);
        self.raw().alive().revive(id);
        if !was_unloaded && self.loaded().is_noted(id) {
            return;
        }
        match id {
            AnyId::Class(class) => self.class_owners_seen(class),
            AnyId::Function(function) => {
                self.function_owners_seen(function);
            }
            _ => {}
        }
    }

    /// The running thread calls or compiles this function until the guard is dropped; see [`Alive::hold`].
    ///
    /// [`Alive::hold`]: crate::raw::alive::Alive::hold
    pub(crate) fn hold(&self, function: FunctionId) -> Held<'_> {
        let held = self.raw().alive().hold(function);
        self.note_reported(function.into());
        held
    }

    /// The same, if anything can be unloaded.
    pub(crate) fn hold_if_unloadable(&self, function: FunctionId) -> Option<Held<'_>> {
        (!self.loaded().is_everything_permanent()).then(|| self.hold(function))
    }

    /// Notes an id that a callback may have passed, if anything can be unloaded.
    pub(crate) fn given<I: Into<AnyId> + Copy>(&self, id: Option<I>) -> Option<I> {
        let id = id?;
        if !self.loaded().is_everything_permanent() {
            self.note_reported(id.into());
        }
        Some(id)
    }
}

/// A value with ids that the runtime has reported.
pub(super) trait Reported {
    fn each(&self, note: &mut impl FnMut(AnyId));
}

macro_rules! ids {
    ($($id:ty)*) => {$(
        impl Reported for $id {
            fn each(&self, note: &mut impl FnMut(AnyId)) {
                note((*self).into());
            }
        }
    )*};
}

ids! { AppDomainId AssemblyId ModuleId ClassId FunctionId }

/// The id that a call was about.
#[derive(Clone, Copy)]
struct About(AnyId);

impl Reported for About {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        note(self.0);
    }
}

macro_rules! no_ids {
    ($($value:ty)*) => {$(
        impl Reported for $value {
            fn each(&self, _: &mut impl FnMut(AnyId)) {}
        }
    )*};
}

no_ids! { ReJitId MethodDef String usize u32 Vec<u8> }

impl<T: Reported> Reported for Option<T> {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        self.iter().for_each(|value| value.each(note));
    }
}

macro_rules! tuples {
    ($(($($field:ident)*))*) => {$(
        impl<$($field: Reported),*> Reported for ($($field,)*) {
            #[allow(non_snake_case, reason = "a field is named as its type")]
            fn each(&self, note: &mut impl FnMut(AnyId)) {
                let ($($field,)*) = self;
                $($field.each(note);)*
            }
        }
    )*};
}

tuples! { (A B) (A B C) (A B C D) }

impl<T: Reported> Reported for Vec<(T, Option<ReJitId>)> {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        self.iter().for_each(|(value, _)| value.each(note));
    }
}

impl Reported for FunctionInfo {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        (self.class, self.module).each(note);
    }
}

impl Reported for FunctionInstance {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        (self.class, self.module).each(note);
        self.type_args.iter().for_each(|class| class.each(note));
    }
}

impl Reported for ClassInfo {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        (self.module, self.parent).each(note);
        self.type_args.iter().for_each(|class| class.each(note));
    }
}

impl Reported for Vec<ClassId> {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        self.iter().for_each(|class| class.each(note));
    }
}

impl Reported for Option<ArrayClass> {
    fn each(&self, note: &mut impl FnMut(AnyId)) {
        self.iter().for_each(|array| array.element_class.each(note));
    }
}
