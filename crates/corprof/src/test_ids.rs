//! Ids of numbers, for unit tests.
//!
//! Contract of the unsafe code here: the tests that use these pass no id to a runtime.
#![allow(unsafe_code)]

use corprof_types::{AssemblyId, ClassId, FunctionId, ModuleId};

macro_rules! ids {
    ($($name:ident: $id:ident;)*) => {$(
        pub(crate) fn $name(raw: usize) -> $id {
            // SAFETY: the contract of this file.
            unsafe { $id::from_raw(raw) }.unwrap()
        }
    )*};
}

ids! { assembly: AssemblyId; class: ClassId; function: FunctionId; module: ModuleId; }
