//! Text of well-known types, in .NET's invariant round-trip formats.

use core::fmt::{self, Write};

/// Ticks of 100 ns.
const SECOND: u64 = 10_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The first tick after year 9999.
const END_OF_TIME: u64 = 3_652_059 * DAY;

/// The maximum number of decimal places.
const MAX_SCALE: usize = 28;

/// Formats a `System.Decimal` from its 16 bytes: flags, high 32 bits, low 64 bits. `None` if they are malformed.
pub(crate) fn decimal<W: Write>(bytes: [u8; 16], out: &mut W) -> Option<fmt::Result> {
    let flags = u32::from_ne_bytes(*bytes.first_chunk()?);
    let high = u32::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
    let low = u64::from_ne_bytes(*bytes.get(8..)?.first_chunk()?);
    let scale = usize::try_from(flags >> 16 & 0xff).ok()?;
    if scale > MAX_SCALE || flags & 0x7f00_ffff != 0 {
        return None;
    }
    let value = u128::from(high) << 64 | u128::from(low);
    let divisor = 10_u128.checked_pow(u32::try_from(scale).ok()?)?;
    Some((|| {
        // A negative zero is written as zero.
        if flags >> 31 != 0 && value != 0 {
            out.write_char('-')?;
        }
        write!(out, "{}", value / divisor)?;
        if scale > 0 { write!(out, ".{:0scale$}", value % divisor) } else { Ok(()) }
    })())
}

/// Formats a `System.Guid` as `D`.
pub(crate) fn guid<W: Write>(bytes: [u8; 16], out: &mut W) -> fmt::Result {
    let [a0, a1, a2, a3, b0, b1, c0, c1, d0, d1, e0, e1, e2, e3, e4, e5] = bytes;
    let a = u32::from_ne_bytes([a0, a1, a2, a3]);
    let b = u16::from_ne_bytes([b0, b1]);
    let c = u16::from_ne_bytes([c0, c1]);
    write!(out, "{a:08x}-{b:04x}-{c:04x}-{d0:02x}{d1:02x}-{e0:02x}{e1:02x}{e2:02x}{e3:02x}{e4:02x}{e5:02x}")
}

/// Formats a `System.TimeSpan` as `c`.
pub(crate) fn time_span<W: Write>(ticks: i64, out: &mut W) -> fmt::Result {
    if ticks < 0 {
        out.write_char('-')?;
    }
    let ticks = ticks.unsigned_abs();
    if ticks >= DAY {
        write!(out, "{}.", ticks / DAY)?;
    }
    clock(ticks % DAY, out)?;
    match ticks % SECOND {
        0 => Ok(()),
        fraction => write!(out, ".{fraction:07}"),
    }
}

/// The kind of a `System.DateTime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateTimeKind {
    Unspecified,
    Utc,
    Local {
        /// Whether an ambiguous clock time is the first of the two, before daylight saving time ends.
        daylight: bool,
    },
}

/// Splits a `System.DateTime` into ticks and kind. `None` if the year is outside of 1 to 9999.
pub(crate) fn date_time_parts(data: u64) -> Option<(u64, DateTimeKind)> {
    let kind = match data >> 62 {
        0 => DateTimeKind::Unspecified,
        1 => DateTimeKind::Utc,
        other => DateTimeKind::Local { daylight: other == 3 },
    };
    let ticks = data & ((1 << 62) - 1);
    (ticks < END_OF_TIME).then_some((ticks, kind))
}

/// Formats as `o` without the offset. The ticks are clock time in the years 1 to 9999.
pub(crate) fn date_time<W: Write>(ticks: u64, out: &mut W) -> fmt::Result {
    let (year, month, day) = civil(ticks / DAY);
    write!(out, "{year:04}-{month:02}-{day:02}T")?;
    clock(ticks % DAY, out)?;
    write!(out, ".{:07}", ticks % SECOND)
}

/// Formats a `System.DateOnly` as `o`. `None` if the year is outside of 1 to 9999.
pub(crate) fn date_only<W: Write>(day: i32, out: &mut W) -> Option<fmt::Result> {
    let day = u64::try_from(day).ok().filter(|day| *day < END_OF_TIME / DAY)?;
    let (year, month, day) = civil(day);
    Some(write!(out, "{year:04}-{month:02}-{day:02}"))
}

/// Formats a `System.TimeOnly` as `o`. `None` if it is not within a day.
pub(crate) fn time_only<W: Write>(ticks: u64, out: &mut W) -> Option<fmt::Result> {
    (ticks < DAY).then(|| clock(ticks, out).and_then(|()| write!(out, ".{:07}", ticks % SECOND)))
}

/// The maximum number of limbs of 32 bits of a whole number that is formatted.
pub(crate) const MAX_LIMBS: usize = 64;

/// The maximum number of characters of such a number, and of its parts of nine digits.
pub(crate) const MAX_DIGITS: usize = 640;
const MAX_PARTS: usize = 70;

/// Formats a whole number from its sign and its magnitude, the lowest limb first. The limbs are overwritten.
pub(crate) fn big_integer<W: Write>(is_negative: bool, limbs: &mut [u32], out: &mut W) -> fmt::Result {
    /// The largest power of ten in 32 bits, and its digits.
    const PART: u64 = 1_000_000_000;
    const DIGITS: usize = 9;
    let (mut parts, mut count) = ([0; MAX_PARTS], 0);
    while let Some(limbs) = limbs.iter().rposition(|limb| *limb != 0).and_then(|top| limbs.get_mut(..=top)) {
        let mut remainder = 0;
        for limb in limbs.iter_mut().rev() {
            let dividend = remainder << 32 | u64::from(*limb);
            #[allow(clippy::cast_possible_truncation, reason = "the remainder is less than the divisor")]
            let quotient = (dividend / PART) as u32;
            (*limb, remainder) = (quotient, dividend % PART);
        }
        *parts.get_mut(count).ok_or(fmt::Error)? = remainder;
        count += 1;
    }
    let Some((first, others)) = parts.get(..count).and_then(<[u64]>::split_last) else {
        return out.write_char('0');
    };
    if is_negative {
        out.write_char('-')?;
    }
    write!(out, "{first}")?;
    others.iter().rev().try_for_each(|part| write!(out, "{part:0DIGITS$}"))
}

/// Formats an offset from UTC: `+02:00`.
pub(crate) fn utc_offset<W: Write>(minutes: i32, out: &mut W) -> fmt::Result {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Formats a `System.DateTimeOffset` as `o`, from the time in UTC. `None` if the date or the offset is malformed.
pub(crate) fn date_time_offset<W: Write>(data: u64, minutes: i32, out: &mut W) -> Option<fmt::Result> {
    const MAX_OFFSET: i32 = 14 * 60;
    if !(-MAX_OFFSET..=MAX_OFFSET).contains(&minutes) {
        return None;
    }
    let (ticks, _) = date_time_parts(data)?;
    let offset = i64::from(minutes) * MINUTE.cast_signed();
    let clock = ticks.checked_add_signed(offset).filter(|&clock| clock < END_OF_TIME)?;
    Some(date_time(clock, out).and_then(|()| utc_offset(minutes, out)))
}

fn clock<W: Write>(ticks: u64, out: &mut W) -> fmt::Result {
    write!(out, "{:02}:{:02}:{:02}", ticks / HOUR, ticks % HOUR / MINUTE, ticks % MINUTE / SECOND)
}

/// Returns year, month and day for a number of days since 1 January of year 1.
fn civil(days: u64) -> (u64, u64, u64) {
    // Days are counted from 1 March of year 0, so that the leap day is the last of its year: there are 306 days from
    // there to 1 January of year 1. 400 years have 146,097 days.
    let days = days + 306;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, every five months have 153 days.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year_of_era;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut String) -> Option<fmt::Result>) -> Option<String> {
        let mut out = String::new();
        write(&mut out).map(|result| {
            result.unwrap();
            out
        })
    }

    #[test]
    fn dates_and_times_alone() {
        // By DateOnly.MaxValue.DayNumber and TimeOnly.MaxValue.Ticks.
        for (day, expected) in [(0, "0001-01-01"), (3_652_058, "9999-12-31"), (738_520, "2023-01-01")] {
            assert_eq!(text(|out| date_only(day, out)).as_deref(), Some(expected));
        }
        for day in [-1, 3_652_059, i32::MAX] {
            assert_eq!(text(|out| date_only(day, out)), None);
        }
        for (ticks, expected) in [(0, "00:00:00.0000000"), (863_999_999_999, "23:59:59.9999999")] {
            assert_eq!(text(|out| time_only(ticks, out)).as_deref(), Some(expected));
        }
        assert_eq!(text(|out| time_only(864_000_000_000, out)), None);
    }

    fn limb_of(value: u128, limb: u32) -> u32 {
        let shifted = value.checked_shr(limb * u32::BITS).unwrap_or(0);
        u32::try_from(shifted & u128::from(u32::MAX)).unwrap()
    }

    #[test]
    fn big_integers_are_as_128_bit_ones() {
        for value in [0, 1, 999_999_999, 1_000_000_000, u128::from(u64::MAX), 10_u128.pow(27), u128::MAX] {
            let mut limbs: Vec<u32> = (0..5).map(|limb| limb_of(value, limb)).collect();
            let mut out = String::new();
            big_integer(true, &mut limbs, &mut out).unwrap();
            assert_eq!(out, if value == 0 { "0".to_owned() } else { format!("-{value}") });
        }
        let mut out = String::new();
        assert!(
            big_integer(true, &mut [u32::MAX; MAX_LIMBS + 4], &mut String::new()).is_err(),
            "it is too long"
        );
        let mut longest = String::new();
        big_integer(true, &mut [u32::MAX; MAX_LIMBS], &mut longest).unwrap();
        assert!(longest.len() == 618, "-(2^2048 - 1) has {} characters", longest.len());
        // 2^160
        big_integer(false, &mut [0, 0, 0, 0, 0, 1], &mut out).unwrap();
        assert_eq!(out, "1461501637330902918203684832716283019655932542976");
    }

    fn decimal_text(flags: u32, high: u32, low: u64) -> Option<String> {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&flags.to_ne_bytes());
        bytes[4..8].copy_from_slice(&high.to_ne_bytes());
        bytes[8..].copy_from_slice(&low.to_ne_bytes());
        text(|out| decimal(bytes, out))
    }

    #[test]
    fn decimals_keep_their_zeros() {
        let decimal = |flags, high, low| decimal_text(flags, high, low).unwrap();
        assert_eq!(decimal(2 << 16, 0, 150), "1.50");
        assert_eq!(decimal(0, 0, 0), "0");
        assert_eq!(decimal(0x8000_0000 | 2 << 16, 0, 0), "0.00");
        assert_eq!(decimal(0x8000_0000 | 3 << 16, 0, 7), "-0.007");
        assert_eq!(decimal(0, u32::MAX, u64::MAX), "79228162514264337593543950335");
        assert_eq!(decimal(28 << 16, u32::MAX, u64::MAX), "7.9228162514264337593543950335");
        assert_eq!(decimal_text(29 << 16, 0, 1), None);
        assert_eq!(decimal_text(1, 0, 1), None);
    }

    #[test]
    fn guids() {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&0xca76_1232_u32.to_ne_bytes());
        bytes[4..6].copy_from_slice(&0xed42_u16.to_ne_bytes());
        bytes[6..8].copy_from_slice(&0x11ce_u16.to_ne_bytes());
        bytes[8..].copy_from_slice(&[0xba, 0xcd, 0, 0xaa, 0, 0x57, 0xb2, 0x23]);
        assert_eq!(text(|out| Some(guid(bytes, out))).unwrap(), "ca761232-ed42-11ce-bacd-00aa0057b223");
    }

    #[test]
    fn time_spans() {
        let span = |ticks| text(|out| Some(time_span(ticks, out))).unwrap();
        assert_eq!(span(0), "00:00:00");
        assert_eq!(span(-1), "-00:00:00.0000001");
        assert_eq!(span(863_999_999_999), "23:59:59.9999999");
        assert_eq!(span(864_000_000_000), "1.00:00:00");
        assert_eq!(span(i64::MIN), "-10675199.02:48:05.4775808");
        assert_eq!(span(i64::MAX), "10675199.02:48:05.4775807");
    }

    #[test]
    fn dates() {
        let date = |ticks| text(|out| Some(date_time(ticks, out))).unwrap();
        assert_eq!(date(0), "0001-01-01T00:00:00.0000000");
        assert_eq!(date(END_OF_TIME - 1), "9999-12-31T23:59:59.9999999");
        // The Unix epoch, and a leap day.
        assert_eq!(date(621_355_968_000_000_000), "1970-01-01T00:00:00.0000000");
        assert_eq!(date(621_355_968_000_000_000 + 11_016 * DAY), "2000-02-29T00:00:00.0000000");
        assert_eq!(date(630_822_816_000_000_000), "2000-01-01T00:00:00.0000000");
        assert_eq!(date_time_parts(END_OF_TIME), None);
        assert_eq!(date_time_parts(1 << 62 | 5), Some((5, DateTimeKind::Utc)));
        assert_eq!(date_time_parts(3 << 62 | 5), Some((5, DateTimeKind::Local { daylight: true })));
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let (mut year, mut month, mut day) = (1, 1, 1);
        for days in 0..3_652_059 {
            assert_eq!(civil(days), (year, month, day));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn dates_with_offsets() {
        let date = |ticks, minutes| text(|out| date_time_offset(ticks, minutes, out));
        let epoch = 621_355_968_000_000_000;
        assert_eq!(date(epoch, 120).unwrap(), "1970-01-01T02:00:00.0000000+02:00");
        assert_eq!(date(epoch, -570).unwrap(), "1969-12-31T14:30:00.0000000-09:30");
        assert_eq!(date(epoch, 0).unwrap(), "1970-01-01T00:00:00.0000000+00:00");
        assert_eq!(date(0, -1), None);
        assert_eq!(date(END_OF_TIME - 1, 1), None);
        assert_eq!(date(epoch, 15 * 60), None);
    }
}
