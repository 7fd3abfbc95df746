//! Functions: class, module, token and type arguments.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, FunctionId, ModuleId};
use sigparse::MethodDef;
use sigparse::token::TypeDef;

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::raw::evidence::{Context, FrameInfo};
use crate::runtime::ProfilerInfo;

/// The class, module and token of a function.
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

/// The module, name and signature of a dynamic method.
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
    /// Returns the class, module and token of a function.
    ///
    /// `ICorProfilerInfo2::GetFunctionInfo2` without a frame. May be called in any callback and in the function id
    /// mapper.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetFunctionInfo")]
    pub fn function_info(&self, function: FunctionId) -> Result<FunctionInfo> {
        self.reported_about(function, || {
            let (class, module, token) = self.raw().function_info(function)?;
            Ok(FunctionInfo { class, module: module_of(module)?, token })
        })
    }

    /// Returns a function with the type arguments of a call.
    ///
    /// Exact type arguments need [`ENABLE_FRAME_INFO`](crate::EventMask::ENABLE_FRAME_INFO) or
    /// [`ENABLE_FUNCTION_ARGS`](crate::EventMask::ENABLE_FUNCTION_ARGS), or a frame of a fast-path hook.
    /// `ICorProfilerInfo2::GetFunctionInfo2`. Without a frame, the type arguments of shared code are `System.__Canon`.
    ///
    /// # Errors
    /// Any failure of the call.
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

    /// As the public method, without recording the lifetime of the ids.
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
    /// The metadata stays valid after an unload, like that of [`module_metadata`](Self::module_metadata), and has its cost.
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

    /// Returns `true` for a dynamic method, which has no metadata.
    ///
    /// `ICorProfilerInfo8::IsFunctionDynamic`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "IsFunctionDynamic")]
    pub fn is_function_dynamic(&self, function: FunctionId) -> Result<bool> {
        self.raw().is_function_dynamic(function)
    }

    /// Returns the module, name and signature of a dynamic method.
    ///
    /// `ICorProfilerInfo8::GetDynamicFunctionInfo`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the method has metadata. Any other failure of the call.
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
