//! The tracer of the guide, verbatim: the end-to-end test `guide` compares the two texts.

use std::io::{self, Write as _};

use corprof::{DeclaredMethod, ProfilerInfo, Result};
use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall};

struct Print;

impl CallTracer for Print {
    type Method = (); // kept with each method
    type Thread = (); // kept for each thread
    type Attached = (); // attached to each call

    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        Ok(Print)
    }
    fn select(&self, method: &DeclaredMethod<'_>) -> bool {
        method.plain_name().starts_with("Shop.")
    }
    fn prepare(&self, _: &CalledMethod) {}
    fn enter(&self, call: &EnteredCall<'_, Self>, _: &mut ()) {
        let _ = writeln!(io::stderr(), "{call}"); // [4711] → Shop.Cart<string>.Add(name: "apple", count: ref 2, item: out)
    }
    fn leave(&self, call: &EndedCall<'_, Self>, _: (), _: &mut ()) {
        let _ = writeln!(io::stderr(), "{call}"); // [4711] ← true  count: 3, item: Shop.Item { name: "apple", price: 1.25 }
    }
}
corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A02}", [Calls<Print>]);
