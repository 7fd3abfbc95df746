//! Types by name, and what an assembly says of itself and of others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sigparse::Implementation;
use sigparse::token::{AssemblyRef, Table, Token, TypeDef};

use super::Image;
use super::error::Result;
use crate::metadata::Metadata as _;

/// Types by the row of the enclosing type, 0 for those that are not nested, and by a hash of the name: names that are
/// made up to be long are not kept. Where several have the same hash, in the order of the table.
pub(super) type Types = HashMap<(u32, u64), Vec<TypeDef>>;

/// What an assembly is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssemblyName {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
}

/// Where a type is that an assembly exports without defining it in this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// In another assembly: it is forwarded.
    To(AssemblyRef),
    /// Elsewhere: in another module of the assembly, or nested in a type that is exported.
    Elsewhere,
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl<D: AsRef<[u8]>> Image<D> {
    /// What the assembly says of itself whose manifest is in this module; `None` for a module without a
    /// manifest.
    ///
    /// # Errors
    /// That the metadata is malformed.
    pub fn assembly(&self) -> Result<Option<AssemblyName>> {
        match self.count(Table::ASSEMBLY) {
            0 => Ok(None),
            _ => self.assembly_name(Token::new(Table::ASSEMBLY, 1), 1, 7).map(Some),
        }
    }

    /// A reference to another assembly.
    ///
    /// # Errors
    /// That the metadata is malformed, or has no such reference.
    pub fn assembly_ref(&self, token: AssemblyRef) -> Result<AssemblyName> {
        self.assembly_name(token.into(), 0, 6)
    }

    fn assembly_name(&self, token: Token, version: usize, name: usize) -> Result<AssemblyName> {
        let row = self.row(token)?;
        let mut parts = [0; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            *part = u16::try_from(row.cell(version + index)?).unwrap_or(u16::MAX);
        }
        Ok(AssemblyName { name: row.text(name)?.into_owned(), version: parts })
    }

    /// The definition with this name, in `enclosing` for a nested type. The first time, the names of all types
    /// are read.
    ///
    /// # Errors
    /// That the metadata is malformed.
    pub fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        let types = match self.types.get() {
            Some(types) => types,
            None => {
                let read = self.read_types()?;
                self.types.get_or_init(|| read)
            }
        };
        let key = (enclosing.map_or(0, TypeDef::rid), hash(name));
        for type_def in types.get(&key).into_iter().flatten() {
            if self.type_def(*type_def)?.name == name {
                return Ok(Some(*type_def));
            }
        }
        Ok(None)
    }

    fn read_types(&self) -> Result<Types> {
        let mut types = Types::new();
        for type_def in (1..=self.count(Table::TYPE_DEF)).filter_map(TypeDef::from_rid) {
            let props = self.type_def(type_def)?;
            let enclosing = match props.attributes.is_nested() {
                true => self.enclosing_type(type_def)?.map_or(0, TypeDef::rid),
                false => 0,
            };
            types.entry((enclosing, hash(&props.name))).or_default().push(type_def);
        }
        Ok(types)
    }

    /// Where a type is that is not nested, and that the assembly exports under this name without defining it
    /// here.
    ///
    /// # Errors
    /// That the metadata is malformed.
    pub fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        for rid in 1..=self.count(Table::EXPORTED_TYPE) {
            let row = self.row(Token::new(Table::EXPORTED_TYPE, rid))?;
            if name.ends_with(&*row.text(2)?) && row.full_name(2, 3)? == name {
                return Ok(Some(match row.index(4, Implementation::from_coded)? {
                    Some(Implementation::AssemblyRef(to)) => Exported::To(to),
                    _ => Exported::Elsewhere,
                }));
            }
        }
        Ok(None)
    }
}
