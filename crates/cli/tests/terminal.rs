//! The output of the command on terminals, in pipes and in narrow windows.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

/// The command, away from the workspace, whose tools would be looked up.
fn corprof(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_corprof"));
    command.args(arguments).current_dir(std::env::temp_dir());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "CORPROF_TOOLS"] {
        command.env_remove(name);
    }
    command
}

fn text(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The commands that `--help` lists.
const COMMANDS: [&str; 10] =
    ["run", "attach", "ps", "trace", "symbolize", "doctor", "new", "pack", "completions", "man"];

#[test]
fn the_help_of_each_command_has_an_example_and_no_escapes_in_a_pipe() {
    let all = text(&corprof(&["--help"]).output().unwrap());
    for name in COMMANDS {
        assert!(all.contains(&format!("\n  {name} ")), "{all}");
        let help = text(&corprof(&[name, "--help"]).output().unwrap());
        assert!(help.contains(&format!("corprof {name}")) && help.contains("Example"), "{help}");
        assert!(!help.contains('\u{1b}'), "{help}");
    }
}

#[test]
fn colours_are_forced_and_refused_by_the_usual_variables() {
    let forced = corprof(&["--help"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(text(&forced).contains('\u{1b}'));
    let refused = corprof(&["--help"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!text(&refused).contains('\u{1b}'));
}

#[test]
fn a_narrow_window_wraps_the_help() {
    let help = text(&corprof(&["doctor", "--help"]).env("COLUMNS", "30").output().unwrap());
    let longest = help.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest <= 30), "{help}");
    // The words are all there.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let wide = text(&corprof(&["doctor", "--help"]).env("COLUMNS", "200").output().unwrap());
    assert_eq!(words(&help), words(&wide));
}

#[test]
fn a_closed_pipe_ends_the_command_without_a_message() {
    for arguments in [&["man"][..], &["completions", "bash"], &["--help"]] {
        let mut child = corprof(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        // The rest of the output has no reader.
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
    }
}
