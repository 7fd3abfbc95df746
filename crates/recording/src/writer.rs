//! The thread that writes the file.

use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::bytes::put_count;
use crate::definition::{Process, Thread};
use crate::error::FinishError;
use crate::format::{block, block_header, file_header};
use crate::lane::Consumer;
use crate::recorder::{Shared, Summary};

/// Writes the beginning of the file.
pub(crate) fn begin<W: Write>(mut output: W, shared: &Shared) -> io::Result<File<W>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut process = Process { id: std::process::id(), ..shared.options.process.clone() };
    process.begin = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let mut start = Vec::new();
    process.write(shared.clock.kind().as_str(), &mut start);
    output.write_all(&file_header())?;
    let mut file = File { output, bytes: file_header().len() as u64, unwritten: 0, content: Vec::new() };
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
    let mut threads = Vec::new();
    let written = file.write_all(shared, &mut threads);
    // From here on no thread waits for memory.
    shared.over.store(true, Ordering::Release);
    match written {
        Ok(lost) => Ok(Summary { bytes: file.bytes, lost }),
        Err(source) => {
            failed(&source);
            let (lost, bytes) = count_unwritten(shared, &mut threads);
            Err(FinishError { source, lost, bytes: bytes + file.unwritten })
        }
    }
}

/// Counts what the threads record until the recording is to end, without writing it: the records that found no room, and
/// the bytes of the others.
fn count_unwritten(shared: &Shared, threads: &mut Vec<(Thread, Consumer)>) -> (u64, u64) {
    let (mut lost, mut bytes) = (0, 0);
    loop {
        let stopping = shared.stopping.load(Ordering::Acquire);
        threads.append(&mut shared.announced().threads);
        threads.retain_mut(|(_, consumer)| {
            let ended = consumer.has_ended() || stopping;
            consumer.drain(true, |records| bytes += records.len() as u64);
            if ended {
                lost += consumer.lost();
            }
            !ended
        });
        if stopping {
            return (lost, bytes);
        }
        std::thread::park_timeout(shared.options.interval);
    }
}

/// The file, as far as it is written.
pub(crate) struct File<W> {
    output: W,
    bytes: u64,
    /// The bytes of records in the block that could not be written.
    unwritten: u64,
    content: Vec<u8>,
}

impl<W: Write> File<W> {
    fn block(&mut self, kind: u32, content: &[u8]) -> io::Result<()> {
        let header = block_header(kind, content);
        // One after the other: a crash in between leaves a block that is cut, as the reader expects.
        self.output.write_all(&header)?;
        self.output.write_all(content)?;
        self.bytes += (header.len() + content.len()) as u64;
        Ok(())
    }

    fn clock(&mut self, shared: &Shared) -> io::Result<()> {
        let (ticks, nanoseconds) = (shared.clock.now(), shared.clock.nanoseconds());
        let mut content = ticks.to_le_bytes().to_vec();
        content.extend_from_slice(&nanoseconds.to_le_bytes());
        self.block(block::CLOCK, &content)
    }

    /// Writes the records of all threads until the recording is to end. Returns the number of lost records.
    fn write_all(&mut self, shared: &Shared, threads: &mut Vec<(Thread, Consumer)>) -> io::Result<u64> {
        let interval = shared.options.interval;
        // By threads that are no more.
        let mut lost = 0;
        let mut last = Instant::now();
        loop {
            // Read before the threads are drained: all records up to now are written.
            let stopping = shared.stopping.load(Ordering::Acquire);
            let everything = stopping || last.elapsed() >= interval;
            self.introduce(shared, threads)?;
            let mut pieces = 0;
            let mut index = 0;
            while let Some((thread, consumer)) = threads.get_mut(index) {
                let ended = consumer.has_ended();
                let number = thread.number;
                pieces += self.drain(shared, number, consumer, everything || ended)?;
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
            if everything {
                if pieces > 0 || stopping {
                    self.clock(shared)?;
                }
                self.output.flush()?;
                last = Instant::now();
            }
            if stopping {
                lost += threads.iter().map(|(_, consumer)| consumer.lost()).sum::<u64>();
                let mut content = Vec::new();
                put_count(&mut content, lost);
                self.block(block::END, &content)?;
                self.output.flush()?;
                return Ok(lost);
            }
            if everything || pieces == 0 {
                std::thread::park_timeout(interval.saturating_sub(last.elapsed()));
            }
        }
    }

    /// Writes the threads that are new.
    fn introduce(&mut self, shared: &Shared, threads: &mut Vec<(Thread, Consumer)>) -> io::Result<()> {
        let new = core::mem::take(&mut shared.announced().threads);
        for (thread, consumer) in new {
            let mut content = Vec::new();
            thread.write(&mut content);
            self.block(block::THREAD, &content)?;
            threads.push((thread, consumer));
        }
        Ok(())
    }

    /// Writes the records of a thread. Returns the number of pieces.
    fn drain(
        &mut self,
        shared: &Shared,
        thread: u32,
        consumer: &mut Consumer,
        partial: bool,
    ) -> io::Result<usize> {
        let mut written = Ok(());
        let pieces = consumer.drain(partial, |records| {
            if written.is_ok() {
                written = self.records(shared, thread, records);
            }
            if written.is_err() {
                self.unwritten += records.len() as u64;
            }
        });
        written.map(|()| pieces)
    }

    fn records(&mut self, shared: &Shared, thread: u32, records: &[u8]) -> io::Result<()> {
        // The functions of these records were defined before them.
        let functions = core::mem::take(&mut shared.announced().functions);
        if !functions.is_empty() {
            self.block(block::FUNCTIONS, &functions)?;
        }
        let mut content = core::mem::take(&mut self.content);
        content.clear();
        put_count(&mut content, thread.into());
        content.extend_from_slice(records);
        let written = self.block(block::RECORDS, &content);
        self.content = content;
        written
    }
}
