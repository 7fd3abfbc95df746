//! The collections of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs;

use corprof_double::{Collection, Runtime, Version};

use crate::Gc;

#[test]
fn collections_are_listed_by_generation_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gc.txt");
    // The fake runtime has no events: a collection is what the callbacks report, as before .NET 5.
    let runtime = Runtime::new(Version::NET_CORE_3_1);
    let session = runtime.attach::<Gc>(format!("GC_OUT={}\nGC_LAST=2", out.display()).as_bytes()).unwrap();
    session.collect(&Collection::of(0));
    session.collect(&Collection::of(2).induced());
    session.collect(&Collection::of(0));
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains(": 3 collections in "), "{text}");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|row: &Vec<_>| row.len() >= 9)
        .collect();
    let of_generation = |generation: &str| {
        let row = rows.iter().find(|row| row.len() == 9 && row[8] == generation).unwrap();
        (row[0], row[1])
    };
    assert_eq!((of_generation("0"), of_generation("2")), (("2", "0"), ("1", "1")));
    let listed: Vec<_> = rows
        .iter()
        .filter(|row| row.len() > 20 && row[0] != "number")
        .map(|row| (row[0], row[2], row[3], row[4]))
        .collect();
    assert_eq!(listed, [("2", "2", "blocking", "Induced"), ("3", "0", "blocking", "other")]);
}
