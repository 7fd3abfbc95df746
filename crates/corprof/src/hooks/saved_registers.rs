//! The registers that the runtime's own stubs save, as the frame of a fast hook.
//!
//! In a hook with info they make the frame that a fast hook has at the same call. So fast hooks are compared with the
//! runtime's answers value by value within one call, which `tests/profilers/differential` does: two runs of a program are
//! never quite the same. The methods are hidden: outside of tests there is no use for them.
//!
//! Where the registers are in the runtime's area (`PROFILE_PLATFORM_SPECIFIC_DATA`), in bytes, on x86-64 outside of
//! Windows; the stack pointer of the caller is there too (`save_area`):
//!
//! | | .NET Core 3.1 | .NET 8.0 to 10.0 |
//! |---|---|---|
//! | `xmm0` to `xmm7`, 8 bytes each | 0x38 | 0x38 |
//! | `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9` on enter | 0x78 | 0x78 |
//! | `rax` on leave | 0x28 | 0x28 |
//! | `rdx` on leave | 0x158, behind the area | 0x88 |
//!
//! On Windows (measured on 3.1 and 10.0), `rax` and `xmm0` are at the same offsets, and the arguments are in their home slots
//! at the stack pointer of the caller.
//!
//! On arm64 (as the runtime's `asmhelpers.S` has it; not run yet):
//!
//! | | |
//! |---|---|
//! | `x0` to `x7` | 0x18 |
//! | `q0` to `q7`, 16 bytes each | 0x60 |
//! | the stack pointer of the caller | 0xE8 |
//!
//! The frames are made of the runtimes above only, whose layouts the end-to-end test `differential` compares with their
//! results.
#![forbid(unsafe_code)]

use super::frame::{Call, EnterFrame, LeaveFrame};

impl EnterFrame<'_> {
    /// Calls `read` with a frame that has registers, as a fast-path hook of this call would have. `None` in a fast-path hook, and
    /// on a runtime whose save area is unknown.
    #[doc(hidden)]
    pub fn with_saved_registers<R>(&self, read: impl FnOnce(&EnterFrame<'_>) -> R) -> Option<R> {
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)))]
        {
            let area = self.0.saved_registers()?;
            Some(read(&EnterFrame(Call::fast(self.0.info, &self.function(), &area))))
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", unix))))]
        {
            let _ = read;
            None
        }
    }
}

impl LeaveFrame<'_> {
    /// Calls `read` with a frame that has registers, as a fast-path hook of this call would have. Call it before
    /// [`return_value`](Self::return_value), for which the runtime overwrites the registers that it has saved.
    #[doc(hidden)]
    pub fn with_saved_registers<R>(&self, read: impl FnOnce(&LeaveFrame<'_>) -> R) -> Option<R> {
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)))]
        {
            let area = self.0.saved_registers()?;
            Some(read(&LeaveFrame(Call::fast(self.0.info, &self.function(), &area))))
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", unix))))]
        {
            let _ = read;
            None
        }
    }
}
