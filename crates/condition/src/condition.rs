//! A condition: comparisons, and what joins them.

use core::fmt;
use core::str::FromStr;

use crate::parser::Parser;
use crate::{Comparison, Error};

/// What joins comparisons. A number is that of a comparison.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Comparison(usize),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

/// A condition: `order.Total > 100 && return == null`. The crate's documentation has its syntax.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    comparisons: Vec<Comparison>,
    root: Node,
}

impl Condition {
    /// Its comparisons, in the order of the text.
    #[must_use]
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// Decides with what is known so far: `None` if that does not suffice.
    ///
    /// `holds` says whether a comparison holds: `None` if its values are not there yet. It is not asked for those that change nothing any
    /// more, and may be asked again for the same one in another call of this method. Nothing is allocated.
    pub fn decide(&self, mut holds: impl FnMut(&Comparison) -> Option<bool>) -> Option<bool> {
        self.decide_numbered(|number| self.comparisons.get(number).and_then(&mut holds))
    }

    /// As [`decide`](Self::decide), with the index of each comparison in [`comparisons`](Self::comparisons).
    pub fn decide_numbered(&self, mut holds: impl FnMut(usize) -> Option<bool>) -> Option<bool> {
        decide(&self.root, &mut holds)
    }
}

/// The logic of three values: a side that is not known matters only if the other does not decide.
fn decide(node: &Node, holds: &mut impl FnMut(usize) -> Option<bool>) -> Option<bool> {
    let mut joined = |one: &Node, other: &Node, deciding: bool| match decide(one, holds) {
        Some(value) if value == deciding => Some(deciding),
        first => match (first, decide(other, holds)) {
            (_, Some(value)) if value == deciding => Some(deciding),
            (Some(_), second) => second,
            (None, _) => None,
        },
    };
    match node {
        Node::And(one, other) => joined(one, other, false),
        Node::Or(one, other) => joined(one, other, true),
        Node::Not(inner) => decide(inner, holds).map(|value| !value),
        Node::Comparison(number) => holds(*number),
    }
}

impl FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (root, comparisons) = Parser::parse(text)?;
        Ok(Self { text: text.to_owned(), comparisons, root })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
