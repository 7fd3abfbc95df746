//! The headers as a C compiler sees them against the bindings as the Rust compiler does.
//!
//! `probe.c` prints everything that `layout_table` lists. These tests need a C compiler, which users of the
//! crate do not.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use corprof_sys::GUID;

use crate::layout::place;
use crate::layout_table::{ALIASES, GUIDS, LAYOUTS, NEWTYPES, VALUES};

/// Vtable slots, sizes, alignments, offsets, bit-fields, values and GUIDs.
#[test]
fn a_c_compiler_agrees_with_the_rust_compiler() {
    let folder = folder("probe");
    let questions = questions();
    let list: String = questions.iter().map(|question| format!("{}\n", question.ask)).collect();
    std::fs::write(folder.join("probe_list.h"), list).unwrap();
    let probe = folder.join(format!("probe{}", std::env::consts::EXE_SUFFIX));
    let compiler = compiler(&folder, false);
    let mut command = compiler.to_command();
    command.arg("-I").arg(&folder).arg("-I").arg(include()).arg(source()).current_dir(&folder);
    if compiler.is_like_msvc() {
        command.arg(format!("/Fe{}", probe.display()));
    } else {
        command.arg("-o").arg(&probe);
    }
    succeed(&mut command);
    let printed = succeed(&mut Command::new(&probe));
    let expected: Vec<_> = questions.into_iter().map(|question| question.answer).collect();
    let printed: Vec<_> = printed.lines().map(places).collect();
    let differences: Vec<_> = printed
        .iter()
        .zip(&expected)
        .filter(|(printed, expected)| printed != expected)
        .map(|(printed, expected)| format!("C says `{printed}`, Rust says `{expected}`"))
        .collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(printed.len(), expected.len());
}

#[test]
fn the_headers_are_c99_without_a_warning() {
    let folder = folder("c99");
    let compiler = compiler(&folder, false);
    if compiler.is_like_msvc() {
        return; // It has no C99 mode; the probe has compiled the headers.
    }
    for header in headers() {
        let mut command = compiler.to_command();
        command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c"]);
        succeed(command.arg(alone(&folder, &header, "c")));
    }
}

/// Users of C++ profilers compare notes with the headers too. Without a C++ compiler there is nothing to see.
#[test]
fn the_headers_are_cpp_without_a_warning() {
    let folder = folder("cpp");
    let compiler = compiler(&folder, true);
    let works = compiler.to_command().arg("--version").output().is_ok_and(|output| output.status.success());
    if compiler.is_like_msvc() || !works {
        eprintln!("no C++ compiler that takes GCC's options: not checked");
        return;
    }
    for header in headers() {
        let mut command = compiler.to_command();
        command.args([
            "-std=c++11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-fsyntax-only",
            "-x",
            "c++",
        ]);
        succeed(command.arg(alone(&folder, &header, "cpp")));
    }
}

/// The questions to the probe, as C, and the expected output.
struct Question {
    ask: String,
    answer: String,
}

fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    let mut add = |ask: String, answer: String| all.push(Question { ask, answer });
    // What Rust has no size for is never declared in C.
    for layout in LAYOUTS.iter().filter(|layout| layout.size > 0) {
        // An interface's vtable has no typedef.
        let name = if layout.name.ends_with("Vtbl") {
            format!("struct {}", layout.name)
        } else {
            layout.name.into()
        };
        add(format!("TYPE({name})"), format!("type {name} {} {}", layout.size, layout.align));
        for (field, offset) in layout.fields {
            let field = if syn::parse_str::<syn::Ident>(field.trim_end_matches('_')).is_err() {
                field.trim_end_matches('_')
            } else {
                field
            };
            add(format!("FIELD({name}, {field})"), format!("field {name} {field} {offset}"));
        }
        for (field, place) in layout.bits {
            add(format!("BITS({name}, {field})"), format!("bits {name} {field} {}", place()));
        }
    }
    for (name, size) in NEWTYPES {
        add(format!("ALIAS({name})"), format!("alias {name} {size}"));
    }
    for (name, size) in ALIASES {
        // In C these are function types; Rust's are the pointers to them.
        let pointer = if is_function(name) { " *" } else { "" };
        add(format!("ALIAS({name}{pointer})"), format!("alias {name}{pointer} {size}"));
    }
    for (_, name, value) in VALUES {
        add(format!("VALUE({name})"), format!("value {name} {value}"));
    }
    for (name, guid) in GUIDS {
        add(format!("IDENTIFIER({name})"), format!("guid {name} {}", in_memory(guid)));
    }
    all
}

fn is_function(name: &str) -> bool {
    ["FunctionID", "FunctionIDOrClientID"].iter().all(|id| name != *id)
        && (name.starts_with("Function") || name.ends_with("Callback"))
}

/// The bytes of a GUID as they lie in memory.
fn in_memory(guid: &GUID) -> String {
    let mut bytes = guid.data1.to_ne_bytes().to_vec();
    bytes.extend(guid.data2.to_ne_bytes());
    bytes.extend(guid.data3.to_ne_bytes());
    bytes.extend(guid.data4);
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// Turns the memory that a `bits` line ends with into the place of the bit-field.
fn places(line: &str) -> String {
    match line.rsplit_once(' ') {
        Some((start, hex)) if start.starts_with("bits ") => {
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            let bytes: Vec<_> = (0..hex.len()).step_by(2).map(byte).collect();
            format!("{start} {}", place(&bytes))
        }
        _ => line.to_owned(),
    }
}

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("abi").join("probe.c")
}

/// A folder of this test run's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_view").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The headers that stand alone.
fn headers() -> Vec<String> {
    let mut headers: Vec<_> = std::fs::read_dir(include())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    headers.sort();
    assert!(headers.len() > 1);
    headers
}

/// A source file that includes one header twice, and nothing else.
fn alone(folder: &Path, header: &str, extension: &str) -> PathBuf {
    let path = folder.join(header).with_extension(extension);
    let line = format!("#include \"{}\"\n", include().join(header).display());
    std::fs::write(&path, format!("{line}{line}")).unwrap();
    path
}

/// The C or C++ compiler of this machine.
fn compiler(folder: &Path, cpp: bool) -> cc::Tool {
    let version = succeed(Command::new("rustc").arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    cc::Build::new()
        .cpp(cpp)
        .target(host)
        .host(host)
        .opt_level(0)
        .debug(false)
        .out_dir(folder)
        .cargo_metadata(false)
        .try_get_compiler()
        .expect("this test compares the bindings with what a C compiler sees: install one (Debian: gcc)")
}

/// What the command prints, or a panic with all that it said.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed:\n{out}{err}");
    out.into_owned()
}
