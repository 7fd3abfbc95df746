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
    /// The protected region of each clause.
    protected: Vec<Option<usize>>,
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
    /// The innermost part around the first instruction that is not a protected region which begins there.
    outside: Option<usize>,
    /// The innermost part around the code of this one that is a handler or filter: this one or an outer one.
    handler: Option<usize>,
    /// The innermost part around this one that has another range.
    around: Option<usize>,
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
        let protected = alloc::vec![None; clauses.len()];
        let mut tree = Self { parts, segments: Vec::new(), protected };
        tree.nest()?;
        tree.check_order()?;
        tree.check_handlers()?;
        Ok(tree)
    }

    /// Finds the parts around every part and the segments, in one pass: outer parts come first.
    fn nest(&mut self) -> Result<(), Error> {
        let mut open: Vec<(usize, Part)> = Vec::new();
        for (index, part) in self.parts.iter_mut().enumerate() {
            while let Some((_, outer)) = open.last()
                && outer.range.end <= part.range.start
            {
                let end = outer.range.end;
                open.pop();
                self.segments.push((end, open.last().map(|(outer, _)| *outer)));
            }
            let parent = open.last();
            if let Some((_, outer)) = parent
                && !outer.range.contains_range(part.range)
            {
                return Err(at_clause(part.clause, ErrorKind::OverlappingRegions));
            }
            part.parent = parent.map(|(outer, _)| *outer);
            part.around = match parent {
                Some((_, outer)) if outer.range == part.range => outer.around,
                _ => part.parent,
            };
            if part.role == Role::Protected {
                part.outside = match parent {
                    Some((_, outer)) if outer.range.start == part.range.start => outer.outside,
                    _ => part.parent,
                };
                part.handler = parent.and_then(|(_, outer)| outer.handler);
                if let Some(protected) = self.protected.get_mut(part.clause) {
                    *protected = Some(index);
                }
            } else {
                (part.outside, part.handler) = (Some(index), Some(index));
            }
            self.segments.push((part.range.start, Some(index)));
            open.push((index, *part));
        }
        while let Some((_, outer)) = open.pop() {
            self.segments.push((outer.range.end, open.last().map(|(outer, _)| *outer)));
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
    fn check_handlers(&self) -> Result<(), Error> {
        for part in self.parts.iter().filter(|part| part.role != Role::Protected) {
            // Without those that protect the same instructions.
            let around = self.protected(part.clause).map(|protected| protected.around);
            if around != Some(part.parent) {
                return Err(at_clause(part.clause, ErrorKind::HandlerElsewhere));
            }
        }
        Ok(())
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
        let innermost = self.innermost(offset)?;
        self.part(innermost)
            .filter(|part| part.range.start == offset)
            .map_or(Some(innermost), |part| part.outside)
    }

    /// The innermost handler or filter around an offset.
    pub(crate) fn handler(&self, offset: u32) -> Option<&Part> {
        self.part(self.part(self.innermost(offset)?)?.handler?)
    }

    /// The protected region of a clause.
    pub(crate) fn protected(&self, clause: usize) -> Option<&Part> {
        self.part((*self.protected.get(clause)?)?)
    }

    /// Returns whether protected regions begin at an offset.
    pub(crate) fn begins_protected(&self, offset: u32) -> bool {
        self.innermost(offset) != self.outside(offset)
    }
}

fn parts(index: usize, clause: &Clause) -> impl Iterator<Item = Part> {
    let part = move |range, role| Part {
        range,
        role,
        clause: index,
        parent: None,
        outside: None,
        handler: None,
        around: None,
    };
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
