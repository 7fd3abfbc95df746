//! The shadow stack of a thread: its open calls, and the exceptions that end them.
//!
//! A call is identified by its function and by its place: the stack pointer of its caller, which is the same when the
//! call begins and when it ends. Calls made from a call have lower places.

use std::sync::Arc;

use corprof::FunctionId;

use crate::limits::MAX_EXCEPTIONS;

/// An open call.
pub(crate) struct Frame<K, A> {
    pub(crate) function: FunctionId,
    place: usize,
    /// The data for the end of the call; absent if the function determines all of it.
    pub(crate) kept: Option<Box<K>>,
    /// The tracer's attachment.
    pub(crate) attached: A,
}

/// A frame that an exception is about to leave.
struct Unwinding {
    function: FunctionId,
    /// The number of open calls.
    depth: usize,
    /// Whether its `finally` block is running, so that it has not been left yet.
    in_finally: bool,
}

/// The open calls of a thread, innermost last.
pub(crate) struct ShadowStack<K, A> {
    frames: Vec<Frame<K, A>>,
    /// The frames that exceptions are leaving, innermost last.
    unwinding: Vec<Unwinding>,
    /// The types of the exceptions that have been thrown and not caught, innermost last.
    exceptions: Vec<Arc<str>>,
    /// The type of the exception caught last: frames that it has left may be found later.
    caught: Option<Arc<str>>,
}

impl<K, A> ShadowStack<K, A> {
    pub(crate) const fn new() -> Self {
        Self { frames: Vec::new(), unwinding: Vec::new(), exceptions: Vec::new(), caught: None }
    }

    #[inline(always)]
    pub(crate) fn frames(&self) -> &[Frame<K, A>] {
        &self.frames
    }

    /// Returns whether a call at this place can be pushed at once: no open call is overtaken by it, and the list has
    /// capacity.
    #[inline(always)]
    pub(crate) fn is_ready(&self, place: usize) -> bool {
        self.frames.last().is_none_or(|frame| frame.place > place)
            && self.frames.len() < self.frames.capacity()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, function: FunctionId, place: usize, kept: Option<Box<K>>, attached: A) {
        self.frames.push(Frame { function, place, kept, attached });
    }

    /// Returns whether the innermost call is one of this function, and nothing is kept of it.
    #[inline(always)]
    pub(crate) fn is_plain(&self, function: FunctionId) -> bool {
        self.frames.last().is_some_and(|innermost| innermost.function == function && innermost.kept.is_none())
    }

    /// Removes the innermost call if it [is plain](Self::is_plain).
    #[inline(always)]
    pub(crate) fn pop_plain(&mut self, function: FunctionId) -> Option<A> {
        if !self.is_plain(function) {
            return None;
        }
        let Frame { kept, attached, .. } = self.frames.pop()?;
        // Known to be absent: there is nothing to drop.
        core::mem::forget(kept);
        Some(attached)
    }

    pub(crate) fn pop(&mut self) -> Option<Frame<K, A>> {
        self.frames.pop()
    }

    /// Returns whether a call of a function is open.
    pub(crate) fn has_frame_of(&self, function: FunctionId) -> bool {
        self.frames.iter().rev().any(|frame| frame.function == function)
    }

    /// Removes the innermost call if it is one of this function.
    pub(crate) fn pop_if(&mut self, function: FunctionId) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.function == function)
    }

    /// Removes the innermost call if it is the one of this function at this place.
    pub(crate) fn pop_at(&mut self, function: FunctionId, place: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.function == function && frame.place == place)
    }

    /// Removes the innermost call if its frame no longer exists: a call begins at this stack pointer, and the frame of
    /// its caller must have a higher one.
    pub(crate) fn overtaken(&mut self, place: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.place <= place)
    }

    /// Removes the innermost call if its frame no longer exists: a call at this stack pointer ends.
    pub(crate) fn left_below(&mut self, place: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.place < place)
    }

    /// An exception of this type has been thrown.
    pub(crate) fn exception_thrown(&mut self, type_name: Arc<str>) {
        if self.exceptions.len() == MAX_EXCEPTIONS {
            self.exceptions.remove(0);
        }
        self.exceptions.push(type_name);
    }

    /// The type of the exception that is leaving frames.
    pub(crate) fn exception(&self) -> Arc<str> {
        let known = self.exceptions.last().or(self.caught.as_ref());
        known.cloned().unwrap_or_else(|| "System.Exception".into())
    }

    /// An exception is about to leave a frame of this function, or to be caught there.
    pub(crate) fn unwinding(&mut self, function: FunctionId) {
        self.unwinding.push(Unwinding { function, depth: self.frames.len(), in_finally: false });
    }

    /// The `finally` block of the frame that is about to be left begins or ends.
    pub(crate) fn in_finally(&mut self, in_finally: bool) {
        if let Some(unwinding) = self.unwinding.last_mut() {
            unwinding.in_finally = in_finally;
        }
    }

    /// The frame that was about to be left has been left: removes its call, if it is traced.
    pub(crate) fn unwound(&mut self) -> Option<Frame<K, A>> {
        let unwinding = self.unwinding.pop()?;
        self.pop_if(unwinding.function)
    }

    /// Removes the call that an exception was about to leave, when another exception is thrown outside of its `finally`
    /// block, so that its frame no longer exists. .NET 9 does not report the last frame that an exception leaves on its
    /// way into native code.
    pub(crate) fn left_unreported(&mut self) -> Option<Frame<K, A>> {
        let gone = self.unwinding.pop_if(|unwinding| !unwinding.in_finally)?;
        self.pop_if(gone.function)
    }

    /// The frame that was about to be left catches the exception instead.
    pub(crate) fn caught(&mut self, function: FunctionId) {
        self.unwinding.pop_if(|unwinding| unwinding.function == function);
        self.caught = self.exceptions.pop();
        // A `finally` block that this exception has left did not end.
        let depth = self.frames.len();
        while self.unwinding.pop_if(|unwinding| unwinding.depth > depth).is_some() {}
    }
}
