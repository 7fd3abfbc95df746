//! Every register that a stub has to keep survives a receiver that overwrites all that it may.

use core::arch::asm;
use std::sync::Mutex;

use super::*;
use crate::hooks::registers::{EnterRegisters, LeaveRegisters};

/// What a stub is called with, and what is there afterwards.
#[derive(Clone, PartialEq, Debug)]
#[repr(C, align(64))]
struct Registers {
    vector: [[u64; 8]; 8],
    /// For enter `rdi` `rsi` `rdx` `rcx` `r8` `r9`, for leave `rax` `rdx`, `rdi` and `rsi` for the hook, `rcx`.
    integer: [u64; 6],
    /// `rbx`, `r12`, `r13`, `r14`, `r15`, `rbp`.
    callee_saved: [u64; 6],
    /// The stack pointer.
    stack: u64,
}

impl Registers {
    /// A different pattern everywhere.
    fn patterns(seed: u64) -> Self {
        let mut next = seed;
        let mut pattern = || {
            next = next.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1);
            next
        };
        Self {
            vector: [[0; 8]; 8].map(|register| register.map(|_| pattern())),
            integer: [0; 6].map(|_| pattern()),
            callee_saved: [0; 6].map(|_| pattern()),
            stack: 0,
        }
    }

    /// With other lowest bits of a client id, which is among the integers.
    fn idle(mut self, client: fn(&mut Self) -> &mut u64, idle: UnusedVectors) -> Self {
        let client = client(&mut self);
        *client = (*client & !u64::from(UnusedVectors::MASK.bits())) | u64::from(idle.bits());
        self
    }

    /// With only the part of the vectors that registers of a width have.
    fn narrowed(mut self, width: Width, count: usize) -> Self {
        let words = match width {
            Width::Sse => 2,
            Width::Avx => 4,
            Width::Avx512 => 8,
        };
        for (index, vector) in self.vector.iter_mut().enumerate() {
            for (word, value) in vector.iter_mut().enumerate() {
                if word >= words || index >= count {
                    *value = 0;
                }
            }
        }
        self
    }
}

/// The arguments of the receiver.
struct Received {
    client: usize,
    integer: Vec<u64>,
    stack: usize,
    vector: Vec<[u64; 8]>,
    aligned: bool,
}

static RECEIVED: Mutex<Option<Received>> = Mutex::new(None);
/// Only one test at a time may use it.
static TURN: Mutex<()> = Mutex::new(());

/// Overwrites every register that a function may.
fn overwrite_everything() {
    let garbage = u64::MAX;
    // SAFETY: all that is overwritten is declared; the instructions exist, as the features say.
    unsafe {
        asm!(
            "mov rax, {0}", "mov rcx, {0}", "mov rdx, {0}", "mov rsi, {0}", "mov rdi, {0}",
            "mov r8, {0}", "mov r9, {0}", "mov r10, {0}", "mov r11, {0}",
            "movq xmm0, {0}", "movq xmm1, {0}", "movq xmm2, {0}", "movq xmm3, {0}",
            "movq xmm4, {0}", "movq xmm5, {0}", "movq xmm6, {0}", "movq xmm7, {0}",
            in(reg) garbage,
            out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
        );
        if std::arch::is_x86_feature_detected!("avx") {
            asm!("vzeroall", out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _,
                out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _);
        }
    }
}

/// Keeps its arguments, and then overwrites every register that it may.
struct Hostile;

impl Hostile {
    fn received(client: usize, integer: &[u64], stack: usize, vector: &[Vector]) {
        let here = 0_u8;
        let received = Received {
            client,
            integer: integer.to_vec(),
            stack,
            vector: vector.iter().map(|vector| vector.0).collect(),
            aligned: vector.as_ptr().addr().is_multiple_of(64)
                && (&raw const here).addr() < vector.as_ptr().addr(),
        };
        *RECEIVED.lock().unwrap() = Some(received);
        overwrite_everything();
    }
}

// SAFETY: a panic would abort, as functions with this convention do.
unsafe impl Receiver for Hostile {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea) {
        Self::received(client, &area.integer, area.stack, &area.float);
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        Self::received(client, &area.integer, area.stack, &area.float);
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        Self::received(!client, &area.integer, area.stack, &area.float);
    }
}

/// A function that fills registers from a [`Registers`], calls a hook and writes them back. One for each width and
/// each kind of hook, since what is moved differs.
macro_rules! caller {
    ($name:ident, $move:literal, $register:literal, [$($vector:literal),*], $kind:ident) => {
        #[unsafe(naked)]
        unsafe extern "sysv64" fn $name(registers: &mut Registers, hook: Hook) {
            naked_asm!(
                "push rbx", "push r12", "push r13", "push r14", "push r15", "push rbp",
                "push rdi",
                "mov r10, rdi",
                "mov r11, rsi",
                $(concat!($move, " ", $register, stringify!($vector), ", [r10 + 64 * ", stringify!($vector), "]"),)*
                "mov rbx, [r10 + 560]", "mov r12, [r10 + 568]", "mov r13, [r10 + 576]",
                "mov r14, [r10 + 584]", "mov r15, [r10 + 592]", "mov rbp, [r10 + 600]",
                caller!(@load $kind),
                "mov [r10 + 608], rsp",
                "call r11",
                "mov r10, [rsp]",
                "sub [r10 + 608], rsp",
                $(concat!($move, " [r10 + 64 * ", stringify!($vector), "], ", $register, stringify!($vector)),)*
                "mov [r10 + 560], rbx", "mov [r10 + 568], r12", "mov [r10 + 576], r13",
                "mov [r10 + 584], r14", "mov [r10 + 592], r15", "mov [r10 + 600], rbp",
                caller!(@store $kind),
                "pop rdi",
                "pop rbp", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx",
                "ret",
            )
        }
    };
    (@load enter) => {
        "mov rdi, [r10 + 512]\nmov rsi, [r10 + 520]\nmov rdx, [r10 + 528]
         mov rcx, [r10 + 536]\nmov r8, [r10 + 544]\nmov r9, [r10 + 552]"
    };
    (@store enter) => {
        "mov [r10 + 512], rdi\nmov [r10 + 520], rsi\nmov [r10 + 528], rdx
         mov [r10 + 536], rcx\nmov [r10 + 544], r8\nmov [r10 + 552], r9"
    };
    (@load leave) => {
        "mov rax, [r10 + 512]\nmov rdx, [r10 + 520]\nmov rdi, [r10 + 528]\nmov rsi, [r10 + 536]\nmov rcx, [r10 + 544]"
    };
    (@store leave) => { "mov [r10 + 512], rax\nmov [r10 + 520], rdx\nmov [r10 + 544], rcx" };
}

caller!(enter_sse, "movups", "xmm", [0, 1, 2, 3, 4, 5, 6, 7], enter);
caller!(enter_avx, "vmovups", "ymm", [0, 1, 2, 3, 4, 5, 6, 7], enter);
caller!(enter_avx512, "vmovups", "zmm", [0, 1, 2, 3, 4, 5, 6, 7], enter);
caller!(leave_sse, "movups", "xmm", [0, 1], leave);
caller!(leave_avx, "vmovups", "ymm", [0, 1], leave);
caller!(leave_avx512, "vmovups", "zmm", [0, 1], leave);

/// The layout that the callers are written for.
const _: () = assert!(
    offset_of!(Registers, integer) == 512
        && offset_of!(Registers, callee_saved) == 560
        && offset_of!(Registers, stack) == 608
);

/// The widths that this processor has. A machine without AVX-512 tests fewer, and says so.
fn widths() -> Vec<Width> {
    let all = [Width::Sse, Width::Avx, Width::Avx512];
    let widest = Width::of_this_processor();
    let count = all.iter().position(|width| *width == widest).unwrap() + 1;
    println!("vector registers tested: {:?}", &all[..count]);
    all[..count].to_vec()
}

fn received() -> Received {
    RECEIVED.lock().unwrap().take().expect("the receiver was not called")
}

#[test]
fn enter_keeps_every_argument_register() {
    let _turn = TURN.lock().unwrap();
    for width in widths() {
        for (seed, idle) in
            (1..50).flat_map(|seed| [(seed, UnusedVectors::ON_LEAVE), (seed, UnusedVectors::ON_ENTER)])
        {
            let before = Registers::patterns(seed).narrowed(width, 8);
            let before = before.idle(|registers| &mut registers.callee_saved[3], idle);
            let mut after = before.clone();
            let hook = width.stubs::<Hostile>().enter;
            // SAFETY: the caller keeps what a function has to keep, and the processor has the width.
            unsafe {
                match width {
                    Width::Sse => enter_sse(&mut after, hook),
                    Width::Avx => enter_avx(&mut after, hook),
                    Width::Avx512 => enter_avx512(&mut after, hook),
                }
            }
            let is_kept = idle == UnusedVectors::ON_LEAVE;
            if is_kept {
                assert_eq!(after, before, "{width:?}");
            } else {
                assert_ne!(after, before, "{width:?}: vectors that are idle are kept");
                assert_eq!(after.narrowed(width, 0), before.clone().narrowed(width, 0), "{width:?}");
            }
            let received = received();
            assert_eq!(received.client as u64, before.callee_saved[3]);
            assert_eq!(received.stack as u64, before.callee_saved[4]);
            assert_eq!(received.integer, before.integer);
            assert!(received.aligned);
            for (received, before) in received.vector.iter().zip(&before.vector).filter(|_| is_kept) {
                assert_eq!(received[..2], before[..2]);
            }
        }
    }
}

#[test]
fn leave_and_tailcall_keep_every_register_of_a_return_value() {
    let _turn = TURN.lock().unwrap();
    for width in widths() {
        let all =
            [(UnusedVectors::ON_ENTER, false), (UnusedVectors::ON_LEAVE, false), (UnusedVectors::MASK, true)];
        for (seed, (idle, tailcall)) in (1..50).flat_map(|seed| all.map(|case| (seed, case))) {
            let before = Registers::patterns(seed).narrowed(width, 2);
            let before = before.idle(|registers| &mut registers.integer[2], idle);
            let mut after = before.clone();
            let stubs = width.stubs::<Hostile>();
            let hook = if tailcall { stubs.tailcall } else { stubs.leave };
            // SAFETY: the caller keeps what a function has to keep, and the processor has the width.
            unsafe {
                match width {
                    Width::Sse => leave_sse(&mut after, hook),
                    Width::Avx => leave_avx(&mut after, hook),
                    Width::Avx512 => leave_avx512(&mut after, hook),
                }
            }
            let is_kept = idle != UnusedVectors::ON_LEAVE;
            if is_kept {
                assert_eq!(after, before, "{width:?}");
            } else {
                assert_ne!(after, before, "{width:?}: vectors that are idle are kept");
                // The continuation is kept with them.
                after.integer[4] = before.integer[4];
                assert_eq!(after.narrowed(width, 0), before.clone().narrowed(width, 0), "{width:?}");
            }
            let received = received();
            let client = if tailcall { !received.client } else { received.client };
            assert_eq!(client as u64, before.integer[2]);
            assert_eq!(received.integer, before.integer[..2]);
            assert!(received.aligned);
            assert_eq!(received.stack as u64, before.integer[3]);
            for (received, before) in received.vector.iter().zip(&before.vector).filter(|_| is_kept) {
                assert_eq!(received[..2], before[..2]);
            }
        }
    }
}

/// The tests can fail: with the stub of a narrower width, the upper parts are lost.
#[test]
fn a_stub_that_is_too_narrow_is_noticed() {
    let _turn = TURN.lock().unwrap();
    if Width::of_this_processor() == Width::Sse {
        return;
    }
    let before = Registers::patterns(7).narrowed(Width::Avx, 8);
    let before = before.idle(|registers| &mut registers.callee_saved[3], UnusedVectors::NONE);
    let mut after = before.clone();
    // SAFETY: the caller keeps what a function has to keep, and the processor has the width.
    unsafe { enter_avx(&mut after, Width::Sse.stubs::<Hostile>().enter) };
    assert_eq!(after.clone().narrowed(Width::Sse, 8), before.clone().narrowed(Width::Sse, 8));
    assert_ne!(after, before);
    received();
}

/// The first so many registers of each kind.
fn registers(integer: u8, float: u8) -> impl Iterator<Item = LocationKind> {
    let integer = (0..integer).map(Register::Integer);
    integer.chain((0..float).map(Register::Float)).map(LocationKind::Register)
}

/// What of a word belongs to a value of so many bytes.
fn cut(word: u64, length: u32) -> u64 {
    let mut bytes = [0; 8];
    let own = length as usize;
    bytes[..own].copy_from_slice(&word.to_le_bytes()[..own]);
    u64::from_le_bytes(bytes)
}

/// The bytes of a range, in the lowest bytes of a number.
fn read(range: ArgumentRange) -> u64 {
    // SAFETY: the area and the stack that the range is in are alive.
    let bytes = unsafe {
        core::slice::from_raw_parts(
            core::ptr::with_exposed_provenance::<u8>(range.address),
            range.length as usize,
        )
    };
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[test]
fn words_are_what_was_saved_and_what_ranges_have() {
    // All are different.
    let words: [u64; 16] = Registers::patterns(3).vector.as_flattened()[..16].try_into().unwrap();
    let arguments: Vec<_> =
        registers(6, 8).chain([LocationKind::Stack(0), LocationKind::Stack(8)]).zip(words).collect();
    let results: Vec<_> = registers(2, 2).zip(words).collect();
    let stack = [words[14], words[15]];
    let [a, b, c, d, e, f, float @ .., _, _] = words;
    let enter = EnterArea::of_words(stack.as_ptr().expose_provenance(), [a, b, c, d, e, f], float);
    let leave = LeaveArea::of_words(0, [a, b], [c, d]);
    for length in [1, 2, 4, 8] {
        for (kind, word) in &arguments {
            let location = Location { kind: *kind, length };
            let located = EnterArea::word_at(location).unwrap();
            // SAFETY: what is on the stack is the test's own.
            let found = unsafe { EnterRegisters(&enter).word(located) };
            assert_eq!(found, cut(*word, length), "{location:?}");
            // SAFETY: as above.
            assert_eq!(found, read(unsafe { enter.range(&location) }), "{location:?}");
        }
        for (kind, word) in &results {
            let location = Location { kind: *kind, length };
            let found = LeaveRegisters(&leave).word(LeaveArea::word_at(location).unwrap());
            assert_eq!(found, cut(*word, length), "{location:?}");
            assert_eq!(found, read(leave.range(&location)), "{location:?}");
        }
    }
    // SAFETY: no argument is loaded.
    assert_eq!(unsafe { EnterRegisters(&enter).word(ArgumentWord::NONE) }, 0);
    assert_eq!(LeaveRegisters(&leave).word(ResultWord::NONE), 0);
}

#[test]
fn a_value_that_is_no_word_has_no_location_of_one() {
    let one = Register::Integer(0);
    let elsewhere =
        [LocationKind::Pair(one, Register::Integer(1)), LocationKind::At(one), LocationKind::Unknown];
    for kind in elsewhere {
        let location = Location { kind, length: 8 };
        assert_eq!((EnterArea::word_at(location), LeaveArea::word_at(location)), (None, None), "{kind:?}");
    }
    for length in [0, 3, 5, 16, u32::MAX] {
        for kind in [LocationKind::Register(one), LocationKind::Stack(8)] {
            let location = Location { kind, length };
            assert_eq!((EnterArea::word_at(location), LeaveArea::word_at(location)), (None, None));
        }
    }
    let missing = [(Register::Integer(6), Register::Integer(2)), (Register::Float(8), Register::Float(2))];
    for (argument, result) in missing {
        assert_eq!(EnterArea::word_at(Location { kind: LocationKind::Register(argument), length: 8 }), None);
        assert_eq!(LeaveArea::word_at(Location { kind: LocationKind::Register(result), length: 8 }), None);
    }
    assert_eq!(LeaveArea::word_at(Location { kind: LocationKind::Stack(0), length: 8 }), None);
}
