//! Runs a program on .NET with the profiler, and without: its output is the same.
//!
//! The program is `app`, compiled with the .NET SDK, or the .dll that the variable `LIVE_PROGRAM` names. The runtime is that of
//! `DOTNET_ROOT`, or the `dotnet` on `PATH`.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLSID: &str = "@CLSID@";

/// The `dotnet`; `None` if there is none.
fn dotnet() -> Option<PathBuf> {
    let name = format!("dotnet{}", env::consts::EXE_SUFFIX);
    let root = env::var_os("DOTNET_ROOT").map(PathBuf::from);
    let folders = root.into_iter().chain(env::split_paths(&env::var_os("PATH")?).collect::<Vec<_>>());
    folders.map(|folder| folder.join(&name)).find(|dotnet| dotnet.is_file())
}

/// The program, compiled first if `LIVE_PROGRAM` names none; `None` without an SDK.
fn program(dotnet: &Path) -> Option<PathBuf> {
    if let Some(program) = env::var_os("LIVE_PROGRAM") {
        return Some(program.into());
    }
    let sdks = Command::new(dotnet).arg("--list-sdks").output().unwrap();
    if sdks.stdout.is_empty() {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("app");
    let out = folder.join("bin/live");
    let built = Command::new(dotnet).args(["build", "--output"]).arg(&out).current_dir(&folder).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stdout));
    Some(out.join("app.dll"))
}

/// The library, which cargo has built beside this test.
fn library() -> PathBuf {
    let test = env::current_exe().unwrap();
    let name = format!("{}@CRATE@{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let library = test.with_file_name(name);
    assert!(library.is_file(), "there is no {}", library.display());
    library
}

fn run(dotnet: &Path, program: &Path, profiler: Option<&Path>) -> Output {
    let mut command = Command::new(dotnet);
    command.arg(program);
    if let Some(library) = profiler {
        // .NET 11 reads the second prefix.
        for prefix in ["CORECLR", "DOTNET"] {
            command.env(format!("{prefix}_ENABLE_PROFILING"), "1");
            command.env(format!("{prefix}_PROFILER"), CLSID);
            command.env(format!("{prefix}_PROFILER_PATH"), library);
        }
    }
    command.output().unwrap()
}

#[test]
fn the_program_is_profiled_and_not_changed() {
    let found = dotnet().and_then(|dotnet| {
        let program = program(&dotnet)?;
        Some((dotnet, program))
    });
    let Some((dotnet, program)) = found else {
        assert!(env::var_os("CI").is_none(), "there is no .NET SDK, and LIVE_PROGRAM is not set");
        // Not `println!`, whose output cargo shows for failed tests only.
        let _ = writeln!(io::stderr(), "the live test is not run: there is no .NET SDK, and LIVE_PROGRAM is not set");
        return;
    };
    let plain = run(&dotnet, &program, None);
    let profiled = run(&dotnet, &program, Some(&library()));
    let report = String::from_utf8_lossy(&profiled.stderr);
    assert_eq!(plain.status, profiled.status, "{report}");
    assert_eq!(plain.stdout, profiled.stdout, "{report}");
    let line = report.lines().find_map(|line| line.strip_prefix("@NAME@: ")).expect(&report);
    let count: u64 = line.split(' ').next().and_then(|count| count.parse().ok()).expect(line);
    assert!(count > 0, "{report}");
}
