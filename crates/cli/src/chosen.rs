//! The processes of a program that are meant, when it has several.
//!
//! For `corprof run TOOL -- app.dll` that is the process of the program. Of `dotnet run`, `dotnet test` and scripts it is the user's
//! program, test hosts among them, and never a process of the SDK itself. A pattern chooses otherwise.

use std::collections::BTreeMap;
use std::path::Path;

use corprof_in_process::is_host_option_with_value;
use globset::GlobMatcher;

/// The programs of the SDK, and those that it starts from packages to build others.
const SDK: [&str; 13] = [
    "msbuild",
    "csc",
    "vbc",
    "fsc",
    "vbcscompiler",
    "vstest.console",
    "datacollector",
    "dotnet-watch",
    "dotnet-format",
    "crossgen2",
    "ilc",
    "nuget.build.tasks.console",
    "microsoft.build.taskhost",
];

/// The number of different processes that are kept for a message.
const KEPT: usize = 10;

/// A .NET process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Its command line.
    pub(crate) command: Vec<String>,
}

/// What a process runs.
#[derive(Debug, PartialEq, Eq)]
enum Runs<'a> {
    /// An assembly, or an executable of its own.
    File(&'a str),
    /// A command of the SDK, such as `build`.
    Sdk(&'a str),
}

impl Process {
    fn runs(&self) -> Runs<'_> {
        let mut words = self.command.iter().map(String::as_str);
        let host = words.next().unwrap_or_default();
        if stem(host) != "dotnet" || host.ends_with(".dll") {
            return Runs::File(host);
        }
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            if is_host_option_with_value(word.as_ref()) {
                words.next();
            } else if is_assembly(word) {
                return Runs::File(word);
            } else if word != "exec" && !word.starts_with("--roll-forward") {
                return Runs::Sdk(word);
            }
        }
        Runs::Sdk("")
    }

    /// Returns its name: that of its assembly or executable, without the ending of an assembly.
    pub(crate) fn name(&self) -> String {
        match self.runs() {
            Runs::File(file) => file_name(file).trim_end_matches(".dll").to_owned(),
            Runs::Sdk(command) => format!("dotnet {command}").trim_end().to_owned(),
        }
    }

    /// Returns whether it belongs to the SDK.
    fn is_of_sdk(&self) -> bool {
        let file = match self.runs() {
            Runs::Sdk(_) => return true,
            Runs::File(file) => file,
        };
        let name = stem(file);
        if name.starts_with("testhost") {
            return false;
        }
        let mut folders = Path::new(file).components().map(|part| part.as_os_str().to_string_lossy());
        let is_version =
            |name: &str| name.split_once('.').is_some_and(|(major, _)| major.parse::<u16>().is_ok());
        let is_below_sdk =
            folders.any(|name| name == "sdk") && folders.next().is_some_and(|version| is_version(&version));
        is_below_sdk || SDK.contains(&&*name)
    }

    fn matches(&self, pattern: &GlobMatcher) -> bool {
        let name = self.name();
        [format!("{name}.dll"), name, self.command.join(" ")].iter().any(|text| pattern.is_match(text))
    }
}

/// The part of a path behind the last separator, of any system.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The name of a file in lower case, without the ending of an assembly or executable.
fn stem(path: &str) -> String {
    let name = file_name(path).to_ascii_lowercase();
    let stem = name.strip_suffix(".dll").or_else(|| name.strip_suffix(".exe"));
    stem.unwrap_or(&name).to_owned()
}

fn is_assembly(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.ends_with(".dll") || word.ends_with(".exe")
}

/// Chooses the processes that are measured.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    /// Patterns for names or command lines; without one, the program that is meant.
    patterns: Vec<GlobMatcher>,
    /// The process that the command has started.
    root: Option<u32>,
    chosen: Vec<u32>,
    /// Those that were not chosen, and how many of each.
    others: BTreeMap<String, usize>,
}

impl Chooser {
    pub(crate) fn new(patterns: Vec<GlobMatcher>) -> Self {
        Self { patterns, ..Self::default() }
    }

    /// Names the process that the command has started.
    pub(crate) fn set_root(&mut self, pid: u32) {
        self.root = Some(pid);
    }

    /// Returns whether a process is measured that has just begun to run.
    pub(crate) fn choose(&mut self, process: &Process) -> bool {
        let is_chosen = match (&*self.patterns, self.root == Some(process.pid)) {
            ([], true) => !matches!(process.runs(), Runs::Sdk(_)),
            // Of a program that starts others, itself. A script or the SDK is none that is meant.
            ([], false) => !process.is_of_sdk() && !self.is_below_a_chosen_one(process.pid),
            (patterns, _) => patterns.iter().any(|pattern| process.matches(pattern)),
        };
        if is_chosen {
            self.chosen.push(process.pid);
        } else if self.others.len() < KEPT || self.others.contains_key(&process.name()) {
            *self.others.entry(process.name()).or_default() += 1;
        }
        is_chosen
    }

    /// Whether a process was started by a chosen one, or by one that such a one has started.
    fn is_below_a_chosen_one(&self, pid: u32) -> bool {
        let mut next = parent(pid);
        while let Some(parent_id) = next.filter(|id| *id > 1) {
            if self.chosen.contains(&parent_id) {
                return true;
            }
            next = parent(parent_id);
        }
        // One whose parent has ended, or that nobody knows.
        self.root.is_some_and(|root| self.chosen.contains(&root))
    }

    /// Returns the number of processes that were chosen.
    pub(crate) fn count(&self) -> usize {
        self.chosen.len()
    }

    /// Returns those that were not chosen, in words; `None` if there was none.
    pub(crate) fn others(&self) -> Option<String> {
        let names = self.others.iter().map(|(name, count)| match count {
            1 => name.clone(),
            _ => format!("{name} ({count} times)"),
        });
        (!self.others.is_empty()).then(|| names.collect::<Vec<_>>().join(", "))
    }
}

/// The parent of a process.
#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may have any characters: the state, and the parent.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn parent(_: u32) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob;

    fn process(pid: u32, line: &str) -> Process {
        Process { pid, command: line.split(' ').map(str::to_owned).collect() }
    }

    /// Ids that no process has.
    const ROOT: u32 = u32::MAX;

    fn chosen(root: &str, others: &[&str]) -> Vec<String> {
        let mut chooser = Chooser::default();
        chooser.set_root(ROOT);
        let all = [root].into_iter().chain(others.iter().copied());
        let processes = all.zip(0..).filter(|(line, _)| !line.is_empty());
        let processes = processes.map(|(line, index)| process(ROOT - index, line));
        processes.filter(|process| chooser.choose(process)).map(|process| process.name()).collect()
    }

    #[test]
    fn a_program_is_measured_and_what_it_starts_is_not() {
        for line in ["dotnet app.dll x", "/usr/bin/dotnet exec --fx-version 8.0.1 bin/app.dll", "bin/app y"] {
            assert_eq!(chosen(line, &["dotnet child.dll", "bin/child"]), ["app"], "{line}");
        }
        // The compiler, if it is named itself.
        assert_eq!(chosen("dotnet /usr/share/dotnet/sdk/10.0.100/Roslyn/bincore/csc.dll", &[]), ["csc"]);
    }

    #[test]
    fn of_the_sdk_s_commands_the_user_s_programs_are_measured() {
        let sdk = [
            "dotnet /usr/share/dotnet/sdk/10.0.100/MSBuild.dll /nodemode:1",
            "dotnet exec /usr/share/dotnet/sdk/10.0.100/Roslyn/bincore/VBCSCompiler.dll",
            "/usr/share/dotnet/sdk/10.0.100/Roslyn/bincore/csc @a.rsp",
            "/home/u/.nuget/packages/microsoft.net.compilers.toolset/5.0.0/tasks/netcore/bincore/csc",
            "dotnet exec /usr/share/dotnet/sdk/10.0.100/vstest.console.dll a.dll",
            "dotnet /home/u/.nuget/packages/x/1.0.0/crossgen2.dll",
        ];
        assert_eq!(chosen("dotnet build", &sdk), [""; 0]);
        let with = |program| [&sdk[..], &[program]].concat();
        assert_eq!(chosen("dotnet run -c Release -- x.dll", &with("/home/u/con/bin/con x.dll")), ["con"]);
        assert_eq!(chosen("dotnet app.cs", &with("/home/u/sdk/app")), ["app"]);
        let host = "dotnet exec --runtimeconfig a.json --depsfile b.json /home/u/bin/testhost.dll --port 7";
        assert_eq!(chosen("dotnet test", &with(host)), ["testhost"]);
        // A script, which is no .NET process.
        assert_eq!(chosen("", &["dotnet build", sdk[0], "dotnet bin/app.dll"]), ["app"]);
    }

    #[test]
    fn a_pattern_chooses_by_name_or_command_line() {
        let host = process(7, "dotnet exec /x/sdk/10.0.100/MSBuild.dll /nodemode:1");
        for (pattern, is_chosen) in [
            ("msbuild", true),
            ("MSBuild.dll", true),
            ("*nodemode*", true),
            ("ms?uild", true),
            ("{csc,msbuild}", true),
            ("build", false),
            ("*.exe", false),
            ("", false),
        ] {
            let mut chooser =
                Chooser::new(["other", pattern].map(|text| glob::pattern(text).unwrap()).into());
            chooser.set_root(7);
            assert_eq!(chooser.choose(&host), is_chosen, "{pattern}");
            assert_eq!(chooser.others().is_none(), is_chosen);
        }
        assert!(glob::pattern("a[").is_err());
    }

    #[test]
    fn what_was_not_chosen_is_counted() {
        let mut chooser = Chooser::new(vec![glob::pattern("app").unwrap()]);
        for line in ["dotnet build", "csc", "csc", "app"] {
            chooser.choose(&process(1, line));
        }
        assert_eq!(chooser.others().unwrap(), "csc (2 times), dotnet build");
        assert_eq!(chooser.count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_parent_of_this_process_is_known() {
        assert_eq!(
            parent(std::process::id()),
            rustix::process::getppid().map(|id| id.as_raw_nonzero().get().cast_unsigned())
        );
    }
}
