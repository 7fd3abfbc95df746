//! Where the runtime calls the profiler: what a call from there must not do.
//!
//! The rules are those of the runtime, stated again and not taken from `corprof`, so that the one is checked by the other.

use core::cell::RefCell;

/// A place in which the profiler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// A hook: its stub has saved references that no collection updates.
    Hook,
    /// A callback that passes an object, which no collection updates.
    Objects,
    /// The thread collects, or suspends the runtime to do so.
    Collection,
    /// The thread has suspended the runtime.
    Suspended,
    /// Any other callback, except those about the profiler itself: it may come with locks.
    Callback,
}

thread_local! {
    static SITES: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
}

/// The thread is there until this is dropped.
pub(crate) struct Inside(Site);

pub(crate) fn enter(site: Site) -> Inside {
    SITES.with_borrow_mut(|sites| sites.push(site));
    Inside(site)
}

/// The thread has left a place that it has entered.
pub(crate) fn leave(site: Site) {
    SITES.with_borrow_mut(|sites| {
        sites.iter().rposition(|other| *other == site).map(|index| sites.remove(index));
    });
}

impl Drop for Inside {
    fn drop(&mut self) {
        leave(self.0);
    }
}

/// The methods that let a collection run, or wait for one.
const COLLECTING: &[&str] = &[
    "ICorProfilerInfo::ForceGC",
    "ICorProfilerInfo3::EnumModules",
    "ICorProfilerInfo3::RequestProfilerDetach",
    "ICorProfilerInfo4::EnumJITedFunctions2",
    "ICorProfilerInfo4::EnumThreads",
    "ICorProfilerInfo4::GetReJITIDs",
    "ICorProfilerInfo4::RequestReJIT",
    "ICorProfilerInfo4::RequestRevert",
    "ICorProfilerInfo10::RequestReJITWithInliners",
    "ICorProfilerInfo10::SuspendRuntime",
    "ICorProfilerInfo12::EventPipeStartSession",
    "ICorProfilerInfo12::EventPipeAddProviderToSession",
    "ICorProfilerInfo12::EventPipeStopSession",
    "ICorProfilerInfo12::EventPipeCreateProvider",
    "ICorProfilerInfo14::EventPipeCreateProvider2",
    "ICorProfilerInfo15::EnumerateGCHeapObjects",
];

/// The methods that run managed code or stop the program's threads, which may want a lock that a callback comes with.
const UNLOCKED: &[&str] = &[
    "ICorProfilerInfo::ForceGC",
    "ICorProfilerInfo10::SuspendRuntime",
    "ICorProfilerInfo12::EventPipeStartSession",
    "ICorProfilerInfo12::EventPipeAddProviderToSession",
    "ICorProfilerInfo12::EventPipeStopSession",
    "ICorProfilerInfo15::EnumerateGCHeapObjects",
];

/// The callbacks that come with no lock.
const OF_THE_PROFILER: &[&str] = &["Shutdown", "ProfilerAttachComplete", "ProfilerDetachSucceeded"];

/// The thread is in a callback.
pub(crate) fn in_callback(callback: &str) -> Option<Inside> {
    (!OF_THE_PROFILER.contains(&callback)).then(|| enter(Site::Callback))
}

/// Those that may be called where the world is stopped.
const WHILE_STOPPED: &[&str] =
    &["ICorProfilerInfo4::EnumThreads", "ICorProfilerInfo15::EnumerateGCHeapObjects"];

/// What would happen on a real runtime of this major version if this thread called the method now.
pub(crate) fn misuse(method: &str, major: u16) -> Option<&'static str> {
    if !COLLECTING.contains(&method) {
        return None;
    }
    let stopped = WHILE_STOPPED.contains(&method);
    let releases_lock = major == 9 && method == "ICorProfilerInfo4::EnumThreads";
    SITES.with_borrow(|sites| {
        sites.iter().find_map(|site| match site {
            Site::Hook => Some("in a hook, whose arguments a collection would leave behind"),
            Site::Objects => Some("in a callback with an object, which a collection would move"),
            Site::Collection if releases_lock => {
                Some("during a collection, whose thread has the lock of the list, which the call releases")
            }
            Site::Collection if !stopped => Some("during a collection, for the end of which it would wait"),
            Site::Suspended if !stopped => {
                Some("on the thread that has suspended the runtime, for the end of which it would wait")
            }
            Site::Callback if UNLOCKED.contains(&method) => Some("in a callback, which may come with a lock"),
            Site::Collection | Site::Suspended | Site::Callback => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `corprof` refuses these calls before they come here: the rules of the fake runtime are tried by its own objects.
    #[test]
    fn misplaced_calls_are_misuses() {
        let runtime = crate::Runtime::new(crate::Version::NET_9);
        let misused = || runtime.misuse().len();
        let forces = || crate::com::force_gc(runtime.shared());
        forces();
        assert_eq!(misused(), 0);
        let sites = [Site::Hook, Site::Objects, Site::Collection, Site::Suspended, Site::Callback];
        for (number, site) in sites.into_iter().enumerate() {
            let _site = enter(site);
            forces();
            assert_eq!(misused(), number + 1, "{site:?}");
        }
        let threads = |major| misuse("ICorProfilerInfo4::EnumThreads", major).is_some();
        assert!(!threads(9));
        let _site = enter(Site::Suspended);
        assert!(!threads(9) && misuse("ICorProfilerInfo3::EnumModules", 9).is_some());
        let _site = enter(Site::Collection);
        assert!(!threads(8) && threads(9));
        let _site = enter(Site::Hook);
        assert!(threads(8));
    }
}
