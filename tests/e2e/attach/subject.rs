//! A running program, and functions that attach profilers to it.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_link::{Expected, Invitation, Listener, Message, clock};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use diagport::{AttachProfiler, Error, Guid, HResult, Port};
use e2e::app::{App, Build};
use e2e::interactive::Interactive;
use e2e::traced::profiler;

use crate::watching::Watching;

/// The time limit of a step, for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A program of `tests/apps/attached` that has begun to run.
pub(crate) struct Subject {
    pub(crate) program: Interactive,
    pub(crate) folder: PathBuf,
    pub(crate) watch: Profiler,
}

impl Subject {
    pub(crate) fn new(
        test: &str,
        version: RuntimeVersion,
        with: impl FnOnce(Launch) -> Launch,
    ) -> Result<Self> {
        let mut subject = Self::starting(test, version, with)?;
        let ready = subject.program.next_line()?;
        ensure!(ready == format!("ready {}", subject.program.pid()), "{}", subject.program.report());
        Ok(subject)
    }

    /// The same, without waiting until the program reports that it runs.
    pub(crate) fn starting(
        test: &str,
        version: RuntimeVersion,
        with: impl FnOnce(Launch) -> Launch,
    ) -> Result<Self> {
        let app = App::compile("attached", version, Build::Optimised)?;
        let folder = scratch(&format!("{}-{test}", app.label))?;
        let launch = with(Launch::new(&runtime(version)?, &app.dll));
        let program = Interactive::start(&launch, &folder)?;
        Ok(Self { program, folder, watch: profiler("watch")? })
    }

    pub(crate) fn port(&self) -> Result<Port> {
        Ok(Port::of(self.program.pid()).with_context(|| self.program.report())?.with_timeout(PATIENCE))
    }

    pub(crate) fn attach(&self, profiler: &Profiler, client_data: &str) -> Result<(), Error> {
        let clsid = Guid::try_parse(&profiler.clsid.to_string()).unwrap_or(Guid::NIL);
        let client_data = client_data.as_bytes();
        let request = AttachProfiler { clsid, library: &profiler.library, client_data };
        Port::of(self.program.pid())?.with_timeout(PATIENCE).attach_profiler(&request)
    }

    /// Attaches a profiler, after the previous one is detached.
    pub(crate) fn attach_when_free(&self, profiler: &Profiler, client_data: &str) -> Result<()> {
        let begin = Instant::now();
        loop {
            match self.attach(profiler, client_data) {
                Ok(()) => return Ok(()),
                Err(error) if going(&error) && begin.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(error) => bail!("{error}\n{}", self.program.report()),
            }
        }
    }

    /// Attaches `watch`, which writes to us, after the previous profiler is detached.
    pub(crate) fn watch(&self, settings: &str) -> Result<Watching> {
        let expected = Expected { process: self.program.pid(), user: None };
        let listener = Listener::bind(None, &self.folder, expected)?;
        let (sender, receiver) = thread::scope(|scope| {
            let accepting = scope.spawn(|| listener.accept(Instant::now() + PATIENCE));
            let invitation = Invitation {
                path: self.folder.join(listener.name()).display().to_string(),
                nonce: listener.nonce().to_owned(),
                deadline: clock() + u64::try_from(PATIENCE.as_nanos())?,
            };
            self.attach_when_free(&self.watch, &format!("{}\n{settings}", invitation.line()))?;
            accepting.join().map_err(|_| anyhow::anyhow!("it panicked"))?.context("it has not connected")
        })?;
        let mut watching = Watching::new(sender, receiver);
        ensure!(watching.message()? == Some(Message::Accepted), "it does not measure");
        Ok(watching)
    }

    /// Ends the program, whose output and exit code must be those of a run without a profiler.
    pub(crate) fn quit(mut self) -> Result<Self> {
        self.program.send("quit 7")?;
        let code = self.program.end()?;
        ensure!(code == Some(7), "it ended with {code:?}\n{}", self.program.report());
        ensure!(self.program.said().last() == Some(&"quitting"), "{}", self.program.report());
        Ok(self)
    }
}

/// Whether a profiler that is being detached is still active.
pub(crate) fn going(error: &Error) -> bool {
    let code = error.hresult();
    code == Some(HResult::CORPROF_E_PROFILER_ALREADY_ACTIVE)
        || code == Some(HResult::CORPROF_E_PROFILER_DETACHING)
}

pub(crate) fn as_is(launch: Launch) -> Launch {
    launch
}
