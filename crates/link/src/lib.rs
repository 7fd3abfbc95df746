#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod document;
mod frame;
mod invitation;
mod limits;
mod message;

#[cfg(unix)]
mod client;
#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod listener;
#[cfg(unix)]
mod stream;

#[cfg(unix)]
pub use client::Client;
pub use document::Documents;
#[cfg(not(unix))]
pub use elsewhere::Client;
pub use frame::{Decoder, encode};
pub use invitation::{Invitation, LINK, clock};
#[cfg(unix)]
pub use listener::{Expected, Listener};
pub use message::{MAJOR, MINOR, Message, Part};
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
