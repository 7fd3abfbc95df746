//! The assemblies of a single-file program: which are its own, and which the framework's.
//!
//! The executable has them behind the host, and says in its `.deps.json` which belong to a runtime pack. The runtime names
//! their modules without a folder. The format is that of `Microsoft.NET.HostModel.Bundle` in dotnet/runtime.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use memchr::memmem;
use serde_json::Value;

/// Stands in each host, eight bytes behind the position of the bundle's header: the SHA-256 of ".net core bundle".
const SIGNATURE: [u8; 32] = [
    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13,
    0xf5, 0xb9, 0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
];

/// The first version of the header that has the range of the `.deps.json`, of .NET 5.
const MAJOR: u32 = 2;

/// The largest size of a `.deps.json`.
const MOST_BYTES: u64 = 64 << 20;

/// Returns whether a module's name, as the runtime reports it, is that of an assembly in the executable.
pub(crate) fn is_bundled(path: &str) -> bool {
    !path.is_empty() && !path.contains(['/', '\\'])
}

/// Returns the framework's assemblies in an executable; `None` if it does not say which they are.
pub(crate) fn framework_assemblies(executable: &Path) -> Option<HashSet<String>> {
    let mut file = File::open(executable).ok()?;
    let header = header_position(&mut file)?;
    let deps = deps(&mut file, header)?;
    let deps: Value =
        serde_json::from_slice(deps.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&deps)).ok()?;
    let target = deps["runtimeTarget"]["name"].as_str()?;
    let packs = deps["targets"][target].as_object()?.iter().filter(|(id, _)| id.starts_with("runtimepack."));
    let files = packs.filter_map(|(_, pack)| pack["runtime"].as_object()).flat_map(|files| files.keys());
    Some(files.map(|file| file.rsplit('/').next().unwrap_or(file).to_owned()).collect())
}

/// The position of the bundle's header; `None` in an executable without one.
fn header_position(file: &mut File) -> Option<u64> {
    const PIECE: usize = 1 << 20;
    // What the marker may begin in stays in front of the next piece.
    const KEPT: usize = size_of::<u64>() + SIGNATURE.len();
    let mut piece = Vec::with_capacity(KEPT + PIECE);
    loop {
        let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece).ok()?;
        if let Some(found) = memmem::find(&piece, &SIGNATURE).and_then(|at| at.checked_sub(8)) {
            let header = u64::from_le_bytes(piece.get(found..found + 8)?.try_into().ok()?);
            return (header != 0).then_some(header);
        }
        if read == 0 {
            return None;
        }
        piece.drain(..piece.len().saturating_sub(KEPT));
    }
}

/// The bytes of the `.deps.json`, by the header at this position.
fn deps(file: &mut File, header: u64) -> Option<Vec<u8>> {
    // Major and minor version, the number of files, an id with its length, and then the range.
    const FIXED: usize = 12;
    const LONGEST: usize = 0x7f;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(header)).ok()?;
    file.by_ref().take((FIXED + 1 + LONGEST + 16) as u64).read_to_end(&mut bytes).ok()?;
    let major = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let id = usize::from(*bytes.get(FIXED)?);
    if major < MAJOR || id > LONGEST {
        return None;
    }
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (offset, size) = (number(FIXED + 1 + id)?, number(FIXED + 1 + id + 8)?);
    if !(1..=MOST_BYTES).contains(&size) {
        return None;
    }
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut deps = Vec::new();
    file.by_ref().take(size).read_to_end(&mut deps).ok()?;
    (deps.len() as u64 == size).then_some(deps)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const DEPS: &str = r#"{
        "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/linux-x64" },
        "targets": { ".NETCoreApp,Version=v10.0/linux-x64": {
            "shop/1.0.0": { "runtime": { "shop.dll": {} } },
            "Some.Package/2.0.0": { "runtime": { "lib/net8.0/Some.Package.dll": {} } },
            "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/10.0.13":
                { "runtime": { "System.Console.dll": {}, "System.Runtime.dll": {} } }
        } }
    }"#;

    /// An executable with this much code before the marker.
    fn executable(code: usize, major: u32, deps: &[u8]) -> tempfile::NamedTempFile {
        let mut bytes = vec![0x90; code];
        let marker = bytes.len();
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&SIGNATURE);
        let offset = bytes.len() as u64;
        bytes.extend_from_slice(deps);
        let header = bytes.len() as u64;
        bytes[marker..marker + 8].copy_from_slice(&header.to_le_bytes());
        for number in [major, 0, 1] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(b"\x03abc");
        for number in [offset, deps.len() as u64, 0, 0, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn assemblies_of_runtime_packs_are_the_frameworks() {
        // The marker also lies across two pieces.
        for code in [0, 100, (1 << 20) - 4, (1 << 20) - 39, (1 << 20) + 1] {
            let framework = framework_assemblies(executable(code, 6, DEPS.as_bytes()).path()).unwrap();
            let mut framework: Vec<_> = framework.into_iter().collect();
            framework.sort();
            assert_eq!(framework, ["System.Console.dll", "System.Runtime.dll"], "{code}");
        }
    }

    #[test]
    fn what_is_no_bundle_has_no_list() {
        assert!(framework_assemblies(executable(10, 1, DEPS.as_bytes()).path()).is_none());
        assert!(framework_assemblies(executable(10, 6, b"").path()).is_none());
        assert!(framework_assemblies(executable(10, 6, b"{").path()).is_none());
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(framework_assemblies(file.path()).is_none());
        fs::write(file.path(), [&[0; 8][..], &SIGNATURE].concat()).unwrap();
        assert!(framework_assemblies(file.path()).is_none());
        assert!(framework_assemblies(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn a_module_without_a_folder_is_bundled() {
        assert!(is_bundled("shop.dll"));
        assert!(!is_bundled("/app/shop.dll") && !is_bundled("C:\\app\\shop.dll") && !is_bundled(""));
    }
}
