//! Element types: the byte that begins every type (II.23.1.16).

use crate::macros::open_u8;

open_u8! {
    /// The byte that begins every type in a signature (II.23.1.16), without the `ELEMENT_TYPE_` prefix.
    ///
    /// ```
    /// use sigparse::ElementType;
    ///
    /// assert_eq!(ElementType(0x1D), ElementType::SZARRAY);
    /// assert_eq!(ElementType(0x1D).to_string(), "SZARRAY");
    /// assert_eq!(ElementType(0x99).to_string(), "0x99");
    /// ```
    ElementType {
        /// Marks the end of a list; never a type.
        END = 0x00,
        /// `void`.
        VOID = 0x01,
        /// `bool`.
        BOOLEAN = 0x02,
        /// `char`, a UTF-16 code unit.
        CHAR = 0x03,
        /// `sbyte`.
        I1 = 0x04,
        /// `byte`.
        U1 = 0x05,
        /// `short`.
        I2 = 0x06,
        /// `ushort`.
        U2 = 0x07,
        /// `int`.
        I4 = 0x08,
        /// `uint`.
        U4 = 0x09,
        /// `long`.
        I8 = 0x0A,
        /// `ulong`.
        U8 = 0x0B,
        /// `float`.
        R4 = 0x0C,
        /// `double`.
        R8 = 0x0D,
        /// `string`.
        STRING = 0x0E,
        /// An unmanaged pointer; followed by a type.
        PTR = 0x0F,
        /// A managed reference; followed by a type.
        BYREF = 0x10,
        /// A value type; followed by a TypeDefOrRefOrSpecEncoded.
        VALUETYPE = 0x11,
        /// A class or interface; followed by a TypeDefOrRefOrSpecEncoded.
        CLASS = 0x12,
        /// A generic parameter of a type; followed by its number.
        VAR = 0x13,
        /// An array of any rank; followed by the element type and the shape.
        ARRAY = 0x14,
        /// A generic type with arguments; followed by the type, the count and the arguments.
        GENERICINST = 0x15,
        /// A typed reference, `System.TypedReference`.
        TYPEDBYREF = 0x16,
        /// `nint`.
        I = 0x18,
        /// `nuint`.
        U = 0x19,
        /// A function pointer; followed by a full method signature.
        FNPTR = 0x1B,
        /// `object`.
        OBJECT = 0x1C,
        /// A vector: one dimension, lower bound zero; followed by the element type.
        SZARRAY = 0x1D,
        /// A generic parameter of a method; followed by its number.
        MVAR = 0x1E,
        /// A required custom modifier; followed by a TypeDefOrRefOrSpecEncoded.
        CMOD_REQD = 0x1F,
        /// An optional custom modifier; followed by a TypeDefOrRefOrSpecEncoded.
        CMOD_OPT = 0x20,
        /// A type of the running process; followed by a pointer. Never in a file.
        INTERNAL = 0x21,
        /// A custom modifier of the running process; followed by a required flag and a pointer. Never in a file.
        CMOD_INTERNAL = 0x22,
        /// The bit that marks modifiers and what follows them; no type of its own.
        MODIFIER = 0x40,
        /// Separates the fixed arguments of a vararg call from the others.
        SENTINEL = 0x41,
        /// A local variable whose object the collector must not move.
        PINNED = 0x45,
        /// `System.Type`, in custom attributes only (II.23.3).
        CA_TYPE = 0x50,
        /// A boxed value, in custom attributes only (II.23.3).
        CA_BOXED = 0x51,
        /// A field, in custom attributes only (II.23.3).
        CA_FIELD = 0x53,
        /// A property, in custom attributes only (II.23.3).
        CA_PROPERTY = 0x54,
        /// An enumeration, in custom attributes only (II.23.3).
        CA_ENUM = 0x55,
    }
}

/// One bit for every element type that is a whole type in itself.
const LEAVES: u64 = {
    let mut mask = 0u64;
    let mut byte = ElementType::VOID.0;
    while byte <= ElementType::STRING.0 {
        mask |= 1 << byte;
        byte += 1;
    }
    mask | 1 << ElementType::TYPEDBYREF.0
        | 1 << ElementType::I.0
        | 1 << ElementType::U.0
        | 1 << ElementType::OBJECT.0
};

impl ElementType {
    /// Returns whether this byte is a whole type in itself: `void`, the numbers, `char`, `bool`, `string`, `object`
    /// and TYPEDBYREF.
    #[inline]
    pub const fn is_leaf(self) -> bool {
        self.0 < 64 && LEAVES >> self.0 & 1 != 0
    }

    /// Returns whether this byte begins a custom modifier: CMOD_REQD, CMOD_OPT or CMOD_INTERNAL.
    #[inline]
    pub const fn is_modifier(self) -> bool {
        matches!(self, Self::CMOD_REQD | Self::CMOD_OPT | Self::CMOD_INTERNAL)
    }

    /// The size in bytes of a value of this type: of `bool`, `char` and the numbers of fixed size.
    pub const fn fixed_size(self) -> Option<usize> {
        match self {
            Self::BOOLEAN | Self::I1 | Self::U1 => Some(1),
            Self::CHAR | Self::I2 | Self::U2 => Some(2),
            Self::I4 | Self::U4 | Self::R4 => Some(4),
            Self::I8 | Self::U8 | Self::R8 => Some(8),
            _ => None,
        }
    }
}
