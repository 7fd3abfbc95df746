//! Prints the exceptions of a program, from its start or when it is attached to a running one.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{EventMask, Names, ObjectId, Profiler, ProfilerInfo, Result};

pub struct Exceptions {
    names: Names,
    thrown: AtomicU64,
}

impl Exceptions {
    fn begin(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS)?;
        Ok(Self { names: Names::new(info), thrown: AtomicU64::new(0) })
    }
}

impl Profiler for Exceptions {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Self::begin(info)
    }

    /// The client data are what `corprof attach --data` was given.
    fn initialize_for_attach(info: &ProfilerInfo, _client_data: &[u8]) -> Result<Self> {
        Self::begin(info)
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        self.thrown.fetch_add(1, Ordering::Relaxed);
        let class = self.names.info().class_of_object(exception).and_then(|class| self.names.class(class));
        let name = class.map_or_else(|error| error.to_string(), |name| name.to_string());
        // A closed standard error is no reason to disturb the program.
        let _ = writeln!(io::stderr(), "thrown: {name}");
    }

    fn shutdown(&self) {
        let thrown = self.thrown.load(Ordering::Relaxed);
        let _ = writeln!(io::stderr(), "@NAME@: {thrown} exceptions");
    }
}

corprof::export_profiler!("@CLSID@", [Exceptions]);

#[cfg(test)]
mod tests {
    use corprof_double::{Runtime, Version};

    use super::*;

    #[test]
    fn exceptions_are_counted_in_an_attached_profiler() {
        let runtime = Runtime::new(Version::NET_9);
        let app = runtime.module("App");
        let class = app.class("App.OutOfStock");
        let method = app.class("App.Work").method("M").is_static().define();
        let session = runtime.attach::<Exceptions>(b"").unwrap();
        session.load(app);
        let exception = session.object(&class, &[]);
        let outcome = session.call(&method, &[], || Err(session.throw(exception)));
        assert!(outcome.is_err());
        assert_eq!(session.profiler().thrown.load(Ordering::Relaxed), 1);
        session.shutdown();
    }
}
