//! Recordings of streams that the tests make: what is in a report is what was recorded, by hand.
#![allow(clippy::unwrap_used, clippy::panic, reason = "of what the tests themselves have set up")]

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use corprof_profile::Format;
use corprof_report::{Kind, Metric, Options, Report};
use recording::streams::{
    Emitted, Field, FieldType, Frame, Node, Schema, Session, SessionStart, Stream, Value,
};
use recording::{ClockKind, Process, Recorder};

static WAITS: Schema = Schema::new(
    "waits",
    &[
        Field::plain("begin", FieldType::TIME),
        Field::key("kind", FieldType::TEXT),
        Field::key("stack", FieldType::NODE),
        Field::sum("length", FieldType::NANOSECONDS, ""),
        Field::last("queue", FieldType::COUNT, "threads"),
        Field::plain("number", FieldType::COUNT),
    ],
);

static COLLECTIONS: Schema = Schema::new(
    "collections",
    &[
        Field::plain("begin", FieldType::TIME),
        Field::sum("length", FieldType::NANOSECONDS, ""),
        Field::plain("number", FieldType::COUNT),
        Field::key("generation", FieldType::COUNT),
        Field::key("kind", FieldType::TEXT),
        Field::key("reason", FieldType::TEXT),
        Field::sum("induced", FieldType::COUNT, ""),
        Field::sum("paused", FieldType::NANOSECONDS, ""),
        Field::sum("suspending", FieldType::NANOSECONDS, ""),
    ],
);

static SIZES: Schema = Schema::new(
    "sizes",
    &[
        Field::plain("collection", FieldType::COUNT),
        Field::key("space", FieldType::COUNT),
        Field::last("before", FieldType::BYTES, ""),
        Field::last("after", FieldType::BYTES, ""),
    ],
);

static PAUSES: Schema = Schema::new(
    "pauses",
    &[
        Field::plain("begin", FieldType::TIME),
        Field::key("reason", FieldType::TEXT),
        Field::sum("length", FieldType::NANOSECONDS, ""),
        Field::sum("suspending", FieldType::NANOSECONDS, ""),
    ],
);

static EXCEPTIONS: Schema = Schema::new(
    "exceptions",
    &[
        Field::plain("time", FieldType::TIME),
        Field::plain("number", FieldType::COUNT),
        Field::key("type", FieldType::TEXT),
        Field::key("message", FieldType::TEXT),
        Field::key("caught in", FieldType::TEXT),
        Field::key("stack", FieldType::NODE),
    ],
);

static AGAIN: Schema = Schema::new(
    "again",
    &[
        Field::plain("time", FieldType::TIME),
        Field::plain("number", FieldType::COUNT),
        Field::key("type", FieldType::TEXT),
        Field::key("caught in", FieldType::TEXT),
        Field::key("stack", FieldType::NODE),
    ],
);

static MISSED: Schema = Schema::new(
    "missed",
    &[Field::key("reason", FieldType::TEXT), Field::last("count", FieldType::COUNT, "")],
);

/// A recording in progress in a file.
struct Recorded {
    recorder: Recorder,
    session: Session,
}

impl Recorded {
    fn begin(path: &Path, tool: &str, settings: &[(&str, &str)]) -> Self {
        let process = Process { command: "/usr/bin/dotnet /srv/shop.dll".to_owned(), ..Process::default() };
        let options =
            recording::Options { clock: ClockKind::Monotonic, process, ..recording::Options::default() };
        let recorder =
            Recorder::start(File::create(path).unwrap(), options, |error| panic!("{error}")).unwrap();
        let session = recorder.session(&SessionStart { tool, settings, ..SessionStart::default() }).unwrap();
        Self { recorder, session }
    }

    fn stream(&self, schema: &'static Schema) -> Stream {
        self.session.stream(schema).unwrap()
    }

    fn text(&self, text: &str) -> Value {
        Value::Text(self.recorder.text(text).unwrap())
    }

    fn stack(&self, names: &[&str]) -> Node {
        let frame =
            |name: &&str| self.recorder.frame(Frame::Label(self.recorder.text(name).unwrap())).unwrap();
        let frames: Vec<_> = names.iter().map(frame).collect();
        self.recorder.stack(Node::NONE, &frames).unwrap()
    }

    fn emit(&self, stream: &Stream, row: &[Value]) {
        assert_eq!(stream.emit(row), Emitted::Kept);
    }

    fn end(self) {
        self.session.end("detached");
        self.recorder.finish().unwrap();
    }
}

/// Waits of somebody's tool: locks of 1, 2, 3 and 4 ms in `Main;Work`, one sleep of 10 ms in `Main`.
fn waits(path: &Path) {
    let recorded = Recorded::begin(path, "mine", &[]);
    let waits = recorded.stream(&WAITS);
    let (lock, sleep) = (recorded.text("lock,\"a\""), recorded.text("sl\u{1b}eep"));
    let (main, work) = (recorded.stack(&["Main"]), recorded.stack(&["Main", "Work"]));
    let rows = [(lock, work, 3), (sleep, main, 10), (lock, work, 1), (lock, work, 4), (lock, work, 2)];
    for (index, (kind, stack, milliseconds)) in (0..).zip(rows) {
        recorded.emit(
            &waits,
            &[
                Value::Time(recorded.recorder.ticks()),
                kind,
                Value::Node(stack),
                Value::Nanoseconds(milliseconds * 1_000_000),
                Value::Count(100 - index),
                Value::Count(index),
            ],
        );
    }
    recorded.end();
}

fn options() -> Options {
    let mut options = Options::default();
    options.tables = true;
    options
}

fn read(path: &Path) -> Report {
    Report::read(File::open(path).unwrap(), options()).unwrap()
}

fn text(report: &Report, kind: Kind) -> String {
    String::from_utf8(report.write(kind).unwrap()).unwrap()
}

#[test]
fn a_stream_of_any_tool_has_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.clrec");
    waits(&path);
    let report = read(&path);
    let words: Vec<Vec<String>> = text(&report, Kind::Text)
        .lines()
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect();
    assert_eq!(words[0][..2], ["shop:", "mine,"]);
    assert_eq!(words[2].join(" "), "waits: 5 rows");
    // Equal sums: then by the keys.
    assert_eq!(words[4][..3], ["4", "10.000", "4.000"]);
    assert_eq!(words[4][5..].join(" "), "96 100 lock,\"a\", Work < Main");
    assert_eq!(words[5][..3], ["1", "10.000", "10.000"]);
    assert_eq!(words[5][5..].join(" "), "99 99 sl\\u001beep, Main");

    let csv = text(&report, Kind::Csv);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("stream,kind,stack,rows,length sum ns,length max ns,"), "{csv}");
    assert!(lines[1].starts_with("waits,\"lock,\"\"a\"\"\",Main;Work,4,10000000,4000000,"), "{csv}");

    let json = text(&report, Kind::Json);
    for part in ["\"end\": \"detached\"", "\"sum\": 10000000", "\"Work\"", "\"last\": 96", "\"lost\": 0"] {
        assert!(json.contains(part), "{part}: {json}");
    }
}

#[test]
fn a_metric_is_an_aggregate_over_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.clrec");
    waits(&path);
    let report = read(&path);
    let metric = |text: &str| report.metric(&text.parse::<Metric>().unwrap());
    for (name, value) in [
        ("waits.length.sum", 20e6),
        ("mine.waits.length.max", 10e6),
        ("waits.length.min", 1e6),
        ("waits.length.mean", 4e6),
        ("waits.rows.count", 5.0),
    ] {
        assert!((metric(name).unwrap() - value).abs() < 0.5, "{name}");
    }
    // The third of five.
    let median = metric("waits.length.p50").unwrap();
    assert!((3e6..=3e6 * 65.0 / 64.0).contains(&median), "{median}");
    for (name, known) in [
        ("waits.lenght.sum", "length, queue, rows"),
        ("wait.length.sum", "waits"),
        ("gc.waits.length.sum", ""),
    ] {
        let error = metric(name).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(known), "{error}");
    }
}

#[test]
fn rows_with_stacks_are_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.clrec");
    waits(&path);
    let folded = text(&read(&path), Kind::Profile(Format::Folded));
    let mut lines: Vec<&str> = folded.lines().collect();
    lines.sort_unstable();
    assert!(lines[0].ends_with("Main 10000000") && lines[1].ends_with("Main;Work 10000000"), "{folded}");
    assert_eq!(lines.len(), 2);
}

/// The report of `gc`, of rows like its own.
#[test]
fn collections_and_pauses_are_summed_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gc.clrec");
    let recorded = Recorded::begin(&path, "gc", &[("LAST", "2")]);
    let [collections, sizes, pauses] = [&COLLECTIONS, &SIZES, &PAUSES].map(|schema| recorded.stream(schema));
    let rows = [(1, 0, "AllocSmall", 0, 2), (2, 0, "AllocSmall", 0, 4), (3, 2, "Induced", 1, 30)];
    for (number, generation, reason, induced, milliseconds) in rows {
        let time = Value::Time(recorded.recorder.ticks());
        let paused = Value::Nanoseconds(milliseconds * 1_000_000);
        for space in 0..5 {
            let bytes = [number * 1000 + space, number * 100 + space].map(Value::Bytes);
            recorded.emit(&sizes, &[Value::Count(number), Value::Count(space), bytes[0], bytes[1]]);
        }
        let (kind, reason) = (recorded.text("blocking"), recorded.text(reason));
        let counts = [number, generation, induced].map(Value::Count);
        let none = Value::Nanoseconds(500_000);
        recorded
            .emit(&collections, &[time, paused, counts[0], counts[1], kind, reason, counts[2], paused, none]);
        recorded.emit(&pauses, &[time, recorded.text("collection"), paused, none]);
    }
    recorded.end();

    let report = read(&path);
    let text = text(&report, Kind::Text);
    assert!(text.starts_with("shop: 3 collections in 0.") && text.contains("; paused 36.000 ms, "), "{text}");
    let rows: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for row in [
        "2 0 6.000 2.000 4.000 4.000 1.000 0.500 0",
        "1 1 30.000 30.000 30.000 30.000 0.500 0.500 2",
        "3 36.000 4.000 30.000 30.000 1.500 0.500 collection",
    ] {
        assert!(rows.iter().any(|line| line == row), "{row}\n{text}");
    }
    // The newest two, as the setting says.
    let listed: Vec<&String> =
        rows.iter().filter(|row| row.contains('→') && !row.starts_with("number")).collect();
    assert_eq!(listed.len(), 2, "{text}");
    assert!(
        listed[1].starts_with("3 0.") && listed[1].contains("2 blocking Induced 30.000 0.500 15010 1510"),
        "{text}"
    );
    assert!(listed[1].ends_with("3000 → 300, 3001 → 301, 3002 → 302, 3003 → 303, 3004 → 304"), "{text}");
    let folded = String::from_utf8(report.write(Kind::Profile(Format::Folded)).unwrap()).unwrap();
    assert!(folded.contains("generation 2, blocking, Induced 30000000"), "{folded}");
}

/// Of three exceptions of one site, one is thrown again and caught elsewhere. Its second row comes before its first one.
#[test]
fn exceptions_are_caught_where_they_were_caught_last() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("exceptions.clrec");
    let recorded = Recorded::begin(&path, "exceptions", &[("TOP", "1")]);
    let [exceptions, again, missed] = [&EXCEPTIONS, &AGAIN, &MISSED].map(|schema| recorded.stream(schema));
    let stack = Value::Node(recorded.stack(&["Main", "Fail"]));
    let [error, message, catch, later] =
        ["App.Error", "no item", "Main", "Later"].map(|text| recorded.text(text));
    let row = |number: u64| [Value::Time(recorded.recorder.ticks()), Value::Count(number)];
    let early = row(2);
    recorded.emit(&again, &[early[0], early[1], error, later, stack]);
    for number in 1..4 {
        let [_, count] = row(number);
        // The beginning of the recording, before the other throw.
        recorded.emit(&exceptions, &[Value::Time(0), count, error, message, catch, stack]);
    }
    recorded.emit(&missed, &[recorded.text("callbacks were ignored"), Value::Count(4)]);
    recorded.end();

    let mut report = read(&path);
    let text = text(&report, Kind::Text);
    assert!(text.starts_with("shop: 3 exceptions in 0."), "{text}");
    assert!(text.contains("\n4 callbacks were ignored\n"), "{text}");
    assert!(text.contains("\n     3       3  App.Error\n"), "{text}");
    let site =
        "\n2 × App.Error: no item\n    caught in Main\n    at Fail\n    at Main\n\n1 more throw sites\n";
    assert!(text.ends_with(site), "{text}");
    let folded = |report: &Report| report.write(Kind::Profile(Format::Folded)).unwrap();
    assert_eq!(String::from_utf8(folded(&report)).unwrap(), "shop;Main;Fail 3\n");
    report.next_interval();
    assert_eq!(folded(&report), b"");
}

/// What is before a damaged block is reported.
#[test]
fn a_recording_that_is_damaged_in_the_middle_is_read_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.clrec");
    let recorded = Recorded::begin(&path, "mine", &[]);
    let waits = recorded.stream(&WAITS);
    let (kind, stack) = (recorded.text("lock"), Value::Node(recorded.stack(&["Main"])));
    let emit = |number| {
        let [length, queue] = [Value::Nanoseconds(1), Value::Count(0)];
        recorded.emit(&waits, &[Value::Time(0), kind, stack, length, queue, Value::Count(number)]);
        assert!(recorded.recorder.flush(std::time::Duration::from_secs(60)));
        std::fs::metadata(&path).unwrap().len()
    };
    emit(0);
    let before = usize::try_from(emit(1)).unwrap();
    emit(2);
    recorded.end();
    let mut bytes = std::fs::read(&path).unwrap();
    // The content of the next block.
    bytes[before + 13] ^= 0x55;
    let report = Report::read(&*bytes, options()).unwrap();
    let expected = format!("the recording is damaged at byte {before}: ");
    assert!(report.damage().is_some_and(|damage| damage.starts_with(&expected)), "{:?}", report.damage());
    assert!(text(&report, Kind::Csv).contains(",2,"), "{}", text(&report, Kind::Csv));
    let json: serde_json::Value = serde_json::from_str(&text(&report, Kind::Json)).unwrap();
    assert_eq!(json["sessions"][0]["streams"][0]["rows"], 2);
    assert!(read(&path).damage().is_none());
}

/// Bytes are changed, cut off and left out, from seeds: there is a report on what can be read, or an error.
#[test]
fn a_damaged_recording_is_an_error_or_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.clrec");
    waits(&path);
    let mut whole = Vec::new();
    File::open(&path).unwrap().read_to_end(&mut whole).unwrap();
    for length in 0..whole.len() {
        if let Ok(report) = Report::read(&whole[..length], options()) {
            let kinds = [Kind::Text, Kind::Json, Kind::Csv, Kind::Profile(Format::Folded)];
            kinds.into_iter().for_each(|kind| drop(report.write(kind)));
        }
    }
    // xorshift64*.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        usize::try_from(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % below
    };
    for _ in 0..4_000 {
        let mut damaged = whole.clone();
        for _ in 0..=random(3) {
            let at = random(damaged.len());
            damaged[at] ^= 1 << random(8);
        }
        if let Ok(report) = Report::read(&*damaged, options()) {
            drop(report.write(Kind::Text));
            drop(report.write(Kind::Json));
        }
    }
}
