//! Pushes to servers that accept, refuse, hang and are not there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::SystemTime;

use super::*;
use crate::given::tests::given;
use crate::{ContextId, Frame, Unit, ValueType};

/// A request: its first line, and its body.
type Request = (String, Vec<u8>);

fn request(stream: &TcpStream) -> std::io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((first.trim_end().to_owned(), body))
}

/// A server whose responses have these statuses, one after the other, and then 200.
fn server(statuses: &'static [&'static str]) -> (SocketAddr, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, requests) = channel();
    thread::spawn(move || {
        let statuses = statuses.iter().chain(std::iter::repeat(&"200 OK"));
        for (stream, status) in listener.incoming().zip(statuses) {
            let mut stream = stream.unwrap();
            let Ok(request) = request(&stream) else { continue };
            let response = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(response.as_bytes());
            if sender.send(request).is_err() {
                return;
            }
        }
    });
    (address, requests)
}

fn pusher(protocol: &str, address: SocketAddr) -> Pusher {
    let data =
        format!("PUSH={protocol}+http://{address}\nLABELS=service=shop,version=1.2,host=h,pid=1,container=c");
    Pusher::start(Target::of(&given(&data), "shop", 1).unwrap().unwrap()).unwrap()
}

fn profile() -> (Profile, Interval) {
    let mut profile = Profile::new("shop", vec![ValueType::new("cpu", Unit::Nanoseconds)]);
    let main = profile.frame(Frame { name: "Main", module: "shop.dll" });
    profile.add([main], ContextId::NONE, &[7]);
    let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    (profile, Interval { begin, length: Duration::from_secs(15) })
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn profiles_are_pushed_by_each_protocol() {
    for (protocol, path) in [
        ("otlp", "POST /v1development/profiles HTTP/1.1"),
        (
            "pyroscope",
            "POST /ingest?name=shop%7Bcontainer%3Dc%2Chost%3Dh%2Cpid%3D1%2Cversion%3D1.2%7D&from=1700000000&until=1700000015\
             &format=pprof&spyName=corprof HTTP/1.1",
        ),
    ] {
        let (address, requests) = server(&[]);
        let pusher = pusher(protocol, address);
        let (profile, interval) = profile();
        pusher.push(&profile, interval);
        pusher.push(&profile, interval);
        pusher.flush(LONG);
        assert_eq!(pusher.result(), Pushed { pushed: 2, ..Pushed::default() });
        for _ in 0..2 {
            let (first, body) = requests.recv().unwrap();
            assert_eq!(first, path);
            let has = |text: &str| body.windows(text.len()).any(|part| part == text.as_bytes());
            match protocol {
                "otlp" => assert!(has("service.name") && has("shop.dll") && has("Main")),
                _ => assert!(has("name=\"profile\"") && has("\"cpu\":{") && has("\"display-name\":\"cpu\"")),
            }
        }
        assert_eq!(pusher.end(LONG), Pushed { pushed: 2, ..Pushed::default() });
    }
}

#[test]
fn an_overloaded_server_is_tried_again() {
    let (address, requests) = server(&["503 Service Unavailable", "429 Too Many Requests"]);
    let pusher = pusher("otlp", address);
    let (profile, interval) = profile();
    pusher.push(&profile, interval);
    pusher.flush(LONG);
    let result = pusher.end(LONG);
    assert_eq!((result.pushed, result.dropped), (1, 0), "{result:?}");
    let requests: Vec<Request> = requests.iter().take(3).collect();
    assert_eq!(requests[0], requests[2]);
}

#[test]
fn an_overloaded_server_is_tried_again_at_the_end() {
    let (address, _requests) = server(&["503 Service Unavailable"]);
    let pusher = pusher("otlp", address);
    let (profile, interval) = profile();
    pusher.push(&profile, interval);
    let result = pusher.end(LONG);
    assert_eq!((result.pushed, result.dropped), (1, 0), "{result:?}");
}

#[test]
fn a_profile_that_the_server_refuses_is_dropped() {
    let (address, _requests) = server(&["400 Bad Request"]);
    let pusher = pusher("otlp", address);
    let (profile, interval) = profile();
    pusher.push(&profile, interval);
    pusher.push(&profile, interval);
    pusher.flush(LONG);
    let result = pusher.end(LONG);
    assert_eq!((result.pushed, result.dropped), (1, 1), "{result:?}");
    assert!(result.failure.unwrap().contains("400"));
}

#[test]
fn the_queue_is_bounded_and_the_end_does_not_wait_for_a_server_that_hangs() {
    // Connections are accepted by the system, and never answered.
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let pusher = pusher("pyroscope", hanging.local_addr().unwrap());
    let (profile, interval) = profile();
    let begin = Instant::now();
    for _ in 0..QUEUE + 10 {
        pusher.push(&profile, interval);
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "a push has waited for the server");
    assert!(pusher.result().dropped >= 9, "{:?}", pusher.result());
    let begin = Instant::now();
    let result = pusher.end(Duration::from_millis(500));
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!((result.pushed, result.dropped), (0, QUEUE as u64 + 10), "{result:?}");
}

#[test]
fn a_server_that_is_not_there_is_tried_twice_at_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let pusher = pusher("otlp", address);
    let (profile, interval) = profile();
    pusher.push(&profile, interval);
    let begin = Instant::now();
    let result = pusher.end(LONG);
    assert!(begin.elapsed() < LONG / 2);
    assert_eq!((result.pushed, result.dropped), (0, 1), "{result:?}");
    assert!(result.failure.is_some());
}
