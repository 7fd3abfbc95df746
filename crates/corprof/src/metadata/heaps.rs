//! The heaps of metadata: texts, blobs, GUIDs and string literals (ECMA-335 II.24.2), and the bytes of it all.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, null};

use com::Interface;

use super::Metadata;
use super::tables::{MetadataTables, next, tables, text};
use crate::com::interface::{self, MetadataInfoPtr};
use crate::info::{checked, lent};
use crate::{Error, Guid, HResult, Result};

/// How large the heaps are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapSizes {
    /// `#Strings`: names.
    pub strings: u32,
    /// `#Blob`: signatures, constants, attributes.
    pub blobs: u32,
    /// `#GUID`: module version ids.
    pub guids: u32,
    /// `#US`: string literals.
    pub user_strings: u32,
}

/// A stream of the metadata (ECMA-335 II.24.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataStream<'m> {
    /// Its name: `#~`, `#Strings`.
    pub name: &'m str,
    /// Its bytes.
    pub bytes: &'m [u8],
}

/// Asks for one number.
macro_rules! size {
    ($tables:ident, $method:ident) => {{
        let mut size = 0;
        // SAFETY: a local.
        unsafe { tables!($tables, IMetaDataTables::$method(&raw mut size)) }?;
        size
    }};
}

/// The index after an index of a heap.
macro_rules! next {
    ($tables:ident, $method:ident($index:ident)) => {{
        let mut following = 0;
        // SAFETY: a local.
        let answer = unsafe { tables!($tables, IMetaDataTables::$method($index, &raw mut following)) };
        next(answer, following)
    }};
}

impl<'m> MetadataTables<'m> {
    /// How large the heaps are (`IMetaDataTables::GetStringHeapSize`, `IMetaDataTables::GetBlobHeapSize`,
    /// `IMetaDataTables::GetGuidHeapSize`, `IMetaDataTables::GetUserStringHeapSize`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetStringHeapSize")]
    #[doc(alias = "GetBlobHeapSize")]
    #[doc(alias = "GetGuidHeapSize")]
    #[doc(alias = "GetUserStringHeapSize")]
    pub fn heap_sizes(&self) -> Result<HeapSizes> {
        Ok(HeapSizes {
            strings: size!(self, GetStringHeapSize),
            blobs: size!(self, GetBlobHeapSize),
            guids: size!(self, GetGuidHeapSize),
            user_strings: size!(self, GetUserStringHeapSize),
        })
    }

    /// A text of `#Strings` (`IMetaDataTables::GetString`); 0 is the empty one.
    ///
    /// # Errors
    /// What the metadata reports of an index that is not in the heap; [`Error::Other`] for a text that is not UTF-8.
    #[doc(alias = "GetString")]
    pub fn string(&self, index: u32) -> Result<&'m str> {
        let mut string = null();
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetString(index, &raw mut string)) }?;
        // SAFETY: the metadata has lent a text with a terminating zero.
        unsafe { text(string) }
    }

    /// A blob of `#Blob`, without its length (`IMetaDataTables::GetBlob`); 0 is the empty one.
    ///
    /// # Errors
    /// What the metadata reports of an index that is not in the heap.
    #[doc(alias = "GetBlob")]
    pub fn blob(&self, index: u32) -> Result<&'m [u8]> {
        let (mut length, mut data) = (0, null());
        // SAFETY: locals.
        unsafe { tables!(self, IMetaDataTables::GetBlob(index, &raw mut length, &raw mut data)) }?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(unsafe { lent(data.cast(), length) })
    }

    /// A GUID of `#GUID`, by its number, from 1; `None` for 0 (`IMetaDataTables::GetGuid`).
    ///
    /// # Errors
    /// What the metadata reports of an index that is not in the heap.
    #[doc(alias = "GetGuid")]
    pub fn guid(&self, index: u32) -> Result<Option<Guid>> {
        if index == 0 {
            return Ok(None);
        }
        let mut guid = null();
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetGuid(index, &raw mut guid)) }?;
        if guid.is_null() {
            return Err(Error::Null { call: "IMetaDataTables::GetGuid", what: "GUID" });
        }
        // SAFETY: the metadata has lent a GUID; it may lie anywhere.
        Ok(Some(Guid(unsafe { guid.read_unaligned() })))
    }

    /// A string literal of `#US`: its UTF-16 units, and the byte that says whether it has others than ASCII
    /// (`IMetaDataTables::GetUserString`, ECMA-335 II.24.2.4). [`Metadata::user_string`](crate::Metadata::user_string)
    /// gives the text.
    ///
    /// # Errors
    /// What the metadata reports of an index that is not in the heap.
    #[doc(alias = "GetUserString")]
    pub fn user_string(&self, index: u32) -> Result<&'m [u8]> {
        let (mut length, mut data) = (0, null());
        // SAFETY: locals.
        unsafe { tables!(self, IMetaDataTables::GetUserString(index, &raw mut length, &raw mut data)) }?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(unsafe { lent(data.cast(), length) })
    }

    /// Where the text after a text of `#Strings` begins (`IMetaDataTables::GetNextString`); `None` after the last.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNextString")]
    pub fn next_string(&self, index: u32) -> Result<Option<u32>> {
        next!(self, GetNextString(index))
    }

    /// Where the blob after a blob of `#Blob` begins (`IMetaDataTables::GetNextBlob`); `None` after the last. What
    /// fills the heap up to a whole number of words counts as empty blobs.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNextBlob")]
    pub fn next_blob(&self, index: u32) -> Result<Option<u32>> {
        next!(self, GetNextBlob(index))
    }

    /// The number of the GUID after one of `#GUID` (`IMetaDataTables::GetNextGuid`); `None` after the last.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNextGuid")]
    pub fn next_guid(&self, index: u32) -> Result<Option<u32>> {
        next!(self, GetNextGuid(index))
    }

    /// Where the literal after a literal of `#US` begins (`IMetaDataTables::GetNextUserString`); `None` after the
    /// last. What fills the heap up to a whole number of words counts as empty literals.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNextUserString")]
    pub fn next_user_string(&self, index: u32) -> Result<Option<u32>> {
        next!(self, GetNextUserString(index))
    }

    /// The bytes of the metadata, as they were opened (`IMetaDataTables2::GetMetaDataStorage`).
    ///
    /// # Errors
    /// `COR_E_NOTSUPPORTED` for metadata that was not opened by a
    /// [`MetadataDispenser`](crate::MetadataDispenser): a module's own has no such bytes, and the runtime would read
    /// through a null pointer. What else the metadata reports.
    #[doc(alias = "GetMetaDataStorage")]
    pub fn storage(&self) -> Result<&'m [u8]> {
        self.require_storage("IMetaDataTables2::GetMetaDataStorage")?;
        let (mut data, mut length) = (null(), 0);
        // SAFETY: locals.
        unsafe { tables!(self, IMetaDataTables2::GetMetaDataStorage(&raw mut data, &raw mut length)) }?;
        // SAFETY: the metadata has lent as many bytes.
        Ok(unsafe { lent(data.cast(), length) })
    }

    /// A stream of the metadata, as it was opened, by its number from 0; `None` after the last
    /// (`IMetaDataTables2::GetMetaDataStreamInfo`).
    ///
    /// # Errors
    /// As [`storage`](Self::storage).
    #[doc(alias = "GetMetaDataStreamInfo")]
    pub fn stream(&self, number: u32) -> Result<Option<MetadataStream<'m>>> {
        self.require_storage("IMetaDataTables2::GetMetaDataStreamInfo")?;
        let (mut name, mut data, mut length) = (null(), null(), 0);
        // SAFETY: locals.
        unsafe {
            tables!(
                self,
                IMetaDataTables2::GetMetaDataStreamInfo(
                    number,
                    &raw mut name,
                    &raw mut data,
                    &raw mut length,
                )
            )
        }?;
        // After the last one the metadata reports success and gives nothing.
        if name.is_null() {
            return Ok(None);
        }
        // SAFETY: the metadata has lent a text with a terminating zero, and a stream of that length.
        Ok(Some(unsafe { MetadataStream { name: text(name)?, bytes: lent(data.cast(), length) } }))
    }

    fn require_storage(&self, call: &'static str) -> Result<()> {
        if self.has_storage {
            return Ok(());
        }
        Err(Error::Call { call, hresult: HResult::COR_E_NOTSUPPORTED })
    }
}

impl Metadata {
    /// The file that the metadata was opened from, as it lies in memory (`IMetaDataInfo::GetFileMapping`); `None` for
    /// metadata that was not opened from an assembly's file with
    /// [`MetadataDispenser::open`](crate::MetadataDispenser::open).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetFileMapping")]
    pub fn file_mapping(&self) -> Result<Option<&[u8]>> {
        const CALL: &str = "IMetaDataInfo::GetFileMapping";
        if !self.has_storage {
            return Ok(None);
        }
        let unknown: NonNull<c_void> = self.import.as_raw().cast();
        // SAFETY: the metadata's object is alive.
        let info: MetadataInfoPtr = unsafe { interface::query(unknown) }
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataInfo)", hresult })?;
        let (mut data, mut length, mut kind) = (null(), 0u64, 0);
        let this = info.as_ptr();
        // SAFETY: a live interface, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetFileMapping)(this, &raw mut data, &raw mut length, &raw mut kind)
        };
        match checked(CALL, code) {
            Ok(_) => {}
            Err(Error::Call { hresult: HResult::COR_E_NOTSUPPORTED, .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let length = usize::try_from(length)
            .map_err(|_| Error::Call { call: CALL, hresult: HResult::E_UNEXPECTED })?;
        if data.is_null() || kind != corprof_sys::fmFlat.0 {
            return Ok(None);
        }
        // SAFETY: the metadata has lent as many bytes, for as long as it is open.
        Ok(Some(unsafe { core::slice::from_raw_parts(data.cast::<u8>(), length) }))
    }
}
