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
//! | `recorded` | events in a recording, for later |
//! | `switch` | tracing while a file exists |
//! | `sink` | where the lines go |
//!
//! The README describes the settings; the format is described in `docs/calltrace-format.md`.

mod clock;
mod filter;
mod function;
mod moves;
mod record;
mod recorded;
mod settings;
mod sink;
mod stack;
mod switch;
mod thread;

use std::sync::atomic::{AtomicU64, Ordering};

use argvalues::{ArgumentRange, Checked, ClrRuntime, Limits, MethodPlan, SavedRefs};
use corprof::values::{GcReason, Generations, MovedRanges, SurvivingRanges};
use corprof::{
    EnterFrame, EnterRegisters, Error, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Names,
    ObjectId, Profiler, ProfilerInfo, Result, SelectedCalls, TailcallFrame, export_profiler,
};

use recording::Recorder;
use recording::lines::Format;

use crate::filter::Filter;
use crate::function::{Function, Maker};
use crate::moves::Moves;
use crate::record::Values;
use crate::settings::{Form, HookKind, Settings};
use crate::sink::{Sink, complain};
use crate::thread::{Kept, Thread};

export_profiler!(CallTrace, "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}");

/// The profiler.
struct CallTrace {
    names: Names,
    runtime: ClrRuntime,
    memory: Checked,
    limits: Limits,
    raw: bool,
    hooks: HookKind,
    filter: Filter,
    /// Which calls of a traced method are; all when absent.
    selected: Option<SelectedCalls>,
    output: Output,
    /// How many garbage collections there have been: what a `ref` points to may have moved since.
    collections: AtomicU64,
    moves: Moves,
}

/// Where the calls go.
enum Output {
    Lines(Format, Sink),
    Recording(Recorder),
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

    /// What calls are found out with.
    fn maker(&self) -> Maker<'_> {
        let recorder = match &self.output {
            Output::Recording(recorder) => Some(recorder),
            Output::Lines(..) => None,
        };
        Maker { runtime: &self.runtime, recorder }
    }

    /// Tells of a frame that an exception has left.
    fn unwound(&self, thread: &mut Thread, frame: &thread::Frame) {
        match (&self.output, &frame.kept) {
            (Output::Recording(_), _) => Self::record_unwound(thread, frame),
            (Output::Lines(format, sink), Some(kept)) => {
                let (place, exception) = (thread.place(), thread.exception());
                record::unwind(thread.line(), *format, place, &kept.call, &exception);
                sink.write(thread.line());
            }
            (Output::Lines(..), None) => {}
        }
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
        let out = settings.out.as_deref();
        let output = match (settings.form, out) {
            (Form::Recording, Some(file)) => {
                recorded::start(file, settings.when_full, info.runtime_info().ok()).map(Output::Recording)
            }
            (Form::Recording, None) => return Err(Error::other("a recording needs a file")),
            (Form::Lines(format), out) => Sink::open(out).map(|sink| Output::Lines(format, sink)),
        };
        let output = output.map_err(|error| Error::other(error.to_string()))?;
        if let Some(file) = settings.while_exists {
            switch::follow(info, file).map_err(|error| Error::other(error.to_string()))?;
        }
        let names = Names::new(info);
        info.set_event_mask(Self::EVENTS)?;
        Ok(Self {
            runtime: ClrRuntime::new(&names)?.local_time(clock::local_time()),
            names,
            memory,
            limits: settings.limits,
            raw: settings.raw,
            hooks: settings.hooks,
            filter: settings.filter,
            selected: settings.selected,
            output,
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
        let hooks = match self.hooks {
            HookKind::WithInfo => Hooks::with_info(),
            HookKind::Fast => Hooks::fast(),
        };
        if self.selected.is_some() { hooks.selective() } else { hooks }
    }

    fn shutdown(&self) {
        if let Output::Recording(recorder) = &self.output {
            // Who has to know was told when it failed.
            let _ = recorder.finish();
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
        // What is told of here may be a call that was not selected, of a function that has one that was: where frames
        // lie says which are gone.
        if self.selected.is_some() {
            return;
        }
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

    fn selected_calls(&self, _: &Function) -> SelectedCalls {
        self.selected.unwrap_or(SelectedCalls::ALL)
    }

    fn map_function(&self, function: FunctionId) -> Option<Function> {
        match self.names.method(function) {
            Ok(method) => self.filter.is_traced(&method).then(|| Function::new(method)),
            Err(error) => {
                complain(&format!("a method cannot be named and is not traced: {error}"));
                None
            }
        }
    }

    #[inline(always)]
    fn enter(&self, function: &Function, frame: &EnterFrame<'_>) {
        let place = frame.caller_stack_pointer().unwrap_or_else(stack::here);
        if let (Some(quick), Some(registers)) = (function.quick(), frame.registers())
            && quick.enter(registers, place)
        {
            return;
        }
        // By value: what has its address taken is in memory, at each call.
        self.entered(function, *frame, place);
    }

    #[inline(always)]
    fn leave(&self, function: &Function, frame: &LeaveFrame<'_>) {
        // If calls are selected, others may be above this one that were left without a word.
        if let (Some(quick), Some(registers)) = (function.quick(), frame.registers())
            && self.selected.is_none()
            && quick.leave(registers)
        {
            return;
        }
        self.left(function, *frame);
    }

    fn tailcall(&self, function: &Function, frame: &TailcallFrame<'_>) {
        Thread::with(|thread| {
            let Some(left) = self.pop(thread, function, frame.caller_stack_pointer()) else { return };
            match (&self.output, &left.kept) {
                (Output::Recording(_), _) => Self::record_tailcall(thread, &left),
                (Output::Lines(format, sink), Some(kept)) => {
                    let place = thread.place();
                    record::tailcall(thread.line(), *format, place, &kept.call);
                    sink.write(thread.line());
                }
                (Output::Lines(..), None) => {}
            }
        });
    }
}

impl CallTrace {
    /// Tells of a call that begins.
    #[inline(never)]
    fn entered(&self, function: &Function, frame: EnterFrame<'_>, place: usize) {
        Thread::with(|thread| {
            while let Some(gone) = thread.overtaken(place) {
                self.unwound(thread, &gone);
            }
            match &self.output {
                Output::Recording(recorder) => self.record_enter(recorder, thread, function, &frame, place),
                Output::Lines(format, sink) => {
                    let kept = self.write_enter(*format, thread, function, &frame);
                    sink.write(thread.line());
                    thread.push(function.id(), place, Some(Box::new(kept)), None);
                }
            }
        });
    }

    /// Tells of a call that ends.
    #[inline(never)]
    fn left(&self, function: &Function, frame: LeaveFrame<'_>) {
        Thread::with(|thread| {
            let Some(left) = self.pop(thread, function, frame.caller_stack_pointer()) else { return };
            match (&self.output, left.kept) {
                (Output::Recording(_), kept) => {
                    self.record_leave(thread, function, &frame, kept);
                }
                (Output::Lines(format, sink), Some(mut kept)) => {
                    self.write_leave(*format, thread, function, &frame, &mut kept);
                    sink.write(thread.line());
                }
                (Output::Lines(..), None) => {}
            }
        });
    }

    /// Writes the line of a call that begins; what is kept of it.
    fn write_enter(
        &self,
        format: Format,
        thread: &mut Thread,
        function: &Function,
        frame: &EnterFrame<'_>,
    ) -> Kept {
        let locations = |registers: EnterRegisters<'_>| function.locations(&self.runtime, registers);
        let entered = frame.arguments_by(locations, |arguments| {
            let call = function.call(self.maker(), Some(arguments.frame()))?;
            thread.set_ranges(arguments.ranges().map(ArgumentRange::from));
            let saved = record::enter(thread, format, &call, &self.values());
            Ok((call, saved))
        });
        match entered.and_then(|entered| entered) {
            Ok((call, saved)) => {
                let open = self.moves.keep(&saved);
                Kept { call, saved, _open: open }
            }
            Err(error) => {
                let call = function.call_without_frame(self.maker());
                let place = thread.place();
                record::enter_failed(thread.line(), format, place, &call, &error);
                Kept { call, saved: SavedRefs::default(), _open: None }
            }
        }
    }

    /// Writes the line of a call that ends.
    fn write_leave(
        &self,
        format: Format,
        thread: &mut Thread,
        function: &Function,
        frame: &LeaveFrame<'_>,
        kept: &mut Kept,
    ) {
        let values = self.values();
        self.moves.follow(&mut kept.saved, values.collections, &thread.stack());
        let plan = kept.call.plan.as_ref();
        let read = self.with_return_value(function, frame, plan, |range| {
            record::leave(thread, format, kept, Ok(range), &values);
        });
        if let Err(error) = read {
            record::leave(thread, format, kept, Err(&error), &values);
        }
    }

    /// Lends the bytes of what a call returns.
    fn with_return_value(
        &self,
        function: &Function,
        frame: &LeaveFrame<'_>,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(ArgumentRange),
    ) -> Result<()> {
        frame.return_value_by(
            || function.known_locations(),
            |value| {
                let together = value.registers.and_then(|registers| plan?.returned_struct(registers));
                let address = together.as_ref().map_or(value.range.address, |bytes| {
                    // It is read like the program's memory.
                    bytes.as_ptr().expose_provenance()
                });
                read(ArgumentRange::new(address, value.range.length as usize));
            },
        )
    }

    /// The frame of a method that ends. Frames above it that have not been seen to end were left without a
    /// word; they are recorded as unwound first, so that every enter has its end.
    #[inline]
    fn pop(&self, thread: &mut Thread, function: &Function, place: Option<usize>) -> Option<thread::Frame> {
        if let (Some(_), Some(place)) = (self.selected, place) {
            // Nobody has told, see `exception_unwind_function_enter`.
            while let Some(gone) = thread.left_below(place) {
                self.unwound(thread, &gone);
            }
        }
        thread.pop_if(function.id()).or_else(|| self.pop_through(thread, function))
    }

    #[cold]
    fn pop_through(&self, thread: &mut Thread, function: &Function) -> Option<thread::Frame> {
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
}
