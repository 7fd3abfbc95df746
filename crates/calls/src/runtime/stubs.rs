//! From the code address of a delegate to its method.
//!
//! A delegate seldom has the address of a method's code: the method may not be compiled yet, and may be compiled again.
//! It has the address of a stub, which jumps to the code once that exists, and refers to the method until then. The
//! profiling API has no query for these stubs, so their instructions are read as untrusted memory: a stub of an unknown
//! form has no name, and its target is taken for a method only if the class has been seen.
//!
//! Contract of the unsafe code here: a number counts as a function only if the memory there is what the runtime has at a
//! method of a class that has been seen to be loaded. The runtime is queried about the code addresses of delegates, and about
//! the targets of the jumps there.
#![allow(unsafe_code)]

use crate::limits::MAX_JUMPS;
use corprof::{FunctionId, ProfilerInfo};

use argvalues::Memory;

/// The number of inspected bytes of a stub.
const LENGTH: usize = 16;

/// The effect of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stub {
    /// A jump to this address.
    Jump(usize),
    /// The compilation of a method, by this handle, which may be malformed.
    Method(usize),
}

/// The function whose code, or whose stub, is at an address.
pub(super) fn function_at(info: &ProfilerInfo, memory: &dyn Memory, code: usize) -> Option<FunctionId> {
    let is_class = |class| info.class_by_number(class).is_some();
    let mut address = code;
    for _ in 0..=MAX_JUMPS {
        // SAFETY: a delegate has the address of a method's code or of a stub, which jumps to such an address.
        if let Some(function) = unsafe { info.function_from_ip(address) }.ok()? {
            return Some(function);
        }
        address = match stub_at(memory, address)? {
            Stub::Jump(target) => target,
            Stub::Method(method) => {
                // SAFETY: what is read there is the description of a method of a class that is loaded.
                let function = || unsafe { FunctionId::from_raw(method) };
                return is_method(memory, method, is_class).then(function)?;
            }
        };
    }
    None
}

/// Reads the stub at an address.
fn stub_at(memory: &dyn Memory, address: usize) -> Option<Stub> {
    let mut bytes = [0; LENGTH];
    memory.read_untrusted(address, &mut bytes).ok()?;
    if cfg!(target_arch = "x86_64") {
        x86_64(memory, address, bytes)
    } else if cfg!(target_arch = "aarch64") {
        aarch64(memory, address, bytes)
    } else {
        None
    }
}

/// The instructions of arm64 that stubs consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instruction {
    /// Loads a register from this address.
    Load(u32, usize),
    /// Branches to the address in a register.
    Branch(u32),
}

/// Decodes an instruction of arm64.
fn instruction(word: u32, address: usize) -> Option<Instruction> {
    const REGISTER: u32 = 0x1F;
    if word & 0xFF00_0000 == 0x5800_0000 {
        // ldr x, literal: a signed distance in words.
        let distance = (word << 8).cast_signed() >> 13;
        let from = address.wrapping_add_signed(distance as isize * 4);
        return Some(Instruction::Load(word & REGISTER, from));
    }
    (word & 0xFFFF_FC1F == 0xD61F_0000).then_some(Instruction::Branch(word >> 5 & REGISTER))
}

/// Reads a stub of arm64, as .NET has them since 7.0.
fn aarch64(memory: &dyn Memory, address: usize, bytes: [u8; LENGTH]) -> Option<Stub> {
    use Instruction::{Branch, Load};

    /// `dmb`, with any option: in front of the instructions that name a method that is not compiled, in .NET 10.
    const BARRIER: (u32, u32) = (0xFFFF_F0FF, 0xD503_30BF);

    let (words, _) = bytes.as_chunks();
    let skipped = words.first().is_some_and(|word| u32::from_le_bytes(*word) & BARRIER.0 == BARRIER.1);
    let at = |index: usize| {
        let index = index + usize::from(skipped);
        instruction(u32::from_le_bytes(*words.get(index)?), address.wrapping_add(index * size_of::<u32>()))
    };
    let (Load(first, one), second) = (at(0)?, at(1)?) else { return None };
    Some(match (second, at(2)) {
        // ldr a, target; br a
        (Branch(to), _) if to == first => Stub::Jump(word_at(memory, one)?),
        // ldr a, target; ldr b, method; br a
        (Load(_, two), Some(Branch(to))) if to == first => Stub::Method(word_at(memory, two)?),
        // ldr a, method; ldr b, target; br b
        (Load(second, _), Some(Branch(to))) if to == second => Stub::Method(word_at(memory, one)?),
        _ => return None,
    })
}

/// Reads a stub of x86-64.
fn x86_64(memory: &dyn Memory, address: usize, bytes: [u8; LENGTH]) -> Option<Stub> {
    // The target relative to the end of an instruction of this length, by these 4 bytes.
    let relative = |end: usize, distance: [u8; 4]| {
        address.wrapping_add(end).wrapping_add_signed(i32::from_le_bytes(distance) as isize)
    };
    Some(match bytes {
        // jmp target
        [0xE9, a, b, c, d, ..] => Stub::Jump(relative(5, [a, b, c, d])),
        // jmp [target]
        [0xFF, 0x25, a, b, c, d, ..] => Stub::Jump(word_at(memory, relative(6, [a, b, c, d]))?),
        // mov rax, target; jmp rax
        [0x48, 0xB8, target @ .., 0xFF, 0xE0, _, _, _, _] => Stub::Jump(usize::from_le_bytes(target)),
        // mov r10, [method]; jmp [target]
        [0x4C, 0x8B, 0x15, a, b, c, d, 0xFF, 0x25, ..] => {
            Stub::Method(word_at(memory, relative(7, [a, b, c, d]))?)
        }
        // mov r10, method; rex jmp target
        [0x49, 0xBA, method @ .., 0x40, 0xE9, _, _, _, _] => Stub::Method(usize::from_le_bytes(method)),
        // call thunk; then how many methods and how many stubs it is to the end of the chunk of stubs, behind
        // which the chunk of methods is named
        [0xE8, _, _, _, _, 0x5E, methods, stubs, ..] => {
            let base = word_at(memory, address.wrapping_add((usize::from(stubs) + 1) * 8))?;
            Stub::Method(base.wrapping_add(usize::from(methods) * 8))
        }
        _ => return None,
    })
}

/// Returns whether there is a description of a method at an address: its offset in its chunk is consistent, and the
/// class at the start of the chunk has been reported by the runtime.
pub(super) fn is_method(memory: &dyn Memory, method: usize, is_class: impl Fn(usize) -> bool) -> bool {
    /// The offset of the distance to the first description of the chunk, in words.
    const INDEX: usize = 2;
    /// The size of a chunk without descriptions.
    const CHUNK: usize = 24;
    let mut index = [0];
    if !method.is_multiple_of(align_of::<usize>())
        || memory.read_untrusted(method.wrapping_add(INDEX), &mut index).is_err()
    {
        return false;
    }
    let [index] = index;
    let chunk = method.wrapping_sub(usize::from(index) * size_of::<usize>()).wrapping_sub(CHUNK);
    // Up to .NET Core 3.1 the class is named by its distance.
    word_at(memory, chunk).is_some_and(|class| is_class(class) || is_class(chunk.wrapping_add(class)))
}

fn word_at(memory: &dyn Memory, address: usize) -> Option<usize> {
    let mut word = [0; size_of::<usize>()];
    memory.read_untrusted(address, &mut word).ok()?;
    Some(usize::from_ne_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use argvalues::SliceMemory;

    const AT: usize = 0x7000_0000;
    const METHOD: usize = 0x7100_0038;

    type Read = fn(&dyn Memory, usize, [u8; LENGTH]) -> Option<Stub>;

    fn stub(bytes: &[u8], words: &[(usize, usize)]) -> Option<Stub> {
        stub_of(x86_64, bytes, words)
    }

    fn stub_of(read: Read, bytes: &[u8], words: &[(usize, usize)]) -> Option<Stub> {
        let mut memory = SliceMemory::new();
        let mut code = bytes.to_vec();
        code.resize(LENGTH, 0xCC);
        memory.insert(AT, code);
        for (address, word) in words {
            memory.insert(*address, word.to_ne_bytes().to_vec());
        }
        let mut bytes = [0; LENGTH];
        memory.read_untrusted(AT, &mut bytes).unwrap();
        read(&memory, AT, bytes)
    }

    #[test]
    fn stubs_of_arm64_are_read() {
        let read = |code: &[u32], words: &[_]| {
            let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
            stub_of(aarch64, &bytes, words)
        };
        // ldr x11, +0x1000; br x11
        assert_eq!(read(&[0x5800_800B, 0xD61F_0160], &[(AT + 0x1000, 9)]), Some(Stub::Jump(9)));
        // ldr x10, +0x1000; ldr x12, +0x1004; br x10
        let names_second = [0x5800_800A, 0x5800_802C, 0xD61F_0140];
        let words = [(AT + 0x1000, 9), (AT + 0x1008, METHOD)];
        assert_eq!(read(&names_second, &words), Some(Stub::Method(METHOD)));
        // ldr x12, -8; ldr x11, +0x1000; br x11
        let names_first = [0x58FF_FFCC, 0x5800_800B, 0xD61F_0160];
        assert_eq!(read(&names_first, &[(AT - 8, METHOD)]), Some(Stub::Method(METHOD)));
        // dmb ishld; ldr x12, +0x1000; ldr x11, +0x1004; br x11
        let behind_barrier = [0xD503_39BF, 0x5800_800C, 0x5800_802B, 0xD61F_0160];
        assert_eq!(read(&behind_barrier, &[(AT + 0x1004, METHOD)]), Some(Stub::Method(METHOD)));
        // br x11; ldr x11, +0x1000; br x12
        assert_eq!(read(&[0xD61F_0160], &[]), None);
        assert_eq!(read(&[0x5800_800B, 0xD61F_0180], &[(AT + 0x1000, 9)]), None);
    }

    #[test]
    fn jumps_lead_on() {
        assert_eq!(stub(&[0xE9, 0xFB, 0xFF, 0xFF, 0xFF], &[]), Some(Stub::Jump(AT)));
        assert_eq!(stub(&[0xFF, 0x25, 0xFA, 0x0F, 0, 0], &[(AT + 0x1000, 9)]), Some(Stub::Jump(9)));
        assert_eq!(stub(&[0x48, 0xB8, 7, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0], &[]), Some(Stub::Jump(7)));
    }

    #[test]
    fn what_is_not_compiled_is_named() {
        let loads = [0x4C, 0x8B, 0x15, 0xF9, 0x0F, 0, 0, 0xFF, 0x25, 0xFB, 0x0F, 0, 0];
        assert_eq!(stub(&loads, &[(AT + 0x1000, METHOD)]), Some(Stub::Method(METHOD)));
        let mut moves = vec![0x49, 0xBA];
        moves.extend(METHOD.to_le_bytes());
        moves.extend([0x40, 0xE9]);
        assert_eq!(stub(&moves, &[]), Some(Stub::Method(METHOD)));
        let calls = [0xE8, 0, 0, 0, 0, 0x5E, 3, 2];
        assert_eq!(stub(&calls, &[(AT + 24, METHOD - 24)]), Some(Stub::Method(METHOD)));
    }

    #[test]
    fn other_code_is_no_stub() {
        assert_eq!(stub(&[0x55, 0x48, 0x89, 0xE5], &[]), None);
        assert_eq!(stub(&[0xFF, 0x25, 0, 0, 1, 0], &[]), None);
        assert_eq!(stub_at(&SliceMemory::new(), 8), None);
    }

    #[test]
    fn a_method_is_in_a_chunk_of_a_class_that_was_seen() {
        let class = 0x7200_0000;
        let chunk = METHOD - 24 - 2 * 8;
        let memory_with = |word: usize| {
            let mut memory = SliceMemory::new();
            memory.insert(METHOD, vec![0xFF, 0xFF, 2, 0, 0, 0, 0, 0]);
            memory.insert(chunk, word.to_ne_bytes().to_vec());
            memory
        };
        let is_class = |word| word == class;
        assert!(is_method(&memory_with(class), METHOD, is_class));
        assert!(is_method(&memory_with(class.wrapping_sub(chunk)), METHOD, is_class));
        assert!(!is_method(&memory_with(class + 8), METHOD, is_class));
        assert!(!is_method(&memory_with(class), METHOD + 4, is_class));
        assert!(!is_method(&SliceMemory::new(), METHOD, is_class));
    }
}
