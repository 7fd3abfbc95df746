//! Progress of long work: bars and spinners on a terminal, plain lines otherwise.

use std::cell::Cell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A task with visible progress.
#[derive(Debug)]
pub struct Work {
    bar: Option<ProgressBar>,
    label: String,
    begin: Instant,
    /// When the last line was written, without a terminal.
    written: Cell<Instant>,
}

/// The time between lines without a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

impl Work {
    /// Starts a download of `size` bytes; `done` bytes are there already.
    #[must_use]
    pub fn download(label: &str, size: u64, done: u64) -> Self {
        let bar = on_terminal(label, done, size).map(|()| {
            let style = ProgressStyle::with_template(
                "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left",
            );
            let bar = ProgressBar::new(size).with_message(label.to_owned());
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.set_position(done);
            bar
        });
        Self::new(bar, label)
    }

    fn new(bar: Option<ProgressBar>, label: &str) -> Self {
        let now = Instant::now();
        Self { bar, label: label.to_owned(), begin: now, written: now.into() }
    }

    /// Starts work on `count` things.
    #[must_use]
    pub fn counted(label: &str, count: u64) -> Self {
        let bar = on_terminal(label, 0, 0).map(|()| {
            let style =
                ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {elapsed_precise} {wide_msg}");
            let bar = ProgressBar::new(count).with_prefix(label.to_owned());
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Self::new(bar, label)
    }

    /// Sets the number of things that are done, and how many there are; `last` is the name of the last.
    pub fn counts(&self, done: u64, count: u64, last: &str) {
        if let Some(bar) = &self.bar {
            bar.set_length(count);
            bar.set_position(done);
            bar.set_message(last.to_owned());
        } else if self.written.get().elapsed() >= BETWEEN_LINES {
            self.written.set(Instant::now());
            eprintln!("{}: {done} of {count} after {}, the last is {last} …", self.label, self.elapsed());
        }
    }

    /// The time since the work began, as in `12:05`.
    #[must_use]
    pub fn elapsed(&self) -> String {
        minutes(self.begin.elapsed())
    }

    /// Starts work of unknown length.
    #[must_use]
    pub fn spinner(label: &str) -> Self {
        let bar = on_terminal(label, 0, 0).map(|()| {
            let bar = ProgressBar::new_spinner().with_message(label.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self::new(bar, label)
    }

    /// Sets the number of bytes.
    pub fn at(&self, position: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
        }
    }

    /// Ends the work with a message.
    pub fn done(self, outcome: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{}: {outcome}", self.label);
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn on_terminal(label: &str, done: u64, size: u64) -> Option<()> {
    if std::io::stderr().is_terminal() {
        return Some(());
    }
    match (done, size) {
        (_, 0) => eprintln!("{label} …"),
        (0, _) => eprintln!("{label}: {} …", mebibytes(size)),
        (_, _) => eprintln!("{label}: {} of {} are here, going on …", mebibytes(done), mebibytes(size)),
    }
    None
}

/// A time for messages: minutes and seconds.
#[must_use]
pub fn minutes(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}

/// A size for messages.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{}.{} MiB", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_short() {
        assert_eq!(minutes(Duration::from_secs(725)), "12:05");
        assert_eq!(mebibytes(3 << 19), "1.5 MiB");
    }
}
