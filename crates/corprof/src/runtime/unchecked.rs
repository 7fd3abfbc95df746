//! The `unsafe` methods of [`ProfilerInfo`], whose preconditions cannot be checked.
//!
//! Contract of the unsafe code here: each function forwards to [`crate::raw::info`], and its documentation states
//! the preconditions.
#![allow(unsafe_code)]

use corprof_types::{ClassId, FunctionId, HResult, ModuleId};
use sigparse::MethodDef;
use sigparse::token::TypeDef;

use super::StackWalk;
use super::code::FunctionVersion;
use super::control::FunctionControl;
use crate::error::{Error, Result};
use crate::raw::info::{Address, StackSeed};
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Returns the class of a type definition with these type arguments, **loading it if it is not loaded**.
    ///
    /// `ICorProfilerInfo2::GetClassFromTokenAndTypeArgs`. Loading a type at the wrong time changes the program's
    /// behaviour and can crash it. Call [`ProfilerInfo::known_class`] first, and this method only for a type that is
    /// certainly loaded, such as a value type in the signature of a running method.
    ///
    /// **Never call it in an enter, leave or tailcall hook**: a collection may run, which does not update the arguments
    /// that the hook has saved, and the program would continue with stale references. The runtime refuses the call in
    /// fast-path hooks, but not in slow-path ones.
    ///
    /// # Safety
    /// No enter, leave or tailcall hook is running on this thread, and no object id is used on it afterwards: a
    /// collection may run. The ids stay alive until the call returns, for which unloads do not wait, since the
    /// program's code may run in it. The type may be loaded at this point: loading at the wrong time can crash the
    /// program.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called outside of callbacks. Any other failure of the call.
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

    /// Returns the function of a method definition with these type arguments, **loading its type if it is not loaded**.
    ///
    /// `ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs`. `class` is the exact class for a method of a generic type.
    /// The dangers of [`ProfilerInfo::class_from_token_loading`] apply.
    ///
    /// # Safety
    /// No enter, leave or tailcall hook is running on this thread, and no object id is used on it afterwards: a
    /// collection may run. The ids stay alive until the call returns, for which unloads do not wait, since the
    /// program's code may run in it. The type may be loaded at this point: loading at the wrong time can crash the
    /// program.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called outside of callbacks. Any other failure of the call.
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

    /// Returns the function whose code contains an address; `None` for native code and stubs.
    ///
    /// `ICorProfilerInfo::GetFunctionFromIP`. May be called on any thread.
    ///
    /// # Safety
    /// The address is one at which a thread executes or has executed code: an instruction pointer, a return address, the start
    /// of a method or of a stub. In a precompiled image, the runtime searches for the method in front of an address until it finds one
    /// that has been called; where there is none, it reads outside of its tables.
    ///
    /// # Errors
    /// Any other failure of the call.
    #[doc(alias = "GetFunctionFromIP")]
    pub unsafe fn function_from_ip(&self, address: usize) -> Result<Option<FunctionId>> {
        self.reported(|| match self.raw().function_from_ip(Address(address)) {
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok(None),
            function => function,
        })
    }

    /// Returns the function version whose code contains an address; `None` for native code and stubs.
    ///
    /// `ICorProfilerInfo8::GetFunctionFromIP3`. Finds dynamic methods too. May be called on any thread.
    ///
    /// # Safety
    /// As for [`ProfilerInfo::function_from_ip`].
    ///
    /// # Errors
    /// Any other failure of the call.
    #[doc(alias = "GetFunctionFromIP2")]
    #[doc(alias = "GetFunctionFromIP3")]
    pub unsafe fn function_version_from_ip(&self, address: usize) -> Result<Option<FunctionVersion>> {
        let found = self.reported(|| match self.raw().function_version_from_ip(Address(address)) {
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok((None, None)),
            found => found,
        });
        let (function, rejit) = found?;
        Ok(function.map(|function| FunctionVersion { function, rejit }))
    }

    /// Replaces the IL of a method: header, code and exception clauses in the file format.
    ///
    /// `ICorProfilerInfo::SetILFunctionBody`, with memory of `ICorProfilerInfo::GetILFunctionBodyAllocator`
    /// (`IMethodMalloc::Alloc`). Compilations that begin afterwards use the new IL: call it in `ModuleLoadFinished` or
    /// `JITCompilationStarted`, and refuse precompiled code where the method has some. The runtime does not check the
    /// IL: a wrong body fails when it is compiled.
    ///
    /// # Safety
    /// `body` is a whole method body in the format of ECMA-335 II.25.4, so that its header's lengths hold, and its IL is
    /// type-safe for the method: the runtime verifies neither.
    ///
    /// # Errors
    /// [`Error::Conflict`](crate::Error::Conflict): another profiler of the class id changes IL. Any other failure of the call.
    #[doc(alias = "SetILFunctionBody")]
    #[doc(alias = "GetILFunctionBodyAllocator")]
    #[doc(alias = "Alloc")]
    pub unsafe fn set_il_function_body(
        &self,
        module: ModuleId,
        method: MethodDef,
        body: &[u8],
    ) -> Result<()> {
        self.own_il()?;
        // SAFETY: forwarded to the caller.
        unsafe { self.raw().set_il_function_body(module, method, body) }
    }
}

impl<'a> StackWalk<'a> {
    /// Starts the walk with these registers, for a thread that was stopped in native code.
    ///
    /// They are a `CONTEXT` of the platform, as the runtime's headers declare it. The runtime uses it on x86 and does
    /// not check it. On Linux x86-64, .NET Core 3.1 and .NET 9 ignore it.
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
    /// Sets the method's new IL: header, code and exception clauses in the file format, with tokens of the method's
    /// module.
    ///
    /// `ICorProfilerFunctionControl::SetILFunctionBody`. The runtime copies it without checking it: a wrong body fails
    /// when it is compiled, and is reported to [`Profiler::rejit_error`](crate::Profiler::rejit_error) or thrown in the
    /// program.
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
