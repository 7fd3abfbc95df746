//! A C program, linked with musl, loads the library.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::toolchain::Debian;
use crate::{paths, process};

/// The output of `tests/tools/load.c`: `CLASS_E_CLASSNOTAVAILABLE`, no object, and `S_FALSE` of `DllCanUnloadNow`.
const ANSWERS: &str = "80040111 1 1";

/// Compiles the program with musl's headers and libraries, and runs it with musl's loader.
pub(super) fn loads(debian: &Debian, library: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let program = folder.join("load");
    let musl = debian.musl();
    let loader = debian.musl_library();
    let mut compile = Command::new("cc");
    compile
        .args(["-O1", "-nostdinc", "-nostdlib", "-no-pie", "-isystem"])
        .arg(debian.musl_headers())
        .args([musl.join("crt1.o"), musl.join("crti.o")])
        .arg(paths::workspace().join("tests/tools/load.c"))
        .arg(&loader)
        .arg(musl.join("crtn.o"))
        .arg(format!("-Wl,--dynamic-linker={}", loader.display()))
        .arg("-o")
        .arg(&program);
    process::capture(&mut compile)?;
    let answer = process::capture(Command::new(&loader).arg(&program).arg(library))?;
    ensure!(answer.trim() == ANSWERS, "a musl program got {answer:?}, not {ANSWERS:?}");
    println!("    loaded by a C program of musl's");
    Ok(())
}
