//! The names that the C# compiler generates for methods and types without a name in the source.
//!
//! They begin with the name of the source method in angle brackets: `<Add>b__0_1` is a lambda of `Add`,
//! `<Add>g__Check|0_2` its local function `Check`, `<Add>d__3` the state machine of an iterator or of an `async`
//! method. The brackets may nest: `<<Add>g__Check|0_2>d` is the state machine of the local function.

/// The kind of a generated name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'n> {
    /// A lambda or anonymous method, with its ordinals: `0_1`.
    Lambda(&'n str),
    /// A local function, with its name.
    LocalFunction(&'n str),
    /// The class or struct of an iterator or `async` method.
    StateMachine,
}

/// A generated name, parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generated<'n> {
    /// The metadata name of the source method.
    pub(super) source: &'n str,
    pub(super) kind: Kind<'n>,
}

/// Parses a generated name; `None` for every other name.
pub(super) fn parse(name: &str) -> Option<Generated<'_>> {
    let inner = name.strip_prefix('<')?;
    let mut depth = 1;
    let end = inner.find(|char| {
        match char {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let (source, rest) = (inner.get(..end)?, inner.get(end + 1..)?);
    if source.is_empty() {
        return None;
    }
    let kind = if let Some(ordinals) = rest.strip_prefix("b__") {
        Kind::Lambda(ordinals)
    } else if let Some(named) = rest.strip_prefix("g__") {
        Kind::LocalFunction(named.rsplit_once('|').map_or(named, |(name, _)| name))
    } else if rest == "d" || rest.starts_with("d__") || rest.starts_with("d`") {
        Kind::StateMachine
    } else {
        return None;
    };
    Some(Generated { source, kind })
}

/// Returns whether a type is generated: for lambdas, captured variables, or a state machine.
pub(super) fn is_generated_type(name: &str) -> bool {
    name.starts_with("<>") || parse(name).is_some()
}

/// Returns whether a type holds the variables that lambdas and local functions capture.
pub(super) fn is_closure(name: &str) -> bool {
    name.starts_with("<>c__DisplayClass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_recognised() {
        let lambda = parse("<Add>b__0_1").unwrap();
        assert_eq!((lambda.source, lambda.kind), ("Add", Kind::Lambda("0_1")));
        let local = parse("<Add>g__Check|0_2").unwrap();
        assert_eq!((local.source, local.kind), ("Add", Kind::LocalFunction("Check")));
        assert_eq!(parse("<Add>d__3").unwrap().kind, Kind::StateMachine);
        assert_eq!(parse("<Add>d__3`1").unwrap().kind, Kind::StateMachine);
    }

    #[test]
    fn brackets_nest() {
        assert_eq!(parse("<<Add>g__Check|0_2>d").unwrap().source, "<Add>g__Check|0_2");
        let generic = parse("<System.Collections.Generic.IEnumerable<T>.GetEnumerator>d__1").unwrap();
        assert_eq!(generic.source, "System.Collections.Generic.IEnumerable<T>.GetEnumerator");
        assert_eq!(parse("<<Main>$>g__Run|0_0").unwrap().source, "<Main>$");
    }

    #[test]
    fn other_names_are_not_parsed() {
        for name in
            ["Add", "<Main>$", "<Clone>$", "<>c", "<Module>", "<Count>k__BackingField", "<Program>F0__X"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
        assert!(is_generated_type("<>c__DisplayClass0_0"));
        assert!(!is_generated_type("<Program>F0__X"));
    }
}
