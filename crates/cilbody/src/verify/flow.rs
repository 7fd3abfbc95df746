//! The ways through the code, with all stack items.

use alloc::vec;
use alloc::vec::Vec;

use super::context::Context;
use super::edge;
use super::item::Item;
use super::scan::Scan;
use super::step::Step;
use crate::body::MethodBody;
use crate::clause::{Clause, ClauseKind};
use crate::error::{Error, ErrorKind};
use crate::instruction::{Instruction, Instructions, Operand};
use crate::kind::Kind;
use crate::limits;
use crate::module::{Module, called_blob};
use crate::opcode::Opcode;
use crate::regions::RegionTree;

/// No state is kept for this offset.
const NONE: u32 = u32::MAX;

/// The stack before an instruction.
struct State<'m> {
    stack: Vec<Item<'m>>,
    /// Whether the code has to be followed from here with this stack.
    is_pending: bool,
}

/// A walk along all ways, until the stacks at the targets do not change any more.
pub(super) struct Walk<'w, 'a, M: ?Sized> {
    code: &'a [u8],
    context: &'w Context<'w, M>,
    scan: &'w Scan,
    regions: &'w RegionTree,
    /// The position in `states` of every offset.
    state_at: Vec<u32>,
    /// The stacks before targets, handlers and the first instruction.
    states: Vec<State<'w>>,
    pending: Vec<u32>,
    /// The number of steps: compared or stored items, instructions, regions, bytes of signatures.
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
        let exception = Item::from(Kind::Ref);
        for clause in clauses {
            let stack: &[Item<'_>] = match clause.kind {
                ClauseKind::Catch(_) | ClauseKind::Filter(_) => &[exception],
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

    /// Counts steps.
    fn work(&mut self, steps: usize, offset: u32) -> Result<(), Error> {
        self.work = self.work.saturating_add(steps);
        let limit = self
            .code
            .len()
            .saturating_mul(limits::VERIFY_STEPS_PER_BYTE)
            .saturating_add(limits::VERIFY_STEPS);
        if self.work > limit { Err(Error::il(offset, ErrorKind::TooComplex)) } else { Ok(()) }
    }

    /// Joins a stack with those that other ways have brought to an offset.
    fn arrive(&mut self, offset: u32, stack: &[Item<'w>]) -> Result<(), Error> {
        self.work(stack.len() + 1, offset)?;
        let depth = |stack: &[Item<'_>]| u32::try_from(stack.len()).unwrap_or(u32::MAX);
        if depth(stack) > self.context.max_stack.into() {
            return Err(self.context.too_deep(offset));
        }
        let Some(slot) = self.state_at.get_mut(offset as usize) else {
            return Err(Error::il(offset, ErrorKind::FallsOffEnd));
        };
        let Some(state) = self.states.get_mut(*slot as usize) else {
            *slot = u32::try_from(self.states.len()).unwrap_or(NONE);
            self.states.push(State { stack: stack.to_vec(), is_pending: true });
            self.pending.push(offset);
            return Ok(());
        };
        let seen = &mut state.stack;
        if seen.len() != stack.len() {
            let (expected, found) = (depth(seen), depth(stack));
            return Err(Error::il(offset, ErrorKind::StackDepth { expected, found }));
        }
        let mut changed = false;
        for (seen, other) in seen.iter_mut().zip(stack) {
            let Some(joined) = seen.join(*other, self.context.module) else {
                return Err(Error::il(offset, other.misfit(*seen)));
            };
            changed |= joined.differs(seen);
            *seen = joined;
        }
        if changed && !state.is_pending {
            state.is_pending = true;
            self.pending.push(offset);
        }
        Ok(())
    }

    /// Follows the code from an offset, up to an instruction without successor or one where paths join.
    fn follow(&mut self, from: u32) -> Result<(), Error> {
        let state = self.state_at.get(from as usize).and_then(|slot| self.states.get_mut(*slot as usize));
        let Some(state) = state else { return Ok(()) };
        state.is_pending = false;
        let mut stack = state.stack.clone();
        for instruction in Instructions::starting_at(self.code, from) {
            let instruction = instruction?;
            // Where the stack at a target changes, the code after it is followed again.
            self.work(1 + self.signature_length(&instruction), instruction.offset)?;
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
            self.edge(&instruction, instruction.end)?;
            if self.scan.is_target(instruction.end) {
                return self.arrive(instruction.end, &stack);
            }
        }
        Ok(())
    }

    /// The bytes of the signature that an instruction's effect is read from.
    fn signature_length(&self, instruction: &Instruction<'_>) -> usize {
        let Operand::Token(token) = instruction.operand() else { return 0 };
        let signature = match instruction.opcode() {
            Opcode::CALL | Opcode::CALLVIRT | Opcode::CALLI | Opcode::NEWOBJ => {
                called_blob(self.context.module, token)
            }
            Opcode::LDFLD | Opcode::STFLD | Opcode::LDSFLD | Opcode::STSFLD => {
                self.context.module.field_sig(token)
            }
            _ => None,
        };
        signature.map_or(0, <[u8]>::len)
    }

    /// Fails if control must not go from an instruction to an offset.
    fn edge(&mut self, from: &Instruction<'_>, to: u32) -> Result<(), Error> {
        let looked_at = edge::check(self.regions, from, to)?;
        self.work(looked_at, from.offset)
    }

    /// Goes to the targets of an instruction.
    fn branch(&mut self, instruction: &Instruction<'_>, stack: &mut Vec<Item<'w>>) -> Result<(), Error> {
        match instruction.operand() {
            Operand::Target(target) => {
                if instruction.opcode().is_leave() {
                    stack.clear();
                }
                self.edge(instruction, target)?;
                self.arrive(target, stack)
            }
            Operand::Switch(targets) => {
                for target in targets {
                    let target = target?;
                    self.edge(instruction, target)?;
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
