//! The protocol against a port of our own: what is sent, byte by byte as the protocol's document has it, and what is
//! made of answers, right and wrong ones.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a fake port that fails is a failed test")]

use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use diagport::{
    AttachProfiler, CollectTracing, Command, Dump, DumpKind, Error, EventFilter, EventProvider, Guid,
    HResult, Port, Rundown,
};
use tempfile::TempDir;

/// Long enough for a busy machine, short enough for a test that waits for it.
const TIMEOUT: Duration = Duration::from_millis(300);

const MAGIC: &[u8] = b"DOTNET_IPC_V1\0";

/// A port that gives one answer to each connection, and tells what it was sent.
struct FakePort {
    port: Port,
    served: JoinHandle<Vec<Vec<u8>>>,
    _folder: TempDir,
}

impl FakePort {
    /// An answer of `None` keeps the connection open until the caller gives up.
    fn new(answers: Vec<Option<Vec<u8>>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dotnet-diagnostic-1-1-socket");
        let listener = UnixListener::bind(&path).unwrap();
        let served = thread::spawn(move || {
            let serve = |answer: Option<Vec<u8>>| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut message = vec![0; 20];
                stream.read_exact(&mut message).unwrap();
                let size = usize::from(u16::from_le_bytes([message[14], message[15]]));
                message.resize(size, 0);
                stream.read_exact(&mut message[20..]).unwrap();
                match answer {
                    // The caller may hang up in the middle of a wrong one.
                    Some(answer) => drop(stream.write_all(&answer)),
                    None => drop(stream.read(&mut [0])),
                }
                message
            };
            answers.into_iter().map(serve).collect()
        });
        Self { port: Port::at(path).with_timeout(TIMEOUT), served, _folder: folder }
    }

    /// What was sent.
    fn sent(self) -> Vec<Vec<u8>> {
        self.served.join().unwrap()
    }
}

fn message(set: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    let size = u16::try_from(20 + payload.len()).unwrap();
    [MAGIC, &size.to_le_bytes(), &[set, id, 0, 0], payload].concat()
}

fn success(payload: &[u8]) -> Option<Vec<u8>> {
    Some(message(0xFF, 0x00, payload))
}

fn failure(code: u32) -> Option<Vec<u8>> {
    Some(message(0xFF, 0xFF, &code.to_le_bytes()))
}

fn text(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
    let length = u32::try_from(units.len()).unwrap().to_le_bytes();
    length.into_iter().chain(units.into_iter().flat_map(u16::to_le_bytes)).collect()
}

const CLSID: Guid = Guid::parse("{00112233-4455-6677-8899-AABBCCDDEEFF}");
/// A GUID as it lies in the memory of a little-endian machine.
const CLSID_BYTES: [u8; 16] =
    [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF];

fn attach(port: &Port) -> Result<(), Error> {
    port.attach_profiler(&AttachProfiler {
        clsid: CLSID,
        library: Path::new("/ö/p.so"),
        client_data: &[1, 2, 255],
    })
}

#[test]
fn attaching_sends_timeout_class_path_and_data() {
    let fake = FakePort::new(vec![success(&[0; 4])]);
    attach(&fake.port).unwrap();
    let payload =
        [&150_u32.to_le_bytes()[..], &CLSID_BYTES, &text("/ö/p.so"), &[3, 0, 0, 0, 1, 2, 255]].concat();
    assert_eq!(fake.sent(), [message(3, 1, &payload)]);
}

#[test]
fn a_refusal_has_its_code() {
    // As 9.0 refuses, as 3.1 does, and with more than a code.
    let code: u32 = 0x8013_136A;
    let wordy = message(0xFF, 0xFF, &[&code.to_le_bytes()[..], &text("more")].concat());
    for answer in [failure(code), success(&code.to_le_bytes()), Some(wordy)] {
        let error = attach(&FakePort::new(vec![answer]).port).unwrap_err();
        assert_eq!(error.hresult(), Some(HResult::CORPROF_E_PROFILER_ALREADY_ACTIVE));
        assert!(error.to_string().contains("CORPROF_E_PROFILER_ALREADY_ACTIVE"), "{error}");
    }
}

#[test]
fn a_startup_profiler_is_set_and_the_runtime_resumed() {
    let fake = FakePort::new(vec![success(&[0; 4]), success(&[]), success(&[0; 4])]);
    fake.port.set_startup_profiler(CLSID, Path::new("/p")).unwrap();
    fake.port.resume_runtime().unwrap();
    fake.port.set_environment_variable("A", "b").unwrap();
    let startup = [&CLSID_BYTES[..], &text("/p")].concat();
    let variable = [text("A"), text("b")].concat();
    assert_eq!(fake.sent(), [message(3, 2, &startup), message(4, 1, &[]), message(4, 3, &variable)]);
}

/// What `ProcessInfo` answers.
fn process_info() -> Vec<u8> {
    [&4711_u64.to_le_bytes()[..], &CLSID_BYTES, &text("dotnet 🍏.dll"), &text("Linux"), &text("x64")].concat()
}

#[test]
fn the_newest_process_info_is_read() {
    let payload =
        [&1_u32.to_le_bytes()[..], &process_info(), &text("shop"), &text("9.0.1"), &text("linux-x64")]
            .concat();
    let fake = FakePort::new(vec![success(&payload)]);
    let info = fake.port.process_info().unwrap();
    assert_eq!((info.process_id, info.runtime_cookie), (4711, CLSID));
    assert_eq!(
        (info.command_line.as_str(), info.os.as_str(), info.arch.as_str()),
        ("dotnet 🍏.dll", "Linux", "x64")
    );
    assert_eq!(
        (info.entry_assembly.as_deref(), info.runtime_version.as_deref()),
        (Some("shop"), Some("9.0.1"))
    );
    assert_eq!(info.runtime_identifier.as_deref(), Some("linux-x64"));
    assert_eq!(fake.sent(), [message(4, 8, &[])]);
}

#[test]
fn an_older_runtime_is_asked_for_less() {
    let unknown = || failure(0x8013_1385);
    let second = [process_info(), text("shop"), text("6.0.0")].concat();
    let fake = FakePort::new(vec![unknown(), success(&second)]);
    let info = fake.port.process_info().unwrap();
    assert_eq!((info.runtime_version.as_deref(), info.runtime_identifier), (Some("6.0.0"), None));
    assert_eq!(fake.sent(), [message(4, 8, &[]), message(4, 4, &[])]);

    let fake = FakePort::new(vec![unknown(), unknown(), success(&process_info())]);
    let info = fake.port.process_info().unwrap();
    assert_eq!((info.process_id, info.entry_assembly), (4711, None));
    assert_eq!(fake.sent()[2], message(4, 0, &[]));

    let error = FakePort::new(vec![unknown(), unknown(), unknown()]).port.process_info().unwrap_err();
    assert!(matches!(error, Error::NotSupported { command: Command::ProcessInfo }), "{error}");
}

/// An environment as it follows its message.
fn environment(said: u32, count: u32, variables: &[&str]) -> Option<Vec<u8>> {
    let head = [&said.to_le_bytes()[..], &[0, 0]].concat();
    let texts: Vec<u8> = variables.iter().flat_map(|variable| text(variable)).collect();
    Some([message(0xFF, 0, &head), count.to_le_bytes().to_vec(), texts].concat())
}

#[test]
fn the_environment_is_read() {
    let variables = ["PATH=/bin:/usr/bin", "EMPTY=", "=C:=C:\\x", "nonsense", "A=b=c"];
    let length = 4 + variables.iter().map(|variable| text(variable).len()).sum::<usize>();
    let fake = FakePort::new(vec![environment(u32::try_from(length).unwrap(), 5, &variables)]);
    let expected = [("PATH", "/bin:/usr/bin"), ("EMPTY", ""), ("=C:", "C:\\x"), ("A", "b=c")];
    assert_eq!(fake.port.environment().unwrap(), expected.map(|(name, value)| (name.into(), value.into())));
    assert_eq!(fake.sent(), [message(4, 2, &[])]);
}

#[test]
fn an_environment_that_lies_about_itself_is_refused() {
    // Of a size that nobody has, of more variables than there are, and shorter than it says.
    for (said, count, begin) in
        [(u32::MAX, 1, "malformed"), (12, u32::MAX, "malformed"), (1 << 20, 1, "the connection")]
    {
        let error = FakePort::new(vec![environment(said, count, &["A=b"])]).port.environment().unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(&format!("ProcessEnvironment: {begin}")), "{message}");
    }
}

#[test]
fn malformed_answers_say_where() {
    let good = message(0xFF, 0, &[]);
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let cases = [
        (changed(3, b'X'), 0),
        // A size below that of the header, and neither an answer's command set nor its id.
        (changed(14, 19), 14),
        (changed(16, 4), 16),
        (changed(17, 7), 17),
        // An error without a code.
        (message(0xFF, 0xFF, &[1, 2]), 20),
    ];
    for (answer, place) in cases {
        let error = FakePort::new(vec![Some(answer)]).port.resume_runtime().unwrap_err();
        assert!(matches!(error, Error::Malformed { at, .. } if at == place), "{error}");
    }
    // The first text of the answer is longer than the answer; the text's length is at 4 + 8 + 16.
    let mut payload = [&1_u32.to_le_bytes()[..], &process_info()].concat();
    payload[28..32].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = FakePort::new(vec![success(&payload)]).port.process_info().unwrap_err();
    assert!(matches!(error, Error::Malformed { at: 52, .. }), "{error}");
    // Every answer that ends too early.
    let whole =
        [&1_u32.to_le_bytes()[..], &process_info(), &text("shop"), &text("9.0.1"), &text("x")].concat();
    for length in 0..whole.len() {
        let error = FakePort::new(vec![success(&whole[..length])]).port.process_info().unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{length}: {error}");
    }
}

#[test]
fn a_connection_that_is_cut_says_so() {
    let whole = message(0xFF, 0, &[0; 4]);
    for length in 0..whole.len() {
        let error = attach(&FakePort::new(vec![Some(whole[..length].to_vec())]).port).unwrap_err();
        assert!(matches!(error, Error::Closed { received, .. } if received == length), "{length}: {error}");
    }
    // As much as a size can say is waited for, and not taken for granted.
    let mut huge = whole;
    huge[14..16].copy_from_slice(&u16::MAX.to_le_bytes());
    let error = attach(&FakePort::new(vec![Some(huge)]).port).unwrap_err();
    assert!(matches!(error, Error::Closed { received: 24, .. }), "{error}");
}

#[test]
fn a_port_that_does_not_answer_is_not_waited_for() {
    let begin = Instant::now();
    let error = attach(&FakePort::new(vec![None]).port).unwrap_err();
    assert!(matches!(error, Error::TimedOut { command: Command::AttachProfiler, after: TIMEOUT }), "{error}");
    assert!(begin.elapsed() >= TIMEOUT, "{:?}", begin.elapsed());
}

#[test]
fn a_port_that_accepts_nobody_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let port = Port::at(&path).with_timeout(TIMEOUT);
    // The first ones wait for an answer, those for whom there is no room in the queue wait to be let in.
    let errors: Vec<Error> = thread::scope(|scope| {
        let callers: Vec<_> = (0..300).map(|_| scope.spawn(|| port.resume_runtime().unwrap_err())).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    assert!(errors.iter().all(|error| matches!(error, Error::TimedOut { .. })), "{errors:?}");
}

#[test]
fn a_socket_without_a_listener_is_what_a_process_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    drop(UnixListener::bind(&path).unwrap());
    let error = Port::at(&path).resume_runtime().unwrap_err();
    assert!(matches!(error, Error::Gone { .. }), "{error}");
    let error = Port::at(folder.path().join("none")).resume_runtime().unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

/// The providers of a session, without their number.
fn provider(filter: &[u8]) -> Vec<u8> {
    let (keywords, level) = (0x8001_u64.to_le_bytes(), 5_u32.to_le_bytes());
    [&keywords[..], &level, &text("Küche"), &text("A=b"), filter].concat()
}

#[test]
fn a_session_is_started_with_the_oldest_command_that_can_say_it() {
    let shop = EventProvider { name: "Küche", keywords: 0x8001, level: 5, arguments: "A=b", filter: None };
    let only = EventProvider { filter: Some(EventFilter::Only(&[80, 1])), ..shop };
    let except = EventProvider { filter: Some(EventFilter::Except(&[9])), arguments: "", ..shop };
    let plain = CollectTracing { providers: &[shop], buffer_megabytes: 16, ..Default::default() };
    let head = [16, 0, 0, 0, 1, 0, 0, 0];
    let one = [1, 0, 0, 0];
    let stacks = |keywords: u64| [&head[..], &keywords.to_le_bytes(), &[1]].concat();
    let without = [&0x8001_u64.to_le_bytes()[..], &5_u32.to_le_bytes(), &text("Küche"), &[0; 4]].concat();
    let cases: [(CollectTracing<'_>, u8, Vec<u8>); 7] = [
        (plain, 3, [&head[..], &[0], &one, &provider(&[])].concat()),
        (
            CollectTracing { rundown: Rundown::All, ..plain },
            3,
            [&head[..], &[1], &one, &provider(&[])].concat(),
        ),
        (CollectTracing { stacks: false, ..plain }, 4, [&head[..], &[0, 0], &one, &provider(&[])].concat()),
        (
            CollectTracing { rundown: Rundown::Keywords(8), ..plain },
            5,
            [&stacks(8)[..], &one, &provider(&[])].concat(),
        ),
        (
            CollectTracing { providers: &[only], rundown: Rundown::All, ..plain },
            6,
            [&[0; 4], &stacks(0x8002_0139)[..], &one, &provider(&[1, 2, 0, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0])]
                .concat(),
        ),
        (
            CollectTracing { providers: &[except], ..plain },
            6,
            [&[0; 4], &stacks(0)[..], &one, &without, &[0, 1, 0, 0, 0, 9, 0, 0, 0]].concat(),
        ),
        (
            CollectTracing { blocking: true, ..plain },
            7,
            [&[0; 4], &stacks(0)[..], &one, &provider(&[0; 5]), &one].concat(),
        ),
    ];
    for (collect, id, payload) in cases {
        let mut answer = success(&4711_u64.to_le_bytes()).unwrap();
        answer.extend(b"Nettrace");
        let fake = FakePort::new(vec![Some(answer), success(&4711_u64.to_le_bytes())]);
        let mut session = fake.port.collect_tracing(&collect).unwrap();
        assert_eq!(session.id(), 4711);
        let mut trace = Vec::new();
        session.read_to_end(&mut trace).unwrap();
        assert_eq!(trace, b"Nettrace");
        session.stopper().stop().unwrap();
        let stop = message(2, 1, &4711_u64.to_le_bytes());
        assert_eq!(fake.sent(), [message(2, id, &payload), stop], "{collect:?}");
    }
}

#[test]
fn a_session_that_cannot_be_started_says_what_it_needs() {
    let filtered = EventProvider { filter: Some(EventFilter::Only(&[])), ..Default::default() };
    for (collect, needs) in [
        (CollectTracing::default(), ".NET Core 3.1"),
        (CollectTracing { stacks: false, ..Default::default() }, ".NET 9"),
        (CollectTracing { providers: &[filtered], ..Default::default() }, ".NET 10"),
    ] {
        let error = FakePort::new(vec![failure(0x8013_1385)]).port.collect_tracing(&collect).unwrap_err();
        assert!(matches!(error, Error::NotSupported { .. }) && error.to_string().ends_with(needs), "{error}");
    }
    let error = FakePort::new(vec![success(&[1, 2])]).port.collect_tracing(&CollectTracing::default());
    assert!(matches!(error, Err(Error::Malformed { at: 20, .. })), "{error:?}");
}

#[test]
fn a_quiet_session_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]).unwrap();
        stream.write_all(&success(&7_u64.to_le_bytes()).unwrap()).unwrap();
        // Until the session is dropped.
        drop(stream.read(&mut [0]));
    });
    let port = Port::at(&path).with_timeout(TIMEOUT);
    let session = port.collect_tracing(&CollectTracing::default()).unwrap();
    let mut session = session.with_patience(Duration::from_millis(50));
    for _ in 0..3 {
        let begin = Instant::now();
        let error = session.read(&mut [0; 16]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begin.elapsed() >= Duration::from_millis(50));
    }
    drop(session);
    serving.join().unwrap();
}

#[test]
fn a_dump_is_written_with_the_newest_command() {
    let dump = Dump { verbose_log: true, ..Dump::new(Path::new("/d"), DumpKind::Full) };
    let payload = |flags: u32| [&text("/d")[..], &4_u32.to_le_bytes(), &flags.to_le_bytes()].concat();
    let unknown = || failure(0x8013_1385);
    let fake = FakePort::new(vec![unknown(), success(&[0; 4])]);
    fake.port.write_dump(&dump).unwrap();
    assert_eq!(fake.sent(), [message(1, 3, &payload(2)), message(1, 2, &payload(2))]);
    // What an old runtime does not have is not left out silently.
    let fake = FakePort::new(vec![unknown(), unknown()]);
    let error = fake.port.write_dump(&dump).unwrap_err();
    assert!(matches!(error, Error::NotSupported { command: Command::GenerateCoreDump2 }), "{error}");
    let plain = Dump { log: true, verbose_log: false, ..dump };
    let fake = FakePort::new(vec![unknown(), unknown(), success(&[0; 4])]);
    fake.port.write_dump(&plain).unwrap();
    assert_eq!(fake.sent()[2], message(1, 1, &payload(1)));
    let fake = FakePort::new(vec![failure(0x8000_4005)]);
    assert_eq!(
        fake.port.write_dump(&plain).unwrap_err().hresult(),
        Some(HResult(0x8000_4005_u32.cast_signed()))
    );
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let port = Port::at("/nowhere");
    let data = vec![0; 70_000];
    let profiler = AttachProfiler { clsid: CLSID, library: Path::new("/p.so"), client_data: &data };
    let error = port.attach_profiler(&profiler).unwrap_err();
    assert!(matches!(error, Error::TooLong { limit: 65_535, .. }), "{error}");
    let error = port.set_environment_variable("A", "b\0c").unwrap_err();
    assert!(matches!(error, Error::Zero { .. }), "{error}");
}
