//! What rows refer to, as it is written: each is in the file once, before the first row that refers to it.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Frame, FrameNumber, Module, Node, Schema};
use crate::bytes::{put_count, put_text};
use crate::format::{block, frame};
use crate::limits::{
    MAX_FRAMES, MAX_MODULE, MAX_MODULES, MAX_NODES, MAX_SCHEMA, MAX_SESSION, MAX_SESSIONS, MAX_STREAMS,
    MAX_TEXT, MAX_TEXT_BYTES, MAX_TEXTS,
};

/// The definitions that are in the file.
#[derive(Default)]
pub(crate) struct Interned {
    texts: HashMap<Box<str>, u32>,
    text_bytes: usize,
    frames: HashMap<Frame, u32>,
    nodes: HashMap<(u32, FrameNumber), u32>,
    modules: usize,
    sessions: usize,
    /// The streams by their descriptions.
    streams: HashMap<Box<[u8]>, u16>,
}

/// Puts a block into the file, without waiting. Returns `false` if there is no memory for it.
type Put<'p> = &'p dyn Fn(u32, &[u8]) -> bool;

/// The number of the next definition, from 1, if there may be another one.
fn next<T: TryFrom<usize>>(count: usize, most: usize) -> Option<T> {
    (count < most).then(|| T::try_from(count + 1).ok()).flatten()
}

/// Keeps a definition if it is in the file.
fn keep<K: Hash + Eq, N: Copy>(
    numbers: &mut HashMap<K, N>,
    key: K,
    number: N,
    is_written: bool,
) -> Option<N> {
    if is_written {
        numbers.insert(key, number);
    }
    is_written.then_some(number)
}

impl Interned {
    /// Returns the number of a text.
    pub(crate) fn text(&mut self, put: Put<'_>, text: &str) -> Option<u32> {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text);
        if let Some(number) = self.texts.get(text) {
            return Some(*number);
        }
        let bytes = self.text_bytes + text.len();
        let number = next(self.texts.len(), MAX_TEXTS).filter(|_| bytes <= MAX_TEXT_BYTES)?;
        let mut content = Vec::new();
        put_count(&mut content, u64::from(number));
        put_text(&mut content, text);
        let is_written = put(block::TEXTS, &content);
        if is_written {
            self.text_bytes = bytes;
        }
        keep(&mut self.texts, text.into(), number, is_written)
    }

    /// Returns the number of a frame.
    pub(crate) fn frame(&mut self, put: Put<'_>, new: Frame) -> Option<u32> {
        if let Some(number) = self.frames.get(&new) {
            return Some(*number);
        }
        let number = next(self.frames.len(), MAX_FRAMES)?;
        let mut facts = Vec::new();
        let kind = match new {
            Frame::Method { function, il_offset } => {
                put_count(&mut facts, function.0.into());
                put_count(&mut facts, il_offset.map_or(0, |offset| u64::from(offset) + 1));
                frame::METHOD
            }
            Frame::Native { module, offset, symbol } => {
                put_count(&mut facts, module.0.into());
                put_count(&mut facts, offset);
                put_count(&mut facts, symbol.0.into());
                frame::NATIVE
            }
            Frame::Class(text) | Frame::Label(text) => {
                put_count(&mut facts, text.0.into());
                if matches!(new, Frame::Class(_)) { frame::CLASS } else { frame::LABEL }
            }
            Frame::Unknown(_) => return None,
        };
        let mut content = Vec::new();
        put_count(&mut content, u64::from(number));
        content.push(kind);
        put_count(&mut content, facts.len() as u64);
        content.append(&mut facts);
        let is_written = put(block::FRAMES, &content);
        keep(&mut self.frames, new, number, is_written)
    }

    /// Defines what is new of a stack in one block.
    pub(crate) fn stack(&mut self, put: Put<'_>, caller: Node, frames: &[FrameNumber]) -> Option<Node> {
        let mut node = caller.0;
        let mut frames = frames.iter().copied();
        let mut new = frames.clone();
        while let Some(frame) = frames.next() {
            let Some(known) = self.nodes.get(&(node, frame)) else { break };
            node = *known;
            new = frames.clone();
        }
        if new.len() == 0 {
            return Some(Node(node));
        }
        let count = self.nodes.len();
        // Of a stack that does not fit, no part is defined.
        next::<u32>(count + new.len() - 1, MAX_NODES)?;
        let first: u32 = next(count, MAX_NODES)?;
        let mut content = Vec::new();
        put_count(&mut content, first.into());
        let begin = node;
        for (number, frame) in (first..).zip(new.clone()) {
            put_count(&mut content, if node == 0 { 0 } else { number.checked_sub(node)?.into() });
            put_count(&mut content, frame.0.into());
            node = number;
        }
        if !put(block::NODES, &content) {
            return None;
        }
        node = begin;
        for (number, frame) in (first..).zip(new) {
            self.nodes.insert((node, frame), number);
            node = number;
        }
        Some(Node(node))
    }

    /// Defines a module.
    pub(crate) fn module(&mut self, put: Put<'_>, module: &Module) -> Option<u32> {
        let number = next(self.modules, MAX_MODULES)?;
        let mut content = Vec::new();
        put_count(&mut content, u64::from(number));
        module.write(&mut content);
        if content.len() > MAX_MODULE {
            return None;
        }
        put(block::MODULES, &content).then(|| self.modules += 1)?;
        Some(number)
    }

    /// Declares a stream, unless the same has been declared.
    pub(crate) fn stream(&mut self, put: Put<'_>, schema: &Schema) -> Option<u16> {
        let mut description = Vec::new();
        schema.write(&mut description);
        if let Some(number) = self.streams.get(&*description) {
            return Some(*number);
        }
        let number = next(self.streams.len(), MAX_STREAMS)?;
        let mut content = Vec::new();
        put_count(&mut content, u64::from(number));
        content.extend_from_slice(&description);
        if content.len() > MAX_SCHEMA {
            return None;
        }
        let is_written = put(block::SCHEMA, &content);
        keep(&mut self.streams, description.into(), number, is_written)
    }

    /// Begins a session with these facts behind its number.
    pub(crate) fn session(&mut self, put: Put<'_>, facts: &[u8]) -> Option<u32> {
        let number = next(self.sessions, MAX_SESSIONS)?;
        let mut content = Vec::new();
        put_count(&mut content, u64::from(number));
        content.extend_from_slice(facts);
        if content.len() > MAX_SESSION {
            return None;
        }
        put(block::SESSION, &content).then(|| self.sessions += 1)?;
        Some(number)
    }
}
