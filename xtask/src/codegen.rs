//! `cargo xtask codegen`: generates the checked-in Rust of `corprof-sys` from its C headers.
//!
//! bindgen reads `crates/sys/include`. This module reads what bindgen cannot express (GUID constants)
//! from the same headers. The layout table of the tests lists the results, so that the
//! compiler measures them. `--check` writes nothing and fails when a checked-in file differs.
//!
//! bindgen needs libclang, and users of the crates do not. The system's libclang is used, or else the one in
//! PyPI's `libclang` package, pinned by hash.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use corprof_testkit::download::Pin;
use corprof_testkit::registry::Package;
use corprof_testkit::{paths, piece, unpack};

/// The headers, in the order in which they include each other.
const HEADERS: &[&str] = &["corprof_base.h", "corhdr.h", "cor.h", "corprof.h", "corerror.h"];

/// Targets of both pointer sizes, with different definitions of the integer types. Windows cannot be among
/// them, as its enumerations are signed in C; they have the same size and go through the ABI in the same way.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
];

/// Minor version of the oldest Rust with edition 2024: the generated code must compile with it.
const RUST_MINOR: u64 = 85;

/// `libclang`, for the generator of the raw bindings.
pub(crate) const LIBCLANG: Pin = Pin {
    file: "libclang-18.1.1-py2.py3-none-manylinux2010_x86_64.whl",
    package: Package::Pip { name: "libclang", version: "18.1.1" },
    size: 24_515_943,
    sha256: "c533091d8a3bbf7460a00cb6c1a71da93bffe148f172c7d03b1c31fbf8aa2a0b",
};

/// The variable that tells bindgen where libclang is.
const LIBCLANG_PATH: &str = "LIBCLANG_PATH";

/// Regenerates the checked-in files, or with `check` only compares them.
///
/// When the system has no libclang, this runs the same command again in a child process that has the
/// downloaded one in its environment, and returns the child's outcome.
///
/// # Errors
///
/// When libclang cannot be had, the headers do not compile, or, with `check`, a file is stale.
pub(crate) fn run(check: bool) -> Result<()> {
    if !libclang_loads() {
        return run_with_downloaded_libclang();
    }
    let root = paths::workspace();
    let mut stale = String::new();
    for (path, text) in generate(&root)? {
        let shown = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            continue;
        }
        if check {
            write!(stale, "{shown} is stale:\n{}", first_difference(&old, &text))?;
        } else {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {shown}"))?;
            println!("wrote {shown}");
        }
    }
    ensure!(stale.is_empty(), "{stale}run `cargo xtask codegen` and commit the result");
    Ok(())
}

/// Every generated file with its text.
fn generate(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let sys = root.join("crates").join("sys");
    let include = sys.join("include");
    let guids = read_guids(&include)?;
    let bindings = bindings(root, &include, &guids)?;
    let layout = layout_table(&bindings, &guids)?;
    let guids = guid_constants(&guids)?;
    Ok(vec![
        (sys.join("src/bindings.rs"), format(root, &bindings)?),
        (sys.join("src/guids.rs"), format(root, &guids)?),
        (sys.join("tests/abi/layout_table.rs"), format(root, &layout)?),
    ])
}

/// First lines of a generated file.
fn banner(what: &str) -> String {
    format!("//! {what}\n//!\n//! @generated from `include/*.h` by `cargo xtask codegen`. Do not edit.\n\n")
}

// ---- bindgen and corrections of its output -----------------------------------------------------------

/// The bindings, which have to be the same for all targets.
fn bindings(root: &Path, include: &Path, guids: &[Guid]) -> Result<String> {
    let [first, others @ ..] = TARGETS;
    let text = bindings_for(first, root, include, guids)?;
    for target in others {
        let other = bindings_for(target, root, include, guids)?;
        ensure!(
            text == other,
            "the headers give other bindings for {target} (+) than for {first} (-):\n{}",
            first_difference(&text, &other)
        );
    }
    Ok(text)
}

fn bindings_for(target: &str, root: &Path, include: &Path, guids: &[Guid]) -> Result<String> {
    let all: String = HEADERS.iter().map(|header| format!("#include \"{header}\"\n")).collect();
    let rust = bindgen::RustTarget::stable(RUST_MINOR, 0).map_err(|error| anyhow!("{error}"))?;
    let mut builder = bindgen::Builder::default()
        .rust_target(rust)
        .header_contents("corprof_all.h", &all)
        .clang_arg(format!("-I{}", include.display()))
        // The same output on every host: no header outside the folder is read, and the target is given.
        .clang_args(["-DCORPROF_NO_STDINT", "-nostdinc", "-std=c99", &format!("--target={target}")])
        .use_core()
        .layout_tests(false)
        .derive_default(false)
        // Interfaces are objects of the runtime: a copy of one is a mistake. Vtables print nothing useful.
        .no_copy("I[A-Z][A-Za-z]+[0-9]*")
        .no_debug(".*Vtbl")
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: true })
        .translate_enum_integer_types(true)
        .prepend_enum_name(false)
        .disable_header_comment()
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::Rustfmt)
        .rustfmt_configuration_file(Some(root.join("rustfmt.toml")))
        .parse_callbacks(Box::new(Derives));
    for guid in guids {
        builder = builder.blocklist_var(&guid.name);
    }
    let text = builder.generate().context("bindgen cannot read the headers of corprof-sys")?.to_string();
    // Without `extern "system"` the bindings would be wrong on 32-bit Windows, and right everywhere else.
    let text = text.replace("extern \"C\" fn", "extern \"system\" fn");
    ensure!(!text.contains("extern \"C\""), "the headers declare something that is not a type or a value");
    let text = plain_slots(&text)?;
    let text: String = text.lines().map(|line| readable(line) + "\n").collect();
    Ok(banner("Types, constants and vtables, by bindgen.") + &text)
}

/// GUIDs are compared and hashed; nothing else needs more than the default derives.
#[derive(Debug)]
struct Derives;

impl bindgen::callbacks::ParseCallbacks for Derives {
    fn add_derives(&self, info: &bindgen::callbacks::DeriveInfo<'_>) -> Vec<String> {
        match info.name {
            "GUID" => ["PartialEq", "Eq", "PartialOrd", "Ord", "Hash"].map(String::from).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Removes the `Option` from the fields of vtables: a slot is never null. Callback typedefs keep it,
/// because the runtime accepts null for "none".
fn plain_slots(text: &str) -> Result<String> {
    const OPTION: &str = "::core::option::Option<";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("Vtbl {\n") {
        let (before, body) = rest.split_at(at);
        let end = body.find("\n}").context("a vtable without an end")?;
        out.push_str(before);
        let (mut body, after) = body.split_at(end);
        while let Some(at) = body.find(OPTION) {
            out.push_str(body.get(..at).unwrap_or_default());
            let inner = body.get(at + OPTION.len()..).unwrap_or_default();
            let close = closing_angle(inner).context("an Option without an end")?;
            out.push_str(inner.get(..close).unwrap_or_default().trim().trim_end_matches(','));
            body = inner.get(close + 1..).unwrap_or_default();
        }
        out.push_str(body);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Index of the `>` that closes an angle bracket opened just before `text`; the one of an arrow does not count.
fn closing_angle(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if previous == '-' => {}
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
        previous = c;
    }
    None
}

/// Documentation as comments; HRESULTs and larger values in hexadecimal, as the headers of Windows have them.
fn readable(line: &str) -> String {
    let indent = &line[..line.len() - line.trim_start().len()];
    if let Some(doc) = line.trim().strip_prefix("#[doc = \"").and_then(|doc| doc.strip_suffix("\"]")) {
        let doc = doc.replace("\\\"", "\"");
        return doc
            .split("\\n")
            .map(|l| format!("{indent}///{l}").trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n");
    }
    let Some((head, value)) = line.split_once(" = ") else { return line.to_owned() };
    if !head.starts_with("pub const ") {
        return line.to_owned();
    }
    if head.ends_with(": HRESULT") {
        if let Ok(value) = value.trim_end_matches(';').parse::<i32>() {
            return match value {
                0.. => format!("{head} = {value:#X};"),
                _ => format!("{head} = {:#010X}_u32 as HRESULT;", value.cast_unsigned()),
            };
        }
    } else if let Some((name, Ok(number))) =
        value.trim_end_matches(");").split_once('(').map(|(name, number)| (name, number.parse::<u32>()))
        && number > 9
    {
        return format!("{head} = {name}({number:#X});");
    }
    line.to_owned()
}

// ---- GUIDs -------------------------------------------------------------------------------------------

struct Guid {
    name: String,
    /// The eleven numbers of the declaration, as they are written there.
    parts: Vec<String>,
}

fn read_guids(include: &Path) -> Result<Vec<Guid>> {
    let mut guids = Vec::new();
    for header in HEADERS {
        let text = read(&include.join(header))?;
        for arguments in invocations(&text, "CORPROF_GUID") {
            let mut parts: Vec<_> = arguments.split(',').map(|part| part.trim().to_owned()).collect();
            ensure!(parts.len() == 12, "{header}: CORPROF_GUID({arguments}) has not 12 arguments");
            guids.push(Guid { name: parts.remove(0), parts });
        }
    }
    ensure!(!guids.is_empty(), "the headers declare no GUIDs");
    Ok(guids)
}

/// The arguments of each use of a macro at the beginning of a line, on one line.
fn invocations<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let line = line.strip_prefix(name)?.strip_prefix('(')?;
        line.trim_end().trim_end_matches(';').strip_suffix(')')
    })
}

fn guid_constants(guids: &[Guid]) -> Result<String> {
    let mut out = banner("Identifiers of interfaces and classes, and of metadata options.");
    out.push_str("use crate::GUID;\n\n");
    for Guid { name, parts } in guids {
        let [data1, data2, data3, data4 @ ..] = parts.as_slice() else { bail!("{name} is no GUID") };
        let data4 = data4.join(", ");
        writeln!(
            out,
            "pub const {name}: GUID = GUID {{ data1: {data1}, data2: {data2}, data3: {data3}, data4: [{data4}] }};"
        )?;
    }
    Ok(out)
}

// ---- the layout table of the tests -------------------------------------------------------------------

/// A list of everything in the bindings, whose numbers the Rust compiler fills in.
///
/// Names are found by the format of rustfmt's lines. If that misses one, the tests fail: they parse
/// the bindings properly, and require that every item is in this table.
fn layout_table(bindings: &str, guids: &[Guid]) -> Result<String> {
    let (mut structs, mut newtypes, mut aliases, mut values) =
        (String::new(), String::new(), String::new(), String::new());
    let mut lines = bindings.lines().peekable();
    let mut bits = std::collections::BTreeMap::<String, String>::new();
    let mut implementor = String::new();
    while let Some(line) = lines.next() {
        if let Some(name) = word_after(line, "impl ") {
            implementor = name.to_owned();
        } else if let Some(field) = word_after(line, "    pub fn set_") {
            let name = &implementor;
            write!(
                bits.entry(name.clone()).or_default(),
                "(\"{field}\", || bits_set_by(|it: &mut {name}| it.set_{field}(!0))),"
            )?;
        } else if let Some(name) = word_after(line, "pub type ") {
            writeln!(aliases, "(\"{name}\", size_of::<{name}>()),")?;
        } else if let Some((_, name)) =
            line.strip_prefix("pub use self::").and_then(|it| it.split_once(" as "))
        {
            let name = name.trim_end_matches(';');
            writeln!(aliases, "(\"{name}\", size_of::<{name}>()),")?;
        } else if let Some(rest) = line.strip_prefix("pub const ") {
            let (name, rest) = rest.split_once(": ").with_context(|| format!("what is `{line}`?"))?;
            let (kind, _) = rest.split_once(" =").with_context(|| format!("what is `{line}`?"))?;
            match kind {
                "HRESULT" => writeln!(values, "(\"HRESULT\", \"{name}\", {name} as i64),")?,
                "u32" => writeln!(values, "(\"\", \"{name}\", {name} as i64),")?,
                _ => writeln!(values, "(\"{kind}\", \"{name}\", {name}.0 as i64),")?,
            }
        } else if let Some(name) = word_after(line, "pub struct ").or(word_after(line, "pub union ")) {
            if name.starts_with("__Bindgen") {
                continue;
            }
            if line.contains('(') {
                writeln!(newtypes, "(\"{name}\", size_of::<{name}>()),")?;
                continue;
            }
            let mut fields = String::new();
            while let Some(line) = lines.next_if(|line| *line != "}") {
                if let Some(field) = word_after(line, "    pub ").filter(|field| !field.starts_with('_')) {
                    write!(fields, "(\"{field}\", offset_of!({name}, {field})),")?;
                }
            }
            writeln!(
                structs,
                "Layout {{ name: \"{name}\", size: size_of::<{name}>(), align: align_of::<{name}>(), \
                 fields: &[{fields}], bits: &[/*bits of {name}*/] }},"
            )?;
        }
    }
    for (name, bits) in bits {
        structs = structs.replace(&format!("/*bits of {name}*/"), &bits);
    }
    let structs: String = structs.lines().map(|line| strip_mark(line) + "\n").collect();
    let guids: String = guids.iter().map(|guid| format!("(\"{0}\", {0}),\n", guid.name)).collect();
    Ok(banner("Everything in the bindings, as the Rust compiler lays it out.")
        + &format!(
            "use core::mem::{{align_of, offset_of, size_of}};\n\nuse corprof_sys::*;\n\n\
             use crate::layout::{{Layout, bits_set_by}};\n\n\
             /// Structures, unions, interfaces and vtables.\npub(crate) const LAYOUTS: &[Layout] = &[\n{structs}];\n\n\
             /// Enumerations with their size.\npub(crate) const NEWTYPES: &[(&str, usize)] = &[\n{newtypes}];\n\n\
             /// Other names of types, with their size.\npub(crate) const ALIASES: &[(&str, usize)] = &[\n{aliases}];\n\n\
             /// Constants: type, name, value.\npub(crate) const VALUES: &[(&str, &str, i64)] = &[\n{values}];\n\n\
             /// GUIDs.\npub(crate) const GUIDS: &[(&str, GUID)] = &[\n{guids}];\n"
        ))
}

/// Removes the unit that is generated for bit-fields where a structure has none.
fn strip_mark(line: &str) -> String {
    match (line.find("/*bits of "), line.find("*/")) {
        (Some(from), Some(to)) => format!("{}{}", &line[..from], &line[to + 2..]),
        _ => line.to_owned(),
    }
}

/// The identifier that follows `prefix` at the beginning of a line.
fn word_after<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(prefix)?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|word| !word.is_empty())
}

// ---- files and tools ---------------------------------------------------------------------------------

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Formats as `cargo fmt` would, so that the checked-in text is what both produce.
fn format(root: &Path, text: &str) -> Result<String> {
    let rustfmt = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut child = Command::new(&rustfmt)
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(root.join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run rustfmt; `rustup component add rustfmt` installs it")?;
    let mut input = child.stdin.take().context("rustfmt has no input")?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().context("rustfmt did not finish")?;
    writer.join().map_err(|_| anyhow!("the thread that feeds rustfmt failed"))??;
    ensure!(output.status.success(), "rustfmt refused the generated code");
    String::from_utf8(output.stdout).context("rustfmt printed something that is not UTF-8")
}

/// A few lines from the first difference of two texts.
fn first_difference(old: &str, new: &str) -> String {
    const LINES: usize = 5;
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let mut out = format!("  from line {}:\n", same + 1);
    for (sign, text) in [('-', old), ('+', new)] {
        for line in text.lines().skip(same).take(LINES) {
            out.push_str(&format!("  {sign} {line}\n"));
        }
    }
    out
}

// ---- libclang ----------------------------------------------------------------------------------------

/// Whether bindgen finds a libclang. It panics when it does not, and offers no other check.
fn libclang_loads() -> bool {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let version = std::panic::catch_unwind(bindgen::clang_version);
    std::panic::set_hook(hook);
    version.is_ok()
}

/// Runs this very command again with `LIBCLANG_PATH` set, which a process cannot safely do to itself.
fn run_with_downloaded_libclang() -> Result<()> {
    if let Some(path) = std::env::var_os(LIBCLANG_PATH) {
        bail!(
            "{LIBCLANG_PATH} is {}, but no libclang can be loaded from there; \
             set it to the folder of libclang, or unset it to have one downloaded",
            Path::new(&path).display()
        );
    }
    let folder = downloaded_libclang().context(
        "codegen needs libclang: there is none on this system, and PyPI's cannot be had. \
         Install libclang (Debian: libclang-dev), or set LIBCLANG_PATH to its folder",
    )?;
    let status = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(LIBCLANG_PATH, &folder)
        .status()
        .context("cannot run codegen again with the downloaded libclang")?;
    ensure!(status.success(), "codegen failed; its message is above");
    Ok(())
}

/// The folder of PyPI's libclang, downloaded and unpacked under `target` the first time.
fn downloaded_libclang() -> Result<PathBuf> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")),
        "it is pinned for Linux x86-64 (glibc) alone"
    );
    let folder = paths::workspace().join("target").join("libclang-for-codegen");
    piece::ensure(&folder, LIBCLANG.sha256, |into| {
        // The library, and not the Python package around it.
        let name = Path::new("libclang.so");
        let is_library = |path: &Path| path.ends_with(Path::new("clang/native").join(name));
        unpack::wheel(&LIBCLANG, into, |path| is_library(path).then(|| name.to_path_buf()))?;
        ensure!(into.join(name).exists(), "{} has no {}", LIBCLANG.package, name.display());
        Ok(())
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_removed_from_slots_and_kept_in_typedefs() {
        let text = "pub type F = ::core::option::Option<unsafe extern \"C\" fn()>;\n\
                    pub struct AVtbl {\n    pub F: ::core::option::Option<\n        unsafe extern \"C\" fn(x: F) -> u32,\n    >,\n}\n";
        let plain = plain_slots(text).unwrap();
        assert!(plain.contains("pub type F = ::core::option::Option<"));
        assert!(plain.contains("pub F: unsafe extern \"C\" fn(x: F) -> u32,\n}"), "{plain}");
    }

    #[test]
    fn values_are_formatted_as_in_headers() {
        assert_eq!(
            readable("pub const E_FAIL: HRESULT = -2147467259;"),
            "pub const E_FAIL: HRESULT = 0x80004005_u32 as HRESULT;"
        );
        assert_eq!(readable("pub const A: B = B(16);"), "pub const A: B = B(0x10);");
        assert_eq!(readable("pub const A: B = B(3);"), "pub const A: B = B(3);");
        assert_eq!(readable("    #[doc = \" A \\\"b\\\".\"]"), "    /// A \"b\".");
    }

    #[test]
    fn a_difference_names_its_line() {
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), "  from line 2:\n  - b\n  + c\n");
    }
}
