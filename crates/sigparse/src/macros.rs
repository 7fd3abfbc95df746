//! The macro behind the open newtypes.

/// An open newtype over a byte: named constants, unknown values survive and print as `0xNN`.
macro_rules! open_u8 {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$cmeta:meta])* $konst:ident = $value:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u8);

        impl $name {
            $( $(#[$cmeta])* pub const $konst: Self = Self($value); )+

            /// The name of the constant, or `None` for a value that has no name.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $( $value => Some(stringify!($konst)), )+
                    _ => None,
                }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.pad(name),
                    None => write!(f, "0x{:02X}", self.0),
                }
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }

        impl From<u8> for $name {
            fn from(value: u8) -> Self {
                Self(value)
            }
        }

        impl From<$name> for u8 {
            fn from(value: $name) -> Self {
                value.0
            }
        }
    };
}

pub(crate) use open_u8;

/// The pattern of [`ElementType::is_leaf`](crate::ElementType::is_leaf).
macro_rules! leaves {
    () => {
        ElementType(0x01..=0x0E)
            | ElementType::TYPEDBYREF
            | ElementType::I
            | ElementType::U
            | ElementType::OBJECT
    };
}

pub(crate) use leaves;
