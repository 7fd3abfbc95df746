//! Events of methods and their code.

use crate::runtime_events::layout::{Layout, flags, layout, values};
use crate::runtime_events::payload::{DecodeError, Reader, Utf16, Values};

flags! {
    /// Properties of a method's code.
    MethodFlags(u32) {
        /// A dynamic method.
        DYNAMIC = 1,
        /// A generic method, or a method of a generic type.
        GENERIC = 2,
        /// Its code is shared by instantiations.
        SHARED_GENERIC = 4,
        /// It was compiled by the JIT.
        JITTED = 8,
        /// A helper of the JIT.
        JIT_HELPER = 16,
        /// A profiler has rejected its precompiled code.
        PROFILER_REJECTED_PRECOMPILED = 32,
        /// Its precompiled code was rejected.
        READY_TO_RUN_REJECTED = 64,
    }
}

values! {
    /// How code was optimized.
    JitTier(u32) {
        /// Not known.
        UNKNOWN = 0,
        /// Compiled without optimization.
        MIN_OPT = 1,
        /// Compiled with optimization, not tiered.
        OPTIMIZED = 2,
        /// Compiled quickly.
        QUICK = 3,
        /// Compiled again, with optimization.
        TIER1 = 4,
        /// Compiled again while the method was running.
        TIER1_OSR = 5,
        /// Compiled with counters.
        INSTRUMENTED = 6,
        /// Compiled with counters and optimization.
        INSTRUMENTED_OPTIMIZED = 7,
    }
}

impl MethodFlags {
    /// Returns how the code was optimized.
    #[must_use]
    pub const fn tier(self) -> JitTier {
        JitTier((self.0 >> 7) & 7)
    }
}

layout! {
    /// `MethodLoad` or `MethodUnload`: code of a method.
    Method {
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The address of the code.
        start: u64 = u64;
        /// The size of the code in bytes.
        size: u32 = u32;
        /// The metadata token; 0 for a dynamic method.
        token: u32 = u32;
        /// Properties.
        flags: MethodFlags = u32;
        skip u16 since 1;
        /// The version of the code. Since version 2.
        rejit: u64 = u64 since 2;
    }
}

layout! {
    /// `MethodLoadVerbose` or `MethodUnloadVerbose`: code of a method, with names.
    VerboseMethod<'p> {
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The address of the code.
        start: u64 = u64;
        /// The size of the code in bytes.
        size: u32 = u32;
        /// The metadata token; 0 for a dynamic method.
        token: u32 = u32;
        /// Properties.
        flags: MethodFlags = u32;
        /// The full name of the type.
        namespace: Utf16<'p> = text;
        /// The name of the method.
        name: Utf16<'p> = text;
        /// The signature, as ILAsm.
        signature: Utf16<'p> = text;
        skip u16 since 1;
        /// The version of the code. Since version 2.
        rejit: u64 = u64 since 2;
    }
}

layout! {
    /// `MethodJittingStarted`.
    JittingStarted<'p> {
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The metadata token.
        token: u32 = u32;
        /// The size of the IL in bytes.
        il_size: u32 = u32;
        /// The full name of the type.
        namespace: Utf16<'p> = text;
        /// The name of the method.
        name: Utf16<'p> = text;
        /// The signature, as ILAsm.
        signature: Utf16<'p> = text;
    }
}

layout! {
    /// `MethodJitMemoryAllocatedForCode`.
    JitMemory {
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The size of the code in bytes.
        code: u64 = u64;
        /// The size of the code's constants in bytes.
        constants: u64 = u64;
        /// The bytes that were allocated.
        allocated: u64 = u64;
        /// The flags of the allocation.
        flags: u32 = u32;
    }
}

layout! {
    /// `R2RGetEntryPointStart`: precompiled code is looked for.
    R2rLookup {
        /// The method, an address in the runtime.
        method: u64 = u64;
    }
}

layout! {
    /// `R2RGetEntryPoint`: precompiled code was looked for.
    R2rEntryPoint<'p> {
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The full name of the type.
        namespace: Utf16<'p> = text;
        /// The name of the method.
        name: Utf16<'p> = text;
        /// The signature, as ILAsm.
        signature: Utf16<'p> = text;
        /// The address of the code; 0 if there is none that may be used.
        entry_point: u64 = u64;
    }
}

/// `MethodDetails`: the type arguments of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodDetails<'p> {
    /// The method, an address in the runtime.
    pub method: u64,
    /// The type, an address in the runtime.
    pub type_id: u64,
    /// The metadata token.
    pub token: u32,
    /// The module that owns the instantiation.
    pub loader_module: u64,
    /// The type arguments of the method.
    pub parameters: Values<'p, u64>,
}

impl<'p> Layout<'p> for MethodDetails<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        let (method, type_id, token) = (from.u64()?, from.u64()?, from.u32()?);
        let (count, loader_module) = (from.u32()?, from.u64()?);
        let parameters = from.sized(count, 8)?;
        Ok(Self { method, type_id, token, loader_module, parameters })
    }
}

/// `MethodILToNativeMap`: the offsets in the code of offsets in the IL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IlToNativeMap<'p> {
    /// The method, an address in the runtime.
    pub method: u64,
    /// The version of the code.
    pub rejit: u64,
    /// The part of the code.
    pub extent: u8,
    /// The offsets in the IL. The largest numbers stand for prolog, epilog and code without IL.
    pub il_offsets: Values<'p, u32>,
    /// The offsets in the code, as many.
    pub native_offsets: Values<'p, u32>,
}

impl<'p> Layout<'p> for IlToNativeMap<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        let (method, rejit, extent) = (from.u64()?, from.u64()?, from.u8()?);
        let count = from.u16()?.into();
        let (il_offsets, native_offsets) = (from.sized(count, 4)?, from.sized(count, 4)?);
        Ok(Self { method, rejit, extent, il_offsets, native_offsets })
    }
}
