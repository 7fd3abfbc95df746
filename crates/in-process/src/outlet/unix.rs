//! Files and streams on Unix.
//!
//! Contract of the unsafe code here: calls of the C library about the signals of the running thread and about locks, with
//! pointers to locals.
#![allow(unsafe_code)]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(not(target_os = "linux"))]
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Resource, getrlimit};

use super::{PATIENCE, of_process, too_large};

/// The free capacity at which a pipe is reported as writable.
const PIECE: usize = 4096;
/// By how much a file has to have changed after the process began, to have been written by another one: clocks are coarse.
const COARSE: Duration = Duration::from_millis(20);
/// Whether standard error has not accepted its data in time. It is one stream, whichever outlet writes to it.
static IS_STALLED: AtomicBool = AtomicBool::new(false);

/// A file or stream that a profiler writes to.
#[derive(Debug)]
pub struct Outlet {
    target: Target,
    /// The offset of the next byte in a regular file; absent for a stream.
    position: Option<u64>,
    /// The length that a regular file may have.
    most: u64,
    /// A line has begun and not ended.
    is_cut: bool,
    /// Whether the stream has not accepted its data in time; for standard error, [`IS_STALLED`] has it.
    is_stalled: AtomicBool,
}

#[derive(Debug)]
enum Target {
    File(File, PathBuf),
    Stream(OwnedFd),
    StandardError,
}

impl Outlet {
    /// Opens a file, or a named stream.
    ///
    /// The file of another process is left alone: the output then goes to a file with this process's id in its
    /// [name](Self::path).
    ///
    /// # Errors
    /// If it cannot be opened, or is a FIFO without a reader.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (file, metadata) = open(path)?;
        if !metadata.is_file() {
            if metadata.file_type().is_fifo() && is_locked(&file) {
                return Err(io::Error::other("another process writes to it"));
            }
            return Ok(Self::new(Target::File(file, path.to_owned()), None));
        }
        let (file, path) = if is_locked(&file) || is_newer_than_we(&metadata) {
            let own = of_process(path, std::process::id());
            let (file, _) = open(&own)?;
            (file, own)
        } else {
            (file, path.to_owned())
        };
        file.set_len(0)?;
        Ok(Self::new(Target::File(file, path), Some(0)))
    }

    /// Standard error.
    #[must_use]
    pub fn standard_error() -> Self {
        Self::new(Target::StandardError, None)
    }

    /// Creates an outlet for an open stream, such as a socket.
    #[must_use]
    pub fn stream(stream: OwnedFd) -> Self {
        Self::new(Target::Stream(stream), None)
    }

    const fn new(target: Target, position: Option<u64>) -> Self {
        Self { target, position, most: u64::MAX, is_cut: false, is_stalled: AtomicBool::new(false) }
    }

    /// Limits the length of a regular file: what would exceed it is not written, and an error.
    #[must_use]
    pub fn limited(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Returns the path of the file, if this is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(_, path) => Some(path),
            Target::Stream(_) | Target::StandardError => None,
        }
    }

    /// Returns the offset of the next byte in a regular file; `None` for a stream.
    #[must_use]
    pub const fn position(&self) -> Option<u64> {
        self.position
    }

    /// Writes a line, with its end. When it fails nothing of it is left in a regular file, and in a stream its beginning
    /// is ended before the next line.
    ///
    /// # Errors
    /// When it cannot be written, or a stream does not take it in time. The next line is tried all the same.
    pub fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_cut {
            self.write_all(b"\n")?;
            self.is_cut = false;
        }
        let begin = self.position;
        let mut written = 0;
        let result = loop {
            match line.get(written..).unwrap_or_default() {
                [] => break Ok(()),
                rest => match self.write(rest) {
                    Ok(0) => break Err(ErrorKind::WriteZero.into()),
                    Ok(count) => written += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => break Err(error),
                },
            }
        };
        if result.is_err() && written > 0 {
            match (&self.target, begin) {
                // What cannot be taken back is ended.
                (Target::File(file, _), Some(begin)) if file.set_len(begin).is_ok() => {
                    self.position = Some(begin)
                }
                _ => self.is_cut = true,
            }
        }
        result
    }

    fn write_at(&mut self, bytes: &[u8], position: u64) -> io::Result<usize> {
        let Target::File(file, _) = &self.target else { return Err(ErrorKind::Unsupported.into()) };
        if position.saturating_add(bytes.len() as u64) > self.most {
            return Err(too_large());
        }
        let written = without_size_signal(|| file.write_at(bytes, position))?;
        self.position = Some(position + written as u64);
        Ok(written)
    }

    fn write_stream(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let error = io::stderr();
        let stream = match &self.target {
            Target::File(file, _) => file.as_fd(),
            Target::Stream(stream) => stream.as_fd(),
            Target::StandardError => error.as_fd(),
        };
        let is_stalled = match &self.target {
            Target::StandardError => &IS_STALLED,
            Target::File(..) | Target::Stream(_) => &self.is_stalled,
        };
        let patience = if is_stalled.load(Ordering::Relaxed) { Duration::ZERO } else { PATIENCE };
        let deadline = Instant::now() + patience;
        // A stream that was opened here does not block, and is no regular file: it takes what it can, and has no limit of its
        // length. Of another one neither is known.
        let is_own = matches!(self.target, Target::File(..));
        let piece = if is_own { bytes } else { bytes.get(..PIECE).unwrap_or(bytes) };
        let mut is_full = !is_own;
        loop {
            if is_full && !takes(stream, deadline)? {
                is_stalled.store(true, Ordering::Relaxed);
                return Err(io::Error::new(ErrorKind::TimedOut, "nobody reads what is written"));
            }
            let write = || Ok(rustix::io::write(stream, piece)?);
            match if is_own { write() } else { without_size_signal(write) } {
                // Another thread or process was quicker; or it takes less than this at once.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if core::mem::replace(&mut is_full, true) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                written => {
                    is_stalled.store(false, Ordering::Relaxed);
                    return written;
                }
            }
        }
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.position {
            Some(position) => self.write_at(bytes, position),
            None => self.write_stream(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until standard error accepts data, and returns `false` if it does not in time. For output that an [`Outlet`] cannot
/// write, such as that of the default panic hook.
#[must_use]
pub fn standard_error_accepts() -> bool {
    let patience = if IS_STALLED.load(Ordering::Relaxed) { Duration::ZERO } else { PATIENCE };
    // A closed stream does not keep its writer waiting.
    let accepts = takes(io::stderr().as_fd(), Instant::now() + patience).unwrap_or(true);
    IS_STALLED.store(!accepts, Ordering::Relaxed);
    accepts
}

fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Without waiting for a FIFO's reader, and without becoming the process's terminal.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let opened = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ENXIO) => io::Error::new(error.kind(), "nobody reads it; start its reader first"),
        _ => error,
    })?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// Creates a file for reading and writing. It is its owner's alone.
///
/// # Errors
/// If it cannot be created, or something has the name already.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Marks a new file as this process's, until it ends or closes the file.
pub(crate) fn hold(file: &File) {
    // Nobody else has a new file.
    let _ = is_locked(file);
}

/// Returns whether the process that writes a file as an [`Outlet`] is still running. Otherwise nobody else opens it until the
/// file is closed. The file is open for writing.
#[must_use]
pub fn is_held(file: &File) -> bool {
    is_locked(file)
}

/// Writes all bytes at a position of a regular file. A limit on the size of files is an error.
///
/// # Errors
/// If not all can be written.
pub fn write_all_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    without_size_signal(|| file.write_all_at(bytes, position))
}

/// Returns whether another process has locked the file. Otherwise this process locks it until it ends.
///
/// The lock is not `flock`'s, by which .NET represents `FileShare`: the program can open the file while it is written.
#[cfg(target_os = "linux")]
fn is_locked(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;

    // SAFETY: all fields are integers, for which zero is a value: from the beginning to the end, whatever it is.
    let mut whole: libc::flock = unsafe { core::mem::zeroed() };
    #[allow(clippy::cast_possible_truncation, reason = "a constant, which is 1")]
    let exclusive = libc::F_WRLCK as libc::c_short;
    whole.l_type = exclusive;
    // SAFETY: the file is open, and the lock is a local that the call reads.
    let locked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const whole) };
    // Where files cannot be locked, no process has locked this one.
    let refused = io::Error::last_os_error().raw_os_error();
    locked == -1 && matches!(refused, Some(libc::EAGAIN | libc::EACCES))
}

/// Returns whether another process has locked the file. Otherwise this process locks it until it ends.
#[cfg(not(target_os = "linux"))]
fn is_locked(file: &File) -> bool {
    // Where files cannot be locked, no process has locked this one.
    flock(file, FlockOperation::NonBlockingLockExclusive) == Err(rustix::io::Errno::WOULDBLOCK)
}

/// Returns whether another process has written a file since this process started.
fn is_newer_than_we(metadata: &Metadata) -> bool {
    let written = metadata.size() > 0;
    let changed = metadata.modified().ok();
    written && began().zip(changed).is_some_and(|(began, changed)| changed > began + COARSE)
}

/// Returns the start time of this process.
#[cfg(target_os = "linux")]
fn began() -> Option<SystemTime> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: u64 = after_name.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let begin = Duration::from_millis(ticks.checked_mul(1000)? / rustix::param::clock_ticks_per_second());
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let now = Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?);
    SystemTime::now().checked_sub(now.checked_sub(begin)?)
}

#[cfg(not(target_os = "linux"))]
fn began() -> Option<SystemTime> {
    None
}

/// Waits until a stream is writable. Returns `false` after the deadline.
fn takes(stream: BorrowedFd<'_>, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left =
            Timespec { tv_sec: left.as_secs().try_into().unwrap_or(0), tv_nsec: left.subsec_nanos().into() };
        // A stream whose other end is closed is ready too: the write reports the error.
        match poll(&mut [PollFd::from_borrowed_fd(stream, PollFlags::OUT)], Some(&left)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes, with SIGXFSZ kept from ending the program where files have a limit: then it is `EFBIG`.
fn without_size_signal<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    if getrlimit(Resource::Fsize).current.is_none() {
        return write();
    }
    // SAFETY: the sets are locals that the calls fill in; the mask is the running thread's.
    unsafe {
        let (mut limit, mut before) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigemptyset(&raw mut limit);
        libc::sigaddset(&raw mut limit, libc::SIGXFSZ);
        let blocked = libc::pthread_sigmask(libc::SIG_BLOCK, &raw const limit, &raw mut before);
        let written = write();
        if blocked == 0 {
            let is_over = written.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EFBIG));
            // If the program had it blocked, or pending, it is not ours alone to take.
            if is_over && libc::sigismember(&raw const before, libc::SIGXFSZ) == 0 {
                take_pending(&raw const limit);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, core::ptr::null_mut());
        }
        written
    }
}

/// Takes a signal that is pending for the running thread.
///
/// # Safety
/// `set` points to a set of signals, which are blocked.
unsafe fn take_pending(set: *const libc::sigset_t) {
    #[cfg(not(target_os = "macos"))]
    // SAFETY: guaranteed by the caller; the time is a local.
    unsafe {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::sigtimedwait(set, core::ptr::null_mut(), &raw const at_once);
    }
    #[cfg(target_os = "macos")]
    // SAFETY: guaranteed by the caller; the number is a local. It is called only if a signal is pending, so that it
    // does not wait.
    unsafe {
        let mut pending = core::mem::zeroed();
        libc::sigpending(&raw mut pending);
        if libc::sigismember(&raw const pending, libc::SIGXFSZ) == 1 {
            libc::sigwait(set, &mut 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_file_is_the_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.rec");
        let mut outlet = Outlet::create(&path).unwrap();
        outlet.write_line(b"one\n").unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!(metadata.mode() & 0o777, 0o600);
        drop(outlet);
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
    }

    #[test]
    fn a_file_that_somebody_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.rec");
        let own = of_process(&path, std::process::id());
        let mut first = Outlet::create(&path).unwrap();
        first.write_line(b"first\n").unwrap();
        // It can be opened with .NET's `FileShare`, which is a lock.
        let shared = File::open(&path).unwrap();
        rustix::fs::flock(&shared, rustix::fs::FlockOperation::NonBlockingLockShared).unwrap();
        // A lock belongs to the open file description.
        let mut second = Outlet::create(&path).unwrap();
        second.write_line(b"second\n").unwrap();
        assert_eq!((first.path(), second.path()), (Some(&*path), Some(&*own)));
        assert_eq!(std::fs::read(&path).unwrap(), b"first\n");
        assert_eq!(std::fs::read(&own).unwrap(), b"second\n");
        // It has been written since this process began, by one that has ended.
        drop(first);
        drop(second);
        std::thread::sleep(Duration::from_millis(50));
        std::fs::write(&path, "another's").unwrap();
        assert_eq!(Outlet::create(&path).unwrap().path(), Some(&*own));
        // One from before is replaced.
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(Outlet::create(&path).unwrap().path(), Some(&*path));
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_fifo_without_a_reader_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = Outlet::create(&path).unwrap_err().to_string();
        assert!(error.contains("nobody reads it"), "{error}");
    }

    #[test]
    fn a_stream_that_nobody_reads_is_waited_for_once() {
        let (writer, mut reader) = UnixStream::pair().unwrap();
        writer.set_nonblocking(true).unwrap();
        let mut outlet = Outlet::stream(writer.into());
        let line = [[b'x'; 99].as_slice(), b"\n"].concat();
        let begin = Instant::now();
        let mut whole = 0;
        while outlet.write_line(&line).is_ok() {
            whole += 1;
        }
        for _ in 0..1000 {
            assert!(outlet.write_line(&line).is_err());
        }
        assert!(begin.elapsed() < PATIENCE * 2, "{:?}", begin.elapsed());
        // When the stream is read again, the output continues with whole lines.
        let reading = std::thread::spawn(move || {
            let mut all = String::new();
            reader.read_to_string(&mut all).unwrap();
            all
        });
        std::thread::sleep(Duration::from_millis(100));
        outlet.write_line(&line).unwrap();
        drop(outlet);
        let all = reading.join().unwrap();
        let lines: Vec<_> = all.lines().collect();
        assert_eq!(lines.iter().filter(|line| line.len() == 99).count(), whole + 1);
        assert!(lines.len() <= whole + 2);
    }

    #[test]
    fn a_limited_file_gets_whole_lines_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut outlet = Outlet::create(&path).unwrap().limited(10);
        let written = ["one\n", "two\n", "three\n", "4\n"].map(|line| outlet.write_line(line.as_bytes()));
        assert_eq!(
            written.map(|written| written.map_err(|error| error.kind())),
            [Ok(()), Ok(()), Err(ErrorKind::FileTooLarge), Ok(())]
        );
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one\ntwo\n4\n");
    }

    #[test]
    fn a_limit_on_files_is_an_error() {
        const CHILD: &str = "OUTLET_TEST_LIMIT";
        if let Some(path) = std::env::var_os(CHILD) {
            let mut outlet = Outlet::create(Path::new(&path)).unwrap();
            let limit = libc::rlimit { rlim_cur: 1000, rlim_max: libc::RLIM_INFINITY };
            // SAFETY: a local.
            unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
            let line = [[b'x'; 99].as_slice(), b"\n"].concat();
            let written = (0..20).filter(|_| outlet.write_line(&line).is_ok()).count();
            assert_eq!(written, 10);
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let test = "outlet::unix::tests::a_limit_on_files_is_an_error";
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env(CHILD, &path)
            .output()
            .unwrap();
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 1000);
    }
}
