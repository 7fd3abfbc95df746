//! Progress of long work: bars and spinners on a terminal, plain lines otherwise.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A task with visible progress.
#[derive(Debug)]
pub struct Work {
    bar: Option<ProgressBar>,
    label: String,
}

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
        Self { bar, label: label.to_owned() }
    }

    /// Starts work of unknown length.
    #[must_use]
    pub fn spinner(label: &str) -> Self {
        let bar = on_terminal(label, 0, 0).map(|()| {
            let bar = ProgressBar::new_spinner().with_message(label.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, label: label.to_owned() }
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

/// A size for messages.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{}.{} MiB", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20)
}
