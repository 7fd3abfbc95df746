//! Addresses to code.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use corprof::{Forget, FunctionId, Names, ProfilerInfo, Result, Unload};

use crate::limits::ADDRESSES;
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

/// The cached methods; those that are unloaded are evicted.
#[derive(Debug, Default)]
struct Cache {
    functions: Mutex<Cached>,
}

#[derive(Debug, Default)]
struct Cached {
    functions: HashMap<usize, FunctionId>,
    /// A result from before an unload is not cached after it.
    unloads: u64,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forget for Cache {
    fn forget(&self, unload: &Unload) {
        let mut cached = self.lock();
        cached.unloads += 1;
        cached.functions.retain(|_, function| !unload.takes(*function));
    }
}

/// Finds what is at an address. Used on one thread.
#[derive(Debug)]
pub(crate) struct Addresses {
    info: ProfilerInfo,
    cache: Arc<Cache>,
    native: NativeCode,
}

impl Addresses {
    pub(crate) fn new(names: &Names) -> Self {
        let cache = Arc::<Cache>::default();
        names.info().forget_with(&cache);
        Self { info: names.info().clone(), cache, native: NativeCode::default() }
    }

    /// Returns the code that was at an address at a time; `None` if the address is not one of code.
    ///
    /// # Errors
    /// The runtime can no longer be queried.
    pub(crate) fn find(
        &mut self,
        address: usize,
        at: Duration,
        dynamic: &Mutex<DynamicCode>,
    ) -> Result<Option<Code>> {
        {
            let dynamic = dynamic.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(name) = dynamic.find(address, at) {
                return Ok(Some(Code::Dynamic(Arc::clone(name))));
            }
        }
        let unloads = {
            let cached = self.cache.lock();
            if let Some(function) = cached.functions.get(&address) {
                return Ok(Some(Code::Function(*function)));
            }
            cached.unloads
        };
        let Some(version) = self.info.function_version_from_ip(address)? else {
            return Ok(self.native.find(address).map(Code::Native));
        };
        let mut cached = self.cache.lock();
        if cached.unloads == unloads && cached.functions.len() < ADDRESSES {
            cached.functions.insert(address, version.function);
        }
        Ok(Some(Code::Function(version.function)))
    }
}
