//! Enumerators.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use core::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use corprof::HResult;
use corprof_sys as sys;

use super::{Answer, Kind, Object, UNKNOWN, answer, length_of, put, put_list};

/// A list and the position in it.
pub(crate) struct List {
    items: Items,
    read: Mutex<usize>,
}

#[derive(Clone)]
enum Items {
    Modules(Vec<sys::ModuleID>),
    Threads(Vec<sys::ThreadID>),
    Functions(Vec<sys::COR_PRF_FUNCTION>),
}

impl List {
    fn new(items: Items) -> Self {
        Self { items, read: Mutex::new(0) }
    }

    pub(crate) fn modules(ids: Vec<sys::ModuleID>) -> Self {
        Self::new(Items::Modules(ids))
    }

    pub(crate) fn threads(ids: Vec<sys::ThreadID>) -> Self {
        Self::new(Items::Threads(ids))
    }

    pub(crate) fn functions(ids: Vec<sys::COR_PRF_FUNCTION>) -> Self {
        Self::new(Items::Functions(ids))
    }

    pub(super) fn name(&self) -> &'static str {
        match self.items {
            Items::Modules(_) => "ICorProfilerModuleEnum",
            Items::Threads(_) => "ICorProfilerThreadEnum",
            Items::Functions(_) => "ICorProfilerFunctionEnum",
        }
    }

    pub(super) fn iid(&self) -> sys::GUID {
        match self.items {
            Items::Modules(_) => sys::IID_ICorProfilerModuleEnum,
            Items::Threads(_) => sys::IID_ICorProfilerThreadEnum,
            Items::Functions(_) => sys::IID_ICorProfilerFunctionEnum,
        }
    }

    fn length(&self) -> usize {
        match &self.items {
            Items::Modules(ids) | Items::Threads(ids) => ids.len(),
            Items::Functions(ids) => ids.len(),
        }
    }

    fn with<R>(&self, work: impl FnOnce(&mut usize) -> R) -> R {
        work(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the range of the next elements, at most as many as requested.
    fn take(&self, wanted: u32) -> core::ops::Range<usize> {
        self.with(|read| {
            let end = read.saturating_add(wanted as usize).min(self.length());
            let taken = *read..end;
            *read = end;
            taken
        })
    }
}

fn list_of(object: &Object) -> Result<&List, HResult> {
    match object.kind() {
        Kind::List(list) => Ok(list),
        _ => Err(HResult::E_INVALIDARG),
    }
}

/// `S_FALSE` if there were fewer than requested.
fn all_of(taken: usize, wanted: u32) -> Answer {
    if taken == wanted as usize { Ok(()) } else { Err(HResult::S_FALSE) }
}

/// Declares an enumerator: its vtable, its interface, its elements and which list has them.
macro_rules! enumerators {
    ($($vtable:ident: $interface:ident, $vtable_type:ident, $element:ty, $items:ident;)*) => {
        /// The vtable of a list.
        pub(super) fn vtable(list: &List) -> *const c_void {
            match list.items {
                $(Items::$items(_) => core::ptr::from_ref(const { &$vtable }).cast(),)*
            }
        }

        $(const $vtable: sys::$vtable_type = {
            unsafe extern "system" fn Skip(this: *mut sys::$interface, count: sys::ULONG) -> sys::HRESULT {
                // SAFETY: as the contract of the folder has it.
                unsafe {
                    answer(this.cast(), concat!(stringify!($interface), "::Skip"), |object| {
                        all_of(list_of(object)?.take(count).len(), count)
                    })
                }
            }

            unsafe extern "system" fn Reset(this: *mut sys::$interface) -> sys::HRESULT {
                // SAFETY: as the contract of the folder has it.
                unsafe {
                    answer(this.cast(), concat!(stringify!($interface), "::Reset"), |object| {
                        list_of(object)?.with(|read| *read = 0);
                        Ok(())
                    })
                }
            }

            unsafe extern "system" fn Clone(
                this: *mut sys::$interface,
                out: *mut *mut sys::$interface,
            ) -> sys::HRESULT {
                // SAFETY: as the contract of the folder has it.
                unsafe {
                    answer(this.cast(), concat!(stringify!($interface), "::Clone"), |object| {
                        let list = list_of(object)?;
                        let read = list.with(|read| *read);
                        let copy = List { items: list.items.clone(), read: Mutex::new(read) };
                        put(out, object.sibling(Kind::List(copy)).cast());
                        Ok(())
                    })
                }
            }

            unsafe extern "system" fn GetCount(this: *mut sys::$interface, out: *mut sys::ULONG) -> sys::HRESULT {
                // SAFETY: as the contract of the folder has it.
                unsafe {
                    answer(this.cast(), concat!(stringify!($interface), "::GetCount"), |object| {
                        put(out, u32::try_from(list_of(object)?.length()).unwrap_or(u32::MAX));
                        Ok(())
                    })
                }
            }

            unsafe extern "system" fn Next(
                this: *mut sys::$interface,
                count: sys::ULONG,
                out: *mut $element,
                fetched: *mut sys::ULONG,
            ) -> sys::HRESULT {
                // SAFETY: as the contract of the folder has it.
                unsafe {
                    answer(this.cast(), concat!(stringify!($interface), "::Next"), |object| {
                        let list = list_of(object)?;
                        let Items::$items(items) = &list.items else { return Err(HResult::E_INVALIDARG) };
                        let taken = items.get(list.take(count)).unwrap_or_default();
                        put_list(out, count, core::ptr::null_mut(), taken);
                        put(fetched, length_of(taken));
                        all_of(taken.len(), count)
                    })
                }
            }

            sys::$vtable_type { base: UNKNOWN, Skip, Reset, Clone, GetCount, Next }
        };)*
    };
}

enumerators! {
    MODULES: ICorProfilerModuleEnum, ICorProfilerModuleEnumVtbl, sys::ModuleID, Modules;
    THREADS: ICorProfilerThreadEnum, ICorProfilerThreadEnumVtbl, sys::ThreadID, Threads;
    FUNCTIONS: ICorProfilerFunctionEnum, ICorProfilerFunctionEnumVtbl, sys::COR_PRF_FUNCTION, Functions;
}
