//! Requests to an agent: a profiler that hosts tools, and listens for requests to start and stop them.
//!
//! A connection has one request and one reply. A request is text: a line with the protocol and its version, a line with a command, and
//! for `start` the client data, up to the end of what the client sends. A reply is a line that begins with `ok` or `error`, and further
//! lines. Who is asked for nothing else than this needs no framing, and a request has an end and a limit.

use std::fmt;

use crate::limits::MAX_REQUEST;

/// The first line of a request. The number changes when an older side cannot talk to a newer one.
const PROTOCOL: &str = "corprof-agent 1";

/// The name of the line of client data that names the tool which an agent is to start.
pub const TOOL: &str = "CORPROF_TOOL";

/// A request to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// To start a tool, with the client data of an attach.
    Start {
        /// The tool's name.
        tool: String,
        /// Settings, and the invitation of the client.
        data: Vec<u8>,
    },
    /// To list the sessions.
    List,
    /// To stop a session.
    Stop(u64),
    /// To leave the process.
    Leave,
}

/// The answer of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// It has started a session, of this number.
    Started(u64),
    /// The sessions.
    Sessions(Vec<Running>),
    /// It has done what it was asked for.
    Done,
    /// It has not, for this reason.
    Refused(String),
}

/// A session of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its number, which no other session of the agent has.
    pub number: u64,
    /// The name of its tool.
    pub tool: String,
    /// For how many seconds it has run.
    pub seconds: u64,
}

/// Bytes that are no request or reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAgent(&'static str);

impl fmt::Display for NotAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAgent {}

/// Whether a text can be the name of a tool: it has a place in a line.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl Request {
    /// Returns the bytes of a request.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let command = match self {
            Self::Start { tool, .. } => format!("start {tool}"),
            Self::List => "list".to_owned(),
            Self::Stop(number) => format!("stop {number}"),
            Self::Leave => "leave".to_owned(),
        };
        let mut bytes = format!("{PROTOCOL}\n{command}\n").into_bytes();
        if let Self::Start { data, .. } = self {
            bytes.extend_from_slice(data);
        }
        bytes
    }

    /// Reads a request.
    ///
    /// # Errors
    /// It is none of this version, or longer than 64 KiB.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotAgent> {
        if bytes.len() > MAX_REQUEST {
            return Err(NotAgent("the request is too long"));
        }
        let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
        if lines.next() != Some(PROTOCOL.as_bytes()) {
            return Err(NotAgent(
                "the request is not of this version of the protocol: use the command and the tools of one release",
            ));
        }
        let command = lines.next().and_then(|line| core::str::from_utf8(line).ok()).unwrap_or_default();
        let Some(data) = lines.next() else { return Err(NotAgent("the request has no end")) };
        let unknown = NotAgent("the agent does not know this request");
        match command.split_once(' ').unwrap_or((command, "")) {
            ("start", tool) if is_name(tool) => {
                Ok(Self::Start { tool: tool.to_owned(), data: data.to_vec() })
            }
            ("list", "") => Ok(Self::List),
            ("stop", number) => number.parse().map(Self::Stop).map_err(|_| unknown),
            ("leave", "") => Ok(Self::Leave),
            _ => Err(unknown),
        }
    }
}

impl Reply {
    /// Returns the bytes of a reply.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let text = match self {
            Self::Started(number) => format!("ok started {number}\n"),
            Self::Done => "ok done\n".to_owned(),
            Self::Refused(why) => format!("error {}\n", why.replace('\n', " ")),
            Self::Sessions(sessions) => {
                let lines = sessions.iter().map(|it| format!("{} {} {}\n", it.number, it.tool, it.seconds));
                core::iter::once("ok sessions\n".to_owned()).chain(lines).collect()
            }
        };
        text.into_bytes()
    }

    /// Reads a reply.
    ///
    /// # Errors
    /// It is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotAgent> {
        let none = NotAgent("the process does not answer as an agent does");
        let text = core::str::from_utf8(bytes).map_err(|_| none)?;
        let (first, rest) = text.split_once('\n').ok_or(none)?;
        if let Some(why) = first.strip_prefix("error ") {
            return Ok(Self::Refused(why.to_owned()));
        }
        match first.strip_prefix("ok ").ok_or(none)?.split_once(' ') {
            Some(("started", number)) => number.parse().map(Self::Started).map_err(|_| none),
            None if first == "ok done" => Ok(Self::Done),
            None if first == "ok sessions" => {
                let session = |line: &str| {
                    let mut words = line.split(' ');
                    let number = words.next()?.parse().ok()?;
                    let tool = words.next().filter(|tool| is_name(tool))?.to_owned();
                    Some(Running { number, tool, seconds: words.next()?.parse().ok()? })
                };
                rest.lines().map(session).collect::<Option<_>>().map(Self::Sessions).ok_or(none)
            }
            _ => Err(none),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_replies_come_back() {
        let start = |data: &[u8]| Request::Start { tool: "gc".to_owned(), data: data.to_vec() };
        for request in
            [start(b""), start(b"GC_LAST=1\n\n\xFF"), Request::List, Request::Stop(7), Request::Leave]
        {
            assert_eq!(Request::decode(&request.encode()), Ok(request));
        }
        let running = Running { number: 3, tool: "my-tool".to_owned(), seconds: 60 };
        for reply in [
            Reply::Started(1),
            Reply::Done,
            Reply::Refused("no".to_owned()),
            Reply::Sessions(vec![]),
            Reply::Sessions(vec![running.clone(), running]),
        ] {
            assert_eq!(Reply::decode(&reply.encode()), Ok(reply));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for bytes in [
            "",
            "corprof-agent 2\nlist\n",
            "corprof-agent 1\nlist",
            "corprof-agent 1\nlist 1\n",
            "corprof-agent 1\nstart\n",
            "corprof-agent 1\nstart a b\n",
            "corprof-agent 1\nstop x\n",
            "corprof-agent 1\nstop -1\n",
        ] {
            assert!(Request::decode(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
        let long = [b"corprof-agent 1\nstart gc\n".to_vec(), vec![b'x'; MAX_REQUEST]].concat();
        assert!(Request::decode(&long).is_err());
        for bytes in ["", "ok", "ok sessions", "ok sessions\n1 gc\n", "ok started x\n", "no\n"] {
            assert!(Reply::decode(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn damaged_requests_do_not_panic() {
        let whole = Request::Start { tool: "gc".to_owned(), data: b"GC_LAST=1\n".to_vec() }.encode();
        for at in 0..whole.len() {
            for byte in 0..=255 {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                let _ = (Request::decode(&damaged), Reply::decode(&damaged));
            }
            let _ = Request::decode(&whole[..at]);
        }
    }
}
