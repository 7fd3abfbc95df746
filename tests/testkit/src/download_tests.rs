//! Downloads from a small server of our own.

use super::*;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::sync::mpsc;

const CONTENT: &[u8] = b"a file that is long enough to be broken off somewhere in the middle of it";

/// What the server does with one request.
#[derive(Clone, Copy)]
enum Answer {
    /// All that was asked for, by range when a range was asked for.
    Honest,
    /// Says it sends everything, and hangs up after so many bytes.
    BreakOffAfter(usize),
    /// Ignores ranges.
    Whole,
    /// Something else of the same length.
    Forged,
    /// An error.
    Status(&'static str),
}

/// Serves one answer per connection; gives the address and the ranges that were asked for.
fn serve(answers: Vec<Answer>) -> (String, mpsc::Receiver<Option<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/file", listener.local_addr().unwrap());
    let (sender, ranges) = mpsc::channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut range = None;
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                let line = line.unwrap().to_ascii_lowercase();
                if let Some(from) = line.strip_prefix("range: bytes=") {
                    range = from.trim_end_matches('-').parse().ok();
                }
                if line.is_empty() {
                    break;
                }
            }
            sender.send(range).unwrap();
            let forged: Vec<u8> = CONTENT.iter().map(|byte| byte ^ 1).collect();
            let (status, from, content, sent) = match answer {
                Answer::Honest => match range {
                    Some(from) => ("206 Partial Content", from, CONTENT, CONTENT.len() - from),
                    None => ("200 OK", 0, CONTENT, CONTENT.len()),
                },
                Answer::BreakOffAfter(sent) => ("200 OK", 0, CONTENT, sent),
                Answer::Whole => ("200 OK", 0, CONTENT, CONTENT.len()),
                Answer::Forged => ("200 OK", 0, forged.as_slice(), CONTENT.len()),
                Answer::Status(status) => (status, 0, CONTENT, 0),
            };
            let length = content.len() - from;
            let last = content.len() - 1;
            let header = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\ncontent-range: bytes {from}-{last}/{}\r\nconnection: close\r\n\r\n",
                content.len()
            );
            stream.write_all(header.as_bytes()).unwrap();
            stream.write_all(&content[from..from + sent]).unwrap();
        }
    });
    (url, ranges)
}

fn pin() -> Pin {
    let sha256 = Box::leak(sha256_of(CONTENT).into_boxed_str());
    Pin {
        file: "file.bin",
        package: Package::Npm { name: "corprof-test", version: "1" },
        size: CONTENT.len() as u64,
        sha256,
    }
}

#[test]
fn a_truncated_part_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file.bin.part"), &CONTENT[..20]).unwrap();
    let (url, ranges) = serve(vec![Answer::Honest]);
    let path = from_url(&url, &pin(), dir.path()).unwrap();
    assert_eq!(fs::read(path).unwrap(), CONTENT);
    assert_eq!(ranges.recv().unwrap(), Some(20));
    assert!(!dir.path().join("file.bin.part").exists());
}

#[test]
fn a_connection_that_breaks_is_tried_again_from_where_it_broke() {
    let dir = tempfile::tempdir().unwrap();
    let (url, ranges) = serve(vec![Answer::BreakOffAfter(33), Answer::Honest]);
    let path = from_url(&url, &pin(), dir.path()).unwrap();
    assert_eq!(fs::read(path).unwrap(), CONTENT);
    assert_eq!(ranges.recv().unwrap(), None);
    assert_eq!(ranges.recv().unwrap(), Some(33));
}

#[test]
fn a_server_that_does_not_resume_is_read_from_the_start() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file.bin.part"), &CONTENT[..20]).unwrap();
    let (url, _ranges) = serve(vec![Answer::Whole]);
    assert_eq!(fs::read(from_url(&url, &pin(), dir.path()).unwrap()).unwrap(), CONTENT);
}

#[test]
fn a_damaged_part_is_discarded() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file.bin.part"), b"not what the file begins with").unwrap();
    let (url, ranges) = serve(vec![Answer::Honest, Answer::Honest]);
    assert_eq!(fs::read(from_url(&url, &pin(), dir.path()).unwrap()).unwrap(), CONTENT);
    assert_eq!(ranges.recv().unwrap(), Some(29));
    assert_eq!(ranges.recv().unwrap(), None);
}

#[test]
fn a_wrong_hash_is_refused_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let (url, _ranges) = serve(vec![Answer::Forged]);
    let error = format!("{:#}", from_url(&url, &pin(), dir.path()).unwrap_err());
    assert!(error.contains("is pinned to"), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left of it");
}

#[test]
fn a_file_damaged_after_its_download_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file.bin");
    fs::write(&path, b"rotten").unwrap();
    assert!(check(&path, &pin()).is_err());
    fs::write(&path, CONTENT).unwrap();
    assert!(check(&path, &pin()).is_ok());
}

#[test]
fn a_server_error_is_reported_and_leaves_no_partial_file() {
    let dir = tempfile::tempdir().unwrap();
    let (url, _ranges) = serve(vec![Answer::Status("503 Busy"); 3]);
    let error = format!("{:#}", from_url(&url, &pin(), dir.path()).unwrap_err());
    assert!(error.contains("503"), "{error}");
    assert!(!dir.path().join("file.bin").exists());
}

#[test]
fn hashes_are_those_of_the_standard() {
    // FIPS 180-2, appendix B.1.
    assert_eq!(sha256_of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
