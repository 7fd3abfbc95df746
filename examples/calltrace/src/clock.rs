//! The offset of local times from UTC: what the time zone of the process says, as .NET finds it (`TZ`, then
//! `/etc/localtime`).

use std::path::Path;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use jiff::tz::{AmbiguousOffset, TimeZone};

const TICKS_PER_SECOND: u64 = 10_000_000;
const SECONDS_PER_MINUTE: i32 = 60;

/// Finds the zone, and returns a function from a local time, in ticks since year 1, to its offset in minutes.
pub(crate) fn local_time() -> impl Fn(u64, bool) -> Option<i32> + Send + Sync {
    let zone = is_read_to_its_end().then(TimeZone::system);
    move |ticks, daylight| offset(zone.as_ref()?, ticks, daylight)
}

/// The largest size of a time zone file in bytes.
const MAX_ZONE: u64 = 1 << 20;

/// Returns whether `TZ` and `/etc/localtime` name files of a bounded size: `TZ=/dev/zero` never ends, a FIFO blocks.
fn is_read_to_its_end() -> bool {
    let zone = std::env::var_os("TZ").unwrap_or_default();
    let zone = zone.to_string_lossy();
    let named = Path::new("/usr/share/zoneinfo").join(zone.trim_start_matches(':'));
    [named.as_path(), Path::new("/etc/localtime")].into_iter().all(|path| {
        let metadata = std::fs::metadata(path);
        metadata.map_or(true, |found| found.is_dir() || (found.is_file() && found.len() <= MAX_ZONE))
    })
}

fn offset(zone: &TimeZone, ticks: u64, daylight: bool) -> Option<i32> {
    let seconds = i64::try_from(ticks / TICKS_PER_SECOND).ok()?;
    let clock: DateTime =
        date(1, 1, 1).at(0, 0, 0, 0).checked_add(SignedDuration::from_secs(seconds)).ok()?;
    let offset = match zone.to_ambiguous_timestamp(clock).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Fold { before, after } => {
            if daylight {
                before
            } else {
                after
            }
        }
        // A time that is left out when daylight saving time begins counts as standard time.
        AmbiguousOffset::Gap { before, .. } => before,
    };
    Some(offset.seconds() / SECONDS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_time_that_comes_twice_has_two_offsets() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let ticks = |month, day, hour, minute| {
            let since =
                date(2024, month, day).at(hour, minute, 0, 0).duration_since(date(1, 1, 1).at(0, 0, 0, 0));
            u64::try_from(since.as_secs()).unwrap() * TICKS_PER_SECOND
        };
        assert_eq!(offset(&berlin, ticks(1, 15, 12, 0), false), Some(60));
        assert_eq!(offset(&berlin, ticks(7, 15, 12, 0), false), Some(120));
        assert_eq!(offset(&berlin, ticks(10, 27, 2, 30), true), Some(120));
        assert_eq!(offset(&berlin, ticks(10, 27, 2, 30), false), Some(60));
        assert_eq!(offset(&berlin, ticks(3, 31, 2, 30), false), Some(60));
        assert_eq!(offset(&berlin, u64::MAX, false), None);
    }
}
