//! Random memory: objects of random shapes that refer to each other.

use argvalues::TypeShape;

use super::choices::Random;
use super::shapes::{entry, fields, shape, viewed_class, viewed_struct};
use crate::heap::Heap;

/// A heap of classes and regions that refer to each other, with wrong addresses among them.
pub(super) fn make_heap(random: &mut Random<'_>) -> (Heap, Vec<usize>) {
    let mut heap = Heap::new();
    let mut headers = vec![0x5000_0000, 0xdead_beef, 0];
    for _ in 0..8 {
        let class = match random.below(9) {
            0 => TypeShape::vector(shape(random, 2)),
            6 | 7 => viewed_class(random),
            8 => TypeShape::vector(entry(random)),
            1 => TypeShape::array(shape(random, 2), 1 + random.below(3)),
            2 => TypeShape::clone(&shape(random, 2)),
            _ => TypeShape::class("C", "C", fields(random, 3, 64)),
        };
        headers.push(heap.class(class).header);
    }
    let mut addresses = vec![0, 1, 0x1_0000, usize::MAX - 7];
    for _ in 0..24 {
        let address = 0x7000_0000 + random.below(0x800) * 4;
        addresses.push(address);
    }
    for index in 4..addresses.len() {
        let mut bytes = random.pick(&headers).to_ne_bytes().to_vec();
        for _ in 0..random.below(16) {
            let word = match random.below(5) {
                0 => usize::try_from(random.next()).unwrap(),
                1 | 2 => random.below(20),
                _ => *random.pick(&addresses),
            };
            bytes.extend(word.to_ne_bytes());
        }
        bytes.truncate(bytes.len() - random.below(3));
        heap.memory.insert(addresses[index], bytes);
    }
    (heap, addresses)
}

/// One such object, with what it may refer to around it. Returns a slot that refers to it.
pub(super) fn viewed_object(random: &mut Random<'_>) -> (Heap, usize) {
    let mut heap = Heap::new();
    let mut addresses = vec![0x7000_0000, 0];
    for _ in 0..2 {
        let item = if random.chance(2) { entry(random) } else { shape(random, 1) };
        let length = u32::try_from(random.below(12)).unwrap();
        let items: Vec<u8> = (0..random.below(300)).map(|_| u8::try_from(random.below(4)).unwrap()).collect();
        addresses.push(heap.vector(item, length, &items));
    }
    addresses.push(heap.string("text"));
    let class = match random.below(4) {
        0 => viewed_struct(random, 2),
        _ => viewed_class(random),
    };
    let class = heap.class(class);
    let mut bytes = class.header.to_ne_bytes().to_vec();
    for _ in 0..8 {
        let word = match random.below(8) {
            0 => usize::try_from(random.next()).unwrap(),
            1..=3 => random.below(6),
            _ => *random.pick(&addresses),
        };
        bytes.extend(word.to_ne_bytes());
    }
    let object = heap.put(bytes);
    let slot = heap.put(object.to_ne_bytes());
    (heap, slot)
}
