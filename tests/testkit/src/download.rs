//! Downloads that are pinned by SHA-256 and can be resumed.
//!
//! A file is written to `NAME.part`, continued where an earlier attempt stopped, and renamed to `NAME`
//! only once its SHA-256 is the pinned one. What has another hash is deleted, and never used.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use sha2::{Digest, Sha256, Sha512};
use ureq::http::{StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};

use crate::piece::Lock;
use crate::registry::{self, Package};
use crate::ui::Work;

/// A file of a package registry, pinned.
#[derive(Debug, Clone, Copy)]
pub struct Pin {
    /// The name it gets in the folder of downloads.
    pub file: &'static str,
    /// The package that it is.
    pub package: Package,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
}

/// Brings the pinned file into `dir`, and returns its path.
///
/// The registry's own client names the address. Should the direct download fail, that client
/// downloads the file itself; the hash is checked all the same.
///
/// # Errors
///
/// When the registry cannot be reached, or gives a file with another hash.
pub fn fetch(pin: &Pin, dir: &Path) -> Result<PathBuf> {
    let path = dir.join(pin.file);
    let _lock = Lock::take(&dir.join(format!(".{}.lock", pin.file)))?;
    if path.exists() {
        if check(&path, pin).is_ok() {
            return Ok(path);
        }
        fs::remove_file(&path).with_context(|| format!("cannot remove the broken {}", path.display()))?;
        eprintln!("{}: broken on disk, deleted, downloading again", pin.file);
    }
    let direct = registry::address(&pin.package).and_then(|url| from_url(&url, pin, dir));
    if let Err(reason) = direct {
        eprintln!("{}: {reason:#}\n{}: trying `{}` instead", pin.file, pin.file, pin.package.client());
        let copy = registry::download(&pin.package, dir)
            .with_context(|| format!("cannot download {} (first attempt: {reason:#})", pin.package))
            .context("check the network, then repeat the command: it goes on where it stopped")?;
        check(&copy, pin).inspect_err(|_| drop(fs::remove_file(&copy)))?;
        fs::rename(&copy, &path).with_context(|| format!("cannot move {} into place", copy.display()))?;
    }
    Ok(path)
}

/// Downloads `url` to the pinned name in `dir`, going on where an earlier attempt stopped.
///
/// # Errors
///
/// When the server cannot be reached, or the file has another hash; then it is deleted.
pub fn from_url(url: &str, pin: &Pin, dir: &Path) -> Result<PathBuf> {
    let part = dir.join(format!("{}.part", pin.file));
    let resumed = part.metadata().is_ok_and(|part| part.len() > 0);
    let mut attempts = 3;
    loop {
        match transfer(url, pin, &part) {
            Ok(()) => break,
            Err(error) if attempts > 1 => eprintln!("{}: {error:#}; trying again", pin.file),
            Err(error) => return Err(error),
        }
        attempts -= 1;
    }
    if let Err(error) = check(&part, pin) {
        fs::remove_file(&part).with_context(|| format!("cannot remove {}", part.display()))?;
        if resumed {
            // The rest of an earlier download was broken: once more, from the start.
            eprintln!("{}: the earlier part was broken, downloading all of it", pin.file);
            return from_url(url, pin, dir);
        }
        return Err(error);
    }
    let path = dir.join(pin.file);
    fs::rename(&part, &path).with_context(|| format!("cannot move {} into place", part.display()))?;
    Ok(path)
}

/// Fails unless the file has the pinned hash.
///
/// # Errors
///
/// When it has another one, or cannot be read.
pub fn check(path: &Path, pin: &Pin) -> Result<()> {
    let found = sha256(path)?;
    if found == pin.sha256 {
        return Ok(());
    }
    Err(anyhow!(
        "{} has SHA-256 {found}, but {} is pinned to {}; it is not used",
        pin.file,
        pin.package,
        pin.sha256
    )
    .context("a proxy or a mirror may have changed it: check which registry the client is set up for"))
}

/// The SHA-256 of a file, in lower-case hexadecimal.
///
/// # Errors
///
/// When the file cannot be read.
pub fn sha256(path: &Path) -> Result<String> {
    digest::<Sha256>(path)
}

/// The SHA-512 of a file, in lower-case hexadecimal.
///
/// # Errors
///
/// When the file cannot be read.
pub(crate) fn sha512(path: &Path) -> Result<String> {
    digest::<Sha512>(path)
}

fn digest<D: Digest>(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut hash = D::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// The SHA-256 of some bytes, in lower-case hexadecimal.
#[must_use]
pub fn sha256_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// One attempt to complete `part`.
fn transfer(url: &str, pin: &Pin, part: &Path) -> Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(part)
        .with_context(|| format!("cannot write {}", part.display()))?;
    let mut have = file.seek(SeekFrom::End(0))?;
    if have == pin.size {
        return Ok(());
    }
    if have > pin.size {
        file.set_len(0)?;
        have = 0;
    }
    let mut request = agent().get(url);
    if have > 0 {
        request = request.header(header::RANGE, format!("bytes={have}-"));
    }
    let response = request.call().with_context(|| format!("cannot download {url}"))?;
    match response.status() {
        StatusCode::PARTIAL_CONTENT if starts_at(response.headers(), have) => {}
        StatusCode::OK => {
            // The server does not resume: from the start.
            file.set_len(0)?;
            have = 0;
        }
        status => {
            if matches!(status, StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE) {
                // It cannot go on from there, so the next attempt starts anew.
                file.set_len(0)?;
            }
            bail!("cannot download {url}: the server answered {status}");
        }
    }

    let work = Work::download(pin.file, pin.size, have);
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).with_context(|| format!("{url} broke off after {have} bytes")),
        };
        file.write_all(&buffer[..read]).with_context(|| format!("cannot write {}", part.display()))?;
        have += read as u64;
        work.at(have);
        if have > pin.size {
            file.set_len(0)?;
            bail!("{url} gives more than the {} bytes that {} has", pin.size, pin.package);
        }
    }
    if have < pin.size {
        bail!("{url} broke off after {have} of {} bytes", pin.size);
    }
    file.sync_all().with_context(|| format!("cannot write {}", part.display()))?;
    work.done("downloaded");
    Ok(())
}

fn starts_at(headers: &ureq::http::HeaderMap, position: u64) -> bool {
    let range = headers.get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {position}-")))
}

/// HTTP with the system's certificates (or those of `SSL_CERT_FILE`) and the proxies of the environment.
pub(crate) fn agent() -> ureq::Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    ureq::Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_recv_body(Some(Duration::from_secs(1800)))
        .build()
        .into()
}

#[cfg(test)]
#[path = "download_tests.rs"]
mod tests;
