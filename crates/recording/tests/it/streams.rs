//! Sessions, streams and rows: written, read, cut, lost.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use recording::streams::{
    Emitted, Field, FieldType, Frame, FrameNumber, Item, Module, Node, Schema, SessionStart, StackSums,
    Stream, StreamReader, Sums, Text, Value,
};
use recording::{Ending, Function, Index, ReadError, Reader, Recorder};

use crate::program::{Functions, call, compressing, options};
use crate::sink::Sink;

static ALLOCATIONS: Schema = Schema::new(
    "allocations",
    &[
        Field::plain("time", FieldType::TIME),
        Field::key("thread", FieldType::THREAD),
        Field::key("stack", FieldType::NODE),
        Field::key("class", FieldType::CLASS),
        Field::sum("size", FieldType::BYTES, "B"),
    ],
);

static SAMPLES: Schema = Schema::new(
    "samples",
    &[
        Field::plain("time", FieldType::TIME),
        Field::key("thread", FieldType::THREAD),
        Field::key("stack", FieldType::NODE),
        Field::sum("cpu", FieldType::NANOSECONDS, "ns"),
    ],
);

static LEVELS: Schema = Schema::new(
    "levels",
    &[
        Field::key("name", FieldType::TEXT),
        Field::last("level", FieldType::SIGNED, "°"),
        Field::sum("count", FieldType::COUNT, "things"),
        Field::key("hot", FieldType::BOOL),
    ],
);

/// A reading: each item as text, and the end.
pub(crate) struct Told {
    pub(crate) items: Vec<String>,
    pub(crate) ending: Option<Ending>,
}

pub(crate) fn told(input: impl Read) -> Result<Told, ReadError> {
    let mut reader = StreamReader::new(input)?;
    let mut items = Vec::new();
    while let Some(item) = reader.next()? {
        items.push(match item {
            Item::Begin(session) => format!("begin {} {}", session.number, session.tool),
            Item::End(session) => {
                format!("end {} {:?}", session.number, session.end.as_ref().unwrap().reason)
            }
            Item::Mark(mark) => format!("mark {:?} {} {}", mark.session, mark.name, mark.detail),
            Item::Row(row) => {
                let mut json = String::new();
                row.write_json(&mut json);
                // A time depends on the clock pairs that have been read, so it is compared as it is recorded.
                format!("{json} {:?}", row.values())
            }
            Item::Region(region) => {
                format!("region {} {} {} {:?}", region.session, region.name, region.layout, region.content)
            }
            _ => panic!("an item of a kind that is not written"),
        });
    }
    Ok(Told { items, ending: reader.ending() })
}

/// What was emitted is in the file when a flush returns, though the interval is long. A function is defined once, and has one number.
#[test]
fn a_flush_writes_what_was_emitted() {
    let (sink, recorder) = start(recording::Options { interval: Duration::from_secs(1000), ..options() });
    let session = recorder.session(&SessionStart { tool: "alloc", ..SessionStart::default() }).unwrap();
    let rows = session.stream(&SAMPLES).unwrap();
    let function =
        Function { identity: "00!06000001".into(), name: "App.Main".into(), ..Function::default() };
    let number = recorder.function(&function).unwrap();
    assert_eq!(recorder.function(&function), Some(number));
    let frame = recorder.frame(Frame::Method { function: number, il_offset: None }).unwrap();
    let node = recorder.stack(Node::NONE, &[frame]).unwrap();
    for count in 1..4 {
        let row = [Value::Time(0), Value::Thread(7), Value::Node(node), Value::Nanoseconds(1)];
        assert_eq!(rows.emit(&row), Emitted::Kept);
        assert!(recorder.flush(Duration::from_secs(60)));
        let items = told(&*sink.taken()).unwrap().items;
        assert_eq!(items.iter().filter(|item| item.contains("App.Main")).count(), count, "{items:?}");
    }
    recorder.finish().unwrap();
    assert!(!recorder.flush(Duration::from_secs(60)));
}

fn start(options: recording::Options) -> (Sink, Recorder) {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    (sink, recorder)
}

fn label(recorder: &Recorder, name: &str) -> FrameNumber {
    recorder.frame(Frame::Label(recorder.text(name).unwrap())).unwrap()
}

/// The blocks of a file: kind and content. From the description of the format alone.
fn blocks(file: &[u8]) -> Vec<(u32, Vec<u8>)> {
    assert_eq!(&file[..16], b"\x89CLRREC\n\x03\0\0\0\0\0\0\0");
    let (mut at, mut blocks) = (16, Vec::new());
    while at < file.len() {
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let length = word(at + 4) as usize;
        let content = file[at + 12..at + 12 + length].to_vec();
        let mut check = crc32fast::Hasher::new();
        check.update(&file[at..at + 8]);
        check.update(&content);
        assert_eq!(word(at + 8), check.finalize());
        blocks.push((word(at), content));
        at += 12 + length;
    }
    blocks
}

/// The bytes of hexadecimal digits and quoted texts: `01 "ab"` is `01 02 61 62`.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, part) in text.split('"').enumerate() {
        if index % 2 == 1 {
            bytes.push(u8::try_from(part.len()).unwrap());
            bytes.extend_from_slice(part.as_bytes());
        } else {
            bytes.extend(part.split_whitespace().map(|digits| u8::from_str_radix(digits, 16).unwrap()));
        }
    }
    bytes
}

fn file(blocks: &[(u32, &str)]) -> Vec<u8> {
    let mut file = b"\x89CLRREC\n\x03\0\0\0\0\0\0\0".to_vec();
    for (kind, text) in blocks {
        let content = bytes(text);
        let head = [*kind, u32::try_from(content.len()).unwrap()].map(u32::to_le_bytes);
        let mut check = crc32fast::Hasher::new();
        check.update(head.as_flattened());
        check.update(&content);
        file.extend_from_slice(head.as_flattened());
        file.extend_from_slice(&check.finalize().to_le_bytes());
        file.extend_from_slice(&content);
    }
    file
}

const START: (u32, &str) = (1, r#"07 00 "monotonic" "shop" """#);
const SESSION: (u32, &str) = (10, r#"01 00 64 00 00 00 00 00 00 00 "cpu" 01 "rate" "100" 01 "slower""#);
const TEXTS: (u32, &str) = (11, r#"01 "Work" "System.String""#);
/// A method at IL offset 5, a label, a class, and a frame of an unknown kind.
const FRAMES: (u32, &str) = (12, "01  01 02 00 06  04 01 01  03 01 02  09 02 AA BB  02 03 01 1F 00");
const NODES: (u32, &str) = (13, "01  00 01  01 02  02 05");
/// Each column has its length before it, and a newer version has added a byte to the second one.
const SCHEMA: (u32, &str) = (
    14,
    r#"01 "samples" 04  09 "time" 01 02 "" 00  0C "thread" 02 02 "" 01 FF  0A "stack" 03 00 "" 01  0A "cpu" 07 00 "ns" 02"#,
);
/// The times 1000, 1300, 1200; the threads 7, 6, 6.
const EVENTS: (u32, &str) = (15, "01 01  D0 0F 0E 02 80 AD E2 04  D8 04 01 03 80 AD E2 04  C7 01 00 00 05");

#[test]
fn bytes_written_by_hand_are_read() {
    let file = file(&[
        START,
        (2, "00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"),
        (3, r#"00 00 "" "shop.dll" "" "Shop.Run" "" 00"#),
        // Kinds that are not known.
        (99, "01 02 03"),
        (16, "FF"),
        SESSION,
        TEXTS,
        (
            20,
            r#"01  26 "/lib/libc.so.6" 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 80 20 80 04 02 AB CD"#,
        ),
        FRAMES,
        NODES,
        SCHEMA,
        EVENTS,
        (18, "01 01 05"),
        (18, "01 01 09"),
        (19, r#"0A 00 00 00 00 00 00 00 01 "snapshot" "first""#),
        (17, r#"01 0A 00 00 00 00 00 00 00 "counters" "u8" 05 06 07"#),
        (2, "D0 07 00 00 00 00 00 00  E8 03 00 00 00 00 00 00"),
        EVENTS,
        (10, r#"01 01 C8 00 00 00 00 00 00 00 "stopped""#),
        (7, "09"),
    ]);
    let read = told(file.as_slice()).unwrap();
    let row = |time: u64, thread: u64, stack: &str, cpu: u64| {
        format!(
            r#"{{"session":1,"tool":"cpu","stream":"samples","values":{{"time":{time},"thread":{thread},"stack":{stack},"cpu":{cpu}}}}}"#
        )
    };
    let rows = [
        "begin 1 cpu".to_owned(),
        // Before the second pair a tick is a nanosecond.
        row(1000, 7, r#"["Shop.Run","Work"]"#, 10_000_000),
        row(1300, 6, r#"["Shop.Run","libc.so.6+0x1f"]"#, 10_000_000),
        row(1200, 6, "[]", 5),
        "mark Some(1) snapshot first".to_owned(),
        "region 1 counters u8 [5, 6, 7]".to_owned(),
        row(500, 7, r#"["Shop.Run","Work"]"#, 10_000_000),
        row(650, 6, r#"["Shop.Run","libc.so.6+0x1f"]"#, 10_000_000),
        row(600, 6, "[]", 5),
        r#"end 1 "stopped""#.to_owned(),
    ];
    assert_eq!(read.items.len(), rows.len());
    for (item, expected) in read.items.iter().zip(&rows) {
        assert!(item.starts_with(expected), "{item}");
    }
    assert_eq!(read.ending, Some(Ending::Finished { lost: 9 }));

    let mut reader = StreamReader::new(file.as_slice()).unwrap();
    let mut native = None;
    while let Some(item) = reader.next().unwrap() {
        if let Item::Row(row) = item
            && let [_, Value::Thread(6), Value::Node(node), _] = row.values()
        {
            native = native.or(row.tables().stack(*node).next());
        }
    }
    let tables = reader.tables();
    assert_eq!((tables.process().id, tables.process().command.as_str()), (7, "shop"));
    let session = tables.session_info(1).unwrap();
    assert_eq!((session.begin, session.end.as_ref().map(|end| end.ticks)), (100, Some(200)));
    assert_eq!(session.settings, [("rate".to_owned(), "100".to_owned())]);
    assert_eq!(session.effects, ["slower"]);
    // A total replaces the one before.
    assert_eq!((tables.lost(1, 1), tables.lost(1, 2)), (9, 0));
    let native = native.unwrap();
    let Some(Frame::Native { module, .. }) = tables.frame(native) else { panic!("it is not native") };
    let module = tables.module(*module).unwrap();
    assert_eq!((module.base, module.size, &*module.build_id), (0x1000, 0x200, &[0xAB, 0xCD][..]));
    assert_eq!(module.mvid, core::array::from_fn(|index| u8::try_from(index).unwrap()));
    let column = &tables.streams().next().unwrap().columns[3];
    assert_eq!((&*column.name, &*column.unit, column.field_type), ("cpu", "ns", FieldType::NANOSECONDS));
}

#[test]
fn what_is_written_are_the_bytes_of_the_description() {
    let (sink, recorder) = start(options());
    let run = Function { name: "Shop.Run".into(), ..Function::default() };
    let run = recorder.define(&run).unwrap();
    let session = recorder.session(&SessionStart { tool: "cpu", ..SessionStart::default() }).unwrap();
    let (work, string) = (recorder.text("Work").unwrap(), recorder.text("System.String").unwrap());
    assert_eq!(recorder.text("Work"), Some(work));
    let module =
        Module { path: "/m".into(), mvid: [0xEE; 16], base: 0x1000, size: 0x200, build_id: vec![0xAB, 0xCD] };
    let module = recorder.module(&module).unwrap();
    let frames = [
        Frame::Method { function: run.number(), il_offset: Some(5) },
        Frame::Label(work),
        Frame::Class(string),
        Frame::Native { module, offset: 0x1F, symbol: Text::NONE },
    ]
    .map(|frame| recorder.frame(frame).unwrap());
    let two = recorder.stack(Node::NONE, &frames[..2]).unwrap();
    let other = recorder.stack(Node::NONE, &[frames[0], frames[3]]).unwrap();
    assert_eq!(recorder.stack(Node::NONE, &frames[..2]), Some(two));
    let samples = session.stream(&SAMPLES).unwrap();
    for (time, thread, node, cpu) in
        [(1000, 7, two, 10_000_000), (1300, 6, other, 10_000_000), (1200, 6, Node::NONE, 5)]
    {
        let row = [Value::Time(time), Value::Thread(thread), Value::Node(node), Value::Nanoseconds(cpu)];
        assert_eq!(samples.emit(&row), Emitted::Kept);
    }
    session.end("stopped");
    recorder.finish().unwrap();
    let blocks = blocks(&sink.taken());
    let of = |kind: u32| {
        blocks.iter().filter(|block| block.0 == kind).map(|block| block.1.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(11), [bytes(r#"01 "Work""#), bytes(r#"02 "System.String""#)]);
    assert_eq!(of(12), ["01 01 02 00 06", "02 04 01 01", "03 03 01 02", "04 02 03 01 1F 00"].map(bytes));
    assert_eq!(of(13), ["01 00 01 01 02", "03 02 04"].map(bytes));
    let schema = r#"01 "samples" 04  09 "time" 01 02 "" 00  0B "thread" 02 02 "" 01  0A "stack" 03 00 "" 01  0A "cpu" 07 00 "ns" 02"#;
    assert_eq!(of(14), [bytes(schema)]);
    // The number of a stack is that of its node.
    assert_eq!(of(15), [bytes(EVENTS.1)]);
    assert!(of(18).is_empty());
    let mvid = "EE ".repeat(16);
    assert_eq!(of(20), [bytes(&format!(r#"01 1A "/m" {mvid} 80 20 80 04 02 AB CD"#))]);
    let [begin, end] = &of(10)[..] else { panic!("{:?}", of(10)) };
    assert_eq!((&begin[..2], &begin[10..]), (&[1, 0][..], &bytes(r#""cpu" 00 00"#)[..]));
    assert_eq!((&end[..2], &end[10..]), (&[1, 1][..], &bytes(r#""stopped""#)[..]));
}

/// A recording of calls and of two sessions, with rows of three streams: one of each in a round.
fn sample(options: recording::Options, rounds: u32) -> Vec<u8> {
    let (sink, recorder) = start(options);
    let functions = Functions::define(&recorder);
    let mut thread = recorder.thread(1);
    let sessions = ["alloc", "cpu"].map(|tool| {
        let start = SessionStart { tool, settings: &[("rate", "10")], effects: &["none"], memory: 0 };
        recorder.session(&start).unwrap()
    });
    let streams =
        [&ALLOCATIONS, &SAMPLES].map(|schema| sessions.each_ref().map(|s| s.stream(schema).unwrap()));
    let levels = sessions[1].stream(&LEVELS).unwrap();
    let frames: Vec<_> = (0..5).map(|index| label(&recorder, &format!("frame \"{index}\""))).collect();
    let class = recorder.frame(Frame::Class(recorder.text("System.String").unwrap())).unwrap();
    for number in 0..rounds {
        call(&mut thread, &functions, number, &mut Vec::new());
        let depth = number as usize % 5;
        let stack = recorder.stack(Node::NONE, &frames[..depth]).unwrap();
        let begin = [Value::Time(recorder.ticks()), Value::Thread(u64::from(number % 3)), Value::Node(stack)];
        let [time, thread_id, stack] = begin;
        let size = Value::Bytes(u64::from(number) * 100);
        let cpu = Value::Nanoseconds(10_000_000);
        let which = number as usize % 2;
        assert_eq!(
            streams[0][which].emit(&[time, thread_id, stack, Value::Class(class), size]),
            Emitted::Kept
        );
        assert_eq!(streams[1][which].emit(&[time, thread_id, stack, cpu]), Emitted::Kept);
        let name = recorder.text(&format!("level {}", number % 3)).unwrap();
        let level = Value::Signed(i64::from(number % 7) - 3);
        let row = [Value::Text(name), level, Value::Count(number.into()), Value::Bool(number % 2 == 0)];
        assert_eq!(levels.emit(&row), Emitted::Kept);
        if number % 20 == 0 {
            assert!(recorder.mark(Some(&sessions[0]), "snapshot", "heap"));
            assert!(sessions[1].region("counters", "u8", &[1, 2, 3]));
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    drop(thread);
    for session in &sessions {
        session.end("stopped");
    }
    recorder.finish().unwrap();
    sink.taken()
}

fn short() -> recording::Options {
    recording::Options { interval: Duration::from_millis(1), ..options() }
}

#[test]
fn rows_and_calls_share_a_file() {
    for options in [short(), recording::Options { compressed: true, ..short() }] {
        let file = sample(options, 60);
        let read = told(file.as_slice()).unwrap();
        // Two sessions that begin and end, three marks and regions, three rows each time.
        assert_eq!(read.items.len(), 4 + 2 * 3 + 3 * 60);
        assert_eq!(read.ending, Some(Ending::Finished { lost: 0 }));
        assert_eq!(crate::program::read(&file).unwrap().lines.len(), 6 * 60);
        let has = |text: &str| read.items.iter().filter(|item| item.contains(text)).count();
        assert_eq!((has("mark Some(1) snapshot heap"), has("region 2 counters u8 [1, 2, 3]")), (3, 3));
        assert_eq!((has("\"stream\":\"levels\""), has("\"tool\":\"alloc\"")), (60, 60));
        assert_eq!(has(r#""stack":["frame \"0\"","frame \"1\""],"class":"System.String","size":1200}"#), 1);
        assert_eq!(has(r#""values":{"name":"level 1","level":-2,"count":1,"hot":false}"#), 1);
    }
}

#[test]
fn calls_are_read_by_an_index_beside_rows() {
    for options in [short(), recording::Options { compressed: true, ..short() }] {
        let file = sample(options, 60);
        // Cut in the last rows too.
        for length in [file.len(), file.len() * 9 / 10] {
            let file = &file[..length];
            let index = Arc::new(Index::build(file).unwrap());
            let mut plain = Reader::new(file).unwrap();
            let mut indexed = Reader::with_index(std::io::Cursor::new(file), index).unwrap();
            let mut steps = 0;
            while let Some(step) = plain.step().unwrap() {
                assert_eq!(indexed.step().unwrap(), Some(step));
                steps += 1;
            }
            assert_eq!((indexed.step().unwrap(), indexed.ending()), (None, plain.ending()));
            assert!(steps > 100, "only {steps} steps");
        }
    }
}

#[test]
fn sums_are_those_of_the_rows() {
    let file = sample(short(), 60);
    let mut reader = StreamReader::new(file.as_slice()).unwrap();
    let (mut sizes, mut levels, mut stacks) = (None, None, None);
    while let Some(item) = reader.next().unwrap() {
        let Item::Row(row) = item else { continue };
        match &*row.stream().name {
            "allocations" => {
                let sums = sizes.get_or_insert_with(|| Sums::new(row.stream(), &["thread"], "size").unwrap());
                sums.add(&row);
                let sums =
                    stacks.get_or_insert_with(|| StackSums::new(row.stream(), "stack", "size").unwrap());
                sums.add(&row);
            }
            "levels" => {
                let sums = levels.get_or_insert_with(|| Sums::new(row.stream(), &["name"], "level").unwrap());
                sums.add(&row);
            }
            _ => assert!(Sums::new(row.stream(), &["size"], "cpu").is_none()),
        }
    }
    // 0 + 3 + … + 57, 1 + 4 + … + 58, 2 + 5 + … + 59, in hundreds.
    let sums: Vec<_> =
        sizes.unwrap().into_sorted().into_iter().map(|(key, sum)| (key[0], sum.total)).collect();
    assert_eq!(sums, [(Value::Thread(2), 61_000), (Value::Thread(1), 59_000), (Value::Thread(0), 57_000)]);
    // The last three numbers are 57, 58, 59: 1, 2 and 3 of 7.
    let mut levels: Vec<_> =
        levels.unwrap().into_sorted().iter().map(|(_, sum)| (sum.rows, sum.total)).collect();
    levels.sort_unstable();
    assert_eq!(levels, [(20, -2), (20, -1), (20, 0)]);
    // The stack of n frames has n + (n + 5) + … + (n + 55), in hundreds; each total has those of the longer ones.
    let tables = reader.tables();
    let totals = stacks.unwrap().totals(tables);
    let own = |n: i128| (12 * n + 5 * 66) * 100;
    for (node, sum) in totals {
        let depth = i128::try_from(tables.stack(node).count()).unwrap();
        assert_eq!((sum.own, sum.total), (own(depth), (depth..5).map(own).sum()), "depth {depth}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_has_the_rows_before_the_cut() {
    for options in [short(), recording::Options { compressed: true, ..short() }] {
        let bytes = sample(options, 12);
        let whole = told(bytes.as_slice()).unwrap();
        let mut before = 0;
        for cut in 16..bytes.len() {
            let read = told(&bytes[..cut]).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
            assert_eq!(read.items[..], whole.items[..read.items.len()], "cut at {cut}");
            assert!(read.items.len() >= before, "cut at {cut}: less than with a byte less");
            before = read.items.len();
            assert!(matches!(read.ending, Some(Ending::Cut { offset }) if offset <= cut as u64));
        }
        assert_eq!(before, whole.items.len());
    }
}

#[test]
fn rows_before_a_cut_within_a_block_are_read() {
    let blocks = [START, SESSION, SCHEMA, EVENTS];
    let whole = file(&blocks);
    // The last row has five bytes, the one before eight.
    for (missing, rows) in [(0, 3), (1, 2), (5, 2), (6, 1), (13, 1), (14, 0)] {
        assert_eq!(told(&whole[..whole.len() - missing]).unwrap().items.len(), 1 + rows, "without {missing}");
    }
}

#[test]
fn a_changed_byte_of_rows_is_noticed() {
    let bytes = sample(compressing(), 12);
    let whole = told(bytes.as_slice()).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        if let Ok(read) = told(changed.as_slice()) {
            // The minor version and what is reserved; the length of the last block: as if the file were cut.
            let is_cut = matches!(read.ending, Some(Ending::Cut { .. }));
            assert!(is_cut || ((10..16).contains(&at) && read.items == whole.items), "byte {at}");
        }
    }
}

#[test]
fn malformed_blocks_are_refused() {
    let schema = |text: &'static str| (14, text);
    for (what, blocks) in [
        ("no columns", [schema(r#"01 "s" 00"#), EVENTS]),
        ("more than any", [schema(r#"01 "s" 11"#), EVENTS]),
        ("longer", [schema(r#"01 "s" 01 03 "time" 01 02 "" 00"#), EVENTS]),
        ("cannot be before", [(13, "01 02 01"), EVENTS]),
        ("number 0", [(13, "00 00 01"), EVENTS]),
        ("number 0", [(11, r#"00 "a""#), EVENTS]),
        ("too large", [(11, r#"FF FF FF FF 0F "a" "b""#), EVENTS]),
        ("too large", [(12, "01 01 06 00 81 80 80 80 10"), EVENTS]),
        ("not declared", [(11, r#"01 "a""#), EVENTS]),
        ("not declared", [(18, "01 01 05"), EVENTS]),
        ("ends that has not begun", [(10, r#"02 01 00 00 00 00 00 00 00 00 """#), EVENTS]),
        ("neither", [(10, r#"02 02 00 00 00 00 00 00 00 00 """#), EVENTS]),
        ("longer", [(10, r#"02 00 00 00 00 00 00 00 00 00 "a" FF FF FF FF 0F"#), EVENTS]),
        ("not of the type", [schema(r#"01 "s" 01 06 "b" 08 00 "" 00"#), (15, "01 01 02")]),
        ("not begun", [schema(r#"01 "s" 01 06 "b" 08 00 "" 00"#), (15, "02 01 01")]),
        ("longer", [SCHEMA, (15, "01 01 D0 0F 0E")]),
    ] {
        let all = [&[START, SESSION][..], &blocks].concat();
        let error =
            told(file(&all).as_slice()).err().unwrap_or_else(|| panic!("{what}: {blocks:?} are read"));
        assert!(error.to_string().contains(what), "{blocks:?}: {error}, not {what}");
    }
}

#[test]
fn descriptions_that_are_too_long_are_refused() {
    let (sink, recorder) = start(recording::Options::default());
    let long = "x".repeat(300 << 10);
    let module = Module { path: long.clone(), ..Module::default() };
    assert_eq!(recorder.module(&module), None);
    // Each of the texts is cut at 64 KiB.
    let settings = [("name", long.as_str()); 5];
    assert!(recorder.session(&SessionStart { settings: &settings, ..SessionStart::default() }).is_none());
    let session = recorder.session(&SessionStart { tool: &long, ..SessionStart::default() }).unwrap();
    assert!(!session.region("all", "", &vec![0; 17 << 20]));
    assert!(session.region("all", "", &vec![7; 1 << 20]));
    session.end(&long);
    recorder.finish().unwrap();
    let items = told(sink.taken().as_slice()).unwrap().items;
    let lengths: Vec<_> = items.iter().map(String::len).collect();
    assert_eq!(lengths, [8 + (64 << 10), 14 + 3 * (1 << 20), 8 + (64 << 10)]);

    let text = |length: usize| "61 ".repeat(length);
    let session = format!("01 00 00 00 00 00 00 00 00 00 80 80 10 {}", text(256 << 10));
    let module = format!("01 82 40 80 40 {}", text(8 << 10));
    let schema = format!("01 80 80 04 {} 01 06 01 61 08 00 00 00", text(64 << 10));
    for (kind, block) in [(10, &session), (20, &module), (14, &schema)] {
        let error = told(file(&[START, (kind, block.as_str())]).as_slice()).err().unwrap();
        assert!(error.to_string().contains("a description is longer"), "{kind}: {error}");
    }
}

#[test]
fn columns_in_an_unknown_form_are_skipped_with_their_rows() {
    let blocks =
        [START, SESSION, (14, r#"02 "new" 01 06 "x" 63 07 "" 63"#), (15, "01 02 FF"), SCHEMA, EVENTS];
    let read = told(file(&blocks).as_slice()).unwrap();
    assert_eq!(read.items.len(), 1 + 3);
    // A type of a newer version in a form that is known is a number.
    let blocks = [START, SESSION, (14, r#"02 "new" 01 06 "x" 63 00 "" 63"#), (15, "01 02 07")];
    let read = told(file(&blocks).as_slice()).unwrap();
    assert!(read.items[1].contains("\"values\":{\"x\":7}"), "{}", read.items[1]);
}

#[test]
fn rows_without_memory_are_counted() {
    let sink = Sink { nap: Duration::from_millis(2), ..Sink::new() };
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let session = recorder.session(&SessionStart { memory: 0, ..SessionStart::default() }).unwrap();
    let streams = [&LEVELS, &SAMPLES].map(|schema| session.stream(schema).unwrap());
    let level = [Value::Text(Text::NONE), Value::Signed(1), Value::Count(1), Value::Bool(true)];
    let sample = [Value::Time(1), Value::Thread(1), Value::Node(Node::NONE), Value::Nanoseconds(1)];
    let (mut kept, mut dropped) = ([0; 2], [0; 2]);
    for number in 0..200_000 {
        let which = usize::from(number % 3 == 0);
        match streams[which].emit(if which == 0 { &level } else { &sample }) {
            Emitted::Kept => kept[which] += 1,
            Emitted::Dropped => dropped[which] += 1,
            Emitted::Malformed => panic!("a row is refused"),
        }
    }
    session.end("stopped");
    // A row after the end does not count.
    assert_eq!(streams[0].emit(&level), Emitted::Dropped);
    let summary = recorder.finish().unwrap();
    assert!(dropped[0] > 0 && dropped[1] > 0 && kept[0] > 0 && kept[1] > 0, "{kept:?} {dropped:?}");
    let file = sink.taken();
    let mut reader = StreamReader::new(file.as_slice()).unwrap();
    let mut rows = [0; 2];
    while let Some(item) = reader.next().unwrap() {
        if let Item::Row(row) = item {
            rows[usize::from(&*row.stream().name == "samples")] += 1;
        }
    }
    assert_eq!(rows, kept);
    let lost = [1, 2].map(|stream| reader.tables().lost(1, stream));
    assert_eq!(lost, dropped);
    assert_eq!(reader.ending(), Some(Ending::Finished { lost: lost[0] + lost[1] }));
    assert_eq!(summary.lost, lost[0] + lost[1]);
}

#[test]
fn rows_that_are_not_of_the_schema_are_refused() {
    let (sink, recorder) = start(options());
    let session = recorder.session(&SessionStart::default()).unwrap();
    let samples = session.stream(&SAMPLES).unwrap();
    let row = [Value::Time(1), Value::Thread(1), Value::Node(Node::NONE), Value::Nanoseconds(1)];
    assert_eq!(samples.emit(&row[..3]), Emitted::Malformed);
    let mut other = row;
    other[3] = Value::Count(1);
    assert_eq!(samples.emit(&other), Emitted::Malformed);
    assert_eq!(samples.emit(&[]), Emitted::Malformed);
    other[3] = Value::Unknown(1);
    assert_eq!(samples.emit(&other), Emitted::Malformed);
    assert_eq!(recorder.frame(Frame::Unknown(9)), None);
    drop(session);
    assert_eq!(samples.emit(&row), Emitted::Dropped);
    recorder.finish().unwrap();
    assert_eq!(told(sink.taken().as_slice()).unwrap().items, ["begin 1 ", "end 1 \"\""]);
}

#[test]
fn threads_emit_into_one_stream() {
    let (sink, recorder) = start(short());
    let session = recorder.session(&SessionStart::default()).unwrap();
    let stream: Arc<Stream> = Arc::new(session.stream(&LEVELS).unwrap());
    let threads: Vec<_> = (0..4_i64)
        .map(|id| {
            let stream = Arc::clone(&stream);
            std::thread::spawn(move || {
                for number in 0..2000 {
                    let row = [
                        Value::Text(Text::NONE),
                        Value::Signed(id),
                        Value::Count(number),
                        Value::Bool(false),
                    ];
                    assert_eq!(stream.emit(&row), Emitted::Kept);
                    if number % 500 == 0 {
                        std::thread::yield_now();
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    session.end("");
    recorder.finish().unwrap();
    let file = sink.taken();
    let mut reader = StreamReader::new(file.as_slice()).unwrap();
    let mut numbers = vec![Vec::new(); 4];
    while let Some(item) = reader.next().unwrap() {
        if let Item::Row(row) = item
            && let [_, Value::Signed(id), Value::Count(number), _] = row.values()
        {
            numbers[usize::try_from(*id).unwrap()].push(*number);
        }
    }
    for numbers in &mut numbers {
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..2000));
    }
}

/// A small generator of numbers: the same on every run.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let mixed = (self.0 ^ self.0 >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ mixed >> 32
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// A number of any length.
    fn number(&mut self) -> u64 {
        let bits = self.below(65);
        if bits == 0 { 0 } else { self.next() >> (64 - bits) }
    }

    fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap()
    }
}

const TYPES: [FieldType; 10] = [
    FieldType::COUNT,
    FieldType::TIME,
    FieldType::THREAD,
    FieldType::NODE,
    FieldType::TEXT,
    FieldType::CLASS,
    FieldType::BYTES,
    FieldType::NANOSECONDS,
    FieldType::BOOL,
    FieldType::SIGNED,
];

#[test]
fn random_rows_of_random_schemas_come_back() {
    for seed in 0..30 {
        let mut random = Seeded(seed);
        let compressed = seed % 2 == 1;
        let (sink, recorder) = start(recording::Options { compressed, ..recording::Options::default() });
        let session = recorder.session(&SessionStart::default()).unwrap();
        let texts: Vec<_> = (0..20).map(|index| recorder.text(&format!("text {index}")).unwrap()).collect();
        let classes: Vec<_> = texts.iter().map(|text| recorder.frame(Frame::Class(*text)).unwrap()).collect();
        let mut stacks = vec![Node::NONE];
        let mut streams = Vec::new();
        for index in 0..=random.below(4) {
            let types: Vec<_> = (0..=random.below(16)).map(|_| random.index(TYPES.len())).collect();
            let fields: Vec<_> = types.iter().map(|index| Field::key("column", TYPES[*index])).collect();
            let name: &'static str = format!("stream {index}").leak();
            let schema: &'static Schema = Box::leak(Box::new(Schema::new(name, fields.leak())));
            streams.push((name, session.stream(schema).unwrap(), types, Vec::new()));
        }
        for _ in 0..random.below(1000) {
            if random.below(10) == 0 {
                let caller = stacks[random.index(stacks.len())];
                let frame = classes[random.index(20)];
                stacks.push(recorder.stack(caller, &[frame, frame]).unwrap());
            }
            let which = random.index(streams.len());
            let (_, stream, types, rows) = &mut streams[which];
            let row: Vec<_> = types
                .iter()
                .map(|index| match index {
                    0 => Value::Count(random.number()),
                    1 => Value::Time(random.number()),
                    2 => Value::Thread(random.number()),
                    3 => Value::Node(stacks[random.index(stacks.len())]),
                    4 => Value::Text(texts[random.index(20)]),
                    5 => Value::Class(classes[random.index(20)]),
                    6 => Value::Bytes(random.number()),
                    7 => Value::Nanoseconds(random.number()),
                    8 => Value::Bool(random.below(2) == 1),
                    _ => Value::Signed(random.number().cast_signed()),
                })
                .collect();
            assert_eq!(stream.emit(&row), Emitted::Kept);
            rows.push(row);
        }
        session.end("");
        recorder.finish().unwrap();
        let file = sink.taken();
        let mut reader = StreamReader::new(file.as_slice()).unwrap();
        let mut found = vec![Vec::new(); streams.len()];
        while let Some(item) = reader.next().unwrap() {
            if let Item::Row(row) = item {
                let index = streams.iter().position(|stream| stream.0 == &*row.stream().name).unwrap();
                found[index].push(row.values().to_vec());
            }
        }
        // One thread emits, and fills no lane, so they are in order.
        for ((name, _, _, rows), found) in streams.into_iter().zip(found) {
            assert_eq!(found, rows, "seed {seed}, {name}");
        }
    }
}

/// The bytes of a row in the file, with its share of the block, of 2000 rows that come as those of 8 threads. `row` makes one of
/// the time, the thread and the stack, and of a class.
fn bytes_of_a_row(
    schema: &'static Schema,
    mut row: impl FnMut(&mut Seeded, [Value; 4]) -> Vec<Value>,
) -> f64 {
    let (sink, recorder) = start(recording::Options::default());
    let session = recorder.session(&SessionStart { memory: 0, ..SessionStart::default() }).unwrap();
    let stream = session.stream(schema).unwrap();
    let frames: Vec<_> = (0..400).map(|index| label(&recorder, &format!("frame {index}"))).collect();
    let mut random = Seeded(1);
    let mut stacks = vec![Node::NONE];
    // As many stacks as a server has after some minutes.
    for _ in 0..1000 {
        let caller = stacks[random.index(stacks.len())];
        let frames: Vec<_> = (0..20).map(|_| frames[random.index(400)]).collect();
        while recorder.stack(caller, &frames).map(|stack| stacks.push(stack)).is_none() {
            std::thread::yield_now();
        }
    }
    let mut time = 1_000_000_000_000_000_u64;
    let rows = 2000;
    for _ in 0..rows {
        // A counter of 3 GHz; 100 times a second for each of 8 threads.
        time += random.below(2 * 3_000_000_000 / 800);
        let thread = 41_234 + random.below(8) * 3;
        let stack = stacks[random.index(1000)];
        let class = Value::Class(frames[random.index(400)]);
        let row = row(&mut random, [Value::Time(time), Value::Thread(thread), Value::Node(stack), class]);
        while stream.emit(&row) != Emitted::Kept {
            std::thread::yield_now();
        }
    }
    session.end("");
    recorder.finish().unwrap();
    let blocks = blocks(&sink.taken());
    let bytes: usize = blocks.iter().filter(|block| block.0 == 15).map(|block| 12 + block.1.len()).sum();
    bytes as f64 / f64::from(rows)
}

#[test]
fn samples_and_allocations_are_small() {
    let sample = bytes_of_a_row(&SAMPLES, |random, [time, thread, stack, _]| {
        vec![time, thread, stack, Value::Nanoseconds(9_900_000 + random.below(200_000))]
    });
    println!("a sample has {sample:.1} bytes");
    assert!(sample <= 12.0, "{sample}");
    let allocation = bytes_of_a_row(&ALLOCATIONS, |random, [time, thread, stack, class]| {
        // A tick comes each 100 KiB.
        vec![time, thread, stack, class, Value::Bytes(100_000 + random.below(10_000))]
    });
    println!("an allocation has {allocation:.1} bytes");
    assert!(allocation <= 16.0, "{allocation}");
}

#[test]
fn definitions_without_memory_are_refused_and_come_later() {
    let sink = Sink { nap: Duration::from_millis(5), ..Sink::new() };
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let session = recorder.session(&SessionStart::default()).unwrap();
    let levels = session.stream(&LEVELS).unwrap();
    let refused =
        (0..10_000).map(|number| format!("text {number}")).find(|text| recorder.text(text).is_none());
    let refused = refused.unwrap();
    let text = loop {
        match recorder.text(&refused) {
            Some(text) => break text,
            None => std::thread::yield_now(),
        }
    };
    let row = [Value::Text(text), Value::Signed(1), Value::Count(1), Value::Bool(true)];
    assert_eq!(levels.emit(&row), Emitted::Kept);
    recorder.finish().unwrap();
    let items = told(sink.taken().as_slice()).unwrap().items;
    assert!(items[1].contains(&format!("\"name\":\"{refused}\"")), "{items:?}");
}
