//! The commands of the SDK under a tool: they succeed, and the program is measured that they build and start.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::given;
use e2e::command::corprof;
use e2e::is_long;
use e2e::traced::profiler;

/// All tools, with the option that one needs.
const TOOLS: [&str; 12] = [
    "exceptions",
    "calltrace",
    "cpu",
    "alloc",
    "gc",
    "locks",
    "heap",
    "startup",
    "watch",
    "coverage",
    "methodnames",
    "inject",
];

const PROJECT: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net10.0</TargetFramework><UseAppHost>true</UseAppHost></PropertyGroup></Project>"#;

const TESTS: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
<ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="18.11.0" /><PackageReference Include="xunit" Version="2.9.3" />
<PackageReference Include="xunit.runner.visualstudio" Version="3.1.4" /></ItemGroup></Project>"#;

pub(crate) const NUGET: &str = "<configuration><packageSources><clear/></packageSources></configuration>";

/// A program that throws `FormatException`s, in a version of its own so that it has to be compiled.
fn program(version: usize) -> String {
    format!(
        "public static class Program {{ public static int Main() {{ for (int i = 0; i < 7; i++) Throw(i); \
         System.Console.WriteLine(\"version {version}\"); return 3; }}\n\
         static void Throw(int i) {{ try {{ throw new System.FormatException(); }} catch (System.FormatException) {{ }} }} }}\n"
    )
}

/// `corprof run TOOL --out FILE -- dotnet WORDS`, in a folder.
fn dotnet(tool: &str, out: &Path, folder: &Path, words: &[&str]) -> Result<Output> {
    let host = given::item("sdk10")?.join("dotnet");
    let library = profiler(tool)?.library;
    // The tools are those of the workspace, and so is the folder of the command.
    let mut command = corprof(&["run", tool])?;
    command.arg("--library").arg(library).arg("--out").arg(out);
    if tool == "inject" {
        command.args(["--methods", "app.dll!*"]);
    }
    command.arg("--").arg(&host).args(words.first()).arg(folder).args(words.get(1..).unwrap_or_default());
    environment(&mut command)?;
    Ok(command.stdin(Stdio::null()).output()?)
}

pub(crate) fn environment(command: &mut Command) -> Result<()> {
    let variables = [
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_NOLOGO", "1"),
        ("MSBUILDDISABLENODEREUSE", "1"),
        ("UseSharedCompilation", "false"),
    ];
    command.envs(variables).env("DOTNET_ROOT", given::item("sdk10")?);
    if is_long() {
        command.env("NUGET_PACKAGES", given::item("nuget10")?);
    }
    Ok(())
}

/// A build with a changed source: it succeeds without a line of ours, and nothing is measured.
pub(crate) fn builds_are_left_alone() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let app = folder.path().join("app");
    fs::create_dir(&app)?;
    for (name, text) in [("app.csproj", PROJECT), ("nuget.config", NUGET)] {
        fs::write(app.join(name), text)?;
    }
    let tools = if is_long() { &TOOLS[..] } else { &TOOLS[..2] };
    for (version, tool) in tools.iter().enumerate() {
        fs::write(app.join("Program.cs"), program(version))?;
        let out = folder.path().join("out");
        let output = dotnet(tool, &out, &app, &["build"])?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{tool}: {output:?}");
        ensure!(String::from_utf8_lossy(&output.stdout).contains("0 Warning(s)"), "{tool}: {output:?}");
        let begin = format!("{tool}: nothing was measured: there were these .NET processes only");
        ensure!(said.starts_with(&begin) && said.lines().count() == 1, "{tool}: {said}");
        ensure!(!out.exists(), "{tool}: something was measured");
    }
    Ok(())
}

/// `dotnet run`: the program, in the file with the plain name.
pub(crate) fn a_program_that_the_sdk_runs() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let app = folder.path().join("app");
    fs::create_dir(&app)?;
    for (name, text) in [("app.csproj", PROJECT), ("nuget.config", NUGET), ("Program.cs", &program(0))] {
        fs::write(app.join(name), text)?;
    }
    let out = folder.path().join("out.txt");
    let host = given::item("sdk10")?.join("dotnet");
    let mut command = corprof(&["run", "exceptions", "--library"])?;
    command.arg(profiler("exceptions")?.library).arg("--out").arg(&out).arg("--").arg(host);
    command.args(["run", "--project"]).arg(&app);
    environment(&mut command)?;
    let output = command.stdin(Stdio::null()).output()?;
    ensure!(output.status.code() == Some(3) && output.stderr.is_empty(), "{output:?}");
    ensure!(String::from_utf8_lossy(&output.stdout).ends_with("version 0\n"), "{output:?}");
    let report = fs::read_to_string(&out)?;
    let mut rows = report.lines().filter(|line| line.contains("System.FormatException"));
    ensure!(rows.any(|row| row.split_whitespace().next() == Some("7")), "{report}");
    ensure!(report.starts_with("app: "), "{report}");
    Ok(())
}

/// `dotnet test`: the test host.
pub(crate) fn tests_are_measured() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let app = folder.path().join("app");
    fs::create_dir(&app)?;
    for (name, text) in [("app.csproj", TESTS), ("nuget.config", NUGET)] {
        fs::write(app.join(name), text)?;
    }
    for (version, tool) in TOOLS.iter().enumerate() {
        let test = format!(
            "public class Tests {{ [Xunit.Fact] public void One() {{ try {{ throw new System.FormatException(\"{version}\"); }} \
             catch (System.FormatException) {{ }} }} }}\n"
        );
        fs::write(app.join("Tests.cs"), test)?;
        let out = folder.path().join(format!("{tool}.out"));
        let output = dotnet(tool, &out, &app, &["test"])?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() && said.is_empty(), "{tool}: {output:?}");
        ensure!(String::from_utf8_lossy(&output.stdout).contains("Passed:     1"), "{tool}: {output:?}");
        ensure!(out.exists(), "{tool}: nothing was measured");
        let seen = |text: &str| -> Result<bool> { Ok(fs::read_to_string(&out)?.contains(text)) };
        match *tool {
            "exceptions" => {
                ensure!(seen("System.FormatException")?, "another process was measured");
            }
            // Of the host's and the test framework's assemblies beside them, none is own code.
            "calltrace" => {
                ensure!(
                    seen("→ Tests.One()")? && !seen("Xunit.")? && !seen("Microsoft.")?,
                    "other code is traced"
                );
            }
            _ => {}
        }
    }
    Ok(())
}
