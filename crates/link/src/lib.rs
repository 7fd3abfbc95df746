#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod agent;
#[cfg(unix)]
mod asking;
mod document;
mod frame;
mod invitation;
mod limits;
mod message;
mod messages;

#[cfg(unix)]
mod client;
#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod listener;
#[cfg(unix)]
mod recorded;
#[cfg(unix)]
mod stream;

pub use agent::{NotAgent, Reply, Request, Running, TOOL};
#[cfg(unix)]
pub use asking::{AgentSocket, ask_agent, connect_agent};
#[cfg(unix)]
pub use client::Client;
pub use document::Documents;
#[cfg(not(unix))]
pub use elsewhere::{Client, Recorded};
pub use frame::{Decoder, encode};
pub use invitation::{Invitation, LINK, clock};
#[cfg(unix)]
pub use listener::{Connection, Expected, Listener};
pub use message::{MAJOR, MINOR, Message, Part};
pub use messages::Messages;
#[cfg(unix)]
pub use recorded::Recorded;
#[cfg(unix)]
pub use stream::{Receiver, Sender, pair};

/// What a client asks a tool for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To send what it has, and to leave.
    Stop,
    /// Nothing: it has gone, and nobody wants what the tool measures.
    Gone,
}

/// What the command that has started a program wants of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invited {
    /// There is no such command: the settings are those of the environment, and so are the outputs.
    Alone,
    /// The tool is to measure, for this client.
    Wanted {
        /// The client.
        client: Client,
        /// The settings: lines of `NAME=value`.
        settings: String,
    },
    /// The command means another process, or has not answered: the program runs as if there were no tool.
    Unwanted,
}

/// Begins to measure in a program that is starting, for a tool's `initialize`. `begin` gets the client and the settings that it has
/// sent, lines of `NAME=value`; neither if the program was started without a client, so that the settings are those of the environment.
/// A client is told whether the tool measures. `setting` returns the name of the setting that an error is about, if it is about one, and
/// `declined` makes the error that the runtime gets silently, because the client knows the reason, or means another process.
///
/// It returns within two seconds after the client's last sign of life, and the time that `begin` takes.
///
/// # Errors
/// That of `begin` without a client; otherwise one of `declined`.
pub fn start<T, E: core::fmt::Display>(
    tool: &str,
    begin: impl FnOnce(Option<&Client>, Option<&str>) -> Result<T, E>,
    setting: impl FnOnce(&E) -> Option<String>,
    declined: impl FnOnce(String) -> E,
) -> Result<T, E> {
    match Client::of_environment(tool) {
        Invited::Alone => begin(None, None),
        Invited::Unwanted => {
            Err(declined("the command that has started the program does not mean this process".to_owned()))
        }
        Invited::Wanted { client, settings } => match begin(Some(&client), Some(&settings)) {
            Ok(tool) => {
                client.accept();
                Ok(tool)
            }
            Err(error) => {
                client.refuse(&setting(&error).unwrap_or_default(), &error.to_string());
                Err(declined(error.to_string()))
            }
        },
    }
}

/// Returns the names and values in lines of `NAME=value`.
pub fn settings(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    lines.lines().filter_map(|line| line.split_once('='))
}
