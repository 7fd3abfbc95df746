//! Events of threads and of the thread pool.

use crate::runtime_events::layout::{layout, values};

layout! {
    /// `ThreadCreated`.
    ThreadCreated {
        /// The thread, an address in the runtime.
        thread: u64 = u64;
        /// The application domain.
        app_domain: u64 = u64;
        /// Bits: 1 finalizer, 2 thread pool worker.
        flags: u32 = u32;
        /// The number that the runtime gives to the thread.
        index: u32 = u32;
        /// The number of the thread in the operating system.
        os_thread: u32 = u32;
    }
}

layout! {
    /// `ThreadTerminated`.
    ThreadTerminated {
        /// The thread, an address in the runtime.
        thread: u64 = u64;
        /// The application domain.
        app_domain: u64 = u64;
    }
}

layout! {
    /// `ThreadCreating` or `ThreadRunning`: a thread is started, and runs.
    ThreadStart {
        /// The same for both.
        id: u64 = pointer;
    }
}

layout! {
    /// `ThreadPoolWorkerThread*`: a worker thread starts, stops or waits.
    WorkerThreads {
        /// The number of worker threads.
        active: u32 = u32;
        /// The number of retired worker threads.
        retired: u32 = u32;
    }
}

layout! {
    /// `ThreadPoolWorkerThreadAdjustmentSample`.
    AdjustmentSample {
        /// Completed work items a second.
        throughput: f64 = f64;
    }
}

values! {
    /// Why the number of worker threads is changed.
    AdjustmentReason(u32) {
        /// To learn the throughput.
        WARMUP = 0,
        /// The first number.
        INITIALIZING = 1,
        /// To try another number.
        RANDOM_MOVE = 2,
        /// The throughput has grown.
        CLIMBING_MOVE = 3,
        /// The throughput has changed for another reason.
        CHANGE_POINT = 4,
        /// The throughput is stable.
        STABILIZING = 5,
        /// No worker thread made progress.
        STARVATION = 6,
        /// A thread has ended for want of work.
        THREAD_TIMED_OUT = 7,
        /// Worker threads wait for tasks.
        COOPERATIVE_BLOCKING = 8,
    }
}

layout! {
    /// `ThreadPoolWorkerThreadAdjustmentAdjustment`: the number of worker threads is changed.
    Adjustment {
        /// Completed work items a second, on average.
        average_throughput: f64 = f64;
        /// The new number of worker threads.
        new_count: u32 = u32;
        /// Why.
        reason: AdjustmentReason = u32;
    }
}

layout! {
    /// `ThreadPoolWorkerThreadAdjustmentStats`: what the number of worker threads was computed from.
    AdjustmentStats {
        /// The duration of the measurement, in seconds.
        duration: f64 = f64;
        /// Completed work items a second.
        throughput: f64 = f64;
        /// The wave of the number of threads.
        thread_wave: f64 = f64;
        /// The wave of the throughput.
        throughput_wave: f64 = f64;
        /// The estimated error of the throughput.
        throughput_error: f64 = f64;
        /// Its average.
        average_throughput_error: f64 = f64;
        /// The ratio of the two waves.
        throughput_ratio: f64 = f64;
        /// The confidence in that.
        confidence: f64 = f64;
        /// The new control setting.
        new_setting: f64 = f64;
        /// The new magnitude of the wave.
        new_magnitude: u16 = u16;
    }
}

layout! {
    /// `ThreadPoolMinMaxThreads`.
    MinMaxThreads {
        /// The least number of worker threads.
        min_workers: u16 = u16;
        /// The largest number of worker threads.
        max_workers: u16 = u16;
        /// The least number of I/O threads.
        min_io: u16 = u16;
        /// The largest number of I/O threads.
        max_io: u16 = u16;
    }
}

layout! {
    /// `ThreadPoolWorkingThreadCount`.
    WorkingThreads {
        /// The number of threads that work.
        count: u32 = u32;
    }
}

layout! {
    /// `ThreadPoolEnqueue` or `ThreadPoolDequeue`.
    Work {
        /// The same for both.
        id: u64 = pointer;
    }
}

layout! {
    /// `ThreadPoolIOEnqueue`, `ThreadPoolIODequeue` or `ThreadPoolIOPack`.
    IoWork {
        /// The address of the native overlapped structure.
        native_overlapped: u64 = pointer;
        /// The address of the managed one.
        overlapped: u64 = pointer;
    }
}

layout! {
    /// `YieldProcessorMeasurement`: the duration of the processor's pause instruction was measured.
    YieldMeasurement {
        skip u16;
        /// The measured nanoseconds.
        nanoseconds: f64 = f64;
        /// The nanoseconds that the runtime uses from now on.
        established_nanoseconds: f64 = f64;
    }
}
