//! The calls in progress on each thread, in a file: it survives the process, whatever a call does to that.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How deep calls nest: a call, the callbacks that it causes, and their calls.
pub(crate) const DEEPEST: usize = 3;
/// How many threads are told apart.
const THREADS: usize = 128;
/// The calls of a thread that are kept for each depth.
const KEPT: u64 = 4;
/// The length of a line.
const LINE: usize = 320;

/// The journal.
pub(crate) struct Journal {
    file: File,
    begin: Instant,
    /// Numbers the calls.
    next: AtomicU64,
    threads: Vec<Thread>,
    free: Mutex<Vec<usize>>,
}

/// The calls that a thread makes: their beginnings in milliseconds, or 0.
#[derive(Default)]
struct Thread {
    since: [AtomicU64; DEEPEST],
}

/// A call in progress.
pub(crate) struct Entry<'j> {
    journal: &'j Journal,
    thread: usize,
    depth: usize,
    offset: u64,
    line: RefCell<String>,
}

impl Journal {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            begin: Instant::now(),
            next: AtomicU64::new(0),
            threads: (0..THREADS).map(|_| Thread::default()).collect(),
            free: Mutex::new((0..THREADS).rev().collect()),
        })
    }

    /// The number of calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// A place for a thread; `None` if too many have one.
    pub(crate) fn add_thread(&self) -> Option<usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// The thread has ended.
    pub(crate) fn remove_thread(&self, thread: usize) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
    }

    /// A call begins.
    pub(crate) fn begin(&self, thread: usize, depth: usize, call: &str) -> Entry<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let slot = ((thread * DEEPEST + depth) as u64) * KEPT + number % KEPT;
        let line = format!("> {number:>6} thread {thread:>2} depth {depth} {call}");
        let entry =
            Entry { journal: self, thread, depth, offset: slot * LINE as u64, line: RefCell::new(line) };
        entry.write();
        if let Some(since) = self.since(thread, depth) {
            since.store(self.now(), Ordering::Relaxed);
        }
        entry
    }

    /// Whether a call has lasted so long, and its thread.
    pub(crate) fn longer_than(&self, limit: Duration) -> Option<usize> {
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let now = self.now();
        self.threads.iter().position(|thread| {
            // An outer call lasts as long as its inner ones.
            let innermost = thread.since.iter().map(|since| since.load(Ordering::Relaxed)).max();
            innermost.is_some_and(|since| since != 0 && now.saturating_sub(since) > limit)
        })
    }

    fn since(&self, thread: usize, depth: usize) -> Option<&AtomicU64> {
        self.threads.get(thread)?.since.get(depth)
    }

    /// Milliseconds, from 1.
    fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) {
        // An error cannot be reported here; the test notices the missing lines.
        #[cfg(unix)]
        let _ = std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset);
        #[cfg(windows)]
        let _ = std::os::windows::fs::FileExt::seek_write(&self.file, bytes, offset);
    }
}

impl Entry<'_> {
    /// Adds an argument.
    pub(crate) fn note(&self, argument: &dyn std::fmt::Debug) {
        let mut text = String::new();
        let _ = write!(text, " {argument:?}");
        if text.len() > 60 {
            text = text.chars().take(57).collect::<String>() + "…";
        }
        self.line.borrow_mut().push_str(&text.replace('\n', " "));
        self.write();
    }

    fn write(&self) {
        let mut bytes = self.line.borrow().clone().into_bytes();
        bytes.resize(LINE - 1, b' ');
        bytes.push(b'\n');
        self.journal.write_at(&bytes, self.offset);
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.journal.write_at(b".", self.offset);
        if let Some(since) = self.journal.since(self.thread, self.depth) {
            since.store(0, Ordering::Relaxed);
        }
        // An outer call continues, and its time begins anew.
        let outer = self.depth.checked_sub(1).and_then(|outer| self.journal.since(self.thread, outer));
        if let Some(since) = outer {
            since.store(self.journal.now(), Ordering::Relaxed);
        }
    }
}
