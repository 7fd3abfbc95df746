//! Dumps of a running program, written by the `createdump` of its runtime.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use diagport::{Dump, DumpKind, Error};

use crate::subject::Subject;

/// A text that the program has in its heap.
const PLANTED: &str = "planted for the dump";

/// A dump as a file: an ELF core with segments, and whether the planted text is in it.
fn read(path: &Path) -> Result<(usize, bool)> {
    let dump = fs::read(path).with_context(|| format!("no dump {}", path.display()))?;
    fs::remove_file(path)?;
    let half =
        |at: usize| dump.get(at..at + 2).and_then(|bytes| Some(u16::from_le_bytes(bytes.try_into().ok()?)));
    const CORE: u16 = 4;
    ensure!(dump.starts_with(b"\x7fELF") && half(16) == Some(CORE), "{} is no core", path.display());
    ensure!(half(56).is_some_and(|segments| segments > 10), "{} has {:?} segments", path.display(), half(56));
    let planted: Vec<u8> = PLANTED.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Ok((dump.len(), dump.windows(planted.len()).any(|bytes| bytes == planted)))
}

/// Every kind of dump is a core of the program, with the managed heap if the kind includes it, and the program continues.
pub(crate) fn a_running_program_is_dumped(version: RuntimeVersion) -> Result<()> {
    let with = |launch: Launch| launch.env("CORPROF_E2E", PLANTED);
    let mut subject = Subject::new("dumped", version, with)?;
    let said = subject.program.request("variable CORPROF_E2E")?;
    ensure!(said.ends_with(PLANTED), "{said}");
    let port = subject.port()?.with_timeout(Duration::from_secs(120));
    let path = subject.folder.join("core");
    let dumper = runtime(version)?.assemblies.join("createdump");
    if !dumper.exists() {
        // Runtimes that are linked into their host come without it.
        let refused = port.write_dump(&Dump::new(&path, DumpKind::WithHeap));
        ensure!(matches!(refused, Err(Error::Refused { .. })) && !path.exists(), "{refused:?}");
        println!("{version}: no createdump: {refused:?}");
        return subject.quit().map(drop);
    }
    let mut sizes = Vec::new();
    for (kind, has_heap) in [
        (DumpKind::Triage, None),
        (DumpKind::Normal, None),
        (DumpKind::WithHeap, Some(true)),
        (DumpKind::Full, Some(true)),
    ] {
        port.write_dump(&Dump::new(&path, kind)).with_context(|| {
            format!("{kind:?}; if {} is not executable: cargo xtask provision --force", dumper.display())
        })?;
        let (size, is_planted) = read(&path)?;
        println!("{version}: {kind:?}: {size} bytes, with the text: {is_planted}");
        ensure!(has_heap.is_none_or(|has_heap| has_heap == is_planted), "{kind:?}: {is_planted}");
        sizes.push(size);
    }
    ensure!(sizes[1] < sizes[2] && sizes[2] < sizes[3], "{sizes:?}");
    // `createdump` has written lines to the program's standard output. Without the response, `next_line` fails.
    let mut next = subject.program.request("variable CORPROF_E2E")?;
    while next != said {
        next = subject.program.next_line()?;
    }
    subject.quit().map(drop)
}
