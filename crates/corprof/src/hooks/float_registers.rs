//! A guard against a defect of the runtime: a hook costs the program its floating-point arguments.
//!
//! On .NET Core 3.1 (Linux x86-64) the stub that calls an enter hook with info keeps `xmm0` and `xmm1` for the
//! method that is entered, and forgets `xmm2` to `xmm7`: whatever the hook leaves in them is what the method
//! gets as its third to eighth floating-point argument. Their values are in the area that the stub has saved,
//! however, and [`enter`] loads them again when the hook is done.
//!
//! Register contract (System V, x86-64): entered with the client id in `rdi` and the `COR_PRF_ELT_INFO` in
//! `rsi`, of which the first word points to the area; calls the hook with both as they are; returns with
//! `xmm2` to `xmm7` loaded from the area, callee-saved registers as they were, and the stack aligned for the
//! call. Only the lower 8 bytes are loaded: no managed argument has more of a register in this runtime.
//!
//! Contract of the unsafe code here: [`enter`] is installed only on a runtime whose area has the layout that
//! is read here (see [`are_lost`]).
#![allow(unsafe_code)]

use core::arch::naked_asm;

use corprof_sys as sys;

use super::{FunctionHooks, with_info};
use crate::ProfilerInfo;

/// The offset in the area of the value of `xmm0`, 8 bytes; those of `xmm1` to `xmm7` follow.
const FLOATS: usize = 56;

/// Whether the runtime is one that forgets `xmm2` to `xmm7`: .NET Core 3.0 and 3.1, whose newest interface is
/// the eleventh.
pub(super) fn are_lost(info: &ProfilerInfo) -> bool {
    info.version() <= 11
}

/// The enter hook, with the registers loaded again afterwards.
///
/// # Safety
/// As for [`with_info::enter`]; the runtime is one of those that [`are_lost`] names.
#[unsafe(naked)]
pub(super) unsafe extern "system" fn enter<P: FunctionHooks, const SELECTIVE: bool>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    naked_asm!(
        "push rbx",
        "mov rbx, [rsi]",
        "call {hook}",
        "movsd xmm2, qword ptr [rbx + {floats} + 16]",
        "movsd xmm3, qword ptr [rbx + {floats} + 24]",
        "movsd xmm4, qword ptr [rbx + {floats} + 32]",
        "movsd xmm5, qword ptr [rbx + {floats} + 40]",
        "movsd xmm6, qword ptr [rbx + {floats} + 48]",
        "movsd xmm7, qword ptr [rbx + {floats} + 56]",
        "pop rbx",
        "ret",
        hook = sym with_info::enter::<P, SELECTIVE>,
        floats = const FLOATS,
    )
}
