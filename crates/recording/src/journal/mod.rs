//! The journal of an output file: bytes that are recorded and not yet written to the file survive the end of the process.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the mapped file: its chunks, and the state of the output |
//! | `layout` | the positions of the file's fields |
//! | `complete` | appends what a killed process has left in a journal |
//!
//! The memory in which threads record is mapped from a file beside the output, so it outlives the process. The writer
//! thread appends its contents to the output. Before it does, it notes in the journal which bytes follow, and afterwards
//! that they are there, so that [`complete`] appends exactly what is missing. A process that ends in order removes its
//! journal.
//!
//! Contract of the unsafe code here: a run is a part of a mapping that is never unmapped while its [`Journal`] lives, and
//! belongs to one [`Run`] at a time. It begins with a [`ChunkHeader`], which is only accessed through atomics. Every mapped page
//! has a block on the disk before it is mapped. If another process shortens the file, accesses fault; the file is its owner's
//! alone.
#![allow(unsafe_code)]

mod complete;
mod layout;

use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memmap2::{MmapOptions, MmapRaw};

pub use complete::{CompleteError, Completed, complete};
pub(crate) use layout::{CHUNK_HEADER, Kind};

use layout::{CHUNK_MAGIC, FIRST_SEGMENT, LARGEST_SEGMENT, MAGIC, PAGE, TEXT, VERSION};

/// The bytes that are written at a time when the file grows.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// The state of the output, at the beginning of the file.
#[repr(C)]
struct Header {
    magic: AtomicU64,
    version: AtomicU64,
    /// The length of the output, up to which it is complete.
    committed: AtomicU64,
    /// The write in progress: the chunk that it is from, how much of that will be written, and the length of the output
    /// then. There is none if the length is not more than `committed`.
    writing_chunk: AtomicU64,
    writing_until: AtomicU64,
    writing_length: AtomicU64,
}

/// The beginning of a run of pages.
#[repr(C)]
struct ChunkHeader {
    magic: AtomicU32,
    /// The number of pages, which never changes.
    pages: AtomicU32,
    /// A [`Kind`]; 0 for memory that is not used.
    kind: AtomicU32,
    thread: AtomicU32,
    /// Chunks of one thread are in this order.
    order: AtomicU64,
    /// The bytes that the output has.
    written: AtomicU64,
    /// The bytes that are recorded.
    length: AtomicUsize,
}

const _: () = assert!(size_of::<ChunkHeader>() <= CHUNK_HEADER && size_of::<Header>() <= TEXT);

/// The mapped file beside an output. Its name is that of the output with `.journal` behind it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    header: Place,
    arena: Mutex<Arena>,
    order: AtomicU64,
    /// The output is complete, and the file could not be removed yet.
    is_over: AtomicBool,
}

/// The parts of the file.
#[derive(Debug)]
struct Arena {
    file: File,
    end: u64,
    /// All mappings, which live as long as this.
    segments: Vec<MmapRaw>,
    /// The part of the last segment that has not been used.
    unused: Option<(Place, usize)>,
    /// Returned runs of 1, 2, 4, … pages.
    free: Vec<Vec<Place>>,
}

/// An address in a mapping, and its offset in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    base: NonNull<u8>,
    offset: u64,
}

// SAFETY: it is an address, which any thread may use as the contract above says.
unsafe impl Send for Place {}
// SAFETY: as for `Send`.
unsafe impl Sync for Place {}

impl Place {
    /// The place a number of bytes behind this one.
    fn behind(self, bytes: usize) -> Self {
        // SAFETY: callers stay within the mapping, whose pages they have counted.
        Self { base: unsafe { self.base.add(bytes) }, offset: self.offset + bytes as u64 }
    }
}

/// The purpose of a lane's chunks.
#[derive(Clone, Debug)]
pub(crate) struct Purpose {
    pub(crate) journal: Arc<Journal>,
    pub(crate) kind: Kind,
    /// The number of the thread, or of the session.
    pub(crate) thread: u32,
}

/// Memory of a chunk, in a journal.
#[derive(Debug)]
pub(crate) struct Run {
    place: Place,
    capacity: usize,
    journal: Arc<Journal>,
}

// SAFETY: the memory is in a mapping of the journal, which the run keeps alive; it may be used on any thread.
unsafe impl Send for Run {}

impl Journal {
    /// Creates the journal of an output that has been created just now, and is empty.
    ///
    /// `command` is the command that appends the journal to the output, for the reader of the file.
    ///
    /// # Errors
    /// If the file cannot be created or mapped, or the disk has no room for it.
    pub fn create(output: &Path, command: &str) -> io::Result<Self> {
        let path = Self::path_of(output);
        remove_old(&path)?;
        let file = corprof_in_process::outlet::create_new(&path)?;
        let mut arena = Arena { file, end: 0, segments: Vec::new(), unused: None, free: Vec::new() };
        let begun = arena.grow(FIRST_SEGMENT).and_then(|()| {
            let text = layout::text(output, command);
            corprof_in_process::outlet::write_all_at(&arena.file, &text, TEXT as u64)
        });
        let (Ok(()), Some((header, bytes))) = (&begun, arena.unused) else {
            // It has no content.
            let _ = std::fs::remove_file(&path);
            return Err(begun.err().unwrap_or_else(|| io::ErrorKind::OutOfMemory.into()));
        };
        arena.unused = Some((header.behind(PAGE), bytes - PAGE));
        let journal = Self {
            path,
            header,
            arena: Mutex::new(arena),
            order: AtomicU64::new(1),
            is_over: AtomicBool::new(false),
        };
        journal.header().version.store(VERSION, Ordering::Relaxed);
        journal.header().magic.store(MAGIC, Ordering::Release);
        Ok(journal)
    }

    /// Returns the path of the journal of an output.
    #[must_use]
    pub fn path_of(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }

    /// Removes the file: the output has everything, or will not have it. The mapped memory remains. Where a mapped file cannot
    /// be removed, it is removed when it is unmapped; until then it says that nothing is missing.
    pub(crate) fn remove(&self) {
        // If it was removed before, the result is the same.
        if std::fs::remove_file(&self.path).is_err() {
            self.header().magic.store(0, Ordering::Release);
            self.is_over.store(true, Ordering::Release);
        }
    }

    fn header(&self) -> &Header {
        // SAFETY: the first segment begins with it, and is mapped as long as the journal lives; its fields are atomic.
        unsafe { self.header.base.cast().as_ref() }
    }

    fn arena(&self) -> MutexGuard<'_, Arena> {
        self.arena.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the output is about to have this length, with the bytes of a chunk up to a mark.
    pub(crate) fn begin_write(&self, mark: Option<Mark<'_>>, length: u64) {
        let header = self.header();
        let chunk = mark.map_or(0, |mark| mark.run.place.offset);
        header.writing_chunk.store(chunk, Ordering::Release);
        header.writing_until.store(mark.map_or(0, |mark| mark.until as u64), Ordering::Release);
        // This makes it valid.
        header.writing_length.store(length, Ordering::Release);
    }

    /// Notes that the output has this length.
    pub(crate) fn end_write(&self, mark: Option<Mark<'_>>, length: u64) {
        if let Some(Mark { run, until }) = mark {
            run.header().written.store(until as u64, Ordering::Release);
        }
        self.header().committed.store(length, Ordering::Release);
        // The output may have become shorter: this write is over.
        self.header().writing_length.store(0, Ordering::Release);
    }

    /// Returns memory of at least `least` bytes, and about `wanted`.
    pub(crate) fn allocate(purpose: &Purpose, wanted: usize, least: usize) -> Option<Run> {
        let journal = &purpose.journal;
        let pages = |bytes: usize| bytes.div_ceil(PAGE).checked_next_power_of_two();
        let mut count = pages(wanted)?;
        if (count * PAGE).saturating_sub(CHUNK_HEADER) < least {
            count = pages(least.checked_add(CHUNK_HEADER)?)?;
        }
        let place = journal.arena().take(count)?;
        let capacity = count * PAGE - CHUNK_HEADER;
        let run = Run { place, capacity, journal: Arc::clone(journal) };
        let header = run.header();
        header.thread.store(purpose.thread, Ordering::Relaxed);
        header.kind.store(purpose.kind as u32, Ordering::Release);
        Some(run)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if *self.is_over.get_mut() {
            // No run is left, since each has a reference to the journal.
            self.arena.get_mut().unwrap_or_else(PoisonError::into_inner).segments.clear();
            // Nothing is missing in the output, with it or without it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Removes the journal of a process that was killed, whose output is gone. A file that is no journal stays.
fn remove_old(path: &Path) -> io::Result<()> {
    let mut first = [0; size_of::<u64>()];
    let read = std::fs::symlink_metadata(path).and_then(|old| {
        // A FIFO would have to be waited for.
        if old.is_file() {
            File::open(path)?.read(&mut first)
        } else {
            Err(io::ErrorKind::AlreadyExists.into())
        }
    });
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        // The process of one that begins with zeros was killed while it made it.
        Ok(_) if [0, MAGIC].contains(&u64::from_le_bytes(first)) => std::fs::remove_file(path),
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("{} exists and is no journal", path.display()),
        )),
    }
}

impl Arena {
    /// Maps more of the file.
    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let mut end = self.end;
        let zeros = (0..bytes / ZEROS.len()).try_for_each(|_| {
            // Without a block on the disk, an access to a mapped page would end the program with SIGBUS.
            corprof_in_process::outlet::write_all_at(&self.file, &ZEROS, end)?;
            end += ZEROS.len() as u64;
            Ok(())
        });
        let mapped = zeros.and_then(|()| MmapOptions::new().offset(self.end).len(bytes).map_raw(&self.file));
        let segment = match mapped {
            Ok(segment) => segment,
            Err(error) => {
                // The rest of the file is not mapped.
                let _ = self.file.set_len(self.end);
                return Err(error);
            }
        };
        if let Some(base) = NonNull::new(segment.as_mut_ptr()) {
            self.unused = Some((Place { base, offset: self.end }, bytes));
        }
        self.end = end;
        self.segments.push(segment);
        Ok(())
    }

    /// Returns a run of pages, a power of two of them.
    fn take(&mut self, pages: usize) -> Option<Place> {
        let class = pages.ilog2() as usize;
        if let Some(place) = self.free.get_mut(class).and_then(Vec::pop) {
            return Some(place);
        }
        let bytes = pages.checked_mul(PAGE)?;
        if self.unused.is_none_or(|(_, unused)| unused < bytes) {
            while let Some((_, unused)) = self.unused
                && let Some(rest) = (unused / PAGE).checked_ilog2()
            {
                let place = self.carve(1 << rest)?;
                self.put(place, 1 << rest);
            }
            let usual = usize::try_from(self.end).ok()?.min(LARGEST_SEGMENT);
            self.grow(usual.max(bytes.next_multiple_of(ZEROS.len()))).ok()?;
        }
        self.carve(pages)
    }

    /// Makes a run of the unused part.
    fn carve(&mut self, pages: usize) -> Option<Place> {
        let (place, unused) = self.unused?;
        let bytes = pages.checked_mul(PAGE)?;
        let rest = unused.checked_sub(bytes)?;
        self.unused = (rest > 0).then(|| (place.behind(bytes), rest));
        let header = header_at(&place);
        header.pages.store(u32::try_from(pages).ok()?, Ordering::Relaxed);
        header.magic.store(CHUNK_MAGIC, Ordering::Release);
        Some(place)
    }

    fn put(&mut self, place: Place, pages: usize) {
        let class = pages.ilog2() as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        if let Some(free) = self.free.get_mut(class) {
            free.push(place);
        }
    }
}

fn header_at(place: &Place) -> &ChunkHeader {
    // SAFETY: every place that is passed here begins a run, whose page is mapped as long as the journal lives; the fields
    // are atomic.
    unsafe { place.base.cast().as_ref() }
}

impl Run {
    fn header(&self) -> &ChunkHeader {
        header_at(&self.place)
    }

    /// Returns the bytes of the chunk.
    pub(crate) fn bytes(&self) -> NonNull<UnsafeCell<u8>> {
        // SAFETY: a run has at least a page.
        unsafe { self.place.base.add(CHUNK_HEADER) }.cast()
    }

    /// Returns the number of bytes of the chunk.
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the recorded length, which the journal keeps too.
    #[cfg(not(loom))]
    pub(crate) fn length(&self) -> &AtomicUsize {
        &self.header().length
    }

    /// An empty chunk is filled from now on.
    pub(crate) fn begin(&self) {
        self.header().order.store(self.journal.order.fetch_add(1, Ordering::Relaxed), Ordering::Release);
    }

    /// The chunk is empty again: the output has its content.
    pub(crate) fn clear(&self) {
        self.header().length.store(0, Ordering::Release);
        self.header().written.store(0, Ordering::Release);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.clear();
        let header = self.header();
        header.kind.store(0, Ordering::Release);
        let pages = header.pages.load(Ordering::Relaxed) as usize;
        self.journal.arena().put(self.place, pages.max(1));
    }
}

/// A length of a chunk, up to which the output has it after a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark<'r> {
    pub(crate) run: &'r Run,
    pub(crate) until: usize,
}
