//! A model of lookups in flight against unloads: every interleaving of calls about an id and of its unload.

use std::sync::Arc;
use std::time::Duration;

use corprof_types::AnyId;
use loom::cell::UnsafeCell;
use loom::thread;

use super::{SHARD, Work};
use crate::raw::alive::Alive;
use crate::test_ids::module;

/// Longer than a model takes.
const LONG: Duration = Duration::from_secs(3600);

/// The runtime's module: a call reads it, its end writes it. `loom` fails where these are not in an order.
#[derive(Default)]
struct Module(UnsafeCell<()>);

/// Threads with a shard of their own, in each execution the same.
fn spawn(shard: usize, work: impl FnOnce() + 'static) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        SHARD.with(|own| own.set(shard));
        work();
    })
}

fn id() -> AnyId {
    module(0x1000).into()
}

/// Calls about the module, unless it is refused.
fn call(alive: &Alive, runtime: &Module) -> bool {
    let asking = alive.begin_about(Work::Lookup, id());
    if asking.is_ok() {
        runtime.0.with(|_| ());
    }
    asking.is_ok()
}

/// The unload of the module, as the callback does it: the runtime frees it afterwards.
fn unload(alive: &Alive, runtime: &Module) {
    alive.refuse([id()].into_iter());
    assert!(alive.wait(Work::Lookup, LONG));
    runtime.0.with_mut(|_| ());
}

fn model(calls: &'static [usize]) {
    loom::model(move || {
        let (alive, runtime) = (Arc::new(Alive::default()), Arc::new(Module::default()));
        let threads: Vec<_> = calls
            .iter()
            .enumerate()
            .map(|(shard, calls)| {
                let (alive, runtime) = (Arc::clone(&alive), Arc::clone(&runtime));
                spawn(shard, move || (0..*calls).for_each(|_| drop(call(&alive, &runtime))))
            })
            .collect();
        SHARD.with(|own| own.set(0));
        unload(&alive, &runtime);
        assert!(!call(&alive, &runtime), "the id is refused after its unload");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn no_call_reads_a_module_after_its_unload() {
    model(&[2]);
}

#[test]
fn calls_in_two_shards_are_waited_for() {
    model(&[1, 1]);
}

#[test]
fn a_call_is_waited_for_by_the_second_of_two_unloads() {
    loom::model(|| {
        let (alive, runtime) = (Arc::new(Alive::default()), Arc::new(Module::default()));
        let caller = {
            let (alive, runtime) = (Arc::clone(&alive), Arc::clone(&runtime));
            spawn(0, move || drop(call(&alive, &runtime)))
        };
        // The unload of something else: it turns the counters.
        let other = {
            let alive = Arc::clone(&alive);
            spawn(1, move || assert!(alive.wait(Work::Lookup, LONG)))
        };
        SHARD.with(|own| own.set(1));
        unload(&alive, &runtime);
        caller.join().unwrap();
        other.join().unwrap();
    });
}
