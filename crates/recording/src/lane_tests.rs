//! Tests of lanes: chunks, cuts, memory, two threads.

use super::*;

fn put(producer: &mut Producer, bytes: &[u8]) -> bool {
    let Some(space) = producer.space(bytes.len()) else { return false };
    space.copy_from_slice(bytes);
    producer.publish(bytes.len());
    true
}

fn drained(consumer: &mut Consumer, partial: bool) -> Vec<u8> {
    let mut all = Vec::new();
    let which = if partial { Drain::All } else { Drain::Full };
    consumer.drain(which, |bytes, _| all.extend_from_slice(bytes));
    all
}

#[test]
fn chunks_go_round_and_back() {
    let (mut producer, mut consumer) = lane(2, 4);
    assert!(put(&mut producer, b"abc") && !put(&mut producer, b"de"));
    assert_eq!(drained(&mut consumer, false), b"");
    assert_eq!(drained(&mut consumer, true), b"abc");
    assert!(put(&mut producer, b"d") && producer.advance(0) == Advance::Begun && put(&mut producer, b"efgh"));
    // The first chunk has not been given back.
    assert_eq!(producer.advance(0), Advance::Full);
    assert_eq!(drained(&mut consumer, false), b"d");
    assert_eq!(producer.advance(0), Advance::Begun);
    assert_eq!(drained(&mut consumer, true), b"efgh");
    drop(producer);
    assert!(consumer.has_ended());
}

#[test]
fn a_piece_is_not_cut_before_a_record_that_refers_into_it() {
    let (mut producer, mut consumer) = lane(2, 64);
    assert!(put(&mut producer, b"abc"));
    assert_eq!(producer.filled(), (&b"abc"[..], 0));
    producer.space(1).unwrap().fill(b'A');
    assert!(producer.publish_referring(1, 0));
    assert_eq!(drained(&mut consumer, true), b"abcA");
    // What has been taken is not referred to, though it is still there.
    assert_eq!(producer.filled(), (&b"abcA"[..], 4));
    assert!(producer.space(1).is_some() && !producer.publish_referring(1, 0));
    assert!(put(&mut producer, b"d") && producer.space(1).is_some() && producer.publish_referring(1, 4));
    // The next round of the chunk begins without a cut.
    assert_eq!((producer.advance(0), producer.filled().1), (Advance::Begun, 0));
    drained(&mut consumer, true);
    assert_eq!((producer.advance(0), producer.filled()), (Advance::Begun, (&b""[..], 0)));
}

#[test]
fn a_drain_ends_while_the_thread_records() {
    let (mut producer, mut consumer) = lane(3, 4);
    let (mut put_all, mut taken) = (0, 0);
    let mut fill = || {
        while put(&mut producer, b"abcd") || producer.advance(0) == Advance::Begun {
            put_all += 1;
        }
    };
    fill();
    // The thread fills each chunk again as soon as it is returned.
    let pieces = consumer.drain(Drain::All, |bytes, _| {
        taken += bytes.len();
        assert!(taken < 100, "it does not end");
        fill();
    });
    assert_eq!((pieces, taken), (3, 12));
    assert!(put_all > 3);
    // What has been put is not lost.
    assert_eq!(drained(&mut consumer, true), b"abcdabcd");
}

#[test]
fn what_one_thread_puts_another_takes_in_order() {
    const RECORDS: u32 = if cfg!(miri) { 300 } else { 300_000 };
    let (mut producer, mut consumer) = lane(3, 64);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..RECORDS {
                while !put(&mut producer, &number.to_le_bytes()) {
                    if producer.advance(0) != Advance::Begun {
                        std::thread::yield_now();
                    }
                }
            }
        });
        let mut next = 0;
        loop {
            let ended = consumer.has_ended();
            consumer.drain(Drain::All, |bytes, _| {
                let (words, rest) = bytes.as_chunks();
                assert!(rest.is_empty());
                for word in words {
                    assert_eq!(u32::from_le_bytes(*word), next);
                    next += 1;
                }
            });
            if ended {
                break;
            }
        }
        assert_eq!(next, RECORDS);
    });
}

#[test]
fn a_lane_has_memory_for_what_is_put_into_it() {
    let (mut producer, mut consumer) = lane(4, 64 << 10);
    let allocated = |consumer: &Consumer| consumer.lane.allocated.load(Ordering::Relaxed);
    assert_eq!(allocated(&consumer), FIRST);
    // As much as it may have at most, before anything is taken.
    let mut put_all = 0;
    loop {
        while put(&mut producer, &[7; 512]) {
            put_all += 512;
        }
        if producer.advance(0) != Advance::Begun {
            break;
        }
    }
    assert_eq!((put_all, allocated(&consumer)), (256 << 10, 256 << 10));
    assert_eq!(drained(&mut consumer, true).len(), put_all);
    // A thread that is slow again gives it back.
    for _ in 0..20 {
        while put(&mut producer, &[7; 512]) {}
        assert_eq!(producer.advance(0), Advance::Begun);
        drained(&mut consumer, true);
    }
    assert!(allocated(&consumer) <= 64 << 10, "{}", allocated(&consumer));
}

/// Whichever chunks the writer has freed before, and with large records between small ones.
#[test]
fn a_chunk_that_is_returned_can_be_filled() {
    let mut random = 1_u64;
    let mut below = move |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % limit
    };
    // The emulator of arm64 takes minutes for as many as elsewhere.
    for _ in 0..if cfg!(target_arch = "aarch64") { 20 } else { 200 } {
        let (mut producer, mut consumer) = lane(4, 128 << 10);
        for _ in 0..200 {
            let bytes = [64, 512, 5_000, 100_000][below(4)];
            match below(5) {
                0 => drop(drained(&mut consumer, below(2) == 0)),
                _ if put(&mut producer, &vec![7; bytes]) => {}
                _ => match producer.advance(bytes) {
                    Advance::Begun => assert!(put(&mut producer, &vec![7; bytes])),
                    Advance::Full => drop(drained(&mut consumer, below(2) == 0)),
                    Advance::NoMemory => panic!("a chunk without memory"),
                },
            }
        }
        let allocated = consumer.lane.allocated.load(Ordering::Relaxed);
        assert!(allocated <= (4 * 128 + 5 * 100) << 10, "{allocated}");
    }
}
