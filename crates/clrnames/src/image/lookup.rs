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

    /// Returns the exported type with a metadata name. The first call reads the names of all exported types.
    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        let exported = match self.exported.get() {
            Some(exported) => exported,
            None => {
                let read = self.read_exported_types()?;
                self.exported.get_or_init(|| read)
            }
        };
        for rid in exported.candidates(name, None) {
            let row = self.row(Token::new(Table::EXPORTED_TYPE, *rid))?;
            if row.full_name(2, 3)? != name {
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

    fn read_exported_types(&self) -> Result<TypeIndex<u32>> {
        let mut exported = TypeIndex::default();
        for rid in 1..=self.count(Table::EXPORTED_TYPE) {
            let row = self.row(Token::new(Table::EXPORTED_TYPE, rid))?;
            exported.add(&row.full_name(2, 3)?, None, rid);
        }
        Ok(exported)
    }

    fn read_types(&self) -> Result<TypeIndex<TypeDef>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::checked::tests::metadata;
    use crate::image::rows::counted::ROWS;
    use crate::image::schema::NESTED_CLASS;

    /// The rows that are read by looking up a name or a row for each of so many rows, and the same again.
    fn rows_read(count: u16, lookup: impl Fn(&Image<Vec<u8>>, u16), image: Vec<u8>) -> usize {
        let image = Image::of_metadata(image).unwrap();
        let before = ROWS.get();
        (0..2).flat_map(|_| 1..=count).for_each(|number| lookup(&image, number));
        ROWS.get() - before
    }

    /// Each lookup reads a row or two, also where the metadata has no order, once the table has been read.
    #[test]
    fn lookups_in_a_table_of_any_order_take_steps_in_proportion_to_their_number() {
        for count in [100, 200, 400, 800] {
            let number = |number: u16| format!("T{number:05}");
            let mut names = b"\0M\0".to_vec();
            (1..=count).for_each(|it| names.extend(format!("{}\0", number(it)).bytes()));
            let name = |it: u16| 3 + (it - 1) * 7;
            // Every second one in front: none of the tables is in the order of its key, and their metadata says so.
            let mixed: Vec<u16> = (1..=count).rev().step_by(2).chain((1..count).step_by(2)).collect();
            assert_eq!(mixed.len(), usize::from(count));

            // Forwarded to the one assembly.
            let exported: Vec<[u16; 7]> =
                mixed.iter().map(|it| [0, 0, 0, 0, name(*it), 0, 1 << 2 | 1]).collect();
            let rows: Vec<&[u16]> = exported.iter().map(<[u16; 7]>::as_slice).collect();
            let assembly: &[&[u16]] = &[&[0; 10]];
            let image = metadata(&[(0x23, assembly), (0x27, &rows)], &[("#Strings", &names)]);
            let find = |image: &Image<Vec<u8>>, it: u16| {
                let found = image.find_exported_type(&number(it)).unwrap();
                assert!(matches!(found, Some(Exported::Forwarded(_))), "{found:?}");
                assert_eq!(image.find_exported_type("Absent").unwrap(), None);
            };
            let read = rows_read(count, find, image);
            assert!(read <= 4 * usize::from(count), "{read} rows for {count}");

            let types: Vec<[u16; 7]> = (0..count).map(|_| [2, 0, 1, 0, 0, 1, 1]).collect();
            let nested: Vec<[u16; 2]> = mixed.iter().map(|it| [*it, 1]).collect();
            let types: Vec<&[u16]> = types.iter().map(<[u16; 7]>::as_slice).collect();
            let nested: Vec<&[u16]> = nested.iter().map(<[u16; 2]>::as_slice).collect();
            let [table, ..] = NESTED_CLASS.0.to_le_bytes();
            let image = metadata(&[(2, &types), (table, &nested)], &[]);
            let find = |image: &Image<Vec<u8>>, it: u16| {
                let enclosing = image.enclosing_type(TypeDef::from_rid(it.into()).unwrap()).unwrap();
                assert_eq!(enclosing, TypeDef::from_rid(1));
            };
            let read = rows_read(count, find, image);
            assert!(read <= 4 * usize::from(count), "{read} rows for {count}");
        }
    }
}
