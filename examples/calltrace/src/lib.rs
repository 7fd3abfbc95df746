//! Prints every method call of a .NET program: C# name, argument values, return value.
//!
//! | file | subject |
//! |---|---|
//! | `lib` | the profiler: which events it asks for and where they go |
//! | `settings` | environment variables |
//! | `filter` | which methods are traced |
//! | `function` | what is kept for a hooked method: names and plans, found once |
//! | `thread` | the shadow stack of a thread, and what is kept for it |
//! | `clock` | the time zone of the process, for local times |
//! | `moves` | where collections moved what parameters refer to |
//! | `record` | one line for an event, as JSON or for people |
//! | `sink` | where the lines go |
//!
//! The README describes the settings; the format is described in `docs/calltrace-format.md`.

mod clock;
mod filter;
mod function;
mod moves;
mod record;
mod settings;
mod sink;
mod stack;
mod thread;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argvalues::{ArgumentRange, Checked, ClrRuntime, Limits, SavedRefs};
use corprof::values::{GcReason, Generations, MovedRanges, SurvivingRanges};
use corprof::{
    EnterFrame, EnterRegisters, Error, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Names,
    ObjectId, Profiler, ProfilerInfo, Result, TailcallFrame, export_profiler,
};

use crate::filter::Filter;
use crate::function::{Call, Function};
use crate::moves::Moves;
use crate::record::{Format, Values};
use crate::settings::{HookKind, Settings};
use crate::sink::Sink;
use crate::thread::Thread;

export_profiler!(CallTrace, "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");

/// The profiler.
struct CallTrace {
    names: Names,
    runtime: ClrRuntime,
    memory: Checked,
    limits: Limits,
    raw: bool,
    hooks: HookKind,
    format: Format,
    filter: Filter,
    sink: Sink,
    /// How many garbage collections there have been: what a `ref` points to may have moved since.
    collections: AtomicU64,
    moves: Moves,
}

impl CallTrace {
    const EVENTS: EventMask = EventMask::CALLS_WITH_VALUES
        .union(EventMask::EXCEPTIONS)
        .union(EventMask::BASIC_GC)
        .union(EventMask::GC_MOVED_OBJECTS)
        .union(ClrRuntime::EVENTS);

    /// What a value is decoded with.
    fn values(&self) -> Values<'_> {
        let collections = self.collections.load(Ordering::Relaxed);
        let (limits, raw) = (self.limits, self.raw);
        Values { runtime: &self.runtime, memory: &self.memory, limits, raw, collections }
    }

    /// Records a frame that an exception has left.
    fn unwound(&self, thread: &mut Thread, frame: &thread::Frame) {
        let (id, depth, exception) = (thread.id(), thread.depth(), thread.exception());
        record::unwind(thread.line(), self.format, (id, depth), &frame.call, &exception);
        self.sink.write(thread.line());
    }
}

impl Profiler for CallTrace {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let settings = Settings::from_environment().map_err(|error| Error::other(error.to_string()))?;
        let memory = Checked::new().map_err(|error| {
            Error::other(format!(
                "the kernel does not let this process read its own memory ({error}); \
                 allow process_vm_readv in its sandbox"
            ))
        })?;
        let sink = Sink::open(settings.out.as_deref()).map_err(|error| Error::other(error.to_string()))?;
        let names = Names::new(info);
        info.set_event_mask(Self::EVENTS)?;
        Ok(Self {
            runtime: ClrRuntime::new(&names)?.local_time(clock::local_time()),
            names,
            memory,
            limits: settings.limits,
            raw: settings.raw,
            hooks: settings.hooks,
            format: settings.format,
            filter: settings.filter,
            sink,
            collections: AtomicU64::new(0),
            moves: Moves::default(),
        })
    }

    fn initialize_for_attach(_: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Err(Error::NotAttachable(
            "calls are seen by enter and leave hooks, which an attached profiler may not have",
        ))
    }

    fn hooks(&self) -> Hooks<Self> {
        match self.hooks {
            HookKind::WithInfo => Hooks::with_info(),
            HookKind::Fast => Hooks::fast(),
        }
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, _: GcReason) {
        let number = self.collections.fetch_add(1, Ordering::Relaxed) + 1;
        self.moves.started(number, generations, || self.names.info().generation_bounds().ok());
    }

    fn moved_references(&self, ranges: MovedRanges<'_>) {
        self.moves.moved(ranges);
    }

    fn surviving_references(&self, ranges: SurvivingRanges<'_>) {
        self.moves.stayed(ranges);
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let name = self
            .names
            .info()
            .class_of_object(exception)
            .and_then(|class| self.names.class(class))
            .unwrap_or_else(|error| error.to_string().into());
        Thread::with(|thread| {
            while let Some(frame) = thread.left_silently() {
                self.unwound(thread, &frame);
            }
            thread.exception_thrown(name);
        });
    }

    fn exception_unwind_function_enter(&self, function: FunctionId) {
        Thread::with(|thread| thread.unwinding(function));
    }

    fn exception_unwind_function_leave(&self) {
        Thread::with(|thread| {
            if let Some(frame) = thread.unwound() {
                self.unwound(thread, &frame);
            }
        });
    }

    fn exception_unwind_finally_enter(&self, _: FunctionId) {
        Thread::with(|thread| thread.in_finally(true));
    }

    fn exception_unwind_finally_leave(&self) {
        Thread::with(|thread| thread.in_finally(false));
    }

    fn exception_catcher_enter(&self, function: FunctionId, _: Option<ObjectId<'_>>) {
        Thread::with(|thread| thread.caught(function));
    }
}

impl FunctionHooks for CallTrace {
    type Function = Function;

    fn map_function(&self, function: FunctionId) -> Option<Function> {
        match self.names.method(function) {
            Ok(method) => self.filter.is_traced(&method).then(|| Function::new(method)),
            Err(error) => {
                self.sink.complain(&format!("a method cannot be named and is not traced: {error}"));
                None
            }
        }
    }

    fn enter(&self, function: &Function, frame: &EnterFrame<'_>) {
        let place = frame.caller_stack_pointer().unwrap_or_else(stack::here);
        Thread::with(|thread| {
            while let Some(gone) = thread.overtaken(place) {
                self.unwound(thread, &gone);
            }
            let locations = |registers: EnterRegisters<'_>| function.locations(&self.runtime, registers);
            let entered = frame.arguments_by(locations, |arguments| {
                let call = function.call(&self.runtime, Some(arguments.frame()))?;
                thread.set_ranges(
                    arguments.ranges().map(|range| ArgumentRange::new(range.address, range.length as usize)),
                );
                let saved = record::enter(thread, self.format, &call, &self.values());
                Ok((call, saved))
            });
            match entered.and_then(|entered| entered) {
                Ok((call, saved)) => {
                    self.sink.write(thread.line());
                    let open = self.moves.keep(&saved);
                    thread.push(function.id(), call, (saved, open), place);
                }
                Err(error) => {
                    let call = self.enter_without_values(function, thread, &error);
                    thread.push(function.id(), call, (SavedRefs::default(), None), place);
                }
            }
        });
    }

    fn leave(&self, function: &Function, frame: &LeaveFrame<'_>) {
        Thread::with(|thread| {
            let Some(mut left) = self.pop(thread, function) else { return };
            let collections = self.collections.load(Ordering::Relaxed);
            self.moves.follow(&mut left.saved, collections, &thread.stack());
            let value = frame.return_value_by(
                || function.known_locations(),
                |value| {
                    let plan = left.call.plan.as_ref();
                    let together = value.registers.and_then(|registers| plan?.returned_struct(registers));
                    let address = together.as_ref().map_or(value.range.address, |bytes| {
                        // It is read like the program's memory.
                        bytes.as_ptr().expose_provenance()
                    });
                    let range = ArgumentRange::new(address, value.range.length as usize);
                    record::leave(thread, self.format, &left, Ok(range), &self.values());
                },
            );
            if let Err(error) = value {
                record::leave(thread, self.format, &left, Err(&error), &self.values());
            }
            self.sink.write(thread.line());
        });
    }

    fn tailcall(&self, function: &Function, _: &TailcallFrame<'_>) {
        Thread::with(|thread| {
            let Some(left) = self.pop(thread, function) else { return };
            let (id, depth) = (thread.id(), thread.depth());
            record::tailcall(thread.line(), self.format, (id, depth), &left.call);
            self.sink.write(thread.line());
        });
    }
}

impl CallTrace {
    /// The frame of a method that ends. Frames above it that have not been seen to end were left without a
    /// word; they are recorded as unwound first, so that every enter has its end.
    fn pop(&self, thread: &mut Thread, function: &Function) -> Option<thread::Frame> {
        if !thread.has_frame_of(function.id()) {
            return None;
        }
        loop {
            let frame = thread.pop()?;
            if frame.function == function.id() {
                return Some(frame);
            }
            self.unwound(thread, &frame);
        }
    }

    /// Records a call of which the runtime would not tell the arguments.
    fn enter_without_values(&self, function: &Function, thread: &mut Thread, error: &Error) -> Arc<Call> {
        let call = function.call(&self.runtime, None).unwrap_or_else(|_| function.nameless_call());
        let (id, depth) = (thread.id(), thread.depth());
        record::enter_failed(thread.line(), self.format, (id, depth), &call, error);
        self.sink.write(thread.line());
        call
    }
}
