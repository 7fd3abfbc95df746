//! An unpacked archive where there is nothing else: a root folder with the C library, a runtime and a program.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::GzDecoder;

use crate::dotnet::{self, CSharp, Launcher, RuntimeVersion};
use crate::ui::Work;
use crate::{paths, piece, process};

/// The runtimes that are a `dotnet` with its folder.
const VERSIONS: [RuntimeVersion; 2] = [RuntimeVersion::V8_0, RuntimeVersion::V9_0];

/// A line of the program's trace.
const CALL: &str = "Shop.Cart<string>.Add(";
/// The program's own output.
const OUTPUT: &str = "12.50 €, Gift, Insured\nalready sent\n";

/// Unpacks the archive into a new root folder, and uses its command there.
pub(super) fn run(archive: &Path, root: &Path) -> Result<()> {
    for version in VERSIONS {
        let Launcher::Muxer(dotnet) = dotnet::runtime(version)?.launcher else {
            bail!("{version} is no folder with a `dotnet`");
        };
        let work = Work::spinner(&format!("{version}: a root folder without Rust"));
        let trial = Trial::prepare(archive, root, &dotnet, version)?;
        work.done("prepared");
        trial.works().with_context(|| format!("on {version}"))?;
        println!("    works on {version} where there is no Rust");
    }
    piece::remove(root)
}

struct Trial<'r> {
    root: &'r Path,
    /// The command, in the new root.
    command: PathBuf,
}

impl<'r> Trial<'r> {
    fn prepare(archive: &Path, root: &'r Path, dotnet: &Path, version: RuntimeVersion) -> Result<Self> {
        piece::remove(root)?;
        for folder in ["app", "dev", "opt", "proc", "tmp"] {
            fs::create_dir_all(root.join(folder))?;
        }
        File::create(root.join("dev/null"))?;
        tar::Archive::new(GzDecoder::new(File::open(archive)?)).unpack(root.join("opt"))?;
        let mut unpacked = fs::read_dir(root.join("opt"))?;
        let folder = unpacked.next().context("the archive is empty")??.file_name();
        let from = dotnet.parent().context("the muxer has no folder")?;
        copy(from, &root.join("dotnet"))?;
        let app = root.join("app/demo.dll");
        let source = paths::workspace().join("tests/apps/demo");
        let sources = fs::read_dir(&source)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        let sources =
            sources.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "cs"));
        dotnet::compile(&CSharp::new(version, sources, &app))?;
        let trial = Self { root, command: Path::new("/opt").join(folder).join("corprof") };
        trial.libraries()?;
        Ok(trial)
    }

    /// Copies the libraries that the programs need to the same paths in the new root.
    fn libraries(&self) -> Result<()> {
        let mut open = vec![self.root.to_path_buf()];
        let mut files = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    open.push(path);
                } else if fs::read(&path)?.starts_with(b"\x7fELF") {
                    files.push(path);
                }
            }
        }
        for file in files {
            // A library that nothing is linked with has no output.
            let output = process::output(Command::new("ldd").arg(&file))?;
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                let words = line.split_ascii_whitespace();
                let Some(path) =
                    words.filter(|word| word.starts_with('/')).find(|word| !word.starts_with("//"))
                else {
                    continue;
                };
                let (from, to) = (Path::new(path), self.root.join(&path[1..]));
                if !from.starts_with(self.root) && !to.exists() && from.is_file() {
                    fs::create_dir_all(to.parent().context("a library has no folder")?)?;
                    fs::copy(from, &to)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the command with these arguments in the new root, which nothing of this machine's folders is visible in.
    fn corprof(&self, arguments: &[&str]) -> Result<(String, String)> {
        let script = "mount -t proc proc \"$0/proc\" && mount --bind /dev/null \"$0/dev/null\" && \
                      root=$0 && exec chroot \"$root\" \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", script]).arg(self.root);
        command.arg(&self.command).args(arguments);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("DOTNET_ROOT", "/dotnet");
        let output = process::output(&mut command)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, error) = (text(&output.stdout), text(&output.stderr));
        ensure!(
            output.status.success(),
            "`corprof {}` failed ({})\n{out}{error}",
            arguments.join(" "),
            output.status
        );
        Ok((out, error))
    }

    fn works(&self) -> Result<()> {
        let (out, _) = self.corprof(&["doctor"])?;
        for part in ["/dotnet/dotnet: ", " calltrace, ", "not found; it is needed to build"] {
            ensure!(out.contains(part), "`corprof doctor` lacks {part:?}:\n{out}");
        }
        let (out, error) = self.corprof(&["run", "calltrace", "--", "/app/demo.dll"])?;
        ensure!(out == OUTPUT, "the program's output differs: {out:?}\n{error}");
        ensure!(error.contains(CALL), "no call was traced:\n{error}");
        let recorded =
            ["run", "calltrace", "--format", "binary", "--out", "/tmp/calls.rec", "--", "/app/demo.dll"];
        self.corprof(&recorded)?;
        let (out, _) = self.corprof(&["trace", "top", "/tmp/calls.rec"])?;
        ensure!(out.contains("Shop.Cart<string>.Add"), "the recording lacks it:\n{out}");
        let mut stdout = std::io::stdout().lock();
        Ok(writeln!(stdout, "{}", out.lines().take(4).collect::<Vec<_>>().join("\n"))?)
    }
}

/// Copies a folder with all that is below it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", paths::shown(to)))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", paths::shown(from)))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", paths::shown(&path)))?;
        }
    }
    Ok(())
}
