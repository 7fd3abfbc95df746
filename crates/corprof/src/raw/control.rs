//! The objects that two callbacks let the profiler fill in: `ICorProfilerFunctionControl` and
//! `ICorProfilerAssemblyReferenceProvider`.
//!
//! Contract of the unsafe code here: the object is alive during the callback that its lifetime stands for. The runtime
//! copies what is passed to it before the call returns.
#![allow(unsafe_code)]

use corprof_sys as sys;

use crate::error::Result;
use crate::raw::buffers::{assembly_metadata, length_of, wide};
use crate::raw::call::checked;
use crate::raw::evidence::InCallback;
use crate::values::IlMapEntry;

impl<I> core::fmt::Debug for InCallback<'_, I> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("InCallback")
    }
}

/// How a method is compiled again.
pub(crate) type FunctionControl<'cb> = InCallback<'cb, sys::ICorProfilerFunctionControl>;
/// The references of an assembly.
pub(crate) type ReferenceProvider<'cb> = InCallback<'cb, sys::ICorProfilerAssemblyReferenceProvider>;

/// Calls a method of one of these objects. To be used in an `unsafe` block that argues for the arguments.
macro_rules! call {
    ($self:ident, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $self.object.as_ptr();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        checked(concat!(stringify!($interface), "::", stringify!($method)), code).map(drop)
    }};
}

impl FunctionControl<'_> {
    /// `ICorProfilerFunctionControl::SetCodegenFlags`.
    pub(crate) fn set_codegen_flags(&self, flags: u32) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerFunctionControl::SetCodegenFlags(flags)) }
    }

    /// `ICorProfilerFunctionControl::SetILFunctionBody`.
    ///
    /// # Safety
    /// The body is a whole method body in the format of ECMA-335 II.25.4, and its IL keeps the types of what it uses.
    pub(crate) unsafe fn set_body(&self, body: &[u8]) -> Result<()> {
        let length = length_of("ICorProfilerFunctionControl::SetILFunctionBody", body)?;
        // SAFETY: a list with its length; the caller vouches for what is in it.
        unsafe { call!(self, ICorProfilerFunctionControl::SetILFunctionBody(length, body.as_ptr())) }
    }

    /// `ICorProfilerFunctionControl::SetILInstrumentedCodeMap`.
    pub(crate) fn set_code_map(&self, map: &[IlMapEntry]) -> Result<()> {
        let mut map: Vec<sys::COR_IL_MAP> = map.iter().copied().map(sys::COR_IL_MAP::from).collect();
        let length = length_of("ICorProfilerFunctionControl::SetILInstrumentedCodeMap", &map)?;
        // SAFETY: a list with its length.
        unsafe {
            call!(self, ICorProfilerFunctionControl::SetILInstrumentedCodeMap(length, map.as_mut_ptr()))
        }
    }
}

/// A reference to an assembly.
pub(crate) struct ReferenceParts<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: [u16; 4],
    pub(crate) culture: &'a str,
    pub(crate) public_key_or_token: &'a [u8],
    pub(crate) hash: &'a [u8],
    pub(crate) flags: u32,
}

impl ReferenceProvider<'_> {
    /// `ICorProfilerAssemblyReferenceProvider::AddAssemblyReference`.
    pub(crate) fn add(&self, reference: &ReferenceParts<'_>) -> Result<()> {
        const CALL: &str = "ICorProfilerAssemblyReferenceProvider::AddAssemblyReference";
        let (name, culture) = (wide(reference.name)?, wide(reference.culture)?);
        let mut metadata = assembly_metadata(reference.version, &culture);
        let info = sys::COR_PRF_ASSEMBLY_REFERENCE_INFO {
            pbPublicKeyOrToken: reference.public_key_or_token.as_ptr().cast_mut().cast(),
            cbPublicKeyOrToken: length_of(CALL, reference.public_key_or_token)?,
            szName: name.as_ptr(),
            pMetaData: &raw mut metadata,
            pbHashValue: reference.hash.as_ptr().cast_mut().cast(),
            cbHashValue: length_of(CALL, reference.hash)?,
            dwAssemblyRefFlags: reference.flags,
        };
        // SAFETY: a structure with texts that have a terminating zero, and lists with their length.
        unsafe { call!(self, ICorProfilerAssemblyReferenceProvider::AddAssemblyReference(&raw const info)) }
    }
}
