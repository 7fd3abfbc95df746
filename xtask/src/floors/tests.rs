//! A crate of a few files, to which violations are added.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

const RULES: &str = "
    # A comment.
    crates:
    tool
    base

    modules of tool:
    profiler
    hooks+calls threads
    runtime names
    raw
    error

    exceptions:
    tool: names -> runtime does not go down
";

/// A crate without violations.
fn files() -> BTreeMap<&'static str, String> {
    [
        ("lib.rs", "mod error; mod names; mod profiler; mod raw; mod runtime; pub use error::Error; pub use names::*;"),
        ("error.rs", "pub struct Error; impl Error { pub fn new() -> Self { Error } }"),
        ("raw/mod.rs", "mod buffers; pub(crate) use buffers::Buffer; macro_rules! call { () => { 1 } } pub(crate) use call;"),
        ("raw/buffers.rs", "use crate::error::Error; pub(crate) struct Buffer(Error);"),
        ("runtime/mod.rs", "pub mod heap; use crate::raw::{self, Buffer}; pub struct Info(Buffer); fn f() { raw::call!() }"),
        ("runtime/heap.rs", "use super::Info; fn g(info: &Info) -> crate::error::Error { crate::error::Error::new() }"),
        ("names.rs", "use std::fmt; use crate::raw::Buffer as Bytes; pub struct Names(Bytes);"),
        ("profiler.rs", "use crate::{names, runtime::Info}; pub trait Profiler { fn start(_: &Info) -> names::Names; }"),
    ]
    .map(|(name, text)| (name, text.to_owned()))
    .into()
}

fn analyse(files: &BTreeMap<&'static str, String>) -> Vec<Finding> {
    let read = |path: &Path| files.get(path.to_str()?).cloned();
    let tree = Tree::of(&read).unwrap();
    let rules = Rules::parse(RULES).unwrap();
    findings_in("tool", &tree, &imports::of(&tree), rules.modules_of("tool"))
}

/// The findings once `text` has been added to a file.
fn with(file: &'static str, text: &str) -> Vec<Finding> {
    let mut files = files();
    files.entry(file).or_default().push_str(text);
    analyse(&files)
}

fn finding(key: &str, details: &[&str]) -> Vec<Finding> {
    vec![Finding {
        key: key.to_owned(),
        details: details.iter().map(|detail| (*detail).to_owned()).collect(),
    }]
}

#[test]
fn imports_that_go_down_are_allowed() {
    assert_eq!(analyse(&files()), []);
}

#[test]
fn a_path_that_only_the_call_of_a_macro_completes_is_found() {
    let text = "\nmacro_rules! infos { ($($info:ident)*) => { $(impl From<crate::$info> for Buffer {})* } }\ninfos! { Info }";
    assert_eq!(
        with("raw/buffers.rs", text),
        finding(
            "tool: paths from the root that only a macro's call completes",
            &["raw/buffers.rs:2: crate::$…"]
        )
    );
    assert_eq!(with("raw/buffers.rs", "macro_rules! own { ($x:ident) => { $crate::raw::$x } }").len(), 1);
    assert_eq!(
        with("raw/buffers.rs", "macro_rules! own { ($x:ident) => { sys::$x; $crate::raw::Buffer } }"),
        []
    );
}

#[test]
fn an_upward_import_is_found() {
    let up = "tool: raw -> runtime does not go down";
    assert_eq!(
        with("raw/buffers.rs", "\nuse crate::runtime::Info;"),
        finding(up, &["raw/buffers.rs:2: crate::runtime::Info"])
    );
    // In a path, in a macro's tokens, through a module, by another name.
    assert_eq!(with("raw/buffers.rs", "fn f(_: &crate::runtime::Info) {}").len(), 1);
    assert_eq!(with("raw/buffers.rs", "fn f() { println!(\"{}\", crate::runtime::heap::g()) }").len(), 1);
    assert_eq!(
        with("raw/buffers.rs", "use super::super::runtime as above; fn f(_: above::Info) {}").len(),
        1
    );
    assert_eq!(with("raw/mod.rs", "pub(crate) use crate::runtime::Info;").len(), 1);
    assert_eq!(with("runtime/mod.rs", "fn f() { use crate::profiler::Profiler; }").len(), 1);
}

#[test]
fn modules_of_one_floor_do_not_import_each_other() {
    assert_eq!(
        with("runtime/heap.rs", "use crate::names::Names;")[0].key,
        "tool: runtime -> names does not go down"
    );
}

#[test]
fn joined_modules_import_each_other_and_no_others_of_their_floor() {
    let mut files = files();
    files.entry("lib.rs").or_default().push_str("mod hooks; mod calls; mod threads;");
    files.insert("hooks.rs", "use crate::calls::Calls; pub struct Hooks;".to_owned());
    files.insert("calls.rs", "use crate::hooks::Hooks; use crate::raw::Buffer; pub struct Calls;".to_owned());
    files.insert("threads.rs", "pub struct Thread;".to_owned());
    assert_eq!(analyse(&files), []);
    files.entry("calls.rs").or_default().push_str("use crate::threads::Thread;");
    assert_eq!(analyse(&files)[0].key, "tool: calls -> threads does not go down");
}

#[test]
fn an_import_through_the_root_is_found() {
    let key = "tool: imports through lib.rs";
    assert_eq!(
        with("raw/buffers.rs", "use crate::Error as E;"),
        finding(key, &["raw/buffers.rs:1: crate::Error"])
    );
    let exported = "#[macro_export] macro_rules! made { () => { $crate::Error::new() } }";
    assert_eq!(with("raw/buffers.rs", exported), []);
    assert_eq!(with("raw/buffers.rs", exported.strip_prefix("#[macro_export]").unwrap())[0].key, key);
    // By a glob of the root's, and what the root declares itself.
    assert_eq!(with("profiler.rs", "use crate::Names;")[0].key, key);
    let mut files = files();
    files.entry("lib.rs").or_default().push_str("pub type Result<T> = core::result::Result<T, Error>;");
    files.entry("raw/mod.rs").or_default().push_str("fn f() -> crate::Result<()> {}");
    assert_eq!(analyse(&files)[0].key, key);
}

#[test]
fn a_cycle_of_four_files_is_found_and_one_of_three_is_not() {
    let mut files = files();
    files.entry("raw/mod.rs").or_default().push_str("mod a; mod b; mod c; mod d;");
    let of = |next: &str| format!("use super::{next}::f; pub fn f() {{}}");
    for (file, next) in [("raw/a.rs", "b"), ("raw/b.rs", "c"), ("raw/c.rs", "a"), ("raw/d.rs", "a")] {
        files.insert(file, of(next));
    }
    assert_eq!(analyse(&files), []);
    files.insert("raw/c.rs", of("d"));
    let found = analyse(&files);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].key, format!("tool: {CYCLE}4"));
    // The files, and each import.
    assert_eq!(found[0].details.len(), 1 + 4);
    let excepted = |exception: &str| found[0].is_excepted_by(exception);
    assert!(excepted(&format!("tool: {CYCLE}4")) && excepted(&format!("tool: {CYCLE}5")));
    assert!(!excepted(&format!("tool: {CYCLE}3")) && !excepted(&format!("base: {CYCLE}4")));
}

#[test]
fn a_module_that_only_reexports_depends_on_none_of_its_children() {
    let mut files = files();
    files.insert(
        "raw/mod.rs",
        "mod a; mod b; mod c; mod d; pub use a::A; pub use b::B; pub use c::C; pub struct Base; ".to_owned(),
    );
    for (file, name) in [("raw/a.rs", "A"), ("raw/b.rs", "B"), ("raw/c.rs", "C"), ("raw/d.rs", "D")] {
        files.insert(file, format!("use super::Base; pub struct {name}(Base);"));
    }
    files.insert("raw/buffers.rs", String::new());
    files.insert("names.rs", String::new());
    files.insert("runtime/mod.rs", "pub struct Info;".to_owned());
    files.insert("profiler.rs", String::new());
    assert_eq!(analyse(&files), []);
}

#[test]
fn tests_may_import_upwards() {
    assert_eq!(with("raw/buffers.rs", "#[cfg(test)] mod tests { use crate::runtime::Info; }"), []);
    assert_eq!(with("raw/buffers.rs", "#[cfg(test)] use crate::runtime::Info;"), []);
    assert_eq!(with("raw/mod.rs", "#[cfg(test)] mod missing;"), []);
}

#[test]
fn a_module_has_to_have_a_floor() {
    let mut files = files();
    files.entry("lib.rs").or_default().push_str("mod new;");
    files.insert("new.rs", "use crate::error::Error;".to_owned());
    assert_eq!(analyse(&files)[0].key, "tool: the module new is on no floor");
}

#[test]
fn a_crate_is_in_the_folder_of_its_name_without_the_prefix() {
    let found = |name, sources: &str| folder_finding(name, Path::new(sources)).map(|finding| finding.key);
    assert_eq!(found("corprof-calls", "/x/crates/calls/src"), None);
    assert_eq!(found("corprof", "/x/crates/corprof/src"), None);
    let wrong = "corprof-sys is in the folder corprof-sys, and not in sys";
    assert_eq!(found("corprof-sys", "/x/crates/corprof-sys/src").as_deref(), Some(wrong));
}

#[test]
fn crates_may_only_depend_on_lower_ones() {
    let rules = Rules::parse(RULES).unwrap();
    let needs = |name: &str, needed: &str| crate_findings(&rules.crates, name, &[needed.to_owned()]);
    assert_eq!(needs("tool", "base"), []);
    assert_eq!(needs("base", "tool")[0].key, "base -> tool does not go down");
    assert_eq!(needs("tool", "other")[0].key, "tool -> other does not go down");
    assert_eq!(needs("other", "base")[0].key, "other is on no floor");
}

#[test]
fn rules_are_refused_when_they_contradict_themselves() {
    assert_eq!(Rules::parse(RULES).unwrap().exceptions, ["tool: names -> runtime does not go down"]);
    assert!(Rules::parse("crates:\na b\nb").is_err());
    assert!(Rules::parse("a b").is_err());
}
