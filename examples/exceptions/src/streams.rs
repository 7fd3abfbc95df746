//! What the tool records.

use corprof_tools::streams::{Field, FieldType, Schema};

/// The exceptions, each when it is known what has caught it.
pub(crate) static EXCEPTIONS: Schema = Schema::new(
    "exceptions",
    &[
        Field::plain("time", FieldType::TIME),
        Field::plain("number", FieldType::COUNT),
        Field::key("type", FieldType::TEXT),
        Field::key("message", FieldType::TEXT),
        Field::key("caught in", FieldType::TEXT),
        Field::key("stack", FieldType::NODE),
    ],
);

/// Exceptions that were caught, and thrown again: the one with this number was caught here in the end.
pub(crate) static AGAIN: Schema = Schema::new(
    "again",
    &[
        Field::plain("time", FieldType::TIME),
        Field::plain("number", FieldType::COUNT),
        Field::key("type", FieldType::TEXT),
        Field::key("caught in", FieldType::TEXT),
        Field::key("stack", FieldType::NODE),
    ],
);

/// The handler of an exception that nothing catches.
pub(crate) const NOT_CAUGHT: &str = "[not caught]";
/// The handler of an exception that no managed code has caught, and that has not ended the program.
pub(crate) const THE_RUNTIME: &str = "[the runtime]";
/// What an exception filter throws ends with the filter.
pub(crate) const A_FILTER: &str = "[an exception filter]";
