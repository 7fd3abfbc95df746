//! Offsets of instructions, and which branches need the long form.

use alloc::vec;
use alloc::vec::Vec;

use super::{Body, InstrId, InstrOperand, Label};
use crate::error::{Error, ErrorKind};
use crate::limits;

/// The number of bytes by which the long form of a branch is longer.
const GROWTH: i8 = 3;

/// The largest number of branches, in either direction, that a short branch passes: each has two bytes or more.
const REACH: usize = MOST_PASSED as usize;
const MOST_PASSED: i8 = 64;

/// The new offset of every instruction of a body.
pub(super) struct Layout {
    /// The IL offset of each node; of the end of the code its size.
    offsets: Vec<u32>,
    /// Whether the branch of a node has the long form.
    long: Vec<bool>,
}

impl Layout {
    /// Lays a body out.
    ///
    /// Every branch begins short and becomes long when it does not reach its target. A branch that became long stays so,
    /// which gives the smallest code. The time is proportional to the code, whatever pushes what out of reach
    /// ([`Jumps::lengthen`]).
    pub(super) fn of(body: &Body) -> Result<Self, Error> {
        let mut layout = Self { offsets: vec![0; body.nodes.len()], long: vec![false; body.nodes.len()] };
        layout.place(body)?;
        // Nothing can be out of reach of anything else.
        if layout.code_size() <= 127 {
            return Ok(layout);
        }
        let (ids, mut jumps) = layout.jumps(body)?;
        jumps.lengthen();
        let mut lengthened = false;
        for (id, _) in ids.iter().zip(jumps.are_long()).filter(|(_, is_long)| *is_long) {
            if let Some(long) = layout.long.get_mut(id.0 as usize) {
                *long = true;
                lengthened = true;
            }
        }
        if lengthened {
            layout.place(body)?;
        }
        Ok(layout)
    }

    /// The IL offset of an instruction.
    pub(super) fn offset(&self, id: InstrId) -> u32 {
        self.offsets.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// The IL offset of a label.
    pub(super) fn label(&self, body: &Body, label: Label, from: InstrId) -> Result<u32, Error> {
        match body.target(label) {
            Some(id) => Ok(self.offset(id)),
            None => Err(Error::il(self.offset(from), ErrorKind::UnboundLabel)),
        }
    }

    pub(super) fn is_long(&self, id: InstrId) -> bool {
        self.long.get(id.0 as usize).copied().unwrap_or(true)
    }

    pub(super) fn code_size(&self) -> u32 {
        self.offset(Body::END)
    }

    /// Computes all offsets.
    fn place(&mut self, body: &Body) -> Result<(), Error> {
        let mut offset = 0u32;
        for id in body.ids() {
            let (Some(slot), Some(instr)) = (self.offsets.get_mut(id.0 as usize), body.instr(id)) else {
                continue;
            };
            *slot = offset;
            let size = instr.size(self.long.get(id.0 as usize).copied().unwrap_or(true));
            offset = match offset.checked_add(size) {
                Some(offset) if offset <= limits::MAX_CODE => offset,
                _ => return Err(Error::il(offset, ErrorKind::CodeSize(offset.saturating_add(size)))),
            };
        }
        if let Some(end) = self.offsets.first_mut() {
            *end = offset;
        }
        Ok(())
    }

    /// The branches of a body, in order, with the distances that they have if all of them are short.
    fn jumps(&self, body: &Body) -> Result<(Vec<InstrId>, Jumps), Error> {
        // The number of branches before each node.
        let mut before = vec![0i64; self.offsets.len()];
        let mut ids = Vec::new();
        let mut count = 0;
        for id in body.ids().chain([Body::END]) {
            if let Some(before) = before.get_mut(id.0 as usize) {
                *before = count;
            }
            if matches!(body.instr(id).map(|instr| &instr.operand), Some(InstrOperand::Label(_))) {
                ids.push(id);
                count += 1;
            }
        }
        let mut jumps = Jumps::with_capacity(ids.len());
        for (own, id) in (0..).zip(&ids) {
            let Some(InstrOperand::Label(label)) = body.instr(*id).map(|instr| &instr.operand) else {
                continue;
            };
            let distance = i64::from(self.label(body, *label, *id)?) - i64::from(self.offset(*id)) - 2;
            let to = body.target(*label).and_then(|id| before.get(id.0 as usize)).copied().unwrap_or(own);
            jumps.push(distance, to - own);
        }
        jumps.end();
        Ok((ids, jumps))
    }
}

/// A value for each branch on one side that may pass another one.
type Near<T> = [T; REACH];

/// The branches of the body that is laid out, in order.
///
/// A branch is compared with all that are near it at once, in vector registers, which takes arrays of single bytes. Before
/// the first branch and after the last one are [`REACH`] others that pass nothing, so that each has as many neighbours.
#[derive(Debug)]
struct Jumps {
    /// The number of branches that each one passes, itself included if the target comes after it; negative if the target
    /// comes before it. 0 once it is long.
    passes: Vec<i8>,
    /// By how many bytes the code that each one passes may still grow; negative once it is long.
    spare: Vec<i8>,
    /// The branches that are long and have not been compared with those near them.
    pending: Vec<usize>,
}

impl Jumps {
    fn with_capacity(count: usize) -> Self {
        let mut jumps = Self {
            passes: Vec::with_capacity(count + 2 * REACH),
            spare: Vec::with_capacity(count + 2 * REACH),
            pending: Vec::new(),
        };
        jumps.end();
        jumps
    }

    /// Adds the branches before the first one, or those after the last one.
    fn end(&mut self) {
        self.passes.resize(self.passes.len() + REACH, 0);
        self.spare.resize(self.spare.len() + REACH, 0);
    }

    /// Adds the branch with the distance of its target, in bytes and in branches.
    fn push(&mut self, distance: i64, passes: i64) {
        let spare = if distance < 0 { distance - i64::from(i8::MIN) } else { i64::from(i8::MAX) - distance };
        let (passes, spare) = match (i8::try_from(passes), i8::try_from(spare)) {
            (Ok(passes), Ok(spare)) if spare >= 0 => (passes, spare),
            _ => {
                self.pending.push(self.passes.len());
                (0, -1)
            }
        };
        self.passes.push(passes);
        self.spare.push(spare);
    }

    /// Returns of each branch whether it is long.
    fn are_long(&self) -> impl Iterator<Item = bool> {
        self.spare.iter().skip(REACH).map(|spare| *spare < 0)
    }

    /// Makes every branch long that those between it and its target push out of reach, until there is none. Returns how
    /// many were compared with those near them, which happens to each once, when it becomes long.
    fn lengthen(&mut self) -> usize {
        let mut compared = 0;
        while let Some(grown) = self.pending.pop() {
            compared += 1;
            // A branch passes this one if it is near, and leads to this side.
            self.grow(grown - REACH, |index, passes| passes > BEFORE[index]);
            self.grow(grown + 1, |index, passes| passes < AFTER[index]);
        }
        compared
    }

    /// Some of the branches from `first` on pass one that has become long.
    #[inline]
    fn grow(&mut self, first: usize, is_passed: impl Fn(usize, i8) -> bool) {
        let passes = self.passes.get_mut(first..).and_then(<[i8]>::first_chunk_mut::<REACH>);
        let spare = self.spare.get_mut(first..).and_then(<[i8]>::first_chunk_mut::<REACH>);
        let (Some(passes), Some(spare)) = (passes, spare) else { return };
        let mut is_grown: Near<u8> = [0; REACH];
        for index in 0..REACH {
            spare[index] -= if is_passed(index, passes[index]) { GROWTH } else { 0 };
            is_grown[index] = u8::from((spare[index] < 0) & (passes[index] != 0));
            passes[index] = if spare[index] < 0 { 0 } else { passes[index] };
        }
        // Most have nothing.
        let (words, _) = is_grown.as_chunks::<8>();
        for (word, first) in words.iter().zip((first..).step_by(8)) {
            let mut bits = u64::from_le_bytes(*word);
            while bits != 0 {
                self.pending.push(first + bits.trailing_zeros() as usize / 8);
                bits &= bits - 1;
            }
        }
    }
}

/// More branches than this must be passed by each of those before one, to pass that one too.
const BEFORE: Near<i8> = distances(MOST_PASSED, -1);

/// As [`BEFORE`], by each of those after it.
const AFTER: Near<i8> = distances(0, -1);

const fn distances(first: i8, step: i8) -> Near<i8> {
    let mut distances = [first; REACH];
    let mut index = 1;
    while index < REACH {
        distances[index] = distances[index - 1] + step;
        index += 1;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Inserter, Instr};
    use crate::opcode::Opcode;

    /// Nearly every branch is pushed out of reach by those between it and its target, and these by those after them:
    /// 26 branches have 52 bytes in the short form, and 130 in the long one.
    fn chain(count: usize, is_forward: bool) -> Body {
        const BETWEEN: usize = 26;
        let nops = |code: &mut Inserter<'_>| {
            for _ in 0..130 {
                code.push(Instr::new(Opcode::NOP));
            }
        };
        let mut body = Body::new();
        let mut code = body.insert_before(Body::END);
        let labels: Vec<Label> = (0..=count).map(|_| code.new_label()).collect();
        let (begin, end) = (code.new_label(), code.new_label());
        code.mark(begin);
        nops(&mut code);
        for index in 0..count {
            code.mark(labels[index]);
            let to = match is_forward {
                true => labels.get(index + 1 + BETWEEN).copied().unwrap_or(end),
                false => index.checked_sub(BETWEEN).map_or(begin, |to| labels[to]),
            };
            code.push(Instr::branch(Opcode::BR, to));
        }
        code.mark(labels[count]);
        nops(&mut code);
        code.mark(end);
        code.push(Instr::new(Opcode::RET));
        drop(code);
        body
    }

    #[test]
    fn branches_that_push_each_other_out_of_reach_take_work_in_proportion_to_their_number() {
        for is_forward in [true, false] {
            for count in [1_000, 100_000] {
                let body = chain(count, is_forward);
                let mut layout =
                    Layout { offsets: vec![0; body.nodes.len()], long: vec![false; body.nodes.len()] };
                layout.place(&body).unwrap();
                let (_, mut jumps) = layout.jumps(&body).unwrap();
                let compared = jumps.lengthen();
                assert_eq!(jumps.are_long().filter(|is_long| *is_long).count(), count);
                assert_eq!(compared, count);
                let size = Layout::of(&body).unwrap().code_size() as usize;
                assert_eq!(size, 130 + 5 * count + 130 + 1);
            }
        }
    }
}
