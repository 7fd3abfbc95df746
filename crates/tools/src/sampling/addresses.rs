//! Addresses to code.
//!
//! Contract of the unsafe code here: the runtime is queried about addresses of executed code only: instruction pointers of
//! interrupted threads, and words of their stacks that lie behind a call instruction in executable memory. Other words of a stack may be
//! pointers to data or to the beginning of a method in a precompiled image.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use corprof::{FunctionId, IdMap, Names, ProfilerInfo, Result, UnloadCache};

use crate::limits::ADDRESSES;
use crate::sampling::call_sites::CallSites;
use crate::sampling::dynamic_code::DynamicCode;
use crate::sampling::native_code::{NativeCode, NativeFrame};

/// The code at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// A method.
    Function(FunctionId),
    /// A dynamic method, by its name: its id may be stale.
    Dynamic(Arc<str>),
    /// A native function.
    Native(NativeFrame),
}

impl Code {
    pub(crate) const fn is_managed(&self) -> bool {
        !matches!(self, Self::Native(_))
    }
}

/// An address of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// The instruction pointer of the interrupted thread.
    Instruction(usize),
    /// A word of the stack at which a return address should be.
    Return(usize),
}

/// Finds what is at an address. Used on one thread.
#[derive(Debug)]
pub(crate) struct Addresses {
    info: ProfilerInfo,
    functions: UnloadCache<usize, FunctionId>,
    native: NativeCode,
    call_sites: CallSites,
}

impl Addresses {
    pub(crate) fn new(names: &Names) -> Self {
        let functions = UnloadCache::new(names.info(), |functions: &mut IdMap<_, _>, unload| {
            functions.retain(|_, function| !unload.takes(*function));
        });
        let (native, call_sites) = (NativeCode::default(), CallSites::new());
        Self { info: names.info().clone(), functions, native, call_sites }
    }

    /// Returns the code that was at an address at a time; `None` if the address is not one of code.
    ///
    /// # Errors
    /// The runtime can no longer be queried.
    pub(crate) fn find(
        &mut self,
        address: Address,
        at: Duration,
        dynamic: &Mutex<DynamicCode>,
    ) -> Result<Option<Code>> {
        // A call may be the last instruction of a native function, so that the return address is behind it. A compiler of managed code
        // puts an instruction behind such a call.
        let (address, in_native, is_return) = match address {
            Address::Instruction(word) => (word, word, false),
            Address::Return(word) => (word, word.saturating_sub(1), true),
        };
        {
            let dynamic = dynamic.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(name) = dynamic.find(address, at) {
                return Ok(Some(Code::Dynamic(Arc::clone(name))));
            }
        }
        if let Some(function) = self.functions.get(&address) {
            return Ok(Some(Code::Function(function)));
        }
        let lookup = self.functions.begin(address);
        if let Some(frame) = self.native.cached(in_native) {
            return Ok(Some(Code::Native(frame)));
        }
        let is_called = !is_return || self.call_sites.returns_to(address);
        let is_executed = is_called && (!is_return || self.native.is_executable(in_native));
        let version = match is_executed {
            // SAFETY: an instruction pointer, or a word behind a call instruction in executable memory.
            true => unsafe { self.info.function_version_from_ip(address) }?,
            false => None,
        };
        let Some(version) = version else {
            // Most words that are behind no call are no addresses of code, such as the last one of each stack.
            let found =
                if is_called { self.native.find(in_native) } else { self.native.find_listed(in_native) };
            return Ok(found.map(Code::Native));
        };
        if self.functions.len() < ADDRESSES {
            lookup.store(version.function);
        }
        Ok(Some(Code::Function(version.function)))
    }
}
