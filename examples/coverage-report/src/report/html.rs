//! An HTML page: a table of the files, and their sources with the counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use quick_xml::escape::escape;

use super::{Line, Method, Rate, files, shown};

/// The maximum size of a source file in a page.
const MAX_SOURCE: u64 = 16 << 20;

const HEAD: &str = "<!DOCTYPE html><html lang=en><meta charset=utf-8>\
    <meta name=viewport content=\"width=device-width\"><title>Coverage</title><style>\
    body{font-family:sans-serif;margin:1em}table{border-collapse:collapse}th,td{padding:.1em .8em;text-align:right}\
    td:last-child,th:last-child{text-align:left}tr:hover td{background:#eee}meter{width:6em}\
    pre{margin:0;overflow-x:auto}pre span{display:inline-block;min-width:100%}pre i{font-style:normal;color:#777;\
    display:inline-block;width:8em;text-align:right;margin-right:1em}\
    .run{background:#d8f5d8}.part{background:#fff3c4}.not{background:#fbd5d5}b{padding:0 .5em;font-weight:normal}\
    </style><h1>Coverage</h1>";

const LEGEND: &str = "<p><b class=run>executed</b> <b class=part>executed, but not every branch was taken</b> \
    <b class=not>not executed</b>. Before a line: its executions, and the branches that were taken, of all.\n";

/// An HTML page with the sources.
#[must_use]
pub fn html(methods: &[Method]) -> String {
    let mut page = String::from(HEAD);
    let files = files(methods);
    page.push_str("<table><tr><th colspan=3>lines<th colspan=3>branches<th>file\n");
    for (number, (file, lines)) in files.iter().enumerate() {
        let name = shown(file);
        row(&mut page, lines.values(), &format!("<a href=\"#f{number}\">{}</a>", escape(name)));
    }
    row(&mut page, files.values().flat_map(BTreeMap::values), "all");
    page.push_str("</table>\n");
    page.push_str(LEGEND);
    for (number, (file, lines)) in files.iter().enumerate() {
        let _ = writeln!(page, "<h2 id=f{number}>{}</h2>", escape(shown(file)));
        match source(Path::new(file)) {
            Some(source) => listing(&mut page, &source, lines),
            None => without_source(&mut page, lines),
        }
    }
    page
}

/// A row of the table.
fn row<'l>(page: &mut String, lines: impl Iterator<Item = &'l Line>, name: &str) {
    let (whole, branches) = Rate::of(lines);
    page.push_str("<tr>");
    for rate in [whole, branches] {
        let Rate { run, all } = rate;
        let meter =
            if all == 0 { String::new() } else { format!("<meter value={:.4}></meter>", rate.rate()) };
        let _ = write!(page, "<td>{meter}<td>{}<td>{run}/{all}", rate.percent());
    }
    let _ = writeln!(page, "<td>{name}");
}

/// The source of a file, with the counts of its lines.
fn listing(page: &mut String, source: &str, lines: &BTreeMap<u32, Line>) {
    let mut texts: BTreeMap<u32, &str> = (1..).zip(source.lines()).collect();
    // The file may have been shortened since.
    for number in lines.keys() {
        texts.entry(*number).or_default();
    }
    page.push_str("<pre>");
    for (number, text) in texts {
        let line = lines.get(&number);
        let hits = line.map_or_else(String::new, |line| format!("{}×", line.hits));
        let (ways, title) = line.map_or_else(<(String, String)>::default, branches);
        let text = escape(shown(&text.replace('\t', "    "))).into_owned();
        let _ = writeln!(
            page,
            "<span class={}{title}><i>{hits}{ways} {number:>5}</i>{text}</span>",
            line.map_or("none", class)
        );
    }
    page.push_str("</pre>");
}

/// The taken branches of a line, of all, and the count of each as a tooltip.
fn branches(line: &Line) -> (String, String) {
    if line.branches.is_empty() {
        return <(String, String)>::default();
    }
    let taken = line.branches.iter().filter(|taken| **taken > 0).count();
    let each: Vec<String> = line.branches.iter().map(|taken| format!("{taken}×")).collect();
    (format!(" {taken}/{}", line.branches.len()), format!(" title=\"branches: {}\"", each.join(", ")))
}

fn class(line: &Line) -> &'static str {
    match line {
        Line { hits: 0, .. } => "not",
        Line { branches, .. } if branches.contains(&0) => "part",
        _ => "run",
    }
}

/// The lines that were not executed, of a file that cannot be shown.
fn without_source(page: &mut String, lines: &BTreeMap<u32, Line>) {
    page.push_str("<p>This file cannot be read here.");
    for (what, wanted) in [("Not executed", "not"), ("Some branches not taken", "part")] {
        let numbers = lines.iter().filter(|(_, line)| class(line) == wanted).map(|(number, _)| *number);
        let ranges = ranges(numbers);
        if !ranges.is_empty() {
            let _ = write!(page, " {what}: <span class={wanted}>{}</span>.", ranges.join(", "));
        }
    }
    page.push('\n');
}

/// Ranges of ascending numbers.
fn ranges(numbers: impl Iterator<Item = u32>) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(first, last)| if first == last { format!("{first}") } else { format!("{first}–{last}") };
    ranges.into_iter().map(text).collect()
}

/// The text of a source file, if it can be shown. The path comes from a PDB and may be that of a device.
fn source(file: &Path) -> Option<String> {
    let is_shown = std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_SOURCE);
    let bytes = if is_shown { std::fs::read(file).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn neighbouring_numbers_are_one_range() {
        assert_eq!(ranges([1, 2, 3, 7, 9, 10, u32::MAX].into_iter()), ["1–3", "7", "9–10", "4294967295"]);
        assert!(ranges([].into_iter()).is_empty());
    }
}
