//! Calls in a recording: the same values as in lines, without the text.
//!
//! A call of only primitives does not allocate, lock, look up or format anything: where they are is known, and their bytes
//! are all that is recorded.

use argvalues::{ArgumentRange, MethodPlan, Position, SavedRefs, Visitor};
use corprof::{
    EnterArguments, EnterFrame, EnterRegisters, Error, LeaveFrame, LeaveRegisters, Result, RuntimeInfo,
};
use recording::{Defined, Options, Process, Recorder, ThreadRecorder, WhenFull};

use std::path::Path;
use std::sync::Arc;

use crate::CallTrace;
use crate::function::{Call, Function, Quick};
use crate::sink::{OpenError, complain, create};
use crate::thread::{Frame, Kept, Thread};

/// Begins a recording in a file.
pub(crate) fn start(
    path: &Path,
    when_full: WhenFull,
    runtime: Option<&RuntimeInfo>,
) -> Result<Recorder, OpenError> {
    let arguments: Vec<_> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let process = Process {
        command: arguments.join(" "),
        runtime: runtime.map_or_else(String::new, |runtime| runtime.version_string.clone()),
        ..Process::default()
    };
    let options = Options { when_full, process, ..Options::default() };
    let failed =
        |error: &std::io::Error| complain(&format!("the recording ends here, it cannot be written: {error}"));
    Recorder::start(create(path)?, options, failed)
        .map_err(|source| OpenError { path: path.to_path_buf(), source })
}

/// What the running thread records with.
#[inline]
fn of_thread<'t>(thread: &'t mut Thread, recorder: &Recorder) -> &'t mut ThreadRecorder {
    let id = thread.id();
    thread.recorder.get_or_insert_with(|| recorder.thread(id))
}

/// Records the beginning of a call whose arguments are all primitives, if their places are known.
#[inline]
fn enter_plain(recorder: &mut ThreadRecorder, defined: &Defined, arguments: EnterArguments<'_>) -> bool {
    defined.arguments().is_some_and(|types| types.len() == arguments.ranges().len())
        && recorder.enter(defined, |index| arguments.word(index))
}

impl Quick {
    /// Records a call that begins. `false`, and nothing is recorded, if it has to be recorded in another way: if this is the
    /// thread's first, or calls have to be ended before.
    #[inline(always)]
    pub(crate) fn enter(&self, registers: EnterRegisters<'_>, place: usize) -> bool {
        let recorded = Thread::with_made(
            #[inline(always)]
            |thread| {
                let Some(recorder) = thread.push_at_once(self.function, place, self.defined.number()) else {
                    return false;
                };
                let word = |index: usize| self.arguments.get(index).map(|word| registers.word(*word));
                let is_recorded = recorder.enter_at_once(&self.defined, word);
                if !is_recorded {
                    thread.take_back();
                }
                is_recorded
            },
        );
        recorded.unwrap_or(false)
    }

    /// The same for a call that ends: the innermost of the thread's, of which nothing is kept.
    #[inline(always)]
    pub(crate) fn leave(&self, registers: LeaveRegisters<'_>) -> bool {
        let Some(result) = self.result else { return false };
        let recorded = Thread::with_made(
            #[inline(always)]
            |thread| {
                let Some(recorder) = thread.recorder_of_innermost(self.function) else { return false };
                let is_recorded = recorder.leave_at_once(&self.defined, registers.word(result));
                if is_recorded {
                    thread.take_back();
                }
                is_recorded
            },
        );
        recorded.unwrap_or(false)
    }
}

/// What is kept of a call until its end.
fn kept(function: &Function, call: Arc<Call>, saved: SavedRefs, tracer: &CallTrace) -> Option<Box<Kept>> {
    if saved.is_empty() && function.only_call().is_some_and(|only| Arc::ptr_eq(only, &call)) {
        return None;
    }
    let open = tracer.moves.keep(&saved);
    Some(Box::new(Kept { call, saved, _open: open }))
}

impl CallTrace {
    /// Records a call that begins.
    #[inline]
    pub(crate) fn record_enter(
        &self,
        recorder: &Recorder,
        thread: &mut Thread,
        function: &Function,
        frame: &EnterFrame<'_>,
        place: usize,
    ) {
        if let Some(defined) = function.only_call().and_then(|call| call.defined.as_ref())
            && self.record_plain(recorder, thread, function, frame, defined)
        {
            thread.push(function.id(), place, None, Some(defined.number()));
            return;
        }
        self.record_others(recorder, thread, function, frame, place);
    }

    /// Records a call that begins if its arguments are all primitives.
    #[inline]
    fn record_plain(
        &self,
        recorder: &Recorder,
        thread: &mut Thread,
        function: &Function,
        frame: &EnterFrame<'_>,
        defined: &Defined,
    ) -> bool {
        if defined.arguments().is_none() {
            return false;
        }
        let thread = of_thread(thread, recorder);
        let locations = |registers: EnterRegisters<'_>| function.locations(&self.runtime, registers);
        let recorded = frame.arguments_by(locations, |found| enter_plain(thread, defined, found));
        let is_recorded = recorded.unwrap_or(false);
        if is_recorded {
            function.find_quick(defined);
        }
        is_recorded
    }

    #[inline(never)]
    fn record_others(
        &self,
        recorder: &Recorder,
        thread: &mut Thread,
        function: &Function,
        frame: &EnterFrame<'_>,
        place: usize,
    ) {
        let locations = |registers: EnterRegisters<'_>| function.locations(&self.runtime, registers);
        let entered = frame.arguments_by(locations, |arguments| {
            let call = function.call(self.maker(), Some(arguments.frame()))?;
            let saved = self.record_arguments(recorder, thread, &call, arguments);
            Ok((call, saved))
        });
        let (call, saved) = entered.and_then(|entered| entered).unwrap_or_else(|error| {
            let call = function.call_without_frame(self.maker());
            if let Some(defined) = &call.defined {
                of_thread(thread, recorder).enter_failed(defined, &error.to_string());
            }
            (call, SavedRefs::default())
        });
        if let Some(defined) = &call.defined {
            let number = defined.number();
            let kept = kept(function, call, saved, self);
            thread.push(function.id(), place, kept, Some(number));
        }
    }

    /// Records the arguments of a call; where its `ref` and `out` parameters refer to.
    fn record_arguments(
        &self,
        recorder: &Recorder,
        thread: &mut Thread,
        call: &Call,
        arguments: EnterArguments<'_>,
    ) -> SavedRefs {
        let Some(defined) = &call.defined else { return SavedRefs::default() };
        let Some(plan) = &call.plan else {
            of_thread(thread, recorder).enter_values(defined, |_| {});
            return SavedRefs::default();
        };
        if enter_plain(of_thread(thread, recorder), defined, arguments) {
            return SavedRefs::default();
        }
        let (values, stack) = (self.values(), thread.stack());
        if let Thread { recorder: Some(recorder), scratch, .. } = thread {
            recorder.enter_values(defined, |sink| {
                let mut decoder = values.decoder(scratch).trust(stack);
                plan.decode(arguments.ranges(), &mut decoder, &mut sink.writer());
            });
        }
        if !plan.has_outs() {
            return SavedRefs::default();
        }
        thread.set_ranges(arguments.ranges().map(ArgumentRange::from));
        plan.save_refs(values.memory, &thread.ranges, values.collections)
    }

    /// Records a call that ends.
    pub(crate) fn record_leave(
        &self,
        thread: &mut Thread,
        function: &Function,
        frame: &LeaveFrame<'_>,
        mut kept: Option<Box<Kept>>,
    ) {
        if let Some(Kept { call, saved, .. }) = kept.as_deref_mut() {
            self.record_end(thread, function, frame, call, Some(saved));
        } else if let Some(only) = function.only_call() {
            self.record_end(thread, function, frame, only, None);
        }
    }

    #[inline]
    fn record_end(
        &self,
        thread: &mut Thread,
        function: &Function,
        frame: &LeaveFrame<'_>,
        call: &Call,
        saved: Option<&mut SavedRefs>,
    ) {
        let (Some(defined), Some(recorder)) = (&call.defined, &mut thread.recorder) else { return };
        let has_outs = saved.as_ref().is_some_and(|saved| !saved.is_empty());
        if !has_outs && defined.has_plain_end() {
            let word = match defined.result() {
                None => Ok(None),
                Some(_) => frame.return_word(|| function.known_locations()),
            };
            if word.is_ok_and(|word| recorder.leave(defined, || word)) {
                return;
            }
        }
        self.record_results(thread, function, frame, (defined, call.plan.as_ref()), saved);
    }

    /// Records the result of a call, and what its `ref` and `out` parameters refer to.
    fn record_results(
        &self,
        thread: &mut Thread,
        function: &Function,
        frame: &LeaveFrame<'_>,
        (defined, plan): (&Defined, Option<&MethodPlan>),
        saved: Option<&mut SavedRefs>,
    ) {
        let (values, stack) = (self.values(), thread.stack());
        let none = &mut SavedRefs::default();
        let saved = saved.unwrap_or(none);
        self.moves.follow(saved, values.collections, &stack);
        let Thread { recorder: Some(recorder), scratch, .. } = thread else { return };
        let mut record = |range: Result<ArgumentRange, &Error>| {
            recorder.leave_values(defined, |sink| {
                let Some(plan) = plan else { return };
                let mut decoder = values.decoder(scratch).trust(stack.clone());
                match range.map(|range| plan.result(range)) {
                    Ok(Some(value)) => value.decode(&mut decoder, &mut sink.writer()),
                    Err(error) if plan.returns() => sink.writer().error(error),
                    _ => {}
                }
                for out in plan.outs(saved, values.collections) {
                    let Position::Parameter(index) = out.position() else { continue };
                    out.decode(&mut decoder, &mut sink.out(index));
                }
            });
        };
        let read = self.with_return_value(function, frame, plan, |range| record(Ok(range)));
        if let Err(error) = read {
            record(Err(&error));
        }
    }

    /// Records a call that ends with a tail call.
    pub(crate) fn record_tailcall(thread: &mut Thread, left: &Frame) {
        if let (Some(recorder), Some(number)) = (&mut thread.recorder, left.number) {
            recorder.tailcall(number);
        }
    }

    /// Records a frame that an exception has left.
    pub(crate) fn record_unwound(thread: &mut Thread, frame: &Frame) {
        let exception = thread.exception();
        if let (Some(recorder), Some(number)) = (&mut thread.recorder, frame.number) {
            recorder.unwind(number, &exception);
        }
    }
}
