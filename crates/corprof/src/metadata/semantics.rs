//! What methods are for: accessors of properties and events, implementations of other methods, members of
//! types elsewhere.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};

use sigparse::token::{EventDef, MemberRef, MethodDef, PropertyDef, TypeDef};
use sigparse::{MethodDefOrRef, Token};
use widestring::U16CString;

use super::enumerate::all;
use super::{Accessed, EventProps, MemberRefProps, Metadata, PropertyProps, import};
use crate::Result;
use crate::info::{fill_wide, lent, room_of};

impl Metadata {
    /// The methods with this name that a type declares (`IMetaDataImport::EnumMethodsWithName`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMethodsWithName")]
    pub fn methods_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<MethodDef>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(Vec::new()) };
        all!(
            self,
            IMetaDataImport::EnumMethodsWithName(type_def.token(), wide.as_ptr()),
            MethodDef::from_token
        )
    }

    /// The methods that a type declares, in order (`IMetaDataImport::EnumMethods`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMethods")]
    pub fn methods(&self, type_def: TypeDef) -> Result<Vec<MethodDef>> {
        all!(self, IMetaDataImport::EnumMethods(type_def.token()), MethodDef::from_token)
    }

    /// The property or event that a method is an accessor of, if it is one
    /// (`IMetaDataImport::EnumMethodSemantics`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMethodSemantics")]
    pub fn accessed(&self, method: MethodDef) -> Result<Option<Accessed>> {
        let found = all!(self, IMetaDataImport::EnumMethodSemantics(method.token()), |token| {
            let property = PropertyDef::from_token(token).map(Accessed::Property);
            property.or_else(|| EventDef::from_token(token).map(Accessed::Event))
        })?;
        Ok(found.first().copied())
    }

    /// A property (`IMetaDataImport::GetPropertyProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetPropertyProps")]
    pub fn property(&self, token: PropertyDef) -> Result<PropertyProps<'_>> {
        let (mut blob, mut length, mut getter, mut setter) = (null(), 0, 0, 0);
        let name = fill_wide("IMetaDataImport::GetPropertyProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length, declared constant by the C header though it is
            // written; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetPropertyProps(
                        token.token(),
                        null_mut(),
                        room.as_mut_ptr().cast_const(),
                        room_of(room),
                        &raw mut needed,
                        null_mut(),
                        &raw mut blob,
                        &raw mut length,
                        null_mut(),
                        null_mut(),
                        null_mut(),
                        &raw mut setter,
                        &raw mut getter,
                        null_mut(),
                        0,
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(PropertyProps {
            name,
            // SAFETY: the metadata has lent a blob of that length.
            signature: unsafe { lent(blob, length) },
            getter: MethodDef::from_token(getter),
            setter: MethodDef::from_token(setter),
        })
    }

    /// An event (`IMetaDataImport::GetEventProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetEventProps")]
    pub fn event(&self, token: EventDef) -> Result<EventProps> {
        let (mut event_type, mut add, mut remove, mut raise) = (0, 0, 0, 0);
        let name = fill_wide("IMetaDataImport::GetEventProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length, declared constant by the C header though it is
            // written; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetEventProps(
                        token.token(),
                        null_mut(),
                        room.as_mut_ptr().cast_const(),
                        room_of(room),
                        &raw mut needed,
                        null_mut(),
                        &raw mut event_type,
                        &raw mut add,
                        &raw mut remove,
                        &raw mut raise,
                        null_mut(),
                        0,
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(EventProps {
            name,
            event_type: Token(event_type),
            add: MethodDef::from_token(add),
            remove: MethodDef::from_token(remove),
            raise: MethodDef::from_token(raise),
        })
    }

    /// What a type says of the methods that it implements under another name: each body with the method that
    /// it is the implementation of (`IMetaDataImport::EnumMethodImpls`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMethodImpls")]
    pub fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>> {
        let mut declarations = Vec::new();
        let bodies = self.enumerate(
            |handle, room, count| {
                let mut piece = vec![0; room.len()];
                // SAFETY: the enumerator's handle, and two buffers of the same length.
                unsafe {
                    import!(
                        self,
                        IMetaDataImport::EnumMethodImpls(
                            handle,
                            type_def.token(),
                            room.as_mut_ptr(),
                            piece.as_mut_ptr(),
                            room_of(room),
                            count,
                        )
                    )
                }?;
                declarations.extend(piece.into_iter().take(*count as usize));
                Ok(())
            },
            Some,
        )?;
        let pairs = bodies.into_iter().zip(declarations).filter_map(|(body, declaration)| {
            Some((MethodDefOrRef::from_token(body)?, MethodDefOrRef::from_token(declaration)?))
        });
        Ok(pairs.collect())
    }

    /// A member of a type elsewhere, or of a constructed type (`IMetaDataImport::GetMemberRefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetMemberRefProps")]
    pub fn member_ref(&self, token: MemberRef) -> Result<MemberRefProps<'_>> {
        let (mut parent, mut blob, mut length) = (0, null(), 0);
        let name = fill_wide("IMetaDataImport::GetMemberRefProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetMemberRefProps(
                        token.token(),
                        &raw mut parent,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut blob,
                        &raw mut length,
                    )
                )
            }?;
            Ok(needed)
        })?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(MemberRefProps { parent: Token(parent), name, signature: unsafe { lent(blob, length) } })
    }
}
