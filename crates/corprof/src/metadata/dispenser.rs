//! Metadata that is in no module of the process: opened from files and memory, or made.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::path::Path;

use corprof_sys as sys;

use super::scope::wide_path;
use super::{Metadata, MetadataEmit, MetadataScope};
use crate::com::interface::{self, DispenserPtr, EmitPtr, ImportPtr};
use crate::com::library;
use crate::info::{checked, length_of};
use crate::{Error, HResult, ProfilerInfo, Result};

/// Opens metadata of files and memory, and makes new metadata (`IMetaDataDispenserEx`). From
/// [`ProfilerInfo::metadata_dispenser`].
///
/// What it opens has nothing to do with what the program has loaded. All of it locks itself for each call.
pub struct MetadataDispenser {
    dispenser: DispenserPtr,
}

/// An option of a dispenser, which counts for what is opened and made afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataOption(&'static sys::GUID);

impl MetadataOption {
    /// For which tables a row that is to be defined is looked for first (`MetaDataCheckDuplicatesFor`,
    /// `CorCheckDuplicatesFor`). By default for type references, member references, signatures, type specifications
    /// and method specifications.
    pub const CHECK_DUPLICATES_FOR: Self = Self(&sys::MetaDataCheckDuplicatesFor);
    /// Which references to what the module itself defines become definitions when it is saved
    /// (`MetaDataRefToDefCheck`, `CorRefToDefCheck`).
    pub const REF_TO_DEF_CHECK: Self = Self(&sys::MetaDataRefToDefCheck);
    /// Which rows have to be defined in order, members right after their types (`MetaDataErrorIfEmitOutOfOrder`,
    /// `CorErrorIfEmitOutOfOrder`).
    pub const ERROR_IF_EMIT_OUT_OF_ORDER: Self = Self(&sys::MetaDataErrorIfEmitOutOfOrder);
    /// Which references to what the module itself defines are kept (`MetaDataPreserveLocalRefs`,
    /// `CorLocalRefPreservation`). Can be set and not be asked for.
    pub const PRESERVE_LOCAL_REFS: Self = Self(&sys::MetaDataPreserveLocalRefs);
}

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

impl ProfilerInfo {
    /// What opens metadata of files and memory, and makes new metadata: the function `MetaDataGetDispenser` that the
    /// runtime's library exports.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the runtime's library does not export it; what it reports.
    pub fn metadata_dispenser(&self) -> Result<MetadataDispenser> {
        type GetDispenser =
            unsafe extern "system" fn(sys::REFCLSID, sys::REFIID, *mut *mut c_void) -> sys::HRESULT;
        const CALL: &str = "MetaDataGetDispenser";
        // SAFETY: the vtable of a live interface is data of the library that implements it.
        let within: *const c_void = unsafe { (*self.as_ptr()).lpVtbl }.cast();
        let function = library::exported(within, c"MetaDataGetDispenser")?;
        // SAFETY: the runtime exports a function of this name with this signature (cor.h).
        let function: GetDispenser = unsafe { core::mem::transmute(function.as_ptr()) };
        let mut out = null_mut();
        let (clsid, iid) = (sys::CLSID_CorMetaDataDispenser, sys::IID_IMetaDataDispenserEx);
        // SAFETY: locals.
        checked(CALL, unsafe { function(&raw const clsid, &raw const iid, &raw mut out) })?;
        // SAFETY: the runtime has given a pointer to the interface that was asked for, with a reference.
        let dispenser = unsafe { interface::from_raw::<DispenserPtr>(out) };
        let mut dispenser =
            MetadataDispenser { dispenser: dispenser.ok_or(Error::Null { call: CALL, what: "dispenser" })? };
        // What it opens may be used from several threads at once, as `Metadata` promises.
        dispenser.set(&sys::MetaDataThreadSafetyOptions, sys::MDThreadSafetyOn.0)?;
        Ok(dispenser)
    }
}

/// Calls a method of `IMetaDataDispenser` or `IMetaDataDispenserEx`; `Ok` with the success code. To be used in an
/// `unsafe` block that argues for the arguments.
macro_rules! dispenser {
    ($dispenser:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $dispenser.dispenser.as_ptr().cast::<sys::$interface>();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        checked(concat!(stringify!($interface), "::", stringify!($method)), code)
    }};
}

impl MetadataDispenser {
    /// Opens a file for reading: an assembly, or bare metadata (`IMetaDataDispenser::OpenScope` with `ofReadOnly`).
    /// The file stays open as long as the metadata.
    ///
    /// # Errors
    /// What the metadata reports, for instance that there is no such file.
    #[doc(alias = "OpenScope")]
    pub fn open(&self, path: &Path) -> Result<Metadata> {
        let path = wide_path(path)?;
        let (mut out, iid) = (null_mut(), sys::IID_IMetaDataImport2);
        // SAFETY: a text with a terminating zero, locals.
        unsafe {
            dispenser!(
                self,
                IMetaDataDispenser::OpenScope(path.as_ptr(), sys::ofReadOnly.0, &raw const iid, &raw mut out,)
            )
        }?;
        // SAFETY: the interface that was asked for, with a reference.
        unsafe { opened("IMetaDataDispenser::OpenScope", out) }
    }

    /// Opens a file for writing (`IMetaDataDispenser::OpenScope` with `ofWrite`). The file itself is not changed.
    ///
    /// # Errors
    /// What the metadata reports, for instance that there is no such file.
    #[doc(alias = "OpenScope")]
    pub fn open_for_writing(&self, path: &Path) -> Result<MetadataScope> {
        let path = wide_path(path)?;
        let (mut out, iid) = (null_mut(), sys::IID_IMetaDataEmit2);
        // SAFETY: a text with a terminating zero, locals.
        unsafe {
            dispenser!(
                self,
                IMetaDataDispenser::OpenScope(path.as_ptr(), sys::ofWrite.0, &raw const iid, &raw mut out)
            )
        }?;
        // SAFETY: the interface that was asked for, with a reference.
        unsafe { made("IMetaDataDispenser::OpenScope", out) }
    }

    /// Opens the bytes of an assembly, or bare metadata, for reading: the metadata makes a copy of its part
    /// (`IMetaDataDispenser::OpenScopeOnMemory` with `ofCopyMemory`).
    ///
    /// # Errors
    /// What the metadata reports, for instance that this is no metadata.
    #[doc(alias = "OpenScopeOnMemory")]
    pub fn open_memory(&self, bytes: &[u8]) -> Result<Metadata> {
        const CALL: &str = "IMetaDataDispenser::OpenScopeOnMemory";
        let length = length_of(CALL, bytes)?;
        let (mut out, iid) = (null_mut(), sys::IID_IMetaDataImport2);
        // SAFETY: bytes with their length, which are copied before the call returns; locals.
        unsafe {
            dispenser!(
                self,
                IMetaDataDispenser::OpenScopeOnMemory(
                    bytes.as_ptr().cast(),
                    length,
                    sys::ofReadOnly.0 | sys::ofCopyMemory.0,
                    &raw const iid,
                    &raw mut out,
                )
            )
        }?;
        // SAFETY: the interface that was asked for, with a reference.
        unsafe { opened(CALL, out) }
    }

    /// Makes new metadata, with nothing but a module and its global type (`IMetaDataDispenser::DefineScope`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineScope")]
    pub fn define(&self) -> Result<MetadataScope> {
        let (mut out, iid) = (null_mut(), sys::IID_IMetaDataEmit2);
        let clsid = sys::CLSID_CLR_v2_MetaData;
        // SAFETY: locals.
        unsafe {
            dispenser!(
                self,
                IMetaDataDispenser::DefineScope(&raw const clsid, 0, &raw const iid, &raw mut out)
            )
        }?;
        // SAFETY: the interface that was asked for, with a reference.
        unsafe { made("IMetaDataDispenser::DefineScope", out) }
    }

    /// Sets an option (`IMetaDataDispenserEx::SetOption`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an option that the runtime does not have.
    #[doc(alias = "SetOption")]
    pub fn set_option(&mut self, option: MetadataOption, value: u32) -> Result<()> {
        self.set(option.0, value)
    }

    fn set(&mut self, option: &sys::GUID, value: u32) -> Result<()> {
        let value = Variant::number(value);
        // SAFETY: locals; the layout is that of a VARIANT.
        unsafe {
            dispenser!(self, IMetaDataDispenserEx::SetOption(&raw const *option, (&raw const value).cast()))
        }
        .map(drop)
    }

    /// What an option is (`IMetaDataDispenserEx::GetOption`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an option that cannot be asked for.
    #[doc(alias = "GetOption")]
    pub fn option(&self, option: MetadataOption) -> Result<u32> {
        const CALL: &str = "IMetaDataDispenserEx::GetOption";
        let mut value = Variant::number(0);
        // SAFETY: locals; the layout is that of a VARIANT.
        unsafe {
            dispenser!(self, IMetaDataDispenserEx::GetOption(&raw const *option.0, (&raw mut value).cast()))
        }?;
        if value.kind != Variant::NUMBER {
            return Err(Error::Call { call: CALL, hresult: HResult::E_UNEXPECTED });
        }
        Ok(value.number)
    }
}

impl core::fmt::Debug for MetadataDispenser {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataDispenser")
    }
}

/// What was opened for reading.
///
/// # Safety
/// `out` is null, or points to `IMetaDataImport2` with a reference that is given away.
unsafe fn opened(call: &'static str, out: *mut sys::IUnknown) -> Result<Metadata> {
    // SAFETY: says the caller.
    let import = unsafe { interface::from_raw::<ImportPtr>(out.cast()) };
    import.map(Metadata::with_storage).ok_or(Error::Null { call, what: "metadata" })
}

/// What was made or opened for writing.
///
/// # Safety
/// `out` is null, or points to `IMetaDataEmit2` with a reference that is given away.
unsafe fn made(call: &'static str, out: *mut sys::IUnknown) -> Result<MetadataScope> {
    // SAFETY: says the caller.
    let emit = unsafe { interface::from_raw::<EmitPtr>(out.cast()) };
    MetadataEmit::new(emit.ok_or(Error::Null { call, what: "metadata" })?).map(MetadataScope::new)
}
