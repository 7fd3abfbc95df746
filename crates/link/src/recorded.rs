//! A recording that goes to the client.

use std::io::{self, Write};
use std::sync::Arc;

use crate::client::Shared;
use crate::limits::{CHUNK, EARLY, PART};
use crate::message::Message;

/// What a recording is written to whose bytes go to the client.
#[derive(Debug)]
pub struct Recorded {
    client: Arc<Shared>,
    /// What has not been sent yet.
    bytes: Vec<u8>,
}

impl Recorded {
    pub(crate) fn new(client: Arc<Shared>) -> Self {
        Self { client, bytes: Vec::new() }
    }

    /// Sends all there is, once the client knows that the tool measures.
    fn send(&mut self) -> io::Result<()> {
        if !self.client.is_accepted() {
            return match self.bytes.len() {
                0..=EARLY => Ok(()),
                _ => Err(io::Error::other("the client did not wait for the recording")),
            };
        }
        let bytes = core::mem::take(&mut self.bytes);
        bytes
            .chunks(PART)
            .try_for_each(|part| self.client.send_recorded(&Message::Recording { bytes: part.to_vec() }))
    }
}

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= CHUNK {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}
