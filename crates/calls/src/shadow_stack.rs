//! The shadow stack of a thread: its open calls, and the exceptions that end them.
//!
//! A call is identified by its function and by the stack pointer of its caller, which is the same when the
//! call begins and when it ends. Calls made from a call have lower ones.
//!
//! Calls that begin near the end of the thread's stack are skipped: a stack must not end inside of the allocator, whose lock
//! the runtime's handler of stack overflows needs. While calls are skipped, the traced ones are put aside. The short
//! paths of hooks see an empty list then, and leave every call to the long ones.

use core::ops::Range;
use std::sync::Arc;

use corprof::FunctionId;

use crate::limits::{MAX_EXCEPTIONS, STACK_LEFT};

/// An open call.
pub(crate) struct Frame<K, A> {
    pub(crate) function: FunctionId,
    sp: usize,
    /// The data for the end of the call; absent if the function determines all of it.
    pub(crate) kept: Option<Box<K>>,
    /// The tracer's attachment.
    pub(crate) attached: A,
}

/// The position of a call that ends among the open ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// It is the innermost one, if the function is the same.
    Innermost,
    /// It is not among them.
    Absent,
    /// Others have to be ended first.
    Unknown,
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
    /// The stack pointer of the innermost call of a function that an exception is leaving, with selected calls: that call, or one that is not
    /// traced, is left, or catches the exception.
    thrown_through: Option<usize>,
    /// The type of the exception caught last: frames that it has left may be found later.
    caught: Option<Arc<str>>,
    /// The stack pointers near the end of the thread's stack.
    end: Range<usize>,
    /// The functions and stack pointers of the skipped calls, innermost last.
    skipped: Vec<(FunctionId, usize)>,
    /// The traced calls while others are skipped.
    aside: Option<Vec<Frame<K, A>>>,
}

impl<K, A> ShadowStack<K, A> {
    /// The shadow stack of a thread whose stack has these bounds; empty ones if they are unknown.
    pub(crate) fn new(stack: &Range<usize>) -> Self {
        Self {
            frames: Vec::new(),
            unwinding: Vec::new(),
            exceptions: Vec::new(),
            thrown_through: None,
            caught: None,
            end: stack.start..stack.start.saturating_add(STACK_LEFT.min(stack.len() / 4)),
            skipped: Vec::new(),
            aside: None,
        }
    }

    #[inline(always)]
    pub(crate) fn frames(&self) -> &[Frame<K, A>] {
        &self.frames
    }

    /// Returns whether a call at this stack pointer can be pushed at once: no open call is overtaken by it, the list has capacity, and
    /// it is above the stack's end. A stack pointer on another stack may be below that, and goes the long way.
    #[inline(always)]
    pub(crate) fn is_ready(&self, sp: usize) -> bool {
        self.frames.last().is_none_or(|frame| frame.sp > sp)
            && self.frames.len() < self.frames.capacity()
            && sp >= self.end.end
    }

    /// Returns whether a call at this stack pointer is above the open ones, and no call is skipped.
    #[inline(always)]
    pub(crate) fn is_above(&self, sp: usize) -> bool {
        self.aside.is_none() && self.frames.last().is_none_or(|frame| frame.sp > sp) && sp >= self.end.end
    }

    /// Returns where a call that ends at this stack pointer is.
    #[inline(always)]
    pub(crate) fn position(&self, sp: usize) -> Position {
        match self.frames.last() {
            _ if self.aside.is_some() => Position::Unknown,
            Some(frame) if frame.sp == sp => Position::Innermost,
            Some(frame) if frame.sp < sp => Position::Unknown,
            _ => Position::Absent,
        }
    }

    /// Skips a call that begins if it is near the end of the stack. Returns whether it is. A stack pointer on another stack than the
    /// thread's is not.
    pub(crate) fn skip(&mut self, function: FunctionId, sp: usize) -> bool {
        if !self.end.contains(&sp) {
            self.end_skipping();
            return false;
        }
        if self.aside.is_none() {
            self.aside = Some(core::mem::take(&mut self.frames));
            // All the memory that it can need, while there is stack for the allocator: frames are aligned to 16 bytes. Without it,
            // an exception may end calls too early.
            let _ = self.skipped.try_reserve(self.end.len() / 16);
        }
        self.end_skipped_below(sp);
        if self.skipped.len() < self.skipped.capacity() {
            self.skipped.push((function, sp));
        }
        true
    }

    /// Returns whether a call that ends was skipped. Its stack pointer is unknown with slow-path hooks.
    pub(crate) fn pop_skipped(&mut self, function: FunctionId, sp: Option<usize>) -> bool {
        if self.aside.is_none() {
            return false;
        }
        let was_skipped = match sp {
            Some(sp) => {
                self.end_skipped_below(sp);
                self.end.contains(&sp)
            }
            None => match self.skipped.iter().rposition(|(skipped, _)| *skipped == function) {
                Some(index) => {
                    self.skipped.truncate(index);
                    true
                }
                None => false,
            },
        };
        if !was_skipped {
            self.end_skipping();
        }
        was_skipped
    }

    /// The skipped calls at this stack pointer and below have ended.
    fn end_skipped_below(&mut self, sp: usize) {
        while self.skipped.pop_if(|(_, skipped)| *skipped <= sp).is_some() {}
    }

    /// All skipped calls have ended.
    fn end_skipping(&mut self) {
        if let Some(aside) = self.aside.take() {
            self.frames = aside;
            self.skipped.clear();
        }
    }

    /// The number of open calls, with the skipped ones.
    fn depth(&self) -> usize {
        self.frames.len() + self.aside.as_ref().map_or(0, Vec::len) + self.skipped.len()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, function: FunctionId, sp: usize, kept: Option<Box<K>>, attached: A) {
        self.frames.push(Frame { function, sp, kept, attached });
    }

    /// Returns whether the innermost call is the one of this function at this stack pointer, if that is known, and nothing is kept of it.
    #[inline(always)]
    pub(crate) fn is_plain(&self, function: FunctionId, sp: Option<usize>) -> bool {
        self.frames.last().is_some_and(|innermost| {
            innermost.function == function
                && innermost.kept.is_none()
                && sp.is_none_or(|sp| innermost.sp == sp)
        })
    }

    /// Removes the innermost call if it [is plain](Self::is_plain).
    #[inline(always)]
    pub(crate) fn pop_plain(&mut self, function: FunctionId, sp: Option<usize>) -> Option<A> {
        if !self.is_plain(function, sp) {
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

    /// Removes the innermost call if it is one of this function. Returns nothing for a skipped call.
    pub(crate) fn pop_if(&mut self, function: FunctionId) -> Option<Frame<K, A>> {
        if !self.skipped.is_empty() {
            self.skipped.pop_if(|(skipped, _)| *skipped == function);
            return None;
        }
        self.end_skipping();
        self.frames.pop_if(|frame| frame.function == function)
    }

    /// Removes the innermost call if it is the one of this function at this stack pointer.
    pub(crate) fn pop_at(&mut self, function: FunctionId, sp: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.function == function && frame.sp == sp)
    }

    /// Removes the innermost call if its frame no longer exists: a call begins at this stack pointer, and the frame of
    /// its caller must have a higher one.
    pub(crate) fn overtaken(&mut self, sp: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.sp <= sp)
    }

    /// Removes the innermost call if its frame no longer exists: a call at this stack pointer ends.
    pub(crate) fn left_below(&mut self, sp: usize) -> Option<Frame<K, A>> {
        self.frames.pop_if(|frame| frame.sp < sp)
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
        self.unwinding.push(Unwinding { function, depth: self.depth(), in_finally: false });
    }

    /// An exception is about to leave a frame of this function, or to be caught there, with selected calls.
    pub(crate) fn thrown_through(&mut self, function: FunctionId) {
        if let Some(frame) = self.frames.iter().rev().find(|frame| frame.function == function) {
            self.thrown_through = Some(frame.sp);
        }
    }

    /// Returns whether an exception may have left a call whose frame has gone.
    pub(crate) fn is_thrown_through(&self, frame: &Frame<K, A>) -> bool {
        self.thrown_through == Some(frame.sp)
            || self.unwinding.iter().any(|unwinding| unwinding.function == frame.function)
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
        let catches =
            |frame: &Frame<K, A>| frame.function == function && Some(frame.sp) == self.thrown_through;
        if self.frames.iter().rev().any(catches) {
            self.thrown_through = None;
        }
        self.caught = self.exceptions.pop();
        // A `finally` block that this exception has left did not end.
        let depth = self.depth();
        while self.unwinding.pop_if(|unwinding| unwinding.depth > depth).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use corprof_double::{Runtime, Version};

    use super::*;

    const STACK: Range<usize> = 0x10_0000..0x20_0000;
    const NEAR_END: usize = STACK.start + 0x1000;
    const FAR: usize = STACK.end - 0x1000;

    fn functions() -> [FunctionId; 2] {
        let runtime = Runtime::new(Version::NET_9);
        let class = runtime.module("Deep").class("Deep");
        ["Down", "Other"].map(|name| class.method(name).define().id())
    }

    type Stack = ShadowStack<(), usize>;

    /// A recursion: one traced call, and skipped ones with and without a stack pointer.
    fn recursion(down: FunctionId) -> Stack {
        let mut stack = Stack::new(&STACK);
        stack.push(down, FAR, None, 1);
        for step in 0..3 {
            assert!(stack.skip(down, NEAR_END - step * 0x40));
        }
        stack
    }

    #[test]
    fn ends_of_skipped_calls_end_no_traced_ones() {
        let [down, _] = functions();
        for is_known in [true, false] {
            let mut stack = recursion(down);
            assert!(!stack.is_plain(down, None) && !stack.is_ready(NEAR_END) && !stack.is_ready(FAR - 0x100));
            for step in (0..3).rev() {
                assert!(stack.pop_skipped(down, is_known.then_some(NEAR_END - step * 0x40)));
            }
            assert!(!stack.pop_skipped(down, is_known.then_some(FAR)));
            assert_eq!(stack.pop_if(down).map(|frame| frame.attached), Some(1));
        }
    }

    #[test]
    fn exceptions_leave_skipped_calls_first() {
        let [down, other] = functions();
        let mut stack = recursion(down);
        for _ in 0..3 {
            stack.unwinding(other);
            assert!(stack.unwound().is_none(), "it is not traced");
            stack.unwinding(down);
            assert!(stack.unwound().is_none(), "it was skipped");
        }
        stack.unwinding(down);
        assert_eq!(stack.unwound().map(|frame| frame.attached), Some(1));
    }

    #[test]
    fn a_call_far_from_the_end_follows_skipped_ones_without_ends() {
        let [down, other] = functions();
        let mut stack = recursion(down);
        assert!(!stack.skip(other, FAR - 0x100));
        assert_eq!(stack.frames().len(), 1);
        assert!(stack.overtaken(FAR - 0x100).is_none());
    }

    #[test]
    fn a_quarter_of_a_small_stack_is_its_end_and_an_unknown_stack_has_none() {
        let [down, _] = functions();
        let mut small = Stack::new(&(0x10_0000..0x11_0000));
        assert!(!small.skip(down, 0x10_4000) && small.skip(down, 0x10_3ff0));
        assert!(!Stack::new(&(0..0)).skip(down, 0));
        let mut other_stack = recursion(down);
        assert!(!other_stack.skip(down, STACK.start - 0x10), "it is below");
    }
}
