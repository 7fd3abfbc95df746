//! The rows that names need.

use std::collections::HashMap;

use sigparse::token::{
    EventDef, FieldDef, GenericParam, MemberRef, MethodDef, ParamDef, PropertyDef, Table, Token, TypeDef,
    TypeRef, TypeSpec,
};
use sigparse::{
    CustomAttributeType, ElementType, MemberRefParent, MethodDefOrRef, ResolutionScope, TypeDefOrRef,
    TypeOrMethodDef,
};

use super::image_error::{ImageError, ImageErrorKind, Result};
use super::schema::{CONSTANT, HAS_CUSTOM_ATTRIBUTE_TABLES, METHOD_IMPL, METHOD_SEMANTICS, NESTED_CLASS};
use super::{Image, rows::Row};
use crate::metadata::{
    Accessed, Constant, EventProps, FieldAttributes, FieldProps, GenericParamProps, MemberRefProps, Metadata,
    MethodAttributes, MethodProps, ParamAttributes, ParamProps, PropertyProps, TypeAttributes, TypeDefProps,
    TypeRefProps,
};

/// The type that global functions belong to (II.10.8).
const MODULE_TYPE: u32 = 1;

// Bits of MethodSemantics (II.23.1.12).
const SETTER: u32 = 0x1;
const GETTER: u32 = 0x2;
const ADD: u32 = 0x8;
const REMOVE: u32 = 0x10;
const FIRE: u32 = 0x20;

impl<D: AsRef<[u8]>> Metadata for Image<D> {
    type Error = ImageError;

    fn type_def(&self, token: TypeDef) -> Result<TypeDefProps> {
        let row = self.row(token.into())?;
        Ok(TypeDefProps {
            name: row.full_name(1, 2)?,
            attributes: TypeAttributes::from_bits_retain(row.cell(0)?),
            extends: row.index(3, TypeDefOrRef::from_coded)?,
        })
    }

    fn enclosing_type(&self, token: TypeDef) -> Result<Option<TypeDef>> {
        let Some(nested) = self.first_keyed(NESTED_CLASS, 0, token.rid())? else {
            return Ok(None);
        };
        self.row(Token::new(NESTED_CLASS, nested))?.index(1, TypeDef::from_rid)
    }

    fn extension_groups(&self, type_def: TypeDef) -> Result<Vec<TypeDef>> {
        let groups = match self.extension_groups.get() {
            Some(groups) => groups,
            None => {
                let read = self.read_extension_groups()?;
                self.extension_groups.get_or_init(|| read)
            }
        };
        Ok(groups.get(&type_def.rid()).cloned().unwrap_or_default())
    }

    fn type_ref(&self, token: TypeRef) -> Result<TypeRefProps> {
        let row = self.row(token.into())?;
        Ok(TypeRefProps { name: row.full_name(1, 2)?, scope: row.index(0, ResolutionScope::from_coded)? })
    }

    fn type_spec(&self, token: TypeSpec) -> Result<&[u8]> {
        self.row(token.into())?.blob(0)
    }

    fn generic_params(&self, owner: Token) -> Result<Vec<GenericParam>> {
        let Some(owner) = TypeOrMethodDef::from_token(owner.0) else { return Ok(Vec::new()) };
        let rows = self.keyed(Table::GENERIC_PARAM, 2, owner.coded())?;
        Ok(rows.into_iter().filter_map(GenericParam::from_rid).collect())
    }

    fn generic_param(&self, token: GenericParam) -> Result<GenericParamProps> {
        let row = self.row(token.into())?;
        Ok(GenericParamProps { name: row.text(3)?.into_owned(), index: row.cell(0)? })
    }

    fn method(&self, token: MethodDef) -> Result<MethodProps<'_>> {
        let row = self.row(token.into())?;
        let owner = self.owner(token.rid(), Table::TYPE_DEF, 5)?.filter(|owner| *owner != MODULE_TYPE);
        Ok(MethodProps {
            declaring_type: owner.and_then(TypeDef::from_rid),
            name: row.text(3)?.into_owned(),
            attributes: MethodAttributes::from_bits_retain(row.cell(2)?),
            signature: row.blob(4)?,
        })
    }

    fn methods(&self, type_def: TypeDef) -> Result<Vec<MethodDef>> {
        let rows = self.list(type_def.into(), 5, Table::METHOD_DEF)?;
        Ok(rows.filter_map(MethodDef::from_rid).collect())
    }

    fn methods_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<MethodDef>> {
        let mut named = Vec::new();
        for method in self.methods(type_def)? {
            if self.row(method.into())?.text(3)? == name {
                named.push(method);
            }
        }
        Ok(named)
    }

    fn params(&self, method: MethodDef) -> Result<Vec<ParamDef>> {
        let rows = self.list(method.into(), 5, Table::PARAM)?;
        Ok(rows.filter_map(ParamDef::from_rid).collect())
    }

    fn param(&self, token: ParamDef) -> Result<ParamProps<'_>> {
        let row = self.row(token.into())?;
        Ok(ParamProps {
            name: row.text(2)?.into_owned(),
            sequence: row.cell(1)?,
            attributes: ParamAttributes::from_bits_retain(row.cell(0)?),
            constant: self.constant(token.rid() << 2 | 1)?,
        })
    }

    fn fields(&self, type_def: TypeDef) -> Result<Vec<FieldDef>> {
        let rows = self.list(type_def.into(), 4, Table::FIELD)?;
        Ok(rows.filter_map(FieldDef::from_rid).collect())
    }

    fn field(&self, token: FieldDef) -> Result<FieldProps<'_>> {
        let row = self.row(token.into())?;
        let owner = self.owner(token.rid(), Table::TYPE_DEF, 4)?;
        Ok(FieldProps {
            declaring_type: owner.filter(|owner| *owner != MODULE_TYPE).and_then(TypeDef::from_rid),
            name: row.text(1)?.into_owned(),
            attributes: FieldAttributes::from_bits_retain(row.cell(0)?),
            signature: row.blob(2)?,
            constant: self.constant(token.rid() << 2)?,
        })
    }

    fn custom_attribute(&self, of: Token, name: &str) -> Result<Option<&[u8]>> {
        let Some(tag) = HAS_CUSTOM_ATTRIBUTE_TABLES.iter().position(|table| *table == of.table()) else {
            return Ok(None);
        };
        let key = of.rid() << 5 | u32::try_from(tag).unwrap_or(0);
        for rid in self.keyed(Table::CUSTOM_ATTRIBUTE, 0, key)? {
            let row = self.row(Token::new(Table::CUSTOM_ATTRIBUTE, rid))?;
            if self.is_attribute(&row, name)? {
                return row.blob(2).map(Some);
            }
        }
        Ok(None)
    }

    fn accessed(&self, method: MethodDef) -> Result<Option<Accessed>> {
        let accessors = match self.accessors.get() {
            Some(accessors) => accessors,
            None => {
                let read = self.read_accessors()?;
                self.accessors.get_or_init(|| read)
            }
        };
        Ok(accessors.get(&method.rid()).copied())
    }

    fn property(&self, token: PropertyDef) -> Result<PropertyProps<'_>> {
        let row = self.row(token.into())?;
        let [getter, setter] = self.semantics(token.rid() << 1 | 1, [GETTER, SETTER])?;
        Ok(PropertyProps { name: row.text(1)?.into_owned(), signature: row.blob(2)?, getter, setter })
    }

    fn event(&self, token: EventDef) -> Result<EventProps> {
        let row = self.row(token.into())?;
        let [add, remove, raise] = self.semantics(token.rid() << 1, [ADD, REMOVE, FIRE])?;
        let event_type = row.index(2, TypeDefOrRef::from_coded)?.map_or(Token(0), Token::from);
        Ok(EventProps { name: row.text(1)?.into_owned(), event_type, add, remove, raise })
    }

    fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>> {
        let mut pairs = Vec::new();
        for rid in self.keyed(METHOD_IMPL, 0, type_def.rid())? {
            let row = self.row(Token::new(METHOD_IMPL, rid))?;
            let of = |column| row.index(column, MethodDefOrRef::from_coded);
            if let (Some(body), Some(declaration)) = (of(1)?, of(2)?) {
                pairs.push((body, declaration));
            }
        }
        Ok(pairs)
    }

    fn member_ref(&self, token: MemberRef) -> Result<MemberRefProps<'_>> {
        let row = self.row(token.into())?;
        let parent = row.index(0, MemberRefParent::from_coded)?.map_or(Token(0), Token::from);
        Ok(MemberRefProps { parent, name: row.text(1)?.into_owned(), signature: row.blob(2)? })
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// The constant of a field, parameter or property, by its coded index.
    fn constant(&self, parent: u32) -> Result<Option<Constant<'_>>> {
        let Some(rid) = self.first_keyed(CONSTANT, 1, parent)? else { return Ok(None) };
        let row = self.row(Token::new(CONSTANT, rid))?;
        let [element_type, ..] = row.cell(0)?.to_le_bytes();
        let (element_type, value) = (ElementType(element_type), row.blob(2)?);
        let size = Constant::size(element_type).map_or(value.len(), |size| size as usize);
        match value.get(..size) {
            Some(bytes) => Ok(Some(Constant { element_type, bytes })),
            None => Err(row.error(ImageErrorKind::UnexpectedEnd("a constant"))),
        }
    }

    /// Returns whether a custom attribute is of the type with this name.
    fn is_attribute(&self, row: &Row<'_, D>, name: &str) -> Result<bool> {
        let owner = match row.index(1, CustomAttributeType::from_coded)? {
            Some(CustomAttributeType::MethodDef(constructor)) => {
                self.owner(constructor.rid(), Table::TYPE_DEF, 5)?.map(|rid| Token::new(Table::TYPE_DEF, rid))
            }
            Some(CustomAttributeType::MemberRef(constructor)) => {
                self.row(constructor.into())?.index(0, MemberRefParent::from_coded)?.map(Token::from)
            }
            None => None,
        };
        let Some(owner) = owner else { return Ok(false) };
        if owner.table() != Table::TYPE_DEF && owner.table() != Table::TYPE_REF {
            return Ok(false);
        }
        let owner = self.row(owner)?;
        // Compared in pieces: nothing is put together to be compared.
        let (simple, namespace) = (owner.text(1)?, owner.text(2)?);
        Ok(match name.strip_suffix(&*simple) {
            Some("") => namespace.is_empty(),
            Some(rest) => rest.strip_suffix('.') == Some(&*namespace),
            None => false,
        })
    }

    /// The methods that have these meanings for a property or event, by its coded index.
    fn semantics<const N: usize>(&self, of: u32, meanings: [u32; N]) -> Result<[Option<MethodDef>; N]> {
        let mut methods = [None; N];
        for rid in self.keyed(METHOD_SEMANTICS, 2, of)? {
            let row = self.row(Token::new(METHOD_SEMANTICS, rid))?;
            let meaning = row.cell(0)?;
            for (method, wanted) in methods.iter_mut().zip(meanings) {
                if meaning & wanted != 0 {
                    *method = row.index(1, MethodDef::from_rid)?;
                }
            }
        }
        Ok(methods)
    }

    fn read_extension_groups(&self) -> Result<HashMap<u32, Vec<TypeDef>>> {
        let mut groups: HashMap<u32, Vec<TypeDef>> = HashMap::new();
        for rid in 1..=self.count(NESTED_CLASS) {
            let row = self.row(Token::new(NESTED_CLASS, rid))?;
            let Some(nested) = row.index(0, TypeDef::from_rid)? else { continue };
            if self.row(nested.into())?.text(1)?.starts_with("<G>$") {
                groups.entry(row.cell(1)?).or_default().push(nested);
            }
        }
        Ok(groups)
    }

    fn read_accessors(&self) -> Result<HashMap<u32, Accessed>> {
        let mut accessors = HashMap::new();
        for rid in 1..=self.count(METHOD_SEMANTICS) {
            let row = self.row(Token::new(METHOD_SEMANTICS, rid))?;
            let (method, of) = (row.cell(1)?, row.cell(2)?);
            let accessed = match of & 1 {
                0 => EventDef::from_rid(of >> 1).map(Accessed::Event),
                _ => PropertyDef::from_rid(of >> 1).map(Accessed::Property),
            };
            if let Some(accessed) = accessed {
                accessors.entry(method).or_insert(accessed);
            }
        }
        Ok(accessors)
    }
}
