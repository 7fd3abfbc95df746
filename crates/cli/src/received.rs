//! What comes of a tool over its connection: reports, lines, or a recording of which reports are made here.

use std::time::Instant;

use anyhow::Result;
use corprof_in_process::printable::Printable;
use corprof_link::{Documents, Message};

use crate::delivered::Output;
use crate::recorded::{Arriving, Plan, Reports};

/// What has come of one tool in one process.
pub(crate) struct Received {
    /// The tool.
    name: String,
    plan: Plan,
    /// Where reports go, and what is made of a recording.
    reports: Reports,
    recording: Option<Arriving>,
    documents: Documents,
    /// When the last whole report, or the last part of the recording, came.
    last: Option<Instant>,
}

impl Received {
    /// Nothing has come yet. `plan` is what is made of the recording, if the tool records.
    pub(crate) fn new(name: &str, plan: Option<Plan>, output: Output) -> Self {
        let plan = plan.unwrap_or_default();
        let (reports, documents) = (Reports::new(&plan, output), Documents::default());
        Self { name: name.to_owned(), plan, reports, recording: None, documents, last: None }
    }

    /// Takes a message. Those that are none of the measurement are the caller's.
    ///
    /// # Errors
    /// If what came cannot be written: the tool measures for nobody.
    pub(crate) fn take(&mut self, message: Message) -> Result<()> {
        match message {
            Message::Document(part) => {
                if let Some((_, report)) = self.documents.add(part) {
                    self.last = Some(Instant::now());
                    self.reports.output().report(report)?;
                }
            }
            Message::Lines { text } => self.reports.output().lines(&text)?,
            Message::Recording { bytes } => self.recorded(&bytes)?,
            Message::Progress { text } | Message::Error { text } => {
                eprintln!("{}: {}", self.name, Printable(&text));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the next bytes of the recording.
    fn recorded(&mut self, bytes: &[u8]) -> Result<()> {
        self.last = Some(Instant::now());
        let mut recording = match self.recording.take() {
            Some(recording) => recording,
            None => Arriving::begin(&self.plan)?,
        };
        let added = recording.add(bytes);
        let followed = self.reports.follow(recording.path());
        self.recording = Some(recording);
        added.and(followed)
    }

    /// Returns when [`report_if_due`](Self::report_if_due) is to be called next.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.reports.due()
    }

    /// Writes a report on the recording if it is time for one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn report_if_due(&mut self) -> Result<()> {
        self.reports.report_if_due()
    }

    /// Nothing comes any more: writes the last report.
    ///
    /// # Errors
    /// If it cannot be written, or the recording cannot be read.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let finished = self.recording.take().map(|recording| {
            let finished = self.reports.finish(recording.path());
            recording.end();
            finished
        });
        self.reports.output().finish()?;
        finished.unwrap_or(Ok(()))
    }

    /// Returns when the last whole report, or the last part of the recording, came.
    pub(crate) const fn last(&self) -> Option<Instant> {
        self.last
    }

    pub(crate) const fn output(&mut self) -> &mut Output {
        self.reports.output()
    }
}
