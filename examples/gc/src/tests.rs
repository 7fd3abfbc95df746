//! The collections of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs::File;
use std::path::Path;

use corprof_double::{Collection, Runtime, Version};
use corprof_tools::streams::{Item, Row, StreamReader, Value};

use crate::Gc;

/// The values of a row, as text.
fn cells(row: &Row<'_>) -> Vec<String> {
    let cell = |value: &Value| match *value {
        Value::Text(text) => row.tables().text(text).unwrap().to_owned(),
        Value::Time(_) | Value::Nanoseconds(_) => "time".to_owned(),
        value => value.number().unwrap().to_string(),
    };
    row.values().iter().map(cell).collect()
}

/// The rows of a stream, and the reason for the end of the session.
fn recorded(path: &Path, stream: &str) -> (Vec<Vec<String>>, Option<String>) {
    let mut reader = StreamReader::new(File::open(path).unwrap()).unwrap();
    let (mut rows, mut end) = (Vec::new(), None);
    while let Some(item) = reader.next().unwrap() {
        match item {
            Item::Row(row) if &*row.stream().name == stream => rows.push(cells(&row)),
            Item::End(session) => end = session.end.as_ref().map(|end| end.reason.clone()),
            _ => {}
        }
    }
    (rows, end)
}

#[test]
fn collections_are_recorded_with_generation_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gc.clrec");
    // The fake runtime has no events: a collection is what the callbacks report, as before .NET 5.
    let runtime = Runtime::new(Version::NET_CORE_3_1);
    let settings = format!("GC_OUT={}\nGC_LAST=2", out.display());
    let session = runtime.attach::<Gc>(settings.as_bytes()).unwrap();
    session.collect(&Collection::of(0));
    session.collect(&Collection::of(2).induced());
    session.collect(&Collection::of(0));
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let (rows, end) = recorded(&out, "collections");
    assert_eq!(end.as_deref(), Some("the program has ended"));
    let rows: Vec<_> = rows.iter().map(|row| row[2..7].join(" ")).collect();
    assert_eq!(rows, ["1 0 blocking other 0", "2 2 blocking Induced 1", "3 0 blocking other 0"]);
    let sizes = recorded(&out, "sizes").0;
    assert_eq!(sizes.iter().map(|row| row[..2].join(" ")).filter(|row| row == "2 4").count(), 1);
    assert_eq!(sizes.len(), 15);
    assert_eq!(recorded(&out, "pauses").0.len(), 3);
}

#[test]
fn wrong_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gc.clrec");
    for settings in ["GC_LAST=2".to_owned(), format!("GC_OUT={}\nGC_LAST=-1", out.display())] {
        let runtime = Runtime::new(Version::NET_CORE_3_1);
        assert!(runtime.attach::<Gc>(settings.as_bytes()).is_err(), "{settings}");
    }
}
