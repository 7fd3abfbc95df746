//! Values that a thread records again are referred to: the same is read, of a shorter file.

use std::time::Duration;

use argvalues::{Integer, TextWriter, Visitor};
use recording::{
    Defined, EventKind, Function, Options, Reader, Recorder, Step, StepKind, ThreadRecorder, WhenFull,
};

use crate::program::{compressing, options, read, string};
use crate::sink::Sink;

/// Numbers that look random, each below a limit.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn put() -> Function {
    Function { name: "Shop.Put".into(), returns: Some("string".into()), ..Function::default() }
}

/// Records a call with texts and a number, whose ends the recorder gets or not. Returns its lines.
fn call(
    thread: &mut ThreadRecorder,
    put: &Defined,
    texts: &[&str],
    number: u32,
    with_ends: bool,
) -> [String; 2] {
    thread.enter_values(put, |values| {
        let mut writer = values.writer();
        for text in texts {
            string(&mut writer, text);
            if with_ends {
                writer.value_ended();
            }
        }
        writer.integer(Integer::Unsigned(number.into()));
    });
    thread.leave_values(put, |values| {
        let mut writer = values.writer();
        string(&mut writer, texts.last().unwrap_or(&""));
        writer.value_ended();
        string(&mut values.out(2), texts.first().unwrap_or(&""));
    });
    let mut line = "0 > Shop.Put".to_owned();
    texts.iter().for_each(|text| line += &format!(" \"{text}\""));
    let (first, last) = (texts.first().unwrap_or(&""), texts.last().unwrap_or(&""));
    [format!("{line} {number}"), format!("0 < Shop.Put \"{last}\" 2=\"{first}\"")]
}

/// Records random calls of a few texts. Returns the file and its lines.
fn random(options: Options, seed: u64, calls: usize) -> (Vec<u8>, Vec<String>) {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let put = recorder.define(&put()).unwrap();
    let (mut thread, mut lines, mut random) = (recorder.thread(1), Vec::new(), Random(seed));
    let texts: Vec<String> =
        (0..40).map(|index| format!("{index}{}", "x".repeat(index * index % 90))).collect();
    for _ in 0..calls {
        let count = random.below(5);
        let chosen: Vec<&str> = (0..count).map(|_| &*texts[random.below(texts.len())]).collect();
        let number = u32::try_from(random.below(3)).unwrap();
        lines.extend(call(&mut thread, &put, &chosen, number, random.below(4) > 0));
    }
    drop(thread);
    recorder.finish().unwrap();
    (sink.taken(), lines)
}

#[test]
fn repeated_values_are_read_as_they_were() {
    let calls = if cfg!(miri) { 50 } else { 3000 };
    for seed in 0..6 {
        let interval = Duration::from_micros(50);
        // Cut often, or never before a chunk is full; small chunks and large ones; compressed or not.
        for options in [
            options(),
            compressing(),
            Options { interval, chunk_bytes: 64 << 10, chunks: 4, ..options() },
            Options { interval, ..compressing() },
        ] {
            let (file, lines) = random(options, seed, calls);
            let found = read(&file).unwrap();
            assert!(found.lines.iter().map(|line| &line.1).eq(&lines), "seed {seed}");
        }
    }
}

#[test]
fn an_index_leads_to_the_same_values() {
    let (file, lines) = random(options(), 7, 400);
    let index = std::sync::Arc::new(recording::Index::build(&file[..]).unwrap());
    let blocks = index.blocks();
    assert!(blocks > 5);
    for skipped in 0..blocks {
        let mut reader = Reader::with_index(std::io::Cursor::new(&file[..]), index.clone()).unwrap();
        let (mut at, mut expected) = (0, lines.iter());
        let mut wanted = |_: &recording::BlockInfo<'_>| (at += 1, at - 1 != skipped).1;
        while let Some(Step { kind, .. }) = reader.step_where(&mut wanted).unwrap() {
            if let StepKind::Enter(_) = kind {
                let mut line = "0 > Shop.Put".to_owned();
                let mut values = reader.values().unwrap();
                while !values.is_at_end() {
                    line.push(' ');
                    values.visit_next(&mut TextWriter::new(&mut line)).unwrap();
                }
                assert!(expected.any(|other| *other == line), "block {skipped} skipped: {line}");
            }
        }
    }
}

#[test]
fn what_is_dropped_is_not_referred_to() {
    let sink = Sink { nap: Duration::from_millis(1), ..Sink::new() };
    let options = Options { when_full: WhenFull::Drop, ..options() };
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let put = recorder.define(&put()).unwrap();
    let (mut thread, mut lines) = (recorder.thread(1), Vec::new());
    for number in 0..20_000 {
        let text = format!("a text that three calls in turn are given, {}", number / 3);
        lines.extend(call(&mut thread, &put, &[&text, "the same in all"], number, true));
    }
    drop(thread);
    let summary = recorder.finish().unwrap();
    let found = read(&sink.taken()).unwrap();
    assert!(summary.lost > 0 && found.lines.len() > 100);
    assert_eq!(found.lines.len() as u64 + summary.lost, lines.len() as u64);
    let mut expected = lines.iter();
    for (_, line) in &found.lines {
        assert!(expected.any(|other| other == line), "{line} was not recorded, or not there");
    }
}

#[test]
fn values_that_repeat_make_a_file_shorter() {
    let size = |same: bool, with_ends: bool| {
        let sink = Sink::new();
        let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
        let put = recorder.define(&put()).unwrap();
        let mut thread = recorder.thread(1);
        for number in 0..1000 {
            let other = if same { 0 } else { number };
            let text = format!("{other:04} a text that is given to each call, and is a long one");
            call(&mut thread, &put, &[&text], number, with_ends);
        }
        drop(thread);
        recorder.finish().unwrap();
        sink.taken().len()
    };
    // A string of 61 units has 125 bytes, once for each call; the rest of a call and its end are some 50 bytes.
    let different = size(false, true);
    assert!((125_000..180_000).contains(&different), "{different}");
    let same = size(true, true);
    assert!(same < 65_000, "{same}");
    // The number is different in each call, so all arguments together are.
    let together = size(true, false);
    assert!((125_000..180_000).contains(&together), "{together}");
}

/// The records of a file with one block of them, changed. Its check is right.
fn changed(file: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    let mut at = 16;
    loop {
        let word = |at: usize| u32::from_le_bytes(*file[at..].first_chunk().unwrap());
        let (kind, length) = (word(at), word(at + 4) as usize);
        let content = at + 12..at + 12 + length;
        if kind != 5 {
            at = content.end;
            continue;
        }
        change(&mut file[content.clone()]);
        let mut check = crc32fast::Hasher::new();
        check.update(&file[at..at + 8]);
        check.update(&file[content]);
        let check = check.finalize().to_le_bytes();
        file[at + 8..at + 12].copy_from_slice(&check);
        return file;
    }
}

#[test]
fn damaged_references_are_errors() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let put = recorder.define(&put()).unwrap();
    let mut thread = recorder.thread(1);
    let mut lines = Vec::new();
    for number in 0..3 {
        lines.extend(call(&mut thread, &put, &["a text that is referred to", "short"], number, true));
    }
    drop(thread);
    recorder.finish().unwrap();
    let file = sink.taken();
    assert!(read(&file).unwrap().lines.iter().map(|line| &line.1).eq(&lines));
    let mut length = 0;
    changed(&file, |content| length = content.len());
    let mut messages = std::collections::BTreeSet::new();
    for at in 0..length {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let damaged = changed(&file, |content| content[at] = value);
            let mut reader = Reader::new(&damaged[..]).unwrap();
            let mut text = String::new();
            loop {
                match reader.next() {
                    Ok(Some(event)) => {
                        if let EventKind::Enter(_, mut values) | EventKind::Leave(_, mut values) = event.kind
                        {
                            while matches!(values.visit_next(&mut TextWriter::new(&mut text)), Ok(true)) {}
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        messages.insert(error.to_string());
                        break;
                    }
                }
            }
        }
    }
    assert!(messages.iter().any(|message| message.contains("outside of its block")), "{messages:?}");
}
