//! The heaps: names, blobs, GUIDs and string literals (ECMA-335 II.24.2), and the bytes of the metadata.
#![forbid(unsafe_code)]

use corprof_types::Guid;

use super::{MetadataTables, OpenedMetadata};
use crate::error::Result;
use crate::raw::metadata::Tables;

/// The sizes of the heaps in bytes.
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
    /// The name: `#~`, `#Strings`.
    pub name: &'m str,
    /// The bytes.
    pub bytes: &'m [u8],
}

impl<'m> MetadataTables<'m> {
    /// Returns the sizes of the heaps.
    ///
    /// They are those at the time the tables were opened: `IMetaDataTables::GetStringHeapSize`,
    /// `IMetaDataTables::GetBlobHeapSize`, `IMetaDataTables::GetGuidHeapSize`,
    /// `IMetaDataTables::GetUserStringHeapSize`.
    #[doc(alias = "GetStringHeapSize")]
    #[doc(alias = "GetBlobHeapSize")]
    #[doc(alias = "GetGuidHeapSize")]
    #[doc(alias = "GetUserStringHeapSize")]
    #[must_use]
    pub fn heap_sizes(&self) -> HeapSizes {
        let heaps = self.raw.heaps();
        let (strings, blobs) = (heaps.strings, heaps.blobs);
        HeapSizes { strings, blobs, guids: heaps.guids, user_strings: heaps.user_strings }
    }

    /// Returns a text of `#Strings`. `IMetaDataTables::GetString`.
    ///
    /// 0 is the empty text.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: the index is not in the heap. [`Error::Other`](crate::Error::Other): the text is not UTF-8.
    #[doc(alias = "GetString")]
    pub fn string(&self, index: u32) -> Result<&'m str> {
        self.raw.string(index)
    }

    /// Returns a blob of `#Blob`, without its length. `IMetaDataTables::GetBlob`.
    ///
    /// 0 is the empty blob.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: the index is not in the heap. Any other failure of the call.
    #[doc(alias = "GetBlob")]
    pub fn blob(&self, index: u32) -> Result<&'m [u8]> {
        self.raw.blob(index)
    }

    /// Returns a GUID of `#GUID`, counted from 1. `IMetaDataTables::GetGuid`.
    ///
    /// `None` for 0.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: the index is not in the heap.
    #[doc(alias = "GetGuid")]
    pub fn guid(&self, index: u32) -> Result<Option<Guid>> {
        self.raw.guid(index)
    }

    /// Returns a string literal of `#US`. `IMetaDataTables::GetUserString`.
    ///
    /// These are the UTF-16 units, and a byte that is 1 if some are not ASCII (ECMA-335 II.24.2.4).
    /// [`Metadata::user_string`](crate::Metadata::user_string) returns the text.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: the index is not in the heap. Any other failure of the call.
    #[doc(alias = "GetUserString")]
    pub fn user_string(&self, index: u32) -> Result<&'m [u8]> {
        self.raw.user_string(index)
    }

    /// Returns the index after a text of `#Strings`. `IMetaDataTables::GetNextString`.
    ///
    /// `None` after the last.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNextString")]
    pub fn next_string(&self, index: u32) -> Result<Option<u32>> {
        self.raw.next_string(index)
    }

    /// Returns the index after a blob of `#Blob`. `IMetaDataTables::GetNextBlob`.
    ///
    /// `None` after the last. The padding at the end of the heap counts as empty blobs.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNextBlob")]
    pub fn next_blob(&self, index: u32) -> Result<Option<u32>> {
        self.raw.next_blob(index)
    }

    /// Returns the number after a GUID of `#GUID`. `IMetaDataTables::GetNextGuid`.
    ///
    /// `None` after the last.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNextGuid")]
    pub fn next_guid(&self, index: u32) -> Result<Option<u32>> {
        self.raw.next_guid(index)
    }

    /// Returns the index after a literal of `#US`. `IMetaDataTables::GetNextUserString`.
    ///
    /// `None` after the last. The padding at the end of the heap counts as empty literals.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNextUserString")]
    pub fn next_user_string(&self, index: u32) -> Result<Option<u32>> {
        self.raw.next_user_string(index)
    }
}

impl OpenedMetadata {
    /// Returns the bytes of the metadata. `IMetaDataTables2::GetMetaDataStorage`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetMetaDataStorage")]
    pub fn storage(&self) -> Result<&[u8]> {
        Tables::of(&self.metadata.raw)?.storage()
    }

    /// Returns a stream of the metadata, counted from 0. `IMetaDataTables2::GetMetaDataStreamInfo`.
    ///
    /// `None` after the last.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetMetaDataStreamInfo")]
    pub fn stream(&self, number: u32) -> Result<Option<MetadataStream<'_>>> {
        let stream = Tables::of(&self.metadata.raw)?.stream(number)?;
        Ok(stream.map(|(name, bytes)| MetadataStream { name, bytes }))
    }
}
