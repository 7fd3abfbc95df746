//! The registers that the runtime's stubs have saved when a hook is called, and what .NET Core 3.1 (Linux x86-64) does wrong
//! with it.
//!
//! The stub has saved registers in an area on the stack; the first word of the record behind `COR_PRF_ELT_INFO`
//! points to it. On 3.1
//!
//! - `GetFunctionEnter3Info` puts structs together from registers in a part of the area where the stub also
//!   keeps `xmm0` and `xmm1`; when the hook returns, the method runs with zeros in their place. [`SaveArea`]
//!   copies the area before the call and puts it back afterwards. The arguments' addresses point into the area,
//!   so it is put back only when they have been read.
//! - `GetFunctionLeave3Info` points to the saved `rax` for every struct that is returned in registers, whichever
//!   they are. [`return_registers`] gives all that it may be in.
//!
//! Contract of the unsafe code here: `COR_PRF_ELT_INFO` is what the runtime passed to the running hook. The
//! area is the stub's, on the running thread's stack, above every frame of the hook: reading it is in bounds,
//! and nobody else writes it while the hook runs.
#![allow(unsafe_code)]

use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::ptr::null_mut;

use corprof_sys as sys;

use crate::runtime::ProfilerInfo;

/// The return registers of the System V convention on x86-64.
///
/// A struct of up to 16 bytes consists of one or two *eightbytes*. An eightbyte with only `float` and `double` fields is in
/// the next floating-point register, any other in the next integer register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnRegisters {
    /// `rax` and `rdx`.
    pub integer: [u64; 2],
    /// The lower halves of `xmm0` and `xmm1`.
    pub float: [u64; 2],
}

/// The length of what is copied, in 8-byte words: the registers and the scratch space behind them.
const WORDS: usize = 40;

/// The runtimes by what their stubs save, and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stubs {
    /// .NET Core 3.1, which reports version 4, and 3.0.
    V3_1,
    /// .NET 5 to 7, which were not measured, and a runtime that does not report its version.
    Unmeasured,
    /// .NET 8.0, and newer ones.
    V8_0,
}

impl Stubs {
    /// Those of the runtime.
    #[inline(always)]
    pub(super) fn of(info: &ProfilerInfo) -> Self {
        match info.major_version() {
            Some(8..) => Self::V8_0,
            Some(..=4) => Self::V3_1,
            _ => Self::Unmeasured,
        }
    }

    /// Whether the area is to be guarded. Putting back what has not changed is harmless.
    #[inline(always)]
    fn may_damage(self) -> bool {
        self != Self::V8_0
    }
}

/// Where 3.1's leave stub has saved the registers that return a value: byte offsets in the area, and behind it.
pub(super) mod offset {
    /// On x86-64 the same on all runtimes since 3.0, on enter and on tail calls too.
    pub(in crate::hooks) const CALLER_STACK: usize = if cfg!(target_arch = "aarch64") { 0xE8 } else { 0x20 };
    pub(in crate::hooks) const RAX: usize = 0x28;
    pub(in crate::hooks) const XMM0: usize = 0x38;
    pub(in crate::hooks) const XMM1: usize = 0x40;
    pub(in crate::hooks) const RDX: usize = 0x158;
}

/// A copy of the area, put back on drop; nothing on runtimes that need none.
///
/// Both ways lie apart, so that a hook has no more code than its runtime needs. What the runtime does for an answer is more
/// than the processor keeps decoded, so the code of a hook is decoded at each call, and its length counts.
#[repr(C)]
pub(super) struct SaveArea {
    /// Where the copy came from; null if there is none. Before the copy, so that it takes less code to look at.
    area: *mut u64,
    saved: MaybeUninit<[u64; WORDS]>,
}

impl SaveArea {
    /// Without a copy.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self { area: null_mut(), saved: MaybeUninit::uninit() }
    }

    /// Saves the area, on a runtime that may damage it. A method of a local variable, since a guard that is returned is
    /// copied, at each call and on every runtime.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter or leave hook that is running, and the guard is dropped
    /// before that hook returns.
    #[inline(always)]
    pub(super) unsafe fn guard(&mut self, info: &ProfilerInfo, elt: sys::COR_PRF_ELT_INFO) {
        if cfg!(all(target_arch = "x86_64", unix)) && Stubs::of(info).may_damage() {
            // SAFETY: the contract of this function.
            unsafe { self.save(elt) };
        }
    }

    /// # Safety
    /// As for [`SaveArea::guard`].
    #[cold]
    #[inline(never)]
    unsafe fn save(&mut self, elt: sys::COR_PRF_ELT_INFO) {
        // SAFETY: the contract of this function.
        let Some(area) = (unsafe { area(elt) }) else { return };
        // SAFETY: the area is as long as is read here.
        self.saved.write(unsafe { area.cast::<[u64; WORDS]>().read() });
        self.area = area;
    }

    #[cold]
    #[inline(never)]
    fn put_back(&self) {
        // SAFETY: there is a copy, and the hook is still running, so the area is where it was.
        unsafe { self.area.cast::<[u64; WORDS]>().write(self.saved.assume_init()) };
    }
}

impl Drop for SaveArea {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.area.is_null() {
            self.put_back();
        }
    }
}

/// Where the area is.
///
/// # Safety
/// `elt` is what the runtime passed to the hook that is running, or 0.
pub(super) unsafe fn area(elt: sys::COR_PRF_ELT_INFO) -> Option<*mut u64> {
    if elt == 0 {
        return None;
    }
    // SAFETY: the first word of the runtime's record points to the area.
    let area = unsafe { core::ptr::with_exposed_provenance::<*mut u64>(elt).read() };
    (!area.is_null()).then_some(area)
}

/// Whether the area is known to have the stack pointer of the caller.
pub(super) const HAS_CALLER_STACK_POINTER: bool =
    cfg!(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)));

/// The stack pointer of the caller of the method that a hook was called for, as fast hooks have it, where the area
/// has it.
///
/// # Safety
/// `elt` is what the runtime passed to the hook that is running.
pub(super) unsafe fn caller_stack_pointer(elt: sys::COR_PRF_ELT_INFO) -> Option<usize> {
    if !HAS_CALLER_STACK_POINTER {
        return None;
    }
    // SAFETY: the contract of this function; on x86-64 the area begins with function, frame pointer, the hook's own stack
    // pointer, instruction pointer, and the stack pointer of the method's caller. On arm64 that is behind the registers.
    let word = unsafe { area(elt)?.byte_add(offset::CALLER_STACK).read() };
    usize::try_from(word).ok()
}

/// The registers of a value that `GetFunctionLeave3Info` has located at the saved `rax` as if it were all there.
///
/// # Safety
/// `elt` is what the runtime passed to the leave hook that is running.
#[inline]
pub(super) unsafe fn return_registers(
    info: &ProfilerInfo,
    elt: sys::COR_PRF_ELT_INFO,
    located: usize,
) -> Option<ReturnRegisters> {
    if !cfg!(all(target_arch = "x86_64", unix)) || Stubs::of(info) != Stubs::V3_1 {
        return None;
    }
    cold_path();
    // SAFETY: the contract of this function. The stub has pushed rdx before it made room for the area, which is as long as
    // the distance says.
    unsafe {
        let area = area(elt)?;
        if area.addr() + offset::RAX != located {
            return None;
        }
        let word = |offset: usize| area.byte_add(offset).read();
        Some(ReturnRegisters {
            integer: [word(offset::RAX), word(offset::RDX)],
            float: [word(offset::XMM0), word(offset::XMM1)],
        })
    }
}

/// The registers that the stubs save, as `saved_registers` describes them.
#[cfg(all(target_arch = "x86_64", unix))]
pub(super) mod saved {
    use corprof_sys as sys;

    use super::{Stubs, area, offset};
    use crate::hooks::fast::{EnterArea, FLOAT_ARGUMENTS, INTEGER_ARGUMENTS, LeaveArea};
    use crate::runtime::ProfilerInfo;

    /// Where the integer registers are on enter.
    const INTEGER: usize = 0x78;
    /// Where `rdx` is on leave, since .NET 8.0.
    const RDX: usize = 0x88;

    /// The registers that carry arguments.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running.
    pub(in crate::hooks) unsafe fn enter(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<EnterArea> {
        if Stubs::of(info) == Stubs::Unmeasured {
            return None;
        }
        // SAFETY: the contract of this function; these runtimes have the registers there.
        unsafe {
            let area = area(elt)?;
            let stack = usize::try_from(area.byte_add(offset::CALLER_STACK).read()).ok()?;
            let integer = area.byte_add(INTEGER).cast::<[u64; INTEGER_ARGUMENTS]>().read();
            let float = area.byte_add(offset::XMM0).cast::<[u64; FLOAT_ARGUMENTS]>().read();
            Some(EnterArea::of_words(stack, integer, float))
        }
    }

    /// The registers that carry what is returned.
    ///
    /// # Safety
    /// As for [`enter`], with the leave hook.
    pub(in crate::hooks) unsafe fn leave(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<LeaveArea> {
        let rdx = match Stubs::of(info) {
            Stubs::V3_1 => offset::RDX,
            Stubs::V8_0 => RDX,
            Stubs::Unmeasured => return None,
        };
        // SAFETY: as above.
        unsafe {
            let area = area(elt)?;
            let stack = usize::try_from(area.byte_add(offset::CALLER_STACK).read()).ok()?;
            let integer = [area.byte_add(offset::RAX).read(), area.byte_add(rdx).read()];
            let float = area.byte_add(offset::XMM0).cast::<[u64; 2]>().read();
            Some(LeaveArea::of_words(stack, integer, float))
        }
    }
}

/// The registers that the stubs save on Windows, as `saved_registers` describes them.
#[cfg(all(target_arch = "x86_64", windows))]
pub(super) mod saved {
    use corprof_sys as sys;

    use super::{Stubs, area, offset};
    use crate::hooks::fast::{EnterArea, LeaveArea};
    use crate::runtime::ProfilerInfo;

    /// The caller's stack pointer, where the home slots of the arguments are.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running.
    pub(in crate::hooks) unsafe fn enter(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<EnterArea> {
        if Stubs::of(info) == Stubs::Unmeasured {
            return None;
        }
        // SAFETY: the contract of this function; these runtimes have the stack pointer there, and the compiled code has
        // stored the arguments in their home slots before it called the runtime's stub.
        unsafe {
            let stack = usize::try_from(area(elt)?.byte_add(offset::CALLER_STACK).read()).ok()?;
            Some(EnterArea::of_stack(stack))
        }
    }

    /// The registers that carry what is returned.
    ///
    /// # Safety
    /// As for [`enter`], with the leave hook.
    pub(in crate::hooks) unsafe fn leave(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<LeaveArea> {
        if Stubs::of(info) == Stubs::Unmeasured {
            return None;
        }
        // SAFETY: as above.
        unsafe {
            let area = area(elt)?;
            let stack = usize::try_from(area.byte_add(offset::CALLER_STACK).read()).ok()?;
            let word = |offset: usize| area.byte_add(offset).read();
            Some(LeaveArea::of_words(stack, word(offset::RAX), word(offset::XMM0)))
        }
    }
}

/// The registers that the stubs save on arm64, as `saved_registers` describes them.
#[cfg(all(target_arch = "aarch64", unix))]
pub(super) mod saved {
    use corprof_sys as sys;

    use super::{Stubs, area, offset};
    use crate::hooks::fast::{EnterArea, FLOAT_ARGUMENTS, INTEGER_ARGUMENTS, LeaveArea, Vector};
    use crate::runtime::ProfilerInfo;

    const INTEGER: usize = 0x18;
    const FLOAT: usize = 0x60;

    type Found = (usize, [u64; INTEGER_ARGUMENTS], [Vector; FLOAT_ARGUMENTS]);

    /// The stack pointer of the caller, and the registers.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the hook that is running.
    unsafe fn registers(info: &ProfilerInfo, elt: sys::COR_PRF_ELT_INFO) -> Option<Found> {
        if Stubs::of(info) != Stubs::V8_0 {
            return None;
        }
        // SAFETY: the contract of this function; these runtimes have the registers there, at enter and at leave.
        unsafe {
            let area = area(elt)?;
            let stack = usize::try_from(area.byte_add(offset::CALLER_STACK).read()).ok()?;
            let integer = area.byte_add(INTEGER).cast::<[u64; INTEGER_ARGUMENTS]>().read();
            let float = area.byte_add(FLOAT).cast::<[Vector; FLOAT_ARGUMENTS]>().read_unaligned();
            Some((stack, integer, float))
        }
    }

    /// The registers that carry arguments.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running.
    pub(in crate::hooks) unsafe fn enter(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<EnterArea> {
        // SAFETY: the contract of this function.
        let (stack, integer, float) = unsafe { registers(info, elt) }?;
        Some(EnterArea::of_registers(stack, integer, float))
    }

    /// The registers that carry what is returned.
    ///
    /// # Safety
    /// As for [`enter`], with the leave hook.
    pub(in crate::hooks) unsafe fn leave(
        info: &ProfilerInfo,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Option<LeaveArea> {
        // SAFETY: the contract of this function.
        let (stack, integer, float) = unsafe { registers(info, elt) }?;
        Some(LeaveArea::of_registers(stack, integer, float))
    }
}
