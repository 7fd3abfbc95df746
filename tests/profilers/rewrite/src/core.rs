//! Requests of all methods of the core library.

use std::sync::atomic::{AtomicU64, Ordering};

use corprof::values::ReJitFlags;
use corprof::{Error, ModuleId, ModuleMethod, ProfilerInfo, Result};

/// The number of methods of a request.
const BATCH: usize = 200;

/// Requests ReJIT of the methods of a module again and again, until the program ends. Counts those that were requested and those that
/// must not be.
pub(crate) fn request(
    info: &ProfilerInfo,
    module: ModuleId,
    with_inliners: bool,
    [requested, refused, _]: &[AtomicU64; 3],
) {
    // If this fails, the requests fail, and the test with them.
    let _ = info.initialize_current_thread();
    let Ok(methods) = methods(info, module) else { return };
    loop {
        for batch in methods.chunks(BATCH) {
            let Ok(number) = (match with_inliners {
                true => request_with_inliners(info, batch),
                false => request_alone(info, batch),
            }) else {
                return;
            };
            requested.fetch_add(number, Ordering::Relaxed);
            refused.fetch_add(batch.len() as u64 - number, Ordering::Relaxed);
        }
    }
}

/// Requests those that may be requested, and returns their number.
fn request_alone(info: &ProfilerInfo, methods: &[ModuleMethod]) -> Result<u64> {
    let may = |method: &&ModuleMethod| info.may_request_rejit(**method).is_ok_and(|may| may);
    let allowed: Vec<_> = methods.iter().filter(may).copied().collect();
    info.request_rejit(&allowed)?;
    Ok(allowed.len() as u64)
}

/// The same for each by itself, with its inliners.
fn request_with_inliners(info: &ProfilerInfo, methods: &[ModuleMethod]) -> Result<u64> {
    let mut number = 0;
    for method in methods {
        match info.request_rejit_with_inliners(ReJitFlags::BLOCK_INLINING, &[*method]) {
            Ok(()) => number += 1,
            Err(Error::Unsafe { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(number)
}

fn methods(info: &ProfilerInfo, module: ModuleId) -> Result<Vec<ModuleMethod>> {
    let metadata = info.module_metadata(module)?;
    let mut methods = Vec::new();
    for class in metadata.type_defs()? {
        let of = metadata.methods(class)?;
        methods.extend(of.into_iter().map(|method| ModuleMethod { module, method }));
    }
    Ok(methods)
}
