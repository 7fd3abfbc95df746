//! The code that is inserted into a selected method.
#![forbid(unsafe_code)]

use cilbody::Opcode;
use cilbody::edit::{Inserter, Instr};
use corprof::token::StandAloneSig;
use corprof_rewrite::{LiveModule, Method, Result, RewriteError};
use method_filter::Secrets;
use sigparse::TypeSig;

use crate::arguments::{Argument, Convert, arguments};
use crate::callbacks::Callback;
use crate::{spans, tasks};

// Types of variables: a pinned string, an int64, an int32.
const PINNED_STRING: [u8; 2] = [0x45, 0x0E];
const INT64: [u8; 1] = [0x0A];
const INT32: [u8; 1] = [0x08];

/// A callback with the token of its signature in a module.
#[derive(Clone, Copy)]
pub(crate) struct NativeCall {
    address: usize,
    site: StandAloneSig,
}

impl NativeCall {
    pub(crate) fn new(callback: Callback, module: &LiveModule) -> Result<Self> {
        Ok(Self { address: callback.address, site: module.call_site(callback.signature)? })
    }

    /// Inserts the call; its arguments are on the stack.
    pub(crate) fn push(self, code: &mut Inserter<'_>) {
        code.push(Instr::ldc_i8(i64::try_from(self.address).unwrap_or_default()));
        code.push(Instr::new(Opcode::CONV_I)).push(Instr::token(Opcode::CALLI, self.site));
    }
}

/// Adds a local variable of a type.
pub(crate) fn local(method: &mut Method<'_>, ty: &[u8]) -> Result<u16> {
    method.add_local(TypeSig::parse(ty).map_err(RewriteError::Signature)?)
}

pub(crate) fn local_int32(method: &mut Method<'_>) -> Result<u16> {
    local(method, &INT32)
}

/// Inserts a span into a method: its begin with the arguments, and its end. With `is_async` it ends with the returned task.
pub(crate) fn span(method: &mut Method<'_>, number: i64, is_async: bool, secrets: &Secrets) -> Result<bool> {
    let module = method.module();
    if method.body().ids().any(|id| method.body().instr(id).is_some_and(|it| it.opcode == Opcode::JMP)) {
        spans::write("  a method that is left by jmp is not rewritten");
        return Ok(false);
    }
    if method.is_runtime_async() {
        spans::moves(number);
    }
    let id = local(method, &INT64)?;
    let returned = local_int32(method)?;
    let pinned = local(method, &PINNED_STRING)?;
    let entered = NativeCall::new(Callback::entered(), module)?;
    let left = NativeCall::new(Callback::left(), module)?;
    let task = if is_async { Some(tasks::Members::of_task(module)?) } else { None };
    let suspended = NativeCall::new(Callback::suspended(), module)?;
    let arguments = arguments(method, module, secrets)?;
    let returns = method.returns();
    let body = method.body_mut();
    for id in body.all_ids() {
        if body.instr(id).is_some_and(|instr| instr.opcode == Opcode::RET) {
            body.insert_before(id).push(Instr::ldc_i4(1)).push(Instr::stloc(returned));
        }
    }
    body.wrap_in_finally(returns, module, |code, value| {
        let end = code.new_label();
        if let (Some(task), Some(value)) = (task, value) {
            let failed = code.new_label();
            code.push(Instr::ldloc(returned)).push(Instr::branch(Opcode::BRFALSE, failed));
            code.push(Instr::ldloc(id));
            task.push_state(code, value);
            suspended.push(code);
            code.push(Instr::branch(Opcode::BR, end));
            code.mark(failed);
        }
        code.push(Instr::ldloc(id)).push(Instr::ldloc(returned));
        left.push(code);
        code.mark(end);
    })?;
    let mut code = body.insert_at_entry();
    code.push(Instr::ldc_i4(0)).push(Instr::stloc(returned));
    for Argument { number, convert, call } in arguments {
        match convert {
            Some(Convert::Pin) => {
                code.push(Instr::ldarg(number)).push(Instr::stloc(pinned));
                code.push(Instr::ldloc(pinned)).push(Instr::new(Opcode::CONV_I));
                call.push(&mut code);
                code.push(Instr::new(Opcode::LDNULL)).push(Instr::stloc(pinned));
            }
            Some(Convert::By(opcode)) => {
                code.push(Instr::ldarg(number)).push(Instr::new(opcode));
                call.push(&mut code);
            }
            None => call.push(&mut code),
        }
    }
    code.push(Instr::ldc_i8(number));
    entered.push(&mut code);
    code.push(Instr::stloc(id));
    Ok(true)
}
