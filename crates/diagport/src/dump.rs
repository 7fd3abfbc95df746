//! Dumps of a process.

use std::path::Path;

use crate::payload::Writer;
use crate::port::text_of;
use crate::{Command, Error, Port, Result};

/// What a dump contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpKind {
    /// Stacks, and what they need.
    Normal = 1,
    /// The managed heap too.
    #[default]
    WithHeap = 2,
    /// Stacks without personal data.
    Triage = 3,
    /// The whole memory.
    Full = 4,
}

/// A dump for [`Port::write_dump`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dump<'a> {
    /// The absolute path of the file as the process sees it: inside its container.
    pub path: &'a Path,
    /// What the dump contains.
    pub kind: DumpKind,
    /// Whether the process writes what it does to its standard output.
    pub log: bool,
    /// Whether that is more of it. Since .NET 6.
    pub verbose_log: bool,
    /// Whether a report of the crash is written beside the dump. Since .NET 6.
    pub crash_report: bool,
}

impl<'a> Dump<'a> {
    /// Returns a dump of this kind.
    #[must_use]
    pub const fn new(path: &'a Path, kind: DumpKind) -> Self {
        Self { path, kind, log: false, verbose_log: false, crash_report: false }
    }
}

impl Port {
    /// Writes a dump of the process, with the newest command that the runtime supports. The program stands still meanwhile.
    ///
    /// The process starts the program `createdump` beside its runtime, which must be executable. Single-file programs come without it.
    /// It writes lines about its progress to the standard output of the process, also without [`Dump::log`].
    ///
    /// A large process needs more time than [`Port::DEFAULT_TIMEOUT`]. After [`Error::TimedOut`] the dump may still be written.
    ///
    /// # Errors
    /// [`Error::Refused`] if the dump cannot be written; with `E_FAIL` also if `createdump` is missing or not executable.
    /// [`Error::NotSupported`] before .NET 6 if the dump has options of .NET 6.
    #[doc(alias = "CreateCoreDump")]
    #[doc(alias = "GenerateCoreDump")]
    #[doc(alias = "WriteDump")]
    pub fn write_dump(&self, dump: &Dump<'_>) -> Result<()> {
        let flags =
            u32::from(dump.log) | u32::from(dump.verbose_log) << 1 | u32::from(dump.crash_report) << 2;
        let payload = Writer::default().text(&text_of(dump.path)?)?.u32(dump.kind as u32).u32(flags).finish();
        for command in [Command::GenerateCoreDump3, Command::GenerateCoreDump2] {
            match self.execute(command, &payload) {
                Err(Error::NotSupported { .. }) => {}
                result => return result,
            }
        }
        if dump.verbose_log || dump.crash_report {
            return Err(Error::NotSupported { command: Command::GenerateCoreDump2 });
        }
        self.execute(Command::GenerateCoreDump, &payload)
    }
}
