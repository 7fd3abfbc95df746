//! The layouts of payloads, declared field by field.

use crate::runtime_events::payload::{DecodeError, Reader};

/// A part of a payload.
pub(crate) trait Layout<'p>: Sized {
    /// Reads the fields that this version has.
    fn read(from: &mut Reader<'p>, version: u32) -> Result<Self, DecodeError>;
}

impl<'p> Layout<'p> for u32 {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        from.u32()
    }
}

impl<'p> Layout<'p> for u64 {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        from.u64()
    }
}

/// Defines a structure and its [`Layout`].
///
/// Each field has the method of [`Reader`] that reads it. A field `since` a version is an `Option`. Fields to `skip` are not in
/// the structure.
macro_rules! layout {
    ($(#[$meta:meta])* $name:ident $(<$life:lifetime>)? { $($fields:tt)* }) => {
        layout! { @ [$(#[$meta])*] $name [$($life)?] from version [] [] [] $($fields)* }
    };
    (@ $metas:tt $name:ident $life:tt $from:ident $version:ident $fields:tt [$($read:tt)*] $names:tt
        skip $reader:ident $(since $since:literal)?; $($rest:tt)*
    ) => {
        layout! { @ $metas $name $life $from $version $fields
            [$($read)* let _ = layout!(@value $from $version $reader [u32] $(since $since)?);] $names $($rest)*
        }
    };
    (@ $metas:tt $name:ident $life:tt $from:ident $version:ident [$($fields:tt)*] [$($read:tt)*] [$($names:tt)*]
        $(#[$doc:meta])* $field:ident: $type:ty = $reader:ident $(since $since:literal)?; $($rest:tt)*
    ) => {
        layout! { @ $metas $name $life $from $version
            [$($fields)* $(#[$doc])* pub $field: layout!(@type $type $(, $since)?),]
            [$($read)* let $field = layout!(@value $from $version $reader [$type] $(since $since)?);]
            [$($names)* $field,] $($rest)*
        }
    };
    (@ [$($meta:tt)*] $name:ident [$($life:lifetime)?] $from:ident $version:ident
        [$($fields:tt)*] [$($read:tt)*] [$($names:tt)*]
    ) => {
        $($meta)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $(<$life>)? { $($fields)* }

        impl<'p> $crate::runtime_events::layout::Layout<'p> for $name $(<$life>)? {
            #[allow(unused_variables, clippy::let_unit_value, reason = "of a layout without fields or versions")]
            fn read(
                $from: &mut $crate::runtime_events::payload::Reader<'p>,
                $version: u32,
            ) -> Result<Self, $crate::runtime_events::payload::DecodeError> {
                $($read)*
                Ok(Self { $($names)* })
            }
        }
    };
    (@type $type:ty) => { $type };
    (@type $type:ty, $since:literal) => { Option<$type> };
    (@value $from:ident $version:ident $reader:ident [$type:ty]) => { <$type>::from($from.$reader()?) };
    (@value $from:ident $version:ident $reader:ident [$type:ty] since $since:literal) => {
        if $version >= $since { Some(<$type>::from($from.$reader()?)) } else { None }
    };
}

/// Defines a number with named values. Other values are kept.
macro_rules! values {
    ($(#[$meta:meta])* $name:ident($repr:ty) { $($(#[$doc:meta])* $value:ident = $number:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $repr);

        impl $name {
            $($(#[$doc])* pub const $value: Self = Self($number);)*
        }

        impl From<$repr> for $name {
            fn from(value: $repr) -> Self {
                Self(value)
            }
        }
    };
}

/// Defines a number whose bits are flags. Other bits are kept.
macro_rules! flags {
    ($(#[$meta:meta])* $name:ident($repr:ty) { $($rest:tt)* }) => {
        $crate::runtime_events::layout::values! { $(#[$meta])* $name($repr) { $($rest)* } }

        impl $name {
            /// Returns whether all these flags are set.
            #[must_use]
            pub const fn contains(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }
        }
    };
}

pub(crate) use {flags, layout, values};
