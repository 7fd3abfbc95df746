//! Ids of the test runtime's own numbers.
//!
//! Contract of the unsafe code here: the model gives its entities these numbers, and is the runtime that they are ids of.
#![allow(unsafe_code)]

use corprof::{AssemblyId, ClassId, FunctionId, ModuleId};

macro_rules! ids {
    ($($name:ident: $id:ident;)*) => {$(
        pub(crate) fn $name(number: usize) -> $id {
            // SAFETY: the contract of this file.
            crate::some(unsafe { $id::from_raw(number) })
        }
    )*};
}

ids! { assembly: AssemblyId; class: ClassId; function: FunctionId; module: ModuleId; }
