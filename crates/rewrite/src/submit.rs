//! Import, edit, verify, submit.
//!
//! Contract of the unsafe code here: the callers of [`Rewriter::at_jit`] and [`Rewriter::at_rejit`] answer for the code that
//! they insert. The format of the body, the stack, branches, exception handling and tokens are verified here.
#![allow(unsafe_code)]

use cilbody::edit::OffsetMap;
use corprof::token::MethodDef;
use corprof::values::IlMapEntry;
use corprof::{FunctionControl, FunctionId, HResult, ModuleId};

use crate::method::Method;
use crate::rewriter::{Rewriter, Submitted};
use crate::{Result, RewriteError};

/// The outcome of rewriting a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The runtime has the new body.
    Submitted,
    /// The closure did not change the method.
    Unchanged,
    /// The runtime has the body already that was submitted before, or one that another tool has made of it: the method is
    /// compiled for another instantiation or tier.
    Present,
    /// The method has no IL of its own: the runtime generates it, as for an `UnsafeAccessor`.
    NoIl,
}

impl Rewriter {
    /// Rewrites a method before it is compiled for the first time. `ICorProfilerInfo::SetILFunctionBody`.
    ///
    /// For `Profiler::jit_compilation_started`. `edit` is called with the body that the runtime has now, which another
    /// profiler or tool may have rewritten before, and returns whether the body is to be submitted. A method that this
    /// rewriter has rewritten already is not passed to `edit` again. Two threads that compile the same method at once both
    /// call `edit`; one of the results is used for both.
    ///
    /// A method that is inlined before it was compiled by itself keeps its IL there: return `false` for it from
    /// `Profiler::jit_inlining`.
    ///
    /// # Safety
    /// The code that `edit` inserts is memory-safe wherever the method is run: pointers in it stay valid until the process
    /// ends, and values are used as what they are. Verification does not tell types of objects apart.
    ///
    /// # Errors
    /// The body cannot be read or does not verify, `edit` has failed, or the runtime refuses a call. The method keeps its IL.
    pub unsafe fn at_jit(
        &self,
        function: FunctionId,
        edit: impl FnOnce(&mut Method<'_>) -> Result<bool>,
    ) -> Result<Outcome> {
        let of = self.info().function_info(function)?;
        let token = of.token.ok_or(RewriteError::NoMetadata)?;
        let key = (of.module, token);
        let Some(original) = self.body(of.module, token)? else { return Ok(Outcome::NoIl) };
        // Any other body than the first one holds the submitted code: it is the submitted body, or another tool has imported
        // that and submitted its own since.
        if self.shared.submitted(key).is_some_and(|submitted| submitted.original != original) {
            return Ok(Outcome::Present);
        }
        let module = self.module(of.module)?;
        let mut method = Method::import(&module, token, &original)?;
        if !edit(&mut method)? {
            return Ok(Outcome::Unchanged);
        }
        let encoded = method.encode()?;
        let new = self.shared.note(key, Submitted { original, bytes: encoded.bytes });
        // SAFETY: an encoded body that has been verified; the caller answers for the code in it.
        if let Err(error) = unsafe { self.info().set_il_function_body(of.module, token, &new.bytes) } {
            self.shared.remove(key);
            return Err(error.into());
        }
        // Without the map, stack traces have other lines; the body is right nevertheless.
        let _ = self.info().set_il_instrumented_code_map(function, true, &il_map(&encoded.offsets));
        Ok(Outcome::Submitted)
    }

    /// Rewrites a method that is compiled again. `ICorProfilerFunctionControl::SetILFunctionBody`.
    ///
    /// For `Profiler::rejit_parameters`. `edit` is called with the body that the method had at its first compilation.
    ///
    /// # Safety
    /// As for [`at_jit`](Self::at_jit).
    ///
    /// # Errors
    /// As for [`at_jit`](Self::at_jit).
    pub unsafe fn at_rejit(
        &self,
        module: ModuleId,
        token: MethodDef,
        control: &FunctionControl<'_>,
        edit: impl FnOnce(&mut Method<'_>) -> Result<bool>,
    ) -> Result<Outcome> {
        let Some(original) = self.body(module, token)? else { return Ok(Outcome::NoIl) };
        let module = self.module(module)?;
        let mut method = Method::import(&module, token, &original)?;
        if !edit(&mut method)? {
            return Ok(Outcome::Unchanged);
        }
        let encoded = method.encode()?;
        control.set_il_instrumented_code_map(&il_map(&encoded.offsets))?;
        // SAFETY: an encoded body that has been verified; the caller answers for the code in it.
        unsafe { control.set_il_function_body(&encoded.bytes) }?;
        Ok(Outcome::Submitted)
    }
}

impl Rewriter {
    /// The body that the runtime has now.
    fn body(&self, module: ModuleId, method: MethodDef) -> Result<Option<Vec<u8>>> {
        match self.info().il_function_body(module, method) {
            Ok(body) => Ok(Some(body)),
            Err(error) if error.hresult() == HResult::CORPROF_E_FUNCTION_NOT_IL => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The map as the runtime takes it.
fn il_map(offsets: &OffsetMap) -> Vec<IlMapEntry> {
    let entry = |&(old_offset, new_offset)| IlMapEntry { old_offset, new_offset, accurate: true };
    offsets.pairs().iter().map(entry).collect()
}
