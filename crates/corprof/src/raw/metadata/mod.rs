//! The COM methods of metadata as typed functions: `IMetaDataImport2`, `IMetaDataAssemblyImport`, `IMetaDataEmit2`,
//! `IMetaDataAssemblyEmit`, `IMetaDataTables2`, `IMetaDataDispenserEx`, `IMapToken`.
//!
//! Contract of the unsafe code here: interfaces are alive, outputs are read after success, and what is borrowed stays where
//! it is. In this folder:
//!
//! - The interface pointers are alive as long as the value that owns them.
//! - Outputs are read after success only. Inputs outlive the call; the metadata copies them.
//! - What is borrowed from a heap of the metadata stays where it is and as it is for as long as the metadata is open:
//!   heaps grow by further segments and are never moved, except when the metadata is saved, which needs `&mut`. The
//!   metadata of a module that can be unloaded is detached from the module's image first ([`Import::detach`]).
//! - The metadata locks itself for each call, except those of [`Tables`] and `SetGenericParamProps`, which are
//!   reachable only where nobody else edits the metadata. The runtime takes no lock when it applies the metadata of a
//!   module: edits are refused meanwhile ([`Edits`]).
//! - Tokens that are written are rows that exist ([`Emit::row`]). Signatures are checked by the callers in `metadata/`,
//!   because the metadata parses some of them without looking at their length.

mod dispenser;
mod edits;
mod emit;
mod enumerate;
mod import;
mod methods;
mod table;
mod tables;
mod token_map;

use core::ffi::c_void;

use clrnames::metadata::Constant;
use corprof_sys as sys;
use corprof_types::HResult;
use sigparse::Token;
use widestring::U16CString;

pub(crate) use dispenser::Dispenser;
pub(crate) use edits::Edits;
pub(crate) use emit::Emit;
pub(crate) use import::Import;
pub(crate) use tables::Tables;

use crate::error::{Error, Result};

/// The argument that leaves a value as it is.
const UNCHANGED: u32 = u32::MAX;
/// The longest blob: its length is stored in 29 bits (ECMA-335 II.24.2.4).
const MAX_BLOB: usize = 0x1FFF_FFFF;

/// An output of a call.
trait Out {
    fn of(word: u32) -> Self;
}

impl Out for u32 {
    fn of(word: u32) -> Self {
        word
    }
}

impl Out for Token {
    fn of(word: u32) -> Self {
        Self(word)
    }
}

/// `None` for a nil token, and for one of another table.
impl<T: TryFrom<Token>> Out for Option<T> {
    fn of(word: u32) -> Self {
        T::try_from(Token(word)).ok()
    }
}

/// A token or number as it is passed.
fn word(token: impl Into<Token>) -> u32 {
    token.into().0
}

/// Calls that find nothing.
pub(crate) trait Absent<T> {
    /// `None` for `CLDB_E_RECORD_NOTFOUND`.
    fn or_absent(self) -> Result<Option<T>>;
}

impl<T> Absent<T> for Result<T> {
    fn or_absent(self) -> Result<Option<T>> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A text that is looked for. No name has a zero in it.
fn findable(call: &'static str, text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::Call { call, hresult: HResult::CLDB_E_RECORD_NOTFOUND })
}

/// The length of a blob that is passed.
fn blob_length(call: &'static str, blob: &[u8]) -> Result<u32> {
    match u32::try_from(blob.len()) {
        Ok(length) if blob.len() <= MAX_BLOB => Ok(length),
        _ => Err(Error::Call { call, hresult: HResult::E_INVALIDARG }),
    }
}

/// The number of UTF-16 units of a literal that is passed.
fn units_length(call: &'static str, units: &[u16]) -> Result<u32> {
    match u32::try_from(units.len()) {
        // More does not fit into a blob, and overflows before the metadata checks it.
        Ok(length) if size_of_val(units) <= MAX_BLOB => Ok(length),
        _ => Err(Error::Call { call, hresult: HResult::E_INVALIDARG }),
    }
}

/// The bits of flags.
macro_rules! flags {
    ($($flags:ident),*) => {$(
        impl Out for clrnames::metadata::$flags {
            fn of(word: u32) -> Self {
                Self::from_bits_retain(word)
            }
        }
    )*};
}
flags!(TypeAttributes, MethodAttributes, FieldAttributes, ParamAttributes);

/// A constant as it is passed: its type, its bytes, and the number of UTF-16 units of a string.
fn constant_parts(call: &'static str, value: Option<Constant<'_>>) -> Result<(u32, *const c_void, u32)> {
    let Some(Constant { element_type, bytes }) = value else { return Ok((UNCHANGED, core::ptr::null(), 0)) };
    let fits = match Constant::size(element_type) {
        // A string: whole UTF-16 units.
        None => bytes.len() % 2 == 0,
        Some(size) => size != 0 && bytes.len() == size as usize,
    };
    if !fits {
        let length = bytes.len();
        return Err(Error::other(format!("{length} bytes are no constant of type {element_type:?}")));
    }
    let units = blob_length(call, bytes)? / 2;
    Ok((element_type.0.into(), bytes.as_ptr().cast(), units))
}

/// The version in a structure that the metadata has filled.
fn version_of(identity: &sys::ASSEMBLYMETADATA) -> [u16; 4] {
    [identity.usMajorVersion, identity.usMinorVersion, identity.usBuildNumber, identity.usRevisionNumber]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_that_no_heap_can_hold_are_refused() {
        assert_eq!(blob_length("test", &[1, 2, 3]).unwrap(), 3);
        // Zeroed pages that nothing touches.
        let longest = vec![0; MAX_BLOB + 1];
        assert_eq!(blob_length("test", &longest[1..]).unwrap(), 0x1FFF_FFFF);
        assert_eq!(blob_length("test", &longest).unwrap_err().hresult(), HResult::E_INVALIDARG);
    }
}
