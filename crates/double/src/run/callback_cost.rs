//! A measurement: what a callback costs that nobody takes, and one that profilers take.
//!
//! `cargo test --release -p corprof-double --lib cost -- --ignored --nocapture`
//!
//! Contract of the unsafe code here: the object is that of the session, which outlives the calls.
#![allow(unsafe_code)]

use core::hint::black_box;
use core::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use corprof::{ClassId, EventMask, HResult, PartHost, Profiler, ProfilerInfo, Result};
use corprof_sys as sys;

use super::{Profilers, Session};
use crate::{Runtime, Version};

/// Takes the loads of classes, or those of modules.
struct Counts<const CLASSES: bool>(AtomicU64);

impl<const CLASSES: bool> Profiler for Counts<CLASSES> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(if CLASSES { EventMask::CLASS_LOADS } else { EventMask::MODULE_LOADS })?;
        Ok(Self(AtomicU64::new(0)))
    }

    fn class_load_started(&self, _: ClassId) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Adds parts that take the loads of classes, or those of modules.
struct Hosts<const PARTS: usize, const CLASSES: bool>(PartHost);

impl<const PARTS: usize, const CLASSES: bool> Profiler for Hosts<PARTS, CLASSES> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let host = PartHost::new(info, |_, _| ());
        for _ in 0..PARTS {
            host.add("part", Counts::<CLASSES>::initialize)?;
        }
        Ok(Self(host))
    }

    fn host(&self) -> Option<&PartHost> {
        Some(&self.0)
    }
}

/// The nanoseconds of a `ClassLoadStarted`: the least of many short rounds, since other processes disturb some.
fn cost<P: Profilers>(session: &Session<'_, P>, class: usize) -> f64 {
    const CALLS: u32 = 2_000;
    let this = session.callback.object().cast::<sys::ICorProfilerCallback>();
    let rounds = (0..2_000).map(|_| {
        let begun = Instant::now();
        for _ in 0..CALLS {
            // SAFETY: the contract of this file; the id is that of a class.
            let code = unsafe { ((*(*this).lpVtbl).ClassLoadStarted)(black_box(this), black_box(class)) };
            assert!(HResult(code).is_ok());
        }
        begun.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    });
    rounds.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement, which other processes disturb"]
#[allow(clippy::unwrap_used, reason = "of what the test itself has set up")]
fn cost_of_callbacks() {
    let runtime = || Runtime::new(Version::NET_9);
    let class = |runtime: &Runtime| runtime.core_lib().class("System.Threading.Tasks.Task").id().as_raw();
    let (nobody, one, two) = (runtime(), runtime(), runtime());
    let costs = [
        cost(&nobody.start::<(Counts<false>, Counts<false>)>().unwrap(), class(&nobody)),
        cost(&one.start::<Counts<true>>().unwrap(), class(&one)),
        cost(&two.start::<(Counts<true>, Counts<true>)>().unwrap(), class(&two)),
    ];
    println!("taken by nobody, one, two: {costs:.2?} ns");
    let (nobody, one, two) = (runtime(), runtime(), runtime());
    let hosted = [
        cost(&nobody.start::<Hosts<2, false>>().unwrap(), class(&nobody)),
        cost(&one.start::<Hosts<1, true>>().unwrap(), class(&one)),
        cost(&two.start::<Hosts<2, true>>().unwrap(), class(&two)),
    ];
    println!("of parts that were added, taken by nobody, one, two: {hosted:.2?} ns");
    for costs in [costs, hosted] {
        assert!(costs[0] <= 2.0, "{costs:?}");
    }
}
