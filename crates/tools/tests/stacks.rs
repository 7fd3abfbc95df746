//! Samples of real threads.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof_tools::stacks::{Capture, End, Refusal, processor_time};

/// There is one capture at a time.
static ONE: Mutex<()> = Mutex::new(());

fn own_id() -> u32 {
    let link = std::fs::read_link("/proc/thread-self").unwrap();
    link.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

/// Uses processor time on the running thread.
fn burn(time: Duration) {
    let own = own_id();
    let until = processor_time(own).unwrap() + time;
    while processor_time(own).unwrap() < until {
        std::hint::black_box((0..1_000_u64).sum::<u64>());
    }
}

/// The samples of a capture by key: their number and their time.
fn drained(capture: &Capture) -> HashMap<u64, (u32, Duration)> {
    let mut samples: HashMap<u64, (u32, Duration)> = HashMap::new();
    capture.drain(|sample| {
        let (count, time) = samples.entry(sample.key).or_default();
        *count += 1;
        *time += sample.time;
    });
    samples
}

#[test]
fn samples_stand_for_the_processor_time_of_their_thread() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let capture = Capture::start(Duration::from_millis(1)).unwrap();
    assert_eq!(Capture::start(Duration::from_millis(1)).unwrap_err(), Refusal::Running);
    let (ids, received) = std::sync::mpsc::channel();
    let sleeping = std::thread::spawn(move || {
        ids.send(own_id()).unwrap();
        std::thread::park();
    });
    let sleeper = received.recv().unwrap();
    capture.watch(sleeper, 1).unwrap();
    capture.watch(own_id(), 2).unwrap();
    // The samples have caught up with the clock at some time, and are never ahead. The kernel may look at the clock late.
    let (begin, mut time) = (processor_time(own_id()).unwrap(), Duration::ZERO);
    let mut behind = Duration::MAX;
    for _ in 0..50 {
        burn(Duration::from_millis(100));
        time += drained(&capture).get(&2).map_or(Duration::ZERO, |(_, time)| *time);
        let used = processor_time(own_id()).unwrap() - begin;
        assert!(time <= used + Duration::from_millis(20), "{time:?} of {used:?}");
        behind = behind.min(used.saturating_sub(time));
        if used > Duration::from_millis(500) && behind < Duration::from_millis(30) {
            break;
        }
    }
    assert!(behind < Duration::from_millis(30), "{behind:?} behind");
    assert_eq!(capture.counts().dropped, 0);
    assert!(capture.is_installed());
    capture.unwatch(own_id());
    assert!(!drained(&capture).contains_key(&1), "a sleeping thread was sampled");
    sleeping.thread().unpark();
    sleeping.join().unwrap();
    // Ended, and never there.
    assert_eq!(capture.watch(u32::MAX, 3), Err(Refusal::NoTimer));
    assert_eq!(capture.counts().unwatched, 1);
}

/// Threads that live much shorter than the period are met too.
#[test]
fn short_threads_are_sampled_and_their_memory_is_used_again() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let capture = Capture::start(Duration::from_millis(10)).unwrap();
    let resident = || -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let (mut found, mut before) = (0, 0);
    for round in 0..400_u64 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                capture.watch(own_id(), round).unwrap();
                burn(Duration::from_millis(2));
                capture.unwatch(own_id());
            });
        });
        found += drained(&capture).len();
        if round == 100 {
            before = resident();
        }
    }
    // 400 threads of 2 ms: some 70 samples of 12 ms, but fewer if the kernel starts threads at its ticks.
    assert!((3..200).contains(&found), "{found}");
    assert!(resident() < before + 500, "{before}, then {} pages", resident());
    assert_eq!(capture.counts(), corprof_tools::stacks::Counts::default());
}

#[test]
fn signals_that_arrive_late_are_ignored() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..20 {
        let capture = Capture::start(Duration::from_millis(1)).unwrap();
        std::thread::scope(|scope| {
            let (ids, received) = std::sync::mpsc::channel();
            for _ in 0..4 {
                let ids = ids.clone();
                scope.spawn(move || {
                    ids.send(own_id()).unwrap();
                    burn(Duration::from_millis(10));
                });
            }
            for id in received.iter().take(4) {
                // The thread may have ended.
                let _ = capture.watch(id, 1);
            }
            burn(Duration::from_millis(3));
            drop(capture);
        });
    }
}

core::arch::global_asm!(
    ".p2align 4",
    ".globl stack_capture_test_frames",
    "stack_capture_test_frames:",
    "push rbp",
    "mov rbp, rsp",
    "test edi, edi",
    "je 3f",
    "dec edi",
    "call stack_capture_test_frames",
    "pop rbp",
    "ret",
    // Until the word is 0.
    "3: cmp dword ptr [rsi], 0",
    "jne 3b",
    "pop rbp",
    "ret",
    ".globl stack_capture_test_frames_end",
    "stack_capture_test_frames_end:",
    "nop",
);

unsafe extern "C" {
    fn stack_capture_test_frames(depth: u32, running: *const AtomicU32);
    fn stack_capture_test_frames_end();
}

#[test]
fn every_frame_of_a_stack_is_captured() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let code =
        stack_capture_test_frames as *const () as u64..stack_capture_test_frames_end as *const () as u64;
    for depth in [0, 5, 300, 2_000] {
        let capture = Capture::start(Duration::from_millis(1)).unwrap();
        let running = AtomicU32::new(1);
        std::thread::scope(|scope| {
            let (ids, received) = std::sync::mpsc::channel();
            let running = &running;
            scope.spawn(move || {
                ids.send(own_id()).unwrap();
                // SAFETY: the function reads the word until it is 0.
                unsafe { stack_capture_test_frames(depth, running) };
            });
            capture.watch(received.recv().unwrap(), 7).unwrap();
            let (begin, mut count) = (Instant::now(), 0);
            while count < 20 && begin.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(5));
                capture.drain(|sample| {
                    // The innermost frame spins, once the others are there.
                    if sample.addresses.first().is_some_and(|ip| code.contains(ip)) {
                        let inner = sample.addresses.iter().take_while(|ip| code.contains(ip)).count();
                        count += u32::from(inner == usize::try_from(depth).unwrap().min(512) + 1);
                        assert!(depth < 512 || inner < 513 || sample.end == End::TooDeep);
                    }
                });
            }
            running.store(0, Ordering::SeqCst);
            assert!(count >= 20, "{count} of 20 at depth {depth}");
        });
    }
}

/// Run as a process of its own by the test below.
#[test]
fn a_foreign_signal_ends_the_process_as_it_would_have_done() {
    use std::os::unix::process::ExitStatusExt as _;
    const ROLE: &str = "STACK_CAPTURE_TEST_ROLE";
    let name = "a_foreign_signal_ends_the_process_as_it_would_have_done";
    if std::env::var_os(ROLE).is_some() {
        let capture = Capture::start(Duration::from_millis(10)).unwrap();
        let (own, signal) = (std::process::id().to_string(), format!("-{}", capture.signal()));
        Command::new("kill").args([&signal, &own]).status().unwrap();
        std::thread::sleep(Duration::from_secs(30));
        return;
    }
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let signal = Capture::start(Duration::from_millis(10)).unwrap().signal();
    let own = std::env::current_exe().unwrap();
    let status = Command::new(own).args(["--exact", name]).env(ROLE, "1").status().unwrap();
    assert_eq!(status.signal(), Some(signal));
}

#[test]
fn calls_of_the_system_keep_their_results() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let capture = Capture::start(Duration::from_millis(1)).unwrap();
    capture.watch(own_id(), 1).unwrap();
    let (begin, mut calls) = (processor_time(own_id()).unwrap(), 0);
    while processor_time(own_id()).unwrap() < begin + Duration::from_millis(300) {
        // The error of a call is still there after signals.
        assert_eq!(std::fs::metadata("/does/not/exist").unwrap_err().raw_os_error(), Some(2));
        calls += 1;
    }
    assert!(calls > 0);
    assert!(!drained(&capture).is_empty());
}
