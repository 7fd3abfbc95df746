//! Child processes, with errors that have the command line and the output.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};

pub use crate::cargo::cargo;

/// Variables that would make our tools load a profiler.
pub const PROFILER_VARIABLES: [&str; 18] = [
    "CORECLR_ENABLE_PROFILING",
    "CORECLR_PROFILER",
    "CORECLR_PROFILER_PATH",
    "CORECLR_PROFILER_PATH_64",
    "CORECLR_PROFILER_PATH_32",
    "CORECLR_PROFILER_PATH_ARM64",
    "CORECLR_PROFILER_PATH_ARM32",
    "CORECLR_ENABLE_NOTIFICATION_PROFILERS",
    "CORECLR_NOTIFICATION_PROFILERS",
    "DOTNET_ENABLE_PROFILING",
    "DOTNET_PROFILER",
    "DOTNET_PROFILER_PATH",
    "DOTNET_PROFILER_PATH_64",
    "DOTNET_PROFILER_PATH_32",
    "DOTNET_PROFILER_PATH_ARM64",
    "DOTNET_PROFILER_PATH_ARM32",
    "DOTNET_ENABLE_NOTIFICATION_PROFILERS",
    "DOTNET_NOTIFICATION_PROFILERS",
];

/// Runs `command` without input and returns its standard output.
///
/// # Errors
///
/// If it cannot be started, or fails; the message has its whole output.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    if !output.status.success() {
        bail!("`{}` failed ({})\n{}", shown(command), output.status, both(&output).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `command` without input and returns its output.
///
/// # Errors
///
/// If it cannot be started.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null());
    for variable in PROFILER_VARIABLES {
        command.env_remove(variable);
    }
    command.output().with_context(|| format!("cannot start `{}`", shown(command)))
}

/// Standard output and standard error, one after the other.
#[must_use]
pub fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// `command` as it would be typed in a shell, with the variables that were set for it.
#[must_use]
pub fn shown(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// `word`, in quotes when a shell would interpret it.
#[must_use]
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let mut command = Command::new("dotnet");
        command.arg("it's.dll").arg("a b").arg("").env("CORECLR_PROFILER", "{1}");
        assert_eq!(shown(&command), r"CORECLR_PROFILER='{1}' dotnet 'it'\''s.dll' 'a b' ''");
    }

    #[test]
    fn the_error_of_a_failing_command_has_its_output() {
        let error = capture(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("no luck"), "{error}");
    }
}
