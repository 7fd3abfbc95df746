//! Portable PDBs as System.Reflection.Metadata reads them: `apps/pdboracle`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clrnames::pdb::{DebugDirectory, Pdb};
use corprof_testkit::dotnet::{self, RuntimeVersion};
use corprof_testkit::launch::{self, Launch};
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::libraries::libraries;
use sigparse::Token;
use sigparse::token::{MethodDef, StandAloneSig};

/// Programs with async methods, iterators, lambdas, constants, generics and pointers.
const PROGRAMS: &[&str] = &["covered", "rewritten", "selfreport", "methodnames"];
const MORE_PROGRAMS: &[&str] = &["conformance", "demo", "hostile", "live", "references", "storm", "values"];

/// The least that is compared, so that PDBs that are not there do not pass: files, embedded ones among them, methods.
const FLOOR: [usize; 3] = [15, 2, 4_000];
const LONG_FLOOR: [usize; 3] = [29, 2, 8_000];

#[test]
fn pdbs_read_as_system_reflection_metadata_reads_them() -> Result<()> {
    let files = files()?;
    let oracle = ask(&files)?;
    let (mut embedded, mut methods, mut lines) = (0, 0, 0);
    for path in &files {
        let expected = oracle.get(path).with_context(|| format!("nothing about {}", path.display()))?;
        let pdb = open(path)?;
        let found = listing(&pdb, expected).with_context(|| format!("{}", path.display()))?;
        let differs = found.lines().zip(expected).find(|(own, other)| own != other);
        if let Some((own, other)) = differs {
            bail!("{}\n{own}\n  the oracle: {other}", path.display());
        }
        ensure!(
            found.lines().count() == expected.len(),
            "{}: {} lines, the oracle has {}",
            path.display(),
            found.lines().count(),
            expected.len()
        );
        embedded += usize::from(!is_pdb(path));
        methods += pdb.method_count() as usize;
        lines += expected.len();
    }
    println!("{} PDBs, {embedded} of them embedded: {methods} methods, {lines} lines agree", files.len());
    let floor = if is_long() { LONG_FLOOR } else { FLOOR };
    let compared = [files.len(), embedded, methods];
    ensure!(
        compared.iter().zip(floor).all(|(own, least)| *own >= least),
        "{compared:?}, fewer than {floor:?}"
    );
    Ok(())
}

fn is_pdb(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pdb")
}

fn open(path: &Path) -> Result<Pdb> {
    if is_pdb(path) {
        return Ok(Pdb::parse(fs::read(path)?.into_boxed_slice())?);
    }
    // By the assembly, as a profiler finds it.
    Pdb::of_assembly(path)?.with_context(|| format!("{} has no PDB", path.display()))
}

/// The PDBs of test programs; those of the package that the compiler comes in; those that are embedded in assemblies of
/// `azmcp`.
fn files() -> Result<Vec<PathBuf>> {
    let programs = PROGRAMS.iter().chain(if is_long() { MORE_PROGRAMS } else { &[] });
    let mut files = vec![paths::workspace().join("crates/clrnames/tests/data/sourced.pdb")];
    for name in programs {
        for build in [Build::Debug, Build::Optimised] {
            files.push(App::compile(name, RuntimeVersion::V9_0, build)?.dll.with_extension("pdb"));
        }
    }
    let folder = launch::scratch("pdb-packages")?;
    files.extend(dotnet::compiler_package_symbols(&folder)?);
    let mut assemblies = Vec::new();
    libraries(dotnet::azmcp_program()?.parent().context("azmcp is in no folder")?, &mut assemblies)?;
    for path in assemblies {
        // Native libraries have no debug directory that can be read.
        if DebugDirectory::read(fs::File::open(&path)?).is_ok_and(|it| matches!(it.embedded(), Ok(Some(_)))) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The oracle's lines about each file.
fn ask(files: &[PathBuf]) -> Result<BTreeMap<PathBuf, Vec<String>>> {
    let app = App::compile("pdboracle", RuntimeVersion::V9_0, Build::Optimised)?;
    let folder = launch::scratch("pdb-oracle")?;
    let (input, output) = (folder.join("input"), folder.join("output"));
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    fs::write(&input, paths.join("\n"))?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let launch = Launch::new(&runtime, &app.dll).args([&input, &output]);
    launch.timeout(Duration::from_secs(300)).run()?.ok()?;
    let mut oracle: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in fs::read_to_string(&output)?.split('\n').filter(|line| !line.is_empty()) {
        match line.strip_prefix("= ") {
            Some(path) => current = Some(oracle.entry(PathBuf::from(path)).or_default()),
            None => current.as_mut().context("a line of no file")?.push(line.to_owned()),
        }
    }
    Ok(oracle)
}

/// A PDB in the oracle's form. Of the oracle's lines, only the owners of custom debug information are used.
fn listing(pdb: &Pdb, oracle: &[String]) -> Result<String> {
    let mut text = format!("id {}\n", hex(&pdb.id()?));
    for id in pdb.documents() {
        let document = pdb.document(id)?;
        let (algorithm, hash) = (hex(&document.hash_algorithm), hex(document.hash));
        writeln!(text, "document {algorithm} [{hash}] {} {}", hex(&document.language), document.name)?;
    }
    for method in (1..=pdb.method_count()).filter_map(MethodDef::from_rid) {
        let token = method.token();
        let locals = pdb.local_signature(method)?.map_or(0, StandAloneSig::token);
        write!(text, "points {token:X} {locals:X}")?;
        for point in pdb.sequence_points(method)? {
            let point = point?;
            write!(text, " {:X}:{}:", point.offset, point.document.0)?;
            match point.lines {
                None => text.push_str("hidden"),
                Some(at) => {
                    write!(text, "{},{}-{},{}", at.start_line, at.start_column, at.end_line, at.end_column)?
                }
            }
        }
        text.push('\n');
        for scope in pdb.local_scopes(method)? {
            writeln!(text, "scope {token:X} {:X} {:X}", scope.start, scope.length)?;
            for it in &scope.variables {
                writeln!(text, "variable {} {} {}", it.index, u8::from(it.is_hidden), it.name)?;
            }
            for it in &scope.constants {
                writeln!(text, "constant {} {}", hex(it.signature), it.name)?;
            }
        }
        if let Some(kickoff) = pdb.kickoff_method(method)? {
            writeln!(text, "kickoff {token:X} {:X}", kickoff.token())?;
        }
    }
    let mut last = None;
    for owner in oracle.iter().filter_map(|line| line.strip_prefix("custom ")?.split(' ').next()) {
        // Rows are sorted by their owner.
        if last.replace(owner) == Some(owner) {
            continue;
        }
        custom(&mut text, pdb, Token(u32::from_str_radix(owner, 16)?))?;
    }
    Ok(text)
}

fn custom(text: &mut String, pdb: &Pdb, owner: Token) -> Result<()> {
    for (kind, value) in pdb.custom_debug_information(owner)? {
        writeln!(text, "custom {:X} {} {}", owner.0, hex(&kind), hex(value))?;
        // Of a method, and only if it is the information of that kind.
        let Some(method) = MethodDef::from_token(owner.0) else { continue };
        if hex(&kind) != "C52AFD5425E91A409C2AF94F171072F8" {
            continue;
        }
        let stepping = pdb.async_stepping(method)?.context("no async stepping")?;
        write!(text, "async {:X} {:X}", owner.0, stepping.catch_handler.map_or(0, |at| at + 1))?;
        for step in &stepping.steps {
            let resumes = step.resume_method.map_or(0x0600_0000, MethodDef::token);
            write!(text, " {:X}>{:X}@{resumes:X}", step.yield_offset, step.resume_offset)?;
        }
        text.push('\n');
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}
