//! `System.Half`: 16-bit floating point.

use core::fmt;

/// The bits of a `System.Half`.
///
/// ```
/// # use argvalues::Half;
/// assert_eq!(Half(0x3c00).to_f32(), 1.0);
/// assert_eq!(Half(0x2e66).to_string(), "0.1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Half(pub u16);

impl Half {
    /// Converts the value exactly.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 >> 15) << 31;
        let exponent = u32::from(self.0 >> 10 & 0x1f);
        let fraction = u32::from(self.0 & 0x3ff);
        let magnitude = match exponent {
            // Subnormal: a multiple of 2^-24, exact in f32.
            0 => return f32::from_bits(sign | 0x3f80_0000) * (self.fraction() / 16_777_216.0),
            0x1f => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 127 - 15) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }

    fn fraction(self) -> f32 {
        f32::from(self.0 & 0x3ff)
    }
}

/// Writes the shortest digits that parse to the same `Half`.
impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_f32();
        if !value.is_finite() {
            return write!(f, "{value:?}");
        }
        // Five significant digits always lie within half of the distance to the neighbours.
        for digits in 0..5 {
            let mut text = crate::text_buffer::TextBuffer::<24>::new();
            if fmt::write(&mut text, format_args!("{value:.digits$e}")).is_ok()
                && let Ok(short) = text.as_str().parse::<f32>()
                && nearest(short) == self.0
            {
                return write!(f, "{short:?}");
            }
        }
        write!(f, "{value:?}")
    }
}

/// Returns the `Half` nearest to a value, ties to even.
fn nearest(value: f32) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = f64::from(value.abs());
    // The 31,744 finite magnitudes are ordered by their bits.
    let (mut low, mut high) = (0_u16, 0x7c00_u16);
    while low < high {
        let middle = low + (high - low) / 2;
        if f64::from(Half(middle).to_f32()) < magnitude { low = middle + 1 } else { high = middle }
    }
    if low == 0 {
        return sign;
    }
    let (below, above) = (low - 1, low);
    // Above the greatest finite value the next step would be 65536.
    let up = if above == 0x7c00 { 65536.0 } else { f64::from(Half(above).to_f32()) };
    let (down_distance, up_distance) = (magnitude - f64::from(Half(below).to_f32()), up - magnitude);
    let chosen = if down_distance < up_distance || down_distance == up_distance && below % 2 == 0 {
        below
    } else {
        above
    };
    sign | chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_its_text() {
        for bits in 0..=u16::MAX {
            let half = Half(bits);
            if half.to_f32().is_nan() {
                assert_eq!(half.to_string(), "NaN");
                continue;
            }
            let text = half.to_string();
            let back: f32 = text.parse().unwrap();
            assert_eq!(nearest(back), bits, "{text}");
        }
    }

    #[test]
    fn known_values() {
        for (bits, text) in [
            (0x0000, "0.0"),
            (0x8000, "-0.0"),
            (0x3c00, "1.0"),
            (0xc000, "-2.0"),
            (0x7bff, "65500.0"),
            (0x0001, "6e-8"),
            (0x3555, "0.3333"),
            (0x7c00, "inf"),
        ] {
            assert_eq!(Half(bits).to_string(), text);
        }
    }
}
