//! Measures the garbage collections and pauses of a .NET program. The README describes the report.

mod streams;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{EventMask, Profiler, ProfilerInfo, Result};
use corprof_tools::streams::{Schema, Value};
use corprof_tools::{Collection, Ended, Output, Pause, Pauses, Records, Rows, Settings};

use crate::streams::{COLLECTIONS, PAUSES, SIZES, UNPAIRED, cause, kind_name, pause_reason};

#[cfg(feature = "export")]
corprof::export_profiler!("{EB966C6E-9F7C-437B-B116-76D0D632A301}", [Gc]);

/// Lets callbacks finish their work when there is no memory.
#[cfg(feature = "export")]
#[global_allocator]
static MEMORY: corprof::Reserve = corprof::Reserve::new();

/// The profiler.
pub struct Gc {
    pauses: Pauses,
    output: Output,
    collection_rows: Rows,
    size_rows: Rows,
    pause_rows: Rows,
    unpaired_rows: Rows,
    /// The number of unpaired callbacks that the last row says.
    unpaired: AtomicU64,
}

impl Records for Gc {
    const NAME: &'static str = "gc";
    const PREFIX: &'static str = "GC_";
    // For the report.
    const SETTINGS: &'static [&'static str] = &["LAST"];
    const STREAMS: &'static [&'static Schema] = &[&COLLECTIONS, &SIZES, &PAUSES, &UNPAIRED];

    fn start(info: &ProfilerInfo, settings: &Settings, output: Output) -> Result<Self> {
        settings.limit("LAST")?;
        info.set_event_mask(Pauses::events(info)?)?;
        Ok(Self {
            collection_rows: output.rows(&COLLECTIONS)?,
            size_rows: output.rows(&SIZES)?,
            pause_rows: output.rows(&PAUSES)?,
            unpaired_rows: output.rows(&UNPAIRED)?,
            unpaired: AtomicU64::new(0),
            pauses: Pauses::start(info)?,
            output,
        })
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

impl Gc {
    fn add(&self, ended: Ended) {
        if ended == Ended::default() {
            return;
        }
        ended.collections.iter().for_each(|collection| self.collection(collection));
        ended.pause.iter().for_each(|pause| self.pause(*pause));
        let unpaired = self.pauses.unpaired();
        if self.unpaired.swap(unpaired, Ordering::Relaxed) != unpaired {
            self.unpaired_rows.emit(&[Value::Count(unpaired)]);
        }
    }

    fn collection(&self, collection: &Collection) {
        let (before, after) = &collection.sizes;
        for (space, (before, after)) in (0..).zip(before.iter().zip(after)) {
            self.size_rows.emit(&[
                Value::Count(collection.number),
                Value::Count(space),
                Value::Bytes(*before),
                Value::Bytes(*after),
            ]);
        }
        self.collection_rows.emit(&[
            self.output.time(self.pauses.created() + collection.begin),
            Output::duration(collection.end.saturating_sub(collection.begin)),
            Value::Count(collection.number),
            Value::Count(collection.generation.into()),
            self.output.text(&kind_name(collection.kind)),
            self.output.text(&cause(collection.reason)),
            Value::Count(collection.is_induced().into()),
            Output::duration(collection.paused),
            Output::duration(collection.suspending),
        ]);
    }

    fn pause(&self, pause: Pause) {
        self.pause_rows.emit(&[
            self.output.time(self.pauses.created() + pause.begin),
            self.output.text(&pause_reason(pause.reason)),
            Output::duration(pause.total),
            Output::duration(pause.suspending),
        ]);
    }
}

impl Profiler for Gc {
    corprof_tools::tool_callbacks!();

    corprof_tools::pause_callbacks!(pauses, add);
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Pauses::EVENTS));
