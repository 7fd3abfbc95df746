//! The output of `watch`, and the lines that it must have for the program's responses.

use std::io::{BufRead as _, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use anyhow::{Context as _, Result, bail, ensure};

/// The stream from `watch`.
pub(crate) struct Watching {
    pub(crate) lines: BufReader<UnixStream>,
    pub(crate) stream: UnixStream,
    pub(crate) seen: Vec<String>,
}

impl Watching {
    /// Returns the next line, without its time; `None` at the end.
    pub(crate) fn line(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line).with_context(|| format!("seen: {:#?}", self.seen))?;
        if length == 0 {
            return Ok(None);
        }
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

    /// Closes the stream, which detaches `watch`, and returns its whole output.
    pub(crate) fn disconnect(mut self) -> Result<Vec<String>> {
        self.stream.shutdown(Shutdown::Write)?;
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
