//! Ways between instructions in regard to exception handling (ECMA-335 III.1.7.5 and I.12.4.2.8.2).

use crate::error::{Error, ErrorKind};
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::regions::{RegionTree, Role};

/// Fails if control must not go from an instruction to an offset.
pub(super) fn check(regions: &RegionTree, from: &Instruction<'_>, to: u32) -> Result<(), Error> {
    let fail = |kind| Err(Error::il(from.offset, kind));
    let target = regions.outside(to);
    if !from.opcode().is_leave() {
        let inner = regions.innermost(from.offset);
        // Within a region, or to the begin of one that is nested in it. Back to its own begin is within it.
        if inner == target || inner == regions.innermost(to) || enters(regions, inner, to) {
            return Ok(());
        }
        return fail(ErrorKind::CrossesRegion(to));
    }
    let mut last_catch = None;
    for (index, part) in regions.around(from.offset) {
        if regions.innermost(to) == Some(index) || target == Some(index) || enters(regions, Some(index), to) {
            return Ok(());
        }
        match part.role {
            Role::Protected => {}
            Role::Catch => last_catch = Some(part.clause),
            Role::Filter | Role::Finally | Role::Fault => {
                return fail(ErrorKind::LeavesHandler(from.opcode()));
            }
        }
        // A catch handler may lead back into the region that it protects.
        if let Some(clause) = last_catch
            && regions.around(to).any(|(_, part)| part.role == Role::Protected && part.clause == clause)
        {
            return Ok(());
        }
    }
    match target {
        None => Ok(()),
        Some(_) => fail(ErrorKind::CrossesRegion(to)),
    }
}

/// Returns whether an offset is the begin of protected regions that lie directly in a part.
fn enters(regions: &RegionTree, from: Option<usize>, to: u32) -> bool {
    let mut inner = regions.innermost(to);
    while inner != from {
        match inner.and_then(|inner| regions.part(inner)) {
            Some(part) if part.role == Role::Protected && part.range.start == to => inner = part.parent,
            _ => return false,
        }
    }
    true
}

/// Fails if an instruction must not stand where it does.
pub(super) fn check_place(regions: &RegionTree, instruction: &Instruction<'_>) -> Result<(), Error> {
    let opcode = instruction.opcode();
    let innermost = regions.around(instruction.offset).next().map(|(_, part)| part);
    let is_right = match opcode {
        Opcode::RET | Opcode::JMP => {
            if innermost.is_some() {
                return Err(Error::il(instruction.offset, ErrorKind::ProtectedReturn));
            }
            true
        }
        Opcode::ENDFINALLY => innermost.is_some_and(|part| matches!(part.role, Role::Finally | Role::Fault)),
        Opcode::ENDFILTER => {
            innermost.is_some_and(|part| part.role == Role::Filter && part.range.end == instruction.end)
        }
        // Protected regions in the handler do not take the exception away, other handlers do.
        Opcode::RETHROW => {
            let mut handlers =
                regions.around(instruction.offset).filter(|(_, part)| part.role != Role::Protected);
            handlers.next().is_some_and(|(_, part)| part.role == Role::Catch)
        }
        Opcode::LOCALLOC => regions.around(instruction.offset).all(|(_, part)| part.role == Role::Protected),
        _ => true,
    };
    match is_right {
        true => Ok(()),
        false => Err(Error::il(instruction.offset, ErrorKind::Misplaced(opcode))),
    }
}
