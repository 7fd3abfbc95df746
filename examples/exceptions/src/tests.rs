//! The exceptions of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs::File;
use std::path::Path;

use corprof_double::{Runtime, Value, Version};
use corprof_tools::streams::{self, Item, Row, StreamReader};

use crate::Exceptions;

/// The texts of a row, and its stack, innermost first.
fn cells(row: &Row<'_>) -> Vec<String> {
    let tables = row.tables();
    let cell = |value: &streams::Value| match *value {
        streams::Value::Text(text) => Some(tables.text(text).unwrap().to_owned()),
        streams::Value::Node(node) => {
            let frames = tables.stack(node).map(|frame| tables.frame_name(frame));
            Some(frames.collect::<Vec<_>>().join(" < "))
        }
        streams::Value::Count(number) => Some(number.to_string()),
        _ => None,
    };
    row.values().iter().filter_map(cell).collect()
}

fn recorded(path: &Path, stream: &str) -> Vec<String> {
    let mut reader = StreamReader::new(File::open(path).unwrap()).unwrap();
    let mut rows = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        if let Item::Row(row) = item
            && &*row.stream().name == stream
        {
            rows.push(cells(&row).join(", "));
        }
    }
    rows
}

#[test]
fn caught_and_uncaught_exceptions_are_recorded() {
    // A profiler that is attached later, too.
    for _ in 0..2 {
        exceptions_are_recorded();
    }
}

fn exceptions_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("exceptions.clrec");
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").with_path("/app/App.dll");
    let error = app.class_extending("App.Error", runtime.exception());
    let class = app.class("App.Program");
    let (main, fail) = (class.method("Main").is_static().define(), class.method("Fail").is_static().define());

    let data = format!("EXCEPTIONS_OUT={}\nEXCEPTIONS_TOP=1", out.display());
    let session = runtime.attach::<Exceptions>(data.as_bytes()).unwrap();
    session.load(app);
    let message = session.string("no\nitem");
    let exception = session.object(&error, &[("_message", Value::Reference(Some(message)))]);
    for _ in 0..3 {
        let caught = session.call_catching(
            &main,
            &[],
            || session.call(&fail, &[], || Err(session.throw(exception))),
            |_| Ok(().into()),
        );
        caught.unwrap();
    }
    let uncaught = session.call(&fail, &[], || Err(session.throw(exception)));
    assert!(uncaught.is_err());
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let caught = "App.Error, no\nitem, App.Program.Main, App.Program.Fail < App.Program.Main";
    let mut rows: Vec<String> = (1..4).map(|number| format!("{number}, {caught}")).collect();
    rows.push("4, App.Error, no\nitem, [not caught], App.Program.Fail".to_owned());
    assert_eq!(recorded(&out, "exceptions"), rows);
    assert!(recorded(&out, "again").is_empty());
}

#[test]
fn invalid_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("exceptions.clrec");
    let settings = |more: &str| format!("EXCEPTIONS_OUT={}\n{more}", out.display());
    let attach = |data: &str| {
        let runtime = Runtime::new(Version::NET_9);
        runtime.attach::<Exceptions>(data.as_bytes()).is_ok()
    };
    for data in [settings("EXCEPTIONS_TOP=x"), settings("EXCEPTIONS_TO=1"), "EXCEPTIONS_OUT=x.txt".to_owned()]
    {
        assert!(!attach(&data), "{data}");
    }
    assert!(attach(&settings("EXCEPTIONS_TOP=1")));
}
