//! The program that the tool is in.

use std::path::Path;

use corprof_in_process::printable::Printable;

/// Returns the name of the running program, escaped: that of its assembly if `dotnet` runs it.
#[must_use]
pub fn program_name() -> String {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_assembly = |word: &&String| word.to_ascii_lowercase().ends_with(".dll");
    let word = words.iter().find(is_assembly).or(words.first());
    let path = word.map_or_else(|| Path::new("program"), Path::new);
    let stem = path.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy());
    Printable(&stem).to_string()
}
