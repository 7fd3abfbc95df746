//! Metadata that is in no module: `IMetaDataDispenserEx`.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::null_mut;

use corprof_sys as sys;
use corprof_types::HResult;
use widestring::U16CStr;

use super::{Emit, Import};
use crate::error::{Error, Result};
use crate::raw::buffers::length_of;
use crate::raw::call::checked;
use crate::raw::interface::{self, DispenserPtr, EmitPtr, ImportPtr};
use crate::raw::library;

/// What opens and makes metadata.
pub(crate) struct Dispenser(DispenserPtr);

/// `VARIANT`, as far as options need it: a number of 32 bits.
#[repr(C)]
struct Variant {
    kind: u16,
    reserved: [u16; 3],
    number: u32,
    rest: [u32; 3],
}

impl Variant {
    /// `VT_UI4`.
    const NUMBER: u16 = 19;

    fn number(number: u32) -> Self {
        Self { kind: Self::NUMBER, reserved: [0; 3], number, rest: [0; 3] }
    }
}

impl Dispenser {
    /// `MetaDataGetDispenser`, which the runtime's library exports: the library that has `within` in it.
    pub(crate) fn of_library(within: *const c_void) -> Result<Self> {
        type GetDispenser =
            unsafe extern "system" fn(sys::REFCLSID, sys::REFIID, *mut *mut c_void) -> sys::HRESULT;
        const CALL: &str = "MetaDataGetDispenser";
        let function = library::exported(within, c"MetaDataGetDispenser")?;
        // SAFETY: the runtime exports a function of this name with this signature (cor.h).
        let function: GetDispenser = unsafe { core::mem::transmute(function.as_ptr()) };
        let mut out = null_mut();
        let (clsid, iid) = (sys::CLSID_CorMetaDataDispenser, sys::IID_IMetaDataDispenserEx);
        // SAFETY: locals.
        checked(CALL, unsafe { function(&raw const clsid, &raw const iid, &raw mut out) })?;
        // SAFETY: the call succeeded and returned the interface that was named, with a reference.
        let dispenser = unsafe { interface::from_raw::<DispenserPtr>(out) };
        let mut dispenser = Self(dispenser.ok_or(Error::Null { call: CALL, what: "dispenser" })?);
        // What it opens may be used from several threads at once.
        dispenser.set_option(&sys::MetaDataThreadSafetyOptions, sys::MDThreadSafetyOn.0)?;
        Ok(dispenser)
    }

    fn this(&self) -> *mut sys::IMetaDataDispenser {
        self.0.as_ptr().cast()
    }

    /// `IMetaDataDispenser::OpenScopeOnMemory`, for reading; the bytes are copied.
    pub(crate) fn open_memory(&self, bytes: &[u8]) -> Result<Import> {
        const CALL: &str = "IMetaDataDispenser::OpenScopeOnMemory";
        let (this, length, iid) = (self.this(), length_of(CALL, bytes)?, sys::IID_IMetaDataImport2);
        let mut out = null_mut();
        // SAFETY: a live interface; bytes with their length, which are copied before the call returns; locals.
        let code = unsafe {
            ((*(*this).lpVtbl).OpenScopeOnMemory)(
                this,
                bytes.as_ptr().cast(),
                length,
                sys::ofReadOnly.0 | sys::ofCopyMemory.0,
                &raw const iid,
                &raw mut out,
            )
        };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned the interface that was named, with a reference.
        let import = unsafe { interface::from_raw::<ImportPtr>(out.cast()) };
        import.map(Import::new).ok_or(Error::Null { call: CALL, what: "metadata" })
    }

    /// `IMetaDataDispenser::OpenScope`, for writing: the metadata copies the file's.
    pub(crate) fn open_for_writing(&self, path: &U16CStr) -> Result<Emit> {
        const CALL: &str = "IMetaDataDispenser::OpenScope";
        let (this, iid) = (self.this(), sys::IID_IMetaDataEmit2);
        let mut out = null_mut();
        // SAFETY: a live interface, a text with a terminating zero, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).OpenScope)(this, path.as_ptr(), sys::ofWrite.0, &raw const iid, &raw mut out)
        };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned the interface that was named, with a reference.
        unsafe { made(CALL, out) }
    }

    /// `IMetaDataDispenser::DefineScope`.
    pub(crate) fn define(&self) -> Result<Emit> {
        const CALL: &str = "IMetaDataDispenser::DefineScope";
        let (this, iid, clsid) = (self.this(), sys::IID_IMetaDataEmit2, sys::CLSID_CLR_v2_MetaData);
        let mut out = null_mut();
        // SAFETY: a live interface, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).DefineScope)(this, &raw const clsid, 0, &raw const iid, &raw mut out)
        };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned the interface that was named, with a reference.
        unsafe { made(CALL, out) }
    }

    /// `IMetaDataDispenserEx::SetOption`.
    pub(crate) fn set_option(&mut self, option: &sys::GUID, value: u32) -> Result<()> {
        let (this, value) = (self.0.as_ptr(), Variant::number(value));
        // SAFETY: a live interface, locals; the layout is that of a VARIANT.
        let code =
            unsafe { ((*(*this).lpVtbl).SetOption)(this, &raw const *option, (&raw const value).cast()) };
        checked("IMetaDataDispenserEx::SetOption", code).map(drop)
    }

    /// `IMetaDataDispenserEx::GetOption`.
    pub(crate) fn option(&self, option: &sys::GUID) -> Result<u32> {
        const CALL: &str = "IMetaDataDispenserEx::GetOption";
        let (this, mut value) = (self.0.as_ptr(), Variant::number(0));
        // SAFETY: a live interface, locals; the layout is that of a VARIANT.
        let code =
            unsafe { ((*(*this).lpVtbl).GetOption)(this, &raw const *option, (&raw mut value).cast()) };
        checked(CALL, code)?;
        if value.kind != Variant::NUMBER {
            return Err(Error::Call { call: CALL, hresult: HResult::E_UNEXPECTED });
        }
        Ok(value.number)
    }
}

/// What was made or opened for writing.
///
/// # Safety
/// `out` is null, or points to `IMetaDataEmit2` with a reference that is given away.
unsafe fn made(call: &'static str, out: *mut sys::IUnknown) -> Result<Emit> {
    // SAFETY: the caller's promise.
    let emit = unsafe { interface::from_raw::<EmitPtr>(out.cast()) };
    Emit::new(emit.ok_or(Error::Null { call, what: "metadata" })?)
}
