//! Managed threads.

use corprof::EventMask;

use super::{Profilers, Session};
use crate::model::{ThreadState, thread_id};

/// The thread ids of the fake operating system.
const FIRST: u32 = 1000;

impl<P: Profilers> Session<'_, P> {
    /// Makes the running thread a managed one: `ThreadCreated`, `ThreadAssignedToOSThread`, `ThreadNameChanged`.
    pub(super) fn begin_thread(&self, name: Option<&str>) -> usize {
        let mut model = self.model();
        let index = model.threads.len();
        let os_thread = FIRST + u32::try_from(index).unwrap_or(0);
        model.threads.push(ThreadState { os_thread, is_alive: true });
        model.current.insert(std::thread::current().id(), index);
        drop(model);
        if self.wants(EventMask::THREADS) {
            self.callback.thread_created(thread_id(index));
            self.callback.thread_assigned_to_os_thread(thread_id(index), os_thread);
            if let Some(name) = name {
                self.callback.thread_name_changed(thread_id(index), name);
            }
        }
        index
    }

    /// Runs `work` on a new managed thread with a name, and waits for its end.
    ///
    /// # Panics
    /// When `work` does.
    pub fn thread<R: Send>(&self, name: &str, work: impl FnOnce() -> R + Send) -> R {
        let run = || {
            let index = self.begin_thread(Some(name));
            let result = work();
            if self.wants(EventMask::THREADS) {
                self.callback.thread_destroyed(thread_id(index));
            }
            let mut model = self.model();
            model.current.remove(&std::thread::current().id());
            model.threads.get_mut(index).into_iter().for_each(|thread| thread.is_alive = false);
            result
        };
        std::thread::scope(|scope| scope.spawn(run).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Runs `work` on a new thread that is not managed, such as one of a profiler, and waits for its end.
    ///
    /// # Panics
    /// When `work` does.
    pub fn native_thread<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
