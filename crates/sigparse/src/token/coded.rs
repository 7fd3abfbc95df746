//! Coded indexes (II.24.2.6): a row of one of several tables, typed.

use core::fmt;

use super::{
    AssemblyRef, ExportedType, FieldDef, FileRef, MemberRef, MethodDef, ModuleDef, ModuleRef, ParamDef,
    Token, TypeDef, TypeRef, TypeSpec, WrongToken,
};
use crate::limits::MAX_RID;

macro_rules! coded_indexes {
    ($(
        $(#[$meta:meta])*
        $name:ident($bits:literal) {
            $( $(#[$vmeta:meta])* $variant:ident = $tag:literal, )+
        }
    )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( $(#[$vmeta])* $variant($variant), )+
        }

        impl $name {
            /// The bits of the tag.
            pub const TAG_BITS: u32 = $bits;

            /// The meaning of a coded value, or `None` for a tag without a table, row 0, or a row beyond three
            /// bytes.
            #[inline]
            pub const fn from_coded(value: u32) -> Option<Self> {
                let rid = value >> $bits;
                // Once for all tables, and not in each arm.
                if rid == 0 || rid > MAX_RID {
                    return None;
                }
                match value & ((1 << $bits) - 1) {
                    $( $tag => match $variant::from_rid(rid) {
                        Some(row) => Some(Self::$variant(row)),
                        None => None,
                    }, )+
                    _ => None,
                }
            }

            /// The coded value: the row above the tag.
            #[inline]
            pub const fn coded(self) -> u32 {
                match self {
                    $( Self::$variant(row) => row.rid() << $bits | $tag, )+
                }
            }

            /// The meaning of a token, or `None` if it is nil or of a table that is not among these.
            #[inline]
            pub const fn from_token(token: u32) -> Option<Self> {
                let token = Token(token);
                match token.table() {
                    $( $variant::TABLE => match $variant::from_rid(token.rid()) {
                        Some(row) => Some(Self::$variant(row)),
                        None => None,
                    }, )+
                    _ => None,
                }
            }

            /// The token: table in the high byte, row in the others.
            #[inline]
            pub const fn token(self) -> u32 {
                match self {
                    $( Self::$variant(row) => row.token(), )+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&Token(self.token()), f)
            }
        }

        impl From<$name> for Token {
            fn from(index: $name) -> Self {
                Self(index.token())
            }
        }

        impl From<$name> for u32 {
            fn from(index: $name) -> Self {
                index.token()
            }
        }

        impl TryFrom<Token> for $name {
            type Error = WrongToken;

            fn try_from(token: Token) -> Result<Self, WrongToken> {
                Self::from_token(token.0).ok_or(WrongToken(token))
            }
        }

        $( impl From<$variant> for $name {
            fn from(row: $variant) -> Self {
                Self::$variant(row)
            }
        } )+
    )+ };
}

coded_indexes! {
    /// A type in a CLASS, VALUETYPE or custom modifier (II.23.2.8).
    ///
    /// ```
    /// use sigparse::{TypeDefOrRef, TypeRef};
    ///
    /// let ty = TypeDefOrRef::from_coded(0x49).unwrap();
    /// assert_eq!(ty, TypeDefOrRef::TypeRef(TypeRef::from_rid(0x12).unwrap()));
    /// assert_eq!(ty.token(), 0x0100_0012);
    /// assert_eq!(TypeDefOrRef::from_token(0x0100_0012), Some(ty));
    /// ```
    TypeDefOrRef(2) {
        /// A type of this module.
        TypeDef = 0,
        /// A type of another module.
        TypeRef = 1,
        /// A constructed type. Its signature can name a TypeSpec in turn, and in a malformed module itself:
        /// code that follows these has to limit the depth.
        TypeSpec = 2,
    }

    /// The scope of a TypeRef (II.22.38).
    ResolutionScope(2) {
        /// In this module.
        ModuleDef = 0,
        /// In another module of this assembly.
        ModuleRef = 1,
        /// In another assembly.
        AssemblyRef = 2,
        /// Nested in that type.
        TypeRef = 3,
    }

    /// The parent of a MemberRef (II.22.25).
    MemberRefParent(3) {
        /// A type of this module.
        TypeDef = 0,
        /// A type of another module.
        TypeRef = 1,
        /// Another module, whose global member it is.
        ModuleRef = 2,
        /// The vararg method of a call site.
        MethodDef = 3,
        /// A constructed type.
        TypeSpec = 4,
    }

    /// A method (II.24.2.6).
    MethodDefOrRef(1) {
        /// A method of this module.
        MethodDef = 0,
        /// A method elsewhere, or of a constructed type.
        MemberRef = 1,
    }

    /// The constructor of a custom attribute (II.22.10).
    CustomAttributeType(3) {
        /// A constructor of this module.
        MethodDef = 2,
        /// A constructor elsewhere.
        MemberRef = 3,
    }

    /// The owner of a generic parameter (II.22.20).
    TypeOrMethodDef(1) {
        /// A type of this module.
        TypeDef = 0,
        /// A method of this module.
        MethodDef = 1,
    }

    /// The implementation of an exported type (II.22.14).
    Implementation(2) {
        /// In another file of this assembly.
        FileRef = 0,
        /// In another assembly: the type is forwarded.
        AssemblyRef = 1,
        /// Nested in that type.
        ExportedType = 2,
    }

    /// The owner of a marshalling descriptor (II.22.17).
    HasFieldMarshal(1) {
        /// A field.
        FieldDef = 0,
        /// A parameter.
        ParamDef = 1,
    }
}
