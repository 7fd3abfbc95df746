//! How C# spells types.

use std::sync::Arc;

/// A type's spelling. Array specifiers are kept apart from what comes before them, since C# writes those of
/// an outer array first: the array of `int[,]` is `int[][,]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeText {
    text: Arc<str>,
    /// Where the array specifiers begin.
    specifiers: usize,
}

impl TypeText {
    /// A spelling without array specifiers.
    #[must_use]
    pub fn plain(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { specifiers: text.len(), text }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, shared.
    #[must_use]
    pub fn into_text(self) -> Arc<str> {
        self.text
    }

    /// The array of this type with the given number of dimensions.
    #[must_use]
    pub fn array(&self, rank: u32) -> Self {
        let (stem, specifiers) = self.text.split_at(self.specifiers);
        let commas = ",".repeat(rank.saturating_sub(1) as usize);
        Self { text: format!("{stem}[{commas}]{specifiers}").into(), specifiers: self.specifiers }
    }

    /// The pointer to this type.
    #[must_use]
    pub fn pointer(&self) -> Self {
        Self::plain(format!("{}*", self.text))
    }
}

/// One of the nested types of a name, with the number of generic parameters that it adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The name, with the namespace on the outermost level.
    pub name: String,
    /// How many generic parameters the level itself declares.
    pub arity: usize,
}

impl Level {
    /// The level for a name of the metadata, which ends in a backtick and the arity when it is generic.
    #[must_use]
    pub fn of_metadata(name: &str) -> Self {
        if let Some((stem, digits)) = name.rsplit_once('`')
            && let Ok(arity) = digits.parse()
        {
            return Self { name: stem.to_owned(), arity };
        }
        Self { name: name.to_owned(), arity: 0 }
    }
}

/// Spells a type with its arguments, those of the outermost level first. An argument that is missing is
/// spelled as `missing` has it.
pub(super) fn spell(levels: &[Level], args: &[TypeText], missing: impl Fn(usize) -> String) -> TypeText {
    if let [Level { name, .. }] = levels {
        if args.is_empty()
            && let Some(keyword) = keyword(name)
        {
            return TypeText::plain(keyword);
        }
        match (name.as_str(), args) {
            ("System.Nullable", [value]) => return TypeText::plain(format!("{}?", value.as_str())),
            ("System.ValueTuple", [_, _, ..]) => return tuple(args),
            _ => {}
        }
    }
    let (mut text, mut next) = (String::new(), 0);
    for level in levels {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(&level.name);
        if level.arity == 0 {
            continue;
        }
        let own: Vec<String> = (next..next + level.arity)
            .map(|index| args.get(index).map_or_else(|| missing(index), |arg| arg.as_str().to_owned()))
            .collect();
        next += level.arity;
        text.push_str(&format!("<{}>", own.join(", ")));
    }
    TypeText::plain(text)
}

/// A value tuple; the eighth argument of a long one is the tuple of the rest.
fn tuple(args: &[TypeText]) -> TypeText {
    let mut elements: Vec<&str> = args.iter().map(TypeText::as_str).collect();
    if let [first @ .., rest] = elements.as_slice()
        && first.len() == 7
    {
        let rest = match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => Some(inner),
            // A tuple of one is not written with parentheses.
            None => rest.strip_prefix("System.ValueTuple<").and_then(|rest| rest.strip_suffix('>')),
        };
        if let Some(inner) = rest {
            elements = first.to_vec();
            elements.push(inner);
        }
    }
    TypeText::plain(format!("({})", elements.join(", ")))
}

/// The keyword for a built-in type.
pub(super) fn keyword(full_name: &str) -> Option<&'static str> {
    Some(match full_name.strip_prefix("System.")? {
        "Boolean" => "bool",
        "Char" => "char",
        "SByte" => "sbyte",
        "Byte" => "byte",
        "Int16" => "short",
        "UInt16" => "ushort",
        "Int32" => "int",
        "UInt32" => "uint",
        "Int64" => "long",
        "UInt64" => "ulong",
        "IntPtr" => "nint",
        "UIntPtr" => "nuint",
        "Single" => "float",
        "Double" => "double",
        "Decimal" => "decimal",
        "String" => "string",
        "Object" => "object",
        "Void" => "void",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> TypeText {
        TypeText::plain(text)
    }

    fn spelled(names: &[&str], args: &[&str]) -> String {
        let levels: Vec<Level> = names.iter().map(|name| Level::of_metadata(name)).collect();
        let args: Vec<TypeText> = args.iter().map(|arg| plain(arg)).collect();
        spell(&levels, &args, |index| format!("!{index}")).as_str().to_owned()
    }

    #[test]
    fn built_in_types_have_keywords() {
        assert_eq!(spelled(&["System.Int32"], &[]), "int");
        assert_eq!(spelled(&["System.UIntPtr"], &[]), "nuint");
        assert_eq!(spelled(&["System.Guid"], &[]), "System.Guid");
        assert_eq!(spelled(&["My.Int32"], &[]), "My.Int32");
    }

    #[test]
    fn arguments_go_to_the_level_that_declares_them() {
        let dictionary = "System.Collections.Generic.Dictionary`2";
        assert_eq!(
            spelled(&[dictionary, "Enumerator"], &["string", "int"]),
            "System.Collections.Generic.Dictionary<string, int>.Enumerator"
        );
        assert_eq!(spelled(&["Outer`1", "Middle", "Inner`1"], &["A", "B"]), "Outer<A>.Middle.Inner<B>");
        assert_eq!(spelled(&["Outer`1", "Inner`1"], &["A"]), "Outer<A>.Inner<!1>");
    }

    #[test]
    fn a_backtick_is_part_of_a_name_unless_a_number_follows() {
        assert_eq!(Level::of_metadata("Odd`x"), Level { name: "Odd`x".into(), arity: 0 });
        assert_eq!(Level::of_metadata("T`12"), Level { name: "T".into(), arity: 12 });
    }

    #[test]
    fn nullables_and_tuples_have_a_syntax() {
        assert_eq!(spelled(&["System.Nullable`1"], &["int"]), "int?");
        assert_eq!(spelled(&["System.ValueTuple`2"], &["int", "string"]), "(int, string)");
        assert_eq!(spelled(&["System.ValueTuple`1"], &["int"]), "System.ValueTuple<int>");
        assert_eq!(spelled(&["System.ValueTuple"], &[]), "System.ValueTuple");
    }

    #[test]
    fn a_long_tuple_is_one_tuple() {
        let seven = ["a", "b", "c", "d", "e", "f", "g"];
        let with = |rest: &str| {
            let mut args = seven.to_vec();
            args.push(rest);
            spelled(&["System.ValueTuple`8"], &args)
        };
        assert_eq!(with("System.ValueTuple<h>"), "(a, b, c, d, e, f, g, h)");
        assert_eq!(with("(h, i)"), "(a, b, c, d, e, f, g, h, i)");
    }

    #[test]
    fn the_outer_array_is_written_first() {
        assert_eq!(plain("int").array(2).array(1).as_str(), "int[][,]");
        assert_eq!(plain("int").array(1).array(3).as_str(), "int[,,][]");
        assert_eq!(plain("int").pointer().array(1).as_str(), "int*[]");
    }
}
