//! System.Reflection.Metadata, in a process of its own: `Reflection.cs`.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::Pass;

/// The process. It waits between its turns, and ends when it is dropped.
pub(crate) struct Reflection {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Reflection {
    /// Starts the command in `REFLECTION`.
    pub(crate) fn start() -> io::Result<Self> {
        let missing = |what| io::Error::other(format!("{what}; `cargo xtask bench bodies` sets REFLECTION"));
        let text = std::env::var("REFLECTION").map_err(|error| missing(error.to_string()))?;
        let mut words = text.lines();
        let program = words.next().ok_or_else(|| missing("no command".to_owned()))?;
        let mut command = Command::new(program);
        let mut child = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        Ok(Self { child, requests, answers: BufReader::new(answers) })
    }

    /// One pass: how long it took, how many bodies were not written as they were, and the sum of all results.
    pub(crate) fn pass(&mut self, request: &str) -> io::Result<Pass> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        match [numbers.next(), numbers.next(), numbers.next()] {
            [Some(Ok(nanoseconds)), Some(Ok(failed)), Some(Ok(sum))] => {
                let failed = usize::try_from(failed).unwrap_or(usize::MAX);
                Ok(Pass { time: Duration::from_nanos(nanoseconds), failed, sum })
            }
            _ => Err(io::Error::other(format!("the program for .NET answered {line:?}"))),
        }
    }
}

impl Drop for Reflection {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
