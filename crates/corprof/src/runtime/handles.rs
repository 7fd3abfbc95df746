//! GC handles of the profiler.
#![forbid(unsafe_code)]

use corprof_sys as sys;
use corprof_types::ObjectId;

use crate::error::{Error, Result};
use crate::raw::evidence::{NoCollection, Object};
use crate::raw::info::Handle;
use crate::runtime::ProfilerInfo;

/// The kind of a GC handle (`COR_PRF_HANDLE_TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandleKind {
    /// Does not keep the object alive; empty after it was collected.
    Weak,
    /// Keeps the object alive.
    Strong,
    /// Keeps the object alive and pinned.
    Pinned,
}

impl HandleKind {
    pub(super) fn to_sys(self) -> sys::COR_PRF_HANDLE_TYPE {
        match self {
            Self::Weak => sys::COR_PRF_HANDLE_TYPE_WEAK,
            Self::Strong => sys::COR_PRF_HANDLE_TYPE_STRONG,
            Self::Pinned => sys::COR_PRF_HANDLE_TYPE_PINNED,
        }
    }
}

/// A GC handle of the profiler, destroyed on drop.
///
/// After the shutdown of the runtime, dropping it does nothing. Before [`request_detach`](ProfilerInfo::request_detach)
/// a profiler has to drop its handles: afterwards the runtime refuses to destroy them, and strong ones keep their
/// objects alive.
#[derive(Debug)]
pub struct ObjectHandle {
    info: ProfilerInfo,
    /// Empty once it was destroyed.
    handle: Option<Handle>,
}

impl ProfilerInfo {
    /// Creates a GC handle for an object.
    ///
    /// `ICorProfilerInfo13::CreateHandle`.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a callback that does not allow it, such as those of a garbage
    /// collection, or on a managed thread outside of callbacks. Any other failure of the call.
    #[doc(alias = "CreateHandle")]
    pub fn create_handle(&self, object: impl Object, kind: HandleKind) -> Result<ObjectHandle> {
        let handle = self.raw().create_handle(object.id(), kind.to_sys())?;
        let call = "ICorProfilerInfo13::CreateHandle";
        let handle = Some(handle.ok_or(Error::Null { call, what: "handle" })?);
        Ok(ObjectHandle { info: self.clone(), handle })
    }
}

impl ObjectHandle {
    /// Returns the object; `None` once it was collected (`ICorProfilerInfo13::GetObjectIDFromHandle`).
    ///
    /// `during` is evidence that no collection runs: a [`RuntimeSuspension`](crate::RuntimeSuspension), the frame of an ELT
    /// hook, or an object that a callback has passed. The object's id lives as long.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetObjectIDFromHandle")]
    pub fn object<'s>(&self, during: impl Into<NoCollection<'s>>) -> Result<Option<ObjectId<'s>>> {
        let Some(handle) = &self.handle else { return Ok(None) };
        self.info.raw().object_of_handle(handle, during.into())
    }

    /// Returns whether the object has not been collected (`ICorProfilerInfo13::GetObjectIDFromHandle`).
    ///
    /// # Errors
    /// Any failure of the call.
    pub fn is_alive(&self) -> Result<bool> {
        self.handle.as_ref().map_or(Ok(false), |handle| self.info.raw().is_handle_alive(handle))
    }

    /// Destroys the handle, as dropping it does.
    ///
    /// `ICorProfilerInfo13::DestroyHandle`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "DestroyHandle")]
    pub fn destroy(mut self) -> Result<()> {
        self.destroy_once()
    }

    fn destroy_once(&mut self) -> Result<()> {
        self.handle.take().map_or(Ok(()), |handle| self.info.raw().destroy_handle(handle))
    }
}

impl Drop for ObjectHandle {
    fn drop(&mut self) {
        match self.destroy_once() {
            Ok(()) | Err(Error::Ended { .. }) => {}
            Err(error) => tracing::warn!("a handle was not destroyed: {error}"),
        }
    }
}
