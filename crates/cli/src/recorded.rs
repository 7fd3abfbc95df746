//! What is made of the recording of a tool: a report at the end, and others meanwhile.
#![cfg_attr(not(unix), allow(dead_code, reason = "recordings are files there, and none arrives"))]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail};
use corprof_profile::push::{Pusher, Target};
use corprof_profile::{Budget, Files, Given, Interval, Wrong};
use corprof_report::{Kind, Options, Report};
use recording::streams::{Item, StreamReader};
use tempfile::{NamedTempFile, TempPath};

use crate::choice::{Choice, duration};
use crate::delivered::Output;

/// The ending of a recording's file.
pub(crate) const ENDING: &str = "clrec";

/// How often a file that grows is looked at, and the file of `--when`.
const LOOK: Duration = Duration::from_millis(50);

/// The longest recording that is kept of a process: a longer one is not written on.
const MAX_RECORDING: u64 = 64 << 30;

/// What is wanted of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The file to write; otherwise a report is printed.
    pub(crate) out: Option<PathBuf>,
    every: Option<Duration>,
    when: Option<PathBuf>,
    /// The files of reports that are kept.
    budget: Option<Budget>,
    /// Where profiles are pushed, and their labels.
    push: Wishes,
}

/// What is wanted of files that are kept and of profiles that are pushed, by the names of settings.
#[derive(Clone, Debug, Default)]
struct Wishes(BTreeMap<&'static str, String>);

impl Given for Wishes {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

const WISHES: [&str; 7] = ["KEEP", "KEEP_MB", "KEEP_SECONDS", "PUSH", "LABELS", "PUSH_HEADERS", "PUSH_CA"];

/// The time between two reports of those that are kept or pushed.
const CONTINUOUS: Duration = Duration::from_secs(15);

/// The time for the last push.
const PUSHED_WITHIN: Duration = Duration::from_secs(2);

/// A wish that cannot be fulfilled, by the name of the option.
fn unwanted(wrong: &Wrong) -> anyhow::Error {
    let option = wrong.name.to_ascii_lowercase().replace('_', "-");
    let is = if wrong.is_missing { "is missing" } else { "is not valid" };
    anyhow::anyhow!("--{option} {is}: {}", wrong.reason)
}

/// Whether a file is one of a recording, by its ending.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

impl Plan {
    /// Returns the plan of the chosen tool, if it records, and takes out of its variables what this command does.
    pub(crate) fn of(choice: &Choice<'_>, variables: &mut Vec<(String, String)>) -> Result<Option<Self>> {
        let Some(prefix) = choice.tool.and_then(|tool| tool.settings.records.as_ref()) else {
            return Ok(None);
        };
        let mut take = |name: &str| {
            let name = format!("{prefix}{name}");
            let index = variables.iter().position(|(known, _)| *known == name)?;
            Some(variables.remove(index).1).filter(|value| !value.is_empty())
        };
        let every = take("EVERY").and_then(|text| duration(&text));
        let (out, when) = (take("OUT").map(PathBuf::from), take("WHEN").map(PathBuf::from));
        let mut wishes = Wishes::default();
        for name in WISHES {
            wishes.0.extend(take(name).map(|value| (name, value)));
        }
        wishes.0.extend(out.iter().map(|out| ("OUT", out.display().to_string())));
        let budget = Budget::of(&wishes).map_err(|wrong| unwanted(&wrong))?;
        let is_pushed = Target::of(&wishes, "", 0).map_err(|wrong| unwanted(&wrong))?.is_some();
        let every = every.or_else(|| (budget.is_some() || is_pushed).then_some(CONTINUOUS));
        let plan = Self { out, every, when, budget, push: wishes };
        if plan.keeps_recording() && plan.is_live() && !is_pushed {
            bail!(
                "--out names a recording, which grows by itself; --every, --when and --keep are for reports"
            );
        }
        Ok(Some(plan))
    }

    /// Returns the same with another file.
    pub(crate) fn with_out(&self, out: Option<PathBuf>) -> Self {
        Self { out, ..self.clone() }
    }

    /// Whether the recording itself is wanted.
    pub(crate) fn keeps_recording(&self) -> bool {
        self.out.as_deref().is_some_and(is_recording)
    }

    /// Whether there are reports before the end.
    const fn is_live(&self) -> bool {
        self.every.is_some() || self.when.is_some()
    }

    fn kind(&self) -> Kind {
        self.out.as_deref().map_or(Kind::Text, Kind::of_path)
    }
}

/// Returns the report on a recording that has ended, or was cut.
pub(crate) fn rendered(path: &Path, kind: Kind) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read the recording {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let mut options = Options::default();
    options.tables = kind.has_tables();
    let report = Report::read(BufReader::new(file), options).with_context(cannot)?;
    warn_of_damage(&report, path);
    Ok(report.write(kind)?)
}

/// Says that a recording is damaged, if it is.
pub(crate) fn warn_of_damage(report: &Report, path: &Path) {
    if let Some(damage) = report.damage() {
        eprintln!("warning: {}: {damage}; the report has what is before", path.display());
    }
}

/// The reports on one recording.
pub(crate) struct Reports {
    plan: Plan,
    output: Output,
    following: Option<Following>,
    next: Option<Instant>,
    /// The files that are kept.
    kept: Option<Files>,
    pusher: Option<Pusher>,
    /// When the profile that is pushed next began.
    since: SystemTime,
    has_complained: bool,
}

impl Reports {
    pub(crate) fn new(plan: &Plan, output: Output) -> Self {
        let next = plan.every.and_then(|every| Instant::now().checked_add(every));
        let since = SystemTime::now();
        Self {
            plan: plan.clone(),
            output,
            following: None,
            next,
            kept: None,
            pusher: None,
            since,
            has_complained: false,
        }
    }

    pub(crate) const fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// Begins to read a recording while it is made, if there are reports before its end.
    pub(crate) fn follow(&mut self, path: &Path) -> Result<()> {
        if self.following.is_none() && self.plan.is_live() {
            self.following = Some(Following::start(path, self.plan.kind())?);
        }
        Ok(())
    }

    /// Returns when [`report_if_due`](Self::report_if_due) is to be called next.
    pub(crate) fn due(&self) -> Option<Instant> {
        let look = self.plan.when.as_ref().and_then(|_| Instant::now().checked_add(LOOK));
        [self.next, look].into_iter().flatten().min()
    }

    /// Writes a report if it is time for one. Removing the file of `--when` tells who has created it that the report is written.
    pub(crate) fn report_if_due(&mut self) -> Result<()> {
        let Some(following) = self.following.take() else { return Ok(()) };
        let done = self.report_on(&following);
        self.following = Some(following);
        done
    }

    fn report_on(&mut self, following: &Following) -> Result<()> {
        let asked = self.plan.when.clone().filter(|when| when.exists());
        let now = Instant::now();
        let is_time = self.next.is_some_and(|next| next <= now);
        if asked.is_none() && !is_time {
            return Ok(());
        }
        if is_time {
            self.next = self.plan.every.and_then(|every| now.checked_add(every));
        }
        let mut report = following.report();
        let Some(report) = report.as_mut().filter(|report| report.tools().next().is_some()) else {
            return Ok(());
        };
        let written = report.write(self.plan.kind());
        self.push(report)?;
        if self.is_continuous() {
            report.next_interval();
        }
        self.put(written?)?;
        if let Some(when) = asked {
            fs::remove_file(&when).with_context(|| format!("cannot remove {}", when.display()))?;
        }
        Ok(())
    }

    /// Whether each profile has what came since the one before.
    fn is_continuous(&self) -> bool {
        self.plan.budget.is_some() || self.pusher.is_some()
    }

    /// Writes a report: over the one before, or into a file of its own.
    fn put(&mut self, report: Vec<u8>) -> Result<()> {
        if let (Some(out), Some(budget)) = (&self.plan.out, self.plan.budget) {
            let cannot = || format!("cannot write beside {}", out.display());
            let kept = match self.kept.take() {
                Some(kept) => kept,
                None => Files::create(out, budget).with_context(cannot)?,
            };
            kept.write(&report, SystemTime::now()).with_context(cannot)?;
            self.kept = Some(kept);
            self.output.note();
            return Ok(());
        }
        // A recording is written by itself, and what is pushed is not printed.
        if self.plan.keeps_recording() || self.pusher.is_some() && self.plan.out.is_none() {
            return Ok(());
        }
        self.output.report(report)
    }

    /// Pushes the profile since the last push, if profiles are pushed.
    fn push(&mut self, report: &Report) -> Result<()> {
        if self.pusher.is_none() {
            let target = Target::of(&self.plan.push, report.program(), report.process().id);
            let Some(target) = target.map_err(|wrong| unwanted(&wrong))? else { return Ok(()) };
            let has_profile = report.profile().is_some();
            if !has_profile {
                bail!("--push: this tool has no profile");
            }
            self.pusher = Some(Pusher::start(target)?);
        }
        let now = SystemTime::now();
        let begin = core::mem::replace(&mut self.since, now);
        let interval = Interval { begin, length: now.duration_since(begin).unwrap_or_default() };
        if let (Some(pusher), Some(profile)) = (&self.pusher, report.profile())
            && profile.samples().next().is_some()
        {
            pusher.push(&profile, interval);
            let pushed = pusher.result();
            // The first failure only: the end has their number.
            if pushed.dropped > 0 && !self.has_complained {
                self.has_complained = true;
                eprintln!("warning: a profile cannot be pushed: {}", pushed.failure.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Writes the last report on a recording.
    pub(crate) fn finish(&mut self, path: &Path) -> Result<()> {
        if self.plan.keeps_recording() {
            self.output.note();
        }
        let Some(following) = self.following.take() else {
            if self.plan.keeps_recording() {
                return Ok(());
            }
            let report = rendered(path, self.plan.kind())?;
            return self.put(report);
        };
        let report = following.finish()?;
        warn_of_damage(&report, path);
        self.push(&report)?;
        let written = report.write(self.plan.kind())?;
        self.put(written)?;
        if let Some(pusher) = self.pusher.take() {
            let pushed = pusher.end(PUSHED_WITHIN);
            if pushed.dropped > 0 {
                let all = pushed.pushed + pushed.dropped;
                let reason =
                    pushed.failure.unwrap_or_else(|| "the server did not accept them in time".to_owned());
                eprintln!("warning: {} of {all} profiles were not pushed: {reason}", pushed.dropped);
            }
        }
        Ok(())
    }
}

/// A recording that is read while it is made.
struct Following {
    report: Arc<Mutex<Option<Report>>>,
    has_ended: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), corprof_report::ReportError>>,
}

/// A file that grows.
struct Growing {
    file: File,
    has_ended: Arc<AtomicBool>,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // What was written before the end is read after it.
            let has_ended = self.has_ended.load(Ordering::Acquire);
            let read = self.file.read(buffer)?;
            if read > 0 || has_ended {
                return Ok(read);
            }
            thread::sleep(LOOK);
        }
    }
}

fn locked(report: &Mutex<Option<Report>>) -> MutexGuard<'_, Option<Report>> {
    report.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Following {
    fn start(path: &Path, kind: Kind) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let (report, has_ended) = (Arc::<Mutex<Option<Report>>>::default(), Arc::<AtomicBool>::default());
        let growing = Growing { file, has_ended: Arc::clone(&has_ended) };
        let shared = Arc::clone(&report);
        let run = move || {
            let mut reader = StreamReader::new(BufReader::new(growing))?;
            let mut options = Options::default();
            options.tables = kind.has_tables();
            *locked(&shared) = Some(Report::new(reader.tables().process(), options));
            loop {
                let item = match reader.next() {
                    Ok(Some(item)) => item,
                    Ok(None) => break,
                    Err(error) => {
                        locked(&shared).as_mut().map_or(Ok(()), |report| report.damaged(error))?;
                        break;
                    }
                };
                let begins = matches!(item, Item::Begin(_));
                locked(&shared).iter_mut().for_each(|report| report.take(&item));
                if begins {
                    locked(&shared).iter_mut().for_each(|report| report.update(&reader));
                }
            }
            locked(&shared).iter_mut().for_each(|report| report.update(&reader));
            Ok(())
        };
        let thread = thread::Builder::new().name("recording".to_owned()).spawn(run)?;
        Ok(Self { report, has_ended, thread })
    }

    /// Returns the report on what has come so far; `None` if the recording has not begun.
    fn report(&self) -> MutexGuard<'_, Option<Report>> {
        locked(&self.report)
    }

    fn finish(self) -> Result<Report> {
        self.has_ended.store(true, Ordering::Release);
        match self.thread.join() {
            Ok(read) => read?,
            // It has been printed.
            Err(_) => bail!("the recording could not be read"),
        }
        let report = locked(&self.report).take();
        report.context("the recording is empty")
    }
}

/// A recording that arrives.
pub(crate) struct Arriving {
    file: File,
    path: PathBuf,
    /// Removes the file, if only reports are wanted.
    temporary: Option<TempPath>,
    length: u64,
}

impl Arriving {
    /// Makes the file, which is this user's alone: that of the plan, or one for the time being.
    pub(crate) fn begin(plan: &Plan) -> Result<Self> {
        let Some(path) = plan.out.as_ref().filter(|_| plan.keeps_recording()) else {
            let made =
                NamedTempFile::with_prefix("corprof-").context("cannot make a file for the recording")?;
            let (file, temporary) = made.into_parts();
            return Ok(Self { file, path: temporary.to_path_buf(), temporary: Some(temporary), length: 0 });
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made =
            NamedTempFile::with_prefix_in(".corprof-", folder).and_then(|made| Ok(made.persist(path)?));
        let file = made.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file, path: path.clone(), temporary: None, length: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if self.length > MAX_RECORDING {
            bail!("the recording has more than {MAX_RECORDING} bytes");
        }
        self.file.write_all(bytes).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Removes a file that was for the time being.
    pub(crate) fn end(self) {
        drop(self.temporary);
    }
}
