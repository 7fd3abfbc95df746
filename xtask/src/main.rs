//! `cargo xtask`: see the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match xtask::compile_fail::as_rustdoc() {
        Ok(None) => xtask::cli::main(),
        Ok(Some(code)) => Ok(code),
        Err(error) => Err(error),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
