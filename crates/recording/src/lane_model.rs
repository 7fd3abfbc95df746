//! A model of the lane: every interleaving of a producer and a consumer, in two chunks of two bytes.

use super::{Advance, Consumer, Producer, lane};

/// Puts a byte, in the next chunk if need be.
fn put(producer: &mut Producer, byte: u8) -> bool {
    if producer.space(1).is_none() && producer.advance(1) != Advance::Begun {
        return false;
    }
    let Some(space) = producer.space(1) else { return false };
    space.fill(byte);
    producer.publish(1);
    true
}

fn drain(consumer: &mut Consumer, partial: bool, all: &mut Vec<u8>) {
    consumer.drain(partial, |bytes, _| all.extend_from_slice(bytes));
}

/// Writes `bytes` while the other thread drains `looks` times, and once more at the end.
fn model(bytes: u8, looks: &'static [bool]) {
    loom::model(move || {
        let (mut producer, mut consumer) = lane(2, 2);
        let thread =
            loom::thread::spawn(move || (1..=bytes).filter(|byte| put(&mut producer, *byte)).count());
        let mut all = Vec::new();
        looks.iter().for_each(|partial| drain(&mut consumer, *partial, &mut all));
        let put = thread.join().unwrap();
        assert!(consumer.has_ended());
        drain(&mut consumer, true, &mut all);
        assert_eq!(all.len(), put, "everything that was put is taken: {all:?}");
        assert!(all.is_sorted_by(|one, next| one < next), "in order: {all:?}");
    });
}

#[test]
fn chunks_that_are_being_filled_are_read_up_to_their_length() {
    model(3, &[true, true]);
}

#[test]
fn chunks_are_given_back_and_filled_again() {
    model(6, &[false, true]);
    model(6, &[true, true]);
}
