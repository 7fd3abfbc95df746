//! A protected region and its handler, as a value.

use sigparse::Token;

use super::Label;

/// A protected region with its handler: an exception handling clause of an editable body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The protected region, `.try`.
    pub protected: Span,
    /// The handler.
    pub handler: Span,
    /// When the handler runs.
    pub kind: RegionKind,
}

/// Code from one label to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Before the first instruction.
    pub start: Label,
    /// After the last instruction.
    pub end: Label,
}

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// For exceptions of this type.
    Catch(Token),
    /// If the filter returns 1. It begins here and ends where the handler begins.
    Filter(Label),
    /// Whenever control leaves the protected region.
    Finally,
    /// When an exception leaves the protected region.
    Fault,
}
