//! From the code address of a delegate to its method.
//!
//! A delegate seldom has the address of a method's code: the method may not be compiled yet, and may be compiled again.
//! It has the address of a stub, which jumps to the code once that exists, and refers to the method until then. The
//! profiling API has no query for these stubs, so their instructions are read as untrusted memory: a stub of an unknown
//! form has no name, and its target is taken for a method only if the class has been seen.
//!
//! Contract of the unsafe code here: a number counts as a function only if the memory there is what the runtime has at a
//! method of a class that has been seen to be loaded.
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
        if let Some(function) = info.function_from_ip(address).ok()? {
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

/// Reads the stub at an address (x86-64).
fn stub_at(memory: &dyn Memory, address: usize) -> Option<Stub> {
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    let mut bytes = [0; LENGTH];
    memory.read_untrusted(address, &mut bytes).ok()?;
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use argvalues::SliceMemory;

    const AT: usize = 0x7000_0000;
    const METHOD: usize = 0x7100_0038;

    fn stub(bytes: &[u8], words: &[(usize, usize)]) -> Option<Stub> {
        let mut memory = SliceMemory::new();
        let mut code = bytes.to_vec();
        code.resize(LENGTH, 0xCC);
        memory.insert(AT, code);
        for (address, word) in words {
            memory.insert(*address, word.to_ne_bytes().to_vec());
        }
        stub_at(&memory, AT)
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
