//! Where the running thread's values are: a few words for each thread.
//!
//! The words are a thread-local variable of the ELF file, declared in assembly, since Rust cannot yet say how one is to
//! be found. It is found by its *descriptor* (TLSDESC): two words that the dynamic linker has filled in when it loaded the
//! library, the first of which is the function to call. If there was room left in the static part of the threads'
//! memory, of which the GNU C library keeps a reserve, that function loads the second word and returns; otherwise it does
//! what is always done. Unlike with the model `initial-exec`, which would be shorter still, loading never fails.
//!
//! Contract of the unsafe code here: the function behind a descriptor takes it in `rax` and returns there the offset of
//! the variable from the thread's own address (`fs:0`). It is to keep all other registers. Older versions of the GNU C
//! library lose vector and mask registers on the slow way, so those count as lost (the x87's too, but nothing of Rust's is
//! ever in them). That integer registers stay is what a hook gains: it need not put away what it has in them. The two
//! instructions are those that the ABI prescribes; a linker may replace them where it knows the offset. What is behind the
//! offset is as many words as are declared here, at first zero.

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

    /// An instruction with the offset of the thread's words in `rax`.
    macro_rules! with_offset {
        ($instruction:literal, $($operands:tt)*) => {
            asm!(
                "leaq corprof_per_thread@tlsdesc(%rip), %rax",
                "callq *corprof_per_thread@tlscall(%rax)",
                $instruction,
                $($operands)*
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
                out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                out("k0") _, out("k1") _, out("k2") _, out("k3") _,
                out("k4") _, out("k5") _, out("k6") _, out("k7") _,
                options(att_syntax),
            )
        };
    }

    /// What is under a number in the running thread, if it is at hand.
    #[inline]
    pub(in super::super) fn get(number: usize) -> Option<NonNull<()>> {
        if number >= ROOM {
            return None;
        }
        let value: *mut ();
        // SAFETY: reads one of the thread's own words, as the contract of this file has it.
        unsafe {
            with_offset!(
                "movq %fs:(%rax, {number}, 8), %rax",
                number = in(reg) number, out("rax") value, options(readonly),
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
            with_offset!(
                "movq {value}, %fs:(%rax, {number}, 8)",
                number = in(reg) number, value = in(reg) value, out("rax") _,
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
