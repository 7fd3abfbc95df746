//! Lists that the runtime hands out piece by piece.
//!
//! Contract of the unsafe code here: the interface pointer is alive as long as the list, buffers are passed with
//! their length, and what is written is read after success only.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{checked, room_of};
use crate::com::interface::{
    self, FunctionEnumPtr, MethodEnumPtr, ModuleEnumPtr, ObjectEnumPtr, ThreadEnumPtr,
};
use crate::ids::{FunctionId, ModuleId, ObjectId, ReJitId, ThreadId};
use crate::{Error, Result};

/// How many elements are asked for at once.
const PIECE: usize = 64;

/// A list that the runtime hands out piece by piece, 64 elements at once (`ICorProfilerModuleEnum::Next`,
/// `ICorProfilerObjectEnum::Next`, `ICorProfilerFunctionEnum::Next`, `ICorProfilerThreadEnum::Next`,
/// `ICorProfilerMethodEnum::Next`): an iterator that ends after an error. The runtime's object is released on drop.
///
/// The list is the one of the moment in which it was asked for; what it names may be gone by the time that it is
/// looked at.
#[doc(alias = "Next")]
pub struct Enumerator<T> {
    list: Box<dyn List<T>>,
    piece: Vec<T>,
    done: bool,
}

/// One of the enumerator interfaces.
trait List<T>: Send + Sync {
    /// Adds the next elements, and says whether there may be more.
    fn next(&self, piece: &mut Vec<T>) -> Result<bool>;
    fn skip(&self, count: u32) -> Result<()>;
    fn reset(&self) -> Result<()>;
    fn count(&self) -> Result<u32>;
    fn try_clone(&self) -> Result<Box<dyn List<T>>>;
}

impl<T> Enumerator<T> {
    /// How many elements the list has, those included that were already handed out
    /// (`ICorProfilerModuleEnum::GetCount`, `ICorProfilerObjectEnum::GetCount`, `ICorProfilerFunctionEnum::GetCount`,
    /// `ICorProfilerThreadEnum::GetCount`, `ICorProfilerMethodEnum::GetCount`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetCount")]
    pub fn total(&self) -> Result<u32> {
        self.list.count()
    }

    /// Leaves out the next `count` elements (`ICorProfilerModuleEnum::Skip`, `ICorProfilerObjectEnum::Skip`,
    /// `ICorProfilerFunctionEnum::Skip`, `ICorProfilerThreadEnum::Skip`, `ICorProfilerMethodEnum::Skip`). Fewer that
    /// are left end the list.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "Skip")]
    pub fn leave_out(&mut self, count: u32) -> Result<()> {
        let buffered = self.piece.len().min(count as usize);
        self.piece.truncate(self.piece.len() - buffered);
        match count - u32::try_from(buffered).unwrap_or(count) {
            0 => Ok(()),
            rest => self.list.skip(rest),
        }
    }

    /// Begins again (`ICorProfilerModuleEnum::Reset`, `ICorProfilerObjectEnum::Reset`,
    /// `ICorProfilerFunctionEnum::Reset`, `ICorProfilerThreadEnum::Reset`, `ICorProfilerMethodEnum::Reset`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "Reset")]
    pub fn reset(&mut self) -> Result<()> {
        self.piece.clear();
        self.done = false;
        self.list.reset()
    }

    /// A second enumerator of the same list, at the same place (`ICorProfilerModuleEnum::Clone`,
    /// `ICorProfilerObjectEnum::Clone`, `ICorProfilerFunctionEnum::Clone`, `ICorProfilerThreadEnum::Clone`,
    /// `ICorProfilerMethodEnum::Clone`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "Clone")]
    pub fn try_clone(&self) -> Result<Self>
    where
        T: Clone,
    {
        Ok(Self { list: self.list.try_clone()?, piece: self.piece.clone(), done: self.done })
    }

    fn new(list: impl List<T> + 'static) -> Self {
        Self { list: Box::new(list), piece: Vec::new(), done: false }
    }
}

impl<T> Iterator for Enumerator<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        while self.piece.is_empty() && !self.done {
            match self.list.next(&mut self.piece) {
                Ok(more) => self.done = !more,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            }
            // They are taken from the end.
            self.piece.reverse();
        }
        self.piece.pop().map(Ok)
    }
}

impl<T> core::fmt::Debug for Enumerator<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Enumerator")
    }
}

/// A version of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionVersion {
    /// The method.
    pub function: FunctionId,
    /// Which version; `None` for the first.
    pub rejit: Option<ReJitId>,
}

/// A method as its module has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleMethod {
    /// The module.
    pub module: ModuleId,
    /// The method in it.
    pub method: MethodDef,
}

/// Implements [`List`] for an interface: its wrapper, its element, the runtime's element, a zero of that, and how the
/// one is made of the other.
macro_rules! lists {
    ($($pointer:ident, $interface:ident, $element:ty, $zero:expr, |$raw:ident| $make:expr;)*) => {$(
        impl List<$element> for $pointer {
            fn next(&self, piece: &mut Vec<$element>) -> Result<bool> {
                let (mut room, mut fetched) = ([$zero; PIECE], 0);
                let this = self.as_ptr();
                // SAFETY: a live enumerator, a buffer with its length, a local.
                let code = unsafe {
                    ((*(*this).lpVtbl).Next)(this, room_of(&room), room.as_mut_ptr(), &raw mut fetched)
                };
                checked(concat!(stringify!($interface), "::Next"), code)?;
                let fetched = fetched as usize;
                piece.extend(room.iter().take(fetched).filter_map(|$raw| $make));
                Ok(fetched >= PIECE)
            }

            fn skip(&self, count: u32) -> Result<()> {
                let this = self.as_ptr();
                // SAFETY: a live enumerator.
                let code = unsafe { ((*(*this).lpVtbl).Skip)(this, count) };
                checked(concat!(stringify!($interface), "::Skip"), code).map(drop)
            }

            fn reset(&self) -> Result<()> {
                let this = self.as_ptr();
                // SAFETY: a live enumerator.
                let code = unsafe { ((*(*this).lpVtbl).Reset)(this) };
                checked(concat!(stringify!($interface), "::Reset"), code).map(drop)
            }

            fn count(&self) -> Result<u32> {
                let (this, mut count) = (self.as_ptr(), 0);
                // SAFETY: a live enumerator, a local.
                let code = unsafe { ((*(*this).lpVtbl).GetCount)(this, &raw mut count) };
                checked(concat!(stringify!($interface), "::GetCount"), code)?;
                Ok(count)
            }

            fn try_clone(&self) -> Result<Box<dyn List<$element>>> {
                const CALL: &str = concat!(stringify!($interface), "::Clone");
                let (this, mut out) = (self.as_ptr(), null_mut::<sys::$interface>());
                // SAFETY: a live enumerator, a local.
                let code = unsafe { ((*(*this).lpVtbl).Clone)(this, &raw mut out) };
                checked(CALL, code)?;
                // SAFETY: the runtime has given an enumerator, with a reference.
                let list = unsafe { interface::from_raw::<Self>(out.cast()) };
                Ok(Box::new(list.ok_or(Error::Null { call: CALL, what: "enumerator" })?))
            }
        }

        impl Enumerator<$element> {
            /// Takes over what the runtime has given.
            ///
            /// # Safety
            /// `raw` is null, or an enumerator of this interface with a reference that is given away.
            pub(super) unsafe fn from_raw(call: &'static str, raw: *mut sys::$interface) -> Result<Self> {
                // SAFETY: says the caller.
                let list = unsafe { interface::from_raw::<$pointer>(raw.cast()) };
                Ok(Self::new(list.ok_or(Error::Null { call, what: "enumerator" })?))
            }
        }
    )*};
}

lists! {
    ModuleEnumPtr, ICorProfilerModuleEnum, ModuleId, 0, |raw| ModuleId::from_raw(*raw);
    ThreadEnumPtr, ICorProfilerThreadEnum, ThreadId, 0, |raw| ThreadId::from_raw(*raw);
    ObjectEnumPtr, ICorProfilerObjectEnum, ObjectId<'static>, 0, |raw| ObjectId::in_callback(*raw);
    FunctionEnumPtr, ICorProfilerFunctionEnum, FunctionVersion,
        sys::COR_PRF_FUNCTION { functionId: 0, reJitId: 0 },
        |raw| Some(FunctionVersion {
            function: FunctionId::from_raw(raw.functionId)?,
            rejit: ReJitId::from_raw(raw.reJitId),
        });
    MethodEnumPtr, ICorProfilerMethodEnum, ModuleMethod,
        sys::COR_PRF_METHOD { moduleId: 0, methodId: 0 },
        |raw| Some(ModuleMethod {
            module: ModuleId::from_raw(raw.moduleId)?,
            method: MethodDef::from_token(raw.methodId)?,
        });
}
