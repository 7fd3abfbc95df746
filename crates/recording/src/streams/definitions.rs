//! Defining what rows refer to.

use super::Session;
use crate::bytes::{put_count, put_text};
use crate::definition::{Function, FunctionNumber};
use crate::format::block;
use crate::limits::MAX_TEXT;
use crate::recorder::Recorder;
use crate::sessions::{Frame, FrameNumber, Interned, Module, ModuleNumber, Node, Text};

/// What rows refer to. The same is in the file once, and has one number.
///
/// Each of these takes a lock and allocates for what is new; none waits for the file. They return `None` where a definition cannot
/// be recorded: there are too many (2²⁸ functions, 2²⁰ stacks, 2¹⁸ frames, 2¹⁸ texts of 64 MiB in all), or the memory for definitions is full because
/// the file is written more slowly. A row can have [`Node::NONE`] or [`Text::NONE`] then.
impl Recorder {
    /// Returns the number of a text. Of one that is longer than 64 KiB, the beginning is recorded.
    #[must_use]
    pub fn text(&self, text: &str) -> Option<Text> {
        self.interned(|interned, put| interned.text(put, text)).map(Text)
    }

    /// Defines a function as [`define`](Self::define) does, for frames. Of one whose definition was recorded before, with an identity,
    /// the number is that one.
    #[must_use]
    pub fn function(&self, function: &Function) -> Option<FunctionNumber> {
        let shared = self.shared();
        let number = shared.function_at_once(function);
        if number.is_none() {
            shared.wake();
        }
        number.map(FunctionNumber)
    }

    /// Returns the number of a frame.
    #[must_use]
    pub fn frame(&self, frame: Frame) -> Option<FrameNumber> {
        self.interned(|interned, put| interned.frame(put, frame)).map(FrameNumber)
    }

    /// Returns the stack of frames above a caller's stack, which is often [`Node::NONE`]. The outermost frame comes first.
    #[must_use]
    pub fn stack(&self, caller: Node, frames: &[FrameNumber]) -> Option<Node> {
        self.interned(|interned, put| interned.stack(put, caller, frames))
    }

    /// Defines a loaded module, of 8 KiB at most with its path. Each call defines another one, since a module may be loaded again at another address.
    #[must_use]
    pub fn module(&self, module: &Module) -> Option<ModuleNumber> {
        self.interned(|interned, put| interned.module(put, module)).map(ModuleNumber)
    }

    pub(super) fn interned<N>(
        &self,
        define: impl FnOnce(&mut Interned, &dyn Fn(u32, &[u8]) -> bool) -> Option<N>,
    ) -> Option<N> {
        let shared = self.shared();
        let number = define(&mut shared.interned(), &|kind, content| shared.put_at_once(kind, content));
        if number.is_none() {
            // The memory of definitions may be full.
            shared.wake();
        }
        number
    }

    /// Marks this moment: an effect on the program, a snapshot, a pause of the recording. `session` is the one that it is about, if
    /// it is about one. Returns `false` if it cannot be recorded.
    pub fn mark(&self, session: Option<&Session>, name: &str, detail: &str) -> bool {
        let mut content = self.ticks().to_le_bytes().to_vec();
        put_count(&mut content, session.map_or(0, Session::number).into());
        for text in [name, detail] {
            put_text(&mut content, text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text));
        }
        self.shared().put_at_once(block::MARK, &content)
    }

    /// Returns the time by the recording's clock, in ticks.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.shared().clock.now()
    }
}
