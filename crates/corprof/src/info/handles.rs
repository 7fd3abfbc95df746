//! Handles: references of the profiler's own, which keep objects alive or follow them.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

use corprof_sys as sys;

use super::call;
use crate::ids::ObjectId;
use crate::{Error, ProfilerInfo, Result};

/// What a handle does for its object (`COR_PRF_HANDLE_TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandleKind {
    /// Follows it, and is empty once it was collected.
    Weak,
    /// Keeps it alive.
    Strong,
    /// Keeps it alive and in its place.
    Pinned,
}

/// A reference of the profiler's own to an object, which outlives callbacks. Destroyed on drop.
///
/// When the runtime has shut down, dropping it does nothing. A profiler that is going to be detached has to drop it before
/// it asks for that: afterwards the runtime refuses, and the object stays alive.
#[derive(Debug)]
pub struct ObjectHandle {
    info: ProfilerInfo,
    handle: NonNull<*mut c_void>,
}

// SAFETY: the handle is a number to the runtime, which may be asked from any thread.
unsafe impl Send for ObjectHandle {}
// SAFETY: as above.
unsafe impl Sync for ObjectHandle {}

impl ProfilerInfo {
    /// Makes a handle for an object (`ICorProfilerInfo13::CreateHandle`).
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from a callback that does not allow it, such as those of the collector, and
    /// on a managed thread that is in no callback.
    #[doc(alias = "CreateHandle")]
    pub fn create_handle(&self, object: ObjectId<'_>, kind: HandleKind) -> Result<ObjectHandle> {
        let kind = match kind {
            HandleKind::Weak => sys::COR_PRF_HANDLE_TYPE_WEAK,
            HandleKind::Strong => sys::COR_PRF_HANDLE_TYPE_STRONG,
            HandleKind::Pinned => sys::COR_PRF_HANDLE_TYPE_PINNED,
        };
        let mut handle = null_mut();
        // SAFETY: the object is alive during the callback that its id borrows from; a local.
        unsafe { call!(self, ICorProfilerInfo13::CreateHandle(object.as_raw(), kind, &raw mut handle)) }?;
        let handle = NonNull::new(handle)
            .ok_or(Error::Null { call: "ICorProfilerInfo13::CreateHandle", what: "handle" })?;
        Ok(ObjectHandle { info: self.clone(), handle })
    }
}

impl ObjectHandle {
    /// The object, as long as the callback that `scope` stands for runs; `None` once it was collected
    /// (`ICorProfilerInfo13::GetObjectIDFromHandle`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetObjectIDFromHandle")]
    pub fn object<'cb, T: ?Sized>(&self, scope: &'cb T) -> Result<Option<ObjectId<'cb>>> {
        let mut object = 0;
        // SAFETY: the handle is not destroyed yet; a local.
        unsafe {
            call!(
                &self.info,
                ICorProfilerInfo13::GetObjectIDFromHandle(self.handle.as_ptr(), &raw mut object)
            )
        }?;
        Ok(ObjectId::from_raw(object, scope))
    }

    /// Destroys the handle (`ICorProfilerInfo13::DestroyHandle`), as dropping it does, and says whether that worked.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "DestroyHandle")]
    pub fn destroy(self) -> Result<()> {
        let handle = core::mem::ManuallyDrop::new(self);
        // SAFETY: the handle is not dropped again, and its façade is read once.
        let info = unsafe { core::ptr::read(&raw const handle.info) };
        // SAFETY: the handle is destroyed once.
        unsafe { destroy(&info, handle.handle) }
    }
}

impl Drop for ObjectHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is destroyed once.
        match unsafe { destroy(&self.info, self.handle) } {
            Ok(()) | Err(Error::Ended { .. }) => {}
            Err(error) => tracing::warn!("a handle was not destroyed: {error}"),
        }
    }
}

/// # Safety
/// The handle has not been destroyed, and is not used afterwards.
unsafe fn destroy(info: &ProfilerInfo, handle: NonNull<*mut c_void>) -> Result<()> {
    // SAFETY: says the caller.
    unsafe { call!(info, ICorProfilerInfo13::DestroyHandle(handle.as_ptr())) }.map(drop)
}
