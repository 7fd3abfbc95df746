//! Patterns for processes, as an argument.

use globset::{GlobBuilder, GlobMatcher};

/// Reads a pattern for names or command lines: `*`, `?`, `[…]` and `{…,…}`, whatever the case of letters.
///
/// # Errors
/// If it is none.
pub(crate) fn pattern(text: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(text).case_insensitive(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| format!("it is no pattern: {}", error.kind()))
}
