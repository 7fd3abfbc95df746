//! The files of a run: `<process>.json` has a line for each module, `<process>.counts` its counters. Another process that had
//! the same id keeps its files: the next has `<process>-2`.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use memmap2::{MmapOptions, MmapRaw};
use serde::{Deserialize, Serialize};

/// Counters of a module begin at a multiple of this.
const PAGE: u64 = 4096;

/// A module whose methods are measured.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// The path of the assembly.
    pub path: String,
    /// The offset of its first counter in the file, in bytes.
    pub first: u64,
    /// The source files.
    pub files: Vec<String>,
    /// The methods.
    pub methods: Vec<Method>,
    /// The reason why the module has no methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A method with source. A compiler-generated method of a lambda or a state machine is a method of its own.
#[derive(Debug, Serialize, Deserialize)]
pub struct Method {
    /// The method's token.
    pub token: u32,
    /// The type in the source.
    pub class: String,
    /// The method in the source.
    pub name: String,
    /// The counted sequence points.
    pub points: Vec<Point>,
    /// The counted branches.
    pub branches: Vec<Branch>,
}

/// A sequence point.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The IL offset.
    pub offset: u32,
    /// The number of its counter, from the module's first.
    pub counter: u32,
    /// The index of the source file.
    pub file: u32,
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
}

/// A conditional branch or a `switch`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Branch {
    /// The IL offset.
    pub offset: u32,
    /// The number of the first counter: one for each target, and then one for falling through.
    pub counter: u32,
    /// The number of targets.
    pub targets: u32,
    /// The index of the source file.
    pub file: u32,
    /// The line of the statement.
    pub line: u32,
}

impl Module {
    /// The name of the assembly's file.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }

    /// The number of its counters.
    fn counters(&self) -> usize {
        let points =
            self.methods.iter().flat_map(|method| &method.points).map(|it| u64::from(it.counter) + 1);
        let branches = self.methods.iter().flat_map(|method| &method.branches);
        let branches = branches.map(|it| u64::from(it.counter) + u64::from(it.targets) + 1);
        usize::try_from(points.chain(branches).max().unwrap_or(0)).unwrap_or(usize::MAX)
    }
}

/// The output files of a process.
#[derive(Debug)]
pub struct Output {
    definitions: File,
    /// The length of what has been written there.
    defined: u64,
    counts: File,
    end: u64,
}

impl Output {
    /// Creates the files of this process in a folder.
    ///
    /// # Errors
    /// The files cannot be created.
    pub fn create(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let process = std::process::id();
        for number in 1..u32::MAX {
            let stem = if number == 1 { process.to_string() } else { format!("{process}-{number}") };
            let path = |extension: &str| folder.join(format!("{stem}.{extension}"));
            // Readers look for the counts when they have found the definitions, so the counts are created first.
            let counts = match corprof_in_process::outlet::create_new(&path("counts")) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                counts => counts.with_context(|| format!("cannot create {}", path("counts").display()))?,
            };
            let definitions = corprof_in_process::outlet::create_new(&path("json"))
                .with_context(|| format!("cannot create {}", path("json").display()))?;
            return Ok(Self { definitions, defined: 0, counts, end: 0 });
        }
        bail!("no name is left for another process in {}", folder.display())
    }

    /// Adds a module, and maps its counters, all zero. The pages belong to the file: the kernel writes them however
    /// the process ends.
    ///
    /// # Errors
    /// The files cannot be written or mapped.
    pub fn add(&mut self, module: &mut Module, counters: u32) -> Result<MmapRaw> {
        let size = (u64::from(counters) * 8).next_multiple_of(PAGE).max(PAGE);
        module.first = self.end;
        // Without a block on the disk, an access to a mapped page would end the program with SIGBUS.
        let zeros = vec![0; usize::try_from(size)?];
        if let Err(error) = corprof_in_process::outlet::write_all_at(&self.counts, &zeros, self.end) {
            self.counts.set_len(self.end)?;
            return Err(error).context("there is no place for its counters");
        }
        let map = MmapOptions::new().offset(self.end).len(usize::try_from(size)?).map_raw(&self.counts)?;
        let mut line = serde_json::to_vec(module)?;
        line.push(b'\n');
        if let Err(error) = corprof_in_process::outlet::write_all_at(&self.definitions, &line, self.defined) {
            self.definitions.set_len(self.defined)?;
            return Err(error).context("its methods cannot be written");
        }
        self.defined += line.len() as u64;
        self.end += size;
        Ok(map)
    }
}

/// Reads the modules of all processes in a folder, each with its counters.
///
/// # Errors
/// A file cannot be read, or there is none.
pub fn read(folder: &Path) -> Result<Vec<(Module, Vec<u64>)>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    let mut modules = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let counts = std::fs::read(path.with_extension("counts"))?;
        for line in std::fs::read_to_string(path)?.split_inclusive('\n') {
            // The process was killed while it wrote the line; no code of that module has run.
            let Some(line) = line.strip_suffix('\n') else { continue };
            let module: Module = serde_json::from_str(line).with_context(|| path.display().to_string())?;
            let own = counts.get(usize::try_from(module.first)?..).unwrap_or_default();
            let own = own.as_chunks().0.iter().take(module.counters());
            let own = own.map(|count| u64::from_le_bytes(*count)).collect();
            modules.push((module, own));
        }
    }
    ensure!(!modules.is_empty(), "{} has no counts: no module was measured", folder.display());
    Ok(modules)
}
