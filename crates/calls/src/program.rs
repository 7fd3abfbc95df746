//! The shared state for decoding the values of all calls.
//!
//! Contract of the unsafe code here: values are decoded in hooks only. A [`Call`](crate::Call) and what is made of it cannot
//! outlive the hook that reports it, and the calls that end without a hook have no values.
#![allow(unsafe_code)]

use core::num::NonZeroU32;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use argvalues::{Checked, Decoder, HeapMemory, Limits, Scratch};
use corprof::{Error, ModuleInfo, Names, Result};

use crate::decoding::ThreadDecoding;
use crate::heap::Heap;
use crate::moves::Moves;
use crate::options::Options;
use crate::runtime::ClrRuntime;

/// The source of the program's memory, as a thread reads it: in place where it is known to be readable, and through the
/// operating system elsewhere.
pub(crate) type ProgramMemory = HeapMemory;

/// The runtime, the memory, the limits and the collections of a traced program.
pub(crate) struct Program {
    pub(crate) runtime: ClrRuntime,
    /// The memory as the operating system reads it.
    memory: Checked,
    pub(crate) heap: Arc<Heap>,
    limits: Limits,
    pub(crate) full_calls: Option<NonZeroU32>,
    raw: bool,
    /// The number of garbage collections so far.
    collections: AtomicU64,
    pub(crate) moves: Moves,
}

impl Program {
    pub(crate) fn new(names: &Names, options: Options) -> Result<Self> {
        let Options { self_test, limits, full_calls, raw, local_time, redact, .. } = options;
        let memory = Checked::new().map_err(|error| {
            Error::other(format!(
                "the operating system does not let this process read its own memory ({error}); \
                 allow one of these in its sandbox"
            ))
        })?;
        let runtime = ClrRuntime::new(names)?;
        let heap = Arc::new(Heap::default());
        names.info().watch_collections(&heap)?;
        let runtime = if self_test { runtime.self_tested() } else { runtime };
        let runtime = match local_time {
            Some(offset) => runtime.local_time(offset),
            None => runtime,
        };
        let runtime = match redact {
            Some(redact) => runtime.redact(redact),
            None => runtime,
        };
        Ok(Self {
            runtime,
            memory,
            heap,
            limits,
            full_calls,
            raw,
            collections: AtomicU64::new(0),
            moves: Moves::default(),
        })
    }

    /// Reads the ranges of memory that stay, before a method of a module is compiled.
    pub(crate) fn read_kept(&self, module: Option<&ModuleInfo>) {
        self.heap.read_kept(self.runtime.info(), module, &self.memory);
    }

    /// The number of garbage collections so far.
    pub(crate) fn collections(&self) -> u64 {
        self.collections.load(Ordering::Relaxed)
    }

    /// Counts a collection that begins, and returns its number.
    pub(crate) fn collection_started(&self) -> u64 {
        self.collections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A decoder for values of a call of the running thread; with `brief`, without the parts of values.
    pub(crate) fn decoder<'d>(
        &'d self,
        thread: &'d ThreadDecoding,
        scratch: &'d mut Scratch,
        brief: bool,
    ) -> Decoder<'d, ProgramMemory, ClrRuntime> {
        let (memory, stack) = self.memory_of(thread);
        Decoder::new(memory, &self.runtime, self.limits, scratch).raw(self.raw).brief(brief).trust(stack)
    }

    /// The memory for values of a call of the running thread, and the part of the stack above the current frame.
    pub(crate) fn memory_of<'d>(&self, thread: &'d ThreadDecoding) -> (&'d ProgramMemory, Range<usize>) {
        let stack = thread.stack();
        let new = || HeapMemory::new(self.memory.clone(), Arc::clone(self.heap.ranges()));
        let memory = thread.memory.get_or_init(new);
        if memory.needs_ranges() {
            self.find_ranges(memory);
        }
        // SAFETY: the thread is in a hook, as the contract above says. Its stack is readable from the running frame to the
        // end: it is one mapping, and the part in use is not unmapped.
        unsafe { memory.enter(stack.clone()) };
        (memory, stack)
    }

    #[cold]
    #[inline(never)]
    fn find_ranges(&self, memory: &ProgramMemory) {
        memory.ranges_were_read(self.heap.extend(self.runtime.info()));
    }
}
