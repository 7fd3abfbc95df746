//! The methods of [`ProfilerInfo`] that are `unsafe`: what they need, no check can tell.
//!
//! Contract of the unsafe code here: each function forwards to [`crate::raw::info`], and its documentation says what its
//! caller has to see to.
#![allow(unsafe_code)]

use corprof_types::{ClassId, FunctionId, ModuleId};
use sigparse::MethodDef;
use sigparse::token::TypeDef;

use super::StackWalk;
use super::control::FunctionControl;
use crate::error::Result;
use crate::raw::info::StackSeed;
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// The class of a definition with these type arguments, **loading it if it is not loaded**
    /// (`ICorProfilerInfo2::GetClassFromTokenAndTypeArgs`).
    ///
    /// Loading a type at the wrong time changes the program's behaviour and can crash it. Use
    /// [`ProfilerInfo::known_class`] first; use this only for a type that is loaded for certain, for instance
    /// a value type in the signature of a method that is running.
    ///
    /// **Never from an enter, leave or tailcall hook**: the call may let the garbage collector run, which does
    /// not know of the arguments that the hook has saved, and the program would go on with stale ones. The
    /// runtime refuses it in fast hooks, but not in hooks with info. Unloads do not wait for it, since the program's
    /// code may run in it: the ids have to stay alive by other means, as those of a method that is running do.
    ///
    /// # Safety
    /// No enter, leave or tailcall hook is running on this thread, and no object id is used on it afterwards: a collection
    /// may run. The ids stay alive until the call returns, for which unloads do not wait, since the program's code may run
    /// in it. The type may be loaded at this point: loading at the wrong time can crash the program.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from outside of a callback.
    #[doc(alias = "GetClassFromTokenAndTypeArgs")]
    #[doc(alias = "GetClassFromToken")]
    pub unsafe fn class_from_token_loading(
        &self,
        module: ModuleId,
        type_def: TypeDef,
        type_args: &[ClassId],
    ) -> Result<ClassId> {
        // SAFETY: forwarded to the caller.
        let class = unsafe { self.raw().class_from_token(module, type_def, type_args) }?;
        self.note_reported(class.into());
        Ok(class)
    }

    /// The function of a method's definition with these type arguments, **loading its type if it is not loaded**
    /// (`ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs`). `class` is the exact class for a method of a generic
    /// type.
    ///
    /// What [`ProfilerInfo::class_from_token_loading`] says of the dangers counts here too.
    ///
    /// # Safety
    /// No enter, leave or tailcall hook is running on this thread, and no object id is used on it afterwards: a collection
    /// may run. The ids stay alive until the call returns, for which unloads do not wait, since the program's code may run
    /// in it. The type may be loaded at this point: loading at the wrong time can crash the program.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from outside of a callback.
    #[doc(alias = "GetFunctionFromToken")]
    #[doc(alias = "GetFunctionFromTokenAndTypeArgs")]
    pub unsafe fn function_from_token_loading(
        &self,
        module: ModuleId,
        method: MethodDef,
        class: Option<ClassId>,
        type_args: &[ClassId],
    ) -> Result<FunctionId> {
        // SAFETY: forwarded to the caller.
        let function = unsafe { self.raw().function_from_token(module, method, class, type_args) }?;
        self.note_reported(function.into());
        Ok(function)
    }

    /// Gives a method other IL: header, code and exception clauses as they would lie in the file
    /// (`ICorProfilerInfo::SetILFunctionBody`, with memory of `ICorProfilerInfo::GetILFunctionBodyAllocator`, so
    /// `IMethodMalloc::Alloc`). It counts for compilations that begin afterwards: call it from `ModuleLoadFinished`
    /// or `JITCompilationStarted`, and have precompiled code refused where there is some.
    ///
    /// The runtime does not check the IL: what is wrong with it fails when it is compiled.
    ///
    /// # Safety
    /// `body` is a whole method body in the format of ECMA-335 II.25.4, so that its header's lengths hold, and its IL is
    /// type-safe for the method: the runtime verifies neither.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetILFunctionBody")]
    #[doc(alias = "GetILFunctionBodyAllocator")]
    #[doc(alias = "Alloc")]
    pub unsafe fn set_il_function_body(
        &self,
        module: ModuleId,
        method: MethodDef,
        body: &[u8],
    ) -> Result<()> {
        // SAFETY: forwarded to the caller.
        unsafe { self.raw().set_il_function_body(module, method, body) }
    }
}

impl<'a> StackWalk<'a> {
    /// Begins the walk with these registers, for a thread that was stopped in native code: a `CONTEXT` of the platform, as
    /// the runtime's headers declare it.
    ///
    /// The runtime uses it on x86 and does not check it. Elsewhere it ignores it (Linux x86-64, .NET Core 3.1 and .NET 9:
    /// whatever the bytes).
    ///
    /// # Safety
    /// The registers are those of a managed frame of the thread that is walked.
    #[must_use]
    pub unsafe fn with_seed(self, registers: &'a [u8]) -> Self {
        // SAFETY: forwarded to the caller.
        Self { seed: Some(unsafe { StackSeed::new(registers) }), ..self }
    }
}

impl FunctionControl<'_> {
    /// The method's new IL: header, code and exception clauses as they would lie in the file, tokens of the
    /// method's module (`ICorProfilerFunctionControl::SetILFunctionBody`). The runtime copies it, and does not check
    /// it: wrong IL fails when it is compiled, which [`Profiler::rejit_error`](crate::Profiler::rejit_error) or the
    /// program will tell.
    ///
    /// # Safety
    /// `body` is a whole method body in the format of ECMA-335 II.25.4, so that its header's lengths hold, and its IL is
    /// type-safe for the method: the runtime verifies neither.
    ///
    /// # Errors
    /// `E_INVALIDARG` for an empty body.
    #[doc(alias = "SetILFunctionBody")]
    pub unsafe fn set_il_function_body(&self, body: &[u8]) -> Result<()> {
        // SAFETY: forwarded to the caller.
        unsafe { self.0.set_body(body) }
    }
}
