//! Every register that a stub has to keep survives a receiver that overwrites all that it may, and arguments are found in
//! their slots.

use core::arch::asm;
use std::sync::Mutex;

use super::*;
use crate::hooks::registers::{EnterRegisters, LeaveRegisters};

/// What a stub is called with, and what is there afterwards.
#[derive(Clone, PartialEq, Debug)]
#[repr(C, align(64))]
struct Registers {
    /// `zmm0`, as wide as the processor has it.
    vector: [u64; 8],
    /// `rax`, `rcx`, `rdx`.
    integer: [u64; 3],
    /// `rbx`, `rdi`, `rsi`, `r12`, `r13`, `r14`, `r15`, `rbp`.
    callee_saved: [u64; 8],
    /// The stack pointer before the call, less that after it.
    stack: u64,
    /// The low halves of `xmm6` to `xmm15`.
    callee_saved_vectors: [u64; 10],
}

/// The layout that the callers are written for.
const _: () = assert!(
    offset_of!(Registers, integer) == 64
        && offset_of!(Registers, callee_saved) == 88
        && offset_of!(Registers, stack) == 152
        && offset_of!(Registers, callee_saved_vectors) == 160
);

impl Registers {
    /// A different pattern everywhere; of the vector so many words.
    fn patterns(seed: u64, words: usize) -> Self {
        let mut next = seed;
        let mut pattern = || {
            next = next.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1);
            next
        };
        let mut vector = [0; 8].map(|_: u64| pattern());
        vector[words..].fill(0);
        Self {
            vector,
            integer: [0; 3].map(|_: u64| pattern()),
            callee_saved: [0; 8].map(|_: u64| pattern()),
            stack: 0,
            callee_saved_vectors: [0; 10].map(|_: u64| pattern()),
        }
    }
}

/// The arguments of the receiver.
#[derive(Debug, PartialEq)]
struct Received {
    client: usize,
    stack: usize,
    /// `rax` and the lowest words of `xmm0`.
    result: Option<(u64, [u64; 2])>,
}

static RECEIVED: Mutex<Option<Received>> = Mutex::new(None);
/// Only one test at a time may use it.
static TURN: Mutex<()> = Mutex::new(());

/// Overwrites every register that a function may.
fn overwrite_everything() {
    // SAFETY: all that is overwritten is declared; the instructions exist, as the features say.
    unsafe {
        asm!(
            "mov rax, {0}", "mov rcx, {0}", "mov rdx, {0}", "mov r8, {0}", "mov r9, {0}", "mov r10, {0}", "mov r11, {0}",
            "movq xmm0, {0}", "movq xmm1, {0}", "movq xmm2, {0}", "movq xmm3, {0}", "movq xmm4, {0}", "movq xmm5, {0}",
            in(reg) u64::MAX,
            out("rax") _, out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
        );
        if std::arch::is_x86_feature_detected!("avx") {
            asm!("vzeroupper", out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _,
                out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _);
        }
    }
}

/// Keeps its arguments, and then overwrites every register that it may.
struct Hostile;

impl Hostile {
    fn received(received: Received) {
        *RECEIVED.lock().unwrap() = Some(received);
        overwrite_everything();
    }

    fn ended(client: usize, area: &LeaveArea) {
        let [first, second, ..] = area.float.0;
        Self::received(Received {
            client,
            stack: area.stack(),
            result: Some((area.integer, [first, second])),
        });
    }
}

// SAFETY: a panic would abort, as functions with this convention do.
unsafe impl Receiver for Hostile {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea) {
        Self::received(Received { client, stack: area.stack(), result: None });
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        Self::ended(client, area);
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        Self::ended(!client, area);
    }
}

/// A function that fills registers from a [`Registers`], calls a hook and writes them back. One for each width.
macro_rules! caller {
    ($name:ident, $move:literal, $register:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(registers: &mut Registers, hook: Hook) {
            naked_asm!(
                "push rbx", "push rdi", "push rsi", "push r12", "push r13", "push r14", "push r15", "push rbp",
                "sub rsp, 216",
                caller!(@vectors "movups [rsp + 48 + 16 * ", "], xmm"),
                "mov [rsp + 32], rcx",
                "mov r10, rcx",
                "mov r11, rdx",
                concat!($move, " ", $register, ", [r10]"),
                "movq xmm6, [r10 + 160]", "movq xmm7, [r10 + 168]", "movq xmm8, [r10 + 176]", "movq xmm9, [r10 + 184]",
                "movq xmm10, [r10 + 192]", "movq xmm11, [r10 + 200]", "movq xmm12, [r10 + 208]",
                "movq xmm13, [r10 + 216]", "movq xmm14, [r10 + 224]", "movq xmm15, [r10 + 232]",
                "mov rax, [r10 + 64]", "mov rcx, [r10 + 72]", "mov rdx, [r10 + 80]",
                "mov rbx, [r10 + 88]", "mov rdi, [r10 + 96]", "mov rsi, [r10 + 104]", "mov r12, [r10 + 112]",
                "mov r13, [r10 + 120]", "mov r14, [r10 + 128]", "mov r15, [r10 + 136]", "mov rbp, [r10 + 144]",
                "mov [r10 + 152], rsp",
                "call r11",
                "mov r10, [rsp + 32]",
                "sub [r10 + 152], rsp",
                concat!($move, " [r10], ", $register),
                "movq [r10 + 160], xmm6", "movq [r10 + 168], xmm7", "movq [r10 + 176], xmm8", "movq [r10 + 184], xmm9",
                "movq [r10 + 192], xmm10", "movq [r10 + 200], xmm11", "movq [r10 + 208], xmm12",
                "movq [r10 + 216], xmm13", "movq [r10 + 224], xmm14", "movq [r10 + 232], xmm15",
                "mov [r10 + 64], rax", "mov [r10 + 72], rcx", "mov [r10 + 80], rdx",
                "mov [r10 + 88], rbx", "mov [r10 + 96], rdi", "mov [r10 + 104], rsi", "mov [r10 + 112], r12",
                "mov [r10 + 120], r13", "mov [r10 + 128], r14", "mov [r10 + 136], r15", "mov [r10 + 144], rbp",
                "movups xmm6, [rsp + 48]", "movups xmm7, [rsp + 64]", "movups xmm8, [rsp + 80]",
                "movups xmm9, [rsp + 96]", "movups xmm10, [rsp + 112]", "movups xmm11, [rsp + 128]",
                "movups xmm12, [rsp + 144]", "movups xmm13, [rsp + 160]", "movups xmm14, [rsp + 176]",
                "movups xmm15, [rsp + 192]",
                "add rsp, 216",
                "pop rbp", "pop r15", "pop r14", "pop r13", "pop r12", "pop rsi", "pop rdi", "pop rbx",
                "ret",
            )
        }
    };
    (@vectors $before:literal, $after:literal) => {
        concat!(
            $before, "0", $after, "6\n", $before, "1", $after, "7\n", $before, "2", $after, "8\n",
            $before, "3", $after, "9\n", $before, "4", $after, "10\n", $before, "5", $after, "11\n",
            $before, "6", $after, "12\n", $before, "7", $after, "13\n", $before, "8", $after, "14\n",
            $before, "9", $after, "15",
        )
    };
}

caller!(call_sse, "movups", "xmm0");
caller!(call_avx, "vmovups", "ymm0");
caller!(call_avx512, "vmovups", "zmm0");

impl Width {
    fn words(self) -> usize {
        match self {
            Self::Sse => 2,
            Self::Avx => 4,
            Self::Avx512 => 8,
        }
    }

    /// Calls a hook with registers of this width.
    fn call(self, registers: &mut Registers, hook: Hook) -> Received {
        // SAFETY: the caller keeps what a function has to keep, and the processor has the width.
        unsafe {
            match self {
                Self::Sse => call_sse(registers, hook),
                Self::Avx => call_avx(registers, hook),
                Self::Avx512 => call_avx512(registers, hook),
            }
        }
        RECEIVED.lock().unwrap().take().expect("the receiver was not called")
    }
}

/// The widths that this processor has. A machine without AVX-512 tests fewer, and says so.
fn widths() -> Vec<Width> {
    let all = [Width::Sse, Width::Avx, Width::Avx512];
    let widest = Width::of_this_processor();
    let count = all.iter().position(|width| *width == widest).unwrap() + 1;
    println!("vector registers tested: {:?}", &all[..count]);
    all[..count].to_vec()
}

#[test]
fn enter_keeps_what_belongs_to_the_caller() {
    let _turn = TURN.lock().unwrap();
    for seed in 1..50 {
        let before = Registers::patterns(seed, 2);
        let mut after = before.clone();
        let received = Width::Sse.call(&mut after, Width::of_this_processor().stubs::<Hostile>().enter);
        assert_eq!(after.callee_saved, before.callee_saved);
        assert_eq!(after.callee_saved_vectors, before.callee_saved_vectors);
        assert_eq!(after.stack, 0);
        let [_, client, stack] = before.integer.map(|word| usize::try_from(word).unwrap());
        assert_eq!(received, Received { client, stack, result: None });
    }
}

#[test]
fn leave_and_tailcall_keep_the_result() {
    let _turn = TURN.lock().unwrap();
    let cases = [(Width::Sse, false)].into_iter().chain(widths().into_iter().map(|width| (width, true)));
    for (width, is_tailcall) in cases {
        for seed in 1..50 {
            let before = Registers::patterns(seed, width.words());
            let mut after = before.clone();
            let stubs = width.stubs::<Hostile>();
            let received = width.call(&mut after, if is_tailcall { stubs.tailcall } else { stubs.leave });
            // Both are free.
            after.integer[1..].copy_from_slice(&before.integer[1..]);
            assert_eq!(after, before, "{width:?}");
            let [_, client, stack] = before.integer.map(|word| usize::try_from(word).unwrap());
            let client = if is_tailcall { !client } else { client };
            let result = Some((before.integer[0], [before.vector[0], before.vector[1]]));
            assert_eq!(received, Received { client, stack, result });
        }
    }
}

/// The tests can fail: with the stub of a narrower width, the upper part is lost.
#[test]
fn a_stub_that_is_too_narrow_is_noticed() {
    let _turn = TURN.lock().unwrap();
    if Width::of_this_processor() == Width::Sse {
        println!("not tested: this processor has no wider registers");
        return;
    }
    let before = Registers::patterns(7, Width::Avx.words());
    let mut after = before.clone();
    Width::Avx.call(&mut after, Width::Sse.stubs::<Hostile>().tailcall);
    assert_eq!(after.vector[..2], before.vector[..2]);
    assert_ne!(after.vector, before.vector);
}

#[test]
fn arguments_are_in_slots_and_results_in_registers() {
    let structure = [11_u64, 12, 13];
    let slots = [1_u64, 2, 3, 4, structure.as_ptr().expose_provenance() as u64, 0x1122_3344_5566_7788];
    // SAFETY: the slots are alive, and the area is used in this function only.
    let enter = unsafe { EnterArea::of_stack(slots.as_ptr().expose_provenance()) };
    assert_eq!(
        (0..5).map(|index| enter.integer(index)).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3), Some(4), None]
    );
    let last = Location { kind: LocationKind::Stack(40), length: 4 };
    // SAFETY: there is a slot.
    let (found, word) =
        unsafe { (enter.range(&last), EnterRegisters(&enter).word(EnterArea::word_at(last).unwrap())) };
    assert_eq!((found.address, found.length), (enter.stack() + 40, 4));
    assert_eq!(word, 0x5566_7788);
    // SAFETY: there is a slot with an address.
    let behind = unsafe { enter.range(&Location { kind: LocationKind::AtStack(32), length: 24 }) };
    assert_eq!((behind.address, behind.length), (structure.as_ptr().addr(), 24));

    let leave = LeaveArea::of_words(0, 0x10, 0x20);
    let result = |kind| Location { kind, length: 8 };
    for (register, word) in [(Register::Integer(0), 0x10), (Register::Float(0), 0x20)] {
        let location = result(LocationKind::Register(register));
        assert_eq!(LeaveRegisters(&leave).word(LeaveArea::word_at(location).unwrap()), word);
        assert_ne!(leave.range(&location).address, 0);
    }
    assert_eq!(leave.range(&result(LocationKind::At(Register::Integer(0)))).address, 0x10);
    let elsewhere =
        [LocationKind::Register(Register::Integer(1)), LocationKind::AtStack(0), LocationKind::Unknown];
    for kind in elsewhere {
        assert_eq!(leave.range(&result(kind)), UNKNOWN, "{kind:?}");
        assert_eq!(LeaveArea::word_at(result(kind)), None, "{kind:?}");
    }
}
