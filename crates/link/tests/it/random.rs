//! Random bytes as a stream of messages: no panic, no more than what arrived, and what is read can be sent again. The fuzz target does
//! the same with bytes of the fuzzer's.

use corprof_link::{Decoder, Documents, Invitation, Message, encode};
use recording::blocks::block_header;

/// The kinds of messages, and some that there are none of.
const KINDS: [u32; 16] = [
    0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10A, 0x1FF, 0x200, 0x201, 0x202,
    0x7,
];

/// Reads the bytes as a stream, as the contents of blocks whose check is right, and as an invitation.
pub(crate) fn link(bytes: &[u8]) {
    read(bytes, 7);
    let mut stream = Vec::new();
    let mut rest = bytes;
    // A byte of kind and one of length before each block.
    while let Some(([kind, length], behind)) = rest.split_first_chunk() {
        let (content, next) = behind.split_at(behind.len().min(usize::from(*length)));
        rest = next;
        stream.extend(block_header(KINDS[usize::from(kind % 16)], content));
        stream.extend(content);
    }
    read(&stream, 1 + bytes.len() % 50);
    // Client data come from anybody who may attach.
    let _ = Invitation::of_client_data(bytes);
    let text = String::from_utf8_lossy(bytes);
    if let Ok(invitation) = Invitation::of_value(&text) {
        assert_eq!(Invitation::of_value(&invitation.value()), Ok(invitation));
    }
    assert!(corprof_link::settings(&text).count() <= bytes.len());
}

/// Reads a stream in pieces.
fn read(stream: &[u8], piece: usize) {
    let (mut decoder, mut documents) = (Decoder::default(), Documents::default());
    let mut size = 0;
    for piece in stream.chunks(piece) {
        decoder.push(piece);
        loop {
            let message = match decoder.next_message() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(_) => return,
            };
            let mut again = Decoder::default();
            again.push(&encode(&message));
            assert_eq!(again.next_message().unwrap().as_ref(), Some(&message));
            assert!(matches!(again.next_message(), Ok(None)));
            if let Message::Document(part) = message {
                size += part.bytes.len();
                let whole = documents.add(part);
                assert!(whole.is_none_or(|(_, bytes)| bytes.len() <= size));
            }
        }
    }
    assert!(size <= stream.len());
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn random_streams() {
        let mut state = 1_u32;
        let mut bytes = Vec::new();
        for _ in 0..20_000 {
            bytes.clear();
            for _ in 0..1 + state % 100 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Small numbers are kinds, lengths and fields.
                let byte = state.to_be_bytes()[0];
                bytes.push(if state >> 31 == 0 { byte & 0x0F } else { byte });
            }
            link(&bytes);
        }
    }

    #[test]
    fn the_inputs_that_the_fuzzer_has_kept() {
        let kept = include_str!("../corpus/link.hex");
        for line in kept.lines() {
            let digits = line.as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            link(&digits.map(byte).collect::<Vec<u8>>());
        }
        assert!(!kept.is_empty());
    }
}
