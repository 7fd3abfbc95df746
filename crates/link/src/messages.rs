//! What a tool says that writes its output itself: to its client, or to standard error.

use std::sync::OnceLock;

use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;

use crate::Client;

/// The messages of a tool that writes its output itself. For a static variable, since callbacks and threads have some.
#[derive(Debug)]
pub struct Messages {
    tool: &'static str,
    client: OnceLock<Client>,
}

impl Messages {
    /// The messages of a tool of this name, which begin with it on standard error.
    #[must_use]
    pub const fn new(tool: &'static str) -> Self {
        Self { tool, client: OnceLock::new() }
    }

    /// From now on messages go to this client, if there is one. The connection stays open until the process ends, which is how the
    /// client knows of that.
    pub fn go_to(&self, client: Option<&Client>) {
        if let Some(client) = client {
            // Of a tool that is made twice, the first one's.
            let _ = self.client.set(client.clone());
        }
    }

    /// Says something. It waits for a slow client for two seconds at most.
    pub fn say(&self, message: &str) {
        match self.client.get() {
            Some(client) => client.progress(message),
            None => {
                let line = format!("{}: {}\n", self.tool, Printable(message));
                // A closed standard error is no reason to fail.
                let _ = Outlet::standard_error().write_line(line.as_bytes());
            }
        }
    }

    /// Tells the client that the output is whole.
    pub fn end(&self) {
        if let Some(client) = self.client.get() {
            client.end("the program has ended", None);
            client.close();
        }
    }
}
