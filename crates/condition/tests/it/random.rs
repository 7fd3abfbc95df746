//! Random conditions over random values: no panic, and the rules of logic. The fuzz target does the same with bytes of the fuzzer's.

use corprof_condition::{Condition, Path, Source, Value};

/// What conditions are made of.
const PARTS: [&str; 48] = [
    "a",
    "order",
    ".Total",
    ".Items",
    ".*",
    "*",
    "[2]",
    "[18446744073709551615]",
    "this",
    "return",
    "exception",
    "duration",
    "thread.name",
    "arg(\"duration\")",
    "arg(",
    ")",
    "(",
    "!",
    "!(",
    " && ",
    " || ",
    " == ",
    " != ",
    " < ",
    " <= ",
    " > ",
    " >= ",
    " = ",
    " ~ ",
    " !~ ",
    " is ",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e400",
    "200ms",
    "3h",
    "\"x\"",
    "\"^/h.*\"",
    "\"(\"",
    "'c'",
    "System.String",
    " ",
    "\"",
    "é",
];

/// Values that depend on the path and a number.
struct Values(u8);

impl Source for Values {
    fn visit(&mut self, path: &Path, seen: &mut dyn FnMut(Value<'_>)) {
        let length = u8::try_from(path.to_string().len()).unwrap_or(u8::MAX);
        for step in 0..self.0 % 3 {
            seen(match self.0.wrapping_add(length).wrapping_add(step) % 11 {
                0 => Value::Null,
                1 => Value::Bool(true),
                2 => Value::Integer(i128::MIN),
                3 => Value::Integer(i128::from(self.0)),
                4 => Value::Float(f64::NAN),
                5 => Value::Float(1.5),
                6 => Value::Utf16(&[0xD800, 0x78]),
                7 => Value::Text("x"),
                8 => Value::Formatted("1.50"),
                9 => Value::Enumeration(2, "Open"),
                _ => Value::Nanoseconds(200_000_000),
            });
        }
    }
}

/// Reads the bytes as a condition, and as the parts of one.
pub(crate) fn condition(bytes: &[u8]) {
    let (seed, rest) = bytes.split_first().map_or((0, bytes), |(seed, rest)| (*seed, rest));
    check(&String::from_utf8_lossy(rest), seed);
    let parts: String = rest.iter().map(|byte| PARTS[usize::from(*byte) % PARTS.len()]).collect();
    check(&parts, seed);
}

fn check(text: &str, seed: u8) {
    let condition: Condition = match text.parse() {
        Ok(condition) => condition,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(condition.to_string(), text);
    let count = condition.comparisons().len();
    let holds: Vec<bool> =
        condition.comparisons().iter().map(|comparison| comparison.holds(&mut Values(seed))).collect();
    let whole = condition.decide_numbered(|number| Some(holds[number])).expect("all is known");
    assert_eq!(condition.decide(|comparison| Some(comparison.holds(&mut Values(seed)))), Some(whole));
    // What a part of the values decides, the others do not change.
    for shift in 0..8 {
        let is_known = |number: usize| (seed.rotate_left(shift) >> (number % 8)) & 1 == 1;
        let decided = condition.decide_numbered(|number| is_known(number).then(|| holds[number]));
        assert!(decided.is_none_or(|decided| decided == whole), "{text}");
    }
    // A negation is the opposite, and parentheses change nothing. They may be too many.
    for (begin, is_same) in [("!(", false), ("(", true)] {
        if let Ok(other) = format!("{begin}{text})").parse::<Condition>() {
            assert_eq!(other.comparisons().len(), count);
            let decided = other.decide_numbered(|number| Some(holds[number]));
            assert_eq!(decided, Some(whole == is_same), "{text}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn random_conditions() {
        let mut state = 1_u32;
        let mut bytes = Vec::new();
        for _ in 0..20_000 {
            bytes.clear();
            for _ in 0..2 + state % 14 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                bytes.push(state.to_be_bytes()[0]);
            }
            condition(&bytes);
        }
    }

    #[test]
    fn the_inputs_that_the_fuzzer_has_kept() {
        let kept = include_str!("../corpus/condition.hex");
        for line in kept.lines() {
            let digits = line.as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            condition(&digits.map(byte).collect::<Vec<u8>>());
        }
        assert!(!kept.is_empty());
    }
}
