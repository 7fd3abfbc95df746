//! The calls that are not made, each with the reason: in `left-out.txt`.
//!
//! A line is `function: reason` for one that is never called, `function (in callbacks): reason` for one that is called on
//! threads of the profiler's own alone, and `function (on 8 9): reason` for one that is not called on these versions (4 is
//! .NET Core 3.1).

use std::collections::HashSet;

use crate::calls::CALLS;
use crate::place::Place;

const LEFT_OUT: &str = include_str!("../left-out.txt");

/// Functions that are not called, by their number.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    in_callbacks: HashSet<usize>,
    everywhere: HashSet<usize>,
}

impl LeftOut {
    /// What is left out on this version of the runtime.
    pub(crate) fn on(major: u16) -> Self {
        let mut left_out = Self::default();
        for line in LEFT_OUT.lines() {
            let Some((name, condition)) = line.split_once("): ").and_then(|(head, _)| head.split_once(" ("))
            else {
                continue;
            };
            let Some(number) = CALLS.iter().position(|(call, _)| *call == name) else { continue };
            if condition == "in callbacks" {
                left_out.in_callbacks.insert(number);
            } else if condition.split(' ').any(|version| version == major.to_string()) {
                left_out.everywhere.insert(number);
            }
        }
        left_out
    }

    /// Whether a call is not made from this place, or from one inside of this place.
    pub(crate) fn has(&self, call: usize, place: Place, depth: usize) -> bool {
        let is_own = depth == 0 && matches!(place, Place::OwnThread | Place::OwnThreadInitialized);
        self.everywhere.contains(&call) || !is_own && self.in_callbacks.contains(&call)
    }
}
