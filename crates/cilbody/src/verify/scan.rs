//! Instruction boundaries, branch targets, and prefixes.

use alloc::vec;
use alloc::vec::Vec;

use crate::body::MethodBody;
use crate::clause::Clause;
use crate::error::{Error, ErrorKind, Location};
use crate::instruction::Operand;
use crate::opcode::Opcode;

/// An instruction begins here.
const START: u8 = 1;
/// A branch leads here, or a handler or filter begins.
const TARGET: u8 = 2;
/// The instruction has a prefix.
const PREFIXED: u8 = 4;

/// The facts about every offset of the code, collected in one pass.
pub(super) struct Scan {
    marks: Vec<u8>,
}

impl Scan {
    pub(super) fn new(body: &MethodBody<'_>) -> Result<Self, Error> {
        let mut scan = Self { marks: vec![0; body.code_bytes().len()] };
        let mut targets = Vec::new();
        let mut prefixes = Vec::new();
        let mut tail_call = false;
        for instruction in body.instructions() {
            let instruction = instruction?;
            let (offset, opcode) = (instruction.offset, instruction.opcode());
            scan.mark(offset, if prefixes.is_empty() { START } else { START | PREFIXED });
            match instruction.operand() {
                Operand::Target(target) => targets.push((offset, target)),
                Operand::Switch(cases) => {
                    for target in cases {
                        targets.push((offset, target?));
                    }
                }
                _ => {}
            }
            if tail_call && opcode != Opcode::RET {
                return Err(Error::il(offset, ErrorKind::TailWithoutRet));
            }
            tail_call = false;
            if opcode.is_prefix() {
                if opcode == Opcode::NO || prefixes.contains(&opcode) {
                    return Err(Error::il(offset, ErrorKind::PrefixNotAllowed { prefix: opcode, opcode }));
                }
                prefixes.push(opcode);
                continue;
            }
            for prefix in prefixes.drain(..) {
                if !is_allowed(prefix, opcode) {
                    return Err(Error::il(offset, ErrorKind::PrefixNotAllowed { prefix, opcode }));
                }
                tail_call |= prefix == Opcode::TAIL;
            }
        }
        if !prefixes.is_empty() || tail_call {
            return Err(Error::il(body.code_size(), ErrorKind::FallsOffEnd));
        }
        for (offset, target) in targets {
            scan.check(target, Location::Il(offset))?;
            if scan.has(target, PREFIXED) {
                return Err(Error::il(offset, ErrorKind::BranchBehindPrefix(target)));
            }
            scan.mark(target, TARGET);
        }
        Ok(scan)
    }

    /// Returns whether clauses begin and end where instructions do.
    pub(super) fn check_clauses(&self, clauses: &[Clause]) -> Result<(), Error> {
        for (index, clause) in (0..).zip(clauses) {
            for range in clause.ranges() {
                self.check(range.start, Location::Clause(index))?;
                if range.end as usize != self.marks.len() {
                    self.check(range.end, Location::Clause(index))?;
                }
            }
        }
        Ok(())
    }

    /// Fails if no instruction begins at an offset.
    fn check(&self, offset: u32, location: Location) -> Result<(), Error> {
        match self.has(offset, START) {
            true => Ok(()),
            false => Err(Error { location, kind: ErrorKind::NotAnInstruction(offset) }),
        }
    }

    /// Returns whether ways may join at an offset.
    pub(super) fn is_target(&self, offset: u32) -> bool {
        self.has(offset, TARGET)
    }

    fn has(&self, offset: u32, mark: u8) -> bool {
        self.marks.get(offset as usize).is_some_and(|marks| marks & mark != 0)
    }

    fn mark(&mut self, offset: u32, mark: u8) {
        if let Some(marks) = self.marks.get_mut(offset as usize) {
            *marks |= mark;
        }
    }
}

/// Returns whether a prefix may stand before an instruction (III.2).
fn is_allowed(prefix: Opcode, opcode: Opcode) -> bool {
    match prefix {
        // `call` and `ldftn` since static methods of interfaces can be abstract.
        Opcode::CONSTRAINED => matches!(opcode, Opcode::CALLVIRT | Opcode::CALL | Opcode::LDFTN),
        Opcode::TAIL => matches!(opcode, Opcode::CALL | Opcode::CALLVIRT | Opcode::CALLI),
        Opcode::READONLY => matches!(opcode, Opcode::LDELEMA | Opcode::CALL | Opcode::CALLVIRT),
        Opcode::UNALIGNED => accesses_memory(opcode),
        Opcode::VOLATILE => accesses_memory(opcode) || matches!(opcode, Opcode::LDSFLD | Opcode::STSFLD),
        _ => false,
    }
}

fn accesses_memory(opcode: Opcode) -> bool {
    let loads_or_stores = Opcode::LDIND_I1..=Opcode::STIND_R8;
    loads_or_stores.contains(&opcode)
        || matches!(
            opcode,
            Opcode::STIND_I
                | Opcode::LDFLD
                | Opcode::STFLD
                | Opcode::LDOBJ
                | Opcode::STOBJ
                | Opcode::CPBLK
                | Opcode::INITBLK
        )
}
