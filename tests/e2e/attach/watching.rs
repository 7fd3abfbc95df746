//! The output of `watch`, and the lines that it must have for the program's responses.

use std::collections::VecDeque;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_link::{Message, Receiver, Sender};

use crate::subject::PATIENCE;

/// The connection from `watch`.
pub(crate) struct Watching {
    sender: Sender,
    receiver: Receiver,
    /// Lines that have arrived and were not returned.
    arrived: VecDeque<String>,
    pub(crate) seen: Vec<String>,
}

impl Watching {
    pub(crate) fn new(sender: Sender, receiver: Receiver) -> Self {
        Self { sender, receiver, arrived: VecDeque::new(), seen: Vec::new() }
    }

    pub(crate) fn message(&mut self) -> Result<Option<Message>> {
        let message = self.receiver.receive(Some(Instant::now() + PATIENCE));
        message.with_context(|| format!("seen: {:#?}", self.seen))
    }

    /// Returns the next line, without its time; `None` at the end.
    pub(crate) fn line(&mut self) -> Result<Option<String>> {
        let line = loop {
            if let Some(line) = self.arrived.pop_front() {
                break line;
            }
            match self.message()? {
                Some(Message::Lines { text }) => self.arrived.extend(text.lines().map(str::to_owned)),
                Some(Message::End { stays: None, lost: 0, .. }) => {}
                Some(other) => bail!("{other:?}"),
                None => return Ok(None),
            }
        };
        let (time, rest) = line.trim_end().trim_start().split_once("  ").context("a line without time")?;
        ensure!(time.parse::<f64>().is_ok(), "no time: {line:?}");
        self.seen.push(rest.to_owned());
        Ok(Some(rest.to_owned()))
    }

    /// Reads until a line with this prefix.
    pub(crate) fn until(&mut self, begin: &str) -> Result<String> {
        while let Some(line) = self.line()? {
            if line.starts_with(begin) {
                return Ok(line);
            }
        }
        bail!("no line begins with {begin:?}: {:#?}", self.seen)
    }

    /// Asks for the end, which detaches `watch`, and returns its whole output.
    pub(crate) fn disconnect(mut self) -> Result<Vec<String>> {
        self.sender.send(&Message::Stop, PATIENCE)?;
        while self.line()?.is_some() {}
        let last: Vec<&str> = self.seen.iter().rev().take(2).map(String::as_str).collect();
        ensure!(
            last[0] == "detached" && self.seen.iter().any(|line| line == "detaching"),
            "{:#?}",
            self.seen
        );
        Ok(self.seen)
    }
}

/// The lines of `watch` that a response of the program implies.
pub(crate) fn seen_for(answer: &str) -> Result<Vec<String>> {
    let words: Vec<&str> = answer.split(' ').collect();
    Ok(match words.as_slice() {
        ["caught", exception, "in", method] => {
            vec![format!("exception  {exception}"), format!("caught     in {method}")]
        }
        ["collected", generation, "1", "times"] => {
            let generation = generation.trim_end_matches(',');
            vec![format!("gc         collection of generation {generation}, induced")]
        }
        ["thread", name, "ended"] => {
            vec![format!("thread     is called {name:?}"), "thread     ends".to_owned()]
        }
        ["loaded", path] => vec![format!("module     {path}")],
        _ => bail!("the program said {answer:?}"),
    })
}

/// Checks that the lines are present, in this order, with any others between them.
pub(crate) fn contains(seen: &[String], expected: &[String]) -> Result<()> {
    let mut seen_on = seen.iter();
    for line in expected {
        ensure!(
            seen_on.any(|seen| seen.starts_with(line)),
            "{line:?} is not there, or not in its place: {seen:#?}"
        );
    }
    Ok(())
}
