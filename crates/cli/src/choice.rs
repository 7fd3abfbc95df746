//! The profiler that the arguments of `run` and `attach` choose: a tool by its name, or a library.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use diagport::Guid;

use crate::find;
use crate::paths;
use crate::profiler::Profiler;
use crate::tool::{Flag, Tool};

/// The argument `--library`.
pub(crate) fn library() -> Arg {
    Arg::new("LIBRARY")
        .long("library")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("A profiler library that is built already")
}

/// The argument `--clsid`.
pub(crate) fn clsid() -> Arg {
    Arg::new("CLSID")
        .long("clsid")
        .value_name("GUID")
        .value_parser(value_parser!(Guid))
        .requires("LIBRARY")
        .help("The class id to request from the library, if the library has several or does not state it")
}

/// A tool or a library, and the arguments that belong to it.
pub(crate) struct Choice<'a> {
    pub(crate) tool: Option<&'a Tool>,
    /// The arguments of the tool's command, or those of the command itself.
    pub(crate) matches: &'a ArgMatches,
}

impl<'a> Choice<'a> {
    /// Returns the choice in the arguments of `run` or `attach`.
    pub(crate) fn of(tools: &'a [Tool], matches: &'a ArgMatches) -> Result<Self> {
        Ok(match matches.subcommand() {
            Some((name, matches)) => Self { tool: Some(find::named(tools, name)?), matches },
            None if matches.contains_id("LIBRARY") => Self { tool: None, matches },
            None => bail!("no tool was named; {}", find::usable(tools)),
        })
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> String {
        match (self.tool, self.matches.get_one::<PathBuf>("LIBRARY")) {
            (Some(tool), _) => tool.name.clone(),
            (None, Some(library)) => library.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            (None, None) => String::new(),
        }
    }

    /// Returns the profiler. A tool of a workspace is built now. `seen` maps a path in the program to the file here.
    pub(crate) fn profiler(&self, seen: impl Fn(&Path) -> Result<PathBuf>) -> Result<Profiler> {
        let Some(library) = self.matches.get_one::<PathBuf>("LIBRARY") else {
            return self.tool.context("no tool was named")?.profiler();
        };
        match self.matches.get_one::<Guid>("CLSID") {
            Some(&clsid) => Ok(Profiler::new(library, clsid)),
            None => Ok(Profiler::new(library, Profiler::of(&seen(library)?)?.clsid)),
        }
    }

    /// Returns the flags of the tool.
    pub(crate) fn flags(&self) -> &'a [Flag] {
        self.tool.map_or(&[], |tool| &tool.settings.flags)
    }

    /// Returns the variables of the given flags, and those of this command's environment for flags that are not given.
    #[cfg(unix)]
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.variables();
        for flag in self.flags() {
            if settings.iter().all(|(name, _)| *name != flag.env)
                && let Ok(value) = std::env::var(&flag.env)
            {
                settings.push((flag.env.clone(), value));
            }
        }
        settings
    }

    /// Returns the time of `--seconds`.
    #[cfg(unix)]
    pub(crate) fn seconds(&self) -> Option<Duration> {
        let is_known = self.matches.try_contains_id("seconds").unwrap_or(false);
        let text = is_known.then(|| self.matches.get_one::<String>("seconds")).flatten()?;
        // It was checked as an argument.
        duration(text)
    }

    /// Returns whether the tool keeps files of earlier reports. They belong to long measurements, which go on without a client: the tool
    /// writes them.
    #[cfg(unix)]
    pub(crate) fn is_kept(&self) -> bool {
        let is_given = |name: &&str| {
            self.flags().iter().any(|flag| flag.name == *name)
                && self.matches.get_one::<String>(name).is_some()
        };
        ["keep", "keep-mb", "keep-seconds"].iter().any(is_given)
    }

    /// Returns the variables of the given flags.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let value = |flag: &Flag| {
            if flag.is_switch() {
                return self.matches.get_flag(&flag.name).then(|| "1".to_owned());
            }
            let values: Vec<String> = self.matches.get_many(&flag.name)?.cloned().collect();
            Some(values.join(flag.separator.as_deref().unwrap_or_default()))
        };
        self.flags().iter().filter_map(|flag| Some((flag.env.clone(), value(flag)?))).collect()
    }
}

/// Returns the variables of flags, with absolute paths, because the process may have another working folder.
pub(crate) fn absolute(flags: &[Flag], mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    for (name, value) in &mut variables {
        if flags.iter().any(|flag| flag.is_path() && flag.env == *name) {
            *value = paths::absolute(Path::new(value)).display().to_string();
        }
    }
    variables
}

/// A number, which the tool parses again: it knows the limits.
fn number(text: &str) -> Result<String, &'static str> {
    let is_number = text.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0);
    if is_number { Ok(text.to_owned()) } else { Err("it is no number from 0 upwards") }
}

/// Reads a time in seconds, which is not zero.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|seconds| !seconds.is_zero())
}

/// A time in seconds.
pub(crate) fn seconds(text: &str) -> Result<String, &'static str> {
    duration(text).map(|_| text.to_owned()).ok_or("it is no time in seconds, such as 30 or 0.5")
}

/// The argument of a flag.
pub(crate) fn flag_argument(flag: &Flag) -> Arg {
    let argument = Arg::new(flag.name.clone()).long(flag.name.clone()).help(flag.help.clone());
    if flag.is_switch() {
        return argument.action(ArgAction::SetTrue);
    }
    let argument = argument.value_name(flag.value.clone().unwrap_or_else(|| flag.name.to_uppercase()));
    let argument = match flag.separator {
        Some(_) => argument.action(ArgAction::Append),
        None => argument.action(ArgAction::Set),
    };
    if flag.values.is_empty() {
        return match (&*flag.name, flag.value.as_deref()) {
            ("seconds" | "every" | "keep-seconds", _) => argument.value_parser(seconds),
            (_, Some("N" | "SECONDS")) if flag.separator.is_none() => argument.value_parser(number),
            _ => argument,
        };
    }
    let argument = argument.value_parser(PossibleValuesParser::new(flag.values.clone()));
    // Several values may be given at once, in the format of the variable.
    match flag.separator.as_deref().and_then(|separator| separator.chars().next()) {
        Some(separator) => argument.value_delimiter(separator),
        None => argument,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::run;
    use crate::tool::{Library, Settings};

    fn tool() -> Tool {
        let flag = |name: &str, value: Option<&str>, values: &[&str], separator: Option<&str>| Flag {
            name: name.to_owned(),
            env: format!("X_{}", name.to_uppercase()),
            help: String::new(),
            value: value.map(str::to_owned),
            values: values.iter().map(|&value| value.to_owned()).collect(),
            separator: separator.map(str::to_owned),
        };
        let flags = vec![
            flag("all", None, &[], None),
            flag("format", None, &["text", "jsonl"], None),
            flag("include", Some("GLOB"), &[], Some(";")),
            flag("depth", Some("N"), &[], None),
            flag("events", None, &["gc", "threads"], Some(",")),
        ];
        Tool {
            name: "x".to_owned(),
            description: String::new(),
            settings: Settings { flags, ..Settings::default() },
            library: Library::Built("libx.so".into()),
        }
    }

    fn parse(line: &str) -> Result<ArgMatches, clap::Error> {
        run::command(&[tool()]).try_get_matches_from(line.split(' '))
    }

    #[test]
    fn flags_become_variables() {
        let matches = parse("run x --all --include A --format jsonl --include B -- app.dll --all").unwrap();
        let tools = [tool()];
        let choice = Choice::of(&tools, &matches).unwrap();
        let expected = [("X_ALL", "1"), ("X_FORMAT", "jsonl"), ("X_INCLUDE", "A;B")];
        assert_eq!(choice.variables(), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let words: Vec<_> = choice.matches.get_many::<OsString>("PROGRAM").unwrap().collect();
        assert_eq!(words, ["app.dll", "--all"]);
    }

    #[test]
    fn several_values_may_be_given_at_once_or_one_by_one() {
        for line in ["run x --events gc,threads -- app.dll", "run x --events gc --events threads -- app.dll"]
        {
            let matches = parse(line).unwrap();
            let tools = [tool()];
            let expected = [("X_EVENTS".to_owned(), "gc,threads".to_owned())];
            assert_eq!(Choice::of(&tools, &matches).unwrap().variables(), expected, "{line}");
        }
    }

    #[test]
    fn the_programs_own_flags_are_passed_on_without_dashes_too() {
        let matches = parse("run x --runtime 3.1 app.dll --runtime 7").unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        assert_eq!(matches.get_one::<OsString>("RUNTIME").unwrap(), "3.1");
        assert_eq!(matches.get_many::<OsString>("PROGRAM").unwrap().count(), 3);
    }

    #[test]
    fn a_library_needs_no_tool() {
        let matches = parse("run --library /nowhere/libx.so -- app.dll --all").unwrap();
        let tools = [tool()];
        let choice = Choice::of(&tools, &matches).unwrap();
        assert!(choice.tool.is_none() && choice.name() == "libx.so");
        assert_eq!(choice.matches.get_many::<OsString>("PROGRAM").unwrap().count(), 2);
        let error = format!("{:#}", choice.profiler(|path| Ok(path.to_path_buf())).unwrap_err());
        assert!(error.contains("cannot read the library /nowhere/libx.so"), "{error}");
    }

    #[test]
    fn a_command_without_a_tool_lists_the_tools() {
        let matches = parse("run -- app.dll").unwrap();
        let error = Choice::of(&[tool()], &matches).err().unwrap().to_string();
        assert!(error.contains("no tool was named; the tools are: x;"), "{error}");
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for line in [
            "run",
            "run y -- a",
            "run x",
            "run x --format xml -- a",
            "run x --events gc,calls -- a",
            "run x --clsid 7 -- a",
            "run x --nope -- a",
            "run --clsid {7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11} -- a",
            "run --library libx.so",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
