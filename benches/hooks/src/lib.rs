//! Profilers that differ in the work of their hooks, like those of `c/profiler.c`: the cost of a call under each is measured with
//! the program `Loop.cs`. With HOOKS_BENCH_ALL set, every method of a program is hooked and not only those of `Loop.dll`.

mod function;
mod thread;
mod ways;

use corprof::{
    EnterFrame, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Names, Profiler, ProfilerInfo,
    Result, TailcallFrame, export_profiler,
};

use argvalues::Direct;
use corprof_calls::ClrRuntime;

use crate::function::Function;
use crate::ways::{Captured, Counted, Decoded, Empty, Way};

const CLASSES: [(&str, &str); 9] = include!("classes.rs");

export_profiler!(
    CLASSES[0].1, [Bench<Empty, true>];
    CLASSES[1].1, [Bench<Counted, true>];
    CLASSES[2].1, [Bench<Captured<false>, true>];
    CLASSES[3].1, [Bench<Captured<true>, true>];
    CLASSES[4].1, [Bench<Decoded, true>];
    CLASSES[5].1, [Bench<Counted, false>];
    CLASSES[6].1, [Bench<Captured<false>, false>];
    CLASSES[7].1, [Bench<Captured<true>, false>];
    CLASSES[8].1, [Bench<Decoded, false>]
);

/// A profiler with the hooks of `W`, fast-path or slow-path.
struct Bench<W, const FAST: bool> {
    tools: Tools,
    hooks_all: bool,
    way: std::marker::PhantomData<W>,
}

/// The state for decoding.
struct Tools {
    names: Names,
    runtime: ClrRuntime,
    memory: Direct,
}

impl<W: Way, const FAST: bool> Profiler for Bench<W, FAST> {
    #[allow(unsafe_code)]
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | ClrRuntime::EVENTS)?;
        let names = Names::new(info);
        // SAFETY: it reads the arguments of the call whose enter hook is running, while that runs.
        let memory = unsafe { Direct::new() };
        let tools = Tools { runtime: ClrRuntime::new(&names)?, names, memory };
        let hooks_all = std::env::var_os("HOOKS_BENCH_ALL").is_some();
        Ok(Self { tools, hooks_all, way: std::marker::PhantomData })
    }

    fn hooks(&self) -> Hooks<Self> {
        if FAST { Hooks::fast() } else { Hooks::with_info() }
    }

    fn shutdown(&self) {
        let (enters, leaves) = thread::seen();
        eprintln!("seen {enters} {leaves}");
    }
}

impl<W: Way, const FAST: bool> FunctionHooks for Bench<W, FAST> {
    type Function = Function;

    fn map_function(&self, function: FunctionId) -> Option<Function> {
        let method = self.tools.names.method(function).ok()?;
        let is_hooked = self.hooks_all || method.module_info.file_name() == "Loop.dll";
        is_hooked.then(|| Function::new(method))
    }

    #[inline(always)]
    fn enter(&self, function: &Function, frame: &EnterFrame<'_>) {
        W::enter(&self.tools, function, frame);
    }

    #[inline(always)]
    fn leave(&self, function: &Function, frame: &LeaveFrame<'_>) {
        W::leave(&self.tools, function, frame);
    }

    #[inline(always)]
    fn tailcall(&self, function: &Function, _: &TailcallFrame<'_>) {
        W::tailcall(function);
    }
}
