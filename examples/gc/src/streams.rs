//! What the tool records, and the runtime's words for it.

use corprof::values::SuspendReason;
use corprof_tools::streams::{Field, FieldType, Schema};
use corprof_tools::{GcKind, GcReason};

/// The collections, when they have ended.
pub(crate) static COLLECTIONS: Schema = Schema::new(
    "collections",
    &[
        Field::plain("begin", FieldType::TIME),
        Field::sum("length", FieldType::NANOSECONDS, ""),
        Field::plain("number", FieldType::COUNT),
        Field::key("generation", FieldType::COUNT),
        Field::key("kind", FieldType::TEXT),
        Field::key("reason", FieldType::TEXT),
        Field::sum("induced", FieldType::COUNT, "collections"),
        Field::sum("paused", FieldType::NANOSECONDS, ""),
        Field::sum("suspending", FieldType::NANOSECONDS, ""),
    ],
);

/// The bytes in use before and after a collection, which its row comes behind: of the generations 0 to 2, of large objects (3) and of
/// pinned ones (4).
pub(crate) static SIZES: Schema = Schema::new(
    "sizes",
    &[
        Field::plain("collection", FieldType::COUNT),
        Field::key("space", FieldType::COUNT),
        Field::last("before", FieldType::BYTES, ""),
        Field::last("after", FieldType::BYTES, ""),
    ],
);

/// The pauses: those of collections, and others.
pub(crate) static PAUSES: Schema = Schema::new(
    "pauses",
    &[
        Field::plain("begin", FieldType::TIME),
        Field::key("reason", FieldType::TEXT),
        Field::sum("length", FieldType::NANOSECONDS, ""),
        Field::sum("suspending", FieldType::NANOSECONDS, ""),
    ],
);

/// The callbacks and events so far that did not fit the others.
pub(crate) static UNPAIRED: Schema =
    Schema::new("unpaired", &[Field::last("callbacks", FieldType::COUNT, "callbacks")]);

pub(crate) fn pause_reason(reason: SuspendReason) -> String {
    match reason {
        SuspendReason::OTHER => "other".to_owned(),
        SuspendReason::FOR_GC => "collection".to_owned(),
        // The second pause of a background collection, and other work of the collector.
        SuspendReason::FOR_GC_PREP => "preparation of a collection".to_owned(),
        SuspendReason::FOR_REJIT => "ReJIT".to_owned(),
        SuspendReason::FOR_PROFILER => "profiler".to_owned(),
        SuspendReason::FOR_SHUTDOWN => "shutdown".to_owned(),
        SuspendReason::FOR_INPROC_DEBUGGER => "debugger".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The name of a reason, as PerfView has it.
pub(crate) fn cause(reason: Option<GcReason>) -> String {
    let Some(reason) = reason else { return "other".to_owned() };
    match reason {
        GcReason::ALLOC_SMALL => "AllocSmall",
        GcReason::INDUCED => "Induced",
        GcReason::LOW_MEMORY | GcReason::LOW_MEMORY_BLOCKING => "LowMemory",
        GcReason::ALLOC_LARGE => "AllocLarge",
        GcReason::OUT_OF_SPACE_SMALL => "OutOfSpaceSOH",
        GcReason::OUT_OF_SPACE_LARGE => "OutOfSpaceLOH",
        GcReason::INDUCED_NOT_FORCED => "InducedNotForced",
        GcReason::INDUCED_COMPACTING => "InducedCompacting",
        GcReason::INDUCED_AGGRESSIVE => "InducedAggressive",
        GcReason::LOW_MEMORY_HOST | GcReason::LOW_MEMORY_HOST_BLOCKING => "LowMemoryHost",
        GcReason::PROVISIONAL_FULL => "PMFullGC",
        GcReason::BACKGROUND_TUNING_SMALL => "BGCTuningSOH",
        GcReason::BACKGROUND_TUNING_LARGE => "BGCTuningLOH",
        GcReason::BACKGROUND_STEPPING => "BGCStepping",
        GcReason::EMPTY => "Empty",
        GcReason::STRESS => "Stress",
        GcReason(other) => return format!("reason-{other}"),
    }
    .to_owned()
}

pub(crate) fn kind_name(kind: GcKind) -> String {
    match kind {
        GcKind::BLOCKING => "blocking".to_owned(),
        GcKind::BACKGROUND => "background".to_owned(),
        GcKind::FOREGROUND => "foreground".to_owned(),
        GcKind(other) => format!("kind-{other}"),
    }
}
