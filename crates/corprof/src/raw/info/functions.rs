//! Functions, their type arguments and their metadata.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, FunctionId, ModuleId};
use sigparse::MethodDef;

use super::table::ImportIid;
use super::{Info, name};
use crate::error::{Error, Result};
use crate::raw::buffers::fill;
use crate::raw::evidence::FrameInfo;
use crate::raw::interface::ImportPtr;

/// Class, module and token of a function.
pub(crate) type Declared = (Option<ClassId>, Option<ModuleId>, Option<MethodDef>);

impl Info {
    /// `ICorProfilerInfo2::GetFunctionInfo2` without a frame and without type arguments.
    pub(crate) fn function_info(&self, function: FunctionId) -> Result<Declared> {
        let (mut class, mut module, mut token) = (None, None, 0);
        self.get_function_info(function, &mut class, &mut module, &mut token)?;
        Ok((class, module, MethodDef::from_token(token)))
    }

    /// `ICorProfilerInfo2::GetFunctionInfo2`, with the type arguments of a frame of the function. The runtime refuses a
    /// frame of another function.
    pub(crate) fn function_instance(
        &self,
        function: FunctionId,
        frame: Option<FrameInfo<'_>>,
    ) -> Result<(Declared, Vec<Option<ClassId>>)> {
        let (mut class, mut module, mut token) = (None, None, 0);
        let args = fill(name!(ICorProfilerInfo2::GetFunctionInfo2), |room| {
            let mut count = 0;
            self.get_function_instance(
                function,
                frame,
                &mut class,
                &mut module,
                &mut token,
                room,
                &mut count,
            )?;
            Ok(count)
        })?;
        Ok(((class, module, MethodDef::from_token(token)), args.to_vec()))
    }

    /// `ICorProfilerInfo::GetTokenAndMetaDataFromFunction`.
    pub(crate) fn function_metadata(&self, function: FunctionId) -> Result<(ImportPtr, Option<MethodDef>)> {
        let (mut import, mut token) = (None, 0);
        self.get_function_metadata(function, ImportIid, &mut import, &mut token)?;
        let call = name!(ICorProfilerInfo::GetTokenAndMetaDataFromFunction);
        Ok((import.ok_or(Error::Null { call, what: "metadata" })?, MethodDef::from_token(token)))
    }
}
