//! The whole heap, walked in each possible way.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use corprof::{CallSite, ClassId, Error, HResult, Names, Result};

use crate::State;
use crate::facts::Facts;

/// The time limit for one side to wait for the other.
const PATIENCE: Duration = Duration::from_secs(10);
/// The duration of a collection after the walk has begun.
const LONGER: Duration = Duration::from_millis(200);

/// The rendezvous of a walk with a collection: the collection begins, waits until the walk begins, and continues.
#[derive(Debug, Default)]
pub(crate) struct Meeting {
    wanted: AtomicBool,
    walking: AtomicBool,
}

impl Meeting {
    /// A collection has begun.
    pub(crate) fn collection_started(&self) {
        if self.wanted.load(Ordering::SeqCst) {
            wait(|| self.walking.load(Ordering::SeqCst));
            sleep(LONGER);
        }
    }
}

fn wait(until: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !until() && begin.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
    }
    until()
}

/// Walks the heap while this thread has suspended the runtime, `suspended` at once or while the program collects (`competing`);
/// `plain` is refused on a thread of the program, which could be in a hook.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let &[how] = arguments else { return Err(Error::other("how is not given")) };
    let (info, meeting) = (&state.info, &state.meeting);
    let mut facts = Facts::of(&format!("walk.{how}"));
    if how == "plain" {
        let refused = info.suspend_runtime();
        facts.say("refused", matches!(refused, Err(Error::Misplaced { site: CallSite::Hook, .. })));
        return Ok(facts.finish());
    }
    if how == "competing" {
        meeting.wanted.store(true, Ordering::SeqCst);
        let met = wait(|| state.collections.is_going_on());
        facts.say("met", met);
        meeting.walking.store(true, Ordering::SeqCst);
    }
    // The runtime waits for the collection, or returns a code to retry.
    let is_refused = |error: &Error| error.hresult() == HResult::CORPROF_E_SUSPENSION_IN_PROGRESS;
    let begin = Instant::now();
    let mut suspension = info.suspend_runtime();
    meeting.wanted.store(false, Ordering::SeqCst);
    while suspension.as_ref().is_err_and(is_refused) && begin.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
        suspension = info.suspend_runtime();
    }
    let suspension = suspension?;
    let (mut objects, mut classes) = (0, Vec::new());
    suspension.visit_heap_objects(|object| {
        objects += 1;
        classes.extend(info.class_of_object(object).ok());
    })?;
    drop(suspension);
    facts.say("many", objects >= 1000);
    facts.say("classes", classes.len() == objects);
    for (class, count) in count(&Names::new(info), &classes)? {
        facts.say(class, count);
    }
    Ok(facts.finish())
}

/// The numbers of objects of the program's classes.
fn count(names: &Names, classes: &[ClassId]) -> Result<BTreeMap<&'static str, usize>> {
    let mut counts = BTreeMap::from([("Marker", 0), ("Single", 0)]);
    for class in classes {
        if let Some(count) = counts.get_mut(&*names.class(*class)?) {
            *count += 1;
        }
    }
    Ok(counts)
}
