//! A model of callbacks against the removal of the part that they are in: every interleaving of readers of a slot and of who takes the
//! value out.

use std::sync::Arc;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::thread;

use super::{Slot, Taken};
use crate::raw::inflight::SHARD;

/// Longer than a model takes.
const LONG: Duration = Duration::from_secs(3600);

/// A part: callbacks read it, and its end writes it. `loom` fails where these are not in an order.
#[derive(Default)]
struct Part(UnsafeCell<()>);

/// Threads with a shard of their own, in each execution the same.
fn spawn(shard: usize, work: impl FnOnce() + 'static) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        SHARD.with(|own| own.set(shard));
        work();
    })
}

fn callback(slot: &Slot<Part>) {
    if let Some(part) = slot.read() {
        part.0.with(|_| ());
    }
}

/// The removal of the part, which ends with its memory.
fn remove(slot: &Slot<Part>) {
    let Taken::Value(part) = slot.take(LONG) else { panic!("it is there, and callbacks end") };
    part.0.with_mut(|_| ());
}

fn model(callbacks: &'static [usize]) {
    loom::model(move || {
        let slot = Arc::new(Slot::new());
        assert!(slot.put(Box::default()).is_ok());
        let threads: Vec<_> = callbacks
            .iter()
            .enumerate()
            .map(|(shard, callbacks)| {
                let slot = Arc::clone(&slot);
                spawn(shard, move || (0..*callbacks).for_each(|_| callback(&slot)))
            })
            .collect();
        SHARD.with(|own| own.set(0));
        remove(&slot);
        assert!(slot.read().is_none(), "nobody finds a part that was removed");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn no_callback_is_in_a_part_that_was_removed() {
    model(&[2]);
}

#[test]
fn callbacks_in_two_shards_are_waited_for() {
    model(&[1, 1]);
}

#[test]
fn a_part_follows_another_in_its_slot() {
    loom::model(|| {
        let slot = Arc::new(Slot::new());
        assert!(slot.put(Box::default()).is_ok());
        let thread = {
            let slot = Arc::clone(&slot);
            spawn(1, move || callback(&slot))
        };
        SHARD.with(|own| own.set(0));
        remove(&slot);
        assert!(slot.put(Box::default()).is_ok());
        remove(&slot);
        thread.join().unwrap();
    });
}
