//! Profiles in memory and in each format.

mod decoded;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::{Context, ContextId, Format, Frame, FrameId, Limits, Merged, Profile, Thread, Unit, ValueType};

fn types() -> Vec<ValueType> {
    vec![ValueType::new("samples", Unit::Count), ValueType::new("cpu", Unit::Nanoseconds)]
}

fn frames<const N: usize>(profile: &mut Profile, names: [&str; N]) -> [FrameId; N] {
    names.map(|name| profile.frame(Frame { name, module: "shop.dll" }))
}

fn thread(profile: &mut Profile, id: u64, name: &str) -> ContextId {
    let thread = Thread { id, name: name.to_owned() };
    profile.context(&Context { thread: Some(thread), labels: vec![("state".to_owned(), "on".to_owned())] })
}

/// Main calls A and B, A calls B, on two threads.
fn sampled() -> Profile {
    let mut profile = Profile::new("shop", types());
    let [main, a, b] = frames(&mut profile, ["Main", "A;x", "B"]);
    let (one, two) = (thread(&mut profile, 1, "main"), thread(&mut profile, 2, ""));
    profile.add([main, a], one, &[3, 3_000]);
    profile.add([main, a, b], one, &[1, 1_500]);
    profile.add([main, b], one, &[2, 2_000]);
    profile.add([main, a], two, &[5, 5_001]);
    profile.add([main, a], one, &[4, 4_000]);
    profile
}

fn written(profile: &Profile, format: Format, value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    profile.write(format, value, &mut out).unwrap();
    out
}

fn folded(profile: &Profile, value: usize) -> Vec<String> {
    let text = String::from_utf8(written(profile, Format::Folded, value)).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn samples_of_a_stack_are_added() {
    let profile = sampled();
    assert_eq!((profile.total(0), profile.total(1)), (15, 15_501));
    assert_eq!(profile.samples().count(), 4);
    assert_eq!(profile.merged(), Merged::default());
    assert_eq!(
        folded(&profile, 1),
        [
            "main (1);Main;A:x 7000",
            "main (1);Main;A:x;B 1500",
            "main (1);Main;B 2000",
            "thread 2;Main;A:x 5001",
        ]
    );
}

#[test]
fn what_exceeds_the_limits_is_merged_and_counted() {
    let limits = Limits { frames: 4, contexts: 2, nodes: 4, entries: 3, depth: 2 };
    let mut profile = Profile::with_limits("shop", types(), limits);
    let [a, b, c, d, e] = frames(&mut profile, ["A", "B", "C", "D", "E"]);
    assert_eq!((d, e), (FrameId::OTHER, FrameId::OTHER));
    let (one, two) = (thread(&mut profile, 1, ""), thread(&mut profile, 2, ""));
    assert_eq!(two, ContextId::NONE);
    profile.add([a, b], one, &[1]);
    // Too deep.
    profile.add([a, b, c], one, &[10]);
    // The fourth node, and the third entry.
    profile.add([a, c], one, &[100]);
    // No node, and no entry with this context.
    profile.add([c, c], one, &[1000]);
    assert_eq!(folded(&profile, 0), ["shop 1000", "thread 1;A;B 11", "thread 1;A;C 100"]);
    assert_eq!(profile.merged(), Merged { frames: 2, contexts: 1, samples: 2 });
    assert_eq!(profile.total(0), 1111);
    assert!(profile.is_crowded() && !profile.emptied().is_crowded());
    let mut profile = profile.without_samples();
    assert_eq!((profile.total(0), profile.samples().count(), profile.merged()), (0, 0, Merged::default()));
    profile.add([a], one, &[7]);
    assert_eq!(folded(&profile, 0), ["thread 1;A 7"]);
}

#[test]
fn a_million_stacks_need_bounded_memory() {
    let limits = Limits { nodes: 1000, entries: 500, ..Limits::default() };
    let mut profile = Profile::with_limits("shop", types(), limits);
    let ids: Vec<_> = (0..100).map(|n| profile.frame(Frame { name: &format!("F{n}"), module: "" })).collect();
    for n in 0..1_000_000_usize {
        profile.add([ids[n % 100], ids[n / 100 % 100], ids[n / 10_000 % 100]], ContextId::NONE, &[1]);
    }
    assert_eq!(profile.total(0), 1_000_000);
    assert!(profile.samples().count() <= 500);
    assert!(profile.merged().samples > 900_000);
}

#[test]
fn ids_of_another_profile_are_harmless() {
    let foreign = sampled().frame(Frame { name: "Foreign", module: "" });
    let mut profile = Profile::new("shop", types());
    let context = thread(&mut sampled(), 77, "");
    profile.add([foreign], context, &[1, 2, 3]);
    assert_eq!(folded(&profile, 0), ["shop;[other] 1"]);
    assert_eq!(profile.frame_of(foreign).name, "[other]");
    assert!(profile.write(Format::Folded, 2, &mut Vec::new()).is_err());
}

#[test]
fn names_are_escaped_in_every_format() {
    let mut profile = Profile::new("sh\nop", types());
    let evil = profile.frame(Frame { name: "\u{1b}[2J\u{202e}<script>&\"", module: "a\0b" });
    let context = thread(&mut profile, 1, "na\tme");
    profile.add([evil], context, &[1, 1]);
    for format in [Format::Folded, Format::Flame, Format::Speedscope, Format::Chrome, Format::Firefox] {
        let text = String::from_utf8(written(&profile, format, 0)).unwrap();
        for line in text.lines() {
            let rest: String = line.chars().filter(|c| *c != '\t').collect();
            assert!(rest.chars().all(corprof_in_process::printable::is_printable), "{format:?}: {rest:?}");
        }
        assert!(!text.contains("na\tme"), "{text}");
    }
    let svg = String::from_utf8(written(&profile, Format::Flame, 0)).unwrap();
    assert!(!svg.contains("<script>&"), "{svg}");
}

#[test]
fn speedscope_has_the_stacks_of_each_thread() {
    let file: Value = serde_json::from_slice(&written(&sampled(), Format::Speedscope, 0)).unwrap();
    let names: Vec<_> = file["shared"]["frames"].as_array().unwrap().iter().collect();
    let profiles = file["profiles"].as_array().unwrap();
    let named: Vec<_> = profiles.iter().map(|profile| profile["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["main (1): samples", "thread 2: samples", "main (1): cpu", "thread 2: cpu"]);
    assert_eq!(profiles[2]["unit"], "nanoseconds");
    assert_eq!(profiles[2]["endValue"], 10_500);
    let stacks: Vec<Vec<&str>> = serde_json::from_value::<Vec<Vec<usize>>>(profiles[2]["samples"].clone())
        .unwrap()
        .iter()
        .map(|stack| stack.iter().map(|frame| names[*frame]["name"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(stacks, [vec!["Main", "A;x"], vec!["Main", "A;x", "B"], vec!["Main", "B"]]);
    assert_eq!(profiles[2]["weights"], serde_json::json!([7000, 1500, 2000]));
}

#[test]
fn events_of_chrome_are_nested_and_as_long_as_their_values() {
    let file: Value = serde_json::from_slice(&written(&sampled(), Format::Chrome, 1)).unwrap();
    let events: Vec<_> = file["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X").collect();
    let seen: Vec<_> = events
        .iter()
        .map(|event| {
            let number = |key: &str| (event[key].as_f64().unwrap() * 1000.0).round();
            (event["tid"].as_u64().unwrap(), event["name"].as_str().unwrap(), number("ts"), number("dur"))
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, "Main", 0.0, 10_500.0),
            (1, "A;x", 0.0, 8_500.0),
            (1, "B", 0.0, 1_500.0),
            (1, "B", 8_500.0, 2_000.0),
            (2, "Main", 0.0, 5_001.0),
            (2, "A;x", 0.0, 5_001.0),
        ]
    );
}

#[test]
fn a_flame_graph_is_well_formed() {
    for (profile, text) in [(sampled(), "Main"), (Profile::new("shop", types()), "no samples")] {
        let svg = String::from_utf8(written(&profile, Format::Flame, 0)).unwrap();
        assert!(svg.contains(text), "{svg}");
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
    }
}

/// A stack that ends in a number, such as that of a thread without a name, has one value.
#[test]
fn a_number_at_the_end_of_a_stack_is_part_of_its_name() {
    let stacks = [("main;thread 2", 30), ("main;thread 2;Add", 60), ("main;v 1.5", 10)];
    let mut svg = Vec::new();
    let graph = crate::FlameGraph { title: "t", unit: "ns" };
    graph.draw(|_, visit| stacks.iter().for_each(|(stack, value)| visit(stack, *value)), &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    for title in ["main (100 ns, 100.00%)", "thread\u{a0}2 (90 ns, 90.00%)", "v\u{a0}1.5 (10 ns, 10.00%)"] {
        assert!(svg.contains(&format!("<title>{title}</title>")), "{title}\n{svg}");
    }
}

#[test]
fn small_subtrees_count_for_their_callers_in_a_large_flame_graph() {
    let mut stacks = BTreeMap::new();
    crate::folded::visit(&sampled(), 1, 1_800, |stack, value| {
        stacks.insert(stack.to_owned(), value);
    });
    let expected = [("main (1);Main;A:x", 8_500), ("main (1);Main;B", 2_000), ("thread 2;Main;A:x", 5_001)];
    assert_eq!(stacks, expected.map(|(stack, value)| (stack.to_owned(), value)).into());
}

#[test]
fn endings_of_names_mean_formats() {
    for (path, format) in [
        ("cpu.svg", Some(Format::Flame)),
        ("a/cpu.PB.GZ", Some(Format::Pprof)),
        ("cpu.speedscope.json", Some(Format::Speedscope)),
        ("cpu.trace.json", Some(Format::Chrome)),
        ("cpu.firefox.json", Some(Format::Firefox)),
        ("cpu.folded", Some(Format::Folded)),
        ("cpu.json", None),
        ("svg", None),
    ] {
        assert_eq!(Format::of_path(Path::new(path)), format, "{path}");
    }
}

/// Another crate's decoder, generated from pprof's schema, reads the same samples.
#[cfg(unix)]
#[test]
fn another_decoder_reads_pprof() {
    use std::io::Read as _;

    use pprof::protos::Message as _;

    let mut bytes = Vec::new();
    let mut profile = sampled();
    let begin = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    profile.set_interval(crate::Interval { begin, length: std::time::Duration::from_secs(15) });
    let gzip = written(&profile, Format::Pprof, 0);
    flate2::read::GzDecoder::new(gzip.as_slice()).read_to_end(&mut bytes).unwrap();
    let read = pprof::protos::Profile::parse_from_bytes(&bytes).unwrap();
    let text = |number: i64| read.string_table[usize::try_from(number).unwrap()].as_str();
    assert_eq!(text(0), "");
    let types: Vec<_> = read.sample_type.iter().map(|kind| (text(kind.ty), text(kind.unit))).collect();
    assert_eq!(types, [("samples", "count"), ("cpu", "nanoseconds")]);
    assert_eq!(text(read.default_sample_type), "samples");
    assert_eq!((read.time_nanos, read.duration_nanos), (1_700_000_000_000_000_000, 15_000_000_000));
    assert_eq!(read.comment.iter().map(|comment| text(*comment)).collect::<Vec<_>>(), ["shop"]);
    let mut samples = Vec::new();
    for sample in &read.sample {
        let stack: Vec<_> = sample
            .location_id
            .iter()
            .map(|id| {
                let location = read.location.iter().find(|location| location.id == *id).unwrap();
                let function = location.line[0].function_id;
                let function = read.function.iter().find(|known| known.id == function).unwrap();
                assert_eq!(text(function.filename), "shop.dll");
                text(function.name)
            })
            .collect();
        let labels: Vec<_> =
            sample.label.iter().map(|label| (text(label.key), text(label.str), label.num)).collect();
        samples.push((stack, sample.value.clone(), labels));
    }
    let main = vec![("thread_id", "", 1), ("thread", "main", 0), ("state", "on", 0)];
    let other = vec![("thread_id", "", 2), ("state", "on", 0)];
    let expected = [
        (vec!["A;x", "Main"], vec![7, 7_000], main.clone()),
        (vec!["B", "A;x", "Main"], vec![1, 1_500], main.clone()),
        (vec!["B", "Main"], vec![2, 2_000], main),
        (vec!["A;x", "Main"], vec![5, 5_001], other),
    ];
    assert_eq!(samples, expected);
    assert!(read.special_fields.unknown_fields().iter().next().is_none());
}
