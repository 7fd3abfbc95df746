//! What recordings are written to.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Keeps what is written, and may take its time for each write, or fail when it is full.
#[derive(Clone)]
pub(crate) struct Sink {
    pub(crate) bytes: Arc<Mutex<Vec<u8>>>,
    pub(crate) nap: Duration,
    pub(crate) room: usize,
}

impl Sink {
    pub(crate) fn new() -> Self {
        Self { bytes: Arc::default(), nap: Duration::ZERO, room: usize::MAX }
    }

    pub(crate) fn taken(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        std::thread::sleep(self.nap);
        let mut all = self.bytes.lock().unwrap();
        if all.len() + bytes.len() > self.room {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"));
        }
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
