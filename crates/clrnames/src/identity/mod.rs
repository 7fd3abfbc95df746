//! What stays the same when a process ends: methods and types by the version id of their module and their
//! token.

mod mvid;
mod parse;
#[cfg(feature = "serde")]
mod serde_impls;

use core::fmt;

use sigparse::ElementType;
use sigparse::token::{MethodDef, TypeDef};

pub use mvid::Mvid;
pub use parse::IdentityError;

/// A method with its type arguments, by what outlives the process.
///
/// As text:
///
/// ```text
/// method = module "!" token [ "<" types ">" ] [ "(" types ")" ]
/// type   = ( module "!" token [ "<" types ">" ] | element | "?" ) { "[" { "," } "]" | "*" }
/// types  = type { "," type }
/// module = 32 hexadecimal digits: the version id, in the order in which GUIDs are written
/// token  = 8 hexadecimal digits
/// ```
///
/// The types in angle brackets are the arguments of the declaring type, enclosing types' first, those in
/// parentheses the method's. `?` is one that is not known. `element` is the word of C# or ECMA-335 for a type
/// that needs no token: `int`, `string`; `0x1b` for one without a word. Of `int[][,]`, the two-dimensional
/// array comes first, as in metadata and unlike in C#.
///
/// ```
/// use clrnames::MethodIdentity;
///
/// let text = "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int[],?>(string)";
/// let method: MethodIdentity = text.parse()?;
/// assert_eq!((method.class_args.len(), method.method_args.len()), (2, 1));
/// assert_eq!(method.to_string(), text);
///
/// // A log has other things in its lines.
/// let (method, rest) = MethodIdentity::parse_prefix("5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123 took 5 ms")?;
/// assert_eq!((method.method.token(), rest), (0x0600_0123, " took 5 ms"));
/// # Ok::<(), clrnames::IdentityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodIdentity {
    /// The module that defines it.
    pub module: Mvid,
    /// Its token there.
    pub method: MethodDef,
    /// The type arguments of the declaring type, enclosing types' included. Empty for a type that is not
    /// generic, and where nothing is known of them.
    pub class_args: Vec<TypeIdentity>,
    /// The type arguments of the method.
    pub method_args: Vec<TypeIdentity>,
}

/// A type argument, by what outlives the process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeIdentity {
    /// A type with a definition.
    Defined {
        /// The module that defines it.
        module: Mvid,
        /// Its token there.
        type_def: TypeDef,
        /// Its type arguments, enclosing types' included.
        args: Vec<TypeIdentity>,
    },
    /// An array.
    Array {
        /// What it is an array of.
        element: Box<TypeIdentity>,
        /// The number of dimensions, from 1.
        rank: u32,
    },
    /// A pointer.
    Pointer(Box<TypeIdentity>),
    /// A type that its element type says all of that is known: `int`; of a pointer, that it is one.
    Element(ElementType),
    /// Not known: what the runtime calls `System.__Canon`.
    Unknown,
}

/// The words for element types.
const WORDS: [(ElementType, &str); 20] = [
    (ElementType::VOID, "void"),
    (ElementType::BOOLEAN, "bool"),
    (ElementType::CHAR, "char"),
    (ElementType::I1, "sbyte"),
    (ElementType::U1, "byte"),
    (ElementType::I2, "short"),
    (ElementType::U2, "ushort"),
    (ElementType::I4, "int"),
    (ElementType::U4, "uint"),
    (ElementType::I8, "long"),
    (ElementType::U8, "ulong"),
    (ElementType::R4, "float"),
    (ElementType::R8, "double"),
    (ElementType::I, "nint"),
    (ElementType::U, "nuint"),
    (ElementType::STRING, "string"),
    (ElementType::OBJECT, "object"),
    (ElementType::TYPEDBYREF, "typedref"),
    (ElementType::PTR, "ptr"),
    (ElementType::FNPTR, "fnptr"),
];

impl fmt::Display for MethodIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}!{:08x}", self.module, self.method.token())?;
        list(f, '<', &self.class_args, '>')?;
        list(f, '(', &self.method_args, ')')
    }
}

impl fmt::Display for TypeIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Defined { module, type_def, args } => {
                write!(f, "{module}!{:08x}", type_def.token())?;
                list(f, '<', args, '>')
            }
            Self::Array { element, rank } => {
                write!(f, "{element}[{}]", ",".repeat(rank.saturating_sub(1) as usize))
            }
            Self::Pointer(target) => write!(f, "{target}*"),
            Self::Element(element) => match WORDS.iter().find(|(known, _)| known == element) {
                Some((_, word)) => f.write_str(word),
                None => write!(f, "0x{:02x}", element.0),
            },
            Self::Unknown => f.write_str("?"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, open: char, types: &[TypeIdentity], close: char) -> fmt::Result {
    if types.is_empty() {
        return Ok(());
    }
    for (index, item) in types.iter().enumerate() {
        let before = if index == 0 { open } else { ',' };
        write!(f, "{before}{item}")?;
    }
    write!(f, "{close}")
}
