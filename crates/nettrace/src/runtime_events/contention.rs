//! Events of locks and waits.

use crate::runtime_events::layout::{layout, values};

values! {
    /// The kind of a lock.
    ContentionFlags(u8) {
        /// A lock of the program.
        MANAGED = 0,
        /// A lock of the runtime.
        NATIVE = 1,
    }
}

values! {
    /// What a thread waits for.
    WaitSource(u8) {
        /// Anything else: a `WaitHandle`, or the lock that the thread acquires.
        UNKNOWN = 0,
        /// `Monitor.Wait`, by which `SemaphoreSlim`, `ManualResetEventSlim` and `Task.Wait` wait too.
        MONITOR_WAIT = 1,
    }
}

layout! {
    /// `ContentionStart`: a thread begins to wait for a lock.
    ContentionStart {
        /// The kind of the lock.
        flags: ContentionFlags = u8;
        skip u16;
        /// The lock, an address in the runtime. Since version 2, .NET 8.
        lock: u64 = pointer since 2;
        /// The address of the object that is locked. Since version 2.
        object: u64 = pointer since 2;
        /// The thread that has the lock, by its number in the operating system. Since version 2.
        owner: u64 = u64 since 2;
    }
}

layout! {
    /// `ContentionStop`: the thread has got the lock.
    ContentionStop {
        /// The kind of the lock.
        flags: ContentionFlags = u8;
        skip u16;
        /// The time of the wait, in nanoseconds. Since version 1.
        duration: f64 = f64 since 1;
    }
}

layout! {
    /// `ContentionLockCreated`: a lock has got the structure that threads wait on.
    LockCreated {
        /// The lock, an address in the runtime.
        lock: u64 = pointer;
        /// The address of the object that is locked.
        object: u64 = pointer;
    }
}

layout! {
    /// `WaitHandleWaitStart`: a thread begins to wait for a wait handle.
    WaitHandleWaitStart {
        /// What it waits for.
        source: WaitSource = u8;
        /// The address of the object: the wait handle, or what is passed to `Monitor.Wait`. 0 for several handles and native locks.
        object: u64 = pointer;
    }
}
