//! A process that is measured: what has come of it, and what is said of its end.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;

use anyhow::Result;
use corprof_in_process::printable::Printable;
use corprof_link::{Message, Sender};

use super::{PATIENCE, Wanted};
use crate::chosen::Process;
use crate::delivered::Output;
use crate::received::Received;

/// A process that is measured.
pub(super) struct Session {
    /// The tool.
    name: String,
    pub(super) process: Process,
    /// Whether it is the program that the command has started.
    pub(super) is_root: bool,
    /// What the tool may write itself.
    path: Option<PathBuf>,
    sender: Sender,
    pub(super) received: Received,
    is_stopped: bool,
    /// Why the tool stays, if it does, and what was not sent.
    pub(super) end: Option<(Option<String>, u64)>,
    /// The exit code of a refusal.
    pub(super) refused: Option<u8>,
    pub(super) is_closed: bool,
    /// Whether the report was printed.
    pub(super) is_shown: bool,
}

impl Session {
    pub(super) fn new(
        wanted: &Wanted,
        process: Process,
        is_root: bool,
        path: Option<PathBuf>,
        sender: Sender,
    ) -> Self {
        let output = Output::new(path.as_deref()).on_standard_error();
        let plan = wanted.plan.as_ref().map(|plan| plan.with_out(path.clone()));
        let received = Received::new(&wanted.name, plan, output);
        let name = wanted.name.clone();
        Self {
            name,
            process,
            is_root,
            path,
            sender,
            received,
            is_stopped: false,
            end: None,
            refused: None,
            is_closed: false,
            is_shown: false,
        }
    }

    pub(super) fn take(&mut self, message: Message) -> Result<()> {
        match message {
            Message::Refused { setting, text } => {
                let (name, pid, text) = (&self.name, self.process.pid, Printable(&text));
                eprintln!("error: {name} does not measure process {pid}, which runs without it: {text}");
                self.refused = Some(if setting.is_empty() { 1 } else { 2 });
            }
            Message::End { stays, lost, .. } => self.end = Some((stays, lost)),
            measured => self.received.take(measured)?,
        }
        Ok(())
    }

    /// Asks the tool for its last report, once.
    pub(super) fn stop(&mut self) {
        if !core::mem::replace(&mut self.is_stopped, true) {
            // If it fails, the connection has ended, which is noticed.
            let _ = self.sender.send(&Message::Stop, PATIENCE).and_then(|()| self.sender.flush(PATIENCE));
        }
    }

    /// Prints what there is, and how the process has ended if the tool could not say that it does.
    pub(super) fn show(&mut self, status: Option<ExitStatus>) -> Result<()> {
        self.received.finish()?;
        if self.refused.is_some() {
            return Ok(());
        }
        let (name, pid) = (&self.name, self.process.pid);
        if let Some((stays, lost)) = &self.end {
            if let Some(stays) = stays {
                eprintln!("{name} stays in process {pid}, and does nothing: {}", Printable(stays));
            }
            if *lost > 0 {
                eprintln!(
                    "{lost} times {name} could not send: this command, or who reads its output, was too slow"
                );
            }
            return Ok(());
        }
        // What the tool writes itself is complete up to the end of the process.
        let (last, output) = (self.received.last(), self.received.output());
        let written = self.path.as_deref().filter(|_| !output.has_content());
        if let Some(file) = written.filter(|file| recording::Journal::path_of(file).is_file())
            && let Err(error) = recording::complete(file)
        {
            eprintln!("warning: the end of {} is missing: {error}", file.display());
        }
        let place = output.file().map_or_else(String::new, |path| format!("; see {}", path.display()));
        let what = match (last, written.filter(|path| path.exists())) {
            (Some(reported), _) => {
                let before = reported.elapsed().as_secs_f64();
                format!("the report is what {name} had sent {before:.1} s before{place}")
            }
            (None, Some(file)) => format!("what {name} had written until then is in {}", file.display()),
            (None, None) if output.has_content() => {
                format!("what {name} had sent before is there{place}")
            }
            (None, None) => format!("{name} had sent nothing"),
        };
        let how = match status.filter(|_| self.is_root) {
            Some(status) => match status.signal() {
                Some(signal) => format!("the program was ended by signal {signal}{}", named(signal)),
                None => format!("the program has ended with exit code {}", status.code().unwrap_or_default()),
            },
            None if self.is_closed => format!("process {pid} has ended"),
            None => format!("process {pid} goes on, and does not answer"),
        };
        eprintln!("{name}: {how} before the last report; {what}");
        Ok(())
    }
}

/// The name of a signal in parentheses.
fn named(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"))
}
