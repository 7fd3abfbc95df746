//! The locations of arguments and results in a calling convention.
//!
//! | file | subject |
//! |---|---|
//! | `locate` | the locations of a function, worked out at one of its calls |
//! | `kept` | locations kept with a function |
//! | `assign` | what a convention determines |
//! | `order` | the order of arguments, the same in all conventions |
//! | `sysv` | the System V convention for x86-64, as the runtime has it |
//! | `aapcs64` | the convention for arm64, as the runtime has it |
//! | `microsoft` | Microsoft's convention for x86-64, as the runtime has it |
//! | `returned` | structs returned in registers |

mod aapcs64;
mod assign;
mod kept;
mod locate;
mod microsoft;
mod order;
mod returned;
mod sysv;

pub use kept::FunctionLocations;
pub(crate) use returned::with_result;
