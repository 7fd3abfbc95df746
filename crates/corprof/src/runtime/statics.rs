//! The addresses of static fields.
#![forbid(unsafe_code)]

use corprof_types::{AppDomainId, ClassId, HResult};
use sigparse::FieldDef;

use crate::error::{Error, Result};
use crate::runtime::ProfilerInfo;

bitflags::bitflags! {
    /// The kind of a static field (`COR_PRF_STATIC_TYPE`); empty for an instance field.
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

/// An address is that of the field's value, or for a reference type that of the reference. A value type that is not
/// primitive is boxed: its address is that of the reference to the box, or on newer runtimes that of the value in the
/// box. Boxes move with the heap, so an address is stale after the next collection. `CORPROF_E_DATAINCOMPLETE` is
/// returned for a field whose class has not been initialised, and for one that the program has not accessed yet.
impl ProfilerInfo {
    /// Returns the kind of a static field.
    ///
    /// `ICorProfilerInfo2::GetStaticFieldInfo`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the field belongs to another class. Any other failure of the call.
    #[doc(alias = "GetStaticFieldInfo")]
    pub fn static_field_kind(&self, class: ClassId, field: FieldDef) -> Result<StaticKind> {
        Ok(StaticKind::from_bits_retain(self.raw().static_field_kind(class, field)?.0))
    }

    /// Returns the address of a static field that lies in the image.
    ///
    /// `ICorProfilerInfo2::GetRVAStaticAddress`. Must be called in a callback on a managed thread.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the class has not been loaded, or on .NET 9 initialised; reading the data does not
    /// initialise it. `CORPROF_E_NOT_MANAGED_THREAD`: called on a thread of the profiler's own. Any other failure of
    /// the call.
    #[doc(alias = "GetRVAStaticAddress")]
    pub fn rva_static_address(&self, class: ClassId, field: FieldDef) -> Result<usize> {
        Ok(self.raw().rva_static_address(class, field)?.0)
    }

    /// Returns the address of an ordinary static field.
    ///
    /// `ICorProfilerInfo2::GetAppDomainStaticAddress`.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the class has not been initialised, or is being unloaded. [`Error::Unsafe`]: on .NET
    /// Core 3.1, the class or a type argument is collectible. Any other failure of the call.
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

    /// Returns the address of a thread static field for the calling thread.
    ///
    /// `ICorProfilerInfo3::GetThreadStaticAddress2`. For other threads see
    /// [`RuntimeSuspension::thread_static_address`](crate::RuntimeSuspension::thread_static_address).
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the thread has not accessed the field yet. `CORPROF_E_NOT_MANAGED_THREAD`: the
    /// calling thread is not managed. Any other failure of the call.
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
    /// Core 3.1 looks for the fields in an object that no longer exists. Newer runtimes look whether it is there.
    fn refuse_what_may_go(&self, call: &'static str, class: ClassId) -> Result<()> {
        // The interface of .NET 5.
        if self.version() >= 12 || !self.class_may_go(class)? {
            return Ok(());
        }
        let why = "the class can be unloaded, and .NET Core 3.1 crashes if its context is about to be";
        Err(Error::Unsafe { call, why })
    }
}
