//! Selected parts and searches, against the whole recording.

use std::fs;
use std::path::{Path, PathBuf};

use argvalues::{Mode, Primitive};
use recording::{Function, Options, Parameter, Recorder};
use serde_json::Value;

use super::*;

/// The number of calls of a thread.
const CALLS: i32 = 2000;

/// Two threads that call `Shop.Outer`, which calls `Shop.Inner` with 0, 1, … and gets twice the number.
pub(super) fn record(folder: &Path) -> PathBuf {
    let file = folder.join("calls.rec");
    let options = Options { chunks: 4, chunk_bytes: 4096, ..Options::default() };
    let output = fs::File::create(&file).unwrap();
    let recorder = Recorder::start(output, options, |error| panic!("{error}")).unwrap();
    let named = |name: &str| Function { name: name.into(), module: "shop.dll".into(), ..Function::default() };
    let outer = Function { arguments: Some([].into()), ..named("Shop.Outer") };
    let count = Parameter { name: "count".into(), type_name: "int".into(), mode: Mode::Value };
    let inner = Function {
        arguments: Some([Primitive::I32].into()),
        result: Some(Primitive::I64),
        parameters: vec![count],
        returns: Some("long".into()),
        ..named("Shop.Inner")
    };
    let last = Function { arguments: Some([].into()), ..named("Shop.Last") };
    let [outer, inner, last] = [outer, inner, last].map(|function| recorder.define(&function).unwrap());
    for id in [11, 12] {
        let mut thread = recorder.thread(id);
        for number in 0..CALLS {
            thread.enter(&outer, |_| None);
            thread.enter(&inner, |_| Some(number.cast_unsigned().into()));
            thread.leave(&inner, || Some(2 * u64::from(number.cast_unsigned())));
            thread.leave(&outer, || None);
        }
        thread.enter(&last, |_| None);
        thread.leave(&last, || None);
    }
    recorder.finish().unwrap();
    file
}

fn told(command: &str, file: &Path, options: &[&str]) -> String {
    let mut out = Vec::new();
    let words = [command, file.to_str().unwrap()].into_iter().chain(options.iter().copied());
    run(words, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn lines(file: &Path, options: &[&str]) -> Vec<Value> {
    let options: Vec<&str> = ["--format", "jsonl"].into_iter().chain(options.iter().copied()).collect();
    told("print", file, &options).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The beginnings and ends of calls: thread, whether it begins, nanoseconds.
fn events(file: &Path, options: &[&str]) -> Vec<(u64, bool, u64)> {
    let all: Value = serde_json::from_str(&told("chrome", file, options)).unwrap();
    let events = all["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] != "M");
    let nanoseconds = |event: &Value| {
        let text = event["ts"].to_string();
        let (whole, part) = text.split_once('.').unwrap();
        // Zeros at the end are not part of a JSON number.
        1000 * whole.parse::<u64>().unwrap() + format!("{part:0<3}").parse::<u64>().unwrap()
    };
    events.map(|event| (event["tid"].as_u64().unwrap(), event["ph"] == "B", nanoseconds(event))).collect()
}

/// The calls of the events between two times, cut at them. The events of a thread are followed until the first behind the range.
fn clipped(all: &[(u64, bool, u64)], from: u64, to: u64) -> Vec<(u64, bool, u64)> {
    let mut clipped = Vec::new();
    for thread in [11, 12] {
        let mut open: Vec<u64> = Vec::new();
        let mut found = Vec::new();
        for (_, begins, time) in all.iter().filter(|event| event.0 == thread) {
            if *begins {
                open.push(*time);
            } else {
                let begun = open.pop().unwrap();
                if begun <= to && *time >= from {
                    found.extend([(thread, true, begun.max(from)), (thread, false, (*time).min(to))]);
                }
            }
        }
        clipped.append(&mut found);
    }
    clipped.sort_unstable();
    clipped
}

#[test]
fn selected_parts_are_parts_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let all = lines(&file, &[]);
    assert_eq!(all.len(), 2 * (4 * usize::try_from(CALLS).unwrap() + 2));
    let only = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|line| is(line)).cloned().collect::<Vec<_>>();
    let index = folder.path().join("calls.rec.index");
    assert!(!index.exists(), "an index is made when a part is selected");
    assert_eq!(lines(&file, &["--thread", "12"]), only(&|line| line["thread"] == 12));
    assert!(index.exists());
    // With the index that was kept.
    assert_eq!(lines(&file, &["--thread", "11"]), only(&|line| line["thread"] == 11));
    assert_eq!(lines(&file, &["--method", "Shop.Inner"]), only(&|line| line["method"] == "Shop.Inner"));
    assert_eq!(lines(&file, &["--method", "shop.dll!*.Outer"]), only(&|line| line["method"] != "Shop.Last"));
    let (last, thread) = (["--method", "Shop.Last"], ["--thread", "12"]);
    assert_eq!(
        lines(&file, &[last, thread].concat()),
        only(&|line| line["method"] == "Shop.Last" && line["thread"] == 12)
    );
    assert!(lines(&file, &["--method", "Shop.None"]).is_empty());
}

#[test]
fn calls_are_cut_at_the_bounds_of_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let all = events(&file, &[]);
    for (from, to) in [(0, 3), (1, 3), (4, 5), (0, 1), (5, 6)] {
        let at = |part: usize| all[(all.len() - 1) * part / 6].2;
        let (from, to) = (at(from), at(to));
        let mut found = events(&file, &["--from", &format!("{from}ns"), "--to", &format!("{to}ns")]);
        found.sort_unstable();
        // A call that begins at the very end may have its end in the first event behind it.
        assert_eq!(found, clipped(&all, from, to), "{from} to {to}");
    }
}

#[test]
fn a_changed_recording_has_another_index() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let whole = lines(&file, &["--thread", "12"]);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() * 9 / 10]).unwrap();
    let part = lines(&file, &["--thread", "12"]);
    assert!(whole.starts_with(&part) && part.len() < whole.len());
    fs::write(folder.path().join("calls.rec.index"), "no index").unwrap();
    fs::write(&file, &bytes).unwrap();
    assert_eq!(lines(&file, &["--thread", "12"]), whole);
}

#[test]
fn what_is_before_the_damage_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let whole = lines(&file, &[]);
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 0x55;
    fs::write(&file, &bytes).unwrap();
    let read = |words: &[&str]| {
        let mut out = Vec::new();
        let (command, options) = words.split_first().unwrap();
        let words = [*command, file.to_str().unwrap()].into_iter().chain(options.iter().copied());
        let report = run(words, &mut out).unwrap();
        let Some(ReadError::Damaged { offset, .. }) = report.damage else { panic!("{report:?}") };
        assert!(usize::try_from(offset).unwrap() <= at, "{offset} in front of {at}");
        String::from_utf8(out).unwrap()
    };
    let print = read(&["print", "--format", "jsonl"]);
    let print: Vec<Value> = print.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!print.is_empty() && print.len() < whole.len() && whole.starts_with(&print));
    let enters = print.iter().filter(|line| line["event"] == "enter").count();
    let top = read(&["top", "--by", "calls"]);
    let calls = top.lines().filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    assert_eq!(calls.sum::<usize>(), enters);
    assert!(read(&["find", "--where", "count=1"]).contains("Shop.Inner(count: 1)"));
    for command in ["tree", "flame", "speedscope", "chrome"] {
        assert!(read(&[command]).contains("Shop.Inner"), "{command}");
    }
}

#[test]
fn calls_are_found_by_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let find = |options: &[&str]| -> Vec<Value> {
        let options: Vec<&str> = ["--json"].into_iter().chain(options.iter().copied()).collect();
        told("find", &file, &options).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let found = find(&["--where", "count=77"]);
    assert_eq!(found.len(), 2);
    for (call, thread) in found.iter().zip([11, 12]) {
        assert_eq!(call["enter"]["thread"], thread);
        assert_eq!(call["enter"]["args"][0]["value"], 77);
        assert_eq!(call["leave"]["return"]["value"], 154);
        assert_eq!(call["end"], "leave");
        assert!(call["duration"].is_u64() && call["time"].is_u64());
    }
    assert_eq!(find(&["--where", "return>=3990"]).len(), 2 * 5);
    assert_eq!(find(&["--where", "return>=3990", "--where", "count<1997", "--thread", "12"]).len(), 2);
    assert_eq!(find(&["--where", "*=77"]).len(), 2);
    assert_eq!(find(&["--where", "none=77"]).len(), 0);
    // With the values of the beginning and of the end.
    assert_eq!(find(&["--where", "count == 77 && return == 154"]), found);
    assert_eq!(find(&["--where", "return == count"]).len(), 2);
    assert_eq!(find(&["--where", "return > count && !(count < 1990)"]).len(), 2 * 10);
    assert_eq!(find(&["--where", "count == 77 || return == 4 || return == null"]).len(), 2 * 2);
    assert_eq!(find(&["--where", "count == 77 && duration >= 0ns"]), found);
    assert_eq!(find(&["--where", "count == 77 && duration > 1h"]).len(), 0);
    // A call without the value does not meet a comparison, but it meets its negation.
    assert_eq!(find(&["--where", "!(count >= 1)"]).len(), 2 * (1 + usize::try_from(CALLS).unwrap() + 1));
    let refused = |condition: &str| {
        let words = ["find", file.to_str().unwrap(), "--where", condition];
        run(words, &mut Vec::new()).unwrap_err().to_string()
    };
    let reason = |condition: &str| {
        let words = ["find", file.to_str().unwrap(), "--where", condition];
        run(words, &mut Vec::new()).unwrap().notes.join("\n")
    };
    assert_eq!(reason("count == -1"), "no call meets the conditions");
    let unknown = reason("coutn == 1 && count == apple");
    assert!(
        unknown.contains("no selected method has an argument `apple`, `coutn`; there are: count."),
        "{unknown}"
    );
    assert!(refused("thread.name ~ 'Worker'").contains("no names of threads"));
    assert!(refused("count = = 3").contains("\n  count = = 3\n          ^"), "{}", refused("count = = 3"));
    assert_eq!(find(&["--method", "Shop.Outer"]).len(), 2 * usize::try_from(CALLS).unwrap());
    assert_eq!(find(&["--method", "Shop.Outer", "-n", "5"]).len(), 5);
    // Times and durations are those of the events.
    let (begin, end) = (found[0]["time"].as_u64().unwrap(), found[0]["duration"].as_u64().unwrap());
    let (begin, end) = ((11, true, begin), (11, false, begin + end));
    let all = events(&file, &["--method", "Shop.Inner"]);
    assert!(all.contains(&begin) && all.contains(&end));
    let later = find(&["--method", "Shop.Inner", "--from", &format!("{}ns", begin.2), "--thread", "11"]);
    assert!(later.contains(&found[0]) && later.iter().all(|call| call["time"].as_u64() >= Some(begin.2)));
    let text = told("find", &file, &["--where", "count=77", "--thread", "11"]);
    assert!(text.contains("ms  [11]   → Shop.Inner(count: 77)") && text.contains("← 154"), "{text}");
}

#[test]
fn calls_are_found_by_their_exception() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("thrown.rec");
    let output = fs::File::create(&file).unwrap();
    let recorder = Recorder::start(output, Options::default(), |error| panic!("{error}")).unwrap();
    let parameters = vec![Parameter { name: "count".into(), type_name: "int".into(), mode: Mode::Value }];
    let arguments = Some([Primitive::I32].into());
    let function = Function { name: "Shop.Place".into(), arguments, parameters, ..Function::default() };
    let place = recorder.define(&function).unwrap();
    let mut thread = recorder.thread(1);
    for (count, exception) in [(1, "System.TimeoutException"), (2, "Shop.Failure"), (3, "")] {
        thread.enter(&place, |_| Some(count));
        if exception.is_empty() {
            thread.leave(&place, || None);
        } else {
            thread.unwind(place.number(), exception);
        }
    }
    drop(thread);
    recorder.finish().unwrap();
    for (condition, expected) in [
        ("exception is TimeoutException", &[1][..]),
        ("exception is Shop.Failure && count == 2", &[2]),
        ("exception is Shop.Failure && count == 1", &[]),
        ("exception != null", &[1, 2]),
        ("!(exception != null)", &[3]),
        ("exception ~ '^Shop'", &[2]),
        ("count == 3 || exception is TimeoutException", &[1, 3]),
    ] {
        let found = told("find", &file, &["--json", "--where", condition]);
        let found = found.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let counts: Vec<_> = found.map(|call| call["enter"]["args"][0]["value"].as_i64().unwrap()).collect();
        assert_eq!(counts, expected, "{condition}");
    }
}

#[test]
fn sums_are_those_of_the_events() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path());
    let top = told("top", &file, &["--by", "calls", "--thread", "11"]);
    let calls = |name: &str| {
        let line = top.lines().find(|line| line.ends_with(name)).unwrap();
        line.split_whitespace().next().unwrap().parse::<i32>().unwrap()
    };
    assert_eq!([calls("Shop.Outer"), calls("Shop.Inner"), calls("Shop.Last")], [CALLS, CALLS, 1]);
    let tree = told("tree", &file, &["--least", "0"]);
    let count = |thread: &str, name: &str| {
        let lines = tree.lines().skip_while(|line| !line.starts_with(thread));
        let line = lines.skip(1).find(|line| line.ends_with(name)).unwrap();
        line.split_whitespace().nth(2).unwrap().parse::<i32>().unwrap()
    };
    for thread in ["thread 11", "thread 12"] {
        assert_eq!([count(thread, "Shop.Outer"), count(thread, "Shop.Inner")], [CALLS, CALLS]);
    }
    let all: Value = serde_json::from_str(&told("speedscope", &file, &[])).unwrap();
    let names: Vec<_> = all["profiles"].as_array().unwrap().iter().map(|profile| &profile["name"]).collect();
    assert_eq!(names, ["thread 11", "thread 12"]);
    let chrome = events(&file, &[]);
    for (profile, thread) in all["profiles"].as_array().unwrap().iter().zip([11, 12]) {
        let found = profile["events"].as_array().unwrap().iter();
        let found: Vec<_> =
            found.map(|event| (thread, event["type"] == "O", event["at"].as_u64().unwrap())).collect();
        let expected: Vec<_> = chrome.iter().copied().filter(|event| event.0 == thread).collect();
        assert_eq!(found, expected);
    }
}
