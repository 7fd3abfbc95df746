//! What two callbacks let the profiler decide: how a method is compiled again, and what an assembly refers to.
//!
//! Contract of the unsafe code here: the runtime's object is alive during the callback that these types borrow
//! from, and they cannot be kept beyond it. What is passed to it is copied by the runtime before the call returns.
#![allow(unsafe_code)]

use core::marker::PhantomData;
use core::ptr::{NonNull, null_mut};

use corprof_sys as sys;
use widestring::U16CString;

use crate::info::{checked, length_of};
use crate::values::{CodegenFlags, IlMapEntry};
use crate::{Error, Result};

/// Calls a method of one of these objects.
macro_rules! call_object {
    ($self:ident, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $self.object.as_ptr();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        checked(concat!(stringify!($interface), "::", stringify!($method)), code).map(drop)
    }};
}

/// How a method is compiled again (`ICorProfilerFunctionControl`): filled in by
/// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters), and gone when that returns: keeping it does not compile.
#[derive(Debug)]
pub struct FunctionControl<'cb> {
    object: NonNull<sys::ICorProfilerFunctionControl>,
    callback: PhantomData<&'cb ()>,
}

impl FunctionControl<'_> {
    /// # Safety
    /// `object` is alive during the callback that the lifetime stands for.
    pub(crate) unsafe fn new(object: NonNull<sys::ICorProfilerFunctionControl>) -> Self {
        Self { object, callback: PhantomData }
    }

    /// What the JIT leaves out for this method (`ICorProfilerFunctionControl::SetCodegenFlags`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetCodegenFlags")]
    pub fn set_codegen_flags(&self, flags: CodegenFlags) -> Result<()> {
        // SAFETY: the object is alive; no pointers are passed.
        unsafe { call_object!(self, ICorProfilerFunctionControl::SetCodegenFlags(flags.bits())) }
    }

    /// The method's new IL: header, code and exception clauses as they would lie in the file, tokens of the
    /// method's module (`ICorProfilerFunctionControl::SetILFunctionBody`). The runtime copies it, and does not check
    /// it: wrong IL fails when it is compiled, which [`Profiler::rejit_error`](crate::Profiler::rejit_error) or the
    /// program will tell.
    ///
    /// # Errors
    /// `E_INVALIDARG` for an empty body.
    #[doc(alias = "SetILFunctionBody")]
    pub fn set_il_function_body(&self, body: &[u8]) -> Result<()> {
        let length = length_of("ICorProfilerFunctionControl::SetILFunctionBody", body)?;
        // SAFETY: the object is alive; a list with its length, which the runtime copies.
        unsafe { call_object!(self, ICorProfilerFunctionControl::SetILFunctionBody(length, body.as_ptr())) }
    }

    /// Which offset of the new IL stands for which of the old, for a debugger
    /// (`ICorProfilerFunctionControl::SetILInstrumentedCodeMap`). Ascending by the old offset.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetILInstrumentedCodeMap")]
    pub fn set_il_instrumented_code_map(&self, map: &[IlMapEntry]) -> Result<()> {
        let mut map: Vec<sys::COR_IL_MAP> = map.iter().copied().map(sys::COR_IL_MAP::from).collect();
        let length = length_of("ICorProfilerFunctionControl::SetILInstrumentedCodeMap", &map)?;
        // SAFETY: the object is alive; a list with its length, which the runtime copies.
        unsafe {
            call_object!(
                self,
                ICorProfilerFunctionControl::SetILInstrumentedCodeMap(length, map.as_mut_ptr())
            )
        }
    }
}

/// A reference to an assembly that the profiler is going to emit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssemblyReference<'a> {
    /// The simple name: `System.Runtime`.
    pub name: &'a str,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// The culture; empty for none.
    pub culture: &'a str,
    /// The public key token, or the whole key; empty for an assembly without strong name.
    pub public_key_or_token: &'a [u8],
    /// The hash of the file; usually empty.
    pub hash: &'a [u8],
    /// `CorAssemblyFlags`: whether the key is whole, whether the reference can be retargeted.
    pub flags: u32,
}

/// What an assembly is going to refer to (`ICorProfilerAssemblyReferenceProvider`): filled in by
/// [`Profiler::assembly_references`](crate::Profiler::assembly_references), and gone when that returns.
#[derive(Debug)]
pub struct AssemblyReferences<'cb> {
    object: NonNull<sys::ICorProfilerAssemblyReferenceProvider>,
    callback: PhantomData<&'cb ()>,
}

impl AssemblyReferences<'_> {
    /// # Safety
    /// `object` is alive during the callback that the lifetime stands for.
    pub(crate) unsafe fn new(object: NonNull<sys::ICorProfilerAssemblyReferenceProvider>) -> Self {
        Self { object, callback: PhantomData }
    }

    /// Tells the runtime of a reference that the profiler will add to the assembly's metadata
    /// (`ICorProfilerAssemblyReferenceProvider::AddAssemblyReference`). The reference itself is emitted
    /// later.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name or culture with a zero in it.
    #[doc(alias = "AddAssemblyReference")]
    pub fn add(&self, reference: &AssemblyReference<'_>) -> Result<()> {
        const CALL: &str = "ICorProfilerAssemblyReferenceProvider::AddAssemblyReference";
        let name = wide(reference.name)?;
        let culture = wide(reference.culture)?;
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
        // SAFETY: the object is alive; texts with a terminating zero and lists with their length, which the runtime
        // reads and copies.
        unsafe {
            call_object!(self, ICorProfilerAssemblyReferenceProvider::AddAssemblyReference(&raw const info))
        }
    }
}

/// A text with a terminating zero.
pub(crate) fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::other(format!("the text {text:?} has a zero in it")))
}

/// Version and culture, as the metadata API takes them; the culture is borrowed without being written.
pub(crate) fn assembly_metadata(version: [u16; 4], culture: &U16CString) -> sys::ASSEMBLYMETADATA {
    let [major, minor, build, revision] = version;
    let (locale, units) = match culture.len() {
        0 => (null_mut(), 0),
        length => (culture.as_ptr().cast_mut(), u32::try_from(length + 1).unwrap_or(0)),
    };
    sys::ASSEMBLYMETADATA {
        usMajorVersion: major,
        usMinorVersion: minor,
        usBuildNumber: build,
        usRevisionNumber: revision,
        szLocale: locale,
        cbLocale: units,
        rProcessor: null_mut(),
        ulProcessor: 0,
        rOS: null_mut(),
        ulOS: 0,
    }
}
