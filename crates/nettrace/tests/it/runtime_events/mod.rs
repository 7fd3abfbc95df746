//! Payloads built field by field, as the runtime's manifest lists them.

mod bulk;
mod events;
mod payload;
mod random;
