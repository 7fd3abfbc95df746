//! Identities of methods and types that outlive the process: the version id of the module, and tokens.

mod mvid;
mod parse;
#[cfg(feature = "serde")]
mod serde_impls;

use core::fmt;

use sigparse::ElementType;
use sigparse::token::{MethodDef, TypeDef};

pub use mvid::Mvid;
pub use parse::IdentityError;

use crate::csharp::csharp_keyword;

/// The identity of a method with its type arguments, which outlives the process.
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
/// parentheses the method's. `?` is an unknown type argument. `element` is the keyword of a type without token: `int`,
/// `string`, `typedref`, `ptr`, `fnptr`; `0x41` for an element type without keyword. Of `int[][,]`, the two-dimensional
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
    /// Its token in that module.
    pub method: MethodDef,
    /// The type arguments of the declaring type, enclosing types' included. Empty for a type that is not
    /// generic, and where they are unknown.
    pub class_args: Vec<TypeIdentity>,
    /// The type arguments of the method.
    pub method_args: Vec<TypeIdentity>,
}

/// The identity of a type argument, which outlives the process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeIdentity {
    /// A type with a definition.
    Defined {
        /// The module that defines it.
        module: Mvid,
        /// Its token in that module.
        type_def: TypeDef,
        /// Its type arguments, enclosing types' included.
        args: Vec<TypeIdentity>,
    },
    /// An array.
    Array {
        /// The element type.
        element: Box<TypeIdentity>,
        /// The number of dimensions, from 1.
        rank: u32,
    },
    /// A pointer.
    Pointer(Box<TypeIdentity>),
    /// A type that is known by its element type code only: `int`, or a pointer.
    Element(ElementType),
    /// An unknown reference type: the runtime's `System.__Canon`.
    Unknown,
}

/// Returns the word for an element type in an identity: C#'s keyword, or one of three others.
fn word(element: ElementType) -> Option<&'static str> {
    match element {
        ElementType::TYPEDBYREF => Some("typedref"),
        ElementType::PTR => Some("ptr"),
        ElementType::FNPTR => Some("fnptr"),
        element => csharp_keyword(element),
    }
}

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
            Self::Element(element) => match word(*element) {
                Some(word) => f.write_str(word),
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
