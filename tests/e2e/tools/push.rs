//! Tools that run for ever: profiles pushed to servers that accept, refuse, hang or are not there, and files that rotate.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use e2e::app::{App, Build};
use e2e::command::{corprof, words};
use e2e::traced::profiler;
use opentelemetry_proto::tonic::collector::profiles::v1development::ExportProfilesServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use prost::Message as _;

use crate::{run, stated};

/// How a server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    Accepts,
    /// The first request is answered by 503.
    IsOverloaded,
    AlwaysFails,
    Hangs,
    IsNotThere,
}

/// A request: its path, and its body.
type Request = (String, Vec<u8>);

fn read(stream: &TcpStream) -> Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).with_context(|| line.clone())?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((path, body))
}

/// Starts a server; returns its address and the accepted requests.
fn serve(server: Server) -> Result<(SocketAddr, Receiver<Request>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (sender, requests) = channel();
    if server == Server::IsNotThere {
        return Ok((address, requests));
    }
    thread::spawn(move || {
        let mut open = Vec::new();
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            if server == Server::Hangs {
                open.push(stream);
                continue;
            }
            let Ok(request) = read(&stream) else { continue };
            let fails = server == Server::AlwaysFails || server == Server::IsOverloaded && number == 0;
            let status = if fails { "503 Service Unavailable" } else { "200 OK" };
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            if !fails && sender.send(request).is_err() {
                return;
            }
        }
    });
    Ok((address, requests))
}

/// What a run of the command has printed and said.
struct Ran {
    stdout: String,
    stderr: String,
    duration: Duration,
}

/// The exceptions of a program under the tool, with options of the command.
fn ran(options: &[&str], version: RuntimeVersion) -> Result<Ran> {
    let app = App::compile("tooled", version, Build::Optimised)?;
    let (own, program) = words(&runtime(version)?, &app.dll)?;
    let mut command = corprof(&["run", "exceptions", "--library"])?;
    command.arg(profiler("exceptions")?.library).args(own).args(options).arg("--").arg(program);
    let begin = Instant::now();
    let output = command.arg("exceptions").stdin(Stdio::null()).output()?;
    let duration = begin.elapsed();
    ensure!(output.status.success(), "{output:?}");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Ran { stdout, stderr, duration })
}

/// The same, with a server.
fn pushed(protocol: &str, server: Server, version: RuntimeVersion) -> Result<(Ran, Vec<Request>)> {
    let (address, requests) = serve(server)?;
    let url = format!("{protocol}+http://{address}");
    let options = ["--every", "0.1", "--push", &url, "--labels", "service=shop,version=1.2"];
    let ran = ran(&options, version)?;
    Ok((ran, requests.try_iter().collect()))
}

/// The number of exceptions of each type in the requests.
fn counted(requests: &[Request]) -> Result<BTreeMap<String, i64>> {
    let mut counts = BTreeMap::new();
    let at = |index: i32| usize::try_from(index).unwrap_or(usize::MAX);
    for (path, body) in requests {
        ensure!(path == "/v1development/profiles", "{path}");
        let request = ExportProfilesServiceRequest::decode(body.as_slice())?;
        let tables = request.dictionary.context("no tables")?;
        for of_resource in &request.resource_profiles {
            let attributes = &of_resource.resource.as_ref().context("no resource")?.attributes;
            let attribute = |key: &str| {
                let value = attributes.iter().find(|attribute| attribute.key == key)?.value.as_ref()?;
                match value.value.as_ref()? {
                    Value::StringValue(text) => Some(text.as_str()),
                    _ => None,
                }
            };
            ensure!(attribute("service.name") == Some("shop") && attribute("service.version") == Some("1.2"));
            ensure!(attribute("host.name").is_some() && attribute("process.pid").is_some());
            let profiles = of_resource.scope_profiles.iter().flat_map(|scope| &scope.profiles);
            for sample in profiles.flat_map(|profile| &profile.samples) {
                let labels = sample.attribute_indices.iter().map(|index| &tables.attribute_table[at(*index)]);
                for label in labels.filter(|label| tables.string_table[at(label.key_strindex)] == "type") {
                    let Some(Value::StringValue(name)) =
                        label.value.as_ref().and_then(|value| value.value.clone())
                    else {
                        continue;
                    };
                    *counts.entry(name).or_insert(0) += sample.values.iter().sum::<i64>();
                }
            }
        }
    }
    Ok(counts)
}

pub(crate) fn profiles_are_pushed(version: RuntimeVersion) -> Result<()> {
    for server in [Server::Accepts, Server::IsOverloaded] {
        let (finished, requests) = pushed("otlp", server, version)?;
        let thrown: BTreeMap<String, i64> = stated(&finished.stdout)
            .filter_map(|(name, value)| Some((name.strip_prefix("thrown ")?.to_owned(), value.parse().ok()?)))
            .collect();
        ensure!(thrown.len() >= 11, "{}", finished.stderr);
        let counted = counted(&requests)?;
        ensure!(counted == thrown, "{server:?}: {counted:?}\n{thrown:?}\n{}", finished.stderr);
        ensure!(!finished.stderr.contains("pushed"), "{}", finished.stderr);
        println!("{version}, {server:?}: {} requests", requests.len());
    }
    let (finished, requests) = pushed("pyroscope", Server::Accepts, version)?;
    ensure!(!requests.is_empty(), "{}", finished.stderr);
    for (path, body) in &requests {
        ensure!(path.starts_with("/ingest?name=shop%7B") && path.contains("&format=pprof"), "{path}");
        ensure!(path.contains("version%3D1.2"), "{path}");
        // The beginning of a gzip file, which pprof is.
        ensure!(body.windows(2).any(|two| two == [0x1f, 0x8b]), "{path}");
    }
    Ok(())
}

pub(crate) fn a_server_that_fails_does_not_disturb_the_program(version: RuntimeVersion) -> Result<()> {
    let plain = ran(&[], version)?;
    for server in [Server::AlwaysFails, Server::Hangs, Server::IsNotThere] {
        let (finished, _) = pushed("otlp", server, version)?;
        ensure!(finished.stdout == plain.stdout, "{server:?}\n{}", finished.stderr);
        // The end waits for two seconds at most.
        let more = finished.duration.saturating_sub(plain.duration);
        ensure!(more < Duration::from_secs(20), "{server:?}: {more:?} more\n{}", finished.stderr);
        ensure!(finished.stderr.contains("profiles were not pushed: "), "{server:?}\n{}", finished.stderr);
        println!("{version}, {server:?}: {}", finished.stderr.trim());
    }
    Ok(())
}

pub(crate) fn files_rotate(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("cpu", "cpu", version, "rotated.folded")?;
    let finished =
        launch.env("TOOLED_SECONDS", "2").env("CPU_EVERY", "0.2").env("CPU_KEEP", "3").run()?.ok()?;
    let folder = out.parent().context("no folder")?;
    let mut sizes = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        sizes.insert(entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len());
    }
    let is_named =
        |name: &String| name.starts_with("out.") && name.ends_with(".rotated.folded") && name.len() == 32;
    ensure!(sizes.len() == 3 && sizes.keys().all(is_named), "{sizes:?}\n{}", finished.report());
    // Each has an interval, and not everything since the start.
    for name in sizes.keys() {
        let text = fs::read_to_string(folder.join(name))?;
        let values = text.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
        let nanoseconds: u64 = values.sum();
        ensure!(nanoseconds < 2_000_000_000, "{name}: {nanoseconds}\n{}", finished.report());
    }
    Ok(())
}
