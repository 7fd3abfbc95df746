//! Runs a program until its end or its timeout: writes its input, reads its output, waits, kills.

use std::io::{ErrorKind, Read, Write as _};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::finished::text;
use super::{Finished, Launch};
use corprof_cli::opened::Opened;

impl Launch {
    /// Runs the program until its end or its timeout.
    ///
    /// # Errors
    ///
    /// When it cannot be started. A failure of the program is in the result.
    pub fn run(self) -> Result<Finished> {
        let mut command = self.command()?;
        let repeat = self.shown(&command);
        let opened = self.profiler.as_ref().map(|profiler| Opened::watch(&profiler.library));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() });
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let begin = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start `{repeat}`"))?;
        let (answer, answered) = mpsc::channel();
        if let Some(mut stdin) = child.stdin.take() {
            let (input, answers) = (self.input.clone(), self.answers);
            thread::spawn(move || {
                // The program need not read all of its input.
                drop(stdin.write_all(&input));
                let mut lines = 0;
                while lines < answers {
                    // Nothing is received when the output has ended.
                    let Ok(more) = answered.recv() else { break };
                    lines += more;
                }
            });
        }
        let stdout = read(child.stdout.take(), Some(answer));
        let stderr = read(child.stderr.take(), None);
        let status = wait(&mut child, begin + self.limit())?;
        let timed_out = status.is_none();
        let status = match status {
            Some(status) => status,
            None => {
                kill_group(&mut child);
                child.wait().context("cannot wait for the program")?
            }
        };
        let duration = begin.elapsed();
        // A child of the program may still hold the pipes open.
        let grace = Instant::now() + Duration::from_secs(3);
        let [stdout, stderr] = [stdout, stderr].map(|output| {
            let left = grace.saturating_duration_since(Instant::now());
            output.recv_timeout(left).or_else(|_| {
                kill_group(&mut child);
                output.recv_timeout(Duration::from_secs(3))
            })
        });
        Ok(Finished {
            status,
            stdout: text(&stdout.unwrap_or_default()),
            stderr: text(&stderr.unwrap_or_default()),
            timed_out,
            duration,
            profiler_started: opened.map(|opened| opened.is_some_and(|opened| opened.seen())),
            repeat,
            launch: self,
        })
    }
}

/// Reads everything, and sends the number of complete lines meanwhile.
fn read(
    from: Option<impl Read + Send + 'static>,
    lines: Option<mpsc::Sender<usize>>,
) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut from) = from {
        thread::spawn(move || {
            let (mut bytes, mut room) = (Vec::new(), [0; 1 << 16]);
            loop {
                let length = match from.read(&mut room) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    // The result has what was read until the pipe broke.
                    Ok(0) | Err(_) => break,
                    Ok(length) => length,
                };
                let more = &room[..length];
                bytes.extend_from_slice(more);
                if let Some(lines) = &lines {
                    let _ = lines.send(more.iter().filter(|&&byte| byte == b'\n').count());
                }
            }
            drop(sender.send(bytes));
        });
    }
    receiver
}

/// Waits for the program's end; `None` when `deadline` comes first.
fn wait(child: &mut Child, deadline: Instant) -> Result<Option<ExitStatus>> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Kills the program and the children that remain in its process group.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The call fails when there is no process left.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    drop(child.kill());
}
