//! Return addresses: the bytes in front of one are a call instruction.

use argvalues::{Checked, Memory as _};

/// The length of the longest call instruction on x86-64 without a prefix: the opcode, ModRM, SIB, and 32 bits.
const LONGEST: usize = 7;

/// Recognises return addresses by the code in front of them.
#[derive(Debug)]
pub(crate) struct CallSites {
    /// `None` where memory cannot be read without danger: nothing is taken for a return address then.
    memory: Option<Checked>,
}

impl CallSites {
    pub(crate) fn new() -> Self {
        Self { memory: Checked::new().ok() }
    }

    /// Returns whether a call returns to an address.
    pub(crate) fn returns_to(&self, address: usize) -> bool {
        let mut bytes = [0; LONGEST];
        let begin = address.checked_sub(LONGEST);
        let read = begin.zip(self.memory.as_ref()).map(|(begin, memory)| memory.read(begin, &mut bytes));
        matches!(read, Some(Ok(()))) && ends_with_call(bytes)
    }
}

/// Returns whether code ends with a call instruction.
fn ends_with_call(code: [u8; LONGEST]) -> bool {
    if cfg!(target_arch = "aarch64") { is_arm64_call(code) } else { is_x86_64_call(code) }
}

/// `BL`, `BLR`, and the latter with pointer authentication.
fn is_arm64_call(code: [u8; LONGEST]) -> bool {
    let [.., a, b, c, d] = code;
    let word = u32::from_le_bytes([a, b, c, d]);
    word >> 26 == 0b10_0101 || word & 0xFEFF_F000 == 0xD63F_0000
}

/// `E8` with 32 bits, or `FF /2` with each form of its operand.
fn is_x86_64_call(code: [u8; LONGEST]) -> bool {
    if code[LONGEST - 5] == 0xE8 {
        return true;
    }
    (2..=LONGEST).any(|length| {
        let [opcode, form, ..] = code[LONGEST - length..] else { return false };
        opcode == 0xFF && form >> 3 & 0b111 == 2 && call_length(form) == length
    })
}

/// The length of `FF /2` by the byte that encodes its operand. A SIB byte without a base, which has 32 bits more, is not used by
/// compilers for a call.
const fn call_length(form: u8) -> usize {
    let sib = if form & 0b111 == 0b100 { 1 } else { 0 };
    match form >> 6 {
        0 if form & 0b111 == 0b101 => 6,
        0 => 2 + sib,
        1 => 3 + sib,
        2 => 6 + sib,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code that ends with these bytes.
    fn code(end: &[u8]) -> [u8; LONGEST] {
        let mut code = [0x90; LONGEST];
        code[LONGEST - end.len()..].copy_from_slice(end);
        code
    }

    #[test]
    fn each_form_of_a_call_is_recognised() {
        // As GNU as encodes them: call rel32; *%rax; *%r11; *(%rax); *8(%rax); *0x100(%rax); *0x100(%rip); *(%rsp); *8(%rsp);
        // *0x100(%r12).
        let calls: [&[u8]; 10] = [
            &[0xE8, 0x10, 0, 0, 0],
            &[0xFF, 0xD0],
            &[0x41, 0xFF, 0xD3],
            &[0xFF, 0x10],
            &[0xFF, 0x50, 8],
            &[0xFF, 0x90, 0, 1, 0, 0],
            &[0xFF, 0x15, 0, 1, 0, 0],
            &[0xFF, 0x14, 0x24],
            &[0xFF, 0x54, 0x24, 8],
            &[0xFF, 0x94, 0x24, 0, 1, 0, 0],
        ];
        for call in calls {
            assert!(is_x86_64_call(code(call)), "{call:x?}");
        }
    }

    #[test]
    fn other_code_is_none() {
        // ret, int3 and padding before a method; jmp *%rax; jmp *(%rip); push (%rax); mov %rax,%rdi.
        let others: [&[u8]; 6] = [
            &[0xC3],
            &[0xFF, 0xD0, 0xCC],
            &[0xFF, 0xE0],
            &[0xFF, 0x25, 0, 1, 0, 0],
            &[0xFF, 0x30],
            &[0x48, 0x89, 0xC7],
        ];
        for other in others {
            assert!(!is_x86_64_call(code(other)), "{other:x?}");
        }
    }

    #[test]
    fn calls_of_arm64_are_recognised() {
        // bl, blr x8, blraaz x8; b, br x8, ret.
        for (word, is_call) in [
            (0x9400_0010_u32, true),
            (0xD63F_0100, true),
            (0xD63F_091F, true),
            (0x1400_0010, false),
            (0xD61F_0100, false),
            (0xD65F_03C0, false),
        ] {
            assert_eq!(is_arm64_call(code(&word.to_le_bytes())), is_call, "{word:x}");
        }
    }

    #[test]
    fn unreadable_memory_is_no_call() {
        let sites = CallSites::new();
        assert!(!sites.returns_to(0) && !sites.returns_to(LONGEST) && !sites.returns_to(usize::MAX));
    }
}
