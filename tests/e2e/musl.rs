//! Linux with musl, which `CORPROF_TARGET` names: the command and every tool, built for musl, run in a root folder that has musl in
//! the place of this machine's C library, on .NET for musl.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_cli::find::{self, Description};
use corprof_cli::workspace;
use corprof_testkit::dotnet::{Runtime, RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::machine::{self, Foreign};
use corprof_testkit::{paths, targets};
use e2e::app::{App, Build};
use e2e::interactive::Interactive;
use e2e::on_each_runtime;

/// Requests of each of the four clients, every tenth of which fails.
const REQUESTS: usize = 20;
const CLIENTS: usize = 4;
const FAILING: usize = 10;

/// The begin of what `corprof run` reports when the program has not loaded the tool.
const NOT_STARTED: &str = "the profiler was not started";

/// Tools that are attached, and what their reports have of a server that has thrown, collected and waited.
const ATTACHED: [(&str, &str); 7] = [
    ("cpu", "samples"),
    ("alloc", "allocat"),
    ("gc", "collections"),
    ("exceptions", "System.InvalidOperationException"),
    ("locks", "waits"),
    ("startup", "compil"),
    ("heap", "objects"),
];

/// The longest time for a step of a running program.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command and the tools for musl, in the layout of a release.
struct Release {
    runtime: Runtime,
    command: PathBuf,
    tools: PathBuf,
    names: BTreeSet<String>,
}

impl Release {
    fn build(version: RuntimeVersion, test: &str) -> Result<Self> {
        let target =
            machine::of_tests()?.context("CORPROF_TARGET is not set; use `cargo xtask test --target`")?;
        ensure!(target == Foreign::LinuxMusl, "{target} is not musl");
        let known = workspace::tools(&paths::workspace())?;
        let packages: Vec<&str> =
            known.iter().map(|tool| tool.name.as_str()).chain(["corprof-cli"]).collect();
        let built = targets::built_for(target, &packages)?;
        let command = built.join(machine::program_file(target, "corprof"));
        let tools = scratch(&format!("musl-{test}"))?.join("tools");
        fs::create_dir_all(&tools)?;
        let mut names = BTreeSet::new();
        for tool in known {
            let description = Description {
                name: tool.name.clone(),
                description: tool.description,
                library: built.join(machine::library_file(target, &tool.name)),
                settings: tool.settings,
            };
            fs::write(tools.join(format!("{}.json", tool.name)), serde_json::to_vec(&description)?)?;
            names.insert(tool.name);
        }
        ensure!(names.len() > 8, "the tools are {names:?}");
        Ok(Self { runtime: runtime(version)?, command, tools, names })
    }

    /// The command in the root folder, with the environment of the runtime, which it passes on to a program.
    fn corprof(&self, program: &Path, words: &[&str]) -> Result<Command> {
        let mut command = Launch::new(&self.runtime, &self.command).args(words).command()?;
        let of_program = self.runtime.command(program)?;
        command.envs(of_program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env(find::VARIABLE, &self.tools).current_dir("/tmp");
        Ok(command)
    }

    /// Runs a program with a tool: what it prints, which is the same as without, and what is reported on standard error.
    fn run(
        &self,
        tool: &str,
        options: &[&str],
        program: &Path,
        arguments: &[&str],
    ) -> Result<(String, String)> {
        let executable = self.runtime.executable(program)?;
        let executable = executable.to_string_lossy();
        let words = [&["run", tool], options, &["--", &*executable], arguments].concat();
        let output = self.corprof(program, &words)?.output()?;
        let [printed, said] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        ensure!(output.status.success(), "{tool}: {}\n{printed}{said}", output.status);
        ensure!(!said.contains(NOT_STARTED), "{tool}: {said}");
        Ok((printed, said))
    }
}

fn plain(runtime: &Runtime, program: &Path, arguments: &[&str]) -> Result<Finished> {
    Launch::new(runtime, program).args(arguments).run()?.ok()
}

/// Every tool: the program prints what it prints without one, and the tool reports.
fn run_by_every_tool(version: RuntimeVersion, name: &str, arguments: &[&str]) -> Result<()> {
    let release = Release::build(version, name)?;
    let app = App::compile(name, version, Build::Optimised)?;
    let expected = plain(&release.runtime, &app.dll, arguments)?.stdout;
    for tool in &release.names {
        let folder = release.tools.join(format!("out-{tool}"));
        let methods = format!("{name}.dll!*");
        // The others write their report to standard error.
        let options: &[&str] = match tool.as_str() {
            "coverage" => &["--out", &folder.to_string_lossy()],
            "inject" => &["--methods", &methods],
            _ => &[],
        };
        let (printed, said) = release.run(tool, options, &app.dll, arguments)?;
        ensure!(printed == expected, "{tool}: it printed {printed:?}, not {expected:?}\n{said}");
        // The demo is over before `inject` has changed a method.
        let may_be_silent = tool == "inject" && name == "demo";
        ensure!(!said.is_empty() || folder.exists() || may_be_silent, "{tool} has reported nothing");
        println!("{tool}: {} lines", said.lines().count());
    }
    Ok(())
}

/// The server's own number of requests is the number of calls in a trace, by both kinds of hooks.
fn calls_of_a_server(version: RuntimeVersion) -> Result<()> {
    let release = Release::build(version, "listener-calls")?;
    let app = App::compile("listener", version, Build::Optimised)?;
    let (requests, failed) = (CLIENTS * REQUESTS, CLIENTS * (REQUESTS / FAILING));
    for hooks in e2e::runtimes::KINDS_OF_HOOKS {
        let words = ["--hooks", hooks, "--format", "jsonl"];
        let (printed, said) = release.run("calltrace", &words, &app.dll, &[&REQUESTS.to_string()])?;
        ensure!(
            printed.contains(&format!("requests {requests}, ")) && printed.ends_with("wrong 0\n"),
            "{printed}"
        );
        let ends = |event: &str| {
            let lines = said.lines().filter(|line| line.contains(&format!("\"event\":\"{event}\"")));
            lines.filter(|line| line.contains("Listening.Program.Add")).count()
        };
        let found = (ends("enter"), ends("leave"), ends("unwind"));
        ensure!(
            found == (requests, requests - failed, failed),
            "{hooks}: {found:?} of {requests} and {failed}"
        );
    }
    Ok(())
}

/// Each tool is attached to a running server, sees what it does from then on, and leaves; the server's answers stay right.
fn attached_to_a_server(version: RuntimeVersion) -> Result<()> {
    let release = Release::build(version, "listener-attached")?;
    let app = App::compile("listener", version, Build::Optimised)?;
    let folder = scratch("musl-listener-subject")?;
    let mut server = Interactive::start(&Launch::new(&release.runtime, &app.dll), &folder)?;
    let ready = server.next_line()?;
    ensure!(ready == format!("ready {}", server.pid()), "{}", server.report());
    let pid = server.pid().to_string();
    let listed = release.corprof(&app.dll, &["ps"])?.output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    ensure!(
        listed.lines().any(|line| line.split_whitespace().next() == Some(&pid)),
        "{pid} is not listed: {listed}"
    );
    for (tool, part) in ATTACHED {
        let out = folder.join(format!("{tool}.txt"));
        let words = ["attach", &pid, tool, "--out", &out.to_string_lossy()];
        let mut command = release.corprof(&app.dll, &words)?;
        let log = folder.join(format!("{tool}.log"));
        let mut client =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&log)?).spawn()?;
        until(&format!("{tool} is attached"), || {
            let said = fs::read_to_string(&log)?;
            match client.try_wait()? {
                Some(status) => bail!("{tool}: {status} {said}\n{}", server.report()),
                None => Ok(said.contains("attached ")),
            }
        })?;
        let answered = server.request(&REQUESTS.to_string())?;
        ensure!(answered.ends_with("wrong 0"), "{}", server.report());
        let sent = Command::new("kill").args(["-INT", &client.id().to_string()]).status()?;
        ensure!(sent.success(), "{sent}");
        let status = client.wait()?;
        let said = fs::read_to_string(&log)?;
        ensure!(status.success(), "{tool}: {status} {said}");
        let report = fs::read_to_string(&out).with_context(|| said.clone())?;
        ensure!(report.to_lowercase().contains(&part.to_lowercase()), "{tool} lacks {part}: {report}");
        println!("{tool}: {answered}; {} lines", report.lines().count());
    }
    ensure!(server.end()? == Some(0), "{}", server.report());
    Ok(())
}

fn until(what: &str, mut done: impl FnMut() -> Result<bool>) -> Result<()> {
    let begin = Instant::now();
    while !done()? {
        ensure!(begin.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

on_each_runtime! {
    every_tool_runs_the_demo on [] long [on_10_0 on_11_0]: |version| run_by_every_tool(version, "demo", &[]);
    every_tool_measures_a_server on [] long [on_10_0 on_11_0]:
        |version| run_by_every_tool(version, "listener", &[&REQUESTS.to_string()]);
    calls_are_those_of_the_server on [] long [on_10_0 on_11_0]: calls_of_a_server;
    tools_are_attached_to_a_server on [] long [on_10_0 on_11_0]: attached_to_a_server;
}
