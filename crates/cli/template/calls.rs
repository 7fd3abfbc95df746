//! Prints the calls of the program's own methods, and counts them.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{DeclaredMethod, ProfilerInfo, Result};
use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall, HookKind, Options};

/// Assemblies whose file names begin so are the framework's, and are not traced.
const FRAMEWORK: &[&str] = &["System.", "Microsoft."];

#[derive(Default)]
pub struct Tracer {
    calls: AtomicU64,
}

impl CallTracer for Tracer {
    type Method = (); // kept with each method
    type Thread = (); // kept for each thread
    type Attached = (); // attached to each call

    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        Ok(Self::default())
    }

    fn options(&mut self) -> Options {
        // The fake runtime of the unit test has no compiled code that could call fast-path hooks.
        let hooks = if cfg!(test) { HookKind::WithInfo } else { HookKind::Best };
        Options { hooks, ..Options::default() }
    }

    fn select(&self, method: &DeclaredMethod<'_>) -> bool {
        let assembly = method.module_info.file_name();
        !FRAMEWORK.iter().any(|prefix| assembly.starts_with(prefix))
    }

    fn prepare(&self, _: &CalledMethod) {}

    fn enter(&self, call: &EnteredCall<'_, Self>, _: &mut ()) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        // A closed standard error is no reason to disturb the program.
        let _ = writeln!(io::stderr(), "{call}");
    }

    fn leave(&self, call: &EndedCall<'_, Self>, _: (), _: &mut ()) {
        let _ = writeln!(io::stderr(), "{call}");
    }

    fn shutdown(&self) {
        let calls = self.calls.load(Ordering::Relaxed);
        let _ = writeln!(io::stderr(), "@NAME@: {calls} calls");
    }
}

corprof::export_profiler!("@CLSID@", [Calls<Tracer>]);

#[cfg(test)]
mod tests {
    use corprof_double::{Runtime, Type, Version};

    use super::*;

    #[test]
    fn calls_of_the_program_are_counted_and_those_of_the_framework_are_not() {
        let runtime = Runtime::new(Version::NET_9);
        let (app, framework) = (runtime.module("App"), runtime.module("System.Sums"));
        let own = app.class("App.Sums").method("Add").is_static().param("a", Type::I4).define();
        let other = framework.class("Sums").method("Add").is_static().define();
        let session = runtime.start::<Calls<Tracer>>().unwrap();
        session.load(app);
        session.load(framework);
        session.call(&own, &[1.into()], || Ok(().into())).unwrap();
        session.call(&other, &[], || Ok(().into())).unwrap();
        assert_eq!(session.profiler().tracer().calls.load(Ordering::Relaxed), 1);
        session.shutdown();
        assert_eq!(runtime.misuse(), [""; 0]);
    }
}
