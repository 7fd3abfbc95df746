//! Which of the functions of its method a function is.
//!
//! Contract of the unsafe code here: the function id mapper, which is no hook and has no object, asks for the function of a token
//! while it holds a function that is compiled now. That function has the same class and type arguments, which are therefore loaded
//! and alive.
#![allow(unsafe_code)]

use clrnames::metadata::{Metadata as _, returns_task};
use corprof_types::FunctionId;

use super::ProfilerInfo;
use super::suspended::{FunctionForm, PREVIEW, has_second_functions};
use crate::error::Result;

/// The flag of a method whose body the runtime suspends (`MethodImplAttributes.Async`).
const ASYNC: u32 = 0x2000;

impl ProfilerInfo {
    /// Returns which of the functions of its method a function is.
    ///
    /// Determined when the function is compiled, before [`FunctionHooks::map_function`](crate::FunctionHooks::map_function) is
    /// called. [`FunctionForm::Unknown`] for a function that returns a task and has not been compiled with hooks.
    #[must_use]
    pub fn function_form(&self, function: FunctionId) -> FunctionForm {
        if !self.suspends_methods() {
            return FunctionForm::Declared;
        }
        if let Some(form) = self.shared.forms.with(|forms| forms.get(&function).copied()) {
            return form;
        }
        match self.returns_task(function) {
            Ok(false) => FunctionForm::Declared,
            // If the type is unknown, it may be a task.
            Ok(true) | Err(_) => FunctionForm::Unknown,
        }
    }

    /// Determines the form of a function that is compiled now.
    ///
    /// # Safety
    /// Called in the function id mapper for this function, which is alive until this returns.
    pub(crate) unsafe fn note_form(&self, function: FunctionId) {
        if !self.major_version().is_some_and(has_second_functions)
            || !self.returns_task(function).unwrap_or(true)
        {
            return;
        }
        // SAFETY: the contract of this function.
        let form = unsafe { self.form_of(function) }.unwrap_or(FunctionForm::Unknown);
        self.shared.forms.with(|forms| forms.insert(function, form));
    }

    /// # Safety
    /// As for [`note_form`](Self::note_form).
    unsafe fn form_of(&self, function: FunctionId) -> Result<FunctionForm> {
        let instance = self.function_instance(function, None)?;
        let (Some(token), Some(type_args)) =
            (instance.token, instance.type_args.iter().copied().collect::<Option<Vec<_>>>())
        else {
            return Ok(FunctionForm::Unknown);
        };
        // SAFETY: no hook is running, and there is no object; module, class and type arguments are those of a function that is alive
        // and compiled, and so are loaded.
        let declared =
            unsafe { self.function_from_token_loading(instance.module, token, instance.class, &type_args) }?;
        if declared != function {
            return Ok(FunctionForm::Variant);
        }
        let flags = self.metadata_rows(instance.module)?.method_impl_flags(token)?;
        Ok(if flags & ASYNC == 0 { FunctionForm::Declared } else { FunctionForm::Thunk })
    }

    fn returns_task(&self, function: FunctionId) -> Result<bool> {
        let (metadata, method) = self.function_rows(function)?;
        returns_task(&*metadata, metadata.method(method)?.signature)
    }

    /// Returns whether a leave hook of a function may damage the program.
    pub(crate) fn is_damaged_by_hooks(&self, function: FunctionId) -> bool {
        // If the type is unknown, it may be a task.
        self.suspends_methods()
            && self.major_version() == Some(PREVIEW)
            && self.returns_task(function).unwrap_or(true)
    }
}
