//! Generic methods with arguments, constraints, and custom attributes one by one.
#![allow(unsafe_code)]

use core::ptr::null;

use sigparse::token::{CustomAttribute, GenericParam, GenericParamConstraint, MethodSpec};
use sigparse::{MethodDefOrRef, Token, TypeDefOrRef};

use super::{Metadata, import};
use crate::Result;
use crate::info::lent;

/// A generic method with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSpecProps<'m> {
    /// The generic method.
    pub method: Option<MethodDefOrRef>,
    /// Its arguments, for `sigparse::MethodSpecSig`.
    pub signature: &'m [u8],
}

/// What a generic parameter is constrained to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenericParamConstraintProps {
    /// The parameter.
    pub param: Option<GenericParam>,
    /// The type that arguments have to derive from, or to implement.
    pub constraint: Option<TypeDefOrRef>,
}

/// A custom attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomAttributeProps<'m> {
    /// The row that has it.
    pub owner: Token,
    /// The attribute's constructor: a `MethodDef` or `MemberRef`.
    pub constructor: Token,
    /// Its arguments, for `sigparse::AttributeValue`.
    pub value: &'m [u8],
}

impl Metadata {
    /// A generic method with arguments (`IMetaDataImport2::GetMethodSpecProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetMethodSpecProps")]
    pub fn method_spec(&self, token: MethodSpec) -> Result<MethodSpecProps<'_>> {
        let (mut method, mut blob, mut length) = (0, null(), 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport2::GetMethodSpecProps(
                    token.token(),
                    &raw mut method,
                    &raw mut blob,
                    &raw mut length,
                )
            )
        }?;
        Ok(MethodSpecProps {
            method: MethodDefOrRef::from_token(method),
            // SAFETY: the metadata has lent a blob of that length.
            signature: unsafe { lent(blob, length) },
        })
    }

    /// A constraint of a generic parameter (`IMetaDataImport2::GetGenericParamConstraintProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetGenericParamConstraintProps")]
    pub fn generic_param_constraint(
        &self,
        token: GenericParamConstraint,
    ) -> Result<GenericParamConstraintProps> {
        let (mut param, mut constraint) = (0, 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport2::GetGenericParamConstraintProps(
                    token.token(),
                    &raw mut param,
                    &raw mut constraint,
                )
            )
        }?;
        Ok(GenericParamConstraintProps {
            param: GenericParam::from_token(param),
            constraint: TypeDefOrRef::from_token(constraint),
        })
    }

    /// A custom attribute (`IMetaDataImport::GetCustomAttributeProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetCustomAttributeProps")]
    pub fn custom_attribute_props(&self, token: CustomAttribute) -> Result<CustomAttributeProps<'_>> {
        let (mut owner, mut constructor, mut blob, mut length) = (0, 0, null(), 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport::GetCustomAttributeProps(
                    token.token(),
                    &raw mut owner,
                    &raw mut constructor,
                    &raw mut blob,
                    &raw mut length,
                )
            )
        }?;
        // SAFETY: the metadata has lent a blob of that length.
        let value = unsafe { lent(blob.cast(), length) };
        Ok(CustomAttributeProps { owner: Token(owner), constructor: Token(constructor), value })
    }
}
