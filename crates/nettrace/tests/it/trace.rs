//! Builds traces.

use nettrace::{Error, Reader};

/// Bytes that are written one after the other.
#[derive(Clone, Default)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    pub(crate) fn u8(self, value: u8) -> Self {
        self.raw(&[value])
    }

    pub(crate) fn u16(self, value: u16) -> Self {
        self.raw(&value.to_le_bytes())
    }

    pub(crate) fn u32(self, value: u32) -> Self {
        self.raw(&value.to_le_bytes())
    }

    pub(crate) fn u64(self, value: u64) -> Self {
        self.raw(&value.to_le_bytes())
    }

    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub(crate) fn utf16(self, text: &str) -> Self {
        text.encode_utf16().chain([0]).fold(self, Self::u16)
    }

    pub(crate) fn varuint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(u8::try_from(value & 0x7F).unwrap() | 0x80);
            value >>= 7;
        }
        self.u8(u8::try_from(value).unwrap())
    }

    pub(crate) fn utf8(self, text: &str) -> Self {
        self.varuint(text.len() as u64).raw(text.as_bytes())
    }
}

/// The time of the beginning: 2026-11-23, 04:30:15.250.
fn time(bytes: Bytes) -> Bytes {
    [2026, 11, 1, 23, 4, 30, 15, 250].into_iter().fold(bytes, Bytes::u16).u64(1_000).u64(1_000_000)
}

/// A trace of version 4.
pub(crate) struct Objects(pub(crate) Vec<u8>);

impl Objects {
    pub(crate) fn new() -> Self {
        let head = Bytes::default().raw(b"Nettrace").u32(20).raw(b"!FastSerialization.1");
        let mut this = Self(head.0);
        this.begin("Trace", 4);
        this.0.extend(time(Bytes::default()).u32(8).u32(4711).u32(2).u32(0).u8(6).0);
        this
    }

    fn begin(&mut self, name: &str, version: u32) {
        let head = Bytes::default().raw(&[5, 5, 1]).u32(version).u32(version);
        let length = u32::try_from(name.len()).unwrap();
        self.0.extend(head.u32(length).raw(name.as_bytes()).u8(6).0);
    }

    /// Adds an object whose content is aligned.
    pub(crate) fn block(mut self, name: &str, content: &Bytes) -> Self {
        self.begin(name, 2);
        self.0.extend(u32::try_from(content.0.len()).unwrap().to_le_bytes());
        while !self.0.len().is_multiple_of(4) {
            self.0.push(0);
        }
        self.0.extend(&content.0);
        self.0.push(6);
        self
    }

    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.push(1);
        self.0
    }
}

/// A trace of version 6.
pub(crate) struct Blocks(pub(crate) Vec<u8>);

impl Blocks {
    pub(crate) fn new() -> Self {
        let this = Self(Bytes::default().raw(b"Nettrace").u32(0).u32(6).u32(0).0);
        let trace =
            time(Bytes::default()).u32(8).u32(2).utf8("ProcessId").utf8("4711").utf8("host").utf8("ö");
        this.block(1, &trace)
    }

    pub(crate) fn block(mut self, kind: u32, content: &Bytes) -> Self {
        let head = u32::try_from(content.0.len()).unwrap() | kind << 24;
        self.0.extend(head.to_le_bytes());
        self.0.extend(&content.0);
        self
    }
}

/// The header of a block of events.
pub(crate) fn events(is_compressed: bool) -> Bytes {
    Bytes::default().u16(20).u16(is_compressed.into()).u64(0).u64(u64::MAX)
}

/// An event as text: provider, number, time, thread, sequence, stack, fields.
pub(crate) fn listed(trace: &[u8]) -> (Vec<String>, Option<Error>, u64) {
    let mut all = Vec::new();
    let mut reader = match Reader::new(trace) {
        Ok(reader) => reader,
        Err(error) => return (all, Some(error), 0),
    };
    let error = loop {
        match reader.next_event() {
            Ok(Some(event)) => {
                let stack: Vec<u64> =
                    event.stack.map(|stack| stack.addresses().collect()).unwrap_or_default();
                all.push(format!(
                    "{} {} at {} thread {} #{} stack {stack:?} {:?}",
                    event.metadata.provider,
                    event.metadata.event_id,
                    event.time,
                    event.thread,
                    event.sequence,
                    event.fields()
                ));
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    // The reader stays at its end.
    assert!(matches!(reader.next_event(), Ok(None)));
    (all, error, reader.dropped())
}
