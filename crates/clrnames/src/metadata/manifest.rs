//! The metadata for resolving references: types by name, assembly identities, forwarders.

use sigparse::token::{AssemblyRef, ModuleRef, TypeDef};

use super::access::Metadata;
use super::key_token::KeyToken;

/// The identity of an assembly, as far as references compare it (ECMA-335 II.6.2.1, II.6.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssemblyName {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision. A reference with 0.0.0.0 accepts every version.
    pub version: [u16; 4],
    /// The public key token; `None` without strong name. A reference without token accepts every token.
    pub key_token: Option<KeyToken>,
}

impl AssemblyName {
    /// A reference by simple name, which accepts every version and key.
    #[must_use]
    pub fn simple(name: impl Into<String>) -> Self {
        Self { name: name.into(), version: [0; 4], key_token: None }
    }

    /// Returns how well an assembly fits this reference; the least is the best.
    ///
    /// 0: the version of the reference. 1: a higher version. 2: a lower version or another key. 3: another name.
    #[must_use]
    pub fn rank(&self, assembly: &Self) -> u8 {
        if !assembly.name.eq_ignore_ascii_case(&self.name) {
            3
        } else if self.key_token.is_some() && assembly.key_token != self.key_token {
            2
        } else if self.version == [0; 4] || assembly.version == self.version {
            0
        } else if assembly.version > self.version {
            1
        } else {
            2
        }
    }
}

/// The place of a type that an assembly exports without defining it in the module of its manifest (II.22.14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// Another assembly: the type is forwarded.
    Forwarded(AssemblyRef),
    /// Another module of the same assembly, by its file name.
    File(String),
    /// The type is nested in another exported type.
    Nested,
}

/// A module's types by name and its references to other modules, for [`resolve`](crate::resolution::resolve).
///
/// Every method fails for a token that the module does not have, and for malformed metadata.
#[allow(clippy::missing_errors_doc, reason = "the same for all: see above")]
pub trait Manifest: Metadata {
    /// Returns the type definition with a metadata name, in `enclosing` for a nested type.
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>, Self::Error>;

    /// Returns the place of an exported type that is not nested, by its metadata name.
    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>, Self::Error>;

    /// Returns the identity of the assembly whose manifest is in this module; `None` for a module without manifest
    /// (II.22.2).
    fn assembly_name(&self) -> Result<Option<AssemblyName>, Self::Error>;

    /// Returns the identity in a reference to an assembly (II.22.5).
    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName, Self::Error>;

    /// Returns the file name in a reference to another module of the same assembly (II.22.31).
    fn referenced_module(&self, token: ModuleRef) -> Result<String, Self::Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assemblies_are_ranked_by_name_key_and_version() {
        let assembly =
            |version| AssemblyName { version, key_token: Some([1; 8]), ..AssemblyName::simple("A") };
        let reference = assembly([4, 0, 0, 0]);
        assert_eq!(reference.rank(&assembly([4, 0, 0, 0])), 0);
        assert_eq!(reference.rank(&assembly([4, 0, 1, 0])), 1);
        assert_eq!(reference.rank(&assembly([3, 9, 0, 0])), 2);
        assert_eq!(reference.rank(&AssemblyName { key_token: None, ..reference.clone() }), 2);
        assert_eq!(reference.rank(&AssemblyName { name: "B".into(), ..reference.clone() }), 3);
        assert_eq!(AssemblyName::simple("a").rank(&reference), 0);
    }
}
