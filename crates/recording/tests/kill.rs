//! A process that is killed at any moment: everything that it has recorded before is in the file.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use argvalues::{Integer, JsonWriter, Primitive, StringUnits, TextWriter, Visitor};
use corprof_in_process::outlet::Outlet;
use recording::lines::{Format, Place};
use recording::streams::{Emitted, Field, FieldType, Item, Schema, SessionStart, StreamReader, Text, Value};
use recording::{
    CompleteError, Completed, Ending, EventKind, Function, Journal, Log, Options, Reader, Recorder, WhenFull,
    complete,
};

/// The file that the child process writes.
const CHILD: &str = "RECORDING_TEST_KILL";
const THREADS: u64 = 2;

fn journal(path: &Path) -> Option<Journal> {
    Some(Journal::create(path, "complete it").unwrap())
}

/// Reports that a thread has recorded a number.
fn report(thread: u64, number: u64) {
    let bytes = [thread.to_le_bytes(), number.to_le_bytes()].concat();
    io::stderr().write_all(&bytes).unwrap();
}

fn record_lines(path: &Path) {
    let outlet = Outlet::create(path).unwrap();
    let log = Log::start(outlet, journal(path), Format::Text, WhenFull::Wait, |_| {}).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let mut own = log.thread(thread);
            scope.spawn(move || {
                for number in 0.. {
                    let more = "x".repeat(usize::try_from(number * 7 % 500).unwrap());
                    own.write(Place { thread, depth: 0 }, &format!("{thread} {number} {more}.\n"));
                    report(thread, number);
                }
            });
        }
    });
}

fn record_calls(path: &Path) {
    record(path, false);
}

fn record_compressed_calls(path: &Path) {
    record(path, true);
}

fn record(path: &Path, compressed: bool) {
    let outlet = Outlet::create(path).unwrap();
    let interval = Duration::from_millis(3);
    let options = Options { chunk_bytes: 16 << 10, interval, compressed, ..Options::default() };
    let recorder = Recorder::start_with(outlet, journal(path), options, |_| {}).unwrap();
    std::thread::scope(|scope| {
        for id in 0..THREADS {
            let (mut thread, recorder) = (recorder.thread(id), &recorder);
            scope.spawn(move || {
                let mut function = None;
                for number in 0.. {
                    // Now and then another function is defined.
                    if number % 100 == 0 {
                        let arguments = Some([Primitive::U64].into());
                        function = recorder.define(&Function { arguments, ..Function::default() });
                    }
                    let function = function.as_ref().unwrap();
                    assert!(thread.enter(function, |_| Some(number)));
                    report(id, number);
                    assert!(thread.leave(function, || None));
                }
            });
        }
    });
}

static ROWS: Schema = Schema::new(
    "rows",
    &[
        Field::key("thread", FieldType::THREAD),
        Field::plain("number", FieldType::COUNT),
        Field::key("text", FieldType::TEXT),
    ],
);

fn record_rows(path: &Path) {
    let outlet = Outlet::create(path).unwrap();
    let options = Options { interval: Duration::from_millis(3), ..Options::default() };
    let recorder = Recorder::start_with(outlet, journal(path), options, |_| {}).unwrap();
    let session = recorder.session(&SessionStart::default()).unwrap();
    let stream = session.stream(&ROWS).unwrap();
    std::thread::scope(|scope| {
        for id in 0..THREADS {
            let (stream, recorder) = (&stream, &recorder);
            scope.spawn(move || {
                let mut text = Text::NONE;
                for number in 0.. {
                    // Now and then another text is defined.
                    if number % 100 == 0 {
                        text = recorder.text(&format!("{}", number / 100)).unwrap();
                    }
                    let row = [Value::Thread(id), Value::Count(number), Value::Text(text)];
                    assert_eq!(stream.emit(&row), Emitted::Kept);
                    report(id, number);
                }
            });
        }
    });
}

/// The second argument of each call.
const TEXT: &str = "a text that each call is given, so that most records refer to another";

fn record_values(path: &Path) {
    let outlet = Outlet::create(path).unwrap();
    let interval = Duration::from_millis(1);
    let options = Options { chunk_bytes: 16 << 10, interval, ..Options::default() };
    let recorder = Recorder::start_with(outlet, journal(path), options, |_| {}).unwrap();
    let function = recorder.define(&Function::default()).unwrap();
    let units: Vec<u16> = TEXT.encode_utf16().collect();
    std::thread::scope(|scope| {
        for id in 0..THREADS {
            let mut thread = recorder.thread(id);
            let (function, units) = (&function, &units);
            scope.spawn(move || {
                for number in 0.. {
                    thread.enter_values(function, |values| {
                        let mut writer = values.writer();
                        writer.integer(Integer::Unsigned(number));
                        writer.value_ended();
                        writer.string(&StringUnits { units, length: units.len() });
                    });
                    report(id, number);
                    thread.leave_values(function, |_| {});
                }
            });
        }
    });
}

/// Runs a test of this file as a child process that writes `path`, and kills it after a time. Returns the last number that each
/// thread has reported.
fn killed(test: &str, path: &Path, after: Duration) -> BTreeMap<u64, u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(CHILD, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let mut first = [0; 16];
    pipe.read_exact(&mut first).unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = first.to_vec();
        pipe.read_to_end(&mut all).unwrap();
        all
    });
    assert!(matches!(complete(path), Err(CompleteError::Running { .. })));
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut last = BTreeMap::new();
    for report in reader.join().unwrap().as_chunks::<16>().0 {
        let word = |at: usize| u64::from_le_bytes(*report[at..].first_chunk().unwrap());
        last.insert(word(0), word(8));
    }
    last
}

/// Kills a child process at many moments, and compares what it has reported with what is in the file.
fn check(test: &str, record: fn(&Path), read: fn(&Path) -> BTreeMap<u64, Vec<u64>>) {
    if let Some(path) = std::env::var_os(CHILD) {
        return record(Path::new(&path));
    }
    let runs = if std::env::var_os("CORPROF_TEST_LONG").is_some() { 1000 } else { 25 };
    let folder = tempfile::tempdir().unwrap();
    let mut appended = 0;
    for run in 0..runs {
        let path = folder.path().join(format!("{run}"));
        // From 0 to some 40 ms, in steps of no regularity.
        let after = Duration::from_micros(run * 7919 % 41_000);
        let reported = killed(test, &path, after);
        let completed = complete(&path).unwrap().unwrap();
        appended += completed.appended;
        assert!(!Journal::path_of(&path).exists());
        assert_eq!(complete(&path).unwrap(), None);
        let found = read(&path);
        for (thread, last) in &reported {
            let numbers = &found[thread];
            assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "thread {thread}: {numbers:?}");
            assert!(
                numbers.len() as u64 > *last,
                "run {run}, thread {thread}: {last} is not in {}",
                numbers.len()
            );
        }
        fs::remove_file(path).unwrap();
    }
    assert!(appended > 0, "no journal had anything");
}

#[test]
fn lines_survive_a_kill() {
    check("lines_survive_a_kill", record_lines, |path| {
        let mut found = BTreeMap::<_, Vec<_>>::new();
        let text = fs::read_to_string(path).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        for line in text.lines() {
            assert!(line.ends_with('.'), "a line is cut: {line}");
            let mut words = line.split(' ').map(|word| word.parse().unwrap_or(u64::MAX));
            found.entry(words.next().unwrap()).or_default().push(words.next().unwrap());
        }
        found
    });
}

#[test]
fn records_survive_a_kill() {
    check("records_survive_a_kill", record_calls, read_calls);
}

#[test]
fn compressed_records_survive_a_kill() {
    check("compressed_records_survive_a_kill", record_compressed_calls, read_calls);
}

#[test]
fn rows_survive_a_kill() {
    check("rows_survive_a_kill", record_rows, |path| {
        let mut found = BTreeMap::<_, Vec<_>>::new();
        let mut reader = StreamReader::new(io::BufReader::new(File::open(path).unwrap())).unwrap();
        while let Some(item) = reader.next().unwrap() {
            let Item::Row(row) = item else { continue };
            let [Value::Thread(thread), Value::Count(number), Value::Text(text)] = row.values() else {
                panic!("{row:?}")
            };
            assert_eq!(row.tables().text(*text), Some(format!("{}", number / 100).as_str()));
            found.entry(*thread).or_default().push(*number);
        }
        assert!(matches!(reader.ending(), Some(Ending::Cut { .. })));
        // Threads that emit at the same time use several parts of the memory.
        found.values_mut().for_each(|numbers| numbers.sort_unstable());
        found
    });
}

#[test]
fn repeated_values_survive_a_kill() {
    check("repeated_values_survive_a_kill", record_values, |path| {
        let mut reader = Reader::new(io::BufReader::new(File::open(path).unwrap())).unwrap();
        let mut found = BTreeMap::<_, Vec<_>>::new();
        while let Some(event) = reader.next().unwrap() {
            let EventKind::Enter(_, mut values) = event.kind else { continue };
            let [mut number, mut text] = [String::new(), String::new()];
            assert!(values.visit_next(&mut JsonWriter::new(&mut number)).unwrap());
            assert!(values.visit_next(&mut TextWriter::new(&mut text)).unwrap() && values.is_at_end());
            assert_eq!(text.trim_matches('"'), TEXT);
            found.entry(event.thread.id).or_default().push(number.parse().unwrap());
        }
        let (calls, bytes) = (found.values().map(Vec::len).sum::<usize>(), fs::metadata(path).unwrap().len());
        // With the text in each, a call had more than 140 bytes.
        assert!(calls < 1000 || bytes < 100 * calls as u64, "{calls} calls in {bytes} bytes");
        found
    });
}

fn read_calls(path: &Path) -> BTreeMap<u64, Vec<u64>> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    let mut reader = Reader::new(io::BufReader::new(File::open(path).unwrap())).unwrap();
    while let Some(event) = reader.next().unwrap() {
        if let EventKind::Enter(_, mut values) = event.kind {
            let mut text = String::new();
            assert!(values.visit_next(&mut JsonWriter::new(&mut text)).unwrap());
            found.entry(event.thread.id).or_default().push(text.parse().unwrap());
        }
    }
    assert!(matches!(reader.ending(), Some(Ending::Cut { .. })));
    found
}

#[test]
fn a_write_that_was_not_finished_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let outlet = Outlet::create(&path).unwrap();
    let log = Log::start(outlet, journal(&path), Format::Text, WhenFull::Wait, |_| {}).unwrap();
    let mut thread = log.thread(1);
    let write =
        |thread: &mut recording::ThreadLog, line: &str| thread.write(Place { thread: 1, depth: 0 }, line);
    write(&mut thread, "one\n");
    while fs::read(&path).unwrap() != b"one\n" {
        std::thread::sleep(Duration::from_millis(1));
    }
    // As a kill leaves it in the middle of a write of "two\n": noted, and written in part.
    let copy = folder.path().join("copy");
    let snapshot = |main: &[u8], writing: u64, until: u64| {
        let mut bytes = fs::read(Journal::path_of(&path)).unwrap();
        let chunk = (1..16).map(|page| page * 4096).find(|at| bytes[*at..].starts_with(b"CHNK")).unwrap();
        bytes[chunk + 128..chunk + 136].copy_from_slice(b"one\ntwo\n");
        for (at, word) in
            [(chunk + 24, 4), (chunk + 32, 8), (16, 4), (24, chunk as u64), (32, until), (40, writing)]
        {
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        fs::write(&copy, main).unwrap();
        fs::write(Journal::path_of(&copy), bytes).unwrap();
        let completed = loop {
            match complete(&copy) {
                // A child of another test has the files until it runs its program.
                Err(CompleteError::Running { .. }) => std::thread::sleep(Duration::from_millis(1)),
                completed => break completed.unwrap().unwrap(),
            }
        };
        assert_eq!(fs::read_to_string(&copy).unwrap(), "one\ntwo\n");
        completed
    };
    assert_eq!(snapshot(b"one\n", 0, 0), Completed { appended: 4, removed: 0 });
    assert_eq!(snapshot(b"one\n", 8, 8), Completed { appended: 4, removed: 0 });
    assert_eq!(snapshot(b"one\ntw", 8, 8), Completed { appended: 4, removed: 2 });
    assert_eq!(snapshot(b"one\ntwo\n", 8, 8), Completed { appended: 0, removed: 0 });
    drop(thread);
    log.finish();
}

#[test]
fn a_file_that_is_no_journal_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, "one\n").unwrap();
    assert_eq!(complete(&path).unwrap(), None);
    fs::write(Journal::path_of(&path), "another file").unwrap();
    assert!(matches!(complete(&path), Err(CompleteError::NoJournal { .. })));
    assert_eq!(fs::read_to_string(Journal::path_of(&path)).unwrap(), "another file");
    fs::write(Journal::path_of(&path), [0; 8192]).unwrap();
    assert_eq!(complete(&path).unwrap(), Some(Completed::default()));
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
}

#[test]
fn a_file_that_is_no_journal_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.txt");
    let beside = Journal::path_of(&path);
    fs::write(&beside, "someone's own").unwrap();
    let error = Journal::create(&path, "complete it").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&beside).unwrap(), "someone's own");
    fs::remove_file(&beside).unwrap();
    drop(Journal::create(&path, "complete it").unwrap());
    // As a process that was killed leaves it.
    drop(Journal::create(&path, "complete it").unwrap());
}

/// An output that takes nothing.
struct Full;

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_recording_that_cannot_begin_leaves_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording");
    let started = Recorder::start_with(Full, journal(&path), Options::default(), |_| {});
    assert!(started.is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
