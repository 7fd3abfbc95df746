//! The types that C# has a keyword for.

use sigparse::ElementType;

/// Returns the keyword of C# for an element type that is a whole type; `None` for other element types.
///
/// `TYPEDBYREF` has no keyword and gives `System.TypedReference`.
///
/// ```
/// use clrnames::csharp::csharp_keyword;
/// use sigparse::ElementType;
///
/// assert_eq!(csharp_keyword(ElementType::I), Some("nint"));
/// assert_eq!(csharp_keyword(ElementType::PTR), None);
/// ```
#[must_use]
pub const fn csharp_keyword(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::VOID => "void",
        ElementType::BOOLEAN => "bool",
        ElementType::CHAR => "char",
        ElementType::I1 => "sbyte",
        ElementType::U1 => "byte",
        ElementType::I2 => "short",
        ElementType::U2 => "ushort",
        ElementType::I4 => "int",
        ElementType::U4 => "uint",
        ElementType::I8 => "long",
        ElementType::U8 => "ulong",
        ElementType::R4 => "float",
        ElementType::R8 => "double",
        ElementType::I => "nint",
        ElementType::U => "nuint",
        ElementType::STRING => "string",
        ElementType::OBJECT => "object",
        ElementType::TYPEDBYREF => "System.TypedReference",
        _ => return None,
    })
}

/// Returns the element type that signatures use for a type of the core library (ECMA-335 II.23.1.16).
///
/// ```
/// use clrnames::csharp::element_type;
/// use sigparse::ElementType;
///
/// assert_eq!(element_type("System.IntPtr"), Some(ElementType::I));
/// assert_eq!(element_type("System.Decimal"), None);
/// ```
#[must_use]
pub fn element_type(metadata_name: &str) -> Option<ElementType> {
    Some(match metadata_name.strip_prefix("System.")? {
        "Void" => ElementType::VOID,
        "Boolean" => ElementType::BOOLEAN,
        "Char" => ElementType::CHAR,
        "SByte" => ElementType::I1,
        "Byte" => ElementType::U1,
        "Int16" => ElementType::I2,
        "UInt16" => ElementType::U2,
        "Int32" => ElementType::I4,
        "UInt32" => ElementType::U4,
        "Int64" => ElementType::I8,
        "UInt64" => ElementType::U8,
        "Single" => ElementType::R4,
        "Double" => ElementType::R8,
        "IntPtr" => ElementType::I,
        "UIntPtr" => ElementType::U,
        "String" => ElementType::STRING,
        "Object" => ElementType::OBJECT,
        "TypedReference" => ElementType::TYPEDBYREF,
        _ => return None,
    })
}

/// Returns the keyword of C# for a type of the core library.
pub(super) fn keyword_of(metadata_name: &str) -> Option<&'static str> {
    match metadata_name {
        // The one keyword without an element type.
        "System.Decimal" => Some("decimal"),
        name => element_type(name).and_then(csharp_keyword),
    }
}
