//! Signatures, custom attributes and marshalling descriptors in the syntax of ILAsm (ECMA-335 II.7.1, II.15.3, II.21,
//! II.7.4).
//!
//! ILAsm writes everything that a signature holds: custom modifiers, array bounds, calling conventions. The names of
//! types come from the caller, through [`Names`]. The `Display` of a signature is ILAsm with tokens for names. For names
//! as C# writes them use the crate `clrnames`.
//!
//! ```
//! use core::fmt;
//! use sigparse::{MethodSig, TypeDefOrRef, ilasm::Names};
//!
//! struct Module;
//!
//! impl Names for Module {
//!     fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn fmt::Write) -> fmt::Result {
//!         match ty.token() {
//!             0x0100_0002 => out.write_str("[lib]Dictionary`2/Entry"),
//!             token => write!(out, "0x{token:08X}"),
//!         }
//!     }
//! }
//!
//! let blob = [0x20, 0x02, 0x1D, 0x08, 0x15, 0x11, 0x09, 0x02, 0x0E, 0x13, 0x00, 0x10, 0x0A];
//! let sig = MethodSig::parse(&blob)?;
//! assert_eq!(
//!     sig.ilasm(&Module).named("M").to_string(),
//!     "instance int32[] M(valuetype [lib]Dictionary`2/Entry<string, !0>, int64&)"
//! );
//! assert_eq!(sig.to_string(), "instance int32[] (valuetype 0x01000002<string, !0>, int64&)");
//! # Ok::<(), sigparse::Error>(())
//! ```
//!
//! Printing does not allocate. A malformed parameter is printed as its error in angle brackets and ends the list.
//!
//! | file | subject |
//! |---|---|
//! | `names` | the source of type names |
//! | `printed` | the `Display` of every kind of signature |
//! | `types` | types, methods, properties, local variables |
//! | `attribute` | custom attributes |
//! | `marshal` | marshalling descriptors |
//! | `literal` | quoted text and numbers |

mod attribute;
mod literal;
mod marshal;
mod names;
mod printed;
mod types;

pub use names::{Names, Tokens};
pub use printed::Printed;
pub use types::keyword;
