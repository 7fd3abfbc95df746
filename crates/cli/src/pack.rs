//! `corprof pack`: a NuGet package with a profiler for one or several platforms, and a script that launches programs with it.

use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use diagport::Guid;
use quick_xml::escape::escape;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::native;
use crate::profiler::Profiler;

/// The launcher script.
const SCRIPT: &str = include_str!("../template/pack/profile.sh");

/// The longest name of a package.
const LONGEST: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The profiler, built for one platform; several files for several platforms
    #[arg(value_name = "LIBRARY", required = true)]
    libraries: Vec<PathBuf>,
    /// The name of the package
    #[arg(long, allow_hyphen_values = true)]
    id: String,
    /// The version of the package
    #[arg(long = "package-version", value_name = "VERSION", default_value = "1.0.0")]
    version: String,
    /// What the package is, in a sentence
    #[arg(long, default_value = "A .NET profiler")]
    description: String,
    /// Who has made it; the name of the package unless given
    #[arg(long)]
    authors: Option<String>,
    /// The folder for the package
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
}

/// A library in the package.
struct Native {
    rid: &'static str,
    name: String,
    clsid: Guid,
    bytes: Vec<u8>,
}

impl Native {
    fn read(path: &Path) -> Result<Self> {
        let clsid = Profiler::of(path)?.clsid;
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let rid =
            rid(&bytes).with_context(|| format!("{} is for no platform that .NET has", path.display()))?;
        let name = path.file_name().and_then(|name| name.to_str()).context("the library has no name")?;
        ensure!(
            is_plain(name),
            "the file name {name:?} has characters other than letters, digits, `.`, `-` and `_`"
        );
        Ok(Self { rid, name: name.to_owned(), clsid, bytes })
    }
}

/// The runtime identifier of a library's platform.
fn rid(bytes: &[u8]) -> Option<&'static str> {
    Some(native::platform(&native::library(bytes)?, bytes)?.rid)
}

/// Writes the package.
///
/// # Errors
///
/// If a library is no profiler, or two are for the same platform, or the package cannot be written.
pub(crate) fn main(arguments: &PackArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let PackArgs { id, version, .. } = arguments;
    ensure!(
        is_id(id),
        "{id:?} is no name of a package: use words of letters, digits and `_` with a `.` or `-` between them, at most {LONGEST} characters"
    );
    ensure!(
        is_version(version),
        "{version:?} is no version of a package: use numbers, as in 1.2.3 or 1.2.3-beta.1"
    );
    let libraries = arguments.libraries.iter().map(|path| Native::read(path)).collect::<Result<Vec<_>>>()?;
    for (index, library) in libraries.iter().enumerate() {
        if libraries[..index].iter().any(|other| other.rid == library.rid) {
            bail!("two libraries are for {}; name one for each platform", library.rid);
        }
    }
    let path = arguments.output.join(format!("{}.{}.nupkg", arguments.id, arguments.version));
    let file = fs::File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    write(file, arguments, &libraries).with_context(|| format!("cannot write {}", path.display()))?;
    let rids: Vec<&str> = libraries.iter().map(|library| library.rid).collect();
    writeln!(out, "wrote {}, for {}", path.display(), rids.join(", "))?;
    writeln!(
        out,
        "unpacked, it runs programs with the profiler: sh tools/profile.sh dotnet path/to/app.dll"
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Whether NuGet accepts the name of a package.
fn is_id(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    text.len() <= LONGEST && text.split(['.', '-']).all(is_word)
}

/// Whether NuGet accepts a version: one to four numbers, and words after a hyphen.
fn is_version(text: &str) -> bool {
    let (numbers, words) =
        text.split_once('-').map_or((text, None), |(numbers, words)| (numbers, Some(words)));
    let is_number =
        |number: &str| number.parse::<i32>().is_ok() && number.chars().all(|c| c.is_ascii_digit());
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    numbers.split('.').count() <= 4
        && numbers.split('.').all(is_number)
        && words.is_none_or(|words| words.split('.').all(is_word))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
}

/// Writes the files of the package. Equal input gives equal bytes: the files have no time.
fn write(into: impl Write + Seek, arguments: &PackArgs, libraries: &[Native]) -> Result<()> {
    let mut zip = ZipWriter::new(into);
    let id = &arguments.id;
    let mut add = |name: &str, mode: u32, bytes: &[u8]| -> Result<()> {
        zip.start_file(name, SimpleFileOptions::default().unix_permissions(mode))?;
        Ok(zip.write_all(bytes)?)
    };
    add("[Content_Types].xml", 0o644, content_types(libraries).as_bytes())?;
    add("_rels/.rels", 0o644, relations(id).as_bytes())?;
    add(&format!("{id}.nuspec"), 0o644, nuspec(arguments).as_bytes())?;
    for library in libraries {
        add(&format!("runtimes/{}/native/{}", library.rid, library.name), 0o755, &library.bytes)?;
    }
    add("tools/profile.sh", 0o755, script(libraries).as_bytes())?;
    zip.finish()?;
    Ok(())
}

/// The types of the package's parts, by the endings of their names (Open Packaging Conventions).
fn content_types(libraries: &[Native]) -> String {
    let mut endings = vec!["rels", "nuspec", "sh"];
    for library in libraries {
        let ending = library.name.rsplit('.').next().unwrap_or_default();
        if !endings.contains(&ending) {
            endings.push(ending);
        }
    }
    let kind = |ending: &str| match ending {
        "rels" => "application/vnd.openxmlformats-package.relationships+xml",
        _ => "application/octet-stream",
    };
    let defaults = endings
        .iter()
        .map(|ending| format!("  <Default Extension=\"{ending}\" ContentType=\"{}\"/>\n", kind(ending)));
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n{}</Types>\n",
        defaults.collect::<String>()
    )
}

fn relations(id: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n  \
         <Relationship Type=\"http://schemas.microsoft.com/packaging/2010/07/manifest\" Target=\"/{id}.nuspec\" Id=\"R1\"/>\n\
         </Relationships>\n"
    )
}

fn nuspec(arguments: &PackArgs) -> String {
    let authors = arguments.authors.as_ref().unwrap_or(&arguments.id);
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <package xmlns=\"http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd\">\n  <metadata>\n    \
         <id>{}</id>\n    <version>{}</version>\n    <authors>{}</authors>\n    <description>{}</description>\n  \
         </metadata>\n</package>\n",
        arguments.id,
        arguments.version,
        escape(authors),
        escape(&arguments.description)
    )
}

fn script(libraries: &[Native]) -> String {
    let cases = libraries.iter().map(|Native { rid, name, clsid, .. }| {
        format!("    {rid})\n        library=$here/runtimes/{rid}/native/{name}\n        clsid='{clsid}'\n        ;;\n")
    });
    let rids: Vec<&str> = libraries.iter().map(|library| library.rid).collect();
    SCRIPT.replace("@CASES@", &cases.collect::<String>()).replace("@RIDS@", &rids.join(", "))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use super::*;

    fn packed() -> Vec<u8> {
        let arguments = PackArgs {
            libraries: Vec::new(),
            id: "Mine".to_owned(),
            version: "1.2.3".to_owned(),
            description: "Calls & <values>".to_owned(),
            authors: None,
            output: PathBuf::new(),
        };
        let clsid = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap();
        let library =
            |rid, name: &str| Native { rid, name: name.to_owned(), clsid, bytes: b"library".to_vec() };
        let mut bytes = Vec::new();
        let libraries = [library("linux-x64", "libmine.so"), library("win-x64", "mine.dll")];
        write(Cursor::new(&mut bytes), &arguments, &libraries).unwrap();
        bytes
    }

    #[test]
    fn a_package_has_its_parts_and_equal_bytes() {
        let bytes = packed();
        assert_eq!(bytes, packed());
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut text = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert!(text("Mine.nuspec").contains("<description>Calls &amp; &lt;values&gt;</description>"));
        assert_eq!(text("runtimes/linux-x64/native/libmine.so"), "library");
        assert!(text("[Content_Types].xml").contains("Extension=\"dll\""));
        let script = text("tools/profile.sh");
        assert!(script.contains("clsid='{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}'\n"), "{script}");
        assert!(script.contains("it has: linux-x64, win-x64") && !script.contains("@CASES@"), "{script}");
    }

    #[test]
    fn names_and_versions_that_nuget_refuses_are_refused() {
        for id in ["", ".", "..", "-x", "x-", "a..b", "../x", "a/b", "a b", "ä", &"x".repeat(101)] {
            assert!(!is_id(id), "{id}");
        }
        for id in ["Mine", "my-tool", "Mine.Tools_2", "2"] {
            assert!(is_id(id), "{id}");
        }
        for version in
            ["", ".", "..", "-x", "1.", "v1", "1.2.3.4.5", "1.2-", "1.2-a..b", "1.+2", "99999999999"]
        {
            assert!(!is_version(version), "{version}");
        }
        for version in ["1", "1.2.3", "1.2.3.4", "1.2.3-beta.1", "1.0.0-a-b"] {
            assert!(is_version(version), "{version}");
        }
    }

    #[test]
    fn this_program_is_no_profiler() {
        let own = std::env::current_exe().unwrap();
        assert!(Native::read(&own).is_err());
        assert_eq!(rid(b"text"), None);
    }
}
