//! Values in the records of a thread, and references to equal ones that it has recorded before.

use core::fmt;

use argvalues::{RecordNames, RecordWriter};

use super::{ThreadRecorder, put_head};
use crate::bytes::{put_count, small_count};
use crate::format::{HEAD, kind};
use crate::recorder::Defined;
use crate::repeated::{Referring, Sum};

/// About how many bytes of names go into one record.
const NAMES_PIECE: usize = 512;

/// The destination of a call's values that are not all primitives.
pub struct ValueSink<'t> {
    bytes: &'t mut Vec<u8>,
    names: &'t mut RecordNames,
    ends: &'t mut Vec<usize>,
}

impl ValueSink<'_> {
    /// Writes the next values: all arguments in order, `this` first; or the result, if there is one.
    ///
    /// A value that the thread has recorded shortly before is not recorded again if its end is
    /// [visited](argvalues::Visitor::value_ended), as the arguments of a plan do. Without that, it is so for all values of the call together.
    pub fn writer(&mut self) -> RecordWriter<'_> {
        RecordWriter::with_ends(self.bytes, self.names, self.ends)
    }

    /// Returns the writer for the target of a `ref` or `out` parameter after the call: one value, behind the result.
    pub fn out(&mut self, parameter: usize) -> RecordWriter<'_> {
        put_count(self.bytes, parameter as u64);
        // The number is no part of the value behind it.
        self.ends.push(self.bytes.len());
        self.writer()
    }
}

impl fmt::Debug for ValueSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueSink")
    }
}

impl ThreadRecorder {
    pub(super) fn put_values(
        &mut self,
        kind: u32,
        function: &Defined,
        write: impl FnOnce(&mut ValueSink<'_>),
    ) {
        let delta = self.delta();
        self.values.clear();
        self.ends.clear();
        write(&mut ValueSink { bytes: &mut self.values, names: &mut self.names, ends: &mut self.ends });
        if !self.put_names() {
            return;
        }
        let values = core::mem::take(&mut self.values);
        if values.len() > self.longest() {
            let message = format!("the {} bytes of values do not fit into a chunk", values.len());
            // The kind for failed values follows the kind for values.
            self.put(kind + 1, function.number.0, delta, message.as_bytes());
        } else {
            self.put_each(kind, function.number.0, delta, &values);
        }
        self.values = values;
    }

    /// Records values, or a reference to where they are recorded already. The decoding that is inlined into the caller is slower
    /// if this is too.
    #[inline(never)]
    fn put_each(&mut self, kind: u32, function: u32, delta: u64, values: &[u8]) {
        let Some(sum) = Sum::of(values).filter(|_| self.repeated.is_looked_for()) else {
            self.put(kind, function, delta, values);
            return;
        };
        let filled = self.producer.filled();
        let found = self.repeated.position(sum, values, filled);
        if let Some(at) = found
            && self.put_reference(kind, function, delta, at, values.len())
        {
            return;
        }
        let are_several = found.is_none() && !self.ends.is_empty();
        if are_several && self.put_referring(kind, function, delta, values) {
            return;
        }
        if self.put(kind, function, delta, values) {
            let at = self.producer.filled().0.len() - values.len();
            self.repeated.note(sum, at);
            if are_several {
                self.repeated.note_each(at);
            }
        }
    }

    /// Records that the values are those at a position in the chunk. Returns `false`, and records nothing, if they will be
    /// in another piece, or the chunk is full.
    #[inline(always)]
    fn put_reference(&mut self, kind: u32, function: u32, delta: u64, at: usize, length: usize) -> bool {
        /// The maximum of what has four bytes as a count.
        const MOST: usize = (1 << 28) - 1;
        let distance = (self.producer.filled().0.len() - at) << 1 | 1;
        if distance.max(length) > MOST {
            return false;
        }
        #[allow(clippy::cast_possible_truncation, reason = "they are at most `MOST`")]
        let ((distance, first), (length, second)) =
            (small_count(distance as u32), small_count(length as u32));
        let pieces = u64::from(distance) | u64::from(length) << (8 * first);
        let Some(space) = self.producer.space(HEAD + 1 + 8) else { return false };
        put_head(space, kind::referring(kind), function, delta);
        if let Some((count, content)) = space.get_mut(HEAD..).and_then(<[u8]>::split_first_mut) {
            *count = (first + second).to_le_bytes()[0];
            content.copy_from_slice(&pieces.to_le_bytes());
        }
        let is_published = self.producer.publish_referring(HEAD + 1 + (first + second) as usize, at);
        if is_published {
            self.last = self.last.wrapping_add(delta);
            self.repeated.found();
        }
        is_published
    }

    /// Records values of which some are recorded already. Returns `false`, and records nothing, if there are none, or the
    /// chunk is full.
    #[inline(never)]
    fn put_referring(&mut self, kind: u32, function: u32, delta: u64, values: &[u8]) -> bool {
        // The end of the last value is that of all.
        if self.ends.last() != Some(&values.len()) {
            self.ends.push(values.len());
        }
        let filled = self.producer.filled();
        let begin = filled.0.len();
        let Some(Referring { pieces, least }) = self.repeated.find_each(values, &self.ends, filled) else {
            return false;
        };
        let Some((count, bytes)) =
            u32::try_from(pieces.len()).ok().filter(|length| *length < 1 << 28).map(small_count)
        else {
            return false;
        };
        let bytes = bytes as usize;
        let head = HEAD + bytes;
        let Some(space) = self.producer.space(head + pieces.len()) else { return false };
        put_head(space, kind::referring(kind), function, delta);
        if let Some((to, content)) = space.get_mut(HEAD..).and_then(|rest| rest.split_at_mut_checked(bytes)) {
            to.iter_mut().zip(count.to_le_bytes()).for_each(|(to, byte)| *to = byte);
            content.copy_from_slice(pieces);
        }
        let length = head + pieces.len();
        if !self.producer.publish_referring(length, least) {
            return false;
        }
        self.last = self.last.wrapping_add(delta);
        self.repeated.found();
        self.repeated.note_literals(begin + head);
        true
    }

    /// Records new names, before the records that refer to them. Returns `false` if they do not fit.
    fn put_names(&mut self) -> bool {
        loop {
            let mut additions = self.names.additions(self.mark);
            if additions.is_empty() {
                return true;
            }
            let mut piece = Vec::new();
            additions.write(&mut piece, NAMES_PIECE);
            let mark = additions.mark();
            if !self.put(kind::NAMES, 0, 0, &piece) {
                return false;
            }
            self.mark = mark;
        }
    }
}
