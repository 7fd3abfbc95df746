//! A recording that is being made: what its threads share.

use core::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use argvalues::Primitive;

use crate::clock::{Clock, ClockKind};
use crate::definition::{Function, Process, Thread};
use crate::format::MAX_FUNCTIONS;
use crate::lane::{Consumer, Size, lane};
use crate::thread::ThreadRecorder;
use crate::writer;

/// What happens to a record when all memory of its thread is full, since the file is written more slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It is dropped and counted. The file says how many are missing and where. The program is not slowed down.
    Drop,
    /// The thread waits until there is room. Nothing is missing. A garbage collection has to wait too when the thread is
    /// in a hook.
    Wait,
}

/// How a recording is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is done when the file is written more slowly than records are made.
    pub when_full: WhenFull,
    /// How many bytes a thread fills before it hands them over. A record is no longer than this.
    pub chunk_bytes: usize,
    /// How many of these each thread has. With `chunk_bytes`, this bounds the memory of a thread.
    pub chunks: usize,
    /// How long records wait at most until they are written when there are too few to fill a chunk. A crash of the
    /// process loses those.
    pub interval: Duration,
    /// The clock; the monotonic one if this machine does not have it.
    pub clock: ClockKind,
    /// What is written about the process.
    pub process: Process,
}

impl Default for Options {
    /// 4 chunks of 128 KiB for each thread, written every 100 ms at least; threads wait when they are full.
    fn default() -> Self {
        Self {
            when_full: WhenFull::Wait,
            chunk_bytes: 128 << 10,
            chunks: 4,
            interval: Duration::from_millis(100),
            clock: ClockKind::best(),
            process: Process::default(),
        }
    }
}

/// The number of a function in a recording: from 0 in the order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionNumber(pub(crate) u32);

/// A function that has been defined: what its calls are recorded with.
#[derive(Clone, Debug)]
pub struct Defined {
    pub(crate) number: FunctionNumber,
    pub(crate) arguments: Option<Box<[Primitive]>>,
    /// How many bytes of each are recorded.
    pub(crate) sizes: Box<[Size]>,
    pub(crate) result: Option<Primitive>,
    /// How many bytes of it are recorded.
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

    /// Whether the result is a primitive, or there is none: then [`ThreadRecorder::leave`] records the end of a call, if
    /// there is nothing else to record of it.
    #[must_use]
    pub const fn has_plain_end(&self) -> bool {
        self.has_plain_end
    }
}

/// What a recording has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many bytes were written.
    pub bytes: u64,
    /// How many records were dropped.
    pub lost: u64,
}

/// A recording that is being made.
///
/// Functions are [defined](Self::define) once. Each thread that records has a [`ThreadRecorder`] of its own and takes no
/// lock. One thread of the recording's own writes the file, in whole blocks, at least every [`Options::interval`].
///
/// ```
/// use argvalues::Primitive;
/// use recording::{Event, Function, Options, Reader, Recorder, What};
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
/// while let Some(Event { thread, depth, what, .. }) = reader.next()? {
///     if let What::Enter(function, _) = what {
///         names.push((thread.id, depth, function.name.clone()));
///     }
/// }
/// assert_eq!(names, [(4711, 0, "Shop.Cart.Add".to_owned())]);
/// # Ok(())
/// # }
/// ```
pub struct Recorder {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<io::Result<Summary>>>>,
}

/// What all threads see.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    /// What the writer has not taken over yet.
    pub(crate) announced: Mutex<Announced>,
    /// The writer shall write what there is, and end.
    pub(crate) stopping: AtomicBool,
    /// Nobody writes any more: what is recorded is lost.
    pub(crate) over: AtomicBool,
    /// To wake the writer.
    writer: std::sync::OnceLock<std::thread::Thread>,
}

/// Definitions and threads since the writer has last looked.
#[derive(Default)]
pub(crate) struct Announced {
    pub(crate) functions: Vec<u8>,
    pub(crate) threads: Vec<(Thread, Consumer)>,
    next_function: u32,
    next_thread: u32,
}

impl Shared {
    pub(crate) fn announced(&self) -> MutexGuard<'_, Announced> {
        self.announced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There is something to write.
    pub(crate) fn wake(&self) {
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }
}

impl Recorder {
    /// Begins a recording. `failed` is told, on the writer's thread, when the output cannot be written; nothing is
    /// recorded from then on.
    ///
    /// # Errors
    /// When the beginning cannot be written, or no thread started.
    pub fn start(
        output: impl Write + Send + 'static,
        options: Options,
        failed: impl FnOnce(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let clock = Clock::start(options.clock);
        let shared = Arc::new(Shared {
            options,
            clock,
            announced: Mutex::default(),
            stopping: AtomicBool::new(false),
            over: AtomicBool::new(false),
            writer: std::sync::OnceLock::new(),
        });
        let file = writer::begin(output, &shared)?;
        let for_writer = Arc::clone(&shared);
        let writer = std::thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || writer::run(file, &for_writer, failed))?;
        // Nobody else sets it.
        let _ = shared.writer.set(writer.thread().clone());
        Ok(Self { shared, writer: Mutex::new(Some(writer)) })
    }

    /// Defines a function. `None` when there are 2²⁸ already.
    #[must_use]
    pub fn define(&self, function: &Function) -> Option<Defined> {
        let mut announced = self.shared.announced();
        let number = announced.next_function;
        if number >= MAX_FUNCTIONS {
            return None;
        }
        announced.next_function += 1;
        function.write(number, &mut announced.functions);
        Some(Defined {
            number: FunctionNumber(number),
            arguments: function.arguments.clone(),
            sizes: function.arguments.iter().flatten().copied().map(Size::of).collect(),
            result: function.result,
            result_size: function.result.map_or(Size::NONE, Size::of),
            has_plain_end: function.result.is_some() || function.returns.is_none(),
        })
    }

    /// What the running thread records with; `id` is the operating system's id of it.
    #[must_use]
    pub fn thread(&self, id: u64) -> ThreadRecorder {
        let options = &self.shared.options;
        let (producer, consumer) = lane(options.chunks, options.chunk_bytes.max(ThreadRecorder::LEAST));
        let mut announced = self.shared.announced();
        let number = announced.next_thread;
        announced.next_thread = number.wrapping_add(1);
        announced.threads.push((Thread { number, id }, consumer));
        drop(announced);
        ThreadRecorder::new(Arc::clone(&self.shared), producer)
    }

    /// What the times of records are.
    #[must_use]
    pub fn clock(&self) -> ClockKind {
        self.shared.clock.kind()
    }

    /// Writes what all threads have recorded, and ends the recording: what is recorded afterwards is lost. The second
    /// time nothing is done.
    ///
    /// # Errors
    /// When the output could not be written.
    pub fn finish(&self) -> io::Result<Summary> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return Ok(Summary::default()) };
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.wake();
        writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that writes the recording panicked")))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Who wants to know has called it.
        let _ = self.finish();
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("options", &self.shared.options).finish_non_exhaustive()
    }
}
