//! The fast hooks' stubs for x86-64 on Windows (Microsoft's convention).
//!
//! # Register contract
//!
//! The compiled method calls a hook directly, with a convention of its own. Measured on .NET Core 3.1 and .NET 10.0, and as
//! the compiler's `targetamd64.h` has it (`RBM_PROFILER_ENTER_TRASH`, `RBM_PROFILER_LEAVE_TRASH`):
//!
//! | | enter | leave, tailcall |
//! |---|---|---|
//! | client id | `rcx` | `rcx` |
//! | the caller's stack pointer | `rdx` | `rdx` |
//! | in use, to be kept | callee-saved | `rax`, `xmm0`, callee-saved |
//! | free | all others | all others |
//!
//! Before the enter hook is called, the method stores the arguments in registers to their *home slots*, 8 bytes each in the
//! caller's frame, and loads them again afterwards. The slots begin at the caller's stack pointer, and the arguments on the
//! stack follow. So the stub saves no argument: all of them are in one row of slots.
//!
//! At a leave hook `xmm0` has a `float` or a `double`. At a tail call the compiler may keep anything in `rax` and `xmm0`, vectors
//! of 64 bytes included, as on other systems; [`Width::of_this_processor`] chooses the stub that keeps them in full.
//!
//! Contract of the unsafe code here: the stubs are called by compiled methods only, as above, or by the tests below, which do
//! the same. The home slots of an area are those of a call that has not returned.
#![allow(unsafe_code)]

use core::arch::naked_asm;
use core::mem::offset_of;

use corprof_types::ArgumentRange;

use super::width::Width;
use super::{Hook, Receiver, Stubs};
use crate::error::Result;
use crate::hooks::locations::{Location, LocationKind, Register};
use crate::hooks::registers::{ArgumentWord, ResultWord};

/// The number of home slots, which each caller provides.
const HOME_SLOTS: u8 = 4;
/// The size of a slot.
const SLOT: usize = size_of::<u64>();
/// The home slots of the receiver's own arguments.
const SHADOW: usize = 64;

/// A vector register at its widest.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Vector([u64; 8]);

/// The pointer that the enter stub passes.
#[repr(C)]
pub(crate) struct EnterArea {
    /// The caller's stack pointer, where the home slots begin.
    stack: usize,
}

impl EnterArea {
    /// The area of a call whose home slots are there.
    ///
    /// # Safety
    /// `stack` is the caller's stack pointer of a call that has stored its arguments in their home slots and does not return
    /// as long as the area exists.
    pub(crate) unsafe fn of_stack(stack: usize) -> Self {
        Self { stack }
    }

    /// The value of the home slot of an integer register that carries arguments.
    #[inline]
    pub(crate) fn integer(&self, register: u8) -> Option<usize> {
        if register >= HOME_SLOTS {
            return None;
        }
        let at = self.stack.wrapping_add(usize::from(register) * SLOT);
        // SAFETY: each caller provides four slots: the contract of this file.
        Some(unsafe { core::ptr::with_exposed_provenance::<usize>(at).read_unaligned() })
    }

    /// The caller's stack pointer, where the arguments begin.
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.stack
    }

    /// The bytes of an argument. Of length 0 at address 0 if the location is unknown.
    ///
    /// # Safety
    /// The location is one of the function that was called when the stub made the area.
    #[inline(always)]
    pub(crate) unsafe fn range(&self, location: &Location) -> ArgumentRange {
        match location.kind {
            LocationKind::Stack(offset) => {
                ArgumentRange { address: self.stack + offset as usize, length: location.length }
            }
            LocationKind::AtStack(offset) => {
                let at = core::ptr::with_exposed_provenance::<usize>(self.stack + offset as usize);
                // SAFETY: the function has an argument there, the address of a struct: the contract of this function.
                ArgumentRange { address: unsafe { at.read() }, length: location.length }
            }
            _ => UNKNOWN,
        }
    }

    /// Where an argument that has no more than a slot is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ArgumentWord> {
        match location.kind {
            LocationKind::Stack(offset) => ArgumentWord::on_stack(offset, location.length),
            _ => None,
        }
    }
}

/// The range of a value whose location is unknown.
const UNKNOWN: ArgumentRange = ArgumentRange { address: 0, length: 0 };

/// The registers that the leave and tailcall stubs have saved.
#[repr(C)]
pub(crate) struct LeaveArea {
    /// `rax`.
    integer: u64,
    /// The caller's stack pointer.
    stack: usize,
    /// `xmm0`, as wide as the stub saves it.
    float: Vector,
}

impl LeaveArea {
    /// An area with these registers; `xmm0` has only its lowest word.
    pub(crate) fn of_words(stack: usize, integer: u64, float: u64) -> Self {
        Self { integer, stack, float: Vector([float, 0, 0, 0, 0, 0, 0, 0]) }
    }

    /// Where a result that has no more than a register is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ResultWord> {
        let offset = match location.kind {
            LocationKind::Register(Register::Integer(0)) => offset_of!(Self, integer),
            LocationKind::Register(Register::Float(0)) => offset_of!(Self, float),
            _ => return None,
        };
        // SAFETY: the saved register is there.
        unsafe { ResultWord::in_area(offset, location.length) }
    }

    /// The caller's stack pointer: that of the call's [`EnterArea`].
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.stack
    }

    /// The bytes of what is returned, as for [`EnterArea::range`].
    #[inline(always)]
    pub(crate) fn range(&self, location: &Location) -> ArgumentRange {
        let address = match location.kind {
            LocationKind::Register(Register::Integer(0)) => address_of(&self.integer),
            LocationKind::Register(Register::Float(0)) => address_of(&self.float.0[0]),
            LocationKind::At(Register::Integer(0)) => match usize::try_from(self.integer) {
                Ok(address) => address,
                Err(_) => return UNKNOWN,
            },
            _ => return UNKNOWN,
        };
        ArgumentRange { address, length: location.length }
    }
}

#[inline]
fn address_of(word: &u64) -> usize {
    core::ptr::from_ref(word).expose_provenance()
}

/// The hooks for this processor.
pub(in crate::hooks) fn for_this_processor<R: Receiver>() -> Result<Stubs> {
    Ok(Width::of_this_processor().stubs::<R>())
}

impl Width {
    /// The hooks; the one for tail calls keeps a register of this width.
    fn stubs<R: Receiver>(self) -> Stubs {
        let tailcall = match self {
            Self::Sse => tailcall_sse::<R>,
            Self::Avx => tailcall_avx::<R>,
            Self::Avx512 => tailcall_avx512::<R>,
        };
        // SAFETY: only the type changes: compiled code passes registers as the stubs expect them.
        let hook = |stub: unsafe extern "C" fn()| unsafe { core::mem::transmute::<_, Hook>(stub) };
        Stubs { enter: hook(enter::<R>), leave: hook(leave::<R>), tailcall: hook(tailcall) }
    }
}

#[unsafe(naked)]
unsafe extern "C" fn enter<R: Receiver>() {
    naked_asm!(
        ".seh_proc {this}",
        "push rbp",
        ".seh_pushreg rbp",
        "mov rbp, rsp",
        ".seh_setframe rbp, 0",
        ".seh_endprologue",
        "sub rsp, {shadow} + 16",
        "and rsp, -16",
        "mov [rsp + {shadow}], rdx",
        "lea rdx, [rsp + {shadow}]",
        "call {receiver}",
        "lea rsp, [rbp]",
        "pop rbp",
        "ret",
        ".seh_endproc",
        this = sym enter::<R>,
        shadow = const SHADOW,
        receiver = sym R::enter,
    )
}

/// The stub of a hook that keeps `rax` and `xmm0`: how the vector register is moved, its name, and how upper parts are cleared.
macro_rules! keeping {
    ($(#[$doc:meta])* $name:ident, $receiver:ident, $move:literal, $register:literal, $clear:literal) => {
        $(#[$doc])*
        #[unsafe(naked)]
        unsafe extern "C" fn $name<R: Receiver>() {
            naked_asm!(
                ".seh_proc {this}",
                "push rbp",
                ".seh_pushreg rbp",
                "mov rbp, rsp",
                ".seh_setframe rbp, 0",
                ".seh_endprologue",
                "sub rsp, {shadow} + {size}",
                "and rsp, -64",
                "mov [rsp + {shadow} + {integer}], rax",
                "mov [rsp + {shadow} + {stack}], rdx",
                concat!($move, " [rsp + {shadow} + {float}], ", $register),
                $clear,
                "lea rdx, [rsp + {shadow}]",
                "call {receiver}",
                "mov rax, [rsp + {shadow} + {integer}]",
                concat!($move, " ", $register, ", [rsp + {shadow} + {float}]"),
                "lea rsp, [rbp]",
                "pop rbp",
                "ret",
                ".seh_endproc",
                this = sym $name::<R>,
                shadow = const SHADOW,
                size = const size_of::<LeaveArea>(),
                integer = const offset_of!(LeaveArea, integer),
                stack = const offset_of!(LeaveArea, stack),
                float = const offset_of!(LeaveArea, float),
                receiver = sym R::$receiver,
            )
        }
    };
}

keeping!(
    /// `xmm0` has a number at most.
    leave, leave, "movups", "xmm0", ""
);
keeping!(
    /// For processors with nothing wider than `xmm`.
    tailcall_sse, tailcall, "movups", "xmm0", ""
);
keeping!(
    /// For processors with `ymm`.
    tailcall_avx, tailcall, "vmovups", "ymm0", "vzeroupper"
);
keeping!(
    /// For processors with `zmm`.
    tailcall_avx512, tailcall, "vmovups", "zmm0", "vzeroupper"
);

#[cfg(test)]
#[path = "x86_64_windows_tests.rs"]
mod tests;
