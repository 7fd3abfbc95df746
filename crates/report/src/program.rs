//! The program that was recorded.

use std::path::Path;

use corprof_in_process::printable::Printable;

/// Returns the name of a program, escaped, from its command line: that of its assembly if `dotnet` runs it.
pub(crate) fn name_of(command: &str) -> String {
    let mut words = command.split_ascii_whitespace();
    let is_assembly = |word: &&str| word.to_ascii_lowercase().ends_with(".dll");
    let word = words.clone().find(is_assembly).or_else(|| words.next()).unwrap_or("program");
    // A path of Windows, too.
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let stem = Path::new(file).file_stem().map_or_else(|| file.into(), |stem| stem.to_string_lossy());
    Printable(&stem).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_assembly_or_the_first_word() {
        for (command, name) in [
            ("/usr/bin/dotnet /srv/My Shop/shop.dll --port 80", "shop"),
            (r"C:\dotnet\dotnet.exe C:\srv\shop.DLL", "shop"),
            ("./shop --quiet", "shop"),
            ("", "program"),
            ("\u{1b}[2J.dll", r"\u001b[2J"),
        ] {
            assert_eq!(name_of(command), name);
        }
    }
}
