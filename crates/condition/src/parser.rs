//! From the text of a condition to its comparisons.

use regex_lite::Regex;

use crate::Error;
use crate::comparison::{Comparison, Operand, Operator};
use crate::condition::Node;
use crate::path::{Head, Path, Step};
use crate::token::{Token, Tokens};

/// How deep parentheses and negations may be: the parser and the evaluation call themselves.
const DEPTH: usize = 64;

/// The number of comparisons in a condition.
const COMPARISONS: usize = 256;

pub(crate) struct Parser<'t> {
    tokens: Tokens<'t>,
    /// The next token, and where it begins.
    token: Token,
    offset: usize,
    depth: usize,
    comparisons: Vec<Comparison>,
}

/// One side of a comparison, and where it begins.
struct Side {
    operand: Operand,
    offset: usize,
}

impl<'t> Parser<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<(Node, Vec<Comparison>), Error> {
        let tokens = Tokens::new(text);
        let mut parser = Self { tokens, token: Token::End, offset: 0, depth: 0, comparisons: Vec::new() };
        parser.advance()?;
        if parser.token == Token::End {
            return Err(parser.error("a condition is missing, such as `order.Total > 100`"));
        }
        let root = parser.alternatives()?;
        match &parser.token {
            Token::End => Ok((root, parser.comparisons)),
            // A frequent slip.
            Token::Sign(")") => Err(parser.error("this parenthesis has not been opened")),
            other => Err(parser.error(format!("&& or || is expected, and not {}", other.shown()))),
        }
    }

    fn error(&self, what: impl Into<String>) -> Error {
        Error::new(self.tokens.text, self.offset, what)
    }

    fn error_at(&self, offset: usize, what: impl Into<String>) -> Error {
        Error::new(self.tokens.text, offset, what)
    }

    /// Takes the token, and reads the next one.
    fn advance(&mut self) -> Result<Token, Error> {
        let (offset, token) = self.tokens.next()?;
        self.offset = offset;
        Ok(core::mem::replace(&mut self.token, token))
    }

    fn takes(&mut self, sign: &'static str) -> Result<bool, Error> {
        let is_it = self.token == Token::Sign(sign);
        if is_it {
            self.advance()?;
        }
        Ok(is_it)
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Error> {
        if self.takes(sign)? {
            return Ok(());
        }
        Err(self.error(format!("`{sign}` is expected, and not {}", self.token.shown())))
    }

    fn alternatives(&mut self) -> Result<Node, Error> {
        let mut node = self.conjunction()?;
        while self.takes("||")? {
            node = Node::Or(node.into(), self.conjunction()?.into());
        }
        Ok(node)
    }

    fn conjunction(&mut self) -> Result<Node, Error> {
        let mut node = self.negation()?;
        while self.takes("&&")? {
            node = Node::And(node.into(), self.negation()?.into());
        }
        Ok(node)
    }

    fn negation(&mut self) -> Result<Node, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("more than {DEPTH} parentheses and negations in each other")));
        }
        let node = if self.takes("!")? {
            Node::Not(self.negation()?.into())
        } else if self.takes("(")? {
            let inner = self.alternatives()?;
            self.expect(")")?;
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn comparison(&mut self) -> Result<Node, Error> {
        let one = self.side()?;
        let comparison = match self.token {
            Token::Sign("~" | "!~") => self.matching(one)?,
            Token::Name(ref name) if name == "is" => self.of_class(one)?,
            _ => {
                let at = self.offset;
                match self.operator()? {
                    Some(operator) => {
                        let other = self.side()?;
                        self.compared(one, operator, other, at)?
                    }
                    None => self.alone(one)?,
                }
            }
        };
        if self.comparisons.len() >= COMPARISONS {
            return Err(self.error(format!("more than {COMPARISONS} comparisons")));
        }
        self.comparisons.push(comparison);
        Ok(Node::Comparison(self.comparisons.len() - 1))
    }

    fn operator(&mut self) -> Result<Option<Operator>, Error> {
        let operator = match self.token {
            Token::Sign("=" | "==") => Operator::Equal,
            Token::Sign("!=") => Operator::NotEqual,
            Token::Sign("<") => Operator::Less,
            Token::Sign("<=") => Operator::AtMost,
            Token::Sign(">") => Operator::Greater,
            Token::Sign(">=") => Operator::AtLeast,
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(operator))
    }

    /// A path without a comparison is a `bool`: `!order.IsPaid`.
    fn alone(&self, one: Side) -> Result<Comparison, Error> {
        let missing = "a comparison is expected: ==, !=, <, <=, >, >=, ~, !~ or is";
        let Operand::Path(path) = one.operand else { return Err(self.error(missing)) };
        if matches!(path.head, Head::Duration | Head::ThreadName | Head::Exception) || path.head == Head::Any
        {
            return Err(self.error(missing));
        }
        if !matches!(self.token, Token::End | Token::Sign("&&" | "||" | ")")) {
            return Err(self.error(format!("{missing}, and not {}", self.token.shown())));
        }
        Ok(Comparison::compared(path, Operator::Equal, Operand::Bool(true)))
    }

    fn compared(&self, one: Side, operator: Operator, other: Side, at: usize) -> Result<Comparison, Error> {
        let (path, operator, constant) = match (one.operand, other.operand) {
            (Operand::Path(path), operand) => (path, operator, Side { operand, ..other }),
            (operand, Operand::Path(path)) => (path, operator.mirrored(), Side { operand, ..one }),
            _ => {
                return Err(
                    self.error_at(one.offset, "both sides are constants: one must be a value of the call")
                );
            }
        };
        let is_ordered = !matches!(operator, Operator::Equal | Operator::NotEqual);
        if is_ordered && matches!(constant.operand, Operand::Null | Operand::Bool(_)) {
            return Err(self.error_at(at, "null, true and false are compared by == and != only"));
        }
        let is_time = |operand: &Operand| match operand {
            Operand::Path(path) => path.head == Head::Duration,
            operand => matches!(operand, Operand::Nanoseconds(_)),
        };
        if (path.head == Head::Duration) != is_time(&constant.operand) {
            let what = match path.head {
                Head::Duration => "a duration is compared with a time that has a unit, such as 200ms",
                _ => "a time is compared with `duration` only",
            };
            return Err(self.error_at(constant.offset, what));
        }
        Ok(Comparison::compared(path, operator, constant.operand))
    }

    fn matching(&mut self, one: Side) -> Result<Comparison, Error> {
        let does = self.token == Token::Sign("~");
        self.advance()?;
        let Operand::Path(path) = one.operand else {
            return Err(self.error_at(one.offset, "left of ~ is a value of the call"));
        };
        if path.head == Head::Duration {
            return Err(self.error_at(one.offset, "a duration is no text"));
        }
        let at = self.offset;
        let Token::Text(expression) = self.advance()? else {
            return Err(self.error_at(at, "right of ~ is a regular expression in quotes, such as \"^/api/\""));
        };
        let compiled = Regex::new(&expression);
        let compiled =
            compiled.map_err(|error| self.error_at(at, format!("no regular expression: {error}")))?;
        Ok(Comparison::matching(path, compiled, does))
    }

    fn of_class(&mut self, one: Side) -> Result<Comparison, Error> {
        self.advance()?;
        let Operand::Path(path) = one.operand else {
            return Err(self.error_at(one.offset, "left of `is` is a value of the call"));
        };
        let at = self.offset;
        let mut class = match self.advance()? {
            Token::Name(name) => name,
            // With type arguments, or of a name that is no identifier.
            Token::Text(class) if !class.is_empty() => return Ok(Comparison::of_class(path, class)),
            other => {
                return Err(
                    self.error_at(at, format!("the name of a class is expected, and not {}", other.shown()))
                );
            }
        };
        while self.takes(".")? {
            class.push('.');
            class.push_str(&self.name("the rest of the name of a class")?);
        }
        Ok(Comparison::of_class(path, class))
    }

    fn name(&mut self, what: &str) -> Result<String, Error> {
        let at = self.offset;
        match self.advance()? {
            Token::Name(name) => Ok(name),
            other => Err(self.error_at(at, format!("{what} is expected, and not {}", other.shown()))),
        }
    }

    fn side(&mut self) -> Result<Side, Error> {
        let offset = self.offset;
        let operand = match self.advance()? {
            Token::Integer(number) => Operand::Integer(number),
            Token::Float(number) => Operand::Float(number),
            Token::Time(nanoseconds) => Operand::Nanoseconds(nanoseconds),
            Token::Text(text) => Operand::Text(text),
            Token::Sign("-") => match self.advance()? {
                Token::Integer(number) => Operand::Integer(-number),
                Token::Float(number) => Operand::Float(-number),
                other => {
                    return Err(self.error_at(
                        offset,
                        format!("a number is expected behind -, and not {}", other.shown()),
                    ));
                }
            },
            Token::Sign("*") => Operand::Path(Path { head: Head::Any, steps: Vec::new() }),
            Token::Name(name) => match name.as_str() {
                "null" => Operand::Null,
                "true" => Operand::Bool(true),
                "false" => Operand::Bool(false),
                _ => Operand::Path(self.path(name, offset)?),
            },
            other => {
                let what = format!(
                    "a value is expected, such as an argument or a number, and not {}",
                    other.shown()
                );
                return Err(self.error_at(offset, what));
            }
        };
        Ok(Side { operand, offset })
    }

    fn path(&mut self, name: String, offset: usize) -> Result<Path, Error> {
        let head = match name.as_str() {
            "this" => Head::This,
            "return" => Head::Return,
            "exception" => Head::Exception,
            "duration" => Head::Duration,
            "thread" => {
                let is_name = self.takes(".")? && self.name("`name`")? == "name";
                if !is_name {
                    return Err(self.error_at(offset, "of a thread there is its name: `thread.name`; an argument of this name is `arg(\"thread\")`"));
                }
                Head::ThreadName
            }
            "arg" if self.takes("(")? => {
                let at = self.offset;
                let Token::Text(name) = self.advance()? else {
                    return Err(
                        self.error_at(at, "arg takes the name of an argument in quotes: `arg(\"duration\")`")
                    );
                };
                self.expect(")")?;
                Head::Argument(name)
            }
            _ => Head::Argument(name),
        };
        let steps = self.steps()?;
        if !steps.is_empty() && matches!(head, Head::Duration | Head::ThreadName) {
            return Err(self.error_at(offset, "this value has no fields"));
        }
        Ok(Path { head, steps })
    }

    fn steps(&mut self) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        loop {
            let at = self.offset;
            if steps.len() >= DEPTH {
                return Err(self.error_at(at, format!("a path has at most {DEPTH} fields")));
            }
            if self.takes(".")? {
                if self.takes("*")? {
                    steps.push(Step::All);
                    return Ok(steps);
                }
                steps.push(Step::Field(self.name("the name of a field, or *,")?));
            } else if self.takes("[")? {
                let at = self.offset;
                let index = match self.advance()? {
                    Token::Integer(index) => u64::try_from(index).ok(),
                    _ => None,
                };
                let index =
                    index.ok_or_else(|| self.error_at(at, "the number of an item is expected, from 0"))?;
                self.expect("]")?;
                steps.push(Step::Item(index));
            } else {
                return Ok(steps);
            }
        }
    }
}
