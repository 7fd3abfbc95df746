//! A profiler that handles the calls of each method of `Loop.cs` differently, so that the cost of decoding can be
//! measured in one process. At the end it prints the number of records.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::{Mutex, OnceLock};

use argvalues::{
    ArgumentRange, Decoder, Direct, Limits, MethodPlan, RecordNames, RecordReader, RecordWriter, Scratch,
    TextWriter,
};
use corprof::{
    EnterFrame, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Names, PerThread, Profiler,
    ProfilerInfo, Result, TailcallFrame, export_profiler,
};
use corprof_calls::ClrRuntime;

// `cargo xtask bench argvalues` reads the same file.
export_profiler!(include!("clsid.rs"), [Live]);

/// The size at which records would be passed on; here they are discarded.
const FULL: usize = 64 << 10;

struct Live {
    names: Names,
    runtime: ClrRuntime,
    memory: Direct,
    /// The number of recorded calls, and the last of them as text.
    recorded: Mutex<(u64, String)>,
}

/// The work at each enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Nothing.
    Hooked,
    /// The runtime is queried for the locations of the arguments.
    Asked,
    /// They are decoded, to a record.
    Recorded,
    /// They are decoded, to text.
    Written,
}

struct Function {
    id: FunctionId,
    way: Way,
    plan: OnceLock<MethodPlan>,
}

/// The state of a thread.
struct Thread {
    scratch: Scratch,
    ranges: Vec<ArgumentRange>,
    names: RecordNames,
    records: Vec<u8>,
    text: String,
    calls: u64,
}

static THREAD: PerThread<RefCell<Thread>> = PerThread::new(|| {
    RefCell::new(Thread {
        scratch: Scratch::new(),
        ranges: Vec::new(),
        names: RecordNames::new(),
        records: Vec::new(),
        text: String::new(),
        calls: 0,
    })
});

impl Profiler for Live {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | ClrRuntime::EVENTS)?;
        let names = Names::new(info);
        // SAFETY: it reads the arguments of the call whose enter hook is running, during the hook.
        let memory = unsafe { Direct::new() };
        Ok(Self { runtime: ClrRuntime::new(&names)?, names, memory, recorded: Mutex::default() })
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }

    fn shutdown(&self) {
        if let Ok(recorded) = self.recorded.lock() {
            eprintln!("recorded {} calls, one of them with the arguments {}", recorded.0, recorded.1);
        }
    }
}

impl FunctionHooks for Live {
    type Function = Function;

    fn map_function(&self, function: FunctionId) -> Option<Function> {
        let method = self.names.method(function).ok()?;
        let way = match method.plain_name().as_str() {
            "Loop.Hooked" => Way::Hooked,
            "Loop.Asked" => Way::Asked,
            "Loop.Recorded" => Way::Recorded,
            "Loop.Written" => Way::Written,
            _ => return None,
        };
        Some(Function { id: function, way, plan: OnceLock::new() })
    }

    fn enter(&self, function: &Function, frame: &EnterFrame<'_>) {
        if function.way == Way::Hooked {
            return;
        }
        let _ = frame.arguments(|arguments| match function.way {
            Way::Hooked => {}
            Way::Asked => {
                black_box(arguments.ranges().len());
            }
            Way::Recorded => self.with_thread(function, |plan, thread| {
                let Thread { scratch, records, names, .. } = thread;
                plan.decode_with(
                    arguments.ranges(),
                    &self.memory,
                    || Decoder::new(&self.memory, &self.runtime, Limits::DEFAULT, scratch),
                    &mut RecordWriter::new(records, names),
                );
                thread.calls += 1;
                if thread.records.len() > FULL {
                    self.hand_over(thread);
                }
            }),
            Way::Written => self.with_thread(function, |plan, thread| {
                let Thread { scratch, ranges, text, .. } = thread;
                ranges.clear();
                ranges.extend(arguments.ranges());
                let mut decoder = Decoder::new(&self.memory, &self.runtime, Limits::DEFAULT, scratch);
                text.clear();
                for argument in plan.arguments(ranges) {
                    text.push_str(if text.is_empty() { "" } else { ", " });
                    argument.decode(&mut decoder, &mut TextWriter::new(text));
                }
                black_box(text);
            }),
        });
    }

    fn leave(&self, _: &Function, _: &LeaveFrame<'_>) {}

    fn tailcall(&self, _: &Function, _: &TailcallFrame<'_>) {}
}

impl Live {
    /// Borrows the function's plan and the thread's state, unless that is borrowed already.
    #[inline]
    fn with_thread(&self, function: &Function, work: impl FnOnce(&MethodPlan, &mut Thread)) {
        let Some(plan) = self.plan(function) else { return };
        THREAD.with(|thread| {
            if let Ok(mut thread) = thread.try_borrow_mut() {
                work(plan, &mut thread);
            }
        });
    }

    fn plan<'f>(&self, function: &'f Function) -> Option<&'f MethodPlan> {
        match function.plan.get() {
            Some(plan) => Some(plan),
            None => self.new_plan(function),
        }
    }

    #[cold]
    fn new_plan<'f>(&self, function: &'f Function) -> Option<&'f MethodPlan> {
        let class = self.names.info().function_info(function.id).ok()?.class;
        let method = self.names.method(function.id).ok()?;
        let instance = self.names.instance(&method, class, &[]).ok()?;
        let plan = self.runtime.plan(&instance).ok()?;
        Some(function.plan.get_or_init(|| plan))
    }

    /// Decodes the first record, to verify that it is one, and discards all.
    #[cold]
    fn hand_over(&self, thread: &mut Thread) {
        let mut reader = RecordReader::new(&thread.records, &thread.names);
        let mut text = String::new();
        for separator in ["", ", "] {
            text.push_str(separator);
            if let Err(error) = reader.value(&mut TextWriter::new(&mut text)) {
                text = error.to_string();
            }
        }
        if let Ok(mut recorded) = self.recorded.lock() {
            *recorded = (recorded.0 + thread.calls, text);
        }
        thread.calls = 0;
        thread.records.clear();
    }
}
