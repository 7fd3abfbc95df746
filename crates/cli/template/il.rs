//! Rewrites methods before they are compiled for the first time: here a `nop` is inserted at their entry.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use cilbody::Opcode;
use cilbody::edit::Instr;
use corprof::{EventMask, FunctionId, Names, Profiler, ProfilerInfo, Result};
use corprof_rewrite::Rewriter;

/// Assemblies whose file names begin so are the framework's, and are not rewritten.
const FRAMEWORK: &[&str] = &["System.", "Microsoft."];

pub struct Rewriting {
    names: Names,
    rewriter: Rewriter,
    rewritten: AtomicU64,
}

impl Profiler for Rewriting {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::JIT_COMPILATION | EventMask::MODULE_LOADS)?;
        Ok(Self { names: Names::new(info), rewriter: Rewriter::new(info), rewritten: AtomicU64::new(0) })
    }

    fn jit_compilation_started(&self, function: FunctionId, _is_safe_to_block: bool) {
        let Ok(method) = self.names.method(function) else { return };
        let assembly = method.module_info.file_name();
        if FRAMEWORK.iter().any(|prefix| assembly.starts_with(prefix)) {
            return;
        }
        // SAFETY: the inserted code does nothing. Code that calls methods must pass what they expect.
        let outcome = unsafe {
            self.rewriter.at_jit(function, |method| {
                method.body_mut().insert_at_entry().push(Instr::new(Opcode::NOP));
                Ok(true)
            })
        };
        match outcome {
            Ok(_) => drop(self.rewritten.fetch_add(1, Ordering::Relaxed)),
            // The method keeps its IL.
            Err(error) => drop(writeln!(io::stderr(), "@NAME@: {}: {error}", method.plain_name())),
        }
    }

    fn shutdown(&self) {
        let rewritten = self.rewritten.load(Ordering::Relaxed);
        let _ = writeln!(io::stderr(), "@NAME@: {rewritten} methods rewritten");
    }
}

corprof::export_profiler!("@CLSID@", [Rewriting]);

#[cfg(test)]
mod tests {
    use corprof_double::{Runtime, Version};

    use super::*;

    #[test]
    fn methods_of_the_framework_keep_their_il() {
        const RET: u8 = 0x2A;
        let runtime = Runtime::new(Version::NET_9);
        let framework = runtime.module("System.Work");
        let method = framework.class("Work").method("M").is_static().il(&[RET]).define();
        let session = runtime.start::<Rewriting>().unwrap();
        session.load(framework);
        session.compile(&method);
        assert_eq!(session.profiler().rewritten.load(Ordering::Relaxed), 0);
        session.shutdown();
        runtime.assert_released();
    }
}
