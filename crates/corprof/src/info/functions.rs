//! What a function is: its class, module, token and type arguments.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use sigparse::MethodDef;
use sigparse::token::TypeDef;

use super::{call, fill};
use crate::com::interface::{self, ImportPtr};
use crate::hooks::Context;
use crate::ids::{ClassId, FrameInfo, FunctionId, ModuleId};
use crate::metadata::Metadata;
use crate::{Error, HResult, ProfilerInfo, Result};

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
        let _asking = self.asking(function)?;
        let (mut class, mut module, mut token) = (0, 0, 0);
        // SAFETY: locals, and no room for type arguments, as declared.
        unsafe {
            call!(
                self,
                asked ICorProfilerInfo2::GetFunctionInfo2(
                    function.as_raw(),
                    0,
                    &raw mut class,
                    &raw mut module,
                    &raw mut token,
                    0,
                    null_mut(),
                    null_mut(),
                )
            )
        }?;
        Ok(FunctionInfo {
            class: self.given(ClassId::from_raw(class)),
            module: self.module_of(module)?,
            token: MethodDef::from_token(token),
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
        let alone = |function| self.instance_in(function, 0);
        let of_class = |class| Ok(FunctionInstance { class: self.given(Some(class)), ..alone(function)? });
        match frame.map(|frame| (frame.context(), frame.as_raw())) {
            // What code that is shared by instances is given to know them is their own ids.
            Some((Context::Method(exact), _)) => {
                self.given(Some(exact));
                alone(exact)
            }
            Some((Context::Class(class), _)) => of_class(class),
            Some((Context::Derived(class, module, type_def), _)) => {
                of_class(self.base_class(class, module, type_def)?)
            }
            Some((Context::None, frame)) => self.instance_in(function, frame),
            None => alone(function),
        }
    }

    /// The class itself or the base class of it that is an instance of a type.
    fn base_class(&self, class: ClassId, module: ModuleId, type_def: TypeDef) -> Result<ClassId> {
        let mut next = self.given(Some(class));
        while let Some(class) = next {
            let info = self.class_info(class)?;
            if (info.module, info.type_def) == (module, type_def) {
                return Ok(class);
            }
            next = info.parent;
        }
        Err(Error::NotFound(format!("{class} does not derive from {type_def}")))
    }

    fn instance_in(&self, function: FunctionId, frame: usize) -> Result<FunctionInstance> {
        let _asking = self.asking(function)?;
        let (mut class, mut module, mut token) = (0, 0, 0);
        let type_args = fill("ICorProfilerInfo2::GetFunctionInfo2", |room: &mut [usize]| {
            let mut count = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo2::GetFunctionInfo2(
                        function.as_raw(),
                        frame,
                        &raw mut class,
                        &raw mut module,
                        &raw mut token,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(FunctionInstance {
            class: self.given(ClassId::from_raw(class)),
            module: self.module_of(module)?,
            token: MethodDef::from_token(token),
            type_args: type_args.iter().map(|class| self.given(ClassId::from_raw(*class))).collect(),
        })
    }

    /// The function of a method's definition with these type arguments, **loading its type if it is not loaded**
    /// (`ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs`). `class` is the exact class for a method of a generic
    /// type.
    ///
    /// What [`ProfilerInfo::class_from_token_loading`] says of the dangers counts here too.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from outside of a callback.
    #[doc(alias = "GetFunctionFromToken")]
    #[doc(alias = "GetFunctionFromTokenAndTypeArgs")]
    pub fn function_from_token_loading(
        &self,
        module: ModuleId,
        method: MethodDef,
        class: Option<ClassId>,
        type_args: &[ClassId],
    ) -> Result<FunctionId> {
        const CALL: &str = "ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs";
        let mut args: Vec<usize> = type_args.iter().map(|class| class.as_raw()).collect();
        let mut function = 0;
        // SAFETY: a local, and a list with its length that the runtime only reads.
        unsafe {
            call!(
                self,
                ICorProfilerInfo2::GetFunctionFromTokenAndTypeArgs(
                    module.as_raw(),
                    method.token(),
                    class.map_or(0, ClassId::as_raw),
                    room_of(&args),
                    args.as_mut_ptr(),
                    &raw mut function,
                )
            )
        }?;
        FunctionId::from_raw(function).ok_or(Error::Null { call: CALL, what: "function" })
    }

    /// The metadata that a function's token belongs to, and the token
    /// (`ICorProfilerInfo::GetTokenAndMetaDataFromFunction`).
    ///
    /// # Errors
    /// What the runtime reports: a method that was made at run time has neither.
    #[doc(alias = "GetTokenAndMetaDataFromFunction")]
    pub fn function_metadata(&self, function: FunctionId) -> Result<(Metadata, MethodDef)> {
        const CALL: &str = "ICorProfilerInfo::GetTokenAndMetaDataFromFunction";
        let (mut out, mut token) = (null_mut(), 0);
        let iid = sys::IID_IMetaDataImport2;
        // SAFETY: locals.
        unsafe {
            call!(
                self,
                ICorProfilerInfo::GetTokenAndMetaDataFromFunction(
                    function.as_raw(),
                    &raw const iid,
                    &raw mut out,
                    &raw mut token,
                )
            )
        }?;
        // SAFETY: the runtime has given a pointer to the interface that was asked for, with a reference.
        let import = unsafe { interface::from_raw::<ImportPtr>(out.cast()) };
        let metadata = import.map(Metadata::new).ok_or(Error::Null { call: CALL, what: "metadata" })?;
        let token = MethodDef::from_token(token).ok_or(Error::Null { call: CALL, what: "token" })?;
        Ok((metadata, token))
    }

    /// The function whose code lies at an address (`ICorProfilerInfo::GetFunctionFromIP`); `None` when there
    /// is none, as for a stub or native code. May be called from anywhere.
    ///
    /// # Errors
    /// What else the runtime reports.
    #[doc(alias = "GetFunctionFromIP")]
    pub fn function_from_ip(&self, address: usize) -> Result<Option<FunctionId>> {
        let mut function = 0;
        let ip = core::ptr::without_provenance(address);
        // SAFETY: a local; the address is looked up and not read.
        let answer = unsafe { call!(self, asked ICorProfilerInfo::GetFunctionFromIP(ip, &raw mut function)) };
        match answer {
            Ok(_) => Ok(self.given(FunctionId::from_raw(function))),
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a method was made at run time and has no metadata
    /// (`ICorProfilerInfo8::IsFunctionDynamic`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsFunctionDynamic")]
    pub fn is_function_dynamic(&self, function: FunctionId) -> Result<bool> {
        let _asking = self.asking(function)?;
        let mut dynamic = 0;
        // SAFETY: a local.
        unsafe {
            call!(self, asked ICorProfilerInfo8::IsFunctionDynamic(function.as_raw(), &raw mut dynamic))
        }?;
        Ok(dynamic != 0)
    }

    /// What is known of a method that was made at run time (`ICorProfilerInfo8::GetDynamicFunctionInfo`).
    ///
    /// # Errors
    /// What the runtime reports: `E_INVALIDARG` for a method that has metadata.
    #[doc(alias = "GetDynamicFunctionInfo")]
    pub fn dynamic_function_info(&self, function: FunctionId) -> Result<DynamicFunctionInfo> {
        let _asking = self.asking(function)?;
        let (mut module, mut blob, mut length) = (0, core::ptr::null(), 0);
        let name = super::fill_wide("ICorProfilerInfo8::GetDynamicFunctionInfo", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo8::GetDynamicFunctionInfo(
                        function.as_raw(),
                        &raw mut module,
                        &raw mut blob,
                        &raw mut length,
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        // SAFETY: the runtime has reported a signature of that length, alive as long as the method, whose unload
        // waits for the end of this call.
        let signature = unsafe { super::buffers::lent(blob, length) }.to_vec();
        Ok(DynamicFunctionInfo { module: self.module_of(module)?, name, signature })
    }

    /// A module id that a successful call must have given.
    fn module_of(&self, raw: usize) -> Result<ModuleId> {
        const CALL: &str = "ICorProfilerInfo2::GetFunctionInfo2";
        self.given(ModuleId::from_raw(raw)).ok_or(Error::Null { call: CALL, what: "module" })
    }
}

/// A buffer's length, as the runtime counts.
pub(crate) fn room_of<T>(room: &[T]) -> u32 {
    u32::try_from(room.len()).unwrap_or(u32::MAX)
}
