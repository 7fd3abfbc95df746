//! The description of a trace.

use std::time::Duration;

use crate::bytes::{Bytes, Parsed};

/// A time in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u16,
    /// The day, from 1.
    pub day: u16,
    /// The hour.
    pub hour: u16,
    /// The minute.
    pub minute: u16,
    /// The second.
    pub second: u16,
    /// The millisecond.
    pub millisecond: u16,
}

/// The description of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The version of the format.
    pub version: u32,
    /// The time at which the trace began.
    pub start: UtcTime,
    /// The same in ticks.
    pub start_ticks: u64,
    /// The number of ticks in a second.
    pub ticks_per_second: u64,
    /// The size of an address in bytes.
    pub pointer_size: usize,
    /// The process; 0 if the trace is of several ones.
    pub process_id: u32,
    /// The number of processors.
    pub processors: u32,
    /// Other properties, since version 6.
    pub properties: Vec<(String, String)>,
}

impl Trace {
    /// Returns the time from the beginning of the trace to a time in ticks; 0 for an earlier one.
    #[must_use]
    pub fn elapsed(&self, ticks: u64) -> Duration {
        let ticks = u128::from(ticks.saturating_sub(self.start_ticks));
        let nanoseconds = ticks * 1_000_000_000 / u128::from(self.ticks_per_second.max(1));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// Reads the description: that of version 4 has a fixed size.
    pub(crate) fn parse(bytes: &mut Bytes<'_>, version: u32) -> Parsed<Self> {
        let [year, month] = [bytes.u16()?, bytes.u16()?];
        // The day of the week.
        bytes.u16()?;
        let [day, hour, minute] = [bytes.u16()?, bytes.u16()?, bytes.u16()?];
        let [second, millisecond] = [bytes.u16()?, bytes.u16()?];
        let start = UtcTime { year, month, day, hour, minute, second, millisecond };
        let (start_ticks, ticks_per_second) = (bytes.u64()?, bytes.u64()?);
        let pointer_size = match bytes.u32()? {
            4 => 4,
            8 => 8,
            _ => return Err(bytes.malformed("an address of neither 4 nor 8 bytes")),
        };
        let mut trace =
            Self { version, start, start_ticks, ticks_per_second, pointer_size, ..Self::default() };
        if version < 6 {
            (trace.process_id, trace.processors) = (bytes.u32()?, bytes.u32()?);
            // The rate of samples, which nobody sets.
            bytes.u32()?;
            return Ok(trace);
        }
        for _ in 0..bytes.u32()? {
            let (key, value) = (bytes.utf8()?, bytes.utf8()?);
            match key.as_str() {
                "ProcessId" => trace.process_id = value.parse().unwrap_or(0),
                "HardwareThreadCount" => trace.processors = value.parse().unwrap_or(0),
                _ => trace.properties.push((key, value)),
            }
        }
        Ok(trace)
    }
}
