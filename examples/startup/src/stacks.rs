//! The report as a profile: what was compiled and loaded, below what it was compiled or loaded for.

use std::cmp::Reverse;
use std::time::Duration;

use corprof_tools::corprof_profile::{
    Context, Frame, FrameId, Profile, Thread, Unit, ValueType, nanoseconds,
};
use corprof_tools::{Done, program_name};

/// The time of each piece of work, without what is nested in it. `names` has the names of `done`, in its order.
pub(crate) fn stacks(done: &[Done], names: &[String]) -> Profile {
    let mut profile = Profile::new(&program_name(), vec![ValueType::new("time", Unit::Nanoseconds)]);
    let mut order: Vec<(&Done, &String)> = done.iter().zip(names).collect();
    // What is nested begins later, or is shorter.
    order.sort_by_key(|(done, _)| (done.thread, done.begin, Reverse(done.total)));
    let (mut thread, mut context) = (None, None);
    let mut open: Vec<(Duration, FrameId)> = Vec::new();
    for (done, name) in order {
        if thread != Some(done.thread) {
            thread = Some(done.thread);
            let named = (done.thread != 0).then(|| Thread { id: done.thread.into(), name: String::new() });
            context = Some(profile.context(&Context { thread: named, labels: Vec::new() }));
            open.clear();
        }
        let Some(context) = context else { continue };
        while open.pop_if(|(end, _)| *end <= done.begin).is_some() {}
        let frame = Frame { name, module: "" };
        open.push((done.begin + done.total, profile.frame(frame)));
        profile.add(open.iter().map(|(_, frame)| *frame), context, &[nanoseconds(done.own)]);
    }
    profile
}
