//! Requests of all methods of the core library.

use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{ModuleId, ModuleMethod, ProfilerInfo, Result};

/// The number of methods of a request.
const BATCH: usize = 200;

/// Requests ReJIT of the methods of a module again and again, until the program ends. Counts those that were requested and those that
/// must not be.
pub(crate) fn request(info: &ProfilerInfo, module: ModuleId, [requested, refused, _]: &[AtomicU64; 3]) {
    // If this fails, the requests fail, and the test with them.
    let _ = info.initialize_current_thread();
    let Ok(methods) = methods(info, module) else { return };
    loop {
        for batch in methods.chunks(BATCH) {
            let may = |method: &&ModuleMethod| info.may_request_rejit(**method).is_ok_and(|may| may);
            let allowed: Vec<_> = batch.iter().filter(may).copied().collect();
            if info.request_rejit(&allowed).is_err() {
                return;
            }
            requested.fetch_add(allowed.len() as u64, Ordering::Relaxed);
            refused.fetch_add((batch.len() - allowed.len()) as u64, Ordering::Relaxed);
        }
    }
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
