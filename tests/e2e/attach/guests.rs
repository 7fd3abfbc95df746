//! Profilers that detach themselves: they are released, and several at once do not affect each other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::Launch;
use e2e::{is_long, stated};

use crate::mapped::mappings;
use crate::subject::{PATIENCE, Subject, as_is};

/// The type of the thrown exception.
const EXCEPTION: &str = "System.InvalidOperationException";

pub(crate) fn guest() -> Result<Profiler> {
    stated::profiler("guest", "{6C4E1B7A-52D3-4F0E-9A86-1F3D2B5C7E90}")
}

impl Subject {
    /// The output of each guest since standard error had so many bytes.
    fn guests_since(&self, since: usize) -> BTreeMap<u32, Vec<String>> {
        let mut said = BTreeMap::<u32, Vec<String>>::new();
        let stderr = self.program.stderr();
        for line in stderr[since..].lines().filter_map(|line| line.strip_prefix("guest ")) {
            if let Some((Ok(number), line)) =
                line.split_once(' ').map(|(number, line)| (number.parse(), line))
            {
                said.entry(number).or_default().push(line.to_owned());
            }
        }
        said
    }

    /// Throws the exception. Each of the guests, which were loaded in this way, sees it once, detaches, and is dropped, which
    /// happens when the runtime has released its last reference.
    fn throw_and_wait_for_detach(&mut self, came: &[&str], since: usize) -> Result<()> {
        self.program.request(&format!("throw {EXCEPTION}"))?;
        let begin = Instant::now();
        let is_gone = |said: &Vec<String>| said.last().is_some_and(|last| last == "is gone");
        while self.guests_since(since).values().filter(|said| is_gone(said)).count() < came.len() {
            ensure!(begin.elapsed() < PATIENCE, "they do not detach\n{}", self.program.report());
            std::thread::sleep(Duration::from_millis(10));
        }
        let guests = self.guests_since(since);
        ensure!(guests.len() == came.len(), "{guests:#?}");
        let saw = format!("saw {EXCEPTION}");
        for (said, came) in guests.values().zip(came) {
            let (first, rest) = said.split_first().context("a guest that has said nothing")?;
            ensure!(first == came, "{guests:#?}");
            ensure!(rest.iter().filter(|line| **line == saw).count() == 1, "{guests:#?}");
            // The first two come from two threads.
            ensure!(rest.len() == 4 && rest.contains(&"leaves".to_owned()), "{guests:#?}");
            ensure!(rest[2..] == ["was detached", "is gone"], "{guests:#?}");
        }
        Ok(())
    }
}

/// The number of times that a profiler is attached.
fn rounds() -> u32 {
    if is_long() { 50 } else { 12 }
}

/// A detached profiler is released and so dropped; the same holds for each one that is attached after it. The
/// library stays mapped, and its static counters continue.
pub(crate) fn a_detached_profiler_is_released(version: RuntimeVersion) -> Result<()> {
    let guest = guest()?;
    let mut subject = Subject::new("released", version, as_is)?;
    let process = subject.program.pid();
    let mut first = None;
    for round in 1..=rounds() {
        let since = subject.program.stderr().len();
        subject.attach_when_free(&guest, "")?;
        subject.throw_and_wait_for_detach(&["was attached"], since)?;
        let numbers: Vec<u32> = subject.guests_since(since).into_keys().collect();
        ensure!(numbers == [round], "guest {numbers:?} in round {round}");
        let mapped = mappings(process, &guest.library)?;
        ensure!(!mapped.is_empty(), "the library is not mapped any more after round {round}");
        let first = first.get_or_insert_with(|| mapped.clone());
        ensure!(*first == mapped, "round {round}: {first:#?}, then {mapped:#?}");
    }
    subject.quit()?;
    Ok(())
}

/// Four profilers from the start and four attached ones all see the same exception, and then detach.
pub(crate) fn several_profilers(version: RuntimeVersion) -> Result<()> {
    let guest = guest()?;
    // .NET 9 ignores an entry without a semicolon after it.
    let entry = format!("{}={};", guest.library.display(), guest.clsid);
    let with = |launch: Launch| {
        launch
            .env("CORECLR_ENABLE_NOTIFICATION_PROFILERS", "1")
            .env("CORECLR_NOTIFICATION_PROFILERS", entry.repeat(4))
    };
    let mut subject = Subject::new("beside", version, with)?;
    let mut came = vec!["was there from the start"; 4];
    for _ in 0..4 {
        subject.attach(&guest, "").with_context(|| subject.program.report())?;
        came.push("was attached");
    }
    subject.throw_and_wait_for_detach(&came, 0)?;
    subject.quit()?;
    Ok(())
}
