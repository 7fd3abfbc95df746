//! What a fast hook would find, in a hook with info.
//!
//! The runtime's own stubs save the registers that the stubs of fast hooks save. Put where fast hooks have them, they make the
//! frame of a fast hook at the same call. So what fast hooks find is held against what the runtime says, value by value and
//! within one call: two runs of a program are never quite the same. `tests/profilers/differential` does that.
//!
//! It is not for users: who can say where values are has no reason to have hooks with info.
//!
//! Where the registers are in the runtime's area (`PROFILE_PLATFORM_SPECIFIC_DATA`), in bytes, on x86-64 outside of
//! Windows; the stack pointer of the caller is there too (`save_area`):
//!
//! | | .NET Core 3.1 | .NET 9.0 |
//! |---|---|---|
//! | `xmm0` to `xmm7`, 8 bytes each | 0x38 | 0x38 |
//! | `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9` on enter | 0x78 | 0x78 |
//! | `rax` on leave | 0x28 | 0x28 |
//! | `rdx` on leave | 0x158, behind the area | 0x88 |
//!
//! Contract of the unsafe code here: that of `save_area`. The frames are made of the two runtimes above only, whose
//! layouts the end-to-end test `differential` holds against their answers.
#![allow(unsafe_code)]

use super::frame::{Call, EnterFrame, LeaveFrame};

impl EnterFrame<'_> {
    /// The frame of a fast hook at this call. `None` if this is one already, and where it is not known what the runtime
    /// has saved.
    #[doc(hidden)]
    pub fn as_fast<R>(&self, read: impl FnOnce(&EnterFrame<'_>) -> R) -> Option<R> {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            // SAFETY: `elt` is the runtime's, for this hook.
            let area = unsafe { saved::enter(self.0.info, self.0.elt()?) }?;
            Some(read(&EnterFrame(Call::fast(self.0.info, &self.function(), &area))))
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        {
            let _ = read;
            None
        }
    }
}

impl LeaveFrame<'_> {
    /// The frame of a fast hook at this call, as on enter. To be asked for before the return value: there the runtime
    /// writes to what it has saved.
    #[doc(hidden)]
    pub fn as_fast<R>(&self, read: impl FnOnce(&LeaveFrame<'_>) -> R) -> Option<R> {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            // SAFETY: `elt` is the runtime's, for this hook.
            let area = unsafe { saved::leave(self.0.info, self.0.elt()?) }?;
            Some(read(&LeaveFrame(Call::fast(self.0.info, &self.function(), &area))))
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        {
            let _ = read;
            None
        }
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
mod saved {
    use corprof_sys as sys;

    use crate::ProfilerInfo;
    use crate::hooks::fast::{EnterArea, FLOAT_ARGUMENTS, INTEGER_ARGUMENTS, LeaveArea};
    use crate::hooks::save_area::{V3_1, V9_0, area, offset};

    /// Where the integer registers are on enter.
    const INTEGER: usize = 0x78;
    /// Where `rdx` is on leave, on .NET 9.0.
    const RDX: usize = 0x88;

    /// The registers that carry arguments.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running.
    pub(super) unsafe fn enter(info: &ProfilerInfo, elt: sys::COR_PRF_ELT_INFO) -> Option<EnterArea> {
        if !matches!(info.version(), V3_1 | V9_0) {
            return None;
        }
        // SAFETY: says the caller; these runtimes have the registers there.
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
    pub(super) unsafe fn leave(info: &ProfilerInfo, elt: sys::COR_PRF_ELT_INFO) -> Option<LeaveArea> {
        let rdx = match info.version() {
            V3_1 => offset::RDX,
            V9_0 => RDX,
            _ => return None,
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
