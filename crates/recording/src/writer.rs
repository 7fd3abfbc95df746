//! The thread that writes the file.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::bytes::put_count;
use crate::definition::Process;
use crate::error::FinishError;
use crate::format::{BLOCK_HEADER, block, block_header, file_header};
use crate::journal::{Journal, Mark};
use crate::lane::{Consumer, Drain};
use crate::limits::CLOCK;
use crate::packed::Packer;
use crate::recorder::{Recording, Shared, Summary};
use crate::rows::put_blocks;
use crate::sessions::WrittenSession;

/// Writes the beginning of the file.
pub(crate) fn begin<W: Write>(output: W, shared: &Shared, definitions: Consumer) -> io::Result<File<W>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut process = Process { id: std::process::id(), ..shared.options.process.clone() };
    process.begin = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let mut start = Vec::new();
    process.write(shared.clock.kind().as_str(), &mut start);
    let target = Target { output, bytes: 0, journal: shared.journal.clone() };
    let packer = shared.options.compressed.then(Packer::new);
    let mut file = File { target, definitions, unwritten: 0, content: Vec::new(), packer };
    file.target.write(&file_header(), None)?;
    file.block(block::START, &start)?;
    file.clock(shared)?;
    Ok(file)
}

/// Writes until the recording ends.
pub(crate) fn run(
    mut file: File<impl Write>,
    shared: &Shared,
    failed: impl FnOnce(&io::Error),
) -> Result<Summary, FinishError> {
    let mut sources = Sources::default();
    let written = file.write_all(shared, &mut sources);
    // From here on no thread waits for memory.
    shared.over.store(true, Ordering::Release);
    let bytes = file.target.bytes;
    if let Some(journal) = &shared.journal {
        // Nothing can be appended behind what could not be written.
        journal.remove();
    }
    match written {
        Ok(lost) => Ok(Summary { bytes, lost }),
        Err(source) => {
            failed(&source);
            let (lost, bytes) = count_unwritten(shared, &mut sources);
            Err(FinishError { source, lost, bytes: bytes + file.unwritten })
        }
    }
}

/// Where records and rows come from.
#[derive(Default)]
struct Sources {
    threads: Vec<Recording>,
    sessions: Vec<WrittenSession>,
}

/// Counts what the threads record until the recording is to end, without writing it: the records that found no room, and
/// the bytes of the others.
fn count_unwritten(shared: &Shared, Sources { threads, sessions }: &mut Sources) -> (u64, u64) {
    let (mut lost, mut bytes) = (0, 0);
    loop {
        let stopping = shared.stopping.load(Ordering::Acquire);
        threads.append(&mut shared.new_threads());
        threads.retain_mut(|Recording { consumer, .. }| {
            let ended = consumer.has_ended() || stopping;
            consumer.drain(Drain::Last, |records, _| bytes += records.len() as u64);
            if ended {
                lost += consumer.lost();
            }
            !ended
        });
        sessions.append(&mut shared.new_sessions());
        sessions.retain_mut(|session| {
            let ended = session.has_ended() || stopping;
            session.drain(Drain::Last, |rows, _| bytes += rows.len() as u64);
            if ended {
                session.new_losses();
                lost += session.lost();
            }
            !ended
        });
        if stopping {
            return (lost, bytes);
        }
        std::thread::park_timeout(shared.options.interval);
    }
}

/// The output, and the journal that notes how far it is written.
struct Target<W> {
    output: W,
    bytes: u64,
    journal: Option<Arc<Journal>>,
}

impl<W: Write> Target<W> {
    /// Writes bytes, which end at the mark if they are from a journal.
    fn write(&mut self, bytes: &[u8], mark: Option<Mark<'_>>) -> io::Result<()> {
        let after = self.bytes + bytes.len() as u64;
        if let Some(journal) = &self.journal {
            journal.begin_write(mark, after);
        }
        self.output.write_all(bytes)?;
        self.bytes = after;
        if let Some(journal) = &self.journal {
            journal.end_write(mark, after);
        }
        Ok(())
    }
}

/// The file, as far as it is written.
pub(crate) struct File<W> {
    target: Target<W>,
    /// Blocks that define functions and threads.
    definitions: Consumer,
    /// The bytes of records in the block that could not be written.
    unwritten: u64,
    content: Vec<u8>,
    packer: Option<Packer>,
}

impl<W: Write> File<W> {
    fn block(&mut self, kind: u32, content: &[u8]) -> io::Result<()> {
        let bytes = [&block_header(kind, content), content].concat();
        self.target.write(&bytes, None)
    }

    fn clock(&mut self, shared: &Shared) -> io::Result<()> {
        let (ticks, nanoseconds) = (shared.clock.now(), shared.clock.nanoseconds());
        let mut content = ticks.to_le_bytes().to_vec();
        content.extend_from_slice(&nanoseconds.to_le_bytes());
        self.block(block::CLOCK, &content)
    }

    /// Writes the records of all threads until the recording is to end. Returns the number of lost records.
    fn write_all(&mut self, shared: &Shared, sources: &mut Sources) -> io::Result<u64> {
        let Sources { threads, sessions } = sources;
        let interval = shared.options.interval;
        // By threads and sessions that have ended.
        let mut lost = 0;
        let mut last = Instant::now();
        let mut told = Instant::now();
        let mut fulfilled = 0;
        loop {
            // Read before the threads are drained: all records up to now are written.
            let stopping = shared.stopping.load(Ordering::Acquire);
            let request = shared.flushes.requested();
            let everything = stopping || request != fulfilled || last.elapsed() >= interval;
            let usual = match (stopping, everything) {
                (true, _) => Drain::Last,
                (false, true) => Drain::All,
                (false, false) => Drain::Full,
            };
            sessions.append(&mut shared.new_sessions());
            self.introduce(shared, threads)?;
            self.define()?;
            let mut pieces = 0;
            let mut index = 0;
            while let Some(Recording { thread, consumer, .. }) = threads.get_mut(index) {
                let ended = consumer.has_ended();
                let number = thread.number;
                pieces += self.drain(number, consumer, if ended { Drain::Last } else { usual })?;
                if ended {
                    lost += consumer.lost();
                    let mut content = Vec::new();
                    put_count(&mut content, number.into());
                    put_count(&mut content, consumer.lost());
                    self.block(block::THREAD_END, &content)?;
                    threads.remove(index);
                } else {
                    index += 1;
                }
            }
            let (more, lost_rows) = self.sessions(sessions, usual)?;
            pieces += more;
            lost += lost_rows;
            if everything {
                // A reader knows how far a recording goes that has nothing new, too.
                if pieces > 0 || stopping || told.elapsed() >= CLOCK {
                    self.clock(shared)?;
                    told = Instant::now();
                }
                self.target.output.flush()?;
                shared.flushes.fulfil(request);
                fulfilled = request;
                last = Instant::now();
            }
            if stopping {
                lost += threads.iter().map(|thread| thread.consumer.lost()).sum::<u64>();
                lost += sessions.iter().map(WrittenSession::lost).sum::<u64>();
                let mut content = Vec::new();
                put_count(&mut content, lost);
                self.block(block::END, &content)?;
                self.target.output.flush()?;
                return Ok(lost);
            }
            if everything || pieces == 0 {
                std::thread::park_timeout(interval.saturating_sub(last.elapsed()));
            }
        }
    }

    /// Takes the threads that are new, and writes the definitions that found no memory.
    fn introduce(&mut self, shared: &Shared, threads: &mut Vec<Recording>) -> io::Result<()> {
        for mut new in shared.new_threads() {
            if !new.is_defined {
                let mut content = Vec::new();
                new.thread.write(&mut content);
                self.block(block::THREAD, &content)?;
                new.is_defined = true;
            }
            threads.push(new);
        }
        Ok(())
    }

    /// Writes the definitions up to now.
    fn define(&mut self) -> io::Result<()> {
        let mut written = Ok(());
        let target = &mut self.target;
        self.definitions.drain(Drain::All, |blocks, mark| {
            if written.is_ok() {
                written = target.write(blocks, mark);
            }
        });
        written
    }

    /// Writes the rows of sessions, and ends those that have ended. Returns the number of pieces, and how many rows the latter
    /// have lost.
    fn sessions(&mut self, sessions: &mut Vec<WrittenSession>, usual: Drain) -> io::Result<(usize, u64)> {
        let (mut pieces, mut lost) = (0, 0);
        let mut index = 0;
        while let Some(session) = sessions.get_mut(index) {
            let ended = session.has_ended();
            let which = if ended { Drain::Last } else { usual };
            pieces += self.rows(session, which)?;
            if which != Drain::Full
                && let Some(losses) = session.new_losses()
            {
                self.block(block::LOSS, &losses)?;
            }
            if ended {
                lost += session.lost();
                if let Some(end) = session.end() {
                    self.block(block::SESSION, &end)?;
                }
                sessions.remove(index);
            } else {
                index += 1;
            }
        }
        Ok((pieces, lost))
    }

    /// Writes the rows of a session. Returns the number of pieces.
    fn rows(&mut self, session: &mut WrittenSession, which: Drain) -> io::Result<usize> {
        let mut written = Ok(());
        let number = session.number;
        let pieces = session.drain(which, |rows, mark| {
            if written.is_ok() {
                // What these rows refer to was defined before them.
                written = self.define().and_then(|()| {
                    self.content.clear();
                    put_blocks(number, rows, self.packer.as_mut(), &mut self.content);
                    self.target.write(&self.content, mark)
                });
            }
            if written.is_err() {
                self.unwritten += rows.len() as u64;
            }
        });
        written.map(|()| pieces)
    }

    /// Writes the records of a thread. Returns the number of pieces.
    fn drain(&mut self, thread: u32, consumer: &mut Consumer, which: Drain) -> io::Result<usize> {
        let mut written = Ok(());
        let pieces = consumer.drain(which, |records, mark| {
            if written.is_ok() {
                written = self.records(thread, records, mark);
            }
            if written.is_err() {
                self.unwritten += records.len() as u64;
            }
        });
        written.map(|()| pieces)
    }

    fn records(&mut self, thread: u32, records: &[u8], mark: Option<Mark<'_>>) -> io::Result<()> {
        // The functions of these records were defined before them.
        self.define()?;
        let bytes = &mut self.content;
        bytes.clear();
        bytes.extend_from_slice(&[0; BLOCK_HEADER]);
        put_count(bytes, thread.into());
        let is_packed = self.packer.as_mut().is_some_and(|packer| packer.pack(records, bytes));
        if !is_packed {
            bytes.extend_from_slice(records);
        }
        if let Some((header, content)) = bytes.split_first_chunk_mut::<BLOCK_HEADER>() {
            *header = block_header(if is_packed { block::PACKED_RECORDS } else { block::RECORDS }, content);
        }
        self.target.write(&self.content, mark)
    }
}
