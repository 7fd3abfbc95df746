//! The fast hooks' stubs for arm64 outside of Windows (AAPCS64).
//!
//! # Register contract
//!
//! The compiled method calls a hook directly, with a convention of its own. Measured on .NET 10.0, and as the compiler's
//! `targetarm64.h` has it (`REG_PROFILER_ENTER_ARG_FUNC_ID`, `RBM_PROFILER_ENTER_TRASH`), the same at all three hooks:
//!
//! | | |
//! |---|---|
//! | client id | `x10` |
//! | the caller's stack pointer | `x11` |
//! | in use, to be kept | `x0` to `x8`, `q0` to `q7`, callee-saved |
//! | free | all others |
//!
//! The caller's stack pointer is the address at which the arguments on the stack begin. `x8` has the address of a buffer for a
//! large result on enter; before a leave hook the method copies that address to `x0`. Vectors that are wider than 16 bytes
//! (SVE) are never arguments or results in the runtimes above.
//!
//! Apple's systems have the same registers; the stubs were not called by a runtime there. On Linux, .NET 10.0 has called them
//! by QEMU, in the demo alone.
//!
//! A stub makes an area on the stack, saves in it what is to be kept, calls the receiver with the client id and the area, and
//! loads everything again. `q0` to `q7` are skipped if two bits of the client id say that they are unused
//! ([`UnusedVectors`]); at a tail call they are kept in any case.
//!
//! Contract of the unsafe code here: the stubs are called by compiled methods only, as above, or by the tests below, which do
//! the same.
#![allow(unsafe_code)]

use core::arch::naked_asm;
use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, offset_of};

use corprof_types::ArgumentRange;

use super::{Hook, Receiver, Stubs};
use crate::error::Result;
use crate::hooks::locations::{Location, LocationKind, Register};
use crate::hooks::registers::{ArgumentWord, ResultWord};
use crate::hooks::unused_vectors::UnusedVectors;

/// The number of integer registers that carry arguments.
pub(crate) const INTEGER_ARGUMENTS: usize = 8;
/// The number of vector registers that carry arguments.
pub(crate) const FLOAT_ARGUMENTS: usize = 8;
/// The number of bytes of an aggregate that is assembled from parts of vector registers: at most four doubles.
const ASSEMBLED: usize = 32;

/// A vector register.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Vector(pub(crate) [u64; 2]);

/// Room to assemble an aggregate in.
type Room = UnsafeCell<MaybeUninit<[u8; ASSEMBLED]>>;

/// The registers that the stubs have saved.
#[repr(C)]
struct Saved {
    /// `x0` to `x7`.
    integer: [u64; INTEGER_ARGUMENTS],
    /// `x8`.
    indirect: u64,
    /// Where the arguments on the stack begin.
    stack: usize,
    /// The client id, for the stub.
    client: usize,
    reserved: usize,
    /// `q0` to `q7`; not written if they are unused.
    float: [Vector; FLOAT_ARGUMENTS],
    /// Room for aggregates whose parts are in several vector registers, which are at least two.
    scratch: [Room; FLOAT_ARGUMENTS / 2],
}

/// The offsets that the stubs have as numbers.
const _: () = assert!(
    offset_of!(Saved, indirect) == 64
        && offset_of!(Saved, stack) == 72
        && offset_of!(Saved, client) == 80
        && offset_of!(Saved, float) == 96
        && size_of::<Saved>().is_multiple_of(16)
        && UnusedVectors::ON_ENTER.bits() == 1
        && UnusedVectors::ON_LEAVE.bits() == 1 << 1
);

impl Saved {
    fn of_registers(
        stack: usize,
        integer: [u64; INTEGER_ARGUMENTS],
        float: [Vector; FLOAT_ARGUMENTS],
    ) -> Self {
        let scratch = [(); FLOAT_ARGUMENTS / 2].map(|()| UnsafeCell::new(MaybeUninit::uninit()));
        Self { integer, indirect: 0, stack, client: 0, reserved: 0, float, scratch }
    }

    /// The address of the first byte of a saved register; with values of up to 16 bytes in a vector register.
    #[inline]
    fn register(&self, register: Register) -> Option<usize> {
        match register {
            Register::Integer(index) => self.integer.get(usize::from(index)).map(address_of),
            Register::Float(index) => self.float.get(usize::from(index)).map(address_of),
        }
    }

    fn integer(&self, register: Register) -> Option<usize> {
        match register {
            Register::Integer(index) => {
                self.integer.get(usize::from(index)).and_then(|word| usize::try_from(*word).ok())
            }
            Register::Float(_) => None,
        }
    }

    /// The address of a value that is in registers, or that a register refers to.
    #[inline(never)]
    fn address(&self, kind: LocationKind) -> Option<usize> {
        match kind {
            LocationKind::Register(register) => self.register(register),
            LocationKind::Pair(Register::Integer(first), Register::Integer(second))
                if second == first + 1 && usize::from(second) < INTEGER_ARGUMENTS =>
            {
                self.register(Register::Integer(first))
            }
            LocationKind::Vectors { first, count, size } => self.vectors(first, count, size),
            LocationKind::At(register) => self.integer(register),
            LocationKind::Pair(..)
            | LocationKind::Stack(_)
            | LocationKind::AtStack(_)
            | LocationKind::Unknown => None,
        }
    }

    /// The address of an aggregate, which is assembled unless each part fills its register.
    fn vectors(&self, first: u8, count: u8, size: u8) -> Option<usize> {
        let first = usize::from(first);
        let vectors = self.float.get(first..first + usize::from(count))?;
        let size = usize::from(size);
        if size == size_of::<Vector>() {
            return self.float.get(first).map(address_of);
        }
        let mut bytes = [0; ASSEMBLED];
        for (index, vector) in vectors.iter().enumerate() {
            let part = vector.0[0].to_le_bytes();
            bytes.get_mut(index * size..(index + 1) * size)?.copy_from_slice(part.get(..size)?);
        }
        // Two aggregates of at least two registers each begin in different pairs of registers.
        let room = self.scratch.get(first / 2)?.get();
        // SAFETY: there is no reference into the scratch memory: it is the running thread's, and what is stored there is
        // returned by its address.
        unsafe { room.cast::<[u8; ASSEMBLED]>().write(bytes) };
        Some(room.expose_provenance())
    }
}

/// Where a register is in every area.
fn offset_of_register(register: Register) -> Option<usize> {
    match register {
        Register::Integer(index) if usize::from(index) < INTEGER_ARGUMENTS => {
            Some(offset_of!(Saved, integer) + usize::from(index) * size_of::<u64>())
        }
        Register::Float(index) if usize::from(index) < FLOAT_ARGUMENTS => {
            Some(offset_of!(Saved, float) + usize::from(index) * size_of::<Vector>())
        }
        Register::Integer(_) | Register::Float(_) => None,
    }
}

/// The registers that the enter stub has saved.
#[repr(transparent)]
pub(crate) struct EnterArea(Saved);

impl EnterArea {
    /// An area with these registers.
    pub(crate) fn of_registers(
        stack: usize,
        integer: [u64; INTEGER_ARGUMENTS],
        float: [Vector; FLOAT_ARGUMENTS],
    ) -> Self {
        Self(Saved::of_registers(stack, integer, float))
    }

    /// The value of an integer register that carries arguments.
    #[inline]
    pub(crate) fn integer(&self, register: u8) -> Option<usize> {
        self.0.integer(Register::Integer(register))
    }

    /// The caller's stack pointer, where the arguments on the stack begin.
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.0.stack
    }

    /// The bytes of an argument. An aggregate whose parts are in several vector registers is assembled in the area's scratch
    /// memory. Of length 0 at address 0 if the location is unknown.
    ///
    /// # Safety
    /// The location is one of the function that was called when the stub saved the area.
    #[inline(always)]
    pub(crate) unsafe fn range(&self, location: &Location) -> ArgumentRange {
        match location.kind {
            LocationKind::Register(Register::Integer(index)) if usize::from(index) < INTEGER_ARGUMENTS => {
                let word = &self.0.integer[usize::from(index)];
                ArgumentRange { address: address_of(word), length: location.length }
            }
            LocationKind::Stack(offset) => {
                ArgumentRange { address: self.0.stack + offset as usize, length: location.length }
            }
            LocationKind::AtStack(offset) => {
                let at = core::ptr::with_exposed_provenance::<usize>(self.0.stack + offset as usize);
                // SAFETY: the function has an argument there, the address of a struct: the contract of this function.
                ArgumentRange { address: unsafe { at.read() }, length: location.length }
            }
            kind => range(self.0.address(kind), location.length),
        }
    }

    /// Where an argument that has no more than a register is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ArgumentWord> {
        let offset = match location.kind {
            LocationKind::Register(register) => offset_of_register(register)?,
            LocationKind::Stack(offset) => return ArgumentWord::on_stack(offset, location.length),
            _ => return None,
        };
        // SAFETY: the saved register is there.
        unsafe { ArgumentWord::in_area(offset, location.length) }
    }
}

/// The registers that the leave and tailcall stubs have saved.
#[repr(transparent)]
pub(crate) struct LeaveArea(Saved);

impl LeaveArea {
    /// An area with these registers.
    pub(crate) fn of_registers(
        stack: usize,
        integer: [u64; INTEGER_ARGUMENTS],
        float: [Vector; FLOAT_ARGUMENTS],
    ) -> Self {
        Self(Saved::of_registers(stack, integer, float))
    }

    /// Where a result that has no more than a register is in every area, if that is known.
    pub(crate) fn word_at(location: Location) -> Option<ResultWord> {
        let LocationKind::Register(register) = location.kind else { return None };
        // SAFETY: the saved register is there.
        unsafe { ResultWord::in_area(offset_of_register(register)?, location.length) }
    }

    /// The caller's stack pointer: that of the call's [`EnterArea`].
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.0.stack
    }

    /// The bytes of what is returned, as for [`EnterArea::range`].
    #[inline(always)]
    pub(crate) fn range(&self, location: &Location) -> ArgumentRange {
        match location.kind {
            LocationKind::Register(Register::Integer(0)) => {
                ArgumentRange { address: address_of(&self.0.integer[0]), length: location.length }
            }
            kind => range(self.0.address(kind), location.length),
        }
    }
}

#[inline]
fn address_of<T>(register: &T) -> usize {
    core::ptr::from_ref(register).expose_provenance()
}

fn range(address: Option<usize>, length: u32) -> ArgumentRange {
    match address {
        Some(address) => ArgumentRange { address, length },
        None => ArgumentRange { address: 0, length: 0 },
    }
}

/// The hooks, the same for all processors.
pub(in crate::hooks) fn for_this_processor<R: Receiver>() -> Result<Stubs> {
    // SAFETY: only the type changes: compiled code passes registers as the stubs expect them.
    let hook = |stub: unsafe extern "C" fn()| unsafe { core::mem::transmute::<_, Hook>(stub) };
    Ok(Stubs { enter: hook(enter::<R>), leave: hook(leave::<R>), tailcall: hook(tailcall::<R>) })
}

/// A stub, by its receiver and the instruction that jumps if vector registers are to be kept.
macro_rules! stub {
    ($name:ident, $keep:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name<R: Receiver>() {
            naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-16]!",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset w29, -16",
                ".cfi_offset w30, -8",
                "mov x29, sp",
                ".cfi_def_cfa w29, 16",
                "sub sp, sp, #{size}",
                "stp x0, x1, [sp]",
                "stp x2, x3, [sp, #16]",
                "stp x4, x5, [sp, #32]",
                "stp x6, x7, [sp, #48]",
                "stp x8, x11, [sp, #64]",
                "str x10, [sp, #80]",
                concat!($keep, " 5f"),
                "3:",
                "mov x0, x10",
                "mov x1, sp",
                "bl {receiver}",
                "ldr x10, [sp, #80]",
                "ldp x0, x1, [sp]",
                "ldp x2, x3, [sp, #16]",
                "ldp x4, x5, [sp, #32]",
                "ldp x6, x7, [sp, #48]",
                "ldr x8, [sp, #64]",
                concat!($keep, " 6f"),
                "4:",
                ".cfi_remember_state",
                "mov sp, x29",
                "ldp x29, x30, [sp], #16",
                ".cfi_def_cfa wsp, 0",
                ".cfi_restore w29",
                ".cfi_restore w30",
                "ret",
                ".cfi_restore_state",
                "5:",
                "stp q0, q1, [sp, #96]",
                "stp q2, q3, [sp, #128]",
                "stp q4, q5, [sp, #160]",
                "stp q6, q7, [sp, #192]",
                "b 3b",
                "6:",
                "ldp q0, q1, [sp, #96]",
                "ldp q2, q3, [sp, #128]",
                "ldp q4, q5, [sp, #160]",
                "ldp q6, q7, [sp, #192]",
                "b 4b",
                ".cfi_endproc",
                size = const size_of::<Saved>(),
                receiver = sym R::$name,
            )
        }
    };
}

stub!(enter, "tbz x10, #0,");
stub!(leave, "tbz x10, #1,");
stub!(tailcall, "b");

#[cfg(test)]
#[path = "aarch64_tests.rs"]
mod tests;
