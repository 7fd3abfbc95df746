//! The tools that an agent starts with the program.
//!
//! `CORPROF_AGENT` names them: `gc; cpu`, or `listen` for none. Without it, the tool of an agent that has one is started, and of several
//! those with a setting in the environment.

use std::io::Write as _;

use corprof::Result;
use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;

use crate::sessions::Sessions;

/// The variable that names the tools.
pub(crate) const VARIABLE: &str = "CORPROF_AGENT";

/// What it has in place of names, for an agent that only listens.
const LISTEN: &str = "listen";

/// Starts the tools. One that does not start is reported, and the others run.
///
/// # Errors
/// That of the first one, if none has started.
pub(crate) fn start(sessions: &Sessions) -> Result<()> {
    let variable = std::env::var(VARIABLE).ok();
    let names = names(variable.as_deref(), sessions.names(), |prefix| {
        std::env::vars_os().any(|(name, _)| name.to_str().is_some_and(|name| name.starts_with(prefix)))
    });
    let (mut has_started, mut failures) = (false, Vec::new());
    for name in names {
        match sessions.start(&name) {
            Ok(_) => has_started = true,
            Err(error) => failures.push((name, error)),
        }
    }
    if has_started {
        failures.iter().for_each(|(name, error)| complain(&format!("{name} does not run: {error}")));
        return Ok(());
    }
    failures.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
}

fn complain(message: &str) {
    // A closed standard error is no reason to fail.
    let _ = Outlet::standard_error().write_all(format!("{}\n", Printable(message)).as_bytes());
}

/// Returns the names of the tools that are started. `known` are names and prefixes.
fn names(
    variable: Option<&str>,
    known: impl ExactSizeIterator<Item = (&'static str, &'static str)>,
    has_setting: impl Fn(&str) -> bool,
) -> Vec<String> {
    match variable {
        Some(variable) => {
            let names = variable.split(';').map(str::trim).filter(|name| !name.is_empty() && *name != LISTEN);
            names.map(str::to_owned).collect()
        }
        None => {
            let is_only = known.len() == 1;
            let started = known.filter(|(_, prefix)| is_only || has_setting(prefix));
            started.map(|(name, _)| name.to_owned()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_the_tools() {
        let known = || [("gc", "GC_"), ("cpu", "CPU_")].into_iter();
        let nothing = |_: &str| false;
        assert_eq!(names(Some("gc; cpu"), known(), nothing), ["gc", "cpu"]);
        assert_eq!(names(Some("listen"), known(), |_| true), [""; 0]);
        assert_eq!(names(Some("other;"), known(), nothing), ["other"]);
        assert_eq!(names(None, known(), nothing), [""; 0]);
        assert_eq!(names(None, known(), |prefix| prefix == "CPU_"), ["cpu"]);
        assert_eq!(names(None, [("gc", "GC_")].into_iter(), nothing), ["gc"]);
    }
}
