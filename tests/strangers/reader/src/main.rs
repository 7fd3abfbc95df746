//! Prints how often each method was called, and the rows of each stream: `stranger-reader FILE`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Seek};

use recording::streams::{Item, StreamReader};
use recording::{EventKind, Reader};

/// The calls by method, and the rows by stream.
type Counts = (BTreeMap<String, u64>, BTreeMap<String, u64>);

fn count(mut file: impl Read + Seek) -> Result<Counts, Box<dyn Error>> {
    let (mut calls, mut rows) = Counts::default();
    let mut reader = Reader::new(&mut file)?;
    while let Some(event) = reader.next()? {
        if let EventKind::Enter(function, _) = event.kind {
            *calls.entry(function.name.clone()).or_default() += 1;
        }
    }
    file.rewind()?;
    let mut reader = StreamReader::new(file)?;
    while let Some(item) = reader.next()? {
        if let Item::Row(row) = item {
            *rows.entry(row.stream().name.to_string()).or_default() += 1;
        }
    }
    Ok((calls, rows))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: stranger-reader FILE")?;
    let (calls, rows) = count(File::open(path)?)?;
    for (name, count) in calls {
        println!("{count:8} calls of {name}");
    }
    for (name, count) in rows {
        println!("{count:8} rows of {name}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::{Arc, Mutex};

    use recording::streams::{Emitted, Field, FieldType, Schema, SessionStart, Value};
    use recording::{Function, Options, Recorder};

    use super::*;

    /// A file in memory that the recorder writes.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn calls_and_rows_are_counted() {
        static TICKS: Schema = Schema::new("ticks", &[Field::plain("time", FieldType::TIME)]);
        let written = Written::default();
        let recorder =
            Recorder::start(written.clone(), Options::default(), |error| panic!("{error}")).unwrap();
        let add = recorder.define(&Function { name: "Shop.Add".into(), ..Function::default() }).unwrap();
        let mut thread = recorder.thread(1);
        for _ in 0..3 {
            thread.enter_failed(&add, "no arguments");
        }
        drop(thread);
        let session = recorder.session(&SessionStart { tool: "mine", ..SessionStart::default() }).unwrap();
        let ticks = session.stream(&TICKS).unwrap();
        for _ in 0..2 {
            assert_eq!(ticks.emit(&[Value::Time(recorder.ticks())]), Emitted::Kept);
        }
        session.end("stopped");
        recorder.finish().unwrap();
        let bytes = written.0.lock().unwrap().clone();
        let (calls, rows) = count(Cursor::new(bytes)).unwrap();
        assert_eq!(calls, [("Shop.Add".to_owned(), 3)].into());
        assert_eq!(rows, [("ticks".to_owned(), 2)].into());
    }
}
