//! A notification-only profiler. Several may be in one process: each prints the exceptions that it sees,
//! detaches itself at the first, and prints the outcome. Lines on standard error, `guest <number> <what>`.
//!
//! They detach one after the other: of several simultaneous requests, .NET 9 completes half, and the others at the next
//! request.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use corprof::{ClassId, Error, EventMask, Names, ObjectId, Profiler, ProfilerInfo, Result, export_profiler};

export_profiler!("{6C4E1B7A-52D3-4F0E-9A86-1F3D2B5C7E90}", [Guest]);

/// The number of instances in this process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The number of detached ones.
static GONE: AtomicU32 = AtomicU32::new(0);

/// What a guest says that comes to a running program.
const ATTACHED: &str = "was attached";

/// The class that the runtime has reported to the last guest. It means nothing to the next one, which gets its own reports:
/// what was unloaded in between was announced to neither.
static KEPT: Mutex<Option<ClassId>> = Mutex::new(None);

/// The number of requested detaches.
static ASKED: Mutex<u32> = Mutex::new(0);

/// The time that a guest's code may run after that. Without a time, the runtime waits for 2.5 seconds.
const LEAVING: Duration = Duration::from_millis(100);

/// The profiler.
struct Guest {
    names: Names,
    number: u32,
    /// Whether the program was running when it came.
    is_attached: bool,
    /// The thread that requests the detach: .NET Core 3.1 refuses that in callbacks.
    leaving: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Guest {
    fn new(info: &ProfilerInfo, how: &str) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS)?;
        let is_attached = how == ATTACHED;
        let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        say(number, how);
        let (sender, told) = channel();
        let its = info.clone();
        let thread = std::thread::spawn(move || {
            // The thread is notified, or the profiler is dropped.
            if told.recv().is_ok() {
                leave(&its, number);
            }
        });
        Ok(Self { names: Names::new(info), number, is_attached, leaving: Mutex::new(Some((sender, thread))) })
    }

    fn leaving(&self) -> MutexGuard<'_, Option<(Sender<()>, JoinHandle<()>)>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Requests the detach when the earlier requests are complete.
fn leave(info: &ProfilerInfo, number: u32) {
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    while GONE.load(Ordering::SeqCst) < *asked {
        std::thread::sleep(Duration::from_millis(1));
    }
    *asked += 1;
    match info.request_detach(LEAVING) {
        Ok(()) => say(number, "leaves"),
        Err(error) => say(number, &error.to_string()),
    }
}

/// Prints a line in one write, because others write too.
fn say(number: u32, what: &str) {
    // A failure cannot be reported.
    let _ = std::io::stderr().write_all(format!("guest {number} {what}\n").as_bytes());
}

impl Profiler for Guest {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Self::new(info, "was there from the start")
    }

    fn initialize_for_attach(info: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Self::new(info, ATTACHED)
    }

    fn load_as_notification_only() -> bool {
        true
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let info = self.names.info();
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let of_another = kept.filter(|_| self.is_attached).map(|kept| info.class_info(kept));
        if !matches!(of_another, None | Some(Err(Error::Unloaded { .. }))) {
            say(self.number, &format!("uses another's class: {of_another:?}"));
        }
        let class = info.class_of_object(exception);
        *kept = class.as_ref().ok().copied();
        drop(kept);
        let name = class.and_then(|class| self.names.class(class));
        say(self.number, &format!("saw {}", name.map_or_else(|e| e.to_string(), |name| name.to_string())));
        if let Some((sender, _)) = &*self.leaving() {
            // The thread ends after it is notified.
            let _ = sender.send(());
        }
    }

    fn profiler_detach_succeeded(&self) {
        say(self.number, "was detached");
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // The library is unloaded afterwards: no code of it may be running.
        if let Some((sender, thread)) = self.leaving().take() {
            drop(sender);
            let _ = thread.join();
        }
        say(self.number, "is gone");
        GONE.fetch_add(1, Ordering::SeqCst);
    }
}
