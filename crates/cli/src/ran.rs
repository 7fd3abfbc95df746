//! The recordings of a program that `corprof run` has started, and of the processes that it starts: each process writes its own file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use corprof_in_process::outlet::of_process;
use recording::Journal;
use tempfile::TempDir;

use crate::choice::Choice;
use crate::delivered::Output;
use crate::paths;
use crate::recorded::{ENDING, Plan, Reports, is_recording, rendered};

/// How often is looked whether the program's recording has begun.
const LOOK: Duration = Duration::from_millis(50);

/// The recordings of a run.
pub(crate) struct Recordings {
    plan: Plan,
    /// The recording of the first process; others are beside it.
    path: PathBuf,
    /// Where the recordings are if only reports are wanted.
    folder: Option<TempDir>,
    watching: Option<(Sender<()>, JoinHandle<Result<Reports>>)>,
}

impl Recordings {
    /// Prepares the recording of a tool that records: its variable names the file.
    pub(crate) fn prepare(
        choice: &Choice<'_>,
        variables: &mut Vec<(String, String)>,
    ) -> Result<Option<Self>> {
        let Some(mut plan) = Plan::of(choice, variables)? else { return Ok(None) };
        let prefix =
            choice.tool.and_then(|tool| tool.settings.records.as_ref()).context("no tool records")?;
        plan.out = plan.out.map(|out| paths::absolute(&out));
        let (path, folder) = match plan.out.as_ref().filter(|_| plan.keeps_recording()) {
            Some(out) => (out.clone(), None),
            None => {
                let folder =
                    TempDir::with_prefix("corprof-").context("cannot make a folder for the recording")?;
                (folder.path().join(choice.name()).with_extension(ENDING), Some(folder))
            }
        };
        variables.push((format!("{prefix}OUT"), path.display().to_string()));
        Ok(Some(Self { plan, path, folder, watching: None }))
    }

    /// Begins to write reports while the program runs, if some are wanted.
    pub(crate) fn watch(&mut self) -> Result<()> {
        let mut reports = Reports::new(&self.plan, Output::new(self.plan.out.as_deref()).on_standard_error());
        if reports.due().is_none() {
            return Ok(());
        }
        let (end, ended) = channel();
        let path = self.path.clone();
        let run = move || loop {
            let look = Instant::now() + LOOK;
            let due = reports.due().map_or(look, |due| due.min(look));
            if path.exists() {
                reports.follow(&path)?;
            }
            match ended.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) => reports.report_if_due()?,
                _ => return Ok(reports),
            }
        };
        self.watching = Some((end, thread::Builder::new().name("reports".to_owned()).spawn(run)?));
        Ok(())
    }

    /// Writes the reports, when the program has ended.
    pub(crate) fn finish(mut self) -> Result<()> {
        for path in self.files()? {
            // Of a process that was killed. One that still runs goes on with its file.
            if Journal::path_of(&path).is_file()
                && let Err(error) = recording::complete(&path)
            {
                eprintln!("warning: the end of {} is missing: {error}", path.display());
            }
        }
        if self.plan.keeps_recording() {
            return Ok(());
        }
        let watched = self.watching.take().map(|(end, thread)| {
            drop(end);
            // A panic has been printed.
            thread.join().unwrap_or_else(|_| anyhow::bail!("the reports could not be written"))
        });
        let reports = watched.transpose()?;
        let mut reports = reports.unwrap_or_else(|| {
            Reports::new(&self.plan, Output::new(self.plan.out.as_deref()).on_standard_error())
        });
        if self.path.is_file() {
            reports.finish(&self.path)?;
            reports.output().finish()?;
        }
        for path in self.files()?.into_iter().filter(|path| *path != self.path) {
            self.other(&path)?;
        }
        Ok(())
    }

    /// Writes the report of a further process beside that of the first.
    fn other(&self, path: &Path) -> Result<()> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let process = stem.rsplit('.').next().and_then(|process| process.parse().ok());
        let out = match (&self.plan.out, process) {
            (Some(out), Some(process)) => Some(of_process(out, process)),
            (out, _) => out.clone(),
        };
        let kind = out.as_deref().map_or(corprof_report::Kind::Text, corprof_report::Kind::of_path);
        let mut output = Output::new(out.as_deref()).on_standard_error();
        output.report(rendered(path, kind)?)?;
        output.finish()
    }

    /// Returns the recordings that are there.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let Some(folder) = &self.folder else {
            return Ok(Some(self.path.clone()).filter(|path| path.is_file()).into_iter().collect());
        };
        let entries = fs::read_dir(folder.path()).context("cannot read the folder of the recordings")?;
        let mut files = Vec::new();
        for entry in entries {
            files.push(entry.context("cannot read the folder of the recordings")?.path());
        }
        files.retain(|path| is_recording(path));
        files.sort();
        Ok(files)
    }
}
