//! A recording in progress: the state that its threads share.

use core::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use argvalues::Primitive;

use crate::bytes::put_count;
use crate::clock::{Clock, ClockKind};
use crate::definition::{Function, FunctionNumber, Process, Thread};
use crate::definitions::Definitions;
use crate::error::FinishError;
use crate::flushes::Flushes;
use crate::format::{BLOCK_HEADER, block};
use crate::journal::{Journal, Kind, Purpose};
use crate::lane::{Consumer, Plan, Size};
use crate::limits::{MAX_BLOCK, NAP};
use crate::omitted::Omitted;
use crate::sessions::{Interned, WrittenSession};
use crate::thread::ThreadRecorder;
use crate::writer;

/// The handling of a record when all memory of its thread is full, because the file is written more slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The record is dropped and counted. The file has the number and the position of lost records. The program is not
    /// slowed down.
    Drop,
    /// The thread waits until there is room. Nothing is missing. A garbage collection has to wait too when the thread is
    /// in a hook.
    Wait,
}

/// Options of a recording.
#[derive(Clone, Debug)]
pub struct Options {
    /// The handling of records when the file is written more slowly than they are made.
    pub when_full: WhenFull,
    /// The size of a chunk, which a thread fills before it passes it to the writer. The maximum size of a record.
    pub chunk_bytes: usize,
    /// The number of chunks of each thread. With `chunk_bytes`, this bounds the memory of a thread.
    pub chunks: usize,
    /// The maximum time until a record is written, if there are too few to fill a chunk. A crash of the process loses
    /// the records of that time, unless there is a [`Journal`].
    pub interval: Duration,
    /// The clock; the monotonic one if this machine does not have it.
    pub clock: ClockKind,
    /// Whether the writer compresses records. Threads and the journal do not: the same is there after a kill. A block whose records
    /// do not get shorter is not compressed.
    pub compressed: bool,
    /// The description of the process.
    pub process: Process,
}

impl Default for Options {
    /// 4 chunks of 128 KiB for each thread, written every 100 ms at least and not compressed; threads wait when they are full.
    fn default() -> Self {
        Self {
            when_full: WhenFull::Wait,
            chunk_bytes: 128 << 10,
            chunks: 4,
            interval: Duration::from_millis(100),
            clock: ClockKind::best(),
            compressed: false,
            process: Process::default(),
        }
    }
}

/// A defined function: the data for recording its calls.
#[derive(Clone, Debug)]
pub struct Defined {
    pub(crate) number: FunctionNumber,
    pub(crate) arguments: Option<Box<[Primitive]>>,
    /// The recorded size of each argument.
    pub(crate) sizes: Box<[Size]>,
    pub(crate) result: Option<Primitive>,
    /// The recorded size of the result.
    pub(crate) result_size: Size,
    /// Whether the end of a call is that of a method that returns nothing, or a primitive.
    pub(crate) has_plain_end: bool,
}

impl Defined {
    /// Its number.
    #[must_use]
    pub const fn number(&self) -> FunctionNumber {
        self.number
    }

    /// The types of the arguments, if all are primitives: then [`ThreadRecorder::enter`] records its calls.
    #[must_use]
    pub fn arguments(&self) -> Option<&[Primitive]> {
        self.arguments.as_deref()
    }

    /// The type of the result, if it is a primitive.
    #[must_use]
    pub const fn result(&self) -> Option<Primitive> {
        self.result
    }

    /// Returns whether the result is a primitive or `void`: then [`ThreadRecorder::leave`] records the end of a call, if
    /// there is nothing else to record of it.
    #[must_use]
    pub const fn has_plain_end(&self) -> bool {
        self.has_plain_end
    }
}

/// The totals of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of written bytes.
    pub bytes: u64,
    /// The number of dropped records.
    pub lost: u64,
}

/// A recording in progress.
///
/// Functions are [defined](Self::define) once. Each recording thread has a [`ThreadRecorder`] of its own and takes no
/// lock. One thread of the recording writes the file, in whole blocks, at least every [`Options::interval`].
///
/// ```
/// use argvalues::Primitive;
/// use recording::{Event, EventKind, Function, Options, Reader, Recorder};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = tempfile::tempfile()?;
/// let recorder = Recorder::start(file.try_clone()?, Options::default(), |error| eprintln!("{error}"))?;
/// let add = Function {
///     name: "Shop.Cart.Add".into(),
///     arguments: Some([Primitive::I32, Primitive::I32].into()),
///     ..Function::default()
/// };
/// let add = recorder.define(&add).ok_or("there are too many functions")?;
/// let mut thread = recorder.thread(4711);
/// thread.enter(&add, |index| [7, 8].get(index).copied());
/// thread.leave(&add, || None);
/// drop(thread);
/// recorder.finish()?;
///
/// # let mut file = file;
/// # std::io::Seek::rewind(&mut file)?;
/// let mut reader = Reader::new(file)?;
/// let mut names = Vec::new();
/// while let Some(Event { thread, depth, kind, .. }) = reader.next()? {
///     if let EventKind::Enter(function, _) = kind {
///         names.push((thread.id, depth, function.name.clone()));
///     }
/// }
/// assert_eq!(names, [(4711, 0, "Shop.Cart.Add".to_owned())]);
/// # Ok(())
/// # }
/// ```
pub struct Recorder {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<Result<Summary, FinishError>>>>,
}

/// The state that all threads share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    /// The journal of the file, for the memory of the threads.
    pub(crate) journal: Option<Arc<Journal>>,
    definitions: Mutex<Definitions>,
    /// What rows refer to. Locked before the definitions.
    interned: Mutex<Interned>,
    /// Threads that the writer has not seen yet.
    announced: Mutex<Vec<Recording>>,
    /// Sessions that the writer has not seen yet.
    announced_sessions: Mutex<Vec<WrittenSession>>,
    /// The writer is requested to write everything and end.
    pub(crate) stopping: AtomicBool,
    /// The writer has ended: later records are lost.
    pub(crate) over: AtomicBool,
    /// To wake the writer.
    writer: std::sync::OnceLock<std::thread::Thread>,
    pub(crate) flushes: Flushes,
}

/// A thread that records, as the writer sees it.
pub(crate) struct Recording {
    pub(crate) thread: Thread,
    pub(crate) consumer: Consumer,
    /// Whether the file has the thread's definition, or will have it before its records.
    pub(crate) is_defined: bool,
}

impl Shared {
    /// Returns the threads since the last call.
    pub(crate) fn new_threads(&self) -> Vec<Recording> {
        core::mem::take(&mut *self.announced.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the sessions since the last call.
    pub(crate) fn new_sessions(&self) -> Vec<WrittenSession> {
        core::mem::take(&mut *self.announced_sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The writer will write the rows of a session.
    pub(crate) fn announce_session(&self, session: WrittenSession) {
        self.announced_sessions.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }

    pub(crate) fn interned(&self) -> MutexGuard<'_, Interned> {
        self.interned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a block of definitions, without waiting. Returns `false` if there is no memory for it.
    pub(crate) fn put_at_once(&self, kind: u32, content: &[u8]) -> bool {
        self.definitions().put(kind, content, || false)
    }

    /// Records the definition of a function, without waiting.
    pub(crate) fn function_at_once(&self, function: &Function) -> Option<u32> {
        self.definitions().function(function, || false)
    }

    fn definitions(&self) -> MutexGuard<'_, Definitions> {
        self.definitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the writer make room. Returns `false` if it has ended.
    fn wait_for_writer(&self) -> bool {
        if self.over.load(Ordering::Acquire) {
            return false;
        }
        self.wake();
        std::thread::sleep(NAP);
        true
    }

    /// There is something to write.
    pub(crate) fn wake(&self) {
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }
}

impl Recorder {
    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Starts a recording, see [`start_with`](Self::start_with).
    ///
    /// # Errors
    /// If the header cannot be written, or the thread cannot be started.
    pub fn start(
        output: impl Write + Send + 'static,
        options: Options,
        failed: impl FnOnce(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        Self::start_with(output, None, options, failed)
    }

    /// Starts a recording whose records survive the end of the process in a journal, if there is one. The output is empty
    /// and is the file that the journal belongs to.
    ///
    /// `failed` is called on the writer thread when the output cannot be written; nothing is
    /// recorded from then on.
    ///
    /// # Errors
    /// If the header cannot be written, or the thread cannot be started.
    pub fn start_with(
        output: impl Write + Send + 'static,
        journal: Option<Journal>,
        options: Options,
        failed: impl FnOnce(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let clock = Clock::start(options.clock);
        let journal = journal.map(Arc::new);
        let purpose = journal.clone().map(|journal| Purpose { journal, kind: Kind::Blocks, thread: 0 });
        let bytes = options.chunk_bytes.max(ThreadRecorder::LEAST);
        let longest = BLOCK_HEADER + MAX_BLOCK as usize;
        let (producer, consumer) =
            Plan { chunks: options.chunks, bytes, longest, purpose, keeps: false }.lane();
        let definitions = Definitions::new(producer);
        let shared = Arc::new(Shared {
            options,
            clock,
            journal,
            definitions: Mutex::new(definitions),
            interned: Mutex::default(),
            announced: Mutex::default(),
            announced_sessions: Mutex::default(),
            stopping: AtomicBool::new(false),
            over: AtomicBool::new(false),
            writer: std::sync::OnceLock::new(),
            flushes: Flushes::default(),
        });
        let failed_to = |what: &str, error: io::Error| {
            // Nothing is missing in the output.
            shared.journal.iter().for_each(|journal| journal.remove());
            io::Error::new(error.kind(), format!("{what}: {error}"))
        };
        let file = writer::begin(output, &shared, consumer)
            .map_err(|error| failed_to("the beginning of the recording cannot be written", error))?;
        let for_writer = Arc::clone(&shared);
        let writer = std::thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || writer::run(file, &for_writer, failed))
            .map_err(|error| failed_to("the thread that writes the recording cannot be started", error))?;
        // Nobody else sets it.
        let _ = shared.writer.set(writer.thread().clone());
        Ok(Self { shared, writer: Mutex::new(Some(writer)) })
    }

    /// Defines a function. `None` when there are 2²⁸ already, or no memory for another one.
    ///
    /// One that has an identity and was defined before has the number that it had: a tracer may define it for each version of its code.
    /// Waits for the writer if many definitions are not written.
    #[must_use]
    pub fn define(&self, function: &Function) -> Option<Defined> {
        let number = self.shared.definitions().function(function, || self.shared.wait_for_writer())?;
        Some(Defined {
            number: FunctionNumber(number),
            arguments: function.arguments.clone(),
            sizes: function.arguments.iter().flatten().copied().map(Size::of).collect(),
            result: function.result,
            result_size: function.result.map_or(Size::NONE, Size::of),
            has_plain_end: function.result.is_some() || function.returns.is_none(),
        })
    }

    /// Adds calls of a function that the program has made and the recording leaves out, because its caller has chosen others. Returns
    /// `false` if there is no memory for their number.
    ///
    /// Waits for the writer, as [`define`](Self::define).
    pub fn omit(&self, function: FunctionNumber, omitted: Omitted) -> bool {
        let mut content = Vec::new();
        for number in [function.0.into(), omitted.calls, omitted.and_more.into()] {
            put_count(&mut content, number);
        }
        self.shared.definitions().put(block::OMITTED, &content, || self.shared.wait_for_writer())
    }

    /// Returns a recorder for the running thread; `id` is its operating system's id.
    #[must_use]
    pub fn thread(&self, id: u64) -> ThreadRecorder {
        let (thread, is_defined) = self.shared.definitions().thread(id, || self.shared.wait_for_writer());
        let number = thread.number;
        let options = &self.shared.options;
        let bytes = options.chunk_bytes.max(ThreadRecorder::LEAST);
        let journal = self.shared.journal.clone().filter(|_| is_defined);
        let purpose = journal.map(|journal| Purpose { journal, kind: Kind::Records, thread: number });
        let (producer, consumer) =
            Plan { chunks: options.chunks, bytes, longest: bytes, purpose, keeps: false }.lane();
        let mut announced = self.shared.announced.lock().unwrap_or_else(PoisonError::into_inner);
        announced.push(Recording { thread, consumer, is_defined });
        drop(announced);
        ThreadRecorder::new(Arc::clone(&self.shared), producer)
    }

    /// Returns the clock of the recording.
    #[must_use]
    pub fn clock(&self) -> ClockKind {
        self.shared.clock.kind()
    }

    /// Has everything written that was recorded before, for when the program is about to be killed. Waits `patience` at most. Returns
    /// `false` if it is not written by then, or the recording has ended.
    pub fn flush(&self, patience: Duration) -> bool {
        let request = self.shared.flushes.request();
        self.shared.wake();
        !self.shared.over.load(Ordering::Acquire) && self.shared.flushes.wait(request, patience)
    }

    /// Writes all records and ends the recording; later records are lost. A second call has no effect.
    ///
    /// # Errors
    /// If the output could not be written.
    pub fn finish(&self) -> Result<Summary, FinishError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return Ok(Summary::default()) };
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.wake();
        writer.join().unwrap_or_else(|_| {
            let source = io::Error::other("the thread that writes the recording panicked");
            Err(FinishError { source, lost: 0, bytes: 0 })
        })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // An interested caller has called it already.
        let _ = self.finish();
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("options", &self.shared.options).finish_non_exhaustive()
    }
}
