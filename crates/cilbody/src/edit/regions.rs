//! The protected regions of an editable body.

use alloc::vec;
use alloc::vec::Vec;

use super::{Body, InstrId, Label, Region, RegionKind, Span};

impl Body {
    /// The regions, inner ones before those that they are nested in.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Adds a region, after those that are nested in it and before those that it is nested in.
    ///
    /// Of regions that protect the same instructions, the one that was added last comes last: its handler is tried last.
    pub fn add_region(&mut self, region: Region) {
        let order = self.order();
        let place = |label: Label| self.target(label).and_then(|id| order.get(id.0 as usize)).copied();
        let extent = |span: Span| Some((place(span.start)?, place(span.end)?));
        let own = [region.protected, Span { start: begin_of_handler(&region), ..region.handler }].map(extent);
        let is_around = |outer: Span, is_protected: bool| {
            let Some((start, end)) = extent(outer) else { return false };
            own.into_iter().flatten().all(|own| start <= own.0 && own.1 <= end)
                // Two handlers of the same region are not nested.
                && !(is_protected && own.first() == Some(&Some((start, end))))
        };
        let enclosing = self.regions.iter().position(|other| {
            is_around(other.protected, true)
                || is_around(Span { start: begin_of_handler(other), ..other.handler }, false)
        });
        self.regions.insert(enclosing.unwrap_or(self.regions.len()), region);
    }

    /// The innermost region that has an instruction in its protected region, handler or filter.
    #[must_use]
    pub fn enclosing_region(&self, id: InstrId) -> Option<&Region> {
        let order = self.order();
        let place = |label: Label| self.target(label).and_then(|id| order.get(id.0 as usize)).copied();
        let at = order.get(id.0 as usize)?;
        let contains = |start: Label, end: Label| matches!((place(start), place(end)), (Some(start), Some(end)) if start <= *at && *at < end);
        self.regions.iter().find(|region| {
            contains(region.protected.start, region.protected.end)
                || contains(begin_of_handler(region), region.handler.end)
        })
    }

    /// The position of every instruction in the code, by its id. The end of the code comes last.
    fn order(&self) -> Vec<u32> {
        let mut order = vec![0; self.nodes.len()];
        for (position, id) in (0..).zip(self.ids().chain([Self::END])) {
            if let Some(order) = order.get_mut(id.0 as usize) {
                *order = position;
            }
        }
        order
    }
}

/// The begin of a region's handler, of the filter before it if there is one.
const fn begin_of_handler(region: &Region) -> Label {
    match region.kind {
        RegionKind::Filter(filter) => filter,
        _ => region.handler.start,
    }
}
