//! The names of types: from the rows of metadata, and composed with type arguments, arrays and pointers.

use core::fmt;
use std::sync::Arc;

use sigparse::{ResolutionScope, TypeDefOrRef};

use super::built_in::keyword_of;
use crate::error::Error;
use crate::limits::{MAX_ARITY, MAX_NESTING};
use crate::metadata::Metadata;

/// The name of a type definition or reference, before generic arguments are filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// The type and its enclosing types, outermost first.
    levels: Vec<Level>,
    /// The name of a type that is not generic. Types are named in many signatures, which share the text.
    name: Option<TypeName>,
    /// The name in the metadata, nested types after a plus: ``Ns.Outer`1+Inner``.
    pub metadata_name: Arc<str>,
    /// The names of the generic parameters, enclosing types' included. Empty for a type reference.
    pub parameters: Vec<String>,
}

/// A type name without its enclosing types, and the number of generic parameters that it adds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Level {
    /// The name without arity, with the namespace on the outermost level.
    name: String,
    arity: usize,
}

impl Level {
    /// Splits a metadata name, which ends in a backtick and the arity if the type is generic (CLS rule 43).
    fn parse(name: &str) -> Self {
        if let Some((stem, digits)) = name.rsplit_once('`')
            && let Ok(arity) = digits.parse()
            && arity <= MAX_ARITY
        {
            return Self { name: in_source(stem), arity };
        }
        Self { name: in_source(name), arity: 0 }
    }
}

/// Returns the name of a type in the source. The name of a type that only its file can name (`file class Hidden`) begins with that of the file
/// and a hash of its path: `Shop.<Program>F4705…90D__Hidden`, which is `Shop.Hidden@Program`, as C#'s compiler writes it in its messages.
pub(crate) fn in_source(name: &str) -> String {
    /// The length of the hash, in hexadecimal digits.
    const HASH: usize = 64;
    let parts = || {
        let (namespace, rest) = name.split_once('<')?;
        let (file, rest) = rest.split_once(">F")?;
        let (hash, rest) = rest.split_at_checked(HASH)?;
        let type_name = rest.strip_prefix("__").filter(|rest| !rest.is_empty())?;
        let is_hash = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && (namespace.is_empty() || namespace.ends_with('.')))
            .then_some((namespace, file, type_name))
    };
    match parts() {
        Some((namespace, file, type_name)) => format!("{namespace}{type_name}@{file}"),
        None => name.to_owned(),
    }
}

impl TypeDefinition {
    /// Parses a metadata name: the namespace, then the type and its nested types joined by `+`, each with a backtick and
    /// its arity if it is generic.
    #[must_use]
    pub fn parse(metadata_name: &str) -> Self {
        let levels = metadata_name.split('+').map(Level::parse).collect();
        Self::new(levels, metadata_name.into(), Vec::new())
    }

    fn new(levels: Vec<Level>, metadata_name: Arc<str>, parameters: Vec<String>) -> Self {
        let mut definition = Self { levels, name: None, metadata_name, parameters };
        if definition.levels.iter().all(|level| level.arity == 0) {
            definition.name = Some(TypeName::with_args(&definition, NO_ARGS, |_| String::new()));
        }
        definition
    }

    /// Reads the name of a definition or reference from the metadata.
    ///
    /// # Errors
    /// [`Error::NotFound`]: the token is a `TypeSpec`, or the type is nested in itself. Any error of the metadata.
    pub fn read<M: Metadata, E>(metadata: &M, token: TypeDefOrRef) -> Result<Self, E>
    where
        E: From<Error> + From<M::Error>,
    {
        let (mut names, mut parameters) = (Vec::new(), Vec::new());
        let mut next = Some(token);
        if let TypeDefOrRef::TypeDef(type_def) = token {
            for parameter in metadata.generic_params(type_def.into())? {
                parameters.push(metadata.generic_param(parameter)?.name);
            }
        }
        while let Some(token) = next {
            if names.len() == MAX_NESTING {
                return Err(Error::NotFound(format!("type {token} is nested in itself")).into());
            }
            let name = match token {
                TypeDefOrRef::TypeDef(type_def) => {
                    let props = metadata.type_def(type_def)?;
                    next = match props.attributes.is_nested() {
                        true => metadata.enclosing_type(type_def)?.map(TypeDefOrRef::TypeDef),
                        false => None,
                    };
                    props.name
                }
                TypeDefOrRef::TypeRef(type_ref) => {
                    let props = metadata.type_ref(type_ref)?;
                    next = match props.scope {
                        Some(ResolutionScope::TypeRef(enclosing)) => Some(TypeDefOrRef::TypeRef(enclosing)),
                        _ => None,
                    };
                    props.name
                }
                TypeDefOrRef::TypeSpec(spec) => {
                    return Err(Error::NotFound(format!("{spec} has no name but a signature")).into());
                }
            };
            names.push(name);
        }
        names.reverse();
        let levels = names.iter().map(|name| Level::parse(name)).collect();
        Ok(Self::new(levels, names.join("+").into(), parameters))
    }

    /// Returns the name in C# without generic arguments: `Ns.Outer.Inner`.
    #[must_use]
    pub fn plain_name(&self) -> String {
        if let [level] = self.levels.as_slice() {
            return level.name.clone();
        }
        let names: Vec<&str> = self.levels.iter().map(|level| level.name.as_str()).collect();
        names.join(".")
    }
}

/// The runtime's placeholder for a reference type argument of shared code.
pub const CANON: &str = "System.__Canon";

/// The arguments of a type that is not generic.
pub(crate) const NO_ARGS: &[TypeName] = &[];

/// The name of a type as C# writes it.
///
/// C# has no syntax for an array of rank 1 that is not a vector; it is written `int[*]`, as System.Reflection does.
///
/// ```
/// use clrnames::TypeName;
///
/// let name = |metadata_name, args: &[&str]| TypeName::from_metadata(metadata_name, args).to_string();
/// assert_eq!(name("System.Int32", &[]), "int");
/// assert_eq!(name("Shop.Cart`1+Line`2", &["string", "int", "bool"]), "Shop.Cart<string>.Line<int, bool>");
/// assert_eq!(name("System.Nullable`1", &["int"]), "int?");
/// assert_eq!(name("System.ValueTuple`2", &["int", "string"]), "(int, string)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeName(Arc<str>);

impl TypeName {
    /// A name that is C#'s already.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the name of a type from its metadata name and the names of its type arguments.
    ///
    /// `metadata_name` has the form of [`TypeDefinition::parse`]. `args` are the arguments of the type and of its
    /// enclosing types together, as in a signature. A parameter without argument is written as `!0`.
    #[must_use]
    pub fn from_metadata(metadata_name: &str, args: &[impl AsRef<str>]) -> Self {
        Self::of(&TypeDefinition::parse(metadata_name), args)
    }

    /// Returns the name of a type with its type arguments, those of the outermost type first.
    ///
    /// A parameter without argument is written by its name, or as `!0` where the definition has no names.
    #[must_use]
    pub fn of(definition: &TypeDefinition, args: &[impl AsRef<str>]) -> Self {
        Self::with_args(definition, args, |index| match definition.parameters.get(index) {
            Some(name) => name.clone(),
            None => format!("!{index}"),
        })
    }

    /// Returns the name of a type with type arguments. A missing one is written as `System.__Canon`.
    pub(crate) fn of_shared(definition: &TypeDefinition, args: &[impl AsRef<str>]) -> Self {
        Self::with_args(definition, args, |_| CANON.to_owned())
    }

    /// Returns the name of a type that declares members: its own name, and not a keyword.
    pub(crate) fn of_container(definition: &TypeDefinition, args: &[impl AsRef<str>]) -> Self {
        match definition.levels.as_slice() {
            [level] if level.arity == 0 => match &definition.name {
                Some(name) if name.as_str() == level.name => name.clone(),
                _ => Self::new(level.name.as_str()),
            },
            _ => Self::of_shared(definition, args),
        }
    }

    fn with_args(
        definition: &TypeDefinition,
        args: &[impl AsRef<str>],
        missing: impl Fn(usize) -> String,
    ) -> Self {
        if let Some(name) = definition.name.as_ref().filter(|_| args.is_empty()) {
            return name.clone();
        }
        if let [level] = definition.levels.as_slice() {
            if args.is_empty()
                && let Some(keyword) = keyword_of(&definition.metadata_name)
            {
                return Self::new(keyword);
            }
            match (level.name.as_str(), args) {
                ("System.Nullable", [value]) => return Self::new(format!("{}?", value.as_ref())),
                ("System.ValueTuple", [_, _, ..]) => return Self::tuple(args),
                _ => {}
            }
        }
        let names: usize = definition.levels.iter().map(|level| level.name.len() + ".<>".len()).sum();
        let values: usize = args.iter().map(|arg| arg.as_ref().len() + ", ".len()).sum();
        let (mut text, mut next) = (String::with_capacity(names + values), 0);
        for level in &definition.levels {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(&level.name);
            for index in next..next + level.arity {
                text.push_str(if index == next { "<" } else { ", " });
                match args.get(index) {
                    Some(arg) => text.push_str(arg.as_ref()),
                    None => text.push_str(&missing(index)),
                }
            }
            if level.arity > 0 {
                text.push('>');
            }
            next += level.arity;
        }
        Self::new(text)
    }

    /// Returns the name of a value tuple. The eighth argument of a long one is the tuple of the other elements.
    fn tuple(args: &[impl AsRef<str>]) -> Self {
        let mut elements: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
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
        Self::new(format!("({})", elements.join(", ")))
    }

    /// Returns the name of the vector of this type: `int[]` (`SZARRAY`).
    #[must_use]
    pub fn vector(&self) -> Self {
        self.with_specifier("[]")
    }

    /// Returns the name of the array of this type with a rank: `int[,]`, or `int[*]` for rank 1 (`ARRAY`).
    #[must_use]
    pub fn array(&self, rank: u32) -> Self {
        match rank {
            0 | 1 => self.with_specifier("[*]"),
            _ => self.with_specifier(&format!("[{}]", ",".repeat(rank as usize - 1))),
        }
    }

    /// Inserts an array specifier in front of those that the name ends in: C# writes the outer array's first, so that
    /// the vector of `int[,]` is `int[][,]`.
    fn with_specifier(&self, specifier: &str) -> Self {
        let mut stem: &str = &self.0;
        while let Some((base, inside)) = stem.strip_suffix(']').and_then(|open| open.rsplit_once('['))
            && inside.bytes().all(|byte| matches!(byte, b',' | b'*'))
        {
            stem = base;
        }
        let specifiers = self.0.get(stem.len()..).unwrap_or_default();
        Self::new(format!("{stem}{specifier}{specifiers}"))
    }

    /// Returns the name of the pointer to this type: `int*`.
    #[must_use]
    pub fn pointer(&self) -> Self {
        Self::new(format!("{}*", self.0))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text, shared.
    #[must_use]
    pub fn into_text(self) -> Arc<str> {
        self.0
    }
}

impl AsRef<str> for TypeName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(metadata_name: &str, args: &[&str]) -> String {
        TypeName::from_metadata(metadata_name, args).to_string()
    }

    #[test]
    fn built_in_types_have_keywords() {
        assert_eq!(name("System.Int32", &[]), "int");
        assert_eq!(name("System.UIntPtr", &[]), "nuint");
        assert_eq!(name("System.Decimal", &[]), "decimal");
        assert_eq!(name("System.Void", &[]), "void");
        assert_eq!(name("System.Guid", &[]), "System.Guid");
        assert_eq!(name("My.Int32", &[]), "My.Int32");
    }

    #[test]
    fn arguments_belong_to_the_level_that_declares_them() {
        assert_eq!(
            name("System.Collections.Generic.Dictionary`2+Enumerator", &["string", "int"]),
            "System.Collections.Generic.Dictionary<string, int>.Enumerator"
        );
        assert_eq!(name("Outer`1+Middle+Inner`1", &["A", "B"]), "Outer<A>.Middle.Inner<B>");
        assert_eq!(name("Outer`1+Inner`1", &["A"]), "Outer<A>.Inner<!1>");
        assert_eq!(name("<>c__DisplayClass0_0", &[]), "<>c__DisplayClass0_0");
    }

    #[test]
    fn nullables_and_tuples_have_a_syntax() {
        assert_eq!(name("System.Nullable`1", &["int"]), "int?");
        assert_eq!(name("System.ValueTuple`2", &["int", "string"]), "(int, string)");
        assert_eq!(name("System.ValueTuple`1", &["int"]), "System.ValueTuple<int>");
        assert_eq!(name("System.ValueTuple", &[]), "System.ValueTuple");
    }

    #[test]
    fn a_long_tuple_is_one_tuple() {
        let with = |rest: &str| name("System.ValueTuple`8", &["a", "b", "c", "d", "e", "f", "g", rest]);
        assert_eq!(with("System.ValueTuple<h>"), "(a, b, c, d, e, f, g, h)");
        assert_eq!(with("(h, i)"), "(a, b, c, d, e, f, g, h, i)");
    }

    #[test]
    fn the_outer_array_is_written_first() {
        let int = TypeName::new("int");
        assert_eq!(int.array(2).vector().as_str(), "int[][,]");
        assert_eq!(int.vector().array(3).as_str(), "int[,,][]");
        assert_eq!(int.array(1).vector().as_str(), "int[][*]");
        assert_eq!(int.array(2).vector().array(3).as_str(), "int[,,][][,]");
        assert_eq!(int.pointer().vector().as_str(), "int*[]");
        assert_eq!(int.vector().pointer().vector().as_str(), "int[]*[]");
        assert_eq!(TypeName::new("A<int[]>").array(3).as_str(), "A<int[]>[,,]");
    }

    fn level(name: &str, arity: usize) -> Level {
        Level { name: name.to_owned(), arity }
    }

    #[test]
    fn a_backtick_is_part_of_a_name_unless_a_number_follows() {
        assert_eq!(Level::parse("Odd`x"), level("Odd`x", 0));
        assert_eq!(Level::parse("T`12"), level("T", 12));
        assert_eq!(Level::parse("T`99999999999"), level("T`99999999999", 0));
    }

    #[test]
    fn nested_types_follow_a_plus() {
        let definition = TypeDefinition::parse("Shop.Cart`1+Line`2");
        assert_eq!(definition.levels, [level("Shop.Cart", 1), level("Line", 2)]);
        assert_eq!(definition.plain_name(), "Shop.Cart.Line");
    }
}
