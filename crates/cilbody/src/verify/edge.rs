//! Ways between instructions in regard to exception handling (ECMA-335 III.1.7.5 and I.12.4.2.8.2).

use crate::error::{Error, ErrorKind};
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::regions::{RegionTree, Role};

/// Fails if control must not go from an instruction to an offset. Returns the number of regions that were looked at, one
/// after the other.
pub(super) fn check(regions: &RegionTree, from: &Instruction<'_>, to: u32) -> Result<usize, Error> {
    let fail = |kind| Err(Error::il(from.offset, kind));
    let target = regions.outside(to);
    if !from.opcode().is_leave() {
        let inner = regions.innermost(from.offset);
        // Within a region, or to the begin of one that is nested in it. Back to its own begin is within it.
        if inner == target || inner == regions.innermost(to) || enters(regions, inner, to) {
            return Ok(0);
        }
        return fail(ErrorKind::CrossesRegion(to));
    }
    let mut looked_at = 0;
    for (index, part) in regions.around(from.offset) {
        looked_at += 1;
        if regions.innermost(to) == Some(index) || target == Some(index) || enters(regions, Some(index), to) {
            return Ok(looked_at);
        }
        match part.role {
            Role::Protected => {}
            // A catch handler may lead back into the region that it protects.
            Role::Catch => {
                if regions.protected(part.clause).is_some_and(|protected| protected.range.contains(to)) {
                    return Ok(looked_at);
                }
            }
            Role::Filter | Role::Finally | Role::Fault => {
                return fail(ErrorKind::LeavesHandler(from.opcode()));
            }
        }
    }
    match target {
        None => Ok(looked_at),
        Some(_) => fail(ErrorKind::CrossesRegion(to)),
    }
}

/// Returns whether an offset is the begin of protected regions that lie directly in a part, or in the innermost of several
/// that begin there.
fn enters(regions: &RegionTree, from: Option<usize>, to: u32) -> bool {
    let outside = regions.outside(to);
    // Inner parts have higher indexes than those around them.
    outside == from
        || outside < from
            && from.and_then(|from| regions.part(from)).is_some_and(|part| {
                part.role == Role::Protected && part.range.start == to && part.range.contains(to)
            })
}

/// Fails if an instruction must not stand where it does.
pub(super) fn check_place(regions: &RegionTree, instruction: &Instruction<'_>) -> Result<(), Error> {
    let opcode = instruction.opcode();
    let innermost = regions.innermost(instruction.offset).and_then(|index| regions.part(index));
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
        Opcode::RETHROW => regions.handler(instruction.offset).is_some_and(|part| part.role == Role::Catch),
        Opcode::LOCALLOC => regions.handler(instruction.offset).is_none(),
        _ => true,
    };
    match is_right {
        true => Ok(()),
        false => Err(Error::il(instruction.offset, ErrorKind::Misplaced(opcode))),
    }
}
