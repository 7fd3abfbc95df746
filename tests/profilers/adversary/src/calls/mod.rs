//! The calls: a table of each subject, together all public functions of `corprof`.

mod cache;
mod code;
mod emit;
mod events;
mod frames;
mod heap;
mod loaded;
mod metadata;
mod names;
mod parts;
mod plain;
mod process;
mod tables;

use crate::at::{At, Done};

/// Draws arguments and makes a call.
pub(crate) type Call = fn(&At<'_>) -> Done;

/// Functions by name, with the calls of them.
pub(crate) type Calls = &'static [(&'static str, Call)];

const SUBJECTS: [Calls; 13] = [
    cache::CALLS,
    loaded::CALLS,
    code::CALLS,
    heap::CALLS,
    process::CALLS,
    parts::CALLS,
    events::CALLS,
    frames::CALLS,
    names::CALLS,
    metadata::CALLS,
    emit::CALLS,
    tables::CALLS,
    plain::CALLS,
];

const COUNT: usize = {
    let (mut count, mut subject) = (0, 0);
    while subject < SUBJECTS.len() {
        count += SUBJECTS[subject].len();
        subject += 1;
    }
    count
};

const fn not_there(_: &At<'_>) -> Done {
    None
}

/// All of them.
pub(crate) const CALLS: &[(&str, Call); COUNT] = &{
    let mut all: [(&str, Call); COUNT] = [("", not_there); COUNT];
    let (mut at, mut subject) = (0, 0);
    while subject < SUBJECTS.len() {
        let mut call = 0;
        while call < SUBJECTS[subject].len() {
            all[at] = SUBJECTS[subject][call];
            at += 1;
            call += 1;
        }
        subject += 1;
    }
    all
};
