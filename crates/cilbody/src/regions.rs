//! Exception handling regions as a tree (ECMA-335 I.12.4.2 and II.19).

use alloc::vec::Vec;

use crate::clause::{Clause, ClauseKind, Range};
use crate::error::{Error, ErrorKind, Location};

/// The parts of all clauses, nested in each other.
#[derive(Debug)]
pub(crate) struct RegionTree {
    /// In the order of their begin; a part comes before those that are nested in it.
    parts: Vec<Part>,
    /// The changes of the innermost part: offsets in ascending order, each with the part from there on.
    segments: Vec<(u32, Option<usize>)>,
}

/// A protected region, a filter or a handler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) range: Range,
    pub(crate) role: Role,
    /// The index of the clause.
    pub(crate) clause: usize,
    /// The part that this one is nested in.
    pub(crate) parent: Option<usize>,
}

/// The role of a part of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Protected,
    Filter,
    /// The handler of a catch or filter clause.
    Catch,
    Finally,
    Fault,
}

impl RegionTree {
    /// Nests the parts of all clauses.
    ///
    /// Fails if two of them overlap without nesting, a clause comes before one that is nested in it, or a handler is
    /// not in the same region as the code that it protects.
    pub(crate) fn new(clauses: &[Clause]) -> Result<Self, Error> {
        let mut parts: Vec<Part> =
            clauses.iter().enumerate().flat_map(|(index, it)| parts(index, it)).collect();
        // Of parts with the same range, that of the later clause is taken for the outer one.
        parts.sort_by(|a, b| {
            (a.range.start, b.range.end, b.clause).cmp(&(b.range.start, a.range.end, a.clause))
        });
        let mut tree = Self { parts, segments: Vec::new() };
        tree.nest()?;
        tree.check_order()?;
        tree.check_handlers(clauses.len())?;
        Ok(tree)
    }

    /// Finds the parent of every part and the segments, in one pass.
    fn nest(&mut self) -> Result<(), Error> {
        let mut open: Vec<(usize, Range)> = Vec::new();
        for (index, part) in self.parts.iter_mut().enumerate() {
            while let Some((_, outer)) = open.last()
                && outer.end <= part.range.start
            {
                let end = outer.end;
                open.pop();
                self.segments.push((end, open.last().map(|(outer, _)| *outer)));
            }
            if let Some((outer, range)) = open.last() {
                if !range.contains_range(part.range) {
                    return Err(at_clause(part.clause, ErrorKind::OverlappingRegions));
                }
                part.parent = Some(*outer);
            }
            self.segments.push((part.range.start, Some(index)));
            open.push((index, part.range));
        }
        while let Some((_, outer)) = open.pop() {
            self.segments.push((outer.end, open.last().map(|(outer, _)| *outer)));
        }
        Ok(())
    }

    /// Returns whether inner clauses come before outer ones (II.19: the runtime searches in order).
    fn check_order(&self) -> Result<(), Error> {
        for part in &self.parts {
            let Some(parent) = self.parent(part) else { continue };
            let is_same = parent.range == part.range;
            if is_same && (part.role != Role::Protected || parent.role != Role::Protected) {
                return Err(at_clause(part.clause, ErrorKind::OverlappingRegions));
            }
            if part.clause == parent.clause {
                return Err(at_clause(part.clause, ErrorKind::OverlappingRegions));
            }
            if part.clause > parent.clause {
                return Err(at_clause(part.clause, ErrorKind::ClauseOrder));
            }
        }
        Ok(())
    }

    /// Returns whether each handler and filter lies directly in the region that the protected region lies in.
    fn check_handlers(&self, clauses: usize) -> Result<(), Error> {
        let mut around = alloc::vec![None; clauses];
        for (index, part) in self.parts.iter().enumerate() {
            if part.role == Role::Protected
                && let Some(slot) = around.get_mut(part.clause)
            {
                *slot = self.around_protected(index);
            }
        }
        for part in self.parts.iter().filter(|part| part.role != Role::Protected) {
            if around.get(part.clause).copied() != Some(part.parent) {
                return Err(at_clause(part.clause, ErrorKind::HandlerElsewhere));
            }
        }
        Ok(())
    }

    /// The part around a protected region, without those that protect the same instructions.
    fn around_protected(&self, index: usize) -> Option<usize> {
        let part = self.parts.get(index)?;
        let mut outer = part.parent;
        while let Some(parent) = outer.and_then(|outer| self.parts.get(outer))
            && parent.range == part.range
        {
            outer = parent.parent;
        }
        outer
    }

    pub(crate) fn part(&self, index: usize) -> Option<&Part> {
        self.parts.get(index)
    }

    fn parent(&self, part: &Part) -> Option<&Part> {
        self.parts.get(part.parent?)
    }

    /// The innermost part at an offset.
    pub(crate) fn innermost(&self, offset: u32) -> Option<usize> {
        let after = self.segments.partition_point(|(start, _)| *start <= offset);
        self.segments.get(after.checked_sub(1)?).and_then(|(_, part)| *part)
    }

    /// The parts at an offset, the innermost first.
    pub(crate) fn around(&self, offset: u32) -> impl Iterator<Item = (usize, &Part)> {
        let entry = |index| Some((index, self.parts.get(index)?));
        core::iter::successors(self.innermost(offset).and_then(entry), move |(_, part)| {
            part.parent.and_then(entry)
        })
    }

    /// The innermost part around an offset that does not begin there as a protected region.
    ///
    /// Control may come from there to the offset: protected regions are entered at their begin.
    pub(crate) fn outside(&self, offset: u32) -> Option<usize> {
        let mut around = self.around(offset);
        around
            .find(|(_, part)| part.role != Role::Protected || part.range.start != offset)
            .map(|(index, _)| index)
    }

    /// Returns whether protected regions begin at an offset.
    pub(crate) fn begins_protected(&self, offset: u32) -> bool {
        self.innermost(offset) != self.outside(offset)
    }
}

fn parts(index: usize, clause: &Clause) -> impl Iterator<Item = Part> {
    let part = move |range, role| Part { range, role, clause: index, parent: None };
    let handler = match clause.kind {
        ClauseKind::Catch(_) | ClauseKind::Filter(_) => Role::Catch,
        ClauseKind::Finally => Role::Finally,
        ClauseKind::Fault => Role::Fault,
    };
    [
        Some(part(clause.protected, Role::Protected)),
        clause.filter().map(|filter| part(filter, Role::Filter)),
        Some(part(clause.handler, handler)),
    ]
    .into_iter()
    .flatten()
}

#[cold]
fn at_clause(index: usize, kind: ErrorKind) -> Error {
    Error { location: Location::Clause(u32::try_from(index).unwrap_or(u32::MAX)), kind }
}
