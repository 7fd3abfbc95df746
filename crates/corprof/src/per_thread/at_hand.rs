//! Where the running thread's values are: a few words for each thread.
//!
//! The words are a thread-local variable of the ELF file, declared in assembly, since Rust cannot yet say how one is to
//! be found. It is found by its *descriptor* (TLSDESC): two words that the dynamic linker has filled in when it loaded the
//! library, the first of which is the function to call. If there was room left in the static part of the threads'
//! memory, of which the GNU C library keeps a reserve, that function loads the second word and returns; otherwise it does
//! what is always done. Unlike with the model `initial-exec`, which would be shorter still, loading never fails.
//!
//! Contract of the unsafe code here: the function behind a descriptor takes it in `rax` and returns there the offset of
//! the variable from the thread's own address (`fs:0`). It is to keep all other registers, but older versions of the GNU C
//! library lose vector registers on the slow way, so it counts as any function does. The two instructions are those that
//! the ABI prescribes; a linker may replace them where it knows the offset. What is behind the offset is as many words as
//! are declared here, at first zero.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
pub(super) use elsewhere::{get, set};
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(super) use linux::{get, set};

/// How many values there is room for.
pub(super) const ROOM: usize = 16;

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod linux {
    use core::arch::{asm, global_asm};
    use core::ptr::{NonNull, null_mut};

    use super::ROOM;

    /// What is under a number in the running thread, if it is at hand.
    #[inline]
    pub(in super::super) fn get(number: usize) -> Option<NonNull<()>> {
        if number >= ROOM {
            return None;
        }
        let value: *mut ();
        // SAFETY: reads one of the thread's own words, as the contract of this file has it.
        unsafe {
            asm!(
                "leaq corprof_per_thread@tlsdesc(%rip), %rax",
                "callq *corprof_per_thread@tlscall(%rax)",
                "movq %fs:(%rax, {number}, 8), %rax",
                number = in(reg) number,
                out("rax") value,
                clobber_abi("sysv64"),
                options(att_syntax, readonly),
            );
        }
        NonNull::new(value)
    }

    /// Puts something under a number in the running thread, or takes it away; if there is room for it.
    pub(in super::super) fn set(number: usize, value: Option<NonNull<()>>) {
        if number >= ROOM {
            return;
        }
        let value = value.map_or(null_mut(), NonNull::as_ptr);
        // SAFETY: writes one of the thread's own words, as the contract of this file has it.
        unsafe {
            asm!(
                "leaq corprof_per_thread@tlsdesc(%rip), %rax",
                "callq *corprof_per_thread@tlscall(%rax)",
                "movq {value}, %fs:(%rax, {number}, 8)",
                number = in(reg) number,
                value = in(reg) value,
                out("rax") _,
                clobber_abi("sysv64"),
                options(att_syntax),
            );
        }
    }

    // Hidden: each library that has this crate in it has its own.
    global_asm!(
        ".pushsection .tbss.corprof_per_thread, \"awT\", @nobits",
        ".p2align 3",
        ".globl corprof_per_thread",
        ".hidden corprof_per_thread",
        ".type corprof_per_thread, @object",
        ".size corprof_per_thread, 8 * {room}",
        "corprof_per_thread:",
        ".zero 8 * {room}",
        ".popsection",
        room = const ROOM,
    );
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
mod elsewhere {
    use core::cell::Cell;
    use core::ptr::NonNull;

    use super::ROOM;

    thread_local! {
        static AT_HAND: [Cell<Option<NonNull<()>>>; ROOM] = const { [const { Cell::new(None) }; ROOM] };
    }

    #[inline]
    pub(in super::super) fn get(number: usize) -> Option<NonNull<()>> {
        AT_HAND.try_with(|words| words.get(number)?.get()).ok().flatten()
    }

    pub(in super::super) fn set(number: usize, value: Option<NonNull<()>>) {
        let _ = AT_HAND.try_with(|words| words.get(number).map(|word| word.set(value)));
    }
}
