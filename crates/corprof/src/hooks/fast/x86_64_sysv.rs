//! The fast hooks' stubs for x86-64 outside of Windows (System V).
//!
//! # Register contract
//!
//! The compiled method calls a hook directly, with a convention of its own. Measured on .NET Core 3.1 and .NET 9.0,
//! and as the compiler's `targetamd64.h` has it (`REG_PROFILER_ENTER_ARG_0`, `RBM_PROFILER_LEAVE_TRASH`):
//!
//! | | enter | leave, tailcall |
//! |---|---|---|
//! | client id | `r14` | `rdi` |
//! | the caller's stack pointer | `r15` | `rsi` |
//! | in use, to be kept | `rdi` `rsi` `rdx` `rcx` `r8` `r9`, `xmm0` to `xmm7`, callee-saved | `rax` `rdx`, `rcx` where the runtime suspends the method, `xmm0` `xmm1`, callee-saved |
//! | free | all others | all others |
//!
//! The caller's stack pointer is the address above the return address: the first argument on the stack is there. At
//! a tail call, what is in `rax`, `rdx`, `xmm0` and `xmm1` need not be a return value: the compiler may keep anything in
//! them, vectors of 64 bytes included. So vector registers are kept in full. There is a stub for each width, and
//! [`Width::of_this_processor`] chooses: a narrower one would lose the upper parts when the profiler's code, or a library
//! that it calls, clears them. Mask registers and `xmm8` upwards are free in every case.
//!
//! A stub makes an aligned area on the stack, saves in it what is to be kept, calls the receiver with the client id and
//! the area, and loads everything again. Upper parts are cleared in between, since mixing them with the receiver's
//! narrow instructions costs time on some processors.
//!
//! A method that the runtime itself suspends (since .NET 11) returns the continuation in `rcx`. .NET 11 sets it after the leave hook;
//! a stub that keeps vector registers keeps it too, for a runtime that sets it before.
//!
//! Most methods have no argument and no result in a vector register, and then there is nothing in them to be kept: the
//! client id says so in two of its bits ([`UnusedVectors`]). That spares half of what a stub does, and instructions on `zmm`, for
//! which some processors lower their clock. At a tail call vector registers are kept in any case. Keeping them lies behind
//! the rest of a stub: processors read on faster than they jump, and most calls need not.
//!
//! Contract of the unsafe code here: the stubs are called by compiled methods only, as above, or by the tests below,
//! which do the same.
#![allow(unsafe_code)]

use core::arch::naked_asm;
use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, offset_of};

use corprof_types::ArgumentRange;

use super::width::Width;
use super::{Hook, Receiver, Stubs};
use crate::error::Result;
use crate::hooks::locations::{Location, LocationKind, Register};
use crate::hooks::registers::{ArgumentWord, ResultWord};
use crate::hooks::unused_vectors::UnusedVectors;

/// The number of integer registers that carry arguments.
pub(crate) const INTEGER_ARGUMENTS: usize = 6;
/// The number of vector registers that carry arguments.
pub(crate) const FLOAT_ARGUMENTS: usize = 8;
/// The number of integer registers that carry what is returned.
const INTEGER_RESULTS: usize = 2;
/// The number of vector registers that carry what is returned.
const FLOAT_RESULTS: usize = 2;

/// A vector register at its widest.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Vector(pub(crate) [u64; 8]);

impl Vector {
    /// One with this in its lowest word.
    fn of_word(word: u64) -> Self {
        Self([word, 0, 0, 0, 0, 0, 0, 0])
    }
}

/// The registers that the enter stub has saved.
#[repr(C)]
pub(crate) struct EnterArea {
    /// `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9`.
    pub(crate) integer: [u64; INTEGER_ARGUMENTS],
    /// Where the arguments on the stack begin.
    pub(crate) stack: usize,
    reserved: u64,
    /// `xmm0` to `xmm7`, as wide as the stub saves them; not written if they are unused.
    pub(crate) float: [Vector; FLOAT_ARGUMENTS],
    /// Room to put structs together in that are passed in registers which are not neighbours here.
    pub(crate) scratch: [Room; FLOAT_ARGUMENTS],
}

impl EnterArea {
    /// An area with these registers; vector registers have only their lowest word.
    pub(crate) fn of_words(
        stack: usize,
        integer: [u64; INTEGER_ARGUMENTS],
        float: [u64; FLOAT_ARGUMENTS],
    ) -> Self {
        let scratch = [(); FLOAT_ARGUMENTS].map(|()| UnsafeCell::new(MaybeUninit::uninit()));
        Self { integer, stack, reserved: 0, float: float.map(Vector::of_word), scratch }
    }

    /// The value of an integer register that carries arguments.
    #[inline]
    pub(crate) fn integer(&self, register: u8) -> Option<usize> {
        self.integer.get(usize::from(register)).and_then(|word| usize::try_from(*word).ok())
    }

    /// The caller's stack pointer, where the arguments on the stack begin.
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.stack
    }

    /// The bytes of an argument. Those that are in two registers which are no neighbours here are put together in
    /// the area's scratch memory. Of length 0 at address 0 if the location is unknown.
    ///
    /// # Safety
    /// The location is one of the function that was called when the stub saved the area.
    #[inline(always)]
    pub(crate) unsafe fn range(&self, location: &Location) -> ArgumentRange {
        // Most arguments are in one of these locations: a few instructions in every hook.
        match location.kind {
            LocationKind::Register(Register::Integer(index)) if usize::from(index) < INTEGER_ARGUMENTS => {
                let word = &self.integer[usize::from(index)];
                ArgumentRange { address: address_of(word), length: location.length }
            }
            LocationKind::Stack(offset) => {
                ArgumentRange { address: self.stack + offset as usize, length: location.length }
            }
            _ => self.range_elsewhere(location),
        }
    }

    #[inline(never)]
    fn range_elsewhere(&self, location: &Location) -> ArgumentRange {
        let address = match location.kind {
            LocationKind::Register(register) => self.register(register).map(address_of),
            LocationKind::Pair(Register::Integer(first), Register::Integer(second))
                if second == first + 1 =>
            {
                self.integer.get(usize::from(first)).map(address_of)
            }
            LocationKind::Pair(first, second) => self.pair(first, second),
            LocationKind::At(register) => {
                self.register(register).and_then(|word| usize::try_from(*word).ok())
            }
            LocationKind::Vectors { .. }
            | LocationKind::Stack(_)
            | LocationKind::AtStack(_)
            | LocationKind::Unknown => None,
        };
        range(address, location.length)
    }

    /// Where an argument that has no more than a register is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ArgumentWord> {
        let offset = match location.kind {
            LocationKind::Register(Register::Integer(index)) if usize::from(index) < INTEGER_ARGUMENTS => {
                offset_of!(Self, integer) + usize::from(index) * size_of::<u64>()
            }
            LocationKind::Register(Register::Float(index)) if usize::from(index) < FLOAT_ARGUMENTS => {
                offset_of!(Self, float) + usize::from(index) * size_of::<Vector>()
            }
            LocationKind::Stack(offset) => return ArgumentWord::on_stack(offset, location.length),
            _ => return None,
        };
        // SAFETY: the saved register is there.
        unsafe { ArgumentWord::in_area(offset, location.length) }
    }

    #[inline]
    fn register(&self, register: Register) -> Option<&u64> {
        saved(&self.integer, &self.float, register)
    }

    /// Puts two registers side by side, in the scratch memory of the vector register that is one of them: no other argument
    /// is in it.
    fn pair(&self, first: Register, second: Register) -> Option<usize> {
        let room = match (first, second) {
            (Register::Float(index), _) | (_, Register::Float(index)) => usize::from(index),
            _ => return None,
        };
        let words = [*self.register(first)?, *self.register(second)?];
        Some(put(self.scratch.get(room)?, words))
    }
}

impl LeaveArea {
    /// An area with these registers; vector registers have only their lowest word.
    pub(crate) fn of_words(stack: usize, integer: [u64; 2], float: [u64; 2]) -> Self {
        let scratch = UnsafeCell::new(MaybeUninit::uninit());
        let float = float.map(Vector::of_word);
        Self { integer, scratch, client: 0, stack, continuation: 0, reserved: 0, float }
    }

    /// Where a result that has no more than a register is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ResultWord> {
        let offset = match location.kind {
            LocationKind::Register(Register::Integer(index)) if usize::from(index) < INTEGER_RESULTS => {
                offset_of!(Self, integer) + usize::from(index) * size_of::<u64>()
            }
            LocationKind::Register(Register::Float(index)) if usize::from(index) < FLOAT_RESULTS => {
                offset_of!(Self, float) + usize::from(index) * size_of::<Vector>()
            }
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
        match location.kind {
            LocationKind::Register(Register::Integer(0)) => {
                ArgumentRange { address: address_of(&self.integer[0]), length: location.length }
            }
            _ => self.range_elsewhere(location),
        }
    }

    #[inline(never)]
    fn range_elsewhere(&self, location: &Location) -> ArgumentRange {
        let address = match location.kind {
            LocationKind::Register(register) => self.register(register).map(address_of),
            LocationKind::Pair(Register::Integer(0), Register::Integer(1)) => {
                Some(address_of(&self.integer[0]))
            }
            LocationKind::Pair(first, second) => self.pair(first, second),
            LocationKind::At(register) => {
                self.register(register).and_then(|word| usize::try_from(*word).ok())
            }
            LocationKind::Vectors { .. }
            | LocationKind::Stack(_)
            | LocationKind::AtStack(_)
            | LocationKind::Unknown => None,
        };
        range(address, location.length)
    }

    fn register(&self, register: Register) -> Option<&u64> {
        saved(&self.integer, &self.float, register)
    }

    fn pair(&self, first: Register, second: Register) -> Option<usize> {
        Some(put(&self.scratch, [*self.register(first)?, *self.register(second)?]))
    }
}

/// Room to put a struct together in.
pub(crate) type Room = UnsafeCell<MaybeUninit<[u64; 2]>>;

/// Puts two registers side by side, and says where.
fn put(room: &Room, words: [u64; 2]) -> usize {
    let room = room.get().cast::<[u64; 2]>();
    // SAFETY: there is no reference into the scratch memory: it is the running thread's, and what is stored there is returned by
    // its address.
    unsafe { room.write(words) };
    room.expose_provenance()
}

/// The value of a register; the lowest word of a vector register.
fn saved<'a>(integer: &'a [u64], float: &'a [Vector], register: Register) -> Option<&'a u64> {
    match register {
        Register::Integer(index) => integer.get(usize::from(index)),
        Register::Float(index) => float.get(usize::from(index)).map(|vector| &vector.0[0]),
    }
}

#[inline]
fn address_of(word: &u64) -> usize {
    core::ptr::from_ref(word).expose_provenance()
}

fn range(address: Option<usize>, length: u32) -> ArgumentRange {
    match address {
        Some(address) => ArgumentRange { address, length },
        None => ArgumentRange { address: 0, length: 0 },
    }
}

/// The registers that the leave and tailcall stubs have saved.
#[repr(C)]
pub(crate) struct LeaveArea {
    /// `rax`, `rdx`.
    pub(crate) integer: [u64; INTEGER_RESULTS],
    /// Room to put a struct together in.
    pub(crate) scratch: Room,
    /// The client id, for the stub.
    client: usize,
    /// The caller's stack pointer.
    stack: usize,
    /// `rcx`, if the stub keeps vector registers.
    continuation: u64,
    reserved: u64,
    /// `xmm0`, `xmm1`, as wide as the stub saves them; not written if they are unused.
    pub(crate) float: [Vector; FLOAT_RESULTS],
}

/// The hooks for this processor.
pub(in crate::hooks) fn for_this_processor<R: Receiver>() -> Result<Stubs> {
    Ok(Width::of_this_processor().stubs::<R>())
}

impl Width {
    /// The hooks that keep registers of this width.
    fn stubs<R: Receiver>(self) -> Stubs {
        match self {
            Self::Sse => sse::stubs::<R>(),
            Self::Avx => avx::stubs::<R>(),
            Self::Avx512 => avx512::stubs::<R>(),
        }
    }
}

/// The stubs of one width: how a register is moved, what it is called, and how the upper parts are cleared.
///
/// A naked function begins wherever the compiler puts it, and it cannot be aligned to a cache line. So these functions
/// are no stubs: each returns the address of one, which lies behind it and does.
macro_rules! stubs {
    ($(#[$doc:meta])* $module:ident, $move:literal, $register:literal, $clear:literal) => {
        $(#[$doc])*
        mod $module {
            use super::*;

            pub(super) fn stubs<R: Receiver>() -> Stubs {
                Stubs { enter: enter::<R>(), leave: leave::<R>(), tailcall: tailcall::<R>() }
            }

            #[unsafe(naked)]
            extern "C" fn enter<R: Receiver>() -> Hook {
                naked_asm!(
                    "lea rax, [rip + 2f]",
                    "ret",
                    ".p2align 6",
                    "2:",
                    ".cfi_startproc",
                    "push rbp",
                    ".cfi_def_cfa_offset 16",
                    ".cfi_offset rbp, -16",
                    "mov rbp, rsp",
                    ".cfi_def_cfa_register rbp",
                    "sub rsp, {size}",
                    "and rsp, -64",
                    "mov [rsp], rdi",
                    "mov [rsp + 8], rsi",
                    "mov [rsp + 16], rdx",
                    "mov [rsp + 24], rcx",
                    "mov [rsp + 32], r8",
                    "mov [rsp + 40], r9",
                    "mov [rsp + {stack}], r15",
                    "test r14b, {idle}",
                    "jz 5f",
                    "3:",
                    $clear,
                    "mov rdi, r14",
                    "mov rsi, rsp",
                    "call {receiver}",
                    "mov rdi, [rsp]",
                    "mov rsi, [rsp + 8]",
                    "mov rdx, [rsp + 16]",
                    "mov rcx, [rsp + 24]",
                    "mov r8, [rsp + 32]",
                    "mov r9, [rsp + 40]",
                    "test r14b, {idle}",
                    "jz 6f",
                    "4:",
                    ".cfi_remember_state",
                    "mov rsp, rbp",
                    "pop rbp",
                    ".cfi_def_cfa rsp, 8",
                    "ret",
                    ".cfi_restore_state",
                    "5:",
                    concat!($move, " [rsp + {float}], ", $register, "0"),
                    concat!($move, " [rsp + {float} + 64], ", $register, "1"),
                    concat!($move, " [rsp + {float} + 128], ", $register, "2"),
                    concat!($move, " [rsp + {float} + 192], ", $register, "3"),
                    concat!($move, " [rsp + {float} + 256], ", $register, "4"),
                    concat!($move, " [rsp + {float} + 320], ", $register, "5"),
                    concat!($move, " [rsp + {float} + 384], ", $register, "6"),
                    concat!($move, " [rsp + {float} + 448], ", $register, "7"),
                    "jmp 3b",
                    "6:",
                    concat!($move, " ", $register, "0, [rsp + {float}]"),
                    concat!($move, " ", $register, "1, [rsp + {float} + 64]"),
                    concat!($move, " ", $register, "2, [rsp + {float} + 128]"),
                    concat!($move, " ", $register, "3, [rsp + {float} + 192]"),
                    concat!($move, " ", $register, "4, [rsp + {float} + 256]"),
                    concat!($move, " ", $register, "5, [rsp + {float} + 320]"),
                    concat!($move, " ", $register, "6, [rsp + {float} + 384]"),
                    concat!($move, " ", $register, "7, [rsp + {float} + 448]"),
                    "jmp 4b",
                    ".cfi_endproc",
                    size = const size_of::<EnterArea>(),
                    stack = const offset_of!(EnterArea, stack),
                    float = const offset_of!(EnterArea, float),
                    idle = const UnusedVectors::ON_ENTER.bits(),
                    receiver = sym R::enter,
                )
            }

            #[unsafe(naked)]
            extern "C" fn leave<R: Receiver>() -> Hook {
                stubs!(@leave $move, $register, $clear, R::leave, UnusedVectors::ON_LEAVE)
            }

            #[unsafe(naked)]
            extern "C" fn tailcall<R: Receiver>() -> Hook {
                stubs!(@leave $move, $register, $clear, R::tailcall, UnusedVectors::NONE)
            }
        }
    };
    (@leave $move:literal, $register:literal, $clear:literal, $receiver:path, $idle:expr) => {
        naked_asm!(
            "lea rax, [rip + 2f]",
            "ret",
            ".p2align 6",
            "2:",
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "sub rsp, {size}",
            "and rsp, -64",
            "mov [rsp], rax",
            "mov [rsp + 8], rdx",
            "mov [rsp + {client}], rdi",
            "mov [rsp + {stack}], rsi",
            "test dil, {idle}",
            "jz 5f",
            "3:",
            $clear,
            "mov rsi, rsp",
            "call {receiver}",
            "mov rax, [rsp]",
            "mov rdx, [rsp + 8]",
            "test byte ptr [rsp + {client}], {idle}",
            "jz 6f",
            "4:",
            ".cfi_remember_state",
            "mov rsp, rbp",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_restore_state",
            "5:",
            "mov [rsp + {continuation}], rcx",
            concat!($move, " [rsp + {float}], ", $register, "0"),
            concat!($move, " [rsp + {float} + 64], ", $register, "1"),
            "jmp 3b",
            "6:",
            "mov rcx, [rsp + {continuation}]",
            concat!($move, " ", $register, "0, [rsp + {float}]"),
            concat!($move, " ", $register, "1, [rsp + {float} + 64]"),
            "jmp 4b",
            ".cfi_endproc",
            size = const size_of::<LeaveArea>(),
            float = const offset_of!(LeaveArea, float),
            client = const offset_of!(LeaveArea, client),
            stack = const offset_of!(LeaveArea, stack),
            continuation = const offset_of!(LeaveArea, continuation),
            idle = const $idle.bits(),
            receiver = sym $receiver,
        )
    };
}

stubs!(
    /// For processors with nothing wider than `xmm`.
    sse, "movups", "xmm", ""
);
stubs!(
    /// For processors with `ymm`.
    avx, "vmovups", "ymm", "vzeroupper"
);
stubs!(
    /// For processors with `zmm`.
    avx512, "vmovups", "zmm", "vzeroupper"
);

#[cfg(test)]
#[path = "x86_64_sysv_tests.rs"]
mod tests;
