//! Files that are not whole, or not what was written.

use recording::{Ending, Options, ReadError, Reader, Recorder};

use crate::program::{Functions, call, compressing, options, read};
use crate::sink::Sink;

/// A recording of two threads with blocks of every kind, and its lines.
fn sample(options: Options) -> Vec<u8> {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    for id in 0..2 {
        let mut thread = recorder.thread(id);
        for number in 0..12 {
            call(&mut thread, &functions, number, &mut Vec::new());
        }
    }
    recorder.finish().unwrap();
    sink.taken()
}

#[test]
fn a_file_that_is_cut_anywhere_is_read_up_to_the_cut() {
    for options in [options(), compressing()] {
        is_read_up_to_the_cut(&sample(options));
    }
}

fn is_read_up_to_the_cut(bytes: &[u8]) {
    let whole = read(bytes).unwrap();
    assert_eq!(whole.lines.len(), 2 * 6 * 12);
    let mut before = 0;
    for cut in 0..bytes.len() {
        match read(&bytes[..cut]) {
            Ok(found) => {
                assert!(cut >= 16);
                assert_eq!(found.lines[..], whole.lines[..found.lines.len()], "cut at {cut}");
                assert!(found.lines.len() >= before, "cut at {cut}: less than with a byte less");
                before = found.lines.len();
                assert!(matches!(found.ending, Some(Ending::Cut { offset }) if offset <= cut as u64));
            }
            Err(error @ ReadError::NotARecording { .. }) => {
                assert!(cut < 16);
                let what = if cut == 0 { "the file is empty" } else { "within the header of a recording" };
                assert!(error.to_string().contains(what), "cut at {cut}: {error}");
            }
            Err(error) => panic!("cut at {cut}: {error}"),
        }
    }
    // Only the block that says that nothing is missing was.
    assert_eq!(before, whole.lines.len());
}

#[test]
fn a_changed_byte_is_noticed() {
    for options in [options(), compressing()] {
        each_changed_byte_is_noticed(&sample(options));
    }
}

fn each_changed_byte_is_noticed(bytes: &[u8]) {
    let whole = read(bytes).unwrap();
    let mut noticed = 0;
    for at in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 0x10;
        match read(&changed) {
            Err(_) => noticed += 1,
            // The length of the last block: then it is as if the file were cut.
            Ok(found) => match found.ending {
                Some(Ending::Cut { .. }) => noticed += 1,
                // What is reserved, and the minor version.
                _ => assert!((10..16).contains(&at) && found.lines == whole.lines, "byte {at}"),
            },
        }
    }
    assert_eq!(noticed, bytes.len() - 6);
}

#[test]
fn what_is_no_recording_is_refused_and_named() {
    let error = |bytes: &[u8]| Reader::new(bytes).unwrap_err().to_string();
    assert!(error(b"").contains("not a recording"));
    assert!(error(b"{\"event\":\"enter\",\"thread\":1}").contains("not a recording"));
    let mut newer = sample(options());
    newer[8] = 9;
    assert!(error(&newer).contains("version 9"), "{}", error(&newer));
}
