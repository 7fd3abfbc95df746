//! A model of the lane: every interleaving of a producer and a consumer, in two chunks of two bytes.

use super::{Advance, Consumer, Drain, Producer, lane};

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
    let which = if partial { Drain::All } else { Drain::Full };
    consumer.drain(which, |bytes, _| all.extend_from_slice(bytes));
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

/// A byte with this bit refers to the byte before it.
const REFERRING: u8 = 0x80;

/// Puts a byte that refers to the one before if it may.
fn put_referring(producer: &mut Producer, byte: u8) -> bool {
    let (filled, cut) = producer.filled();
    if let Some(before) = filled.len().checked_sub(1).filter(|before| *before >= cut)
        && let Some(space) = producer.space(1)
    {
        space.fill(byte | REFERRING);
        if producer.publish_referring(1, before) {
            return true;
        }
    }
    put(producer, byte)
}

/// Writes `bytes`, each after the first referring to the one before, while the other thread drains `looks` times.
fn model_of_references(bytes: u8, looks: usize) {
    loom::model(move || {
        let (mut producer, mut consumer) = lane(2, 3);
        let thread = loom::thread::spawn(move || {
            (1..=bytes).filter(|byte| put_referring(&mut producer, *byte)).count()
        });
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        for _ in 0..looks {
            consumer.drain(Drain::All, |bytes, _| pieces.push(bytes.to_vec()));
        }
        let put = thread.join().unwrap();
        consumer.drain(Drain::All, |bytes, _| pieces.push(bytes.to_vec()));
        let all = pieces.concat();
        assert_eq!(all.len(), put, "everything that was put is taken: {pieces:?}");
        assert!(all.is_sorted_by_key(|byte| byte & !REFERRING), "in order: {pieces:?}");
        let is_whole = |piece: &Vec<u8>| piece.first().is_some_and(|byte| byte & REFERRING == 0);
        assert!(pieces.iter().all(is_whole), "a byte refers to one of another piece: {pieces:?}");
    });
}

#[test]
fn a_record_refers_to_bytes_of_its_own_piece() {
    model_of_references(3, 2);
    model_of_references(4, 1);
}
