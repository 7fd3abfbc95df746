//! A text table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Method, Rate, files, shown};

/// A text table.
#[must_use]
pub fn text(methods: &[Method]) -> String {
    let mut text = format!("{:>20} {:>20}  file\n", "lines", "branches");
    let files = files(methods);
    for (name, lines) in &files {
        let (whole, branches) = Rate::of(lines.values());
        let _ = writeln!(text, "{} {}  {}", cell(whole), cell(branches), shown(name));
    }
    let (whole, branches) = Rate::of(files.values().flat_map(BTreeMap::values));
    let _ = writeln!(text, "{} {}  all", cell(whole), cell(branches));
    text
}

fn cell(rate: Rate) -> String {
    format!("{:>8} {:>11}", rate.percent(), format!("{}/{}", rate.run, rate.all))
}
