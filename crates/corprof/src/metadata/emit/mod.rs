//! Adding to metadata: tokens in, tokens out.
//!
//! Contract of the unsafe code in this folder: the interface pointers are alive as long as [`MetadataEmit`]. Texts
//! end with a zero, lists of tokens with a nil token; blobs are passed with their length, and the metadata copies
//! them. What it writes is read only when its code says success. Tokens are of the table that the method wants, by
//! their types; the metadata itself refuses rows that it does not have.
#![allow(unsafe_code)]

mod accessors;
mod assembly;
mod attributes;
mod members;
mod references;
mod removals;
mod types;

use core::ffi::c_void;
use core::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;

use com::Interface;
use corprof_sys as sys;

pub use accessors::{
    EventAttributes, EventChange, NewEvent, NewProperty, PropertyAttributes, PropertyChange,
};
pub use assembly::{AssemblyIdentity, ExportedTypeTarget, ResourcePlace};
pub use attributes::PinvokeTarget;
pub use members::{FieldChange, MethodChange, NewField, NewMethod, NewParam, ParamChange};
pub use references::ImportFrom;
pub use types::{GenericParamAttributes, GenericParamChange, NewGenericParam, NewTypeDef, TypeDefChange};

use super::{Constant, Metadata};
use crate::com::interface::{self, AssemblyEmitPtr, EmitPtr, ImportPtr};
use crate::control::wide;
use crate::ids::ModuleId;
use crate::info::{call, length_of};
use crate::{Error, HResult, ProfilerInfo, Result};

/// Metadata, for writing (`IMetaDataEmit2` and `IMetaDataAssemblyEmit`).
///
/// From [`ProfilerInfo::module_metadata_emit`] for a module of the program, or from
/// [`MetadataDispenser`](crate::MetadataDispenser) for metadata that is in no module. Must be dropped before the
/// module is unloaded. Rows are added and changed; what is taken away leaves its row behind.
///
/// May be used from any thread: the metadata locks itself for each call, but for
/// [`set_generic_param`](Self::set_generic_param), and but for what [`MetadataTables`](crate::MetadataTables) reads.
///
/// ```
/// use corprof::token::{MemberRef, TypeRef, UserString};
/// use corprof::{MetadataEmit, Result};
///
/// /// What a call of `Console.WriteLine("called")` needs: its argument and its method.
/// fn references(emit: &MetadataEmit, console: TypeRef) -> Result<(UserString, MemberRef)> {
///     // A static method that returns nothing and takes a string (ECMA-335 II.23.2.1).
///     let signature = [0x00, 0x01, 0x01, 0x0E];
///     Ok((emit.define_user_string("called")?, emit.define_member_ref(console, "WriteLine", &signature)?))
/// }
/// ```
pub struct MetadataEmit {
    emit: EmitPtr,
    metadata: Metadata,
    assembly: OnceLock<Option<AssemblyEmitPtr>>,
}

impl ProfilerInfo {
    /// A module's metadata, for writing (`ICorProfilerInfo::GetModuleMetaData` with `ofRead` and `ofWrite`).
    ///
    /// This is a choice with a cost, for the whole life of the module. The runtime turns the module's metadata into
    /// a form that can grow: it copies what the image has (for the core library this has been reported to take
    /// 40 to 50 % more memory), and from then on takes a lock for each access, its own included. Ask for it for
    /// modules that are rewritten, and for no others; [`ProfilerInfo::module_metadata`] is for reading.
    ///
    /// May be called from `ModuleLoadFinished` on. Types, and the fields and methods of types that have been loaded,
    /// are not looked at again: define those in `ModuleLoadFinished` of the module, and see
    /// [`ProfilerInfo::apply_metadata`]. References, signatures and string literals may be added at any time before
    /// the code that uses them is compiled.
    ///
    /// # Errors
    /// What the runtime reports; for a module without metadata, that there is none.
    #[doc(alias = "GetModuleMetaData")]
    pub fn module_metadata_emit(&self, module: ModuleId) -> Result<MetadataEmit> {
        const CALL: &str = "ICorProfilerInfo::GetModuleMetaData";
        let mut out = null_mut();
        let iid = sys::IID_IMetaDataEmit2;
        // SAFETY: locals.
        unsafe {
            call!(
                self,
                ICorProfilerInfo::GetModuleMetaData(
                    module.as_raw(),
                    sys::ofRead.0 | sys::ofWrite.0,
                    &raw const iid,
                    &raw mut out,
                )
            )
        }?;
        // SAFETY: the runtime has given a pointer to the interface that was asked for, with a reference.
        let emit = unsafe { interface::from_raw::<EmitPtr>(out.cast()) };
        MetadataEmit::new(emit.ok_or(Error::Null { call: CALL, what: "metadata" })?)
    }
}

impl MetadataEmit {
    pub(super) fn new(emit: EmitPtr) -> Result<Self> {
        let unknown: NonNull<c_void> = emit.as_raw().cast();
        // SAFETY: the metadata's object is alive.
        let import = unsafe { interface::query::<ImportPtr>(unknown) };
        let import = import
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataImport2)", hresult })?;
        Ok(Self { emit, metadata: Metadata::new(import), assembly: OnceLock::new() })
    }

    /// The same metadata, for reading: what has been added is there at once.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Gives the module another name; of a path only the file's name counts (`IMetaDataEmit::SetModuleProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetModuleProps")]
    pub fn set_module_name(&self, name: &str) -> Result<()> {
        let name = wide(name)?;
        // SAFETY: a text with a terminating zero.
        unsafe { emit!(self, IMetaDataEmit::SetModuleProps(name.as_ptr())) }.map(drop)
    }

    /// The pointer to call through.
    pub(super) fn as_ptr(&self) -> *mut sys::IMetaDataEmit2 {
        self.emit.as_ptr()
    }

    /// The interface to the assembly manifest.
    fn assembly_emit(&self) -> Result<&AssemblyEmitPtr> {
        let found = self.assembly.get_or_init(|| {
            let unknown: NonNull<c_void> = self.emit.as_raw().cast();
            // SAFETY: the metadata's object is alive.
            unsafe { interface::query(unknown) }.ok()
        });
        found.as_ref().ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyEmit)",
            hresult: HResult::E_NOINTERFACE,
        })
    }
}

impl core::fmt::Debug for MetadataEmit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataEmit")
    }
}

/// What stands for "leave it as it is" in an argument of the metadata.
const UNCHANGED: u32 = u32::MAX;

/// A list of tokens as the metadata takes it: with a nil token behind.
fn nil_terminated(tokens: impl IntoIterator<Item = u32>) -> Vec<u32> {
    tokens.into_iter().chain([0]).collect()
}

/// A list that is left out as a null pointer.
fn list_or_null(tokens: Option<&mut Vec<u32>>) -> *mut u32 {
    tokens.map_or(null_mut(), |tokens| tokens.as_mut_ptr())
}

/// A blob, with its length.
fn blob(call: &'static str, bytes: &[u8]) -> Result<(*const u8, u32)> {
    Ok((bytes.as_ptr(), length_of(call, bytes)?))
}

/// A constant as the metadata takes it: its type, its bytes, and the number of UTF-16 units of a string.
fn constant(value: Option<Constant<'_>>) -> Result<(u32, *const c_void, u32)> {
    let Some(Constant { element_type, bytes }) = value else { return Ok((UNCHANGED, null(), 0)) };
    let fits = match Constant::size(element_type) {
        // A string: whole UTF-16 units.
        None => bytes.len() % 2 == 0,
        Some(size) => size != 0 && bytes.len() == size as usize,
    };
    if !fits {
        let length = bytes.len();
        return Err(Error::other(format!("{length} bytes are no constant of type {element_type:?}")));
    }
    let units = length_of("IMetaDataEmit", bytes)? / 2;
    Ok((element_type.0.into(), bytes.as_ptr().cast(), units))
}

/// Calls a method of `IMetaDataEmit` or `IMetaDataEmit2`; `Ok` with the success code. To be used in an `unsafe` block
/// that argues for the arguments.
macro_rules! emit {
    ($emit:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $emit.as_ptr().cast::<corprof_sys::$interface>();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        $crate::info::checked(concat!(stringify!($interface), "::", stringify!($method)), code)
    }};
}
pub(super) use emit;

/// Calls a method that gives a token in its last argument.
macro_rules! define {
    ($emit:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?) -> $token:ident) => {{
        let mut token = 0;
        $crate::metadata::emit::emit!($emit, $interface::$method($($arg,)* &raw mut token)).and_then(|_| {
            $token::from_token(token).ok_or($crate::Error::Null {
                call: concat!(stringify!($interface), "::", stringify!($method)),
                what: "token",
            })
        })
    }};
}
use define;
