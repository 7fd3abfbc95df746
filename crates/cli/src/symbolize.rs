//! `corprof symbolize`: a filter that replaces method identities by names.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use clrnames::{MethodIdentity, Symbol, SymbolError, Symbolizer};
use corprof_in_process::printable::Printable;

/// The format of a method.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// Namespace.Type<int>.Method<string>
    Name,
    /// The name with the types and names of the parameters
    Signature,
    /// As the source declares it
    Declaration,
    /// As ILAsm
    Il,
    /// The source method that it was lowered from
    Source,
}

#[derive(Debug, Args)]
pub(crate) struct SymbolizeArgs {
    /// A folder with assemblies, folders below it included, or one assembly; may be repeated
    #[arg(short, long, value_name = "PATH", required = true)]
    assemblies: Vec<PathBuf>,
    /// The format of the names
    #[arg(short, long, value_name = "FORM", value_enum, default_value_t = Form::Name)]
    form: Form,
    /// The log; standard input if none is given
    #[arg(value_name = "LOG")]
    log: Option<PathBuf>,
}

/// Copies the log to standard output, with names in the place of identities. Identities without a name are kept, and
/// reported at the end.
pub(crate) fn main(arguments: &SymbolizeArgs) -> Result<ExitCode> {
    let symbols = symbolizer(&arguments.assemblies)?;
    let input: Box<dyn BufRead> = match &arguments.log {
        Some(path) => Box::new(BufReader::new(
            File::open(path).with_context(|| format!("cannot open the log {}", path.display()))?,
        )),
        None => Box::new(io::stdin().lock()),
    };
    let failures = filter(&symbols, arguments.form, input, BufWriter::new(io::stdout().lock()))?;
    let Some(first) = failures.first() else { return Ok(ExitCode::SUCCESS) };
    eprintln!(
        "error: {} methods have no name; the first: {}\n\
         name the folders of the program's assemblies and of its framework with --assemblies, of the same \
         builds that were running",
        failures.len(),
        Printable(first)
    );
    Ok(ExitCode::FAILURE)
}

/// Reads assemblies: files, and folders with all below them.
pub(crate) fn symbolizer(assemblies: &[PathBuf]) -> Result<Symbolizer> {
    let mut symbols = Symbolizer::new();
    for path in assemblies {
        if path.is_dir() { symbols.add_tree(path) } else { symbols.add_file(path) }
            .with_context(|| format!("--assemblies {}", path.display()))?;
    }
    Ok(symbols)
}

/// Copies lines, and returns the error of each identity without a name.
fn filter(
    symbols: &Symbolizer,
    form: Form,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // A line that is not UTF-8 has no identities.
        match str::from_utf8(&line) {
            Ok(text) => output.write_all(replaced(symbols, form, text, &mut failures).as_bytes())?,
            Err(_) => output.write_all(&line)?,
        }
        line.clear();
    }
    output.flush()?;
    Ok(failures)
}

/// A line with names in the place of identities.
fn replaced(symbols: &Symbolizer, form: Form, line: &str, failures: &mut Vec<String>) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(found) = next(rest) {
        text.push_str(found.before);
        match symbols.method(&found.identity).and_then(|symbol| spelled(&symbol, form)) {
            // The rest of the line belongs to the log.
            Ok(name) => text.push_str(&Printable(&name).to_string()),
            Err(error) => {
                failures.push(error.to_string());
                text.push_str(found.text);
            }
        }
        rest = found.after;
    }
    text + rest
}

/// An identity in a line.
struct Found<'l> {
    before: &'l str,
    identity: MethodIdentity,
    text: &'l str,
    after: &'l str,
}

fn next(line: &str) -> Option<Found<'_>> {
    // An identity has the only exclamation mark that comes after 32 hexadecimal digits.
    line.match_indices('!').find_map(|(mark, _)| {
        let begin = mark.checked_sub(32)?;
        let (identity, after) = MethodIdentity::parse_prefix(line.get(begin..)?).ok()?;
        let text = line.get(begin..line.len() - after.len())?;
        Some(Found { before: line.get(..begin)?, identity, text, after })
    })
}

fn spelled(symbol: &Symbol<'_>, form: Form) -> Result<String, SymbolError> {
    Ok(match form {
        Form::Name => symbol.format()?.name,
        Form::Signature => symbol.format()?.signature,
        Form::Declaration => symbol.declaration()?.text,
        Form::Il => symbol.il_name()?,
        Form::Source => match symbol.source_method()? {
            Some(source) => source.full_name,
            None => symbol.declaration()?.name,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff!06000001<int>(string)";

    #[test]
    fn identities_are_found_in_lines() {
        let line = format!("3 ms! in [{ID}] (of 5)\n");
        let found = next(&line).unwrap();
        assert_eq!((found.before, found.text, found.after), ("3 ms! in [", ID, "] (of 5)\n"));
        assert!(next("nothing! here").is_none());
    }

    #[test]
    fn identities_without_names_are_kept_and_reported() {
        let symbols = Symbolizer::new();
        let line = format!("a {ID} b {ID}\n\u{e9}\n");
        let mut output = Vec::new();
        let failures = filter(&symbols, Form::Name, line.as_bytes(), &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), line);
        assert_eq!(failures.len(), 2);
        assert!(failures[0].contains("00112233445566778899aabbccddeeff"), "{}", failures[0]);
    }
}
