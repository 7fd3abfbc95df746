//! One C# compiler for a whole test: the processes of the tests send it what they compile.
//!
//! Most of a compilation of a small program is the start of the compiler, whose own code is compiled anew each time.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;

use super::compile::Compiler;

/// The variable that has the folder of the server's socket.
const FOLDER: &str = "CORPROF_COMPILER";

/// A server, until it is dropped.
#[derive(Debug)]
pub struct Server {
    #[cfg(unix)]
    running: unix::Running,
}

impl Server {
    /// Starts a server for the provisioned compiler; an SDK's is started for each compilation.
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub fn start() -> Result<Option<Self>> {
        #[cfg(unix)]
        if let compiler @ Compiler::Driver { .. } = Compiler::find()? {
            return Ok(Some(Self { running: unix::Running::start(&compiler)? }));
        }
        Ok(None)
    }

    /// The variable that makes other processes compile by this server.
    #[must_use]
    pub fn variable(&self) -> (&'static str, &Path) {
        #[cfg(unix)]
        return (FOLDER, self.running.folder());
        #[cfg(not(unix))]
        (FOLDER, Path::new(""))
    }
}

/// What a compilation printed, if it went well.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) is_success: bool,
    pub(super) text: String,
}

/// Compiles by the server that this process was given, if it was given one.
///
/// # Errors
///
/// If the server does not answer.
pub(super) fn compile(compiler: &Compiler, arguments: &[OsString]) -> Result<Option<Answer>> {
    #[cfg(unix)]
    if let (Compiler::Driver { .. }, Some(folder)) = (compiler, std::env::var_os(FOLDER)) {
        return unix::ask(Path::new(&folder), arguments);
    }
    Ok(None)
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};
    use std::process::{Child, ChildStdout, Stdio};

    use anyhow::{Context as _, Result, ensure};

    use super::Answer;
    use crate::dotnet::compile::Compiler;

    #[derive(Debug)]
    pub(super) struct Running {
        child: Child,
        // The folder of the socket: its path is short, wherever the repository is.
        folder: PathBuf,
        #[expect(dead_code, reason = "without a reader, what the server prints would end it")]
        lines: BufReader<ChildStdout>,
    }

    impl Running {
        pub(super) fn start(compiler: &Compiler) -> Result<Self> {
            let folder = std::env::temp_dir().join(format!("corprof-csc-{}", std::process::id()));
            std::fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
            let mut command = compiler.command(&["--serve".into(), folder.join("socket").into()])?;
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .context("cannot start the compiler")?;
            let mut lines = BufReader::new(child.stdout.take().context("it has no output")?);
            let mut line = String::new();
            lines.read_line(&mut line).context("cannot read what the compiler prints")?;
            let running = Self { child, folder, lines };
            ensure!(line.trim_end() == "ready", "the compiler does not serve; it printed {line:?}");
            Ok(running)
        }

        pub(super) fn folder(&self) -> &Path {
            &self.folder
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            // It ends with its standard input.
            drop(self.child.stdin.take());
            // Nothing depends on its end.
            drop(self.child.wait());
            drop(std::fs::remove_dir_all(&self.folder));
        }
    }

    pub(super) fn ask(folder: &Path, arguments: &[OsString]) -> Result<Option<Answer>> {
        let mut request = String::new();
        for argument in arguments {
            match argument.to_str() {
                Some(line) if !line.is_empty() && !line.contains(['\n', '\r']) => request += line,
                // It cannot be sent as a line.
                _ => return Ok(None),
            }
            request.push('\n');
        }
        request.push('\n');
        let socket = folder.join("socket");
        let broken = || format!("the compiler at {} does not answer", socket.display());
        let mut stream = UnixStream::connect(&socket).with_context(broken)?;
        stream.write_all(request.as_bytes()).with_context(broken)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).with_context(broken)?;
        let (text, code) = split(&answer).with_context(broken)?;
        Ok(Some(Answer { is_success: code == "0", text: text.to_owned() }))
    }

    /// The diagnostics, and the exit code on the last line.
    fn split(answer: &str) -> Option<(&str, &str)> {
        let whole = answer.strip_suffix('\n')?;
        Some(whole.rsplit_once('\n').unwrap_or(("", whole)))
    }

    #[cfg(test)]
    mod tests {
        use super::split;

        #[test]
        fn an_answer_that_is_cut_off_is_none() {
            assert_eq!(split("0\n"), Some(("", "0")));
            assert_eq!(split("a.cs(1,1): error\nb\n1\n"), Some(("a.cs(1,1): error\nb", "1")));
            assert_eq!(split("a.cs(1,1): err"), None);
            assert_eq!(split(""), None);
        }
    }
}
