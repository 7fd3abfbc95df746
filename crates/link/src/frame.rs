//! Messages in blocks, as a recording has them: kind, length, check, content.

use recording::blocks::{BLOCK_HEADER, Cursor, Malformed, block_header, check};

use crate::message::{Message, limit};

/// Returns a message as a block.
#[must_use]
pub fn encode(message: &Message) -> Vec<u8> {
    let (kind, content) = message.content();
    let mut block = block_header(kind, &content).to_vec();
    block.extend_from_slice(&content);
    block
}

/// Reads messages from a stream of bytes that somebody else has written.
///
/// Memory grows with the bytes that have arrived, not with the length that a header announces.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// How far they have been read.
    at: usize,
}

impl Decoder {
    /// Adds bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next message; `None` if it has not arrived yet. Kinds of messages that this side does not know are skipped.
    ///
    /// # Errors
    /// If the bytes are no block, or the block is no message. There is no way on from there.
    pub fn next_message(&mut self) -> Result<Option<Message>, Malformed> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let mut cursor = Cursor::new(rest);
            let (Ok(kind), Ok(length), Ok(expected)) = (cursor.u32(), cursor.u32(), cursor.u32()) else {
                return Ok(None);
            };
            let wrong = |what| Err(Malformed { at: self.at, what, is_cut: false });
            if length > limit(kind) {
                return wrong("the block is longer than one may be");
            }
            let Ok(content) = cursor.take(length as usize) else { return Ok(None) };
            if check(kind, content) != expected {
                return wrong("the check of the block is wrong");
            }
            let message = Message::of_content(kind, content)?;
            self.at += BLOCK_HEADER + length as usize;
            if message.is_some() {
                return Ok(message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Part;

    fn all() -> Vec<Message> {
        let text = |text: &str| text.to_owned();
        vec![
            Message::Hello { major: 1, minor: 300, nonce: text("00ff"), tool: text("cpu") },
            Message::Accepted,
            Message::Refused {
                setting: text("CPU_HZ"),
                text: text("CPU_HZ=0 is no number from 1 to 1000 é"),
            },
            Message::Document(Part {
                name: text("cpu"),
                is_first: true,
                is_last: false,
                bytes: vec![7; 70_000],
            }),
            Message::Document(Part { name: text("cpu"), is_first: false, is_last: true, bytes: Vec::new() }),
            Message::Lines { text: text("one\ntwo\n") },
            Message::Recording { bytes: vec![0, 0xFF, 7] },
            Message::Progress { text: String::new() },
            Message::Stop,
            Message::End { why: text("detached"), stays: None, lost: u64::MAX },
            Message::End { why: text("stopped"), stays: Some(text("ReJIT")), lost: 0 },
            Message::Error { text: text("no") },
            Message::Process { id: 4711, command: vec![text("dotnet"), String::new(), text("a b.dll")] },
            Message::Process { id: 0, command: Vec::new() },
            Message::Start { settings: text("CPU_HZ=10\n") },
            Message::Unwanted,
        ]
    }

    fn stream() -> Vec<u8> {
        all().iter().flat_map(encode).collect()
    }

    /// Reads a stream in pieces; what was read before an error, and whether there was one.
    fn read(stream: &[u8], piece: usize) -> (Vec<Message>, bool) {
        let (mut decoder, mut read) = (Decoder::default(), Vec::new());
        for piece in stream.chunks(piece) {
            decoder.push(piece);
            loop {
                match decoder.next_message() {
                    Ok(Some(message)) => read.push(message),
                    Ok(None) => break,
                    Err(_) => return (read, true),
                }
            }
        }
        (read, false)
    }

    #[test]
    fn messages_arrive_in_pieces() {
        for piece in [1, 5, 4096, usize::MAX] {
            assert_eq!(read(&stream(), piece), (all(), false), "{piece}");
        }
    }

    #[test]
    fn what_a_newer_side_sends_is_skipped() {
        // An unknown kind, and an unknown field of a known one: number 9, a byte.
        let mut unknown = block_header(0x1FF, b"abc").to_vec();
        unknown.extend_from_slice(b"abc");
        let (kind, mut content) = Message::Progress { text: "half".to_owned() }.content();
        content.extend_from_slice(&[9, 1, 0xFF]);
        unknown.extend_from_slice(&block_header(kind, &content));
        unknown.extend_from_slice(&content);
        assert_eq!(read(&unknown, 3), (vec![Message::Progress { text: "half".to_owned() }], false));
    }

    #[test]
    fn a_long_text_is_cut_and_fits() {
        let text = "é".repeat(200_000);
        let refused = Message::Refused { setting: text.clone(), text: text.clone() };
        let (read, failed) = read(&encode(&refused), 4096);
        let [Message::Refused { setting, text: read }] = &read[..] else { panic!("{read:?}") };
        assert!(
            !failed && setting == read && text.starts_with(&**read) && read.len() > 16_000,
            "{}",
            read.len()
        );
    }

    #[test]
    fn an_announced_length_costs_no_memory_and_too_long_is_refused() {
        for (kind, length, is_refused) in [
            (0x100_u32, 64_u32 << 10, false),
            (0x100, (64 << 10) + 1, true),
            (0x200, 16 << 20, false),
            (0x200, (16 << 20) + 1, true),
            (u32::MAX, u32::MAX, true),
        ] {
            let mut decoder = Decoder::default();
            decoder.push(&[kind.to_le_bytes(), length.to_le_bytes(), [0; 4]].concat());
            assert_eq!(decoder.next_message().is_err(), is_refused, "{kind:#x} {length}");
            assert!(decoder.bytes.capacity() < 1024);
        }
    }

    /// Bytes are changed, left out and added, from seeds: nothing panics, and what is read before the first change is right.
    #[test]
    fn a_damaged_stream_is_an_error_or_ends() {
        // xorshift64*.
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = move |below: usize| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            usize::try_from(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % below
        };
        // Without the long one, whose bytes would be changed most of the time.
        let all: Vec<Message> = all().into_iter().filter(|message| encode(message).len() < 1000).collect();
        let stream: Vec<u8> = all.iter().flat_map(encode).collect();
        for _ in 0..30_000 {
            let mut damaged = stream.clone();
            let mut first = damaged.len();
            for _ in 0..=random(3) {
                let at = random(damaged.len());
                first = first.min(at);
                match random(4) {
                    0 => damaged[at] ^= 1 << random(8),
                    1 => damaged[at] = u8::try_from(random(256)).unwrap(),
                    2 => drop(damaged.drain(at..(at + random(20)).min(damaged.len()))),
                    _ => damaged.insert(at, u8::try_from(random(256)).unwrap()),
                }
                if damaged.is_empty() {
                    break;
                }
            }
            let (read, _) = read(&damaged, 1 + random(64));
            let mut end = 0;
            for (index, message) in all.iter().enumerate() {
                end += encode(message).len();
                if end > first {
                    break;
                }
                assert_eq!(read.get(index), Some(message));
            }
            // A block that passes its check is one that was sent, or one that a byte of luck has made: none here.
            assert!(read.iter().all(|message| all.contains(message)), "{read:?}");
        }
        // Bytes of no stream at all.
        for _ in 0..10_000 {
            let bytes: Vec<u8> = (0..random(200)).map(|_| u8::try_from(random(256)).unwrap()).collect();
            assert_eq!(read(&bytes, 7).0, []);
        }
    }

    /// The contents of blocks whose check is right.
    #[test]
    fn a_hostile_content_is_an_error_or_a_message() {
        let mut bytes = Vec::new();
        for kind in (0xFE..0x10B).chain(0x1FF..0x204) {
            for length in 0..3 {
                for first in 0..=255_u8 {
                    bytes.clear();
                    bytes.resize(length, first);
                    bytes.extend_from_slice(&[first, 0xFF, 0x01, first]);
                    if let Ok(Some(message)) = Message::of_content(kind, &bytes) {
                        assert_eq!(read(&encode(&message), 9), (vec![message], false));
                    }
                }
            }
        }
    }
}
