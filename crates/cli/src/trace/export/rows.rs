//! From events to rows of calls, values, methods and stacks.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use argvalues::{JsonWriter, Mode};
use recording::{Function, OpenCall, Parameter, Reader, Step, StepKind, Thread, Timeline, Values};

use super::super::names::{FunctionId, Functions};
use super::super::opened::{Opened, next};
use super::super::per_thread::PerThread;
use super::super::top::item;
use super::table::{Cell, Table};

const CALLS: &str = "
    required int64 call; optional int64 caller; required int64 thread; required int32 thread_number; required int32 depth;
    required int32 method; required int64 stack; required int64 begin; optional int64 duration;
    required binary outcome (STRING); optional binary exception (STRING);
    optional binary arguments (STRING); optional binary result (STRING); optional binary error (STRING);";

const VALUES: &str = "
    required int64 call; required int32 method; required binary kind (STRING); required int32 position;
    required binary name (STRING); required binary type (STRING); required binary value (STRING);
    optional binary text (STRING); optional double number;";

const METHODS: &str = "
    required int32 method; required binary name (STRING); required binary module (STRING);
    required binary signature (STRING); required binary identity (STRING);";

const STACKS: &str = "
    required int64 stack; optional int64 caller; required int32 depth; required int32 method;
    required binary methods (STRING);";

/// The longest text of a stack: the names of deeper calls are missing in it.
const MAX_STACK: usize = 4096;

/// A call that is open.
struct Open {
    thread: Thread,
    depth: u32,
    function: FunctionId,
    stack: usize,
    begun: u64,
    /// If it is exported.
    exported: Option<Exported>,
}

struct Exported {
    call: i64,
    caller: Option<i64>,
    arguments: String,
    /// Why there are no arguments.
    error: Option<String>,
}

/// A path of calls.
#[derive(Default)]
struct Stack {
    caller: usize,
    function: FunctionId,
    /// The path of the call that its innermost call has made last; 0 if there is none.
    called: usize,
}

struct Rows {
    calls: Table,
    values: Table,
    next: i64,
    /// The open calls.
    threads: PerThread<Vec<Open>>,
    /// The first one is that of no call.
    stacks: Vec<Stack>,
    by_caller: HashMap<(usize, usize), usize>,
    /// The names of each function's parameters as keys of JSON: `"name":`.
    keys: Vec<Vec<String>>,
    json: String,
    /// Memory of former texts.
    spare: Vec<String>,
}

/// How a call has ended.
struct End<'e> {
    time: Option<u64>,
    outcome: &'e str,
    exception: Option<&'e str>,
    result: Option<&'e str>,
}

/// Writes the tables to a folder. Returns the numbers of calls and of values.
pub(super) fn write(opened: &mut Opened, folder: &Path, part_size: usize) -> Result<(u64, u64)> {
    let Opened { reader, timeline, functions, selection, damage } = opened;
    let mut rows = Rows {
        calls: Table::new(folder, "calls", CALLS, part_size)?,
        values: Table::new(folder, "values", VALUES, part_size)?,
        next: 0,
        threads: PerThread::default(),
        stacks: vec![Stack::default()],
        by_caller: HashMap::new(),
        keys: Vec::new(),
        json: String::new(),
        spare: Vec::new(),
    };
    while let Some(step) = next(reader, damage, |block| {
        let open = rows.threads.peek(block.thread.number);
        let is_open = || open.is_some_and(|open| open.iter().any(|open| open.exported.is_some()));
        selection.may_have_call(block, *timeline, functions, is_open)
    })? {
        let Step { thread, ticks, depth, kind } = step;
        let time = timeline.nanoseconds(ticks);
        match kind {
            StepKind::Enter(number) => {
                rows.end_above(thread, depth)?;
                let id = functions.id(number, reader.functions());
                rows.begin(thread, depth, id, time);
                if selection.has(thread, time) && functions.is_selected(id) {
                    rows.export(thread, functions.function(id), reader.values()?)?;
                }
            }
            StepKind::Resume(number) => {
                // It has a row already, of its beginning.
                rows.end_above(thread, depth)?;
                rows.begin(thread, depth, functions.id(number, reader.functions()), time);
            }
            StepKind::Leave(_) | StepKind::Tailcall(_) | StepKind::Unwind(_) | StepKind::Suspend(_) => {
                rows.end_above(thread, depth.saturating_add(1))?;
                rows.end_with(thread, depth, time, kind, reader, functions)?;
            }
            StepKind::Lost(_) => rows.end_above(thread, depth)?,
            StepKind::ThreadEnd(_) => {
                let open = rows.threads.take(thread.number).unwrap_or_default();
                rows.end_open(open, "open")?;
            }
            StepKind::Resumed => {
                let open = reader.open_calls().to_vec();
                rows.resume(thread, &open, *timeline, |call| {
                    functions.id(call.function, reader.functions())
                })?;
            }
            _ => {}
        }
    }
    for (_, open) in rows.threads.take_all() {
        rows.end_open(open, "open")?;
    }
    rows.finish(functions, folder, part_size)
}

impl Rows {
    /// A call begins.
    fn begin(&mut self, thread: Thread, depth: u32, function: FunctionId, begun: u64) {
        let open = self.threads.get(thread.number);
        let caller = open.last().map_or(0, |open| open.stack);
        let called = self.stacks[caller].called;
        let stack = if called != 0 && self.stacks[called].function == function {
            called
        } else {
            let stacks = &mut self.stacks;
            let stack = *self.by_caller.entry((caller, function.index())).or_insert_with(|| {
                stacks.push(Stack { caller, function, called: 0 });
                stacks.len() - 1
            });
            self.stacks[caller].called = stack;
            stack
        };
        open.push(Open { thread, depth, function, stack, begun, exported: None });
    }

    /// Exports the call that has begun last.
    fn export(&mut self, thread: Thread, function: &Function, mut values: Values<'_>) -> Result<()> {
        let call = self.next;
        self.next += 1;
        let mut arguments = self.spare.pop().unwrap_or_default();
        arguments.clear();
        arguments.push('{');
        let error = values.failure().map(str::to_owned);
        let method = self.threads.get(thread.number).last().map_or(FunctionId::LOST, |open| open.function);
        if function.has_this && !values.is_at_end() {
            self.value(&mut values)?;
            self.row(call, method, "this", -1, ("this", ""))?;
            add(&mut arguments, "\"this\":", &self.json);
        }
        for (index, parameter) in function.parameters.iter().enumerate() {
            if values.is_at_end() {
                break;
            }
            self.value(&mut values)?;
            // An `out` parameter has no value yet.
            if parameter.mode != Mode::Out {
                self.row(call, method, "argument", index, (&parameter.name, &parameter.type_name))?;
                add(&mut arguments, keys(&mut self.keys, method, function, index), &self.json);
            }
        }
        arguments.push('}');
        let open = self.threads.get(thread.number);
        let caller = open.iter().rev().find_map(|open| Some(open.exported.as_ref()?.call));
        if let Some(open) = open.last_mut() {
            open.exported = Some(Exported { call, caller, arguments, error });
        }
        Ok(())
    }

    /// Reads the next value as JSON.
    fn value(&mut self, values: &mut Values<'_>) -> Result<()> {
        self.json.clear();
        values.visit_next(&mut JsonWriter::new(&mut self.json))?;
        Ok(())
    }

    /// Adds the value that was read.
    fn row(
        &mut self,
        call: i64,
        method: FunctionId,
        kind: &str,
        position: impl TryInto<i32>,
        (name, type_name): (&str, &str),
    ) -> Result<()> {
        let unquoted;
        let text = match self.json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
            Some(inner) if !inner.contains('\\') => Some(inner),
            Some(_) => {
                unquoted = serde_json::from_str::<String>(&self.json).ok();
                unquoted.as_deref()
            }
            None => None,
        };
        self.values.put([
            Cell::Large(call),
            Cell::Small(small(method)),
            Cell::Text(kind),
            Cell::Small(position.try_into().unwrap_or(i32::MAX)),
            Cell::Text(name),
            Cell::Text(type_name),
            Cell::Text(&self.json),
            text.map_or(Cell::None, Cell::Text),
            number(&self.json).map_or(Cell::None, Cell::Float),
        ])
    }

    /// The innermost call ends by an event.
    fn end_with<R: Read>(
        &mut self,
        thread: Thread,
        depth: u32,
        time: u64,
        kind: StepKind,
        reader: &mut Reader<R>,
        functions: &Functions,
    ) -> Result<()> {
        let open = self.threads.get(thread.number);
        let Some(open) = open.pop_if(|open| open.depth == depth) else { return Ok(()) };
        let Some(exported) = &open.exported else { return Ok(()) };
        let (mut has_result, mut exception) = (false, None);
        let mut result = self.spare.pop().unwrap_or_default();
        result.clear();
        let outcome = match kind {
            StepKind::Leave(_) => {
                let (function, mut values) = (functions.function(open.function), reader.values()?);
                if let Some(returns) = function.returns.as_deref().filter(|_| values.failure().is_none()) {
                    self.value(&mut values)?;
                    self.row(exported.call, open.function, "result", -1, ("return", returns))?;
                    result.push_str(&self.json);
                    has_result = true;
                }
                while let Some(index) = values.parameter()? {
                    self.value(&mut values)?;
                    let (name, type_name) = function
                        .parameters
                        .get(index)
                        .map_or(("", ""), |parameter| (&parameter.name, &parameter.type_name));
                    self.row(exported.call, open.function, "out", index, (name, type_name))?;
                }
                "leave"
            }
            StepKind::Tailcall(_) => "tailcall",
            StepKind::Suspend(_) => "suspend",
            _ => {
                exception = Some(reader.exception()?);
                "unwind"
            }
        };
        let returned = has_result.then_some(result.as_str());
        self.put(open, &End { time: Some(time), outcome, exception, result: returned })?;
        self.spare.push(result);
        Ok(())
    }

    /// Ends calls whose end is missing: those with at least this depth.
    fn end_above(&mut self, thread: Thread, depth: u32) -> Result<()> {
        while let Some(open) = self.threads.get(thread.number).pop_if(|open| open.depth >= depth) {
            self.put(open, &End { time: None, outcome: "lost", exception: None, result: None })?;
        }
        Ok(())
    }

    /// Ends calls that are open at the end, or not any more.
    fn end_open(&mut self, open: Vec<Open>, outcome: &str) -> Result<()> {
        for open in open.into_iter().rev() {
            self.put(open, &End { time: None, outcome, exception: None, result: None })?;
        }
        Ok(())
    }

    /// Sets the open calls of a thread. Those that are exported stay.
    fn resume(
        &mut self,
        thread: Thread,
        now: &[OpenCall],
        timeline: Timeline,
        mut id: impl FnMut(&OpenCall) -> FunctionId,
    ) -> Result<()> {
        let mut before = core::mem::take(self.threads.get(thread.number));
        // Both are in the order of their depths, so each is passed once.
        let mut at = 0;
        for call in now {
            let begun = timeline.nanoseconds(call.ticks);
            self.begin(thread, call.depth, id(call), begun);
            while before.get(at).is_some_and(|open| open.depth < call.depth) {
                at += 1;
            }
            let same = before.get_mut(at).filter(|open| open.depth == call.depth);
            let kept = same.and_then(|open| open.exported.take());
            if let Some(open) = self.threads.get(thread.number).last_mut() {
                open.exported = kept;
            }
        }
        self.end_open(before, "lost")
    }

    /// Adds the row of a call.
    fn put(&mut self, open: Open, end: &End<'_>) -> Result<()> {
        let Open { thread, depth, function, stack, begun, exported } = open;
        let Some(Exported { call, caller, arguments, error }) = exported else { return Ok(()) };
        let text = |text: Option<_>| text.map_or(Cell::None, Cell::Text);
        let took = end.time.map(|time| large(time.saturating_sub(begun)));
        self.calls.put([
            Cell::Large(call),
            caller.map_or(Cell::None, Cell::Large),
            Cell::Large(large(thread.id)),
            Cell::Small(i32::try_from(thread.number).unwrap_or(i32::MAX)),
            Cell::Small(i32::try_from(depth).unwrap_or(i32::MAX)),
            Cell::Small(small(function)),
            Cell::Large(large(stack as u64)),
            Cell::Large(large(begun)),
            took.map_or(Cell::None, Cell::Large),
            Cell::Text(end.outcome),
            text(end.exception),
            text(error.is_none().then_some(arguments.as_str())),
            text(end.result),
            text(error.as_deref()),
        ])?;
        self.spare.push(arguments);
        Ok(())
    }

    /// Writes the tables of methods and stacks, and ends all of them.
    fn finish(self, functions: &Functions, folder: &Path, part_size: usize) -> Result<(u64, u64)> {
        let mut methods = Table::new(folder, "methods", METHODS, part_size)?;
        for id in functions.all().skip(1) {
            let Function { module, signature, identity, .. } = functions.function(id);
            methods.put([
                Cell::Small(small(id)),
                Cell::Text(functions.name(id)),
                Cell::Text(module),
                Cell::Text(signature),
                Cell::Text(identity),
            ])?;
        }
        methods.finish()?;
        let mut stacks = Table::new(folder, "stacks", STACKS, part_size)?;
        // A caller's path comes before those of its calls.
        let mut depths = vec![0_i32; self.stacks.len()];
        for (stack, Stack { caller, function, .. }) in self.stacks.iter().enumerate().skip(1) {
            depths[stack] = if *caller == 0 { 0 } else { depths[*caller].saturating_add(1) };
            let text = self.text(stack, functions);
            stacks.put([
                Cell::Large(large(stack as u64)),
                if *caller == 0 { Cell::None } else { Cell::Large(large(*caller as u64)) },
                Cell::Small(depths[stack]),
                Cell::Small(small(*function)),
                Cell::Text(&text),
            ])?;
        }
        stacks.finish()?;
        Ok((self.calls.finish()?, self.values.finish()?))
    }

    /// The names of a path's methods, the outermost first: `Main;Shop.Run`. The outermost ones of a long path are missing.
    fn text(&self, stack: usize, functions: &Functions) -> String {
        let (mut names, mut length, mut at) = (Vec::new(), 0, stack);
        while at != 0 && length < MAX_STACK {
            let Stack { caller, function, .. } = self.stacks[at];
            let name = functions.name(function);
            length += name.len() + 1;
            names.push(name);
            at = caller;
        }
        if at != 0 {
            names.push("…");
        }
        names.reverse();
        names.join(";")
    }
}

/// Adds a member to the text of an object.
fn add(object: &mut String, key: &str, json: &str) {
    if object.len() > 1 {
        object.push(',');
    }
    object.push_str(key);
    object.push_str(json);
}

/// Returns the name of a parameter as a key of JSON.
fn keys<'k>(all: &'k mut Vec<Vec<String>>, of: FunctionId, function: &Function, index: usize) -> &'k str {
    let keys = item(all, of.index());
    if keys.is_empty() {
        let key = |parameter: &Parameter| format!("{}:", serde_json::Value::from(parameter.name.as_str()));
        keys.extend(function.parameters.iter().map(key));
    }
    keys.get(index).map_or("\"\":", String::as_str)
}

/// Returns the number that a value is.
fn number(json: &str) -> Option<f64> {
    let first = json.as_bytes().first()?;
    if first.is_ascii_digit() || *first == b'-' { json.parse().ok() } else { None }
}

fn large(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn small(id: FunctionId) -> i32 {
    i32::try_from(id.index()).unwrap_or(i32::MAX)
}
