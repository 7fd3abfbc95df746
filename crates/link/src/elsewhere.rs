//! Where there are no Unix domain sockets: no client ever waits for a tool.

use std::convert::Infallible;
use std::io;

use crate::{Asked, Invited};

/// The client that has attached a tool: there is none here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client(Infallible);

/// What a recording is written to: there is no client here.
#[derive(Debug)]
pub struct Recorded(Infallible);

impl io::Write for Recorded {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

impl Client {
    /// Returns `None`: a client of this system does not wait.
    ///
    /// # Errors
    /// None.
    pub fn of_client_data(_tool: &str, _data: &[u8]) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Returns [`Invited::Alone`]: a client of this system does not wait.
    #[must_use]
    pub fn of_environment(_tool: &str) -> Invited {
        Invited::Alone
    }

    /// There is no client.
    pub fn accept(&self) {
        match self.0 {}
    }

    /// There is no client.
    pub fn refuse(&self, _setting: &str, _text: &str) {
        match self.0 {}
    }

    /// There is no client.
    ///
    /// # Errors
    /// None.
    pub fn watch(&self, _asked: impl FnMut(Asked) + Send + 'static) -> io::Result<()> {
        match self.0 {}
    }

    /// There is no client.
    ///
    /// # Errors
    /// None.
    pub fn document(&self, _name: &str, _bytes: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// There is no client.
    ///
    /// # Errors
    /// None.
    pub fn lines(&self, _text: &str) -> io::Result<()> {
        match self.0 {}
    }

    /// There is no client.
    #[must_use]
    pub fn recording(&self) -> Recorded {
        match self.0 {}
    }

    /// There is no client.
    pub fn hurry(&self) {
        match self.0 {}
    }

    /// There is no client.
    pub fn progress(&self, _text: &str) {
        match self.0 {}
    }

    /// There is no client.
    pub fn end(&self, _why: &str, _stays: Option<&str>) {
        match self.0 {}
    }

    /// There is no client.
    pub fn close(&self) {
        match self.0 {}
    }
}
