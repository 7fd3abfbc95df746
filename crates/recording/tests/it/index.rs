//! What is read with an index is what is read without one.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use argvalues::TextWriter;
use recording::{BlockInfo, Fingerprint, Index, IndexError, Options, Reader, Recorder, Step, StepKind};

use crate::program::{Functions, call, compressing, options};
use crate::sink::Sink;

/// A recording of several threads, with many blocks.
fn sample(options: Options) -> Vec<u8> {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    for id in 0..3 {
        let mut thread = recorder.thread(id);
        // Calls that are open while many blocks are written, and not in the first of them.
        for number in 0..400 {
            if number % 100 == 50 {
                assert!(thread.enter(&functions.run, |_| None));
            }
            call(&mut thread, &functions, number, &mut Vec::new());
        }
        for _ in 0..id {
            assert!(thread.leave(&functions.run, || None));
        }
    }
    recorder.finish().unwrap();
    sink.taken()
}

/// A step with its values as text.
type Told = (Step, String);

fn told(reader: &mut Reader<Cursor<&[u8]>>, step: Step) -> Told {
    let mut text = String::new();
    if let StepKind::Enter(_) | StepKind::Leave(_) = step.kind {
        let mut values = reader.values().unwrap();
        while values.visit_next(&mut TextWriter::new(&mut text)).unwrap() {
            text.push(' ');
            if matches!(step.kind, StepKind::Leave(_)) && values.parameter().unwrap().is_none() {
                break;
            }
        }
    }
    (step, text)
}

/// The functions that are open after each step of a thread, each with its depth: found from all steps, without the index.
fn open_calls(steps: &[Told]) -> Vec<(usize, u32)> {
    let mut open = Vec::new();
    for (step, _) in steps {
        open.retain(|(_, depth)| *depth < step.depth);
        if let StepKind::Enter(function) = step.kind {
            open.push((function.index(), step.depth));
        }
    }
    open
}

#[test]
fn wanted_blocks_are_read_as_without_an_index() {
    for options in [options(), compressing()] {
        wanted_blocks_are_read(&sample(options));
    }
}

fn wanted_blocks_are_read(bytes: &[u8]) {
    let mut reader = Reader::new(Cursor::new(bytes)).unwrap();
    let mut all: BTreeMap<u32, Vec<Told>> = BTreeMap::new();
    while let Some(step) = reader.step().unwrap() {
        all.entry(step.thread.number).or_default().push(told(&mut reader, step));
    }
    let ending = reader.ending();
    let index = Arc::new(Index::build(bytes).unwrap());
    assert!(index.blocks() > 30, "only {} blocks", index.blocks());
    let (mut resumed, mut total) = (0, 0);
    for seed in 0..40_u64 {
        let mut blocks = seed;
        let wanted = |block: &BlockInfo<'_>| {
            assert!(
                block.floor <= block.top && block.functions.is_sorted_by_key(|function| function.index())
            );
            blocks = blocks.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            blocks >> 33 & 3 < seed & 3
        };
        let mut wanted = wanted;
        let mut reader = Reader::with_index(Cursor::new(bytes), Arc::clone(&index)).unwrap();
        assert_eq!(reader.timeline(), index.timeline());
        let mut next: BTreeMap<u32, usize> = BTreeMap::new();
        while let Some(step) = reader.step_where(&mut wanted).unwrap() {
            let (steps, at) = (&all[&step.thread.number], next.entry(step.thread.number).or_default());
            if let StepKind::ThreadEnd(_) = step.kind {
                continue;
            }
            if step.kind == StepKind::Resumed {
                resumed += 1;
                let open = reader.open_calls().to_vec();
                let first = reader.step_where(|_| true).unwrap().unwrap();
                let found = told(&mut reader, first);
                *at += steps[*at..].iter().position(|step| *step == found).unwrap();
                let latest = steps[..*at].iter().map(|(step, _)| step.ticks).max().unwrap_or(0);
                assert_eq!(step.ticks, latest, "the latest time before");
                let open: Vec<_> = open.iter().map(|call| (call.function.index(), call.depth)).collect();
                assert_eq!(open, open_calls(&steps[..*at]), "open calls before event {at}");
            } else {
                assert_eq!(told(&mut reader, step), steps[*at], "event {at} of {}", step.thread.number);
            }
            *at += 1;
            total += 1;
        }
        assert_eq!(reader.ending(), ending);
    }
    assert!(resumed > 100 && total > 1000, "{resumed} times resumed, {total} events");
}

#[test]
fn blocks_are_found_by_function_and_thread() {
    let bytes = sample(options());
    let index = Arc::new(Index::build(bytes.as_slice()).unwrap());
    let count = |thread: Option<u64>, name: &str| {
        let mut reader = Reader::with_index(Cursor::new(bytes.as_slice()), Arc::clone(&index)).unwrap();
        let (mut count, mut blocks) = (0, 0);
        while let Some(step) = reader
            .step_where(|block| {
                let has = block.functions.iter().any(|number| block.defined[number.index()].name == name);
                let is_wanted = has && thread.is_none_or(|id| id == block.thread.id);
                blocks += usize::from(is_wanted);
                is_wanted
            })
            .unwrap()
        {
            if let StepKind::Enter(number) = step.kind {
                count += usize::from(reader.function(number).unwrap().name == name);
            }
        }
        (count, blocks)
    };
    assert_eq!(count(None, "Shop.Add").0, 3 * 400);
    let (one, blocks) = count(Some(1), "Shop.Sell");
    assert_eq!(one, 400);
    assert!(blocks < index.blocks() / 2, "{blocks} of {} blocks are read for one thread", index.blocks());
    assert_eq!(count(None, "Shop.None"), (0, 0));
}

#[test]
fn an_index_belongs_to_one_file() {
    let bytes = sample(options());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.rec");
    let of = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Fingerprint::of(&mut std::fs::File::open(&path).unwrap()).unwrap()
    };
    let fingerprint = of(&bytes);
    let index = Index::build(bytes.as_slice()).unwrap();
    let kept = index.to_bytes(&fingerprint);
    assert_eq!(Index::from_bytes(&kept, &fingerprint), Ok(index));
    for at in (0..kept.len()).step_by(kept.len() / 300) {
        let mut changed = kept.clone();
        changed[at] ^= 4;
        assert!(Index::from_bytes(&changed, &fingerprint).is_err(), "byte {at}");
        assert!(Index::from_bytes(&kept[..at], &fingerprint).is_err(), "cut at {at}");
    }
    let longer = of(&[bytes.as_slice(), b"more"].concat());
    assert_eq!(Index::from_bytes(&kept, &longer), Err(IndexError::Stale));
    let mut other = bytes.clone();
    let last = other.len() - 1;
    other[last] ^= 1;
    assert_eq!(Index::from_bytes(&kept, &of(&other)), Err(IndexError::Stale));
}

#[test]
fn a_cut_recording_has_an_index_too() {
    let bytes = sample(options());
    for part in [3, 5, 9] {
        let cut = &bytes[..bytes.len() * part / 10];
        let mut plain = Reader::new(Cursor::new(cut)).unwrap();
        let mut indexed = Reader::with_index(Cursor::new(cut), Arc::new(Index::build(cut).unwrap())).unwrap();
        loop {
            let (one, other) = (plain.step().unwrap(), indexed.step().unwrap());
            assert_eq!(one, other);
            if one.is_none() {
                break;
            }
        }
        assert_eq!(plain.ending(), indexed.ending());
    }
}
