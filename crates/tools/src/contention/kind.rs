//! Kinds of waits, by the methods on the stack.

use core::fmt;

/// The number of innermost methods that may belong to the acquisition of a lock.
const ACQUIRING: usize = 6;

/// The methods that write the runtime's own events, where managed code waits.
pub(super) const WRITER: &str = "System.Diagnostics.Tracing.NativeRuntimeEventSource.";

const MONITOR: &str = "System.Threading.Monitor.";
const LOCK: &str = "System.Threading.Lock.";

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WaitKind {
    /// The acquisition of an object's lock: `lock`, `Monitor.Enter`.
    MonitorEnter,
    /// The acquisition of a `System.Threading.Lock`.
    Lock,
    /// `Monitor.Wait`.
    MonitorWait,
    /// `SemaphoreSlim.Wait`.
    SemaphoreSlim,
    /// `ManualResetEventSlim.Wait`.
    ManualResetEventSlim,
    /// `CountdownEvent.Wait`.
    CountdownEvent,
    /// `Barrier.SignalAndWait`.
    Barrier,
    /// The acquisition of a `ReaderWriterLockSlim`.
    ReaderWriterLockSlim,
    /// The acquisition of a `ReaderWriterLock`.
    ReaderWriterLock,
    /// `Task.Wait`, `Task.WaitAll`, `Task.WaitAny`, `Task.Result`, and `GetResult` of a task's awaiter.
    Task,
    /// `Thread.Join`.
    ThreadJoin,
    /// `WaitHandle.WaitOne`, `WaitAny`, `WaitAll`: events, semaphores and mutexes of the operating system.
    WaitHandle,
}

impl WaitKind {
    /// Whether this is a wait for the lock of an object or for a `Lock`, which the runtime has always reported.
    #[must_use]
    pub const fn is_acquisition(self) -> bool {
        matches!(self, Self::MonitorEnter | Self::Lock)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MonitorEnter => "Monitor.Enter",
            Self::Lock => "Lock",
            Self::MonitorWait => "Monitor.Wait",
            Self::SemaphoreSlim => "SemaphoreSlim",
            Self::ManualResetEventSlim => "ManualResetEventSlim",
            Self::CountdownEvent => "CountdownEvent",
            Self::Barrier => "Barrier",
            Self::ReaderWriterLockSlim => "ReaderWriterLockSlim",
            Self::ReaderWriterLock => "ReaderWriterLock",
            Self::Task => "Task",
            Self::ThreadJoin => "Thread.Join",
            Self::WaitHandle => "WaitHandle",
        }
    }

    /// Returns the kind of a wait for a lock by the names of the methods on the stack, innermost first.
    pub(crate) fn of_acquisition<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let mut kind = Self::MonitorEnter;
        for name in names.into_iter().take(ACQUIRING) {
            // Since .NET 11 `Monitor` acquires an object's lock by a `Lock`.
            if name.as_ref().starts_with(MONITOR) {
                return Self::MonitorEnter;
            }
            if name.as_ref().starts_with(LOCK) {
                kind = Self::Lock;
            }
        }
        kind
    }

    /// Returns the kind of another wait by the names of the methods on the stack, innermost first.
    ///
    /// One kind waits by another: `Task.Wait` by `ManualResetEventSlim.Wait`, and that by `Monitor.Wait`. The program has called the
    /// outermost of those that call each other without a method of another class between them.
    pub(crate) fn of_stack<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let mut kind = Self::WaitHandle;
        for name in names {
            match Step::of(name.as_ref()) {
                Step::Waits(by) => kind = by,
                Step::Inside => {}
                Step::Caller => break,
            }
        }
        kind
    }
}

impl fmt::Display for WaitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A method on the stack of a waiting thread.
enum Step {
    /// It belongs to a kind.
    Waits(WaitKind),
    /// It belongs to the way that any kind waits.
    Inside,
    /// It calls what waits.
    Caller,
}

impl Step {
    fn of(name: &str) -> Self {
        let Some(name) = name.strip_prefix("System.Threading.") else {
            return Self::Caller;
        };
        let is_task = name.starts_with("Tasks.");
        let name = name.strip_prefix("Tasks.").unwrap_or(name);
        let class = name.split(['.', '<']).next().unwrap_or_default();
        let method = name.rsplit('.').next().unwrap_or_default();
        let kind = match class {
            "Task" if is_task => {
                // A task that runs has methods of its class on the stack, too.
                let waits = ["Wait", "InternalWait", "SpinThenBlockingWait", "get_Result", "GetResultCore"];
                if !waits.iter().any(|waits| method.starts_with(waits)) {
                    return Self::Caller;
                }
                WaitKind::Task
            }
            _ if is_task => return Self::Caller,
            // All of what `Monitor.Wait` calls since .NET 11, where its own frame may be missing.
            "Condition" => WaitKind::MonitorWait,
            "Monitor" if method.starts_with("Wait") || method == "ObjWait" => WaitKind::MonitorWait,
            "Monitor" | "WaitSubsystem" | "LowLevelMonitor" | "LowLevelLock" | "Lock" => return Self::Inside,
            "SemaphoreSlim" => WaitKind::SemaphoreSlim,
            "ManualResetEventSlim" => WaitKind::ManualResetEventSlim,
            "CountdownEvent" => WaitKind::CountdownEvent,
            "Barrier" => WaitKind::Barrier,
            "ReaderWriterLockSlim" => WaitKind::ReaderWriterLockSlim,
            "ReaderWriterLock" => WaitKind::ReaderWriterLock,
            "Thread" if method.starts_with("Join") => WaitKind::ThreadJoin,
            "WaitHandle" | "EventWaitHandle" | "AutoResetEvent" | "ManualResetEvent" | "Mutex"
            | "Semaphore" => WaitKind::WaitHandle,
            _ => return Self::Caller,
        };
        Self::Waits(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_the_program_is_told_from_that_of_an_object() {
        let lock = ["System.Threading.Lock.TryEnterSlow", "System.Threading.Lock.Enter"];
        let of = |stack: &[&str]| WaitKind::of_acquisition(stack);
        assert_eq!(of(&[lock[0], lock[1], "P.M"]), WaitKind::Lock);
        assert_eq!(of(&[lock[0], lock[1], "System.Threading.Monitor.Enter", "P.M"]), WaitKind::MonitorEnter);
        assert_eq!(of(&["System.Threading.Monitor.Enter_Slowpath", "P.M"]), WaitKind::MonitorEnter);
        assert_eq!(of(&["P.M"]), WaitKind::MonitorEnter);
    }

    /// Stacks of .NET 9.0.1 and 11.0.0.
    #[test]
    fn the_kind_is_what_the_program_has_called() {
        for (kind, stack) in [
            (WaitKind::MonitorWait, "Monitor.Wait P.M"),
            (WaitKind::MonitorWait, "WaitHandle.WaitOneNoCheck Condition.Wait P.M"),
            (
                WaitKind::SemaphoreSlim,
                "Monitor.Wait SemaphoreSlim.WaitUntilCountOrTimeout SemaphoreSlim.Wait SemaphoreSlim.Wait P.M",
            ),
            (WaitKind::ManualResetEventSlim, "Monitor.Wait ManualResetEventSlim.Wait P.M"),
            (
                WaitKind::CountdownEvent,
                "WaitHandle.WaitOneNoCheck Condition.Wait ManualResetEventSlim.Wait CountdownEvent.Wait P.M",
            ),
            (
                WaitKind::Task,
                "Monitor.Wait ManualResetEventSlim.Wait Tasks.Task.SpinThenBlockingWait Tasks.Task.InternalWaitCore P.M",
            ),
            (WaitKind::Task, "Monitor.Wait ManualResetEventSlim.Wait Tasks.Task<int>.GetResultCore P.M"),
            // The program's own delegate is `SemaphoreSlim.Wait`.
            (
                WaitKind::SemaphoreSlim,
                "Monitor.Wait SemaphoreSlim.Wait Tasks.Task.InnerInvoke Tasks.Task.Execute",
            ),
            (
                WaitKind::ReaderWriterLockSlim,
                "WaitHandle.WaitOneNoCheck WaitHandle.WaitOne ReaderWriterLockSlim.WaitOnEvent P.M",
            ),
            (WaitKind::WaitHandle, "WaitHandle.WaitOneNoCheck P.M"),
            (WaitKind::WaitHandle, "WaitHandle.WaitMultiple WaitHandle.WaitAny P.SemaphoreSlim.Wait"),
            (WaitKind::WaitHandle, "WaitHandle.WaitOne PortableThreadPool.GateThread.GateThreadStart"),
            (WaitKind::WaitHandle, ""),
        ] {
            let full = |name: &str| {
                if name.starts_with("P.") { name.to_owned() } else { format!("System.Threading.{name}") }
            };
            assert_eq!(WaitKind::of_stack(stack.split_whitespace().map(full)), kind, "{stack}");
        }
    }
}
