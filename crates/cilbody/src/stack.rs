//! The largest stack depth of a body, over its control flow (ECMA-335 III.1.7.4).

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use sigparse::Token;

use crate::clause::{Clause, ClauseKind};
use crate::error::{Error, ErrorKind};
use crate::instruction::{Instruction, Instructions, Operand};
use crate::module::{Module, called, called_blob};
use crate::opcode::{Flow, Opcode, StackItem};

/// Computes the maximum number of items on the evaluation stack.
///
/// Follows every path through the code: from its start with an empty stack, and from handlers and filters with the
/// items that the runtime pushes for them. Unreachable code does not count.
///
/// # Errors
/// The code is malformed, pops from an empty stack, joins paths with different depths, runs off its end, or calls a
/// method for which the module has no signature.
pub fn max_stack<M: Module + ?Sized>(code: &[u8], clauses: &[Clause], module: &M) -> Result<u16, Error> {
    let mut walk =
        Walk { depths: vec![UNSEEN; code.len()], pending: Vec::new(), max: 0, long: BTreeMap::new() };
    for clause in clauses {
        let depth = u16::from(matches!(clause.kind, ClauseKind::Catch(_) | ClauseKind::Filter(_)));
        walk.arrive(clause.handler.start, depth, clause.handler.start)?;
        if let ClauseKind::Filter(filter) = clause.kind {
            walk.arrive(filter, depth, filter)?;
        }
    }
    walk.arrive(0, 0, 0)?;
    while let Some(offset) = walk.pending.pop() {
        walk.follow(code, offset, module)?;
    }
    Ok(walk.max)
}

/// The depth at offsets that no way has led to yet.
const UNSEEN: u16 = u16::MAX;

struct Walk {
    /// The stack depth before the instruction at each offset.
    depths: Vec<u16>,
    /// Offsets to continue from.
    pending: Vec<u32>,
    max: u16,
    /// The effects of calls whose signatures are long. The code may call such a method as often as it has calls.
    long: BTreeMap<(Opcode, Token), (u32, u32)>,
}

impl Walk {
    /// Notes the depth at an offset that control reaches from `from`; an offset seen for the first time is pending.
    fn arrive(&mut self, offset: u32, depth: u16, from: u32) -> Result<(), Error> {
        if self.record(offset, depth, from)? {
            self.pending.push(offset);
        }
        Ok(())
    }

    /// Notes the depth at an offset. Returns `true` if it is the first.
    #[inline]
    fn record(&mut self, offset: u32, depth: u16, from: u32) -> Result<bool, Error> {
        match self.depths.get_mut(offset as usize) {
            None => Err(Error::il(from, ErrorKind::FallsOffEnd)),
            Some(seen) if *seen == UNSEEN => {
                *seen = depth;
                self.max = self.max.max(depth);
                Ok(true)
            }
            Some(seen) if *seen == depth => Ok(false),
            Some(seen) => {
                let (expected, found) = ((*seen).into(), depth.into());
                Err(Error::il(offset, ErrorKind::StackDepth { expected, found }))
            }
        }
    }

    /// Follows the code from an offset, up to an instruction without successor or one that has been visited.
    fn follow<M: Module + ?Sized>(&mut self, code: &[u8], from: u32, module: &M) -> Result<(), Error> {
        let Some(&depth) = self.depths.get(from as usize) else { return Ok(()) };
        let mut depth = u32::from(depth);
        for instruction in Instructions::starting_at(code, from) {
            let instruction = instruction?;
            let offset = instruction.offset;
            let (pops, pushes) = self.effect(&instruction, module)?;
            depth = match depth.checked_sub(pops) {
                Some(left) => left + pushes,
                None => return Err(Error::il(offset, ErrorKind::StackUnderflow { pops, depth })),
            };
            let after = u16::try_from(depth).ok().filter(|depth| *depth != UNSEEN);
            let Some(mut after) = after else { return Err(Error::il(offset, ErrorKind::StackOverflow)) };
            self.max = self.max.max(after);
            if instruction.opcode().is_leave() {
                after = 0;
            }
            match instruction.operand() {
                Operand::Target(target) => self.arrive(target, after, offset)?,
                Operand::Switch(targets) => {
                    for target in targets {
                        self.arrive(target?, after, offset)?;
                    }
                }
                _ => {}
            }
            if instruction.opcode().ends_flow() || !self.record(instruction.end, after, offset)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Walk {
    /// As [`effect`], with the effects of long signatures kept.
    fn effect<M: Module + ?Sized>(
        &mut self,
        instruction: &Instruction<'_>,
        module: &M,
    ) -> Result<(u32, u32), Error> {
        let key = match instruction.operand() {
            Operand::Token(token) if instruction.info().flow == Flow::Call => (instruction.opcode(), token),
            _ => return effect(instruction, module),
        };
        if called_blob(module, key.1).is_none_or(|blob| blob.len() <= SHORT) {
            return effect(instruction, module);
        }
        if let Some(known) = self.long.get(&key) {
            return Ok(*known);
        }
        let effect = effect(instruction, module)?;
        self.long.insert(key, effect);
        Ok(effect)
    }
}

/// The length of signatures that are read at each call, in bytes: those of source code.
const SHORT: usize = 256;

/// Returns how many items an instruction pops and pushes. `ret` pops none: nothing comes after it.
pub(crate) fn effect<M: Module + ?Sized>(
    instruction: &Instruction<'_>,
    module: &M,
) -> Result<(u32, u32), Error> {
    let info = instruction.info();
    let count = |items: &[StackItem]| u32::from(u8::try_from(items.len()).unwrap_or(0));
    if info.flow != Flow::Call {
        let pops = if info.opcode == Opcode::RET { 0 } else { count(info.pops) };
        return Ok((pops, count(info.pushes)));
    }
    let Operand::Token(token) = instruction.operand() else { return Ok((0, 0)) };
    call_effect(info.opcode, token, module)
        .ok_or_else(|| Error::il(instruction.offset, ErrorKind::UnknownSignature(token.0)))
}

/// Returns how many items a call pops and pushes.
fn call_effect<M: Module + ?Sized>(opcode: Opcode, token: Token, module: &M) -> Option<(u32, u32)> {
    if opcode == Opcode::JMP {
        return Some((0, 0));
    }
    let sig = called(module, token)?;
    let this = u32::from(sig.has_this() && !sig.explicit_this());
    let result = u32::from(!sig.return_type().is_void());
    let params = sig.param_count();
    Some(match opcode {
        Opcode::NEWOBJ => (params, 1),
        Opcode::CALLI => (params + this + 1, result),
        _ => (params + this, result),
    })
}
