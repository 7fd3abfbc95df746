//! Reports: text, lcov, Cobertura, HTML.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use printable::Printable;
use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::Writer;

use crate::data::Module;

/// The maximum number of lines of a statement; a malformed PDB may have any number.
const MAX_LINES: u32 = 10_000;
/// The maximum size of a source file in a page.
const MAX_SOURCE: u64 = 16 << 20;

/// A line of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The number of executions.
    pub hits: u64,
    /// The number of times that each branch target was taken.
    pub branches: Vec<u64>,
}

/// A source method.
#[derive(Clone, Debug)]
pub struct Method {
    /// The assembly.
    pub module: String,
    /// Its type.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The source file.
    pub file: String,
    /// Its lines, those of its lambdas and of its state machine included.
    pub lines: BTreeMap<u32, Line>,
}

/// The total, and the number that was executed.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    run: usize,
    all: usize,
}

impl Rate {
    fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> (Self, Self) {
        let (mut whole, mut branches) = (Self::default(), Self::default());
        for line in lines {
            whole.all += 1;
            whole.run += usize::from(line.hits > 0);
            branches.all += line.branches.len();
            branches.run += line.branches.iter().filter(|taken| **taken > 0).count();
        }
        (whole, branches)
    }

    #[allow(clippy::cast_precision_loss, reason = "a rate with four digits")]
    fn rate(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.run as f64 / self.all as f64 }
    }

    fn shown(self) -> String {
        format!("{:>6.1} % {:>11}", self.rate() * 100.0, format!("{}/{}", self.run, self.all))
    }
}

/// Adds up the counts of all processes, by source method.
#[must_use]
pub fn methods(modules: &[(Module, Vec<u64>)]) -> Vec<Method> {
    /// The points of a method in a file by their lines, and the branches by line and offset.
    type Counts = (BTreeMap<(u32, u32, u32, u32), u64>, BTreeMap<(u32, u32, u32), Vec<u64>>);
    let mut counts: BTreeMap<(String, String, String, String), Counts> = BTreeMap::new();
    for (module, counters) in modules {
        let counter = |number: u64| {
            let number = usize::try_from(number).ok();
            number.and_then(|number| counters.get(number)).copied().unwrap_or(0)
        };
        let assembly = module.path.rsplit(['/', '\\']).next().unwrap_or(&module.path);
        for method in &module.methods {
            let key = |file: u32| {
                let file = module.files.get(file as usize).cloned().unwrap_or_default();
                (assembly.to_owned(), file, method.class.clone(), method.name.clone())
            };
            for it in &method.points {
                let (points, _) = counts.entry(key(it.file)).or_default();
                let end = it.end.clamp(it.start, it.start.saturating_add(MAX_LINES));
                let hits = points.entry((it.start, end, method.token, it.offset)).or_default();
                *hits = hits.saturating_add(counter(it.counter.into()));
            }
            for it in &method.branches {
                let (_, branches) = counts.entry(key(it.file)).or_default();
                let ways = branches.entry((it.line, method.token, it.offset)).or_default();
                // No branch has more ways than its module has counters.
                ways.resize((it.targets as usize).saturating_add(1).min(counters.len()), 0);
                for (way, number) in ways.iter_mut().zip(u64::from(it.counter)..) {
                    *way = way.saturating_add(counter(number));
                }
            }
        }
    }
    let method = |((module, file, class, name), (points, branches)): (_, Counts)| {
        let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
        // The count of a line is that of the statements that begin on it.
        for ((start, _, _, _), hits) in &points {
            let line = lines.entry(*start).or_default();
            line.hits = line.hits.max(*hits);
        }
        // Otherwise that of the shortest statement around it.
        let begun: BTreeSet<u32> = lines.keys().copied().collect();
        let mut around: Vec<_> = points.iter().collect();
        around.sort_by_key(|((start, end, _, _), _)| end - start);
        for ((start, end, _, _), hits) in around {
            for line in (*start..=*end).filter(|line| !begun.contains(line)) {
                lines.entry(line).or_insert(Line { hits: *hits, branches: Vec::new() });
            }
        }
        for ((line, _, _), ways) in branches {
            lines.entry(line).or_default().branches.extend(ways);
        }
        Method { module, class, name, file, lines }
    };
    counts.into_iter().map(method).collect()
}

/// The lines of each source file.
#[must_use]
pub fn files(methods: &[Method]) -> BTreeMap<&str, BTreeMap<u32, Line>> {
    let mut files: BTreeMap<&str, BTreeMap<u32, Line>> = BTreeMap::new();
    for method in methods {
        let lines = files.entry(&method.file).or_default();
        for (number, line) in &method.lines {
            let own = lines.entry(*number).or_default();
            own.hits = own.hits.max(line.hits);
            own.branches.extend(&line.branches);
        }
    }
    files
}

/// A text table.
#[must_use]
pub fn text(methods: &[Method]) -> String {
    let mut text = format!("{:>20} {:>20}  file\n", "lines", "branches");
    let files = files(methods);
    for (name, lines) in &files {
        let (whole, branches) = Rate::of(lines.values());
        let _ = writeln!(text, "{} {}  {}", whole.shown(), branches.shown(), Printable(name));
    }
    let (whole, branches) = Rate::of(files.values().flat_map(BTreeMap::values));
    let _ = writeln!(text, "{} {}  all", whole.shown(), branches.shown());
    text
}

/// The lcov format, which `genhtml` and editors read.
#[must_use]
pub fn lcov(methods: &[Method]) -> String {
    let mut text = String::new();
    for (file, lines) in files(methods) {
        let _ = writeln!(text, "TN:\nSF:{}", Printable(file));
        for method in methods.iter().filter(|method| method.file == file) {
            let Some((first, line)) = method.lines.first_key_value() else { continue };
            let name = Printable(&format!("{}.{}", method.class, method.name)).to_string();
            let hits = line.hits;
            let _ = writeln!(text, "FN:{first},{name}\nFNDA:{hits},{name}");
        }
        for (number, line) in &lines {
            for (branch, taken) in line.branches.iter().enumerate() {
                let taken = if line.hits == 0 { "-".to_owned() } else { taken.to_string() };
                let _ = writeln!(text, "BRDA:{number},0,{branch},{taken}");
            }
            let _ = writeln!(text, "DA:{number},{}", line.hits);
        }
        let (whole, branches) = Rate::of(lines.values());
        let _ = writeln!(
            text,
            "BRF:{}\nBRH:{}\nLF:{}\nLH:{}\nend_of_record",
            branches.all, branches.run, whole.all, whole.run
        );
    }
    text
}

/// Cobertura XML, which build servers read.
///
/// # Errors
/// The XML cannot be written.
pub fn cobertura(methods: &[Method], timestamp: u64) -> Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    let rates = |lines: &mut dyn Iterator<Item = &Line>| {
        let (whole, branches) = Rate::of(lines);
        [("line-rate", format!("{:.4}", whole.rate())), ("branch-rate", format!("{:.4}", branches.rate()))]
    };
    fn attributes<'l>(list: &'l [(&'static str, String)]) -> impl Iterator<Item = (&'l str, &'l str)> {
        list.iter().map(|(name, value)| (*name, value.as_str()))
    }
    type Lines<'x> = &'x mut Writer<Vec<u8>>;
    let lines = |xml: Lines<'_>, lines: &BTreeMap<u32, Line>| {
        xml.create_element("lines").write_inner_content(|xml| {
            for (number, line) in lines {
                let (number, hits) = (number.to_string(), line.hits.to_string());
                let element =
                    xml.create_element("line").with_attributes([("number", &*number), ("hits", &*hits)]);
                if line.branches.is_empty() {
                    element.with_attribute(("branch", "false")).write_empty()?;
                    continue;
                }
                let (_, rate) = Rate::of([line]);
                let covered = format!("{:.0}% ({}/{})", rate.rate() * 100.0, rate.run, rate.all);
                element
                    .with_attributes([("branch", "true"), ("condition-coverage", &*covered)])
                    .write_empty()?;
            }
            Ok(())
        })?;
        std::io::Result::Ok(())
    };
    let all = files(methods);
    let (whole, branches) = Rate::of(all.values().flat_map(BTreeMap::values));
    let mut head = rates(&mut all.values().flat_map(BTreeMap::values)).to_vec();
    head.extend([
        ("lines-covered", whole.run.to_string()),
        ("lines-valid", whole.all.to_string()),
        ("branches-covered", branches.run.to_string()),
        ("branches-valid", branches.all.to_string()),
        ("complexity", "0".to_owned()),
        ("version", "1".to_owned()),
        ("timestamp", timestamp.to_string()),
    ]);
    let mut packages: BTreeMap<&str, BTreeMap<(&str, &str), Vec<&Method>>> = BTreeMap::new();
    for method in methods {
        packages
            .entry(&method.module)
            .or_default()
            .entry((&method.class, &method.file))
            .or_default()
            .push(method);
    }
    xml.create_element("coverage").with_attributes(attributes(&head)).write_inner_content(|xml| {
        xml.create_element("sources").write_inner_content(|xml| {
            xml.create_element("source").write_text_content(BytesText::new("/")).map(drop)
        })?;
        xml.create_element("packages").write_inner_content(|xml| {
            for (module, classes) in &packages {
                let rate = rates(&mut classes.values().flatten().flat_map(|method| method.lines.values()));
                let package = xml
                    .create_element("package")
                    .with_attributes([("name", &*shown(module)), ("complexity", "0")]);
                package.with_attributes(attributes(&rate)).write_inner_content(|xml| {
                    xml.create_element("classes").write_inner_content(|xml| {
                        for ((class, file), methods) in classes {
                            let own: Vec<Method> = methods.iter().map(|method| (*method).clone()).collect();
                            let own = files(&own).into_values().next().unwrap_or_default();
                            let rate = rates(&mut own.values());
                            let element = xml.create_element("class").with_attributes([
                                ("name", &*shown(class)),
                                ("filename", &*shown(file.trim_start_matches('/'))),
                                ("complexity", "0"),
                            ]);
                            element.with_attributes(attributes(&rate)).write_inner_content(|xml| {
                                xml.create_element("methods").write_inner_content(|xml| {
                                    for method in methods {
                                        let rate = rates(&mut method.lines.values());
                                        let element = xml.create_element("method").with_attributes([
                                            ("name", &*shown(&method.name)),
                                            ("signature", "()"),
                                            ("complexity", "0"),
                                        ]);
                                        let element = element.with_attributes(attributes(&rate));
                                        element.write_inner_content(|xml| lines(xml, &method.lines))?;
                                    }
                                    Ok(())
                                })?;
                                lines(xml, &own)
                            })?;
                        }
                        Ok(())
                    })?;
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(String::from_utf8(xml.into_inner())?)
}

/// Text of the program with unprintable characters escaped.
fn shown(text: &str) -> String {
    Printable(text).to_string()
}

/// The text of a source file; empty if it cannot be shown. The path comes from a PDB and may be that of a device.
fn source(file: &Path) -> String {
    let is_shown = std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_SOURCE);
    let bytes = if is_shown { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An HTML page with the sources.
#[must_use]
pub fn html(methods: &[Method]) -> String {
    let mut page = String::from(
        "<!DOCTYPE html><meta charset=utf-8><title>Coverage</title><style>body{font-family:sans-serif}\
         pre{margin:0}.run{background:#d8f5d8}.part{background:#fff3c4}.not{background:#fbd5d5}\
         .n{color:#888;display:inline-block;width:9em;text-align:right;margin-right:1em}</style><h1>Coverage</h1>",
    );
    let _ = write!(page, "<pre>{}</pre>", escape(text(methods)));
    for (file, lines) in files(methods) {
        let source = source(Path::new(file));
        let _ = write!(page, "<h2>{}</h2><pre>", escape(shown(file)));
        let mut texts: BTreeMap<u32, &str> = (1..).zip(source.lines()).collect();
        // The file may have been shortened since.
        for number in lines.keys() {
            texts.entry(*number).or_default();
        }
        for (number, text) in texts {
            let line = lines.get(&number);
            let class = match line {
                None => "none",
                Some(line) if line.hits == 0 => "not",
                Some(line) if line.branches.contains(&0) => "part",
                Some(_) => "run",
            };
            let hits = line.map_or_else(String::new, |line| format!("{}×", line.hits));
            let ways = line.filter(|line| !line.branches.is_empty()).map_or_else(String::new, |line| {
                let taken = line.branches.iter().filter(|taken| **taken > 0).count();
                format!(" {taken}/{}", line.branches.len())
            });
            let text = text.replace('\t', "    ");
            let text = escape(shown(&text));
            let _ = writeln!(
                page,
                "<span class={class}><span class=n>{hits}{ways} {number:>5}</span>{text}</span>"
            );
        }
        page.push_str("</pre>");
    }
    page
}
