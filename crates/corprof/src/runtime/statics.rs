//! Where static fields lie.
#![forbid(unsafe_code)]

use corprof_types::{AppDomainId, ClassId, HResult};
use sigparse::FieldDef;

use crate::error::{Error, Result};
use crate::runtime::ProfilerInfo;

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
        Ok(StaticKind::from_bits_retain(self.raw().static_field_kind(class, field)?.0))
    }

    /// Where a static field lies that is in the image (`ICorProfilerInfo2::GetRVAStaticAddress`). To be asked for in a
    /// callback on a managed thread.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` before the class has been loaded, on .NET 9 initialised, which reading the data does
    /// not do; `CORPROF_E_NOT_MANAGED_THREAD` on a thread of the profiler's own.
    #[doc(alias = "GetRVAStaticAddress")]
    pub fn rva_static_address(&self, class: ClassId, field: FieldDef) -> Result<usize> {
        Ok(self.raw().rva_static_address(class, field)?.0)
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
        Ok(self.raw().app_domain_static_address(class, field, app_domain)?.0)
    }

    /// Returns the address of a static field of the calling thread's own (`ICorProfilerInfo3::GetThreadStaticAddress2`).
    ///
    /// Those of other threads are found by
    /// [`RuntimeSuspension::thread_static_address`](crate::RuntimeSuspension::thread_static_address).
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the thread has not touched the field yet. `CORPROF_E_NOT_MANAGED_THREAD`: the calling
    /// thread is not managed.
    #[doc(alias = "GetThreadStaticAddress")]
    #[doc(alias = "GetThreadStaticAddress2")]
    pub fn thread_static_address(
        &self,
        class: ClassId,
        field: FieldDef,
        app_domain: AppDomainId,
    ) -> Result<usize> {
        let (call, hresult) =
            ("ICorProfilerInfo3::GetThreadStaticAddress2", HResult::CORPROF_E_NOT_MANAGED_THREAD);
        let thread = self.current_thread()?.ok_or(Error::Call { call, hresult })?;
        Ok(self.raw().thread_static_address(class, field, app_domain, thread)?.0)
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
