//! A program to record: what it does, as text, and as a recording.

use argvalues::{Integer, Mode, Primitive, RecordWriter, StringUnits, TextWriter, Visitor};
use recording::{
    Defined, Ending, EventKind, Function, Options, Parameter, Process, ReadError, Reader, Recorder,
    ThreadRecorder,
};

/// The functions: one whose calls are only primitives, one whose values are of every kind, one without values.
pub(crate) struct Functions {
    pub(crate) add: Defined,
    pub(crate) sell: Defined,
    pub(crate) run: Defined,
}

pub(crate) const ADD: [Primitive; 3] = [Primitive::I32, Primitive::Bool, Primitive::F64];

impl Functions {
    pub(crate) fn define(recorder: &Recorder) -> Self {
        let parameter = |name: &str, type_name: &str, mode| Parameter {
            name: name.into(),
            type_name: type_name.into(),
            mode,
        };
        let named =
            |name: &str| Function { name: name.into(), module: "shop.dll".into(), ..Function::default() };
        let add = Function { arguments: Some(ADD.into()), result: Some(Primitive::I64), ..named("Shop.Add") };
        let sell = Function {
            has_this: true,
            parameters: vec![
                parameter("item", "Shop.Item", Mode::Value),
                parameter("left", "int", Mode::Out),
            ],
            returns: Some("string".into()),
            ..named("Shop.Sell")
        };
        let run = Function { arguments: Some([].into()), ..named("Shop.Run") };
        let [add, sell, run] = [add, sell, run].map(|function| recorder.define(&function).unwrap());
        Self { add, sell, run }
    }
}

/// Options for tests: little memory, and nothing is written by the time.
pub(crate) fn options() -> Options {
    Options {
        chunk_bytes: 4096,
        chunks: 2,
        process: Process { command: "shop".into(), ..Process::default() },
        ..Options::default()
    }
}

/// The same, with compressed records.
pub(crate) fn compressing() -> Options {
    Options { compressed: true, ..options() }
}

/// Writes a string.
pub(crate) fn string(writer: &mut RecordWriter<'_>, text: &str) {
    let units: Vec<u16> = text.encode_utf16().collect();
    writer.string(&StringUnits { units: &units, length: units.len() });
}

/// Makes a call of everything, and says what it was, line by line.
pub(crate) fn call(thread: &mut ThreadRecorder, functions: &Functions, number: u32, lines: &mut Vec<String>) {
    let depth = thread.depth();
    assert!(thread.enter(&functions.run, |_| None));
    lines.push(format!("{depth} > Shop.Run"));
    // The upper bytes are not of the value.
    let words = [0xABCD_0000_0000 | u64::from(number), 1, 1.5_f64.to_bits()];
    assert!(thread.enter(&functions.add, |index| words.get(index).copied()));
    lines.push(format!("{} > Shop.Add {} true 1.5", depth + 1, number.cast_signed()));
    // Some calls in turn are given the same.
    let customer = format!("customer {}", number / 5);
    thread.enter_values(&functions.sell, |values| {
        let mut writer = values.writer();
        let name = format!("Shop.Item{}", number % 700);
        writer.begin_object(&name);
        writer.field(0, "price");
        writer.integer(Integer::Signed(number.into()));
        writer.end_object(1);
        writer.value_ended();
        string(&mut writer, &customer);
        writer.value_ended();
        writer.elided("int", 0, "out");
    });
    lines.push(format!(
        "{} > Shop.Sell Shop.Item{} {{ price: {number} }} \"{customer}\" int at 0x0 (out)",
        depth + 2,
        number % 700
    ));
    match number % 4 {
        3 => {
            thread.suspend(functions.sell.number());
            lines.push(format!("{} s Shop.Sell", depth + 2));
        }
        0 => {
            thread.leave_values(&functions.sell, |values| {
                string(&mut values.writer(), "sold out");
                values.out(1).integer(Integer::Unsigned(7));
            });
            lines.push(format!("{} < Shop.Sell \"sold out\" 1=7", depth + 2));
        }
        1 => {
            thread.unwind(functions.sell.number(), "System.Exception");
            lines.push(format!("{} x Shop.Sell System.Exception", depth + 2));
        }
        _ => {
            thread.tailcall(functions.sell.number());
            lines.push(format!("{} t Shop.Sell", depth + 2));
        }
    }
    assert!(thread.leave(&functions.add, || Some(u64::from(number).wrapping_neg())));
    lines.push(format!("{} < Shop.Add {}", depth + 1, -i64::from(number)));
    assert!(thread.leave(&functions.run, || None));
    lines.push(format!("{depth} < Shop.Run"));
}

/// What was read: the lines, each with the thread's id in front of it; how many records are missing; the end.
pub(crate) struct Read {
    pub(crate) lines: Vec<(u64, String)>,
    pub(crate) lost: u64,
    pub(crate) ending: Option<Ending>,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut reader = Reader::new(bytes)?;
    let mut read = Read { lines: Vec::new(), lost: 0, ending: None };
    let mut ticks = std::collections::HashMap::new();
    while let Some(event) = reader.next()? {
        let last = ticks.entry(event.thread.number).or_insert(0);
        assert!(event.ticks >= *last, "the time goes back");
        *last = event.ticks;
        let depth = event.depth;
        let mut line = String::new();
        match event.kind {
            EventKind::Enter(function, mut values) => {
                line = format!("{depth} > {}", function.name);
                if let Some(message) = values.failure() {
                    line += &format!(" failed: {message}");
                }
                while !values.is_at_end() {
                    line.push(' ');
                    values.visit_next(&mut TextWriter::new(&mut line)).unwrap();
                }
            }
            EventKind::Leave(function, mut values) => {
                line = format!("{depth} < {}", function.name);
                if function.returns.is_some() || function.result.is_some() {
                    line.push(' ');
                    values.visit_next(&mut TextWriter::new(&mut line)).unwrap();
                }
                while let Some(parameter) = values.parameter().unwrap() {
                    line += &format!(" {parameter}=");
                    values.visit_next(&mut TextWriter::new(&mut line)).unwrap();
                }
            }
            EventKind::Suspend(function) => line = format!("{depth} s {}", function.name),
            EventKind::Resume(function) => line = format!("{depth} r {}", function.name),
            EventKind::Tailcall(function) => line = format!("{depth} t {}", function.name),
            EventKind::Unwind(function, exception) => {
                line = format!("{depth} x {} {exception}", function.name)
            }
            EventKind::Lost(lost) => read.lost += lost,
            EventKind::ThreadEnd(_) => {}
            _ => panic!("an event of a kind that is not written"),
        }
        if !line.is_empty() {
            read.lines.push((event.thread.id, line));
        }
    }
    read.ending = reader.ending();
    Ok(read)
}
