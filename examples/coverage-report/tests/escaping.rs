//! Malformed PDBs and counts: names with control characters, huge numbers. And the files of processes do not mix.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use coverage_report::data::{self, Branch, Method, Module, Output, Point};
use coverage_report::report;

const EVIL: &str = "Evil\nend_of_record\nSF:/forged\u{1b}[2J\u{202e}txt.exe\"<&>;";

fn module(name: &str) -> Module {
    let point = Point { offset: 0, counter: 0, file: 0, start: 3, end: 4 };
    let branch = Branch { offset: 1, counter: 1, targets: 1, file: 0, line: 3 };
    let method = Method {
        token: 0x0600_0001,
        class: name.into(),
        name: name.into(),
        points: vec![point],
        branches: vec![branch],
    };
    Module { path: name.into(), files: vec![name.into()], methods: vec![method], ..Module::default() }
}

#[test]
fn hostile_names_are_escaped_in_every_report() {
    let methods = report::methods(&[(module(EVIL), vec![7, 1, 6])]);
    let is_printable =
        |text: &str| text.lines().all(|line| line.chars().all(corprof_in_process::printable::is_printable));
    let text = report::text(&methods);
    assert!(is_printable(&text) && text.lines().count() == 3, "{text}");
    let lcov = report::lcov(&methods);
    assert!(is_printable(&lcov), "{lcov}");
    let count = |begin: &str| lcov.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!((count("SF:"), count("end_of_record"), count("FN:")), (1, 1, 1), "{lcov}");
    let xml = report::cobertura(&methods, 0).unwrap();
    assert!(is_printable(&xml) && !xml.contains("<&>"), "{xml}");
    let mut reader = quick_xml::Reader::from_str(&xml);
    let mut classes = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(start) if start.name().as_ref() == b"class" => classes += 1,
            _ => {}
        }
    }
    assert_eq!(classes, 1);
    let page = report::html(&methods);
    assert!(is_printable(&page) && !page.contains("<&>"), "{page}");
}

#[test]
fn a_source_is_shown_without_what_commands_a_browser_or_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Evil.cs");
    std::fs::write(&file, "one\n\ttwo // \u{202e}<script>\u{1b}\nthree\n").unwrap();
    let mut module = module("Shop");
    module.files = vec![file.to_str().unwrap().into()];
    let page = report::html(&report::methods(&[(module, vec![7, 1, 6])]));
    assert!(page.contains("    two // \\u202e&lt;script&gt;\\u001b") && page.contains("three"), "{page}");
}

#[test]
fn numbers_without_end_take_no_memory_without_end() {
    let mut module = module("Shop");
    let method = &mut module.methods[0];
    method.points.push(Point { offset: 2, counter: u32::MAX, file: 9, start: 5, end: u32::MAX });
    method.points.push(Point { offset: 3, counter: 0, file: 0, start: 9, end: 2 });
    method.points.push(Point { offset: 4, counter: 0, file: 0, start: u32::MAX, end: u32::MAX });
    method.branches.push(Branch { offset: 5, counter: u32::MAX, targets: u32::MAX, file: 0, line: u32::MAX });
    // A device has no end.
    module.files.push("/dev/zero".into());
    method_in(&mut module, 1);
    let methods = report::methods(&[(module, vec![u64::MAX; 3])]);
    let lines: usize = methods.iter().map(|method| method.lines.len()).sum();
    assert!(lines < 25_000, "{lines} lines");
    assert!(report::html(&methods).len() < 4 << 20);
    assert!(report::lcov(&methods).contains("DA:3,18446744073709551615"));
}

/// Adds a method in another file.
fn method_in(module: &mut Module, file: u32) {
    let point = Point { offset: 0, counter: 1, file, start: 1, end: 1 };
    let (class, name) = ("Shop".to_owned(), "Zero".to_owned());
    module.methods.push(Method {
        token: 0x0600_0002,
        class,
        name,
        points: vec![point],
        branches: Vec::new(),
    });
}

#[test]
fn the_files_of_a_process_that_had_the_same_id_stay() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let mut module = module("Shop");
        drop(Output::create(folder.path()).unwrap().add(&mut module, 3).unwrap());
    }
    let read = data::read(folder.path()).unwrap();
    assert_eq!(read.len(), 3);
    assert!(read.iter().all(|(_, counts)| counts.len() == 3));
    #[cfg(unix)]
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
