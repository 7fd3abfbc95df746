//! Offsets of instructions, and which branches need the long form.

use alloc::vec;
use alloc::vec::Vec;

use super::{Body, InstrId, InstrOperand, Label};
use crate::error::{Error, ErrorKind};
use crate::limits;

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
    /// which ends after as many rounds as there are branches, and gives the smallest code.
    pub(super) fn of(body: &Body) -> Result<Self, Error> {
        let mut layout = Self { offsets: vec![0; body.nodes.len()], long: vec![false; body.nodes.len()] };
        loop {
            layout.place(body)?;
            // Nothing can be out of reach of anything else.
            if layout.code_size() <= 127 || !layout.lengthen(body)? {
                return Ok(layout);
            }
        }
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

    /// Makes those branches long that do not reach their targets. Returns `true` if there were any.
    fn lengthen(&mut self, body: &Body) -> Result<bool, Error> {
        let mut lengthened = false;
        for id in body.ids() {
            let Some(InstrOperand::Label(label)) = body.instr(id).map(|instr| &instr.operand) else {
                continue;
            };
            if self.is_long(id) {
                continue;
            }
            let distance = i64::from(self.label(body, *label, id)?) - i64::from(self.offset(id)) - 2;
            if i8::try_from(distance).is_err()
                && let Some(long) = self.long.get_mut(id.0 as usize)
            {
                *long = true;
                lengthened = true;
            }
        }
        Ok(lengthened)
    }
}
