//! What a function is: its class, module, token and type arguments.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, FunctionId, HResult, ModuleId};
use sigparse::MethodDef;
use sigparse::token::TypeDef;

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::raw::evidence::{Context, FrameInfo};
use crate::raw::info::Address;
use crate::runtime::ProfilerInfo;

/// Where a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The class that declares it. `None` where it depends on the call: a method of a generic type that is
    /// shared by several instantiations. Ask [`ProfilerInfo::function_instance`] with the call's frame then.
    pub class: Option<ClassId>,
    /// The module that its token belongs to.
    pub module: ModuleId,
    /// Its token; `None` for a method without metadata, such as a dynamic one.
    pub token: Option<MethodDef>,
}

/// A function with the type arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInstance {
    /// The class that declares it, an exact instantiation where the runtime knows it.
    pub class: Option<ClassId>,
    /// The module that its token belongs to.
    pub module: ModuleId,
    /// Its token; `None` for a method without metadata, such as a dynamic one.
    pub token: Option<MethodDef>,
    /// The type arguments of a generic method, in order; those of a generic class are its own (see
    /// [`ProfilerInfo::class_info`]). `None` for one that the runtime does not know.
    pub type_args: Vec<Option<ClassId>>,
}

/// What is known of a method that was made at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicFunctionInfo {
    /// The module that it was made in.
    pub module: ModuleId,
    /// Its name: whatever the program gave it.
    pub name: String,
    /// Its signature, to be read with `sigparse`.
    pub signature: Vec<u8>,
}

impl ProfilerInfo {
    /// Where a function comes from (`ICorProfilerInfo2::GetFunctionInfo2` without a frame). May be called
    /// from any callback, and from the function id mapper.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetFunctionInfo")]
    pub fn function_info(&self, function: FunctionId) -> Result<FunctionInfo> {
        self.reported_about(function, || {
            let (class, module, token) = self.raw().function_info(function)?;
            Ok(FunctionInfo { class, module: module_of(module)?, token })
        })
    }

    /// A function with the type arguments of the call that `frame` stands for
    /// (`ICorProfilerInfo2::GetFunctionInfo2`). Without a frame, the arguments of shared code are
    /// `System.__Canon`. Exact answers need [`EventMask::ENABLE_FRAME_INFO`](crate::EventMask) or
    /// `ENABLE_FUNCTION_ARGS`, or a frame of a fast hook.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetFunctionInfo2")]
    pub fn function_instance(
        &self,
        function: FunctionId,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<FunctionInstance> {
        self.reported_about(function, || self.function_instance_alone(function, frame))
    }

    /// The class itself or the base class of it that is an instance of a type.
    fn base_class(&self, class: ClassId, module: ModuleId, type_def: TypeDef) -> Result<ClassId> {
        let mut next = Some(class);
        while let Some(class) = next {
            let info = self.class_info_alone(class)?;
            if (info.module, info.type_def) == (module, type_def) {
                return Ok(class);
            }
            next = info.parent;
        }
        Err(Error::NotFound(format!("{class} does not derive from {type_def}")))
    }

    /// The same without a note of what the ids go away with.
    pub(crate) fn function_instance_alone(
        &self,
        function: FunctionId,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<FunctionInstance> {
        let instance = |function, frame| {
            let ((class, module, token), type_args) = self.raw().function_instance(function, frame)?;
            Ok(FunctionInstance { class, module: module_of(module)?, token, type_args })
        };
        let of_class = |class| Ok(FunctionInstance { class: Some(class), ..instance(function, None)? });
        match frame.map(FrameInfo::context) {
            // Shared code is passed the ids of its instances themselves.
            Some(Context::Method(exact)) => instance(exact, None),
            Some(Context::Class(class)) => of_class(class),
            Some(Context::Derived(class, module, type_def)) => {
                of_class(self.base_class(class, module, type_def)?)
            }
            Some(Context::None) | None => instance(function, frame),
        }
    }

    /// Returns a function's metadata and token. `ICorProfilerInfo::GetTokenAndMetaDataFromFunction`.
    ///
    /// The metadata stays valid after an unload, like that of [`module_metadata`](Self::module_metadata).
    ///
    /// # Errors
    /// [`Error::Unloaded`]: the function has been unloaded. Any failure of the call, as for a dynamic method, which has
    /// neither.
    #[doc(alias = "GetTokenAndMetaDataFromFunction")]
    pub fn function_metadata(&self, function: FunctionId) -> Result<(Metadata, MethodDef)> {
        const CALL: &str = "ICorProfilerInfo::GetTokenAndMetaDataFromFunction";
        let _lookup = self.loaded().lookup();
        let module = self.function_info(function)?.module;
        let (import, token) = self.raw().function_metadata(function)?;
        let metadata = self.detached(module, import)?;
        Ok((metadata, token.ok_or(Error::Null { call: CALL, what: "token" })?))
    }

    /// The function whose code lies at an address (`ICorProfilerInfo::GetFunctionFromIP`); `None` when there
    /// is none, as for a stub or native code. May be called from anywhere.
    ///
    /// # Errors
    /// What else the runtime reports.
    #[doc(alias = "GetFunctionFromIP")]
    pub fn function_from_ip(&self, address: usize) -> Result<Option<FunctionId>> {
        self.reported(|| match self.raw().function_from_ip(Address(address)) {
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok(None),
            function => function,
        })
    }

    /// Whether a method was made at run time and has no metadata
    /// (`ICorProfilerInfo8::IsFunctionDynamic`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsFunctionDynamic")]
    pub fn is_function_dynamic(&self, function: FunctionId) -> Result<bool> {
        self.raw().is_function_dynamic(function)
    }

    /// What is known of a method that was made at run time (`ICorProfilerInfo8::GetDynamicFunctionInfo`).
    ///
    /// # Errors
    /// What the runtime reports: `E_INVALIDARG` for a method that has metadata.
    #[doc(alias = "GetDynamicFunctionInfo")]
    pub fn dynamic_function_info(&self, function: FunctionId) -> Result<DynamicFunctionInfo> {
        let (module, name, signature, classes) =
            self.reported(|| self.raw().dynamic_function_info(function))?;
        for class in classes {
            self.loaded().class_seen(class);
        }
        Ok(DynamicFunctionInfo { module: module_of(module)?, name, signature })
    }
}

/// A module id that a successful call must have written.
fn module_of(module: Option<ModuleId>) -> Result<ModuleId> {
    module.ok_or(Error::Null { call: "ICorProfilerInfo2::GetFunctionInfo2", what: "module" })
}
