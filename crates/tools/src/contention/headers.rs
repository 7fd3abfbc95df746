//! Classes that were loaded before the tool was attached, by the headers of their objects.
//!
//! The runtime reports classes as it loads them, and cannot be queried about an address that may be none of a class: the object may have
//! been moved since the event. So the structure that the header refers to is read, checked, and the runtime is queried only about the
//! module in it, which has to be one of the loaded ones, and its type definition.

use std::sync::{Arc, OnceLock};

use argvalues::{Checked, Memory as _};
use corprof::clrnames::TypeName;
use corprof::token::TypeDef;
use corprof::{ModuleId, Names};

/// The .NET versions whose structure is known: `MethodTable` of dotnet/runtime. That of 11 describes itself by its data contracts, with
/// the same values.
const KNOWN: core::ops::RangeInclusive<u16> = 8..=11;

/// The version with another structure: the module is the one that has loaded the class, which for a class with type arguments need not be
/// that of the definition.
const OF_LOADER: u16 = 8;

/// The bits of the first word of a class with type arguments.
const GENERIC: u32 = 0x30;

/// The offsets of the word with the number of the type definition, and of the module.
const NUMBER: usize = 8;
const MODULE: usize = 24;

/// A number that is elsewhere, on the version with the other structure.
const LARGE: u32 = 0xFFFF;

type Structure = [u8; MODULE + size_of::<usize>()];

/// Stands for a type argument: it is not looked for.
const ARGUMENT: &str = "…";

/// Finds the names of classes by the structures of the runtime.
#[derive(Debug)]
pub(super) struct Headers {
    major: u16,
    /// The modules when the tool was attached. The classes of later ones are reported.
    modules: OnceLock<Vec<ModuleId>>,
}

impl Headers {
    pub(super) const fn new(major: u16) -> Self {
        Self { major, modules: OnceLock::new() }
    }

    /// Keeps the modules that are loaded. They are those of the classes that are looked for from now on.
    pub(super) fn attached(&self, names: &Names) {
        // Classes without modules have no names.
        let _ = self.modules.set(names.info().modules().unwrap_or_default());
    }

    /// Returns the name of the class with this header, with `…` for each type argument. On .NET 8 such a class has no name.
    pub(super) fn class(&self, names: &Names, memory: &Checked, header: usize) -> Option<Arc<str>> {
        if !KNOWN.contains(&self.major) || header == 0 {
            return None;
        }
        let mut structure = [0; size_of::<Structure>()];
        memory.read(header, &mut structure).ok()?;
        let (number, module) = definition(&structure, self.major)?;
        let module = *self.modules.get()?.iter().find(|known| known.as_raw() == module)?;
        let name = names.metadata_name(module, TypeDef::from_rid(number)?.into()).ok()?;
        Some(csharp(&name))
    }
}

/// Returns the number of the type definition and the address of the module.
fn definition(structure: &Structure, major: u16) -> Option<(u32, usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(structure.get(at..at + 4)?.try_into().ok()?));
    let module = usize::from_ne_bytes(structure.get(MODULE..)?.try_into().ok()?);
    let number = if major == OF_LOADER {
        let number = word(NUMBER)? >> 16;
        if number == LARGE || word(0)? & GENERIC != 0 {
            return None;
        }
        number
    } else {
        word(NUMBER)? >> 8
    };
    // An array has no definition.
    (number != 0).then_some((number, module))
}

/// Returns the C# name.
fn csharp(name: &str) -> Arc<str> {
    let of_part = |part: &str| part.split_once('`').and_then(|(_, count)| count.parse().ok()).unwrap_or(0);
    let count: usize = name.split('+').map(of_part).sum();
    TypeName::from_metadata(name, &vec![ARGUMENT; count.min(ARGUMENTS)]).into_text()
}

/// The number of type arguments that a name has at most.
const ARGUMENTS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_arguments_left_out() {
        assert_eq!(&*csharp("System.Object"), "object");
        assert_eq!(&*csharp("Shop.Cart+Entry"), "Shop.Cart.Entry");
        assert_eq!(&*csharp("Shop.Cache`2+Entry`1"), "Shop.Cache<…, …>.Entry<…>");
    }

    /// `Attached.Program.Gate` and `Attached.Program.Gate<string>` on .NET 8.0.4, and the first with the flags of later versions.
    #[test]
    fn a_structure_has_its_definition_and_module() {
        let of = |first: u32, number: u32| {
            let mut structure = [0; size_of::<Structure>()];
            structure[..4].copy_from_slice(&first.to_le_bytes());
            structure[8..12].copy_from_slice(&number.to_le_bytes());
            structure[24..].copy_from_slice(&0x7FC2_938A_CEC8_usize.to_ne_bytes());
            structure
        };
        assert_eq!(definition(&of(0x200, 0x0005_4088), 8), Some((5, 0x7FC2_938A_CEC8)));
        assert_eq!(definition(&of(0x210, 0x0006_0081), 8), None);
        assert_eq!(definition(&of(0x200, 0xFFFF_4088), 8), None);
        assert_eq!(definition(&of(0x200, 0x0000_0508), 9), Some((5, 0x7FC2_938A_CEC8)));
        assert_eq!(definition(&of(0x200, 0x0000_0008), 9), None);
    }
}
