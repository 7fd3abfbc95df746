//! The definitions that rows refer to, as they are read.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::bytes::{Cursor, Malformed};
use crate::clock::Timeline;
use crate::definition::{Function, FunctionNumber, Process};
use crate::format::{block, frame, session};
use crate::limits::{
    MAX_FRAMES, MAX_FUNCTIONS, MAX_MODULE, MAX_MODULES, MAX_NODES, MAX_SCHEMA, MAX_SESSION, MAX_SESSIONS,
    MAX_STREAMS, MAX_TEXT_BYTES, MAX_TEXTS,
};
use crate::sessions::{Frame, FrameNumber, Module, ModuleNumber, Node, StreamInfo, Text};

const LONGER: &str = "a description is longer than any that is written";

type Result<T> = core::result::Result<T, Malformed>;

/// A session, as far as it has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its number, from 1.
    pub number: u32,
    /// The name of the tool.
    pub tool: String,
    /// Its settings: names and values.
    pub settings: Vec<(String, String)>,
    /// Its effects on the program.
    pub effects: Vec<String>,
    /// When it began, in ticks.
    pub begin: u64,
    /// The end. A session without one was cut off with the recording.
    pub end: Option<SessionEnd>,
}

/// The end of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEnd {
    /// When, in ticks.
    pub ticks: u64,
    /// The reason; may be empty.
    pub reason: String,
}

/// What a recording has defined as far as it has been read.
///
/// A number that is not defined gives nothing: a recording that misses definitions is still readable.
#[derive(Debug, Default)]
pub struct Tables {
    pub(super) process: Process,
    pub(super) timeline: Timeline,
    /// The last time that was read, in nanoseconds since the recording began.
    until: u64,
    functions: HashMap<u32, Arc<Function>>,
    sessions: BTreeMap<u32, SessionInfo>,
    streams: BTreeMap<u32, Arc<StreamInfo>>,
    texts: HashMap<u32, Box<str>>,
    text_bytes: usize,
    frames: HashMap<u32, Frame>,
    /// The parent and the frame of each node. A parent has a lower number.
    nodes: HashMap<u32, (Node, FrameNumber)>,
    modules: HashMap<u32, Module>,
    losses: BTreeMap<(u32, u32), u64>,
}

/// Defines or replaces a number.
fn define<V>(map: &mut HashMap<u32, V>, most: usize, number: u32, value: V) -> bool {
    let has_room = map.len() < most || map.contains_key(&number);
    if has_room {
        map.insert(number, value);
    }
    has_room
}

/// Reads definitions behind the number of the first one until the block ends.
fn numbered<'b>(
    cursor: &mut Cursor<'b>,
    mut each: impl FnMut(u32, &mut Cursor<'b>) -> Result<bool>,
) -> Result<()> {
    let mut number = cursor.small()?;
    while !cursor.is_at_end() {
        if number == 0 {
            return cursor.error("a definition has the number 0, which stands for nothing");
        }
        if !each(number, cursor)? {
            return cursor.error("there are more definitions than any that are written");
        }
        number = match number.checked_add(1) {
            Some(next) => next,
            None => return cursor.error("the number of a definition is too large"),
        };
    }
    Ok(())
}

/// Facts with their length before them; what a newer version has added behind them is skipped.
fn with_length<T>(cursor: &mut Cursor<'_>, read: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<T> {
    let begin = cursor.at;
    let facts = cursor.counted()?;
    read(&mut Cursor::new(facts)).map_err(|Malformed { what, .. }| Malformed {
        at: begin,
        what,
        is_cut: false,
    })
}

impl Tables {
    /// Takes a block of definitions. Returns the number of the session if it is about the beginning or the end of one.
    pub(super) fn take(&mut self, kind: u32, content: &[u8]) -> Result<Option<(u32, bool)>> {
        let mut cursor = Cursor::new(content);
        let cursor = &mut cursor;
        match kind {
            block::START => self.process = Process::read(cursor)?.0,
            block::CLOCK => {
                let (ticks, nanoseconds) = (cursor.u64()?, cursor.u64()?);
                self.timeline.add(ticks, nanoseconds);
                self.until = self.until.max(nanoseconds);
            }
            block::FUNCTIONS => {
                while !cursor.is_at_end() {
                    let (number, function) = Function::read(cursor)?;
                    if !define(&mut self.functions, MAX_FUNCTIONS as usize, number, Arc::new(function)) {
                        return cursor.error("there are more functions than any that are written");
                    }
                }
            }
            block::SESSION if content.len() > MAX_SESSION => return cursor.error(LONGER),
            block::SESSION => return self.session(cursor).map(Some),
            block::TEXTS => numbered(cursor, |number, cursor| {
                let text: Box<str> = cursor.text()?.into();
                let old = self.texts.get(&number).map_or(0, |old| old.len());
                self.text_bytes = self.text_bytes.saturating_sub(old).saturating_add(text.len());
                Ok(self.text_bytes <= MAX_TEXT_BYTES && define(&mut self.texts, MAX_TEXTS, number, text))
            })?,
            block::FRAMES => numbered(cursor, |number, cursor| {
                let kind = cursor.byte()?;
                let frame = with_length(cursor, |facts| read_frame(kind, facts))?;
                Ok(define(&mut self.frames, MAX_FRAMES, number, frame))
            })?,
            block::NODES => numbered(cursor, |number, cursor| {
                let (distance, frame) = (cursor.small()?, FrameNumber(cursor.small()?));
                let parent = if distance == 0 { Some(0) } else { number.checked_sub(distance) };
                let Some(parent) = parent else {
                    return cursor.error("a stack is called from one that cannot be before it");
                };
                Ok(define(&mut self.nodes, MAX_NODES, number, (Node(parent), frame)))
            })?,
            block::SCHEMA if content.len() > MAX_SCHEMA => return cursor.error(LONGER),
            block::SCHEMA => {
                let stream = StreamInfo::read(cursor)?;
                if self.streams.len() >= MAX_STREAMS && !self.streams.contains_key(&stream.number) {
                    return cursor.error("there are more streams than any that are written");
                }
                self.streams.insert(stream.number, Arc::new(stream));
            }
            block::LOSS => {
                let session = cursor.small()?;
                while !cursor.is_at_end() {
                    let (stream, lost) = (cursor.small()?, cursor.count()?);
                    if !self.sessions.contains_key(&session) || !self.streams.contains_key(&stream) {
                        return cursor.error("rows are lost of a stream that is not declared");
                    }
                    self.losses.insert((session, stream), lost);
                }
            }
            block::MODULES => numbered(cursor, |number, cursor| {
                let module = with_length(cursor, |facts| {
                    if facts.bytes.len() > MAX_MODULE { facts.error(LONGER) } else { Module::read(facts) }
                })?;
                Ok(define(&mut self.modules, MAX_MODULES, number, module))
            })?,
            // Calls, or a block that a newer version has added.
            _ => {}
        }
        Ok(None)
    }

    /// Returns the number of the session, and whether it begins.
    fn session(&mut self, cursor: &mut Cursor<'_>) -> Result<(u32, bool)> {
        let (number, what, ticks) = (cursor.small()?, cursor.byte()?, cursor.u64()?);
        match what {
            session::BEGINS => {
                let mut begun = SessionInfo {
                    number,
                    begin: ticks,
                    tool: cursor.text()?.to_owned(),
                    ..SessionInfo::default()
                };
                for _ in 0..cursor.count()? {
                    begun.settings.push((cursor.text()?.to_owned(), cursor.text()?.to_owned()));
                }
                for _ in 0..cursor.count()? {
                    begun.effects.push(cursor.text()?.to_owned());
                }
                if self.sessions.len() >= MAX_SESSIONS && !self.sessions.contains_key(&number) {
                    return cursor.error("there are more sessions than any that are written");
                }
                self.sessions.insert(number, begun);
                Ok((number, true))
            }
            session::ENDS => {
                let reason = cursor.text()?.to_owned();
                let Some(session) = self.sessions.get_mut(&number) else {
                    return cursor.error("a session ends that has not begun");
                };
                session.end = Some(SessionEnd { ticks, reason });
                Ok((number, false))
            }
            _ => cursor.error("a session neither begins nor ends"),
        }
    }

    /// Returns the process that was recorded.
    #[must_use]
    pub const fn process(&self) -> &Process {
        &self.process
    }

    /// From ticks to nanoseconds since the recording began, as far as it has been read. [`Timeline::of`] looks at all of a file.
    #[must_use]
    pub const fn timeline(&self) -> Timeline {
        self.timeline
    }

    /// Returns the time up to which the recording has been read, in nanoseconds since it began. While it is made, a time is written
    /// at least every second.
    #[must_use]
    pub const fn until(&self) -> u64 {
        self.until
    }

    /// Returns the sessions, in the order of their numbers.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionInfo> {
        self.sessions.values()
    }

    /// Returns a session.
    #[must_use]
    pub fn session_info(&self, number: u32) -> Option<&SessionInfo> {
        self.sessions.get(&number)
    }

    /// Returns the streams, in the order of their numbers.
    pub fn streams(&self) -> impl Iterator<Item = &StreamInfo> {
        self.streams.values().map(|stream| &**stream)
    }

    pub(super) fn stream(&self, number: u32) -> Option<&Arc<StreamInfo>> {
        self.streams.get(&number)
    }

    /// Returns the number of rows that a stream of a session has lost.
    #[must_use]
    pub fn lost(&self, session: u32, stream: u32) -> u64 {
        self.losses.get(&(session, stream)).copied().unwrap_or(0)
    }

    /// Returns a text; that of [`Text::NONE`] is empty.
    #[must_use]
    pub fn text(&self, text: Text) -> Option<&str> {
        if text == Text::NONE { Some("") } else { self.texts.get(&text.0).map(|text| &**text) }
    }

    /// Returns a frame.
    #[must_use]
    pub fn frame(&self, frame: FrameNumber) -> Option<&Frame> {
        self.frames.get(&frame.0)
    }

    /// Returns a function.
    #[must_use]
    pub fn function(&self, function: FunctionNumber) -> Option<&Function> {
        self.functions.get(&function.0).map(|function| &**function)
    }

    /// Returns a module.
    #[must_use]
    pub fn module(&self, module: ModuleNumber) -> Option<&Module> {
        self.modules.get(&module.0)
    }

    /// Returns the caller's stack and the innermost frame of a stack.
    #[must_use]
    pub fn node(&self, node: Node) -> Option<(Node, FrameNumber)> {
        self.nodes.get(&node.0).copied()
    }

    /// Returns the frames of a stack, the innermost first.
    pub fn stack(&self, node: Node) -> impl Iterator<Item = FrameNumber> {
        // A caller has a lower number, so this ends.
        let mut node = node;
        core::iter::from_fn(move || {
            let (caller, frame) = self.node(node)?;
            node = caller;
            Some(frame)
        })
    }

    /// Returns the name of a frame: that of the method, class or label; `libc.so.6!malloc` or `libc.so.6+0x1f` for native code; `?` if it is not known.
    #[must_use]
    pub fn frame_name(&self, frame: FrameNumber) -> String {
        let unknown = || "?".to_owned();
        match self.frame(frame) {
            Some(Frame::Method { function, .. }) => {
                self.function(*function).map_or_else(unknown, |function| function.name.clone())
            }
            Some(Frame::Native { module, offset, symbol }) => {
                let path = self.module(*module).map_or("?", |module| &*module.path);
                let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
                match self.text(*symbol) {
                    Some("") | None => format!("{file}+{offset:#x}"),
                    Some(symbol) => format!("{file}!{symbol}"),
                }
            }
            Some(Frame::Class(text) | Frame::Label(text)) => {
                self.text(*text).map_or_else(unknown, str::to_owned)
            }
            Some(Frame::Unknown(_)) | None => unknown(),
        }
    }
}

fn read_frame(kind: u8, facts: &mut Cursor<'_>) -> Result<Frame> {
    Ok(match kind {
        frame::METHOD => {
            let function = FunctionNumber(facts.small()?);
            let offset = facts.count()?;
            // One more than the offset.
            let il_offset = match offset.checked_sub(1).map(u32::try_from) {
                Some(Ok(offset)) => Some(offset),
                Some(Err(_)) => return facts.error("the IL offset of a frame is too large"),
                None => None,
            };
            Frame::Method { function, il_offset }
        }
        frame::NATIVE => Frame::Native {
            module: ModuleNumber(facts.small()?),
            offset: facts.count()?,
            symbol: Text(facts.small()?),
        },
        frame::CLASS => Frame::Class(Text(facts.small()?)),
        frame::LABEL => Frame::Label(Text(facts.small()?)),
        _ => Frame::Unknown(kind),
    })
}
