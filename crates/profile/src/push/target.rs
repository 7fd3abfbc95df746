//! The servers that profiles are pushed to.

use std::time::Duration;

use serde_json::json;
use ureq::Agent;
use ureq::http::{StatusCode, Uri};

use super::labels::{Labels, pairs};
use super::tls::{self, Tls};
use crate::given::{Given, Wrong};
use crate::limits::{CONNECTING, PUSHING};
use crate::{Format, Interval, Profile};

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// OTLP over HTTP.
    Otlp,
    /// The endpoint `/ingest` of Pyroscope, with pprof.
    Pyroscope,
}

/// The protocols with the beginnings of their addresses, and the paths that follow an address without one.
const PROTOCOLS: [(&str, Protocol, &str); 2] =
    [("otlp+", Protocol::Otlp, "/v1development/profiles"), ("pyroscope+", Protocol::Pyroscope, "/ingest")];

/// The text between the parts of a body, which is not in them.
const BOUNDARY: &str = "corprof-5f0c1d1e7b8a4c9e9a53a2d4f6b7c8e1";

/// A server, and how it is to be called.
#[derive(Clone, Debug)]
pub struct Target {
    protocol: Protocol,
    address: String,
    headers: Vec<(String, String)>,
    labels: Labels,
    /// How the server is authenticated, if the connection is encrypted.
    tls: Option<Tls>,
}

/// An encoded profile.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    body: Vec<u8>,
    content_type: String,
    query: Vec<(&'static str, String)>,
}

impl Encoded {
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }
}

/// A failed push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A later attempt may succeed; the server may name the earliest time.
    Temporary(String, Option<Duration>),
    /// The server refuses this profile.
    Permanent(String),
}

impl Target {
    /// Returns the server that `PUSH`, `LABELS`, `PUSH_HEADERS` and `PUSH_CA` describe; `None` if nothing is pushed. The labels are
    /// those of a program that runs on this machine, and the given ones.
    ///
    /// # Errors
    /// [`Wrong`]: a value is none of those that are valid.
    pub fn of(given: &dyn Given, program: &str, process: u32) -> Result<Option<Self>, Wrong> {
        const PUSH: &str =
            "it begins with otlp+http://, otlp+https://, pyroscope+http:// or pyroscope+https://";
        const PAIRS: &str = "it is a list of name=value with commas between";
        let list = |name: &'static str| match given.text(name).map(pairs) {
            None => Ok(Vec::new()),
            Some(Some(pairs)) => Ok(pairs),
            Some(None) => Err(Wrong::value(name, PAIRS)),
        };
        let (labels, headers) = (list("LABELS")?, list("PUSH_HEADERS")?);
        let Some(text) = given.text("PUSH") else { return Ok(None) };
        let target = PROTOCOLS.iter().find_map(|(begin, protocol, path)| {
            let address = text.strip_prefix(begin)?;
            let uri: Uri = address.parse().ok()?;
            uri.host()?;
            let is_encrypted = match uri.scheme_str() {
                Some("http") => false,
                Some("https") => true,
                _ => return None,
            };
            let path = if uri.path() == "/" { path } else { "" };
            let address = if path.is_empty() { address } else { address.trim_end_matches('/') };
            Some((*protocol, format!("{address}{path}"), is_encrypted))
        });
        let (protocol, address, is_encrypted) = target.ok_or_else(|| Wrong::value("PUSH", PUSH))?;
        let tls = is_encrypted.then(|| tls::config(given)).transpose()?;
        let labels = Labels::of_program(program, process, labels);
        Ok(Some(Self { protocol, address, headers, labels, tls }))
    }

    /// Encodes a profile of an interval.
    pub(super) fn encode(&self, profile: &Profile, interval: Interval) -> Encoded {
        let mut body = Vec::new();
        if self.protocol == Protocol::Otlp {
            // A `Vec` takes everything.
            let _ = profile.write_otlp(&self.labels.attributes(), &mut body);
            return Encoded { body, content_type: "application/x-protobuf".to_owned(), query: Vec::new() };
        }
        let mut part = |name: &str, content: &[u8]| {
            let head = format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        };
        let mut pprof = Vec::new();
        let _ = profile.write(Format::Pprof, 0, &mut pprof);
        part("profile", &pprof);
        part("sample_type_config", sample_types(profile).as_bytes());
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        let begin = interval.unix_nanoseconds() / 1_000_000_000;
        // Both times are whole seconds.
        let end = begin + interval.length.as_secs().max(1);
        let query = vec![
            ("name", self.labels.application()),
            ("from", begin.to_string()),
            ("until", end.to_string()),
            ("format", "pprof".to_owned()),
            ("spyName", "corprof".to_owned()),
        ];
        Encoded { body, content_type: format!("multipart/form-data; boundary={BOUNDARY}"), query }
    }

    /// Returns what calls the server.
    pub(super) fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("corprof/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECTING))
            .timeout_global(Some(PUSHING));
        tls::agent(self.tls.as_ref(), config)
    }

    /// Pushes an encoded profile, within this time.
    pub(super) fn push(&self, agent: &Agent, encoded: &Encoded, time: Duration) -> Result<(), Failure> {
        let mut request = agent.post(&self.address).content_type(&encoded.content_type);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        for (name, value) in &encoded.query {
            request = request.query(name, value);
        }
        let request = request.config().timeout_global(Some(time)).build();
        let response = match request.send(&encoded.body) {
            Ok(response) => response,
            Err(error) => {
                let message = error.to_string();
                return Err(match self.tls.is_some() && tls::is_refusal(&message) {
                    true => Failure::Permanent(format!(
                        "{message}; PUSH_CA names a file with the certificates of the server's authority"
                    )),
                    false => Failure::Temporary(message, None),
                });
            }
        };
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let message = format!("the server's status is {status}");
        let is_temporary = status.is_server_error()
            || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
        if !is_temporary {
            return Err(Failure::Permanent(message));
        }
        let after = response.headers().get("retry-after").and_then(|after| after.to_str().ok()?.parse().ok());
        Err(Failure::Temporary(message, after.map(Duration::from_secs)))
    }
}

/// Describes the values of a profile to Pyroscope, which ignores those that it does not know otherwise.
fn sample_types(profile: &Profile) -> String {
    let types = profile.types().iter().map(|kind| {
        let unit = kind.unit.name();
        let value =
            json!({ "units": unit, "display-name": kind.name, "aggregation": "sum", "sampled": true });
        (kind.name.clone(), value)
    });
    serde_json::Value::Object(types.collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::tests::given;

    fn target(push: &str) -> Result<Option<Target>, Wrong> {
        Target::of(&given(&format!("PUSH={push}\nLABELS=service=shop")), "shop", 1)
    }

    #[test]
    fn addresses_name_the_protocol() {
        for (text, protocol, address) in [
            ("otlp+http://h:4318", Protocol::Otlp, "http://h:4318/v1development/profiles"),
            ("otlp+http://h:4318/", Protocol::Otlp, "http://h:4318/v1development/profiles"),
            ("otlp+http://h:4318/own", Protocol::Otlp, "http://h:4318/own"),
            ("pyroscope+http://h:4040", Protocol::Pyroscope, "http://h:4040/ingest"),
        ] {
            let target = target(text).unwrap().unwrap();
            assert_eq!((target.protocol, target.address.as_str()), (protocol, address));
        }
        assert!(target("").unwrap().is_none());
        for text in ["http://h", "otlp+ftp://h", "otlp+h:4318", "grpc://h", "otlp+http://"] {
            assert!(target(text).is_err(), "{text}");
        }
        let encrypted = target("pyroscope+https://h").map(|target| target.map(|target| target.address));
        match encrypted {
            Ok(address) => {
                assert_eq!((cfg!(feature = "tls"), address.as_deref()), (true, Some("https://h/ingest")))
            }
            Err(error) => {
                assert!(
                    !cfg!(feature = "tls") && error.to_string().contains("corprof-profile/tls"),
                    "{error}"
                )
            }
        }
    }
}
