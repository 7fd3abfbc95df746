//! The classes of the core library that signatures name without a token, as far as they are known. They are never unloaded.

use std::sync::OnceLock;

use argvalues::Primitive;
use corprof::ClassId;

/// A class of the core library that is not generic.
#[derive(Clone, Copy)]
pub(super) enum CoreClass {
    Primitive(Primitive),
    String,
    Canon,
}

/// The names of the primitive types, in the order of [`Primitive::ALL`], and those of the others.
const CORE_NAMES: [&str; Primitive::ALL.len() + 2] = [
    "System.Boolean",
    "System.Char",
    "System.SByte",
    "System.Byte",
    "System.Int16",
    "System.UInt16",
    "System.Int32",
    "System.UInt32",
    "System.Int64",
    "System.UInt64",
    "System.Single",
    "System.Double",
    "System.IntPtr",
    "System.UIntPtr",
    "System.String",
    "System.__Canon",
];

/// The known classes, in the order of [`CORE_NAMES`].
#[derive(Default)]
pub(super) struct CoreClasses([OnceLock<ClassId>; CORE_NAMES.len()]);

impl CoreClass {
    const fn index(self) -> usize {
        match self {
            Self::Primitive(primitive) => primitive as usize,
            Self::String => Primitive::ALL.len(),
            Self::Canon => Primitive::ALL.len() + 1,
        }
    }

    pub(super) fn full_name(self) -> &'static str {
        CORE_NAMES[self.index()]
    }
}

impl CoreClasses {
    pub(super) fn get(&self, which: CoreClass) -> Option<ClassId> {
        self.0.get(which.index())?.get().copied()
    }

    pub(super) fn put(&self, which: CoreClass, class: ClassId) {
        if let Some(known) = self.0.get(which.index()) {
            // Another thread may have found it too.
            let _ = known.set(class);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_type_has_a_name() {
        for primitive in Primitive::ALL {
            let name = CoreClass::Primitive(primitive).full_name();
            assert_eq!(Primitive::from_full_name(name), Some(primitive));
        }
    }
}
