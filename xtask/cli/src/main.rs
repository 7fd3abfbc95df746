//! `cargo xtask`: reads the arguments, then has cargo build and start the program with the commands, the package `xtask`.

use std::env::{self, consts};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The manifest of the commands.
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

fn main() -> ExitCode {
    // Help and wrong arguments end here. The program with the commands reads the same arguments again.
    let _ = xtask_cli::command();
    let mut words: Vec<OsString> = ["run", "--manifest-path", MANIFEST].map(OsString::from).into();
    if is_built() {
        words.push("--quiet".into());
    }
    words.push("--".into());
    words.extend(env::args_os().skip(1));
    match start(xtask_cli::cargo::cargo(Path::new("."), words)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the commands have been built before. The first build takes minutes and shows its progress; later ones do not.
fn is_built() -> bool {
    env::current_exe()
        .is_ok_and(|own| own.with_file_name("xtask").with_extension(consts::EXE_EXTENSION).is_file())
}

/// Continues as `command`, so that signals and the exit code are its own.
#[cfg(unix)]
fn start(mut command: Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

/// Waits for `command`.
#[cfg(not(unix))]
fn start(mut command: Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
