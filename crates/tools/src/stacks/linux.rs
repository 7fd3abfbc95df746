//! Timers of threads' processor time, and the handler of their signal.
//!
//! Contract of the unsafe code here: system calls with pointers to locals and to statics, and a signal handler that
//! loads what the kernel passes, copies stacks by `process_vm_readv` alone, and writes to atomics.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_long, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::stacks::capture::Refusal;
use crate::stacks::clock::clock_of;
use crate::stacks::slot::{Page, slot};
use crate::stacks::walk::Registers;

/// The signal that was chosen; 0 before that.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Marks the values of our timers: the value of a timer is this, the slot's number, and the watch's number.
const MARK: u64 = 0xC0_95;

/// The part of a `siginfo_t` that timers fill.
#[repr(C)]
struct TimerInfo {
    signal: c_int,
    errno: c_int,
    code: c_int,
    padding: c_int,
    timer: c_int,
    overrun: c_int,
    value: u64,
}

const _: () = assert!(mem::offset_of!(TimerInfo, timer) == 16 && mem::offset_of!(TimerInfo, value) == 24);
const _: () = assert!(size_of::<TimerInfo>() <= size_of::<libc::siginfo_t>());

/// Chooses a signal that has the default action, and installs the handler for it.
pub(crate) fn install() -> Result<(), Refusal> {
    if !is_installed() {
        let signal = choose().ok_or(Refusal::NoSignal)?;
        set_handler(signal, on_signal as extern "C" fn(_, _, _) as usize).ok_or(Refusal::NoSignal)?;
        SIGNAL.store(signal, Ordering::SeqCst);
    }
    let (word, page): (u64, Page) = (0x5EED, core::array::from_fn(|_| Default::default()));
    let can_read = copy(&page, (&raw const word).addr(), 1);
    if can_read && page.first().is_some_and(|first| first.load(Ordering::Relaxed) == word) {
        Ok(())
    } else {
        Err(Refusal::NoReads)
    }
}

/// Returns the highest real-time signal with the default action. The lowest ones are used by the C library and the runtime.
fn choose() -> Option<c_int> {
    let free = |signal: &c_int| action(*signal).is_some_and(|action| action.sa_sigaction == libc::SIG_DFL);
    (libc::SIGRTMIN() + 2..libc::SIGRTMAX()).rev().find(free)
}

/// Returns the action of a signal.
fn action(signal: c_int) -> Option<libc::sigaction> {
    // SAFETY: all fields are numbers or optional pointers; the pointer is to a local, and null means no change.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        (libc::sigaction(signal, ptr::null(), &raw mut action) == 0).then_some(action)
    }
}

fn set_handler(signal: c_int, handler: usize) -> Option<()> {
    // SAFETY: all fields are numbers or optional pointers; the pointers are to locals. The handler is a function with
    // three arguments, as SA_SIGINFO says, or SIG_DFL.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler;
        // Not SA_ONSTACK: the runtime's handlers of faults leave the alternate stack while their frames are still on it.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // Other handlers must find the interrupted code as its instruction pointer, such as that by which the runtime
        // suspends threads. Faults are not deferred.
        libc::sigfillset(&raw mut action.sa_mask);
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT] {
            libc::sigdelset(&raw mut action.sa_mask, fault);
        }
        (libc::sigaction(signal, &raw const action, ptr::null_mut()) == 0).then_some(())
    }
}

pub(crate) fn signal() -> i32 {
    SIGNAL.load(Ordering::Relaxed)
}

pub(crate) fn is_installed() -> bool {
    let handler = on_signal as extern "C" fn(_, _, _) as usize;
    signal() != 0 && action(signal()).is_some_and(|action| action.sa_sigaction == handler)
}

/// Returns the time of the monotonic clock, in nanoseconds.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local. The clock exists since Linux 2.6; without it the time is 0.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.cast_unsigned())
}

/// Returns the time between two ticks of the kernel: the resolution of the clock that only ticks advance.
pub(crate) fn tick() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local. The clock exists since Linux 2.6.32; without it the time is 0.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    Duration::from_nanos(time.tv_nsec.cast_unsigned())
}

/// Copies words of this process from an address on; `false` if one of them cannot be read.
fn copy(page: &Page, address: usize, words: usize) -> bool {
    let length = words.min(page.len()) * size_of::<u64>();
    let local = libc::iovec { iov_base: page.as_ptr().cast_mut().cast::<c_void>(), iov_len: length };
    let remote = libc::iovec { iov_base: ptr::without_provenance_mut(address), iov_len: length };
    // SAFETY: the kernel writes at most `length` bytes to the page, whose words are atomics and so may be written through
    // a shared reference. It checks every address of the other side, and returns an error for one that is not mapped.
    let copied =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(copied) == Ok(length)
}

/// Returns the registers of the interrupted code.
#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    const _: () = assert!(libc::REG_RIP == 16 && libc::REG_RSP == 15 && libc::REG_RBP == 10);
    let registers = &context.uc_mcontext.gregs;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "registers are addresses")]
    let word = |register: i64| register as usize;
    Registers { instruction: word(registers[16]), stack: word(registers[15]), frame: word(registers[10]) }
}

/// Returns the registers of the interrupted code. Not run on this processor yet.
#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    #[allow(clippy::cast_possible_truncation, reason = "registers are addresses")]
    let word = |register: u64| register as usize;
    let context = &context.uc_mcontext;
    Registers { instruction: word(context.pc), stack: word(context.sp), frame: word(context.regs[29]) }
}

/// The handler: records the stack of the thread whose timer has expired.
///
/// It takes no lock, allocates nothing, calls nothing of the runtime, and keeps `errno`.
extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: returns the address of the thread's own `errno`, which is readable and writable as long as it runs.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let saved = unsafe { *errno };
    // SAFETY: the kernel passes a `siginfo_t` of 128 bytes, all of them initialised. `TimerInfo` is a part of it.
    let info = unsafe { &*info.cast::<TimerInfo>() };
    if info.code == libc::SI_TIMER && info.value >> 48 == MARK {
        let (low, number) = (info.value & 0xFFFF_FFFF, (info.value >> 32) & 0xFFFF);
        // SAFETY: with SA_SIGINFO the kernel passes the interrupted thread's `ucontext_t`.
        let registers = registers(unsafe { &*context.cast::<libc::ucontext_t>() });
        #[allow(clippy::cast_possible_truncation, reason = "both are masked")]
        let (watch, number) = (low as u32, number as usize);
        if let Some(slot) = slot(number) {
            let periods = u64::from(info.overrun.max(0).cast_unsigned()).wrapping_add(1);
            slot.record(watch, registers, now(), periods, copy);
        }
    } else {
        end_by(signal);
    }
    // SAFETY: as above.
    unsafe { *errno = saved };
}

/// Does what the signal does by default, which is to end the process: somebody else has sent it.
#[cold]
fn end_by(signal: c_int) {
    let _ = set_handler(signal, libc::SIG_DFL);
    // SAFETY: calls without pointers. The signal is delivered when the handler returns.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::syscall(libc::SYS_gettid), signal) };
}

/// A timer of a thread's processor time; deleted when dropped. A signal that is pending then is still delivered.
#[derive(Debug)]
pub(crate) struct Timer(c_int);

impl Timer {
    /// Starts a timer whose signals are delivered to a thread. `None` if the thread has ended, or the kernel has no more
    /// timers for the user.
    pub(crate) fn start(
        os_thread: u32,
        slot: usize,
        watch: u32,
        first: Duration,
        period: Duration,
    ) -> Option<Self> {
        let clock = clock_of(os_thread)?;
        let value = MARK << 48 | u64::try_from(slot).ok()? << 32 | u64::from(watch);
        let mut timer: c_int = 0;
        // SAFETY: all fields are numbers or pointers that the kernel does not follow; the pointers of the call are to
        // locals. The kernel's number of a timer is an `int`; `timer_create` of the C library would need a newer one.
        let created = unsafe {
            let mut event: libc::sigevent = mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal();
            event.sigev_notify_thread_id = c_int::try_from(os_thread).ok()?;
            event.sigev_value.sival_ptr = ptr::without_provenance_mut(usize::try_from(value).ok()?);
            libc::syscall(libc::SYS_timer_create, c_long::from(clock), &raw mut event, &raw mut timer)
        };
        if created != 0 {
            return None;
        }
        let timer = Self(timer);
        let time = |time: Duration| {
            Some(libc::timespec {
                tv_sec: time.as_secs().try_into().ok()?,
                tv_nsec: time.subsec_nanos().into(),
            })
        };
        let times = libc::itimerspec { it_interval: time(period)?, it_value: time(first)? };
        let none = ptr::null_mut::<libc::itimerspec>();
        // SAFETY: the pointer is to a local; the old value is not returned.
        let set = unsafe {
            libc::syscall(libc::SYS_timer_settime, c_long::from(timer.0), 0_i64, &raw const times, none)
        };
        (set == 0).then_some(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: no pointers. The timer is our own, and deleted once.
        unsafe { libc::syscall(libc::SYS_timer_delete, c_long::from(self.0)) };
    }
}
