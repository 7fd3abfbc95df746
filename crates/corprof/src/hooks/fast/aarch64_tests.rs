//! Every register that a stub has to keep survives a receiver that overwrites all that it may.

use core::arch::asm;
use std::sync::Mutex;

use super::*;
use crate::hooks::registers::{EnterRegisters, LeaveRegisters};

/// What a stub is called with, and what is there afterwards.
#[derive(Clone, PartialEq, Debug)]
#[repr(C, align(16))]
struct Registers {
    /// `q0` to `q7`.
    vector: [[u64; 2]; 8],
    /// `x0` to `x8`, `x10`, `x11`.
    integer: [u64; 11],
    /// `x19` to `x28`.
    callee_saved: [u64; 10],
    /// `d8` to `d15`.
    callee_saved_vector: [u64; 8],
    /// By how much the stub has moved the stack pointer.
    stack: u64,
}

/// The layout that the caller is written for.
const _: () = assert!(
    offset_of!(Registers, integer) == 128
        && offset_of!(Registers, callee_saved) == 216
        && offset_of!(Registers, callee_saved_vector) == 296
        && offset_of!(Registers, stack) == 360
);

/// The indexes of the client id and the caller's stack pointer among the integers.
const CLIENT: usize = 9;
const STACK: usize = 10;

impl Registers {
    /// A different pattern everywhere, with these lowest bits of the client id.
    fn patterns(seed: u64, unused: UnusedVectors) -> Self {
        let mut next = seed;
        let mut pattern = || {
            next = next.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1);
            next
        };
        let mut registers = Self {
            vector: [[0; 2]; 8].map(|register| register.map(|_| pattern())),
            integer: [0; 11].map(|_| pattern()),
            callee_saved: [0; 10].map(|_| pattern()),
            callee_saved_vector: [0; 8].map(|_| pattern()),
            stack: 0,
        };
        let client = &mut registers.integer[CLIENT];
        *client = (*client & !u64::from(UnusedVectors::MASK.bits())) | u64::from(unused.bits());
        registers
    }

    /// Calls a hook with these registers.
    fn call(&mut self, hook: Hook) {
        // SAFETY: the caller keeps what a function has to keep, and the hook what its contract says.
        unsafe { call(self, hook) };
    }
}

/// Fills registers, calls a hook and writes the registers back.
#[unsafe(naked)]
unsafe extern "C" fn call(registers: &mut Registers, hook: Hook) {
    naked_asm!(
        "stp x29, x30, [sp, #-192]!",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "str x0, [sp, #160]",
        "mov x29, sp",
        "mov x9, x0",
        "mov x12, x1",
        "ldp q0, q1, [x9]",
        "ldp q2, q3, [x9, #32]",
        "ldp q4, q5, [x9, #64]",
        "ldp q6, q7, [x9, #96]",
        "ldr x19, [x9, #216]",
        "ldr x20, [x9, #224]",
        "ldr x21, [x9, #232]",
        "ldr x22, [x9, #240]",
        "ldr x23, [x9, #248]",
        "ldr x24, [x9, #256]",
        "ldr x25, [x9, #264]",
        "ldr x26, [x9, #272]",
        "ldr x27, [x9, #280]",
        "ldr x28, [x9, #288]",
        "ldr d8, [x9, #296]",
        "ldr d9, [x9, #304]",
        "ldr d10, [x9, #312]",
        "ldr d11, [x9, #320]",
        "ldr d12, [x9, #328]",
        "ldr d13, [x9, #336]",
        "ldr d14, [x9, #344]",
        "ldr d15, [x9, #352]",
        "ldr x10, [x9, #200]",
        "ldr x11, [x9, #208]",
        "ldr x8, [x9, #192]",
        "ldp x0, x1, [x9, #128]",
        "ldp x2, x3, [x9, #144]",
        "ldp x4, x5, [x9, #160]",
        "ldp x6, x7, [x9, #176]",
        "blr x12",
        "ldr x9, [x29, #160]",
        "mov x12, sp",
        "sub x12, x29, x12",
        "str x12, [x9, #360]",
        "stp q0, q1, [x9]",
        "stp q2, q3, [x9, #32]",
        "stp q4, q5, [x9, #64]",
        "stp q6, q7, [x9, #96]",
        "stp x0, x1, [x9, #128]",
        "stp x2, x3, [x9, #144]",
        "stp x4, x5, [x9, #160]",
        "stp x6, x7, [x9, #176]",
        "str x8, [x9, #192]",
        "str x19, [x9, #216]",
        "str x20, [x9, #224]",
        "str x21, [x9, #232]",
        "str x22, [x9, #240]",
        "str x23, [x9, #248]",
        "str x24, [x9, #256]",
        "str x25, [x9, #264]",
        "str x26, [x9, #272]",
        "str x27, [x9, #280]",
        "str x28, [x9, #288]",
        "str d8, [x9, #296]",
        "str d9, [x9, #304]",
        "str d10, [x9, #312]",
        "str d11, [x9, #320]",
        "str d12, [x9, #328]",
        "str d13, [x9, #336]",
        "str d14, [x9, #344]",
        "str d15, [x9, #352]",
        "mov sp, x29",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #192",
        "ret",
    )
}

/// The arguments of the receiver.
#[derive(Debug, PartialEq)]
struct Received {
    client: usize,
    stack: usize,
    integer: [u64; 8],
    indirect: u64,
    vector: [[u64; 2]; 8],
}

static RECEIVED: Mutex<Option<Received>> = Mutex::new(None);
/// Only one test at a time may use it.
static TURN: Mutex<()> = Mutex::new(());

/// Keeps its arguments, and then overwrites every register that it may.
struct Hostile;

impl Hostile {
    fn received(client: usize, saved: &Saved) {
        assert!(core::ptr::from_ref(saved).addr().is_multiple_of(16));
        let received = Received {
            client,
            stack: saved.stack,
            integer: saved.integer,
            indirect: saved.indirect,
            vector: saved.float.map(|vector| vector.0),
        };
        *RECEIVED.lock().unwrap() = Some(received);
        // SAFETY: all that is overwritten is declared.
        unsafe {
            asm!(
                "mov x0, #-1", "mov x1, #-1", "mov x2, #-1", "mov x3, #-1", "mov x4, #-1", "mov x5, #-1",
                "mov x6, #-1", "mov x7, #-1", "mov x8, #-1", "mov x9, #-1", "mov x10, #-1", "mov x11, #-1",
                "mov x12, #-1", "mov x13, #-1", "mov x14, #-1", "mov x15, #-1", "mov x16, #-1", "mov x17, #-1",
                "movi v0.16b, #255", "movi v1.16b, #255", "movi v2.16b, #255", "movi v3.16b, #255",
                "movi v4.16b, #255", "movi v5.16b, #255", "movi v6.16b, #255", "movi v7.16b, #255",
                "movi v16.16b, #255", "movi v20.16b, #255", "movi v31.16b, #255",
                out("x0") _, out("x1") _, out("x2") _, out("x3") _, out("x4") _, out("x5") _, out("x6") _,
                out("x7") _, out("x8") _, out("x9") _, out("x10") _, out("x11") _, out("x12") _,
                out("x13") _, out("x14") _, out("x15") _, out("x16") _, out("x17") _,
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _,
                out("v7") _, out("v16") _, out("v20") _, out("v31") _,
            );
        }
    }
}

// SAFETY: a panic would abort, as functions with this convention do.
unsafe impl Receiver for Hostile {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea) {
        Self::received(client, &area.0);
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        Self::received(client, &area.0);
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        Self::received(!client, &area.0);
    }
}

/// Calls a hook, and asserts what is kept and what the receiver has got.
fn assert_keeps(hook: Hook, before: &Registers, keeps_vectors: bool, client: impl Fn(usize) -> usize) {
    let mut after = before.clone();
    after.call(hook);
    if !keeps_vectors {
        assert_ne!(after.vector, before.vector, "vectors that are unused are kept");
        after.vector = before.vector;
    }
    assert_eq!(&after, before);
    let mut received = RECEIVED.lock().unwrap().take().expect("the receiver was not called");
    if !keeps_vectors {
        received.vector = before.vector;
    }
    let word = |index: usize| usize::try_from(before.integer[index]).unwrap();
    let expected = Received {
        client: client(word(CLIENT)),
        stack: word(STACK),
        integer: before.integer[..8].try_into().unwrap(),
        indirect: before.integer[8],
        vector: before.vector,
    };
    assert_eq!(received, expected);
}

#[test]
fn every_stub_keeps_arguments_and_results() {
    let _turn = TURN.lock().unwrap();
    let stubs = for_this_processor::<Hostile>().unwrap();
    for seed in 1..50 {
        for unused in
            [UnusedVectors::NONE, UnusedVectors::ON_ENTER, UnusedVectors::ON_LEAVE, UnusedVectors::MASK]
        {
            let before = Registers::patterns(seed, unused);
            let is_used = |bit: UnusedVectors| unused.bits() & bit.bits() == 0;
            assert_keeps(stubs.enter, &before, is_used(UnusedVectors::ON_ENTER), |client| client);
            assert_keeps(stubs.leave, &before, is_used(UnusedVectors::ON_LEAVE), |client| client);
            assert_keeps(stubs.tailcall, &before, true, |client| !client);
        }
    }
}

/// The bytes of a range.
fn read(range: ArgumentRange) -> Vec<u8> {
    // SAFETY: the area and the stack that the range is in are alive.
    unsafe {
        core::slice::from_raw_parts(
            core::ptr::with_exposed_provenance::<u8>(range.address),
            range.length as usize,
        )
    }
    .to_vec()
}

#[test]
fn values_are_where_their_locations_say() {
    let vectors = Registers::patterns(3, UnusedVectors::NONE).vector.map(Vector);
    let integers: [u64; 8] = Registers::patterns(5, UnusedVectors::NONE).integer[..8].try_into().unwrap();
    let behind = [11_u64, 12, 13];
    let stack = [0x1122_3344_5566_7788, behind.as_ptr().expose_provenance() as u64];
    let mut integers_and_address = integers;
    integers_and_address[7] = behind.as_ptr().expose_provenance() as u64;
    let enter = EnterArea::of_registers(stack.as_ptr().expose_provenance(), integers_and_address, vectors);
    let leave = LeaveArea::of_registers(0, integers_and_address, vectors);
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let in_both = |kind, length: u32, expected: &[u8]| {
        let location = Location { kind, length };
        // SAFETY: the registers and the stack are the test's own.
        assert_eq!(read(unsafe { enter.range(&location) }), expected, "{kind:?}");
        assert_eq!(read(leave.range(&location)), expected, "{kind:?}");
    };
    for (index, word) in (0..).zip(&integers[..7]) {
        in_both(LocationKind::Register(Register::Integer(index)), 8, &bytes(&[*word]));
    }
    for (index, vector) in (0..).zip(&vectors) {
        in_both(LocationKind::Register(Register::Float(index)), 4, &bytes(&vector.0)[..4]);
        in_both(LocationKind::Register(Register::Float(index)), 16, &bytes(&vector.0));
    }
    in_both(LocationKind::Pair(Register::Integer(2), Register::Integer(3)), 16, &bytes(&integers[2..4]));
    in_both(LocationKind::At(Register::Integer(7)), 24, &bytes(&behind));
    let doubles: Vec<u64> = vectors[3..7].iter().map(|vector| vector.0[0]).collect();
    in_both(LocationKind::Vectors { first: 3, count: 4, size: 8 }, 32, &bytes(&doubles));
    let floats: Vec<u8> = vectors[..3].iter().flat_map(|vector| bytes(&vector.0)[..4].to_vec()).collect();
    in_both(LocationKind::Vectors { first: 0, count: 3, size: 4 }, 12, &floats);
    let full: Vec<u64> = vectors[6..].iter().flat_map(|vector| vector.0).collect();
    in_both(LocationKind::Vectors { first: 6, count: 2, size: 16 }, 32, &bytes(&full));
    // SAFETY: the stack is the test's own.
    let on_stack = |kind, length| read(unsafe { enter.range(&Location { kind, length }) });
    assert_eq!(on_stack(LocationKind::Stack(0), 8), bytes(&stack[..1]));
    assert_eq!(on_stack(LocationKind::AtStack(8), 24), bytes(&behind));
}

#[test]
fn two_aggregates_are_assembled_apart() {
    let vectors = Registers::patterns(9, UnusedVectors::NONE).vector.map(Vector);
    let enter = EnterArea::of_registers(0, [0; 8], vectors);
    // SAFETY: the registers are the test's own.
    let range = |kind, length| unsafe { enter.range(&Location { kind, length }) };
    let first = range(LocationKind::Vectors { first: 1, count: 2, size: 8 }, 16);
    let second = range(LocationKind::Vectors { first: 3, count: 2, size: 8 }, 16);
    let word = |index: usize| vectors[index].0[0].to_le_bytes();
    assert_eq!(read(first), [word(1), word(2)].concat());
    assert_eq!(read(second), [word(3), word(4)].concat());
}

#[test]
fn words_are_what_was_saved() {
    let vectors = Registers::patterns(4, UnusedVectors::NONE).vector.map(Vector);
    let integers: [u64; 8] = Registers::patterns(6, UnusedVectors::NONE).integer[..8].try_into().unwrap();
    let enter = EnterArea::of_registers(0, integers, vectors);
    let leave = LeaveArea::of_registers(0, integers, vectors);
    for index in 0..8 {
        let cases = [
            (Register::Integer(index), integers[usize::from(index)]),
            (Register::Float(index), vectors[usize::from(index)].0[0]),
        ];
        for (register, word) in cases {
            let location = Location { kind: LocationKind::Register(register), length: 8 };
            // SAFETY: the area is the test's own.
            assert_eq!(unsafe { EnterRegisters(&enter).word(EnterArea::word_at(location).unwrap()) }, word);
            assert_eq!(LeaveRegisters(&leave).word(LeaveArea::word_at(location).unwrap()), word);
        }
    }
    let elsewhere = [
        LocationKind::Register(Register::Integer(8)),
        LocationKind::Vectors { first: 0, count: 2, size: 4 },
        LocationKind::Vectors { first: 7, count: 2, size: 4 },
        LocationKind::Pair(Register::Integer(7), Register::Integer(8)),
        LocationKind::Unknown,
    ];
    for kind in elsewhere {
        let location = Location { kind, length: 8 };
        assert_eq!((EnterArea::word_at(location), LeaveArea::word_at(location)), (None, None), "{kind:?}");
    }
    let unknown = ArgumentRange { address: 0, length: 0 };
    for kind in &elsewhere[2..] {
        assert_eq!(leave.range(&Location { kind: *kind, length: 8 }), unknown, "{kind:?}");
    }
}
