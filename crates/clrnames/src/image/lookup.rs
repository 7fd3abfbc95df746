//! Types by name, assembly identities, forwarders.

use sigparse::Implementation;
use sigparse::token::{AssemblyRef, ModuleRef, Table, Token, TypeDef};

use super::Image;
use super::image_error::Result;
use super::type_index::TypeIndex;
use crate::metadata::{AssemblyName, Exported, Manifest, Metadata as _, key_token};

impl<D: AsRef<[u8]>> Manifest for Image<D> {
    /// Returns the type definition with a metadata name. The first call reads the names of all types.
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        let types = match self.types.get() {
            Some(types) => types,
            None => {
                let read = self.read_types()?;
                self.types.get_or_init(|| read)
            }
        };
        for type_def in types.candidates(name, enclosing) {
            if self.type_def(*type_def)?.name == name {
                return Ok(Some(*type_def));
            }
        }
        Ok(None)
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        for rid in 1..=self.count(Table::EXPORTED_TYPE) {
            let row = self.row(Token::new(Table::EXPORTED_TYPE, rid))?;
            if !name.ends_with(&*row.text(2)?) || row.full_name(2, 3)? != name {
                continue;
            }
            return Ok(Some(match row.index(4, Implementation::from_coded)? {
                Some(Implementation::AssemblyRef(target)) => Exported::Forwarded(target),
                Some(Implementation::FileRef(file)) => {
                    Exported::File(self.row(file.into())?.text(1)?.into_owned())
                }
                _ => Exported::Nested,
            }));
        }
        Ok(None)
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>> {
        match self.count(Table::ASSEMBLY) {
            0 => Ok(None),
            _ => self.read_assembly_name(Token::new(Table::ASSEMBLY, 1), [1, 6, 7]).map(Some),
        }
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName> {
        self.read_assembly_name(token.into(), [0, 5, 6])
    }

    fn referenced_module(&self, token: ModuleRef) -> Result<String> {
        Ok(self.row(token.into())?.text(0)?.into_owned())
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Reads an assembly's identity from the columns of its version, key and name.
    fn read_assembly_name(&self, token: Token, [version, key, name]: [usize; 3]) -> Result<AssemblyName> {
        let row = self.row(token)?;
        let mut parts = [0; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            *part = u16::try_from(row.cell(version + index)?).unwrap_or(u16::MAX);
        }
        let key_token = key_token(row.blob(key)?);
        Ok(AssemblyName { name: row.text(name)?.into_owned(), version: parts, key_token })
    }

    fn read_types(&self) -> Result<TypeIndex> {
        let mut types = TypeIndex::default();
        for type_def in (1..=self.count(Table::TYPE_DEF)).filter_map(TypeDef::from_rid) {
            let props = self.type_def(type_def)?;
            let enclosing = match props.attributes.is_nested() {
                true => self.enclosing_type(type_def)?,
                false => None,
            };
            types.add(&props.name, enclosing, type_def);
        }
        Ok(types)
    }
}
