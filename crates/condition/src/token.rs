//! The tokens of a condition.

use crate::Error;
use crate::path::{begins_name, continues_name};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Name(String),
    Integer(i128),
    Float(f64),
    /// In nanoseconds.
    Time(u64),
    Text(String),
    /// One of [`SIGNS`].
    Sign(&'static str),
    End,
}

impl Token {
    /// The token in a message.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Integer(number) => format!("`{number}`"),
            Self::Float(number) => format!("`{number}`"),
            Self::Time(nanoseconds) => format!("`{nanoseconds}ns`"),
            Self::Text(text) => format!("{text:?}"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "its end".to_owned(),
        }
    }
}

/// The longer ones first.
const SIGNS: [&str; 19] =
    ["&&", "||", "==", "!=", "<=", ">=", "!~", "=", "<", ">", "~", "!", "(", ")", ".", "*", "[", "]", "-"];

const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads one token after the other.
pub(crate) struct Tokens<'t> {
    pub(crate) text: &'t str,
    /// Where the next token begins, or the white space before it.
    offset: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Returns the next token and its offset.
    pub(crate) fn next(&mut self) -> Result<(usize, Token), Error> {
        let rest = self.rest();
        self.offset += rest.len() - rest.trim_start().len();
        let (begin, rest) = (self.offset, self.rest());
        let Some(first) = rest.chars().next() else { return Ok((begin, Token::End)) };
        if begins_name(first) {
            // A verbatim name of C# has its sign for the compiler alone.
            let name = rest.strip_prefix('@').unwrap_or(rest);
            let length = name.find(|char| !continues_name(char) && char != '$').unwrap_or(name.len());
            self.offset += rest.len() - name.len() + length;
            return Ok((begin, Token::Name(name[..length].to_owned())));
        }
        if first.is_ascii_digit() {
            return Ok((begin, self.number(begin)?));
        }
        if matches!(first, '"' | '\'') {
            return Ok((begin, Token::Text(self.quoted(begin, first)?)));
        }
        let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) else {
            return Err(Error::new(self.text, begin, format!("{first:?} means nothing in a condition")));
        };
        self.offset += sign.len();
        Ok((begin, Token::Sign(sign)))
    }

    fn number(&mut self, begin: usize) -> Result<Token, Error> {
        let rest = self.rest();
        let error = |what: &str| Error::new(self.text, begin, what);
        if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let length =
                digits.find(|char: char| !char.is_ascii_hexdigit() && char != '_').unwrap_or(digits.len());
            let number = i128::from_str_radix(&digits[..length].replace('_', ""), 16);
            self.offset += 2 + length;
            return number
                .map(Token::Integer)
                .map_err(|_| error("not a hexadecimal number, or too large a one"));
        }
        let digits = |from: usize| {
            let rest = rest.get(from..).unwrap_or_default();
            from + rest.find(|char: char| !char.is_ascii_digit() && char != '_').unwrap_or(rest.len())
        };
        let mut end = digits(0);
        let has_fraction =
            rest[end..].starts_with('.') && rest[end + 1..].starts_with(|char: char| char.is_ascii_digit());
        if has_fraction {
            end = digits(end + 1);
        }
        let exponent = rest[end..].strip_prefix(['e', 'E']).map(|power| {
            let sign = usize::from(power.starts_with(['+', '-']));
            (end + 1 + sign, power[sign..].starts_with(|char: char| char.is_ascii_digit()))
        });
        let has_exponent = matches!(exponent, Some((_, true)));
        if let Some((from, true)) = exponent {
            end = digits(from);
        }
        let number = rest[..end].replace('_', "");
        let unit = &rest[end..];
        let length = unit.find(|char| !continues_name(char)).unwrap_or(unit.len());
        let unit = &unit[..length];
        self.offset += end + length;
        let float: f64 = number.parse().map_err(|_| error("not a number"))?;
        if !unit.is_empty() {
            let Some((_, nanoseconds)) = UNITS.into_iter().find(|(name, _)| *name == unit) else {
                return Err(error(&format!("`{unit}` is no unit of time: ns, us, ms, s, m, h")));
            };
            return Ok(Token::Time(scaled(float, nanoseconds)));
        }
        if has_fraction || has_exponent {
            return Ok(Token::Float(float));
        }
        number.parse().map(Token::Integer).map_err(|_| error("too large a number"))
    }

    fn quoted(&mut self, begin: usize, quote: char) -> Result<String, Error> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, char)) = chars.next() {
            match char {
                _ if char == quote => {
                    self.offset += at + char.len_utf8();
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, '0')) => text.push('\0'),
                    Some((_, own)) if own == quote || own == '\\' => text.push(own),
                    // Those of regular expressions stay.
                    Some((_, other)) => text.extend(['\\', other]),
                    None => break,
                },
                _ => text.push(char),
            }
        }
        Err(Error::new(self.text, begin, format!("the text has no closing {quote}")))
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "saturates"
)]
fn scaled(number: f64, nanoseconds: u64) -> u64 {
    (number * nanoseconds as f64).round() as u64
}
