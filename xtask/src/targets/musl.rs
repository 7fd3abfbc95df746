//! A C program, linked with musl, loads the library.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::targets::Debian;
use corprof_testkit::{paths, process};

/// The output of `tests/tools/load.c`: `CLASS_E_CLASSNOTAVAILABLE`, no object, and `S_FALSE` of `DllCanUnloadNow`.
pub(crate) const ANSWERS: &str = "80040111 1 1";

/// The path of musl's loader, in the programs that are linked with it.
const LOADER: &str = "/lib/ld-musl-x86_64.so.1";

/// Compiles the program with musl's headers and libraries, and runs it with musl's loader.
pub(super) fn loads(debian: &Debian, library: &Path, folder: &Path) -> Result<()> {
    let program = folder.join("load");
    compile(debian, &program)?;
    let answer = process::capture(Command::new(debian.musl_library()).arg(&program).arg(library))?;
    ensure!(answer.trim() == ANSWERS, "a musl program got {answer:?}, not {ANSWERS:?}");
    println!("    loaded by a C program of musl's");
    Ok(())
}

/// Puts musl and the program `name`, which loads the library of its argument, into a root folder that has nothing else.
///
/// # Errors
///
/// When musl cannot be provisioned, or the program cannot be compiled.
pub(crate) fn furnish(root: &Path, name: &str) -> Result<()> {
    let debian = Debian::provision(&paths::targets_dir())?;
    let loader = root.join(&LOADER[1..]);
    let folder = loader.parent().context("the loader has no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let library = debian.musl_library();
    fs::copy(&library, &loader).with_context(|| format!("cannot copy {}", library.display()))?;
    compile(&debian, &root.join(name))
}

/// Compiles the program that loads a library.
fn compile(debian: &Debian, program: &Path) -> Result<()> {
    let folder = program.parent().context("a program has no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let (musl, library) = (debian.musl(), debian.musl_library());
    let libraries = library.parent().context("musl has no folder")?;
    let mut compile = Command::new("cc");
    compile
        .args(["-O1", "-nostdinc", "-nostdlib", "-no-pie", "-isystem"])
        .arg(debian.musl_headers())
        .args([musl.join("crt1.o"), musl.join("crti.o")])
        .arg(paths::workspace().join("tests/tools/load.c"))
        // By its path, the program would need it at that path.
        .arg("-L")
        .arg(libraries)
        .arg("-l:libc.so")
        .arg(musl.join("crtn.o"))
        .arg(format!("-Wl,--dynamic-linker={LOADER}"))
        .arg("-o")
        .arg(program);
    process::capture(&mut compile).map(drop)
}
