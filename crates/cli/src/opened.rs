//! Whether a runtime has opened a profiler's library.
//!
//! The runtime reports nothing when it cannot load a profiler. Whether it opened the file can be observed for any
//! library, without its cooperation. A library of corprof reports later failures itself.

use std::path::Path;

/// Watches a library from before a program is started.
#[derive(Debug)]
pub struct Opened {
    #[cfg(target_os = "linux")]
    events: rustix::fd::OwnedFd,
}

impl Opened {
    /// Starts to watch; `None` for a file that is not there, and where files cannot be watched.
    #[must_use]
    pub fn watch(library: &Path) -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

            let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            add_watch(&events, library, WatchFlags::OPEN).ok()?;
            Some(Self { events })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = library;
            None
        }
    }

    /// Returns whether any process has opened the library since.
    #[must_use]
    pub fn seen(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            // One event with a name is at most this long.
            let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
            rustix::fs::inotify::Reader::new(&self.events, &mut buffer).next().is_ok()
        }
        #[cfg(not(target_os = "linux"))]
        {
            false
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Opened;

    #[test]
    fn a_file_that_is_opened_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("lib.so");
        assert!(Opened::watch(&file).is_none());
        std::fs::write(&file, "").unwrap();
        let opened = Opened::watch(&file).unwrap();
        assert!(!opened.seen());
        drop(std::fs::read(&file).unwrap());
        assert!(opened.seen());
    }
}
