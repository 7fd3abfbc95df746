//! Lines of many threads in one file: each thread puts lines into memory of its own, and one thread writes them.

use core::fmt;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use corprof_in_process::outlet::Outlet;

use crate::journal::{Journal, Kind, Mark, Purpose};
use crate::lane::{Advance, Consumer, Drain, Plan, Producer};
use crate::limits::{MAX_LINE, NAP};
use crate::lines::{Format, Line, Place};
use crate::recorder::{Summary, WhenFull};

/// The maximum time until a line is written. A program that crashes takes longer to end.
const INTERVAL: Duration = Duration::from_millis(20);
/// The memory of a thread: a number of chunks of at most so many bytes.
const CHUNKS: usize = 4;
const CHUNK: usize = 128 << 10;

/// Lines of many threads in a file.
///
/// Each thread has a [`ThreadLog`] and takes no lock and makes no system call to write a line. The lines of a thread keep their
/// order; those of several threads are in the order in which they were written, every 20 ms at least.
/// Lines that cannot be written are counted, and the file says where they are missing as soon as it can be written again.
///
/// ```
/// use corprof_in_process::outlet::Outlet;
/// use recording::lines::{Format, Place};
/// use recording::{Log, WhenFull};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("calls.txt");
/// let log = Log::start(Outlet::create(&path)?, None, Format::Text, WhenFull::Wait, |error| eprintln!("{error}"))?;
/// let mut thread = log.thread(4711);
/// thread.write(Place { thread: 4711, depth: 0 }, "[4711] → Shop.Cart.Add()\n");
/// assert_eq!(log.finish().lost, 0);
/// assert_eq!(std::fs::read_to_string(path)?, "[4711] → Shop.Cart.Add()\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Log {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<Summary>>>,
}

/// The state that all threads share.
struct Shared {
    format: Format,
    when_full: WhenFull,
    /// Taken at the end, so that it is unmapped as soon as no thread has memory of it.
    journal: Mutex<Option<Arc<Journal>>>,
    /// The threads that the writer has not seen yet.
    announced: Mutex<Vec<(u64, Consumer)>>,
    /// The writer is requested to write everything and end.
    stopping: AtomicBool,
    /// The writer has ended.
    over: AtomicBool,
    writer: OnceLock<std::thread::Thread>,
}

impl Shared {
    fn announced(&self) -> Vec<(u64, Consumer)> {
        core::mem::take(&mut *self.announced.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn journal(&self) -> Option<Arc<Journal>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn wake(&self) {
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }
}

impl Log {
    /// Starts the thread that writes. The lines survive the end of the process in a journal, if there is one. `failed` is called on
    /// that thread the first time that a line cannot be written.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(
        outlet: Outlet,
        journal: Option<Journal>,
        format: Format,
        when_full: WhenFull,
        failed: impl FnOnce(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            format,
            when_full,
            journal: Mutex::new(journal.map(Arc::new)),
            announced: Mutex::default(),
            stopping: AtomicBool::new(false),
            over: AtomicBool::new(false),
            writer: OnceLock::new(),
        });
        let for_writer = Arc::clone(&shared);
        let journal = shared.journal();
        let mut file =
            File { outlet, journal, missing: 0, lost: 0, failed: Some(failed), line: String::new() };
        let writer = std::thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || file.run(&for_writer))
            .map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("the thread that writes the lines cannot be started: {error}"),
                )
            })?;
        // Nobody else sets it.
        let _ = shared.writer.set(writer.thread().clone());
        Ok(Self { shared, writer: Mutex::new(Some(writer)) })
    }

    /// Returns the log of the running thread; `id` is its operating system's id.
    #[must_use]
    pub fn thread(&self, id: u64) -> ThreadLog {
        let shared = &self.shared;
        let thread = u32::try_from(id).unwrap_or(u32::MAX);
        let journal = shared.journal();
        let purpose = journal.map(|journal| Purpose { journal, kind: Kind::Lines, thread });
        let (producer, consumer) =
            Plan { chunks: CHUNKS, bytes: CHUNK, longest: MAX_LINE, purpose, keeps: false }.lane();
        shared.announced.lock().unwrap_or_else(PoisonError::into_inner).push((id, consumer));
        ThreadLog { shared: Arc::clone(shared), producer, missing: 0 }
    }

    /// Writes all lines and ends; later lines are lost. A second call has no effect.
    pub fn finish(&self) -> Summary {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.wake();
        writer.and_then(|writer| writer.join().ok()).unwrap_or_default()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.finish();
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("format", &self.shared.format).finish_non_exhaustive()
    }
}

/// The log of a thread.
pub struct ThreadLog {
    shared: Arc<Shared>,
    producer: Producer,
    /// The lines that there was no room for since the last one that there was.
    missing: u64,
}

impl ThreadLog {
    /// Writes a line, which includes its end.
    pub fn write(&mut self, place: Place, line: &str) {
        if self.missing > 0 {
            return self.write_behind_missing(place, line);
        }
        if !self.put(line) {
            self.count_missing();
        }
    }

    #[cold]
    fn write_behind_missing(&mut self, place: Place, line: &str) {
        let mut lines = String::new();
        Line::lost(&mut lines, self.shared.format, place, self.missing);
        lines.push('\n');
        lines.push_str(line);
        if self.put(&lines) {
            self.missing = 0;
        } else {
            self.count_missing();
        }
    }

    #[cold]
    fn count_missing(&mut self) {
        self.missing += 1;
        self.producer.count_lost();
    }

    fn put(&mut self, line: &str) -> bool {
        if self.producer.space(line.len()).is_none() && !self.make_room(line.len()) {
            return false;
        }
        let Some(space) = self.producer.space(line.len()) else { return false };
        space.copy_from_slice(line.as_bytes());
        self.producer.publish(line.len());
        true
    }

    /// Moves to the next chunk. A thread may have to wait for it.
    #[cold]
    fn make_room(&mut self, bytes: usize) -> bool {
        if bytes > self.producer.longest() {
            return false;
        }
        loop {
            match self.producer.advance(bytes) {
                Advance::Begun => break,
                Advance::Full => {}
                Advance::NoMemory => return false,
            }
            if self.shared.over.load(Ordering::Acquire) || self.shared.when_full == WhenFull::Drop {
                return false;
            }
            self.shared.wake();
            std::thread::sleep(NAP);
        }
        self.shared.wake();
        true
    }
}

impl fmt::Debug for ThreadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadLog").field("missing", &self.missing).finish_non_exhaustive()
    }
}

/// The file, on the thread that writes it.
struct File<F> {
    outlet: Outlet,
    journal: Option<Arc<Journal>>,
    /// The lines that are missing since the last one that was written, and all that are.
    missing: u64,
    lost: u64,
    failed: Option<F>,
    line: String,
}

impl<F: FnOnce(&io::Error)> File<F> {
    /// Writes until the log ends.
    fn run(&mut self, shared: &Shared) -> Summary {
        let mut threads = Vec::new();
        let mut last = Instant::now();
        loop {
            // Read before the threads are drained: all lines up to now are written.
            let stopping = shared.stopping.load(Ordering::Acquire);
            let everything = stopping || last.elapsed() >= INTERVAL;
            threads.append(&mut shared.announced());
            let mut pieces = 0;
            threads.retain_mut(|(thread, consumer)| {
                let ended = consumer.has_ended();
                let which = if everything || ended { Drain::All } else { Drain::Full };
                pieces += consumer.drain(which, |lines, mark| self.write(shared, *thread, lines, mark));
                if ended || stopping {
                    self.lost += consumer.lost();
                }
                !ended && !stopping
            });
            if everything {
                last = Instant::now();
            }
            if stopping {
                break;
            }
            if everything || pieces == 0 {
                std::thread::park_timeout(INTERVAL.saturating_sub(last.elapsed()));
            }
        }
        shared.over.store(true, Ordering::Release);
        drop(threads);
        shared.journal.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(journal) = self.journal.take() {
            journal.remove();
        }
        Summary { bytes: self.length(), lost: self.lost }
    }

    fn length(&self) -> u64 {
        self.outlet.position().unwrap_or(0)
    }

    /// Writes whole lines of a thread.
    fn write(&mut self, shared: &Shared, thread: u64, lines: &[u8], mark: Option<Mark<'_>>) {
        let journal = self.journal.clone();
        let journal = journal.as_deref();
        if self.missing == 0 {
            if let Some(journal) = journal {
                journal.begin_write(mark, self.length() + lines.len() as u64);
            }
            let written = self.outlet.write_line(lines);
            if let (Ok(()), Some(journal)) = (&written, journal) {
                journal.end_write(mark, self.length());
            }
            match written {
                Ok(()) => return,
                Err(error) => self.report(&error),
            }
            if let Some(journal) = journal {
                journal.end_write(None, self.length());
            }
        }
        // As many of them as the disk takes. If the process ends meanwhile, the journal has them all.
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if let Err(error) = self.write_one(shared.format, thread, line) {
                self.missing += 1;
                self.lost += 1;
                self.report(&error);
            }
        }
        if let Some(journal) = journal {
            journal.end_write(mark, self.length());
        }
    }

    fn write_one(&mut self, format: Format, thread: u64, line: &[u8]) -> io::Result<()> {
        if self.missing > 0 {
            self.line.clear();
            Line::lost(&mut self.line, format, Place { thread, depth: depth_of(line) }, self.missing);
            self.line.push('\n');
            self.outlet.write_line(self.line.as_bytes())?;
            self.missing = 0;
        }
        self.outlet.write_line(line)
    }

    fn report(&mut self, error: &io::Error) {
        if error.kind() != ErrorKind::Interrupted
            && let Some(failed) = self.failed.take()
        {
            failed(error);
        }
    }
}

/// Returns the depth in a line of JSON; text has none.
fn depth_of(line: &[u8]) -> u64 {
    let text = str::from_utf8(line).unwrap_or_default();
    let digits = text.split_once(r#","depth":"#).map_or("", |(_, rest)| rest);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const PLACE: Place = Place { thread: 1, depth: 0 };

    fn log(path: &Path, when_full: WhenFull) -> (Log, Arc<Mutex<Vec<String>>>) {
        let errors = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&errors);
        let failed = move |error: &io::Error| reported.lock().unwrap().push(error.to_string());
        let outlet = Outlet::create(path).unwrap();
        let journal = Journal::create(path, "complete it").ok();
        (Log::start(outlet, journal, Format::Jsonl, when_full, failed).unwrap(), errors)
    }

    #[test]
    fn the_lines_of_each_thread_are_in_the_file_in_order() {
        const LINES: usize = if cfg!(miri) { 100 } else { 20_000 };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let (log, errors) = log(&path, WhenFull::Wait);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let mut own = log.thread(thread);
                scope.spawn(move || {
                    for number in 0..LINES {
                        // One is longer than a chunk.
                        let more = "x".repeat(if number == LINES / 2 { 2 * CHUNK } else { number % 50 });
                        own.write(PLACE, &format!("{thread} {number} {more}\n"));
                    }
                });
            }
        });
        assert!(Journal::path_of(&path).exists() || cfg!(miri));
        assert_eq!(log.finish().lost, 0);
        assert_eq!(*errors.lock().unwrap(), [""; 0]);
        assert!(!Journal::path_of(&path).exists());
        let mut next = [0; 3];
        for line in fs::read_to_string(&path).unwrap().lines() {
            let mut words = line.split(' ').map(|word| word.parse::<usize>());
            let (Some(Ok(thread)), Some(Ok(number))) = (words.next(), words.next()) else { panic!("{line}") };
            assert_eq!(number, next[thread]);
            next[thread] += 1;
        }
        assert_eq!(next, [LINES; 3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_full_disk_does_not_take_is_counted() {
        let (log, errors) = log(Path::new("/dev/full"), WhenFull::Wait);
        let mut thread = log.thread(1);
        for _ in 0..3 {
            thread.write(PLACE, "one\n");
        }
        assert_eq!(log.finish().lost, 3);
        assert_eq!(errors.lock().unwrap().len(), 1);
    }

    #[test]
    fn a_thread_that_does_not_wait_counts_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let (log, _) = log(&path, WhenFull::Drop);
        let mut thread = log.thread(1);
        let line = format!("{}\n", "x".repeat(CHUNK / 2));
        const LINES: u64 = 200;
        for _ in 0..LINES {
            thread.write(PLACE, &line);
        }
        std::thread::sleep(INTERVAL * 5);
        thread.write(PLACE, "last\n");
        let lost = log.finish().lost;
        let text = fs::read_to_string(&path).unwrap();
        let (mut written, mut missing) = (0, 0);
        for found in text.lines() {
            match found.strip_prefix(r#"{"event":"lost","thread":1,"depth":0,"records":"#) {
                Some(count) => missing += count.trim_end_matches('}').parse::<u64>().unwrap(),
                None => written += 1,
            }
        }
        assert_eq!((written + missing, missing), (LINES + 1, lost));
        assert!(text.ends_with("last\n"));
    }

    #[test]
    fn the_depth_of_a_line_is_read() {
        assert_eq!(depth_of(br#"{"event":"enter","thread":1,"depth":31,"module""#), 31);
        assert_eq!(depth_of("[1]   → A()".as_bytes()), 0);
    }
}
