//! What two callbacks let the profiler decide: how a method is compiled again, and what an assembly refers to.

use crate::error::Result;
use crate::raw::control::{self, ReferenceParts};
use crate::values::{CodegenFlags, IlMapEntry};

/// How a method is compiled again (`ICorProfilerFunctionControl`): filled in by
/// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters), and gone when that returns: keeping it does not compile.
#[derive(Debug)]
pub struct FunctionControl<'cb>(pub(crate) control::FunctionControl<'cb>);

impl FunctionControl<'_> {
    /// What the JIT leaves out for this method (`ICorProfilerFunctionControl::SetCodegenFlags`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetCodegenFlags")]
    pub fn set_codegen_flags(&self, flags: CodegenFlags) -> Result<()> {
        self.0.set_codegen_flags(flags.bits())
    }

    /// Which offset of the new IL stands for which of the old, for a debugger
    /// (`ICorProfilerFunctionControl::SetILInstrumentedCodeMap`). Ascending by the old offset.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetILInstrumentedCodeMap")]
    pub fn set_il_instrumented_code_map(&self, map: &[IlMapEntry]) -> Result<()> {
        self.0.set_code_map(map)
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
pub struct AssemblyReferences<'cb>(pub(crate) control::ReferenceProvider<'cb>);

impl AssemblyReferences<'_> {
    /// Tells the runtime of a reference that the profiler will add to the assembly's metadata
    /// (`ICorProfilerAssemblyReferenceProvider::AddAssemblyReference`). The reference itself is emitted
    /// later.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`](crate::Error::Other) for a name or culture with a zero in it.
    #[doc(alias = "AddAssemblyReference")]
    pub fn add(&self, reference: &AssemblyReference<'_>) -> Result<()> {
        let AssemblyReference { name, version, culture, public_key_or_token, hash, flags } = *reference;
        self.0.add(&ReferenceParts { name, version, culture, public_key_or_token, hash, flags })
    }
}
