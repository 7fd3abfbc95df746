//! Names of types, from the way metadata has them to the way C# writes them.

/// The C# name of a type, from its full name in metadata and the names of its type arguments.
///
/// `full_name` has the namespace, then the type and its nested types joined by `+` or `/`, each with a backtick
/// and the number of its own type parameters where it has any. `args` are the arguments of all of them
/// together, as in a signature; too few are shown as what they leave open.
///
/// ```
/// use argvalues::type_name;
///
/// assert_eq!(type_name("System.Int32", &[]), "int");
/// assert_eq!(type_name("Shop.Cart`1+Line`2", &["string", "int", "bool"]), "Shop.Cart<string>.Line<int, bool>");
/// assert_eq!(type_name("System.Nullable`1", &["int"]), "int?");
/// assert_eq!(type_name("System.ValueTuple`2", &["int", "string"]), "(int, string)");
/// ```
#[must_use]
pub fn type_name(full_name: &str, args: &[&str]) -> String {
    if let Some(name) = special(full_name, args) {
        return name;
    }
    let mut out = String::with_capacity(full_name.len() + 16 * args.len());
    let mut rest = args;
    for (index, part) in full_name.split(['+', '/']).enumerate() {
        if index > 0 {
            out.push('.');
        }
        let (name, count) = arity(part);
        out.push_str(name);
        if count == 0 {
            continue;
        }
        let (now, later) = rest.split_at(count.min(rest.len()));
        rest = later;
        out.push('<');
        join(&mut out, now);
        // An argument that is not known leaves its place, as in an open type.
        for missing in now.len()..count {
            if missing > 0 {
                out.push(',');
            }
        }
        out.push('>');
    }
    out
}

/// The name of an array of `element`. The rank goes before the ranks that the element has itself, as C# has it.
pub(crate) fn array(element: &str, rank: usize, vector: bool) -> String {
    let mut base = element;
    while let Some(open) = base.strip_suffix(']').and_then(|inner| inner.rfind('[')) {
        base = &base[..open];
    }
    let mut out = String::with_capacity(element.len() + rank + 2);
    out.push_str(base);
    out.push('[');
    if rank == 1 && !vector {
        out.push('*');
    }
    out.extend(core::iter::repeat_n(',', rank.saturating_sub(1)));
    out.push(']');
    out.push_str(&element[base.len()..]);
    out
}

/// The name of a function pointer: its parameters, then what it returns.
pub(crate) fn function_pointer(unmanaged: bool, types: &[&str]) -> String {
    let mut out = String::from(if unmanaged { "delegate* unmanaged<" } else { "delegate*<" });
    join(&mut out, types);
    out.push('>');
    out
}

fn special(full_name: &str, args: &[&str]) -> Option<String> {
    let name = full_name.strip_prefix("System.")?;
    match (name, args) {
        ("Nullable`1", [of]) => return Some(format!("{of}?")),
        // One element alone has no tuple syntax.
        (_, [_, _, ..])
            if name.strip_prefix("ValueTuple`").is_some_and(|count| count.parse() == Ok(args.len())) =>
        {
            return Some(tuple(args));
        }
        (_, []) => {}
        _ => return None,
    }
    let keyword = match name {
        "Void" => "void",
        "String" => "string",
        "Object" => "object",
        "Decimal" => "decimal",
        _ => crate::shape::Primitive::from_full_name(full_name)?.name(),
    };
    Some(keyword.to_owned())
}

/// A tuple; the eighth argument is a tuple of the others.
fn tuple(args: &[&str]) -> String {
    let mut out = String::from("(");
    match args {
        [head @ .., rest] if head.len() == 7 => {
            join(&mut out, head);
            out.push_str(", ");
            let inner = rest
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
                .or_else(|| rest.strip_prefix("System.ValueTuple<").and_then(|rest| rest.strip_suffix('>')));
            out.push_str(inner.unwrap_or(rest));
        }
        _ => join(&mut out, args),
    }
    out.push(')');
    out
}

fn join(out: &mut String, names: &[&str]) {
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str(name);
    }
}

/// A name without its backtick and number, and the number.
fn arity(part: &str) -> (&str, usize) {
    part.rsplit_once('`')
        .and_then(|(name, count)| Some((name, count.parse().ok().filter(|&count: &usize| count <= 1024)?)))
        .unwrap_or((part, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generics_take_their_arguments_backtick_by_backtick() {
        assert_eq!(
            type_name("System.Collections.Generic.Dictionary`2+Entry", &["string", "int"]),
            "System.Collections.Generic.Dictionary<string, int>.Entry"
        );
        assert_eq!(type_name("A`2", &[]), "A<,>");
        assert_eq!(type_name("A`3", &["int"]), "A<int,,>");
        assert_eq!(type_name("A`99999999999", &[]), "A`99999999999");
        assert_eq!(type_name("<>c__DisplayClass0_0", &[]), "<>c__DisplayClass0_0");
    }

    #[test]
    fn keywords_are_for_the_types_of_the_framework_only() {
        assert_eq!(type_name("System.UIntPtr", &[]), "nuint");
        assert_eq!(type_name("System.Void", &[]), "void");
        assert_eq!(type_name("Shop.Int32", &[]), "Shop.Int32");
        assert_eq!(type_name("System.Guid", &[]), "System.Guid");
    }

    #[test]
    fn long_tuples_are_flat() {
        let seven = ["a", "b", "c", "d", "e", "f", "g"];
        let with = |rest| [&seven[..], &[rest]].concat();
        assert_eq!(type_name("System.ValueTuple`8", &with("(h, i)")), "(a, b, c, d, e, f, g, h, i)");
        assert_eq!(
            type_name("System.ValueTuple`8", &with("System.ValueTuple<h>")),
            "(a, b, c, d, e, f, g, h)"
        );
        assert_eq!(type_name("System.ValueTuple`1", &["int"]), "System.ValueTuple<int>");
        assert_eq!(type_name("System.ValueTuple", &[]), "System.ValueTuple");
    }

    #[test]
    fn ranks_are_written_from_the_outside_in() {
        assert_eq!(array("int", 1, true), "int[]");
        assert_eq!(array("int[]", 2, false), "int[,][]");
        assert_eq!(array("int[,][]", 1, true), "int[][,][]");
        assert_eq!(array("A<int[]>", 3, false), "A<int[]>[,,]");
        assert_eq!(array("int*", 1, true), "int*[]");
    }
}
