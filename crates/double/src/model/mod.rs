//! The state of the runtime: modules and their metadata, classes, functions, threads, objects, calls. Safe code
//! throughout: the COM objects read it, the builders and the script change it.

mod core_lib;
mod handles;
mod heap;
mod layout;
mod loaded;
mod rows;
mod tokens;
mod ty;
mod value;

pub(crate) use core_lib::CoreLib;
pub(crate) use handles::Handles;
pub(crate) use heap::{Memory, STRING, VECTOR};
pub(crate) use loaded::{Class, ClassKind, Function, Instance, ThreadState};
pub(crate) use rows::{Field, MethodRow, Module, Param, State, TypeDefRow};
pub use ty::{Type, TypeRow};
pub use value::Value;

use std::collections::HashMap;
use std::thread::ThreadId as OwnThreadId;

/// The one application domain.
pub(crate) const APP_DOMAIN: usize = 0x0C00_0000;
/// The first id of each kind, and the distance between ids.
const MODULES: usize = 0x0A00_0000;
const ASSEMBLIES: usize = 0x0B00_0000;
const FUNCTIONS: usize = 0x0F00_0000;
const THREADS: usize = 0x0700_0000;
const STEP: usize = 0x40;

/// The whole state.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) modules: Vec<Module>,
    pub(crate) classes: Vec<Class>,
    pub(crate) functions: Vec<Function>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) threads: Vec<ThreadState>,
    /// The managed thread of each operating system thread.
    pub(crate) current: HashMap<OwnThreadId, usize>,
    pub(crate) core: CoreLib,
    pub(crate) heap: heap::Heap,
    pub(crate) frames: Vec<Frame>,
    pub(crate) profiling: Profiling,
    /// The open metadata enumerations.
    pub(crate) enumerations: Vec<Option<Enumeration>>,
    /// The requested ReJITs, in order.
    pub(crate) rejits: Vec<ReJit>,
    pub(crate) handles: Handles,
    /// The environment variables of the program.
    pub(crate) environment: HashMap<String, String>,
    /// Memory that was allocated for IL, by address.
    pub(crate) allocated: Vec<Memory>,
}

/// The settings of the profiler.
#[derive(Default)]
pub(crate) struct Profiling {
    pub(crate) mask: [u32; 2],
    pub(crate) is_initialized: bool,
    pub(crate) is_attached: bool,
    pub(crate) mapper: corprof_sys::FunctionIDMapper2,
    pub(crate) mapper_data: usize,
    pub(crate) enter: corprof_sys::FunctionEnter3WithInfo,
    pub(crate) leave: corprof_sys::FunctionLeave3WithInfo,
    pub(crate) tailcall: corprof_sys::FunctionTailcall3WithInfo,
    /// Whether there are fast-path hooks, which only compiled code can call.
    pub(crate) has_fast_hooks: bool,
    /// The time limit in milliseconds.
    pub(crate) detach: Option<u32>,
    pub(crate) suspensions: u32,
    pub(crate) forced_collections: usize,
}

impl Profiling {
    pub(crate) fn has_hooks(&self) -> bool {
        self.has_fast_hooks || self.enter.is_some() || self.leave.is_some() || self.tailcall.is_some()
    }
}

/// A call that runs or has ended.
pub(crate) struct Frame {
    pub(crate) instance: usize,
    /// The managed thread of the call.
    pub(crate) thread: usize,
    /// The addresses of the arguments, `this` first.
    pub(crate) arguments: Vec<(usize, u32)>,
    pub(crate) result: (usize, u32),
    /// The argument of the hooks: a record whose first word points to the saved registers.
    pub(crate) record: Memory,
    /// The arguments and the result.
    pub(crate) memory: Vec<Memory>,
    pub(crate) is_running: bool,
    pub(crate) catches: bool,
}

/// A metadata enumeration: its tokens, in pairs where the method returns pairs, and how many have been returned.
pub(crate) struct Enumeration {
    pub(crate) tokens: Vec<u32>,
    pub(crate) read: usize,
}

/// A requested ReJIT.
pub(crate) struct ReJit {
    pub(crate) module: usize,
    pub(crate) method: u32,
    pub(crate) id: usize,
    pub(crate) state: ReJitState,
    pub(crate) il: Option<Vec<u8>>,
    pub(crate) flags: u32,
}

/// The progress of the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReJitState {
    Requested,
    Active,
    Reverted,
}

fn index_of(id: usize, first: usize, count: usize) -> Option<usize> {
    let index = id.checked_sub(first)? / STEP;
    (index < count && first + index * STEP == id).then_some(index)
}

pub(crate) fn module_id(index: usize) -> usize {
    MODULES + index * STEP
}

pub(crate) fn assembly_id(index: usize) -> usize {
    ASSEMBLIES + index * STEP
}

pub(crate) fn function_id(index: usize) -> usize {
    FUNCTIONS + index * STEP
}

pub(crate) fn thread_id(index: usize) -> usize {
    THREADS + index * STEP
}

impl Model {
    /// The index of the module with an id.
    pub(crate) fn module(&self, id: usize) -> Option<usize> {
        index_of(id, MODULES, self.modules.len())
    }

    pub(crate) fn assembly(&self, id: usize) -> Option<usize> {
        index_of(id, ASSEMBLIES, self.modules.len())
    }

    pub(crate) fn function(&self, id: usize) -> Option<usize> {
        index_of(id, FUNCTIONS, self.functions.len())
    }

    pub(crate) fn thread(&self, id: usize) -> Option<usize> {
        index_of(id, THREADS, self.threads.len())
    }

    pub(crate) fn class(&self, id: usize) -> Option<usize> {
        self.classes.iter().position(|class| class.id() == id)
    }

    /// The id of a class; 0 for none.
    pub(crate) fn class_id(&self, class: usize) -> usize {
        self.classes.get(class).map_or(0, |class| class.id())
    }

    /// The type arguments of a class.
    pub(crate) fn class_args(&self, class: usize) -> Vec<usize> {
        match self.classes.get(class).map(|class| &class.kind) {
            Some(ClassKind::Instance { args, .. }) => args.clone(),
            _ => Vec::new(),
        }
    }

    /// The managed thread that runs.
    pub(crate) fn current_thread(&self) -> Option<usize> {
        self.current.get(&std::thread::current().id()).copied()
    }

    /// The calls that are running on a thread, the innermost first.
    pub(crate) fn stack(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        let running = move |(_, frame): &(usize, &Frame)| frame.is_running && frame.thread == thread;
        self.frames.iter().enumerate().rev().filter(running).map(|(index, _)| index)
    }

    /// Opens an enumeration with tokens left to read; returns its handle.
    pub(crate) fn open_enumeration(&mut self, enumeration: Enumeration) -> usize {
        self.enumerations.push(Some(enumeration));
        self.enumerations.len()
    }

    pub(crate) fn enumeration(&mut self, handle: usize) -> Option<&mut Option<Enumeration>> {
        self.enumerations.get_mut(handle.checked_sub(1)?)
    }

    pub(crate) fn open_enumerations(&self) -> usize {
        self.enumerations.iter().flatten().count()
    }
}
