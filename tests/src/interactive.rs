//! A running program that a test controls: lines to its standard input, lines from its standard output.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use corprof_testkit::launch::Launch;

/// The time limit for a response.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module's documentation. The program is killed on drop.
#[derive(Debug)]
pub struct Interactive {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    command: String,
    /// The commands and the responses, in order.
    talk: Vec<(char, String)>,
    stderr: PathBuf,
}

impl Interactive {
    /// Starts a program; what it writes to standard error goes to a file in `folder`.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start(launch: &Launch, folder: &Path) -> Result<Self> {
        let mut command = launch.command()?;
        let stderr = folder.join("stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(fs::File::create(&stderr)?);
        let shown = launch.shown(&launch.command()?);
        let mut child = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("no standard output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, stdin, lines, command: shown, talk: Vec::new(), stderr })
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line to the program.
    ///
    /// # Errors
    ///
    /// When the program has closed its input.
    pub fn send(&mut self, line: &str) -> Result<()> {
        self.talk.push(('>', line.to_owned()));
        let told = self.stdin.as_mut().is_some_and(|stdin| writeln!(stdin, "{line}").is_ok());
        if !told {
            bail!("it does not listen any more\n{}", self.report());
        }
        Ok(())
    }

    /// Returns the next line of output.
    ///
    /// # Errors
    ///
    /// When there is none before the time limit, or the program has ended.
    pub fn next_line(&mut self) -> Result<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.talk.push(('<', line.clone()));
                Ok(line)
            }
            Err(error) => bail!("no line from the program: {error}\n{}", self.report()),
        }
    }

    /// Sends a line, and returns the next line of output.
    ///
    /// # Errors
    ///
    /// When sending or receiving fails.
    pub fn request(&mut self, line: &str) -> Result<String> {
        self.send(line)?;
        self.next_line()
    }

    /// Waits for the program's end, after the last line: its exit code, if no signal ended it.
    ///
    /// # Errors
    ///
    /// When it does not end.
    pub fn end(&mut self) -> Result<Option<i32>> {
        self.stdin = None;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().context("cannot wait for the program")? {
                self.talk.extend(self.lines.iter().map(|line| ('<', line)));
                return Ok(status.code());
            }
            thread::sleep(Duration::from_millis(5));
        }
        bail!("it does not end\n{}", self.report())
    }

    /// The standard output so far.
    #[must_use]
    pub fn said(&self) -> Vec<&str> {
        self.talk.iter().filter(|(who, _)| *who == '<').map(|(_, line)| line.as_str()).collect()
    }

    /// The standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    /// The whole conversation, for a test that failed.
    #[must_use]
    pub fn report(&self) -> String {
        let mut report = format!("==== command\n{}\n==== told (>) and said (<)\n", self.command);
        for (who, line) in &self.talk {
            let _ = writeln!(report, "{who} {line}");
        }
        let _ = write!(report, "==== standard error\n{}", self.stderr());
        report
    }
}

impl Drop for Interactive {
    fn drop(&mut self) {
        // The program has usually ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
