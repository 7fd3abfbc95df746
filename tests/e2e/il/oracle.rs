//! Bodies as the .NET libraries read them: `apps/iloracle`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use cilbody::{Clause, ClauseKind, MethodBody, Operand};
use corprof_testkit::dotnet::{self, RuntimeVersion};
use corprof_testkit::launch::{self, Launch};
use e2e::app::{App, Build};
use sigparse::token::{MethodDef, StandAloneSig};

/// The oracle's line of each method body, by the path of its assembly and its token.
pub(crate) struct Oracle(HashMap<PathBuf, HashMap<String, String>>);

impl Oracle {
    /// Has the oracle read the assemblies.
    pub(crate) fn ask(files: &[PathBuf]) -> Result<Self> {
        let app = App::compile("iloracle", RuntimeVersion::V9_0, Build::Optimised)?;
        let folder = launch::scratch("il-oracle")?;
        let (input, output) = (folder.join("input"), folder.join("output"));
        let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        fs::write(&input, lines.join("\n"))?;
        let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
        let launch = Launch::new(&runtime, &app.dll).args([&input, &output]);
        launch.timeout(Duration::from_secs(900)).run()?.ok()?;
        let mut oracle = HashMap::new();
        let mut bodies: Option<&mut HashMap<String, String>> = None;
        for line in fs::read_to_string(&output)?.lines() {
            if let Some(path) = line.strip_prefix("= ") {
                bodies = Some(oracle.entry(PathBuf::from(path)).or_default());
                continue;
            }
            let (token, rest) = line.split_once(' ').context("a line without a token")?;
            let bodies = bodies.as_mut().context("a body of no assembly")?;
            bodies.insert(token.to_owned(), rest.to_owned());
        }
        Ok(Self(oracle))
    }

    /// What differs between a body and the oracle's line.
    pub(crate) fn difference(&self, path: &PathBuf, method: MethodDef, bytes: &[u8]) -> Result<(), String> {
        let token = format!("{:08X}", method.token());
        let expected = self.0.get(path).and_then(|bodies| bodies.get(&token));
        let expected = expected.ok_or("the oracle has no such body")?;
        let found = line(bytes).map_err(|error| error.to_string())?;
        (found == *expected).then_some(()).ok_or(format!("{found}\n  the oracle: {expected}"))
    }

    /// The number of bodies of an assembly.
    pub(crate) fn count(&self, path: &PathBuf) -> usize {
        self.0.get(path).map_or(0, HashMap::len)
    }
}

/// A body in the oracle's form, without the token.
fn line(bytes: &[u8]) -> Result<String, cilbody::Error> {
    let body = MethodBody::parse(bytes)?;
    let locals = body.local_var_sig().map_or(0, StandAloneSig::token);
    let init = u8::from(body.init_locals());
    let hash = hash(&listing(&body)?);
    let mut line = format!("{} {init} {locals:08X} {} {hash:016X}", body.max_stack(), body.code_size());
    for clause in body.clauses() {
        let Clause { protected, handler, kind } = clause?;
        let (kind, last) = match kind {
            ClauseKind::Catch(ty) => ("catch", ty.0),
            ClauseKind::Filter(filter) => ("filter", filter),
            ClauseKind::Finally => ("finally", 0),
            ClauseKind::Fault => ("fault", 0),
        };
        let (start, length) = (protected.start, protected.len());
        write!(line, " {kind}:{start}+{length}:{}+{}:{last:X}", handler.start, handler.len()).unwrap();
    }
    Ok(line)
}

fn listing(body: &MethodBody<'_>) -> Result<String, cilbody::Error> {
    let mut text = String::new();
    for instruction in body.instructions() {
        let instruction = instruction?;
        write!(text, "{} {}", instruction.offset, instruction.info().name).unwrap();
        match instruction.operand() {
            Operand::None => Ok(()),
            Operand::I4(value) => write!(text, " {value}"),
            Operand::I8(value) => write!(text, " {value}"),
            Operand::R4(bits) => write!(text, " {bits:X}"),
            Operand::R8(bits) => write!(text, " {bits:X}"),
            Operand::Variable(number) => write!(text, " {number}"),
            Operand::Target(target) => write!(text, " >{target}"),
            Operand::Token(token) => write!(text, " {:08X}", token.0),
            Operand::Switch(targets) => {
                for target in targets {
                    write!(text, " >{}", target?).unwrap();
                }
                Ok(())
            }
        }
        .unwrap();
        text.push('\n');
    }
    Ok(text)
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}
