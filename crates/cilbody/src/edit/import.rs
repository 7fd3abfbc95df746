//! From an encoded body to an editable one.

use super::body::Node;
use super::{Body, Instr, InstrOperand, Label, Region, RegionKind, Span};
use crate::body::MethodBody;
use crate::clause::{Clause, ClauseKind, Range};
use crate::error::{Error, ErrorKind, Location};
use crate::instruction::{Instruction, Operand};

impl Body {
    /// Decodes a body to edit it.
    ///
    /// # Errors
    /// If an instruction or clause is malformed, or a branch or clause names an offset at which no instruction begins.
    pub fn import(encoded: &MethodBody<'_>) -> Result<Self, Error> {
        let mut body = Self::new();
        body.init_locals = encoded.init_locals();
        body.local_var_sig = encoded.local_var_sig();
        // Instructions have some two bytes in the mean.
        body.nodes.reserve(encoded.code_bytes().len() / 2 + 2);
        let mut last = 0;
        for instruction in encoded.instructions() {
            let instruction = instruction?;
            let mut node = Node::new(imported_instr(&instruction)?, instruction.offset);
            let id = last + 1;
            (node.previous, node.next) = (last, id + 1);
            body.nodes.push(node);
            last = id;
        }
        body.imported = last;
        if let Some(end) = body.nodes.first_mut() {
            (end.previous, end.next) = (last, u32::from(last > 0));
        }
        if let Some(node) = body.nodes.get_mut(last as usize) {
            node.next = 0;
        }
        body.bind_targets()?;
        for (index, clause) in encoded.clauses().enumerate() {
            let location = Location::Clause(u32::try_from(index).unwrap_or(u32::MAX));
            let region = body.imported_region(&clause?, encoded.code_size(), location)?;
            body.regions.push(region);
        }
        Ok(body)
    }

    /// Replaces the offsets in branches by labels.
    fn bind_targets(&mut self) -> Result<(), Error> {
        for index in 1..self.nodes.len() {
            let Some(node) = self.nodes.get_mut(index) else { break };
            let location = Location::Il(node.original);
            match &mut node.instr.operand {
                InstrOperand::Label(Label(target)) => {
                    let target = *target;
                    let label = self.label_at(target, location)?;
                    if let Some(node) = self.nodes.get_mut(index) {
                        node.instr.operand = InstrOperand::Label(label);
                    }
                }
                InstrOperand::Switch(targets) => {
                    let mut targets = core::mem::take(targets);
                    for label in &mut targets {
                        *label = self.label_at(label.0, location)?;
                    }
                    if let Some(node) = self.nodes.get_mut(index) {
                        node.instr.operand = InstrOperand::Switch(targets);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A label of the instruction at an offset.
    fn label_at(&mut self, offset: u32, location: Location) -> Result<Label, Error> {
        match self.at_offset(offset) {
            Some(id) => Ok(self.label(id)),
            None => Err(Error { location, kind: ErrorKind::NotAnInstruction(offset) }),
        }
    }

    fn imported_region(&mut self, clause: &Clause, end: u32, location: Location) -> Result<Region, Error> {
        let mut label = |offset| match offset {
            _ if offset == end => Ok(self.label(Self::END)),
            _ => self.label_at(offset, location),
        };
        let mut span = |range: Range| Ok(Span { start: label(range.start)?, end: label(range.end)? });
        let (protected, handler) = (span(clause.protected)?, span(clause.handler)?);
        let kind = match clause.kind {
            ClauseKind::Catch(token) => RegionKind::Catch(token),
            ClauseKind::Filter(filter) => RegionKind::Filter(label(filter)?),
            ClauseKind::Finally => RegionKind::Finally,
            ClauseKind::Fault => RegionKind::Fault,
        };
        Ok(Region { protected, handler, kind })
    }
}

/// The instruction with the targets' offsets for labels: labels come when all instructions are there.
fn imported_instr(instruction: &Instruction<'_>) -> Result<Instr, Error> {
    let operand = match instruction.operand() {
        Operand::None => InstrOperand::None,
        Operand::I4(value) => InstrOperand::I4(value),
        Operand::I8(value) => InstrOperand::I8(value),
        Operand::R4(bits) => InstrOperand::R4(bits),
        Operand::R8(bits) => InstrOperand::R8(bits),
        Operand::Variable(number) => InstrOperand::Variable(number),
        Operand::Token(token) => InstrOperand::Token(token),
        Operand::Target(target) => InstrOperand::Label(Label(target)),
        Operand::Switch(targets) => {
            let targets: Result<_, Error> = targets.map(|target| target.map(Label)).collect();
            InstrOperand::Switch(targets?)
        }
    };
    Ok(Instr { opcode: instruction.opcode(), operand })
}
