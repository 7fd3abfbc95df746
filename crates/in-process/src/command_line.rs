//! The command line of this process.

use std::ffi::{OsStr, OsString};

/// Options of `dotnet` before an assembly that have a value.
const HOST_OPTIONS: [&str; 8] = [
    "--additionalprobingpath",
    "--additional-deps",
    "--depsfile",
    "--fx-version",
    "--roll-forward",
    "--roll-forward-on-no-candidate-fx",
    "--runtimeconfig",
    "--runtimeconfigjson",
];

/// Returns the words of this process's command line, the program's own first. Those of `std` are missing in a library where the C
/// library does not pass them to it (musl).
///
/// Under a Linux without `/proc`, and on other systems, they are those of `std`.
#[must_use]
pub fn command_line() -> Vec<OsString> {
    #[cfg(target_os = "linux")]
    if let Ok(bytes) = std::fs::read("/proc/self/cmdline") {
        use std::os::unix::ffi::OsStringExt as _;
        let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        return bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect();
    }
    std::env::args_os().collect()
}

/// Returns whether a word is an option of `dotnet`, before the assembly that it runs, whose value is the next word.
#[must_use]
pub fn is_host_option_with_value(word: &OsStr) -> bool {
    HOST_OPTIONS.iter().any(|option| word == *option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_words_of_std() {
        assert_eq!(command_line(), std::env::args_os().collect::<Vec<_>>());
    }
}
