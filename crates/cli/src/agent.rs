//! The agent in a process: `corprof sessions`, `corprof stop`, and how `corprof attach` asks it for a session.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use corprof_in_process::printable::Printable;
use corprof_link::{Reply, Request, Running, ask_agent, connect_agent};
use diagport::Port;

/// The time for an answer that takes the agent no work.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// The process; all that have an agent unless given
    pid: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// The process
    pid: u32,
    /// The number of the session, which `corprof sessions` lists; all sessions unless given
    session: Option<u64>,
}

/// Asks the agent in a process; `None` if there is none, or one that is about to leave.
///
/// # Errors
///
/// If the folder of the process's sockets cannot be read, or the agent does not answer.
pub(crate) fn ask(port: &Port, pid: u32, request: &Request, timeout: Duration) -> Result<Option<Reply>> {
    let folder = port.path().parent().context("the port has no folder")?;
    // The port of a process with another root folder is found below that folder.
    let root = Path::new("/proc").join(pid.to_string()).join("root");
    let inside = folder.strip_prefix(&root).map(|rest| Path::new("/").join(rest));
    let connected = match &inside {
        Ok(inside) => connect_agent(Some(&root), inside, pid),
        Err(_) => connect_agent(None, folder, pid),
    };
    let stream = connected.with_context(|| format!("cannot look for an agent in {}", folder.display()))?;
    let Some(stream) = stream else { return Ok(None) };
    match ask_agent(stream, request, timeout) {
        Ok(reply) => Ok(Some(reply)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("the agent in process {pid} does not answer")),
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

fn list(port: &Port, pid: u32) -> Result<Option<Vec<Running>>> {
    match ask(port, pid, &Request::List, PATIENCE)? {
        None => Ok(None),
        Some(Reply::Sessions(sessions)) => Ok(Some(sessions)),
        Some(Reply::Refused(why)) => bail!("process {pid}: {}", Printable(&why)),
        Some(_) => bail!("the agent in process {pid} answers something else"),
    }
}

/// Writes the sessions of the agents.
///
/// # Errors
///
/// If the process has no port or agent, or the output cannot be written.
pub(crate) fn sessions(arguments: &SessionsArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let ports = match arguments.pid {
        Some(pid) => vec![Port::of(pid)?],
        None => Port::list()?,
    };
    let (mut rows, mut has_agent) = (Vec::new(), false);
    for port in &ports {
        let Some(pid) = port.pid().or(arguments.pid) else { continue };
        match list(port, pid) {
            Ok(None) => {}
            Ok(Some(sessions)) => {
                has_agent = true;
                rows.extend(sessions.into_iter().map(|session| (pid, session)));
            }
            // Another user's process among all is none of ours.
            Err(error) if arguments.pid.is_some() => return Err(error),
            Err(_) => {}
        }
    }
    if rows.is_empty() {
        let what = if has_agent { "no agent has a session" } else { "no process has an agent" };
        eprintln!("{what}; `corprof attach PID TOOL` starts one");
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{:>7}  {:>7}  {:12}  SECONDS", "PID", "SESSION", "TOOL")?;
    for (pid, session) in rows {
        writeln!(out, "{pid:>7}  {:>7}  {:12}  {}", session.number, session.tool, session.seconds)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Stops sessions.
///
/// # Errors
///
/// If there is no agent in the process, or no such session.
pub(crate) fn stop(arguments: &StopArgs) -> Result<ExitCode> {
    let pid = arguments.pid;
    let port = Port::of(pid)?;
    let none = || format!("process {pid} has no agent; `corprof sessions` lists those that have");
    let numbers = match arguments.session {
        Some(number) => vec![number],
        None => list(&port, pid)?.with_context(none)?.into_iter().map(|session| session.number).collect(),
    };
    for number in numbers {
        // The last report of a large heap takes long.
        match ask(&port, pid, &Request::Stop(number), Duration::from_secs(60))?.with_context(none)? {
            Reply::Done => eprintln!("session {number} of process {pid} has ended"),
            Reply::Refused(why) => {
                bail!("process {pid}: {}; `corprof sessions {pid}` lists them", Printable(&why))
            }
            _ => bail!("the agent in process {pid} answers something else"),
        }
    }
    Ok(ExitCode::SUCCESS)
}
