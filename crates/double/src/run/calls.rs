//! Calls.

use corprof::EventMask;

use super::hooks::{self, Hook};
use super::{Profilers, Session, Thrown};
use crate::com::{AREA, RECORD, is_whole, saved};
use crate::model::{Frame, Memory, Type, Value, function_id};
use crate::{Method, Object};

/// `mdStatic`.
const STATIC: u32 = 0x10;

/// The end of a call: a value, or an exception that leaves it.
type Outcome = Result<Value, Thrown>;

impl<'r, P: Profilers> Session<'r, P> {
    /// Calls a method.
    ///
    /// The method is compiled at its first call. The enter hook runs, then `body`, then the leave hook. Calls made in
    /// `body` are nested in this one.
    ///
    /// `arguments` begin with `this` for a method that is not static.
    ///
    /// # Errors
    /// The exception that leaves the call; the leave hook does not run then.
    ///
    /// # Panics
    /// If the number of arguments, or the size of an argument or of the result, does not match the signature.
    #[track_caller]
    pub fn call(&self, method: &Method<'r>, arguments: &[Value], body: impl FnOnce() -> Outcome) -> Outcome {
        let call = self.enter(method, arguments, false);
        self.ended(call, body(), None::<fn()>)
    }

    /// Calls a method with a `finally` block, which runs after `body`.
    ///
    /// # Errors
    /// The exception that leaves the call.
    ///
    /// # Panics
    /// If the number of arguments, or the size of an argument or of the result, does not match the signature.
    #[track_caller]
    pub fn call_with_finally(
        &self,
        method: &Method<'r>,
        arguments: &[Value],
        body: impl FnOnce() -> Outcome,
        finally: impl FnOnce(),
    ) -> Outcome {
        let call = self.enter(method, arguments, false);
        self.ended(call, body(), Some(finally))
    }

    /// Calls a method that catches an exception of `body` and continues with `handler`.
    ///
    /// # Errors
    /// The exception that `handler` throws.
    ///
    /// # Panics
    /// If the number of arguments, or the size of an argument or of the result, does not match the signature.
    #[track_caller]
    pub fn call_catching(
        &self,
        method: &Method<'r>,
        arguments: &[Value],
        body: impl FnOnce() -> Outcome,
        handler: impl FnOnce(Object) -> Outcome,
    ) -> Outcome {
        let call = self.enter(method, arguments, true);
        let outcome = body().or_else(|thrown| {
            self.catches(&call, false);
            self.caught(call.function, thrown, handler)
        });
        self.ended(call, outcome, None::<fn()>)
    }

    /// Calls a method that ends with a tail call.
    ///
    /// The tailcall hook runs after `body`, and the frame ends; `then` makes the call.
    ///
    /// # Errors
    /// The exception that leaves `body` or `then`.
    ///
    /// # Panics
    /// If the number of arguments, or the size of an argument or of the result, does not match the signature.
    #[track_caller]
    pub fn call_ending_in_tail_call(
        &self,
        method: &Method<'r>,
        arguments: &[Value],
        body: impl FnOnce() -> Result<(), Thrown>,
        then: impl FnOnce() -> Outcome,
    ) -> Outcome {
        let call = self.enter(method, arguments, false);
        if let Err(thrown) = body() {
            return self.ended(call, Err(thrown), None::<fn()>);
        }
        self.hook(&call, |profiling| profiling.tailcall);
        self.end(&call);
        then()
    }

    #[track_caller]
    fn enter(&self, method: &Method<'r>, arguments: &[Value], catches: bool) -> Call {
        let instance = method.instance();
        let wanted = self.sizes(method, instance);
        let given: Vec<usize> = arguments.iter().map(|value| value.bytes(&self.model().heap).len()).collect();
        assert_eq!(given, wanted.arguments, "{method:?} takes arguments of these sizes, `this` included");
        self.compiled(instance);
        let mut model = self.model();
        let Some(thread) = model.current_thread() else {
            drop(model);
            self.begin_thread(None);
            return self.enter(method, arguments, catches);
        };
        let memory: Vec<Memory> =
            arguments.iter().map(|value| Memory::of(&value.bytes(&model.heap))).collect();
        let lengths =
            arguments.iter().map(|value| u32::try_from(value.bytes(&model.heap).len()).unwrap_or(0));
        let places = memory.iter().map(Memory::address).zip(lengths).collect();
        let function = model.instances.get(instance).map_or(0, |instance| instance.function);
        let client = model.functions.get(function).and_then(|function| function.client);
        let record = Memory::new(RECORD * 8);
        record.set_word(0, (record.address() + AREA * 8) as u64);
        // The script's own: the frames of nested calls have lower ones.
        let caller_stack = (&raw const client).addr();
        (AREA..RECORD).for_each(|word| record.set_word(word, saved(word, caller_stack)));
        let index = model.frames.len();
        model.frames.push(Frame {
            instance,
            thread,
            arguments: places,
            result: (0, 0),
            record: record.clone(),
            memory,
            is_running: true,
            catches,
        });
        drop(model);
        let function = function_id(function);
        let call = Call { index, function, client, record, caller_stack, result: wanted.result };
        self.hook(&call, |profiling| profiling.enter);
        call
    }

    /// The sizes of a method's arguments, `this` first, and of its result.
    fn sizes(&self, method: &Method<'r>, instance: usize) -> Sizes {
        let types = method.with_module(|module| {
            let row = module.method(method.token().token());
            row.map(|row| (row.attributes & STATIC == 0, row.takes.clone(), row.returns.clone()))
        });
        let Some((has_this, takes, returns)) = types else { return Sizes::default() };
        let mut model = self.model();
        let Some(exact) = model.instances.get(instance) else { return Sizes::default() };
        let (class, args) = (exact.class, exact.args.clone());
        let class_args = model.class_args(class);
        let mut size_of = |ty: &Type| model.size_of(ty, &class_args, &args).0;
        let this = if has_this { Some(8) } else { None };
        Sizes {
            arguments: this.into_iter().chain(takes.iter().map(&mut size_of)).collect(),
            result: size_of(&returns),
        }
    }

    /// Ends a call by a return or by unwinding, after its `finally` block.
    #[track_caller]
    fn ended(&self, call: Call, outcome: Outcome, finally: Option<impl FnOnce()>) -> Outcome {
        match outcome {
            Ok(value) => {
                finally.into_iter().for_each(|finally| finally());
                Ok(self.leave(call, value))
            }
            Err(thrown) => {
                self.unwound(call.function, finally);
                self.end(&call);
                Err(thrown)
            }
        }
    }

    #[track_caller]
    fn leave(&self, call: Call, value: Value) -> Value {
        let mut model = self.model();
        let bytes = value.bytes(&model.heap);
        assert_eq!(
            bytes.len(),
            call.result,
            "a method that returns something else was given the result {value:?}"
        );
        let memory = Memory::of(&bytes);
        if let Some(frame) = model.frames.get_mut(call.index)
            && !bytes.is_empty()
        {
            frame.result = (memory.address(), u32::try_from(bytes.len()).unwrap_or(0));
            frame.memory.push(memory);
        }
        drop(model);
        self.hook(&call, |profiling| profiling.leave);
        self.end(&call);
        value
    }

    fn catches(&self, call: &Call, catches: bool) {
        self.model().frames.get_mut(call.index).into_iter().for_each(|frame| frame.catches = catches);
    }

    fn end(&self, call: &Call) {
        self.model().frames.get_mut(call.index).into_iter().for_each(|frame| frame.is_running = false);
    }

    /// Runs one of the hooks of a hooked function.
    fn hook(&self, call: &Call, which: impl FnOnce(&crate::model::Profiling) -> Hook) {
        let hook = which(&self.model().profiling);
        let (Some(client), true) = (call.client, self.wants(EventMask::ENTER_LEAVE)) else { return };
        hooks::call(hook, client, call.record.address());
        if !is_whole(&call.record, call.caller_stack) {
            let what = "a hook has returned without the registers that the runtime had saved".to_owned();
            self.runtime.shared().misused(what);
        }
    }
}

/// A call that is running.
struct Call {
    index: usize,
    function: usize,
    client: Option<usize>,
    record: Memory,
    /// The stack pointer of its caller.
    caller_stack: usize,
    /// The size of the result in bytes.
    result: usize,
}

#[derive(Default)]
struct Sizes {
    arguments: Vec<usize>,
    result: usize,
}
