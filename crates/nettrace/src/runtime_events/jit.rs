//! Events of the JIT compiler's decisions: inlining, tail calls, marshalling stubs and profile data.

use crate::runtime_events::layout::{Layout, flags, layout, values};
use crate::runtime_events::method::MethodFlags;
use crate::runtime_events::payload::{DecodeError, Reader, Utf16};

layout! {
    /// The names of a method.
    MethodName<'p> {
        /// The full name of the type.
        namespace: Utf16<'p> = text;
        /// The name of the method.
        name: Utf16<'p> = text;
        /// The signature, as ILAsm.
        signature: Utf16<'p> = text;
    }
}

layout! {
    /// `MethodJitInliningSucceeded`: a call was inlined.
    Inlining<'p> {
        /// The method that is compiled.
        compiled: MethodName<'p> = part;
        /// The method with the call. It may have been inlined into the compiled one.
        inliner: MethodName<'p> = part;
        /// The called method.
        inlinee: MethodName<'p> = part;
    }
}

layout! {
    /// `MethodJitInliningFailed`: a call was not inlined.
    InliningFailure<'p> {
        /// The method that is compiled.
        compiled: MethodName<'p> = part;
        /// The method with the call. It may have been inlined into the compiled one.
        inliner: MethodName<'p> = part;
        /// The called method.
        inlinee: MethodName<'p> = part;
        /// Whether no call of the method is inlined.
        is_permanent: bool = bool;
        /// Why, in the compiler's words.
        reason: Utf16<'p> = text;
    }
}

values! {
    /// How a tail call is made.
    TailCallKind(u32) {
        /// A jump from the epilog.
        OPTIMIZED = 0,
        /// A loop in the method itself.
        RECURSIVE = 1,
        /// By a helper of the runtime.
        HELPER = 2,
    }
}

layout! {
    /// `MethodJitTailCallSucceeded`: a call was compiled as a tail call.
    TailCall<'p> {
        /// The method that is compiled.
        compiled: MethodName<'p> = part;
        /// The method with the call. It may have been inlined into the compiled one.
        caller: MethodName<'p> = part;
        /// The called method.
        callee: MethodName<'p> = part;
        /// Whether the call has the prefix `tail.`.
        has_prefix: bool = bool;
        /// How the call is made.
        kind: TailCallKind = u32;
    }
}

layout! {
    /// `MethodJitTailCallFailed`: a call before a return was not compiled as a tail call.
    TailCallFailure<'p> {
        /// The method that is compiled.
        compiled: MethodName<'p> = part;
        /// The method with the call. It may have been inlined into the compiled one.
        caller: MethodName<'p> = part;
        /// The called method.
        callee: MethodName<'p> = part;
        /// Whether the call has the prefix `tail.`.
        has_prefix: bool = bool;
        /// Why, in the compiler's words.
        reason: Utf16<'p> = text;
    }
}

flags! {
    /// Properties of a stub.
    StubFlags(u32) {
        /// For calls from native code.
        REVERSE_INTEROP = 1,
        /// For calls of COM methods.
        COM_INTEROP = 2,
        /// Compiled ahead of time.
        PRECOMPILED = 4,
        /// For calls of a delegate.
        DELEGATE = 8,
        /// For a delegate with a variable number of arguments.
        VARIABLE_ARGUMENTS = 16,
        /// For `calli` of a native function.
        UNMANAGED_CALLI = 32,
        /// Marshals a structure.
        STRUCT_MARSHAL = 64,
    }
}

layout! {
    /// `ILStubGenerated`: the runtime has generated the IL that marshals the arguments of a method.
    IlStub<'p> {
        skip u16;
        /// The module of the method, an address in the runtime.
        module: u64 = u64;
        /// The stub, an address in the runtime.
        stub: u64 = u64;
        /// Properties.
        flags: StubFlags = u32;
        /// The metadata token of the method; 0 without one.
        token: u32 = u32;
        /// The method.
        method: MethodName<'p> = part;
        /// The signature of the native function, as ILAsm.
        native_signature: Utf16<'p> = text;
        /// The signature of the stub, as ILAsm.
        stub_signature: Utf16<'p> = text;
        /// The instructions, as text.
        code: Utf16<'p> = text;
    }
}

layout! {
    /// `ILStubCacheHit`: a stub is used again, for another method.
    IlStubReuse<'p> {
        skip u16;
        /// The module of the method, an address in the runtime.
        module: u64 = u64;
        /// The stub, an address in the runtime.
        stub: u64 = u64;
        /// The metadata token of the method; 0 without one.
        token: u32 = u32;
        /// The method.
        method: MethodName<'p> = part;
    }
}

/// `JitInstrumentationData`: the profile of a method, which code compiled with counters has gathered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JitProfile<'p> {
    /// Properties.
    pub flags: MethodFlags,
    /// The method, an address in the runtime.
    pub method: u64,
    /// The counters, in the runtime's own format.
    pub data: &'p [u8],
}

impl<'p> Layout<'p> for JitProfile<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        from.u16()?;
        let (flags, length, method) = (MethodFlags(from.u32()?), from.u32()?, from.u64()?);
        Ok(Self { flags, method, data: from.take(length)? })
    }
}

/// `JitInstrumentationDataVerbose`: the profile of a method, with names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerboseJitProfile<'p> {
    /// Properties.
    pub flags: MethodFlags,
    /// The method, an address in the runtime.
    pub method: u64,
    /// The module, an address in the runtime.
    pub module: u64,
    /// The metadata token; 0 for a dynamic method.
    pub token: u32,
    /// The names of the method.
    pub name: MethodName<'p>,
    /// The counters, in the runtime's own format.
    pub data: &'p [u8],
}

impl<'p> Layout<'p> for VerboseJitProfile<'p> {
    fn read(from: &mut Reader<'p>, version: u32) -> Result<Self, DecodeError> {
        from.u16()?;
        let (flags, length, method) = (MethodFlags(from.u32()?), from.u32()?, from.u64()?);
        let (module, token, name) = (from.u64()?, from.u32()?, MethodName::read(from, version)?);
        Ok(Self { flags, method, module, token, name, data: from.take(length)? })
    }
}
