//! From events to rows of calls, values, methods and stacks.

use std::path::Path as FilePath;

use anyhow::Result;
use argvalues::{JsonWriter, Mode};
use recording::{Function, Parameter, Thread, Values};

use super::super::follow::{At, Beginning, Call, End, Follower, Open, follow};
use super::super::names::{FunctionId, Functions};
use super::super::opened::Opened;
use super::super::paths::{Path, Paths};
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

/// What is kept of an open call.
struct Level {
    stack: usize,
    /// If it is exported.
    exported: Option<Exported>,
}

struct Exported {
    number: i64,
    caller: Option<i64>,
    arguments: String,
    /// Why there are no arguments.
    error: Option<String>,
}

struct Rows {
    calls: Table,
    values: Table,
    next: i64,
    stacks: Paths,
    /// The names of each function's parameters as keys of JSON: `"name":`.
    keys: Vec<Vec<String>>,
    json: String,
    /// Memory of former texts.
    spare: Vec<String>,
}

/// What is recorded of the end of a call.
struct Ended<'e> {
    took: Option<i64>,
    exception: Option<&'e str>,
    result: Option<&'e str>,
}

/// Writes the tables to a folder. Returns the numbers of calls and of values.
pub(super) fn write(opened: &mut Opened, folder: &FilePath, part_size: usize) -> Result<(u64, u64)> {
    let mut rows = Rows {
        calls: Table::new(folder, "calls", CALLS, part_size)?,
        values: Table::new(folder, "values", VALUES, part_size)?,
        next: 0,
        stacks: Paths::default(),
        keys: Vec::new(),
        json: String::new(),
        spare: Vec::new(),
    };
    follow(opened, &mut rows)?;
    rows.finish(&opened.functions, folder, part_size)
}

impl Follower for Rows {
    type Kept = Level;

    const WHOLE: bool = true;

    fn is_inside(&self, open: &[Open<Level>]) -> bool {
        open.iter().any(|open| open.kept.exported.is_some())
    }

    fn begin(
        &mut self,
        at: &mut At<'_>,
        open: &[Open<Level>],
        call: Call,
        beginning: Beginning,
    ) -> Result<Option<Level>> {
        if beginning == Beginning::Lost {
            return Ok(None);
        }
        let stack = self.stacks.called(open.last().map_or(0, |open| open.kept.stack), call.function);
        // A call that goes on has a row already, of its beginning.
        let is_exported = beginning == Beginning::Enter
            && at.selection.has(at.lane.thread, at.time)
            && at.functions.is_selected(call.function);
        let exported = if is_exported { Some(self.export(at, open, call.function)?) } else { None };
        Ok(Some(Level { stack, exported }))
    }

    fn end(
        &mut self,
        at: &mut At<'_>,
        Open { call, kept: Level { stack, exported } }: Open<Level>,
        end: End,
    ) -> Result<()> {
        let Some(exported) = exported else { return Ok(()) };
        let took = end.is_recorded().then(|| large(at.time.saturating_sub(call.begun)));
        let mut ended = Ended { took, exception: None, result: None };
        let mut result = self.spare.pop().unwrap_or_default();
        result.clear();
        match end {
            End::Leave if self.leave(at, call.function, exported.number, &mut result)? => {
                ended.result = Some(&result);
            }
            End::Unwind => ended.exception = Some(at.reader.exception()?),
            _ => {}
        }
        self.put(at.lane.thread, call, stack, &exported, end, &ended)?;
        self.spare.extend([result, exported.arguments]);
        Ok(())
    }
}

impl Rows {
    /// Exports a call that begins: writes its arguments.
    fn export(&mut self, at: &mut At<'_>, open: &[Open<Level>], method: FunctionId) -> Result<Exported> {
        let (function, mut values) = (at.functions.function(method), at.reader.values()?);
        let caller = open.iter().rev().find_map(|open| Some(open.kept.exported.as_ref()?.number));
        let number = self.next;
        self.next += 1;
        let mut arguments = self.spare.pop().unwrap_or_default();
        arguments.clear();
        arguments.push('{');
        let error = values.failure().map(str::to_owned);
        if function.has_this && !values.is_at_end() {
            self.value(&mut values)?;
            self.row(number, method, "this", -1, ("this", ""))?;
            add(&mut arguments, "\"this\":", &self.json);
        }
        for (index, parameter) in function.parameters.iter().enumerate() {
            if values.is_at_end() {
                break;
            }
            self.value(&mut values)?;
            // An `out` parameter has no value yet.
            if parameter.mode != Mode::Out {
                self.row(number, method, "argument", index, (&parameter.name, &parameter.type_name))?;
                add(&mut arguments, keys(&mut self.keys, method, function, index), &self.json);
            }
        }
        arguments.push('}');
        Ok(Exported { number, caller, arguments, error })
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

    /// Writes the result of a call, and the targets of its parameters. Returns whether it has a result, which is appended to `json`.
    fn leave(&mut self, at: &mut At<'_>, method: FunctionId, call: i64, json: &mut String) -> Result<bool> {
        let (function, mut values) = (at.functions.function(method), at.reader.values()?);
        let returns = function.returns.as_deref().filter(|_| values.failure().is_none());
        if let Some(returns) = returns {
            self.value(&mut values)?;
            self.row(call, method, "result", -1, ("return", returns))?;
            json.push_str(&self.json);
        }
        while let Some(index) = values.parameter()? {
            self.value(&mut values)?;
            let (name, type_name) = function
                .parameters
                .get(index)
                .map_or(("", ""), |parameter| (&parameter.name, &parameter.type_name));
            self.row(call, method, "out", index, (name, type_name))?;
        }
        Ok(returns.is_some())
    }

    /// Adds the row of a call.
    fn put(
        &mut self,
        thread: Thread,
        call: Call,
        stack: usize,
        exported: &Exported,
        end: End,
        ended: &Ended<'_>,
    ) -> Result<()> {
        let Exported { number, caller, arguments, error } = exported;
        let text = |text: Option<_>| text.map_or(Cell::None, Cell::Text);
        self.calls.put([
            Cell::Large(*number),
            caller.map_or(Cell::None, Cell::Large),
            Cell::Large(large(thread.id)),
            Cell::Small(i32::try_from(thread.number).unwrap_or(i32::MAX)),
            Cell::Small(i32::try_from(call.depth).unwrap_or(i32::MAX)),
            Cell::Small(small(call.function)),
            Cell::Large(large(stack as u64)),
            Cell::Large(large(call.begun)),
            ended.took.map_or(Cell::None, Cell::Large),
            Cell::Text(end.word()),
            text(ended.exception),
            text(error.is_none().then_some(arguments.as_str())),
            text(ended.result),
            text(error.as_deref()),
        ])
    }

    /// Writes the tables of methods and stacks, and ends all of them.
    fn finish(self, functions: &Functions, folder: &FilePath, part_size: usize) -> Result<(u64, u64)> {
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
        let mut depths = vec![0_i32; self.stacks.all().len()];
        for (stack, Path { caller, function, .. }) in self.stacks.all().iter().enumerate().skip(1) {
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
            let Path { caller, function, .. } = self.stacks.all()[at];
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
