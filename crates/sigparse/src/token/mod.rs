//! Typed metadata tokens (II.22): one newtype for each table that tokens point into.
//!
//! A typed token is never nil and always points into its table, so `Option<TypeDef>` has the size of a `u32`.
//! [`Token`] holds any 32 bits and converts to and from both.

mod coded;

use core::{fmt, num::NonZeroU32};

pub use coded::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    TypeDefOrRef, TypeOrMethodDef,
};

use crate::limits::MAX_RID;
use crate::macros::open_u8;

open_u8! {
    /// A metadata table (II.22): the high byte of a token.
    Table {
        /// `Module`.
        MODULE = 0x00,
        /// `TypeRef`.
        TYPE_REF = 0x01,
        /// `TypeDef`.
        TYPE_DEF = 0x02,
        /// `Field`.
        FIELD = 0x04,
        /// `MethodDef`.
        METHOD_DEF = 0x06,
        /// `Param`.
        PARAM = 0x08,
        /// `InterfaceImpl`.
        INTERFACE_IMPL = 0x09,
        /// `MemberRef`.
        MEMBER_REF = 0x0A,
        /// `CustomAttribute`.
        CUSTOM_ATTRIBUTE = 0x0C,
        /// `DeclSecurity`.
        DECL_SECURITY = 0x0E,
        /// `StandAloneSig`.
        STAND_ALONE_SIG = 0x11,
        /// `Event`.
        EVENT = 0x14,
        /// `Property`.
        PROPERTY = 0x17,
        /// `ModuleRef`.
        MODULE_REF = 0x1A,
        /// `TypeSpec`.
        TYPE_SPEC = 0x1B,
        /// `Assembly`.
        ASSEMBLY = 0x20,
        /// `AssemblyRef`.
        ASSEMBLY_REF = 0x23,
        /// `File`.
        FILE = 0x26,
        /// `ExportedType`.
        EXPORTED_TYPE = 0x27,
        /// `ManifestResource`.
        MANIFEST_RESOURCE = 0x28,
        /// `GenericParam`.
        GENERIC_PARAM = 0x2A,
        /// `MethodSpec`.
        METHOD_SPEC = 0x2B,
        /// `GenericParamConstraint`.
        GENERIC_PARAM_CONSTRAINT = 0x2C,
        /// The user string heap, which is no table but has tokens.
        USER_STRING = 0x70,
    }
}

/// Any metadata token, checked for nothing: a table in the high byte, a row in the others.
///
/// ```
/// use sigparse::token::{MethodDef, Table, Token, TypeDef};
///
/// let token = Token(0x0200_0001);
/// assert_eq!((token.table(), token.rid()), (Table::TYPE_DEF, 1));
/// assert_eq!(TypeDef::try_from(token).unwrap().to_string(), "0x02000001");
/// assert!(MethodDef::try_from(token).is_err());
/// assert_eq!(TypeDef::from_token(0x0200_0000), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Token(pub u32);

impl Token {
    /// The token of a row; the row is cut to its three bytes.
    #[inline]
    pub const fn new(table: Table, rid: u32) -> Self {
        Self((table.0 as u32) << 24 | rid & MAX_RID)
    }

    /// The high byte.
    #[inline]
    pub const fn table(self) -> Table {
        Table((self.0 >> 24) as u8)
    }

    /// The row number, from 1; 0 is nil.
    #[inline]
    pub const fn rid(self) -> u32 {
        self.0 & MAX_RID
    }

    /// Returns whether the row number is 0, whatever the table.
    #[inline]
    pub const fn is_nil(self) -> bool {
        self.rid() == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:08X}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token(0x{:08X})", self.0)
    }
}

impl From<u32> for Token {
    fn from(token: u32) -> Self {
        Self(token)
    }
}

impl From<Token> for u32 {
    fn from(token: Token) -> Self {
        token.0
    }
}

/// A token is nil, or of another table than the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WrongToken(pub Token);

impl fmt::Display for WrongToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nil() {
            write!(f, "token {} is nil", self.0)
        } else {
            write!(f, "token {} of table {} is not of the table asked for", self.0, self.0.table())
        }
    }
}

impl core::error::Error for WrongToken {}

macro_rules! tokens {
    ($( $(#[$meta:meta])* $name:ident = $table:ident, )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The table that these tokens point into.
            pub const TABLE: Table = Table::$table;

            /// The token of a row, or `None` if the row is 0 or beyond three bytes.
            #[inline]
            pub const fn from_rid(rid: u32) -> Option<Self> {
                if rid == 0 || rid > MAX_RID {
                    return None;
                }
                match NonZeroU32::new(Token::new(Self::TABLE, rid).0) {
                    Some(token) => Some(Self(token)),
                    None => None,
                }
            }

            /// The token with this value, or `None` if it is nil or of another table.
            #[inline]
            pub const fn from_token(token: u32) -> Option<Self> {
                if Token(token).table().0 != Self::TABLE.0 {
                    return None;
                }
                Self::from_rid(Token(token).rid())
            }

            /// The value: table in the high byte, row in the others.
            #[inline]
            pub const fn token(self) -> u32 {
                self.0.get()
            }

            /// The row number, from 1.
            #[inline]
            pub const fn rid(self) -> u32 {
                self.0.get() & MAX_RID
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "0x{:08X}", self.token())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "(0x{:08X})"), self.token())
            }
        }

        impl From<$name> for Token {
            fn from(token: $name) -> Self {
                Self(token.token())
            }
        }

        impl From<$name> for u32 {
            fn from(token: $name) -> Self {
                token.token()
            }
        }

        impl TryFrom<Token> for $name {
            type Error = WrongToken;

            fn try_from(token: Token) -> Result<Self, WrongToken> {
                Self::from_token(token.0).ok_or(WrongToken(token))
            }
        }
    )+ };
}

tokens! {
    /// The module itself (II.22.30), `mdModule`.
    ModuleDef = MODULE,
    /// A type of another module (II.22.38), `mdTypeRef`.
    TypeRef = TYPE_REF,
    /// A type of this module (II.22.37), `mdTypeDef`.
    TypeDef = TYPE_DEF,
    /// A field of this module (II.22.15), `mdFieldDef`.
    FieldDef = FIELD,
    /// A method of this module (II.22.26), `mdMethodDef`.
    MethodDef = METHOD_DEF,
    /// A parameter of a method of this module (II.22.33), `mdParamDef`.
    ParamDef = PARAM,
    /// An interface that a type implements (II.22.23), `mdInterfaceImpl`.
    InterfaceImpl = INTERFACE_IMPL,
    /// A member of a type elsewhere or of a constructed type (II.22.25), `mdMemberRef`.
    MemberRef = MEMBER_REF,
    /// A custom attribute (II.22.10), `mdCustomAttribute`.
    CustomAttribute = CUSTOM_ATTRIBUTE,
    /// A security declaration (II.22.11), `mdPermission`.
    DeclSecurity = DECL_SECURITY,
    /// A signature that stands alone (II.22.36), `mdSignature`.
    StandAloneSig = STAND_ALONE_SIG,
    /// An event of this module (II.22.13), `mdEvent`.
    EventDef = EVENT,
    /// A property of this module (II.22.34), `mdProperty`.
    PropertyDef = PROPERTY,
    /// Another module (II.22.31), `mdModuleRef`.
    ModuleRef = MODULE_REF,
    /// A constructed type (II.22.39), `mdTypeSpec`. Its signature is a [`TypeSpecSig`](crate::TypeSpecSig).
    TypeSpec = TYPE_SPEC,
    /// The assembly itself (II.22.2), `mdAssembly`.
    AssemblyDef = ASSEMBLY,
    /// Another assembly (II.22.5), `mdAssemblyRef`.
    AssemblyRef = ASSEMBLY_REF,
    /// A file of the assembly (II.22.19), `mdFile`.
    FileRef = FILE,
    /// A type that the assembly exports or forwards (II.22.14), `mdExportedType`.
    ExportedType = EXPORTED_TYPE,
    /// A resource (II.22.24), `mdManifestResource`.
    ManifestResource = MANIFEST_RESOURCE,
    /// A generic parameter (II.22.20), `mdGenericParam`.
    GenericParam = GENERIC_PARAM,
    /// A generic method with arguments (II.22.29), `mdMethodSpec`. Its signature is a
    /// [`MethodSpecSig`](crate::MethodSpecSig).
    MethodSpec = METHOD_SPEC,
    /// A constraint of a generic parameter (II.22.21), `mdGenericParamConstraint`.
    GenericParamConstraint = GENERIC_PARAM_CONSTRAINT,
    /// A string literal of the code, `mdString`. The row is an offset into the user string heap.
    UserString = USER_STRING,
}
