//! Systems and processors for which the capture is not implemented.
#![forbid(unsafe_code)]

use std::time::Duration;

use crate::stacks::capture::Refusal;

pub(crate) const fn install() -> Result<(), Refusal> {
    Err(Refusal::Unsupported)
}

pub(crate) const fn is_installed() -> bool {
    false
}

pub(crate) const fn signal() -> i32 {
    0
}

pub(crate) const fn now() -> u64 {
    0
}

pub(crate) const fn tick() -> Duration {
    Duration::ZERO
}

/// A timer; there is none.
#[derive(Debug)]
pub(crate) enum Timer {}

impl Timer {
    pub(crate) const fn start(_: u32, _: usize, _: u32, _: Duration, _: Duration) -> Option<Self> {
        None
    }
}
