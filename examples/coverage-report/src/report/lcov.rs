//! The lcov format: a record for each source file (`geninfo(1)`, "FILES").

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Method, Rate, files, shown};

/// The lcov format, which `genhtml` and editors read.
#[must_use]
pub fn lcov(methods: &[Method]) -> String {
    let mut text = String::new();
    for (file, lines) in files(methods) {
        let _ = writeln!(text, "TN:\nSF:{}", shown(file));
        let functions = functions(methods, file);
        for (name, (line, _)) in &functions {
            let _ = writeln!(text, "FN:{line},{name}");
        }
        for (name, (_, hits)) in &functions {
            let _ = writeln!(text, "FNDA:{hits},{name}");
        }
        let run = functions.values().filter(|(_, hits)| *hits > 0).count();
        let _ = writeln!(text, "FNF:{}\nFNH:{run}", functions.len());
        for (number, line) in &lines {
            for (branch, taken) in line.branches.iter().enumerate() {
                let taken = if line.hits == 0 { "-".to_owned() } else { taken.to_string() };
                let _ = writeln!(text, "BRDA:{number},0,{branch},{taken}");
            }
        }
        let (whole, branches) = Rate::of(lines.values());
        let _ = writeln!(text, "BRF:{}\nBRH:{}", branches.all, branches.run);
        for (number, line) in &lines {
            let _ = writeln!(text, "DA:{number},{}", line.hits);
        }
        let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", whole.all, whole.run);
    }
    text
}

/// The methods of a source file: the first line of each, and its count. A name stands once in a record: assemblies that are
/// compiled from the same file have the same methods.
fn functions(methods: &[Method], file: &str) -> BTreeMap<String, (u32, u64)> {
    let mut functions: BTreeMap<String, (u32, u64)> = BTreeMap::new();
    for method in methods.iter().filter(|method| method.file == file) {
        let Some((first, line)) = method.lines.first_key_value() else { continue };
        let name = shown(&format!("{}.{}", method.class, method.name));
        let (_, hits) = functions.entry(name).or_insert((*first, 0));
        *hits = line.hits.max(*hits);
    }
    functions
}
