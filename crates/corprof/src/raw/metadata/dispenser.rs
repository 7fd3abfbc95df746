//! Metadata that is in no module: `IMetaDataDispenserEx`.
#![forbid(unsafe_code)]

use core::ffi::c_void;
use std::sync::Arc;

use corprof_sys as sys;
use corprof_types::HResult;

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
        self.open_scope_on_memory(checked(bytes)?).map(Import::new)
    }

    /// The same, for writing.
    pub(crate) fn open_for_writing(&self, bytes: &[u8]) -> Result<Emit> {
        Emit::new(self.open_scope_for_writing(checked(bytes)?)?, Arc::default())
    }

    /// `IMetaDataDispenser::DefineScope`.
    pub(crate) fn define(&self) -> Result<Emit> {
        Emit::new(self.define_scope()?, Arc::default())
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

/// The metadata that the runtime may open, in the bytes of a file or of metadata.
///
/// The runtime believes what metadata say: sizes of streams, rows in tables of pointers, types that nest in themselves. So
/// it gets none in which anything refers to what is not there, and not the file around them.
fn checked(bytes: &[u8]) -> Result<&[u8]> {
    clrnames::checked_metadata(bytes).map_err(|error| Error::other(format!("malformed metadata: {error}")))
}
