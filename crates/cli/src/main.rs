//! `corprof`: see the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    match corprof_cli::main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
