//! A source of NuGet's that is a folder, and one that is a server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const VERSION: &str = "12.0.1";

/// A package with these files.
fn package(path: &Path, files: &[(&str, &str)]) -> &'static str {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    download::sha512(path).unwrap().leak()
}

/// A folder with a runtime pack and a host pack, and their pins.
fn packed(folder: &Path) -> Packs {
    let at = |pack: &str| {
        let name = format!("microsoft.netcore.app.{pack}.linux-x64");
        folder.join(&name).join(VERSION).join(format!("{name}.{VERSION}.nupkg"))
    };
    let runtime = package(
        &at("runtime"),
        &[
            ("microsoft.nuspec", "not taken"),
            ("runtimes/linux-x64/lib/net12.0/System.Runtime.dll", "assembly"),
            ("runtimes/linux-x64/native/libcoreclr.so", "runtime"),
            ("runtimes/linux-x64/native/libhostfxr.so", "resolver"),
            ("runtimes/win-x64/native/coreclr.dll", "not taken"),
        ],
    );
    let host = package(&at("host"), &[("runtimes/linux-x64/native/apphost", "host")]);
    Packs { of: RuntimeVersion::V11_0, platform: "linux-x64", version: VERSION, runtime, host }
}

fn read(root: &Path, file: &str) -> String {
    fs::read_to_string(root.join(file)).unwrap()
}

fn is_laid_out(root: &Path) {
    assert_eq!(read(root, "shared/Microsoft.NETCore.App/12.0.1/System.Runtime.dll"), "assembly");
    assert_eq!(read(root, "shared/Microsoft.NETCore.App/12.0.1/libcoreclr.so"), "runtime");
    assert_eq!(read(root, "host/fxr/12.0.1/libhostfxr.so"), "resolver");
    assert_eq!(read(root, "apphost/apphost"), "host");
    let mut names: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".stamp", "apphost", "host", "shared"]);
}

#[test]
fn packs_of_a_folder_are_laid_out_once() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packs = packed(from.path());
    let source = format!("file://{}", from.path().display());
    let root = packs.provision(&source, to.path()).unwrap();
    is_laid_out(&root);
    let found = packs.runtime(root.clone(), Machine::This);
    assert_eq!(found.launcher, Launcher::AppHost(root.clone()));
    assert_eq!(found.assemblies, root.join("shared/Microsoft.NETCore.App/12.0.1"));
    // The source is not asked again.
    drop(from);
    assert_eq!(packs.provision(&source, to.path()).unwrap(), root);
}

#[test]
fn packs_with_another_hash_are_not_used() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packs = Packs { host: "0123", ..packed(from.path()) };
    let source = format!("file://{}", from.path().display());
    let error = format!("{:#}", packs.provision(&source, to.path()).unwrap_err());
    assert!(
        error.contains("microsoft.netcore.app.host.linux-x64 12.0.1") && error.contains("0123 is pinned"),
        "{error}"
    );
    assert!(!packs.folder(to.path()).exists());
}

#[test]
fn packs_that_lack_a_file_are_not_used() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let other = from.path().join("other");
    let packs = Packs { host: package(&other, &[("readme", "")]), ..packed(from.path()) };
    let host = "microsoft.netcore.app.host.linux-x64";
    fs::rename(other, from.path().join(host).join(VERSION).join(format!("{host}.{VERSION}.nupkg"))).unwrap();
    let source = format!("file://{}", from.path().display());
    let error = format!("{:#}", packs.provision(&source, to.path()).unwrap_err());
    assert!(error.contains("the packs have no") && error.contains("apphost"), "{error}");
}

/// A server that answers a number of requests with the files of a folder, and returns what was asked for.
fn serve(folder: PathBuf, requests: usize) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        let mut asked = Vec::new();
        for _ in 0..requests {
            let (mut stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let path = first.split(' ').nth(1).unwrap().to_owned();
            let found = fs::read(folder.join(path.trim_start_matches('/')));
            let (status, body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&body).unwrap();
            asked.push(path);
        }
        asked
    });
    (address, serving)
}

#[test]
fn packs_of_a_server_are_asked_for_in_lower_case() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packs = packed(from.path());
    let (address, serving) = serve(from.path().to_path_buf(), 2);
    is_laid_out(&packs.provision(&address, to.path()).unwrap());
    let [runtime, host] = ["runtime", "host"].map(|pack| {
        let name = format!("microsoft.netcore.app.{pack}.linux-x64");
        format!("/{name}/12.0.1/{name}.12.0.1.nupkg")
    });
    assert_eq!(serving.join().unwrap(), [runtime, host]);
}

#[test]
fn a_server_without_the_package_is_an_error() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packs = packed(from.path());
    let (address, serving) = serve(to.path().to_path_buf(), 1);
    let error = format!("{:#}", packs.provision(&address, to.path()).unwrap_err());
    assert!(error.contains("answered 404") && error.contains("of NuGet"), "{error}");
    serving.join().unwrap();
}

#[test]
fn the_pins_are_hashes_of_versions_in_their_series() {
    for packs in &PACKS {
        assert!(packs.version.starts_with(&format!("{}.", packs.of)), "{}", packs.version);
        for hash in [packs.runtime, packs.host] {
            assert!(hash.len() == 128 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        }
    }
}
