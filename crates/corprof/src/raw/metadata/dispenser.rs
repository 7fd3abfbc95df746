//! Metadata that is in no module: `IMetaDataDispenserEx`.
#![forbid(unsafe_code)]

use core::ffi::c_void;

use corprof_sys as sys;
use corprof_types::HResult;
use widestring::U16CStr;

use super::{Emit, Import};
use crate::error::{Error, Result};
use crate::raw::interface::DispenserPtr;
use crate::raw::library;

/// The interface that opens and creates metadata.
pub(crate) struct Dispenser {
    pub(super) dispenser: DispenserPtr,
}

/// `VARIANT`, for options: a number of 32 bits.
#[repr(C)]
pub(super) struct Variant {
    kind: u16,
    reserved: [u16; 3],
    number: u32,
    rest: [u32; 3],
}

impl Variant {
    /// `VT_UI4`.
    const NUMBER: u16 = 19;

    pub(super) fn number(number: u32) -> Self {
        Self { kind: Self::NUMBER, reserved: [0; 3], number, rest: [0; 3] }
    }
}

impl Dispenser {
    /// The dispenser of the runtime's library, which has `within` in it (`MetaDataGetDispenser`).
    pub(crate) fn of_library(within: *const c_void) -> Result<Self> {
        let mut dispenser = Self { dispenser: library::metadata_dispenser(within)? };
        // Metadata that it opens may be used from several threads at once.
        dispenser.set_option(&sys::MetaDataThreadSafetyOptions, sys::MDThreadSafetyOn.0)?;
        Ok(dispenser)
    }

    /// `IMetaDataDispenser::OpenScopeOnMemory`, for reading; the bytes are copied.
    pub(crate) fn open_memory(&self, bytes: &[u8]) -> Result<Import> {
        self.open_scope_on_memory(bytes).map(Import::new)
    }

    /// `IMetaDataDispenser::OpenScope`, for writing: the metadata copies the file's.
    pub(crate) fn open_for_writing(&self, path: &U16CStr) -> Result<Emit> {
        Emit::new(self.open_scope(path)?)
    }

    /// `IMetaDataDispenser::DefineScope`.
    pub(crate) fn define(&self) -> Result<Emit> {
        Emit::new(self.define_scope()?)
    }

    /// `IMetaDataDispenserEx::SetOption`.
    pub(crate) fn set_option(&mut self, option: &sys::GUID, value: u32) -> Result<()> {
        self.set_number(option, value)
    }

    /// `IMetaDataDispenserEx::GetOption`.
    pub(crate) fn option(&self, option: &sys::GUID) -> Result<u32> {
        let value = self.value_of(option)?;
        if value.kind != Variant::NUMBER {
            return Err(Error::Call {
                call: "IMetaDataDispenserEx::GetOption",
                hresult: HResult::E_UNEXPECTED,
            });
        }
        Ok(value.number)
    }
}
