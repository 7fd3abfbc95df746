//! Where static fields lie.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use sigparse::FieldDef;

use super::call;
use crate::ids::{AppDomainId, ClassId, ThreadId};
use crate::{Error, ProfilerInfo, Result};

bitflags::bitflags! {
    /// What kind of static field it is (`COR_PRF_STATIC_TYPE`); none of them for a field that is not static.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct StaticKind: u32 {
        /// One for each application domain: an ordinary static field.
        const APP_DOMAIN = 0x1;
        /// One for each thread: `[ThreadStatic]`.
        const THREAD = 0x2;
        /// One for each context (.NET Framework only).
        const CONTEXT = 0x4;
        /// In the image: the initial values of arrays, for instance.
        const RVA = 0x8;
        const _ = !0;
    }
}

/// The addresses here hold the value of the field, or for a reference type the reference. A value of a value type that
/// is not primitive is boxed: its address is that of the reference to the box, or, on newer runtimes, of the value in
/// the box. Boxes move with the heap, so an address is good until the next collection only. The runtime reports
/// `CORPROF_E_DATAINCOMPLETE` for a field whose class has not been initialised, and for one that the program has not
/// touched yet.
impl ProfilerInfo {
    /// What kind of static field it is (`ICorProfilerInfo2::GetStaticFieldInfo`).
    ///
    /// # Errors
    /// What the runtime reports: `E_INVALIDARG` for a field of another class.
    #[doc(alias = "GetStaticFieldInfo")]
    pub fn static_field_kind(&self, class: ClassId, field: FieldDef) -> Result<StaticKind> {
        let mut kind = sys::COR_PRF_STATIC_TYPE(0);
        // SAFETY: a local.
        unsafe {
            call!(self, ICorProfilerInfo2::GetStaticFieldInfo(class.as_raw(), field.token(), &raw mut kind))
        }?;
        Ok(StaticKind::from_bits_retain(kind.0))
    }

    /// Where a static field lies that is in the image (`ICorProfilerInfo2::GetRVAStaticAddress`). To be asked for in a
    /// callback on a managed thread.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` before the class has been loaded, on .NET 9 initialised, which reading the data does
    /// not do; `CORPROF_E_NOT_MANAGED_THREAD` on a thread of the profiler's own.
    #[doc(alias = "GetRVAStaticAddress")]
    pub fn rva_static_address(&self, class: ClassId, field: FieldDef) -> Result<usize> {
        let mut address = null_mut();
        // SAFETY: a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo2::GetRVAStaticAddress(class.as_raw(), field.token(), &raw mut address)
            )
        }?;
        Ok(address.addr())
    }

    /// Where an ordinary static field lies (`ICorProfilerInfo2::GetAppDomainStaticAddress`).
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` before the class has been initialised, and while it is being unloaded;
    /// [`Error::Unsafe`] on .NET Core 3.1 for a class that can be unloaded, or has a type argument that can.
    #[doc(alias = "GetAppDomainStaticAddress")]
    pub fn app_domain_static_address(
        &self,
        class: ClassId,
        field: FieldDef,
        app_domain: AppDomainId,
    ) -> Result<usize> {
        self.refuse_what_may_go("ICorProfilerInfo2::GetAppDomainStaticAddress", class)?;
        let mut address = null_mut();
        // SAFETY: a local; the class is none of those that the runtime crashes at.
        unsafe {
            call!(
                self,
                ICorProfilerInfo2::GetAppDomainStaticAddress(
                    class.as_raw(),
                    field.token(),
                    app_domain.as_raw(),
                    &raw mut address,
                )
            )
        }?;
        Ok(address.addr())
    }

    /// Where a thread's own static field lies (`ICorProfilerInfo3::GetThreadStaticAddress2`). The thread has to be
    /// the one that asks, or to stand still.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` before the thread has touched the field.
    #[doc(alias = "GetThreadStaticAddress")]
    #[doc(alias = "GetThreadStaticAddress2")]
    pub fn thread_static_address(
        &self,
        class: ClassId,
        field: FieldDef,
        app_domain: AppDomainId,
        thread: ThreadId,
    ) -> Result<usize> {
        let mut address = null_mut();
        // SAFETY: a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo3::GetThreadStaticAddress2(
                    class.as_raw(),
                    field.token(),
                    app_domain.as_raw(),
                    thread.as_raw(),
                    &raw mut address,
                )
            )
        }?;
        Ok(address.addr())
    }

    /// Between the collection after which nobody refers to a class's context and the report that it is unloaded, .NET
    /// Core 3.1 looks for the fields in an object that has gone. Newer runtimes look whether it is there.
    fn refuse_what_may_go(&self, call: &'static str, class: ClassId) -> Result<()> {
        // The interface of .NET 5.
        if self.version() >= 12 || !self.class_may_go(class)? {
            return Ok(());
        }
        let why = "the class can be unloaded, and .NET Core 3.1 crashes if its context is about to be";
        Err(Error::Unsafe { call, why })
    }
}
