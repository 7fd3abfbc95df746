//! The results of visitors: closures that are called for each frame, object or reference.
#![forbid(unsafe_code)]

use core::convert::Infallible;
use core::ops::ControlFlow;

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl<B> Sealed for core::ops::ControlFlow<B> {}
}

/// The result of a visitor: `()` to visit everything, or [`ControlFlow`] to be able to break.
pub trait VisitorResult: sealed::Sealed {
    /// The value that the visitor breaks with.
    type Break;
    /// The result of the whole visit.
    type Outcome;

    /// Converts the result of one visit.
    fn into_control_flow(self) -> ControlFlow<Self::Break>;

    /// Converts the result of the whole visit.
    fn outcome(ended: ControlFlow<Self::Break>) -> Self::Outcome;
}

/// Visits everything.
impl VisitorResult for () {
    type Break = Infallible;
    type Outcome = ();

    fn into_control_flow(self) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }

    fn outcome(_: ControlFlow<Infallible>) {}
}

/// Ends the visit at the first `Break`.
impl<B> VisitorResult for ControlFlow<B> {
    type Break = B;
    type Outcome = Self;

    fn into_control_flow(self) -> Self {
        self
    }

    fn outcome(ended: Self) -> Self {
        ended
    }
}
