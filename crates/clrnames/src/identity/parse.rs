//! Identities from their text.

use core::str::FromStr;

use sigparse::ElementType;
use sigparse::token::{MethodDef, TypeDef};

use super::{MethodIdentity, Mvid, TypeIdentity};
use crate::limits::MAX_IDENTITY_DEPTH;

/// A text that is no identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an identity of a method or type: byte {at} should be {wanted}")]
pub struct IdentityError {
    /// The offset of the first wrong byte.
    pub at: usize,
    /// The expected text.
    pub wanted: &'static str,
}

impl MethodIdentity {
    /// Parses the identity at the start of a text, and returns the rest of the text.
    ///
    /// # Errors
    /// The text does not start with an identity.
    pub fn parse_prefix(text: &str) -> Result<(Self, &str), IdentityError> {
        let mut parser = Parser { text, at: 0 };
        let method = parser.method()?;
        Ok((method, parser.rest()))
    }
}

impl FromStr for MethodIdentity {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let mut parser = Parser { text, at: 0 };
        let method = parser.method()?;
        parser.end()?;
        Ok(method)
    }
}

impl FromStr for TypeIdentity {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let mut parser = Parser { text, at: 0 };
        let parsed = parser.ty(0)?;
        parser.end()?;
        Ok(parsed)
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fail<T>(&self, wanted: &'static str) -> Result<T, IdentityError> {
        Err(IdentityError { at: self.at, wanted })
    }

    /// Consumes a text if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn end(&self) -> Result<(), IdentityError> {
        if self.rest().is_empty() { Ok(()) } else { self.fail("the end") }
    }

    /// Reads this number of hexadecimal digits.
    fn digits(&mut self, count: usize) -> Option<&'t str> {
        let digits = self.rest().get(..count)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| {
            self.at += count;
            digits
        })
    }

    /// A module with a token of it.
    fn place(&mut self) -> Result<(Mvid, u32), IdentityError> {
        let Some(module) = self.digits(32).and_then(|digits| digits.parse().ok()) else {
            return self.fail("a version id: 32 hexadecimal digits");
        };
        if !self.take("!") {
            return self.fail("`!`");
        }
        let token = self.digits(8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        token.map_or_else(|| self.fail("a token: 8 hexadecimal digits"), |token| Ok((module, token)))
    }

    fn method(&mut self) -> Result<MethodIdentity, IdentityError> {
        let (module, token) = self.place()?;
        let Some(method) = MethodDef::from_token(token) else {
            self.at -= 8;
            return self.fail("the token of a method, which begins with 06");
        };
        let class_args = self.list("<", ">", 0)?;
        // The text after an identity may begin with a parenthesis: only types are arguments.
        let before = self.at;
        let method_args = self.list("(", ")", 0).unwrap_or_else(|_| {
            self.at = before;
            Vec::new()
        });
        Ok(MethodIdentity { module, method, class_args, method_args })
    }

    fn list(&mut self, open: &str, close: &str, depth: usize) -> Result<Vec<TypeIdentity>, IdentityError> {
        let mut types = Vec::new();
        if self.take(open) {
            types.push(self.ty(depth + 1)?);
            while self.take(",") {
                types.push(self.ty(depth + 1)?);
            }
            if !self.take(close) {
                return self.fail("`,` or the end of the list");
            }
        }
        Ok(types)
    }

    fn ty(&mut self, depth: usize) -> Result<TypeIdentity, IdentityError> {
        if depth > MAX_IDENTITY_DEPTH {
            return self.fail("something that is not nested so deep");
        }
        let mut parsed = self.core(depth)?;
        for _ in 0..MAX_IDENTITY_DEPTH {
            if self.take("*") {
                parsed = TypeIdentity::Pointer(Box::new(parsed));
            } else if self.take("[") {
                let mut rank = 1;
                while self.take(",") {
                    rank += 1;
                }
                if !self.take("]") {
                    return self.fail("`]`");
                }
                parsed = TypeIdentity::Array { element: Box::new(parsed), rank };
            } else {
                break;
            }
        }
        Ok(parsed)
    }

    fn core(&mut self, depth: usize) -> Result<TypeIdentity, IdentityError> {
        if self.take("?") {
            return Ok(TypeIdentity::Unknown);
        }
        if self.rest().as_bytes().get(32) == Some(&b'!') {
            let (module, token) = self.place()?;
            let Some(type_def) = TypeDef::from_token(token) else {
                self.at -= 8;
                return self.fail("the token of a type, which begins with 02");
            };
            return Ok(TypeIdentity::Defined { module, type_def, args: self.list("<", ">", depth)? });
        }
        if self.take("0x") {
            let number = self.digits(2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            return match number {
                Some(number) => Ok(TypeIdentity::Element(ElementType(number))),
                None => self.fail("an element type: 2 hexadecimal digits"),
            };
        }
        let rest = self.rest();
        let word = rest.split(|char: char| !char.is_ascii_lowercase()).next().unwrap_or_default();
        match (0..=u8::MAX).map(ElementType).find(|element| super::word(*element) == Some(word)) {
            Some(element) => {
                self.at += word.len();
                Ok(TypeIdentity::Element(element))
            }
            None => self.fail("a type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "00112233445566778899aabbccddeeff";

    fn method(rest: &str) -> Result<MethodIdentity, IdentityError> {
        format!("{MODULE}!{rest}").parse()
    }

    #[test]
    fn what_is_written_is_read() {
        let type_def = TypeDef::from_rid(7).unwrap();
        let module: Mvid = MODULE.parse().unwrap();
        let defined = |args| TypeIdentity::Defined { module, type_def, args };
        let array = |element, rank| TypeIdentity::Array { element: Box::new(element), rank };
        let types = [
            TypeIdentity::Unknown,
            TypeIdentity::Element(ElementType::I4),
            TypeIdentity::Element(ElementType::FNPTR),
            TypeIdentity::Element(ElementType(0x77)),
            defined(vec![]),
            defined(vec![array(array(TypeIdentity::Element(ElementType::STRING), 3), 1), defined(vec![])]),
            TypeIdentity::Pointer(Box::new(TypeIdentity::Element(ElementType::VOID))),
        ];
        for ty in &types {
            assert_eq!(ty.to_string().parse().as_ref(), Ok(ty), "{ty}");
        }
        let identity = MethodIdentity {
            module,
            method: MethodDef::from_rid(1).unwrap(),
            class_args: types.to_vec(),
            method_args: types.to_vec(),
        };
        assert_eq!(identity.to_string().parse(), Ok(identity));
    }

    #[test]
    fn the_text_is_the_documented_one() {
        let parsed = method("0600002a<int[],?>(string*)").unwrap();
        assert_eq!(parsed.method.rid(), 42);
        assert_eq!(parsed.class_args[1], TypeIdentity::Unknown);
        let int = Box::new(TypeIdentity::Element(ElementType::I4));
        assert_eq!(parsed.class_args[0], TypeIdentity::Array { element: int, rank: 1 });
        assert!(matches!(parsed.method_args[0], TypeIdentity::Pointer(_)));
    }

    #[test]
    fn an_error_says_where_and_what() {
        let at = |rest: &str| method(rest).unwrap_err().at - MODULE.len() - 1;
        assert_eq!(at("02000001"), 0);
        assert_eq!(at("0600002a<int"), 12);
        assert_eq!(at("0600002a<integer>"), 9);
        assert_eq!(at("0600002a<int>x"), 13);
        assert_eq!(at("0600002a<int[;]>"), 13);
        assert_eq!("".parse::<MethodIdentity>().unwrap_err().at, 0);
        let error = "é".repeat(20).parse::<MethodIdentity>().unwrap_err();
        assert!(error.to_string().contains("32 hexadecimal digits"), "{error}");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = format!("{MODULE}!02000001<").repeat(10_000);
        assert!(format!("{MODULE}!06000001<{deep}").parse::<MethodIdentity>().is_err());
    }

    #[test]
    fn a_log_goes_on_behind_it() {
        let text = format!("{MODULE}!06000001<int> (5 calls)");
        let (identity, rest) = MethodIdentity::parse_prefix(&text).unwrap();
        assert_eq!((identity.class_args.len(), rest), (1, " (5 calls)"));
        let text = format!("{MODULE}!06000001(5 calls)");
        assert_eq!(MethodIdentity::parse_prefix(&text).unwrap().1, "(5 calls)");
    }

    #[test]
    fn guids_are_read_as_they_are_written_elsewhere() {
        let plain: Mvid = MODULE.parse().unwrap();
        assert_eq!("{00112233-4455-6677-8899-AABBCCDDEEFF}".parse(), Ok(plain));
        assert_eq!(plain.to_bytes()[..2], [0, 0x11]);
        assert!("0011".parse::<Mvid>().is_err());
    }
}
