//! Encrypted connections to servers: the feature `tls`.

use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

use crate::given::{Given, Wrong};

/// How a server is authenticated.
#[cfg(feature = "tls")]
#[derive(Clone, Debug)]
pub(super) struct Tls(ureq::tls::TlsConfig);

/// How a server is authenticated: there is no way without the feature.
#[cfg(not(feature = "tls"))]
#[derive(Clone, Debug)]
pub(super) enum Tls {}

/// Returns how the server of an address with `https` is authenticated: by the certificates in the file of the setting `PUSH_CA`, or else
/// by those that the system accepts.
#[cfg(feature = "tls")]
pub(super) fn config(given: &dyn Given) -> Result<Tls, Wrong> {
    use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
    let roots = match given.text("PUSH_CA") {
        None => RootCerts::PlatformVerifier,
        Some(path) => {
            let invalid = |reason: &dyn core::fmt::Display| {
                Wrong::value("PUSH_CA", &format!("it is a file of certificates in PEM format ({reason})"))
            };
            let pem = std::fs::read(path).map_err(|error| invalid(&error))?;
            let items: Result<Vec<PemItem<'static>>, _> = parse_pem(&pem).collect();
            let items = items.map_err(|error| invalid(&error))?;
            let certificates = items.into_iter().filter_map(|item| match item {
                PemItem::Certificate(certificate) => Some(certificate),
                _ => None,
            });
            let certificates: Vec<Certificate<'static>> = certificates.collect();
            if certificates.is_empty() {
                return Err(invalid(&"it has none"));
            }
            certificates.into()
        }
    };
    Ok(Tls(TlsConfig::builder().root_certs(roots).build()))
}

/// Refuses an address with `https`.
#[cfg(not(feature = "tls"))]
pub(super) fn config(given: &dyn Given) -> Result<Tls, Wrong> {
    const EXPECTED: &str =
        "https needs the feature `tls` of corprof-profile, such as by `--features corprof-profile/tls`";
    let _ = given;
    Err(Wrong::value("PUSH", EXPECTED))
}

/// Returns what calls a server that is authenticated so.
pub(super) fn agent(tls: Option<&Tls>, config: ConfigBuilder<AgentScope>) -> Agent {
    let config = match tls {
        None => config,
        #[cfg(feature = "tls")]
        Some(Tls(tls)) => config.tls_config(tls.clone()),
        #[cfg(not(feature = "tls"))]
        Some(tls) => match *tls {},
    };
    Agent::new_with_config(config.build())
}

/// Returns whether a push failed because the certificate of the server was refused: a later attempt would fail, too.
pub(super) fn is_refusal(message: &str) -> bool {
    message.contains("certificate")
}

#[cfg(all(test, feature = "tls", unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, reason = "of what the tests themselves have set up")]

    use std::io::{BufRead as _, BufReader, Write as _};
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, SystemTime};

    use super::super::{Pushed, Pusher, Target};
    use crate::given::tests::given;
    use crate::{Interval, Profile, Unit, ValueType};

    /// Creates a key, and a certificate for `localhost` that it signs itself.
    fn certificate(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let (key, certificate) = (folder.join(format!("{name}.key")), folder.join(format!("{name}.pem")));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
            .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .expect("the command `openssl`, which this test needs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        (key, certificate)
    }

    /// A server that accepts a profile.
    struct Server(Child, u16);

    impl Server {
        fn start(key: &Path, certificate: &Path) -> Self {
            let mut command = Command::new("openssl");
            command.args(["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-key"]).arg(key);
            command.arg("-cert").arg(certificate).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.stderr(Stdio::null()).spawn().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            let port = loop {
                line.clear();
                assert!(output.read_line(&mut line).unwrap() > 0, "the server has ended");
                if let Some(address) = line.trim().strip_prefix("ACCEPT ") {
                    break address.rsplit_once(':').unwrap().1.parse().unwrap();
                }
            };
            // What it reads is sent to the client.
            let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            child.stdin.as_mut().unwrap().write_all(response).unwrap();
            std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
            Self(child, port)
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn pushed(server: &Server, authorities: Option<&Path>) -> Pushed {
        let authorities =
            authorities.map_or_else(String::new, |path| format!("\nPUSH_CA={}", path.display()));
        let data = format!("PUSH=otlp+https://localhost:{}{authorities}", server.1);
        let target = Target::of(&given(&data), "shop", 1).unwrap().unwrap();
        let pusher = Pusher::start(target).unwrap();
        let profile = Profile::new("shop", vec![ValueType::new("cpu", Unit::Nanoseconds)]);
        let interval = Interval { begin: SystemTime::UNIX_EPOCH, length: Duration::from_secs(15) };
        pusher.push(&profile, interval);
        pusher.flush(Duration::from_secs(60));
        pusher.result()
    }

    #[test]
    fn certificates_of_servers_are_verified() {
        let folder = tempfile::tempdir().unwrap();
        let (key, own) = certificate(folder.path(), "own");
        let (_, other) = certificate(folder.path(), "other");
        let accepted = pushed(&Server::start(&key, &own), Some(&own));
        assert_eq!((accepted.pushed, accepted.dropped, accepted.failure), (1, 0, None));
        for authorities in [Some(other.as_path()), None] {
            let refused = pushed(&Server::start(&key, &own), authorities);
            assert_eq!((refused.pushed, refused.dropped), (0, 1), "{refused:?}");
            let failure = refused.failure.unwrap();
            assert!(failure.contains("certificate") && failure.contains("PUSH_CA"), "{failure}");
        }
    }

    #[test]
    fn files_without_certificates_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (key, _) = certificate(folder.path(), "own");
        let missing = folder.path().join("missing.pem");
        for file in [&key, &missing] {
            let data = format!("PUSH=otlp+https://localhost\nPUSH_CA={}", file.display());
            let error = Target::of(&given(&data), "shop", 1).unwrap_err().to_string();
            assert!(error.contains("PUSH_CA") && error.contains("PEM"), "{error}");
        }
    }
}
