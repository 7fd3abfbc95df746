//! The processor time of this process and of its threads.
//!
//! Contract of the unsafe code here: a call of the C library that fills a local.
#![allow(unsafe_code)]

use std::time::Duration;

/// Returns the processor time of a thread, by the operating system's id; `None` if it has ended, or the system has no clock
/// of other threads.
#[cfg(target_os = "linux")]
#[must_use]
pub fn processor_time(os_thread: u32) -> Option<Duration> {
    time_of(clock_of(os_thread)?)
}

/// Returns the processor time of all threads of this process so far; `None` if the system has no clock of it.
#[cfg(target_os = "linux")]
#[must_use]
pub fn process_time() -> Option<Duration> {
    time_of(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Returns the time of a clock.
#[cfg(target_os = "linux")]
fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local. A number that is no clock is an error.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (failed == 0).then_some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

/// Returns the kernel's number of the clock of a thread's processor time.
#[cfg(target_os = "linux")]
pub(crate) fn clock_of(os_thread: u32) -> Option<libc::clockid_t> {
    /// The kernel's clock of what the scheduler has given a thread: `CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`.
    const SCHEDULED_THREAD: libc::clockid_t = 4 | 2;
    // The kernel numbers the clocks of threads by the complement of the id.
    Some((!libc::clockid_t::try_from(os_thread).ok()? << 3) | SCHEDULED_THREAD)
}

/// Returns the processor time of a thread, which is unknown here.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub const fn processor_time(_: u32) -> Option<Duration> {
    None
}

/// Returns the processor time of this process, which is unknown here.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub const fn process_time() -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_busy_thread_takes_time_and_a_sleeping_one_does_not() {
        let (sender, ids) = std::sync::mpsc::channel();
        let own = || -> u32 {
            let link = std::fs::read_link("/proc/thread-self").unwrap();
            link.file_name().unwrap().to_str().unwrap().parse().unwrap()
        };
        let sleeping = std::thread::spawn(move || {
            sender.send(own()).unwrap();
            std::thread::park();
        });
        let other = ids.recv().unwrap();
        let before = processor_time(own()).unwrap();
        let before_of_process = process_time().unwrap();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(20)
            && processor_time(own()).unwrap() < before + Duration::from_millis(50)
        {
            std::hint::black_box(begin.elapsed());
        }
        assert!(processor_time(own()).unwrap() >= before + Duration::from_millis(50));
        assert!(processor_time(other).unwrap() < Duration::from_millis(40));
        assert!(process_time().unwrap() >= before_of_process + Duration::from_millis(50));
        sleeping.thread().unpark();
        sleeping.join().unwrap();
        assert_eq!(processor_time(u32::MAX), None);
    }
}
