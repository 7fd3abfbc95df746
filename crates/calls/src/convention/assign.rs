//! The interface of a calling convention: the next location of an argument, and the location of a result.

use argvalues::TypeShape;
use corprof::LocationKind;

/// The size of a pointer.
pub(super) const POINTER: u32 = 8;

/// Takes the locations of a convention, one after the other.
pub(super) trait Assign {
    /// The location of the next pointer.
    fn pointer(&mut self) -> Option<LocationKind>;

    /// The number of the next integer register: for what comes before the parameters, so that there is one.
    fn integer_register(&mut self) -> u8;

    /// Takes the location of the address of a buffer for the result.
    fn buffer(&mut self) {
        self.integer_register();
    }

    /// The location of the next value of this type and size. `None` if unknown.
    fn value(&mut self, shape: &TypeShape, length: u32) -> Option<LocationKind>;
}

/// Where a value is when it is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returned {
    /// In registers.
    In(LocationKind),
    /// In a buffer of the caller's, whose address is an argument.
    Buffer,
    /// Unknown.
    Unknown,
}
