//! The ways through the code, with the kinds of all stack items.

use alloc::vec;
use alloc::vec::Vec;

use super::context::Context;
use super::edge;
use super::scan::Scan;
use super::step::Step;
use crate::body::MethodBody;
use crate::clause::{Clause, ClauseKind};
use crate::error::{Error, ErrorKind};
use crate::instruction::{Instruction, Instructions, Operand};
use crate::kind::Kind;
use crate::limits;
use crate::module::Module;
use crate::opcode::Opcode;
use crate::regions::RegionTree;

/// No state is kept for this offset.
const NONE: u32 = u32::MAX;

/// A walk along all ways, until the stacks at the targets do not change any more.
pub(super) struct Walk<'w, 'a, M: ?Sized> {
    code: &'a [u8],
    context: &'w Context<'w, M>,
    scan: &'w Scan,
    regions: &'w RegionTree,
    /// The position in `states` of every offset.
    state_at: Vec<u32>,
    /// The stacks before targets, handlers and the first instruction.
    states: Vec<Vec<Kind>>,
    pending: Vec<u32>,
    /// The number of compared or stored items.
    work: usize,
}

impl<'w, 'a, M: Module + ?Sized> Walk<'w, 'a, M> {
    pub(super) fn new(
        body: &MethodBody<'a>,
        context: &'w Context<'w, M>,
        scan: &'w Scan,
        regions: &'w RegionTree,
    ) -> Self {
        let code = body.code_bytes();
        let state_at = vec![NONE; code.len()];
        Self { code, context, scan, regions, state_at, states: Vec::new(), pending: Vec::new(), work: 0 }
    }

    pub(super) fn run(mut self, clauses: &[Clause]) -> Result<(), Error> {
        // A method begins in no handler.
        if self.regions.outside(0).is_some() {
            return Err(Error::il(0, ErrorKind::CrossesRegion(0)));
        }
        self.arrive(0, &[])?;
        for clause in clauses {
            let stack: &[Kind] = match clause.kind {
                ClauseKind::Catch(_) | ClauseKind::Filter(_) => &[Kind::Ref],
                ClauseKind::Finally | ClauseKind::Fault => &[],
            };
            if let ClauseKind::Filter(filter) = clause.kind {
                self.arrive(filter, stack)?;
            }
            self.arrive(clause.handler.start, stack)?;
        }
        while let Some(offset) = self.pending.pop() {
            self.follow(offset)?;
        }
        Ok(())
    }

    /// Joins a stack with those that other ways have brought to an offset.
    fn arrive(&mut self, offset: u32, stack: &[Kind]) -> Result<(), Error> {
        self.work += stack.len() + 1;
        if self.work > limits::MAX_JOINED_ITEMS {
            return Err(Error::il(offset, ErrorKind::TooComplex));
        }
        let depth = |stack: &[Kind]| u32::try_from(stack.len()).unwrap_or(u32::MAX);
        if depth(stack) > self.context.max_stack.into() {
            return Err(self.context.too_deep(offset));
        }
        let Some(slot) = self.state_at.get_mut(offset as usize) else {
            return Err(Error::il(offset, ErrorKind::FallsOffEnd));
        };
        let Some(seen) = self.states.get_mut(*slot as usize) else {
            *slot = u32::try_from(self.states.len()).unwrap_or(NONE);
            self.states.push(stack.to_vec());
            self.pending.push(offset);
            return Ok(());
        };
        if seen.len() != stack.len() {
            let (expected, found) = (depth(seen), depth(stack));
            return Err(Error::il(offset, ErrorKind::StackDepth { expected, found }));
        }
        let mut changed = false;
        for (seen, other) in seen.iter_mut().zip(stack) {
            let Some(joined) = seen.join(*other) else {
                return Err(Error::il(offset, ErrorKind::StackKind { expected: *seen, found: *other }));
            };
            changed |= joined != *seen;
            *seen = joined;
        }
        if changed {
            self.pending.push(offset);
        }
        Ok(())
    }

    /// Follows the code from an offset, up to an instruction without successor or one where paths join.
    fn follow(&mut self, from: u32) -> Result<(), Error> {
        let state = self.state_at.get(from as usize).and_then(|slot| self.states.get(*slot as usize));
        let Some(mut stack) = state.cloned() else { return Ok(()) };
        for instruction in Instructions::starting_at(self.code, from) {
            let instruction = instruction?;
            if !stack.is_empty() && self.regions.begins_protected(instruction.offset) {
                return Err(Error::il(instruction.offset, ErrorKind::StackNotEmpty));
            }
            edge::check_place(self.regions, &instruction)?;
            Step { instruction: &instruction, context: self.context, stack: &mut stack }.run()?;
            self.branch(&instruction, &mut stack)?;
            if instruction.opcode().ends_flow() {
                return Ok(());
            }
            if instruction.end as usize >= self.code.len() {
                return Err(Error::il(instruction.offset, ErrorKind::FallsOffEnd));
            }
            edge::check(self.regions, &instruction, instruction.end)?;
            if self.scan.is_target(instruction.end) {
                return self.arrive(instruction.end, &stack);
            }
        }
        Ok(())
    }

    /// Goes to the targets of an instruction.
    fn branch(&mut self, instruction: &Instruction<'_>, stack: &mut Vec<Kind>) -> Result<(), Error> {
        match instruction.operand() {
            Operand::Target(target) => {
                if instruction.opcode().is_leave() {
                    stack.clear();
                }
                edge::check(self.regions, instruction, target)?;
                self.arrive(target, stack)
            }
            Operand::Switch(targets) => {
                for target in targets {
                    let target = target?;
                    edge::check(self.regions, instruction, target)?;
                    self.arrive(target, stack)?;
                }
                Ok(())
            }
            _ if instruction.opcode() == Opcode::ENDFINALLY => {
                stack.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
