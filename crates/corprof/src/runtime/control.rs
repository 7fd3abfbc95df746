//! The objects that two callbacks fill in: code generation for ReJIT, and assembly references.

use crate::error::Result;
use crate::raw::evidence::{self, ReferenceParts};
use crate::values::{CodegenFlags, IlMapEntry};

/// The code generation of a ReJIT version (`ICorProfilerFunctionControl`).
///
/// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters) fills it in; it is borrowed from that callback.
#[derive(Debug)]
pub struct FunctionControl<'cb>(pub(crate) evidence::FunctionControl<'cb>);

impl FunctionControl<'_> {
    /// Sets the optimisations that the JIT leaves out for this method.
    ///
    /// `ICorProfilerFunctionControl::SetCodegenFlags`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "SetCodegenFlags")]
    pub fn set_codegen_flags(&self, flags: CodegenFlags) -> Result<()> {
        self.0.set_codegen_flags(flags.bits())
    }

    /// Sets the map from the offsets of the original IL to those of the new IL, for debuggers.
    ///
    /// `ICorProfilerFunctionControl::SetILInstrumentedCodeMap`. Ascending by the old offset.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "SetILInstrumentedCodeMap")]
    pub fn set_il_instrumented_code_map(&self, map: &[IlMapEntry]) -> Result<()> {
        self.0.set_code_map(map)
    }
}

/// An assembly reference that the profiler is going to emit.
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

/// The references of an assembly that is being loaded (`ICorProfilerAssemblyReferenceProvider`).
///
/// [`Profiler::assembly_references`](crate::Profiler::assembly_references) adds to it; it is borrowed from that
/// callback.
#[derive(Debug)]
pub struct AssemblyReferences<'cb>(pub(crate) evidence::ReferenceProvider<'cb>);

impl AssemblyReferences<'_> {
    /// Announces a reference that the profiler will add to the assembly's metadata.
    ///
    /// `ICorProfilerAssemblyReferenceProvider::AddAssemblyReference`. The reference itself is emitted later.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the name or culture contains a zero. Any failure of the call.
    #[doc(alias = "AddAssemblyReference")]
    pub fn add(&self, reference: &AssemblyReference<'_>) -> Result<()> {
        let AssemblyReference { name, version, culture, public_key_or_token, hash, flags } = *reference;
        self.0.add(&ReferenceParts { name, version, culture, public_key_or_token, hash, flags })
    }
}
