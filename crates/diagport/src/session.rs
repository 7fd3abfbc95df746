//! EventPipe sessions: events of a running process, as a stream.

use std::io::{self, Read};
use std::time::Duration;

use crate::message;
use crate::payload::{Reader, Writer};
use crate::transport::Connection;
use crate::{Command, Port, Result};

/// The rundown keyword that stands for the runtime's own choice.
const DEFAULT_RUNDOWN: u64 = 0x8002_0139;

/// The format of the stream: nettrace.
const NETTRACE: u32 = 1;

/// Which rundown events, which describe loaded methods and modules, are written when a session ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rundown {
    /// None: the session ends at once.
    #[default]
    None,
    /// Those that the runtime chooses: enough for the names of all methods. This may take seconds.
    All,
    /// Those with these keywords. Since .NET 9.
    Keywords(u64),
}

/// Which events of a provider are written, besides the choice by keyword and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventFilter<'a> {
    /// The events with these numbers.
    Only(&'a [u32]),
    /// All but the events with these numbers.
    Except(&'a [u32]),
}

/// The events of a provider that a session enables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventProvider<'a> {
    /// The provider's name: `Microsoft-Windows-DotNETRuntime`, or that of an `EventSource`.
    pub name: &'a str,
    /// Events with one of these keywords, and those with none.
    pub keywords: u64,
    /// Events of this level and the more important ones: 1 critical, 2 error, 3 warning, 4 informational, 5 verbose.
    pub level: u32,
    /// Arguments for the provider: `Key=Value;…`. Empty for none.
    pub arguments: &'a str,
    /// A choice by number. Since .NET 10.
    pub filter: Option<EventFilter<'a>>,
}

/// What a session collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectTracing<'a> {
    /// The providers.
    pub providers: &'a [EventProvider<'a>],
    /// The size of the buffer in the process, in megabytes. Events that do not fit are dropped.
    pub buffer_megabytes: u32,
    /// The rundown events.
    pub rundown: Rundown,
    /// Whether events have stacks. `false` needs .NET 9.
    pub stacks: bool,
    /// Whether the program waits where the buffer is full, and no event is dropped. Since .NET 11.
    pub blocking: bool,
}

impl Default for CollectTracing<'_> {
    fn default() -> Self {
        Self { providers: &[], buffer_megabytes: 256, rundown: Rundown::None, stacks: true, blocking: false }
    }
}

impl CollectTracing<'_> {
    /// Returns the oldest command that can express this.
    fn command(&self) -> Command {
        match self {
            Self { blocking: true, .. } => Command::CollectTracing6,
            Self { providers, .. } if providers.iter().any(|provider| provider.filter.is_some()) => {
                Command::CollectTracing5
            }
            Self { rundown: Rundown::Keywords(_), .. } => Command::CollectTracing4,
            Self { stacks: false, .. } => Command::CollectTracing3,
            _ => Command::CollectTracing2,
        }
    }

    fn encode(&self, command: Command) -> Result<Vec<u8>> {
        let has_filters = matches!(command, Command::CollectTracing5 | Command::CollectTracing6);
        let mut writer = Writer::default();
        if has_filters {
            // A stream.
            writer = writer.u32(0);
        }
        writer = writer.u32(self.buffer_megabytes).u32(NETTRACE);
        writer = match command {
            Command::CollectTracing2 => writer.u8((self.rundown != Rundown::None).into()),
            Command::CollectTracing3 => {
                writer.u8((self.rundown != Rundown::None).into()).u8(self.stacks.into())
            }
            _ => {
                let keywords = match self.rundown {
                    Rundown::None => 0,
                    Rundown::All => DEFAULT_RUNDOWN,
                    Rundown::Keywords(keywords) => keywords,
                };
                writer.u64(keywords).u8(self.stacks.into())
            }
        };
        writer = writer.length(self.providers.len());
        for provider in self.providers {
            writer = writer.u64(provider.keywords).u32(provider.level);
            writer = writer.text(provider.name)?.optional_text(provider.arguments)?;
            if has_filters {
                let (is_list_of_enabled, ids) = match provider.filter {
                    Some(EventFilter::Only(ids)) => (true, ids),
                    Some(EventFilter::Except(ids)) => (false, ids),
                    None => (false, &[][..]),
                };
                writer =
                    ids.iter().fold(writer.u8(is_list_of_enabled.into()).length(ids.len()), |writer, id| {
                        writer.u32(*id)
                    });
            }
        }
        if command == Command::CollectTracing6 {
            // The program waits.
            writer = writer.u32(1);
        }
        Ok(writer.finish())
    }
}

/// A running session. Its bytes are a trace in the format nettrace, which the crate
/// [`nettrace`](https://docs.rs/nettrace) reads.
///
/// The trace ends after [`SessionStopper::stop`], or when the process ends; a killed process leaves a trace that is cut. Dropping
/// the session ends it in the process too.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    command: Command,
    stopper: SessionStopper,
    patience: Duration,
}

/// Stops a session.
#[derive(Clone, Debug)]
pub struct SessionStopper {
    port: Port,
    id: u64,
}

impl Session {
    /// Starts a session.
    pub(crate) fn start(port: &Port, collect: &CollectTracing<'_>) -> Result<Self> {
        let command = collect.command();
        let mut connection = port.send(command, &collect.encode(command)?)?;
        let payload = message::answer(&mut connection, command)?;
        let id = Reader::new(command, &payload).u64()?;
        let stopper = SessionStopper { port: port.clone(), id };
        Ok(Self { connection, command, stopper, patience: port.timeout() })
    }

    /// Sets the time after which a read fails that gets no byte. It is that of the port's commands at first.
    ///
    /// A session without events is quiet: a failed read is no loss, and may be repeated.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Returns a handle that stops the session from another thread.
    #[must_use]
    pub fn stopper(&self) -> SessionStopper {
        self.stopper.clone()
    }

    /// Returns the id of the session in the process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.stopper.id
    }
}

impl Read for Session {
    /// Reads bytes of the trace.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`]: no byte has arrived for the time of [`Session::with_patience`].
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.connection.read_some(self.command, buffer, self.patience)
    }
}

impl SessionStopper {
    /// Stops the session. Its last events follow in the trace, and then its end.
    ///
    /// The runtime may wait until the rest of the trace is read: read it on another thread meanwhile.
    ///
    /// # Errors
    /// Any failure of the connection. Stopping a session that has ended is none.
    #[doc(alias = "StopTracing")]
    pub fn stop(&self) -> Result<()> {
        self.port.request(Command::StopTracing, &Writer::default().u64(self.id).finish()).map(drop)
    }
}
