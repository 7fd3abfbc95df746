//! Reading: `IMetaDataImport2` and `IMetaDataAssemblyImport`.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr::{null, null_mut};
use std::sync::OnceLock;

use clrnames::metadata::{Constant, FieldAttributes, MethodAttributes, ParamAttributes, TypeAttributes};
use corprof_sys as sys;
use corprof_types::{Guid, HResult};
use sigparse::token::{
    AssemblyDef, AssemblyRef, CustomAttribute, DeclSecurity, EventDef, ExportedType, FieldDef, FileRef,
    GenericParam, GenericParamConstraint, InterfaceImpl, ManifestResource, MemberRef, MethodDef, MethodSpec,
    ModuleDef, ModuleRef, ParamDef, PropertyDef, StandAloneSig, TypeDef, TypeRef, TypeSpec, UserString,
};
use sigparse::{ElementType, Implementation, MethodDefOrRef, ResolutionScope, Token, TypeDefOrRef};
use widestring::U16String;

use super::methods::methods;
use super::{Com, Out, findable};
use crate::error::{Error, Result};
use crate::raw::abi::lent;
use crate::raw::buffers::{fill, room_of};
use crate::raw::call::checked;
use crate::raw::interface::{AssemblyImportPtr, EmitPtr, ImportPtr, Unknown};

/// Metadata, for reading.
pub(crate) struct Import {
    import: ImportPtr,
    manifest: OnceLock<Option<AssemblyImportPtr>>,
}

/// The fields with an offset of a type's layout, as rows and offsets; the packing and the size.
pub(crate) struct RawLayout {
    pub(crate) pack: u32,
    pub(crate) size: u32,
    pub(crate) fields: Vec<(FieldDef, u32)>,
}

impl Com<sys::IMetaDataImport> for Import {
    fn com(&self) -> Result<*mut sys::IMetaDataImport> {
        Ok(self.import.as_ptr().cast())
    }
}

impl Com<sys::IMetaDataImport2> for Import {
    fn com(&self) -> Result<*mut sys::IMetaDataImport2> {
        Ok(self.import.as_ptr())
    }
}

impl Com<sys::IMetaDataAssemblyImport> for Import {
    fn com(&self) -> Result<*mut sys::IMetaDataAssemblyImport> {
        let found = self.manifest.get_or_init(|| self.unknown().query().ok());
        found.as_ref().map(AssemblyImportPtr::as_ptr).ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyImport)",
            hresult: HResult::E_NOINTERFACE,
        })
    }
}

methods! { Import:
    // Types.
    fn type_defs() each TypeDef = IMetaDataImport::EnumTypeDefs();
    fn type_refs() each TypeRef = IMetaDataImport::EnumTypeRefs();
    fn type_specs() each TypeSpec = IMetaDataImport::EnumTypeSpecs();
    fn type_def(token: TypeDef) = IMetaDataImport::GetTypeDefProps(token, text, out TypeAttributes, out Option<TypeDefOrRef>);
    fn enclosing_type(token: TypeDef) = IMetaDataImport::GetNestedClassProps(token, out Option<TypeDef>);
    fn type_ref(token: TypeRef) = IMetaDataImport::GetTypeRefProps(token, out Option<ResolutionScope>, text);
    fn type_spec(token: TypeSpec) = IMetaDataImport::GetTypeSpecFromToken(token, blob);
    fn find_type_def(name: &str, enclosing: Option<TypeDef>) = IMetaDataImport::FindTypeDefByName(find name, nil enclosing, out Option<TypeDef>);
    fn find_type_ref(scope: Option<ResolutionScope>, name: &str) = IMetaDataImport::FindTypeRef(nil scope, find name, out Option<TypeRef>);
    fn interface_impls(owner: TypeDef) each InterfaceImpl = IMetaDataImport::EnumInterfaceImpls(owner);
    fn interface_impl(token: InterfaceImpl) = IMetaDataImport::GetInterfaceImplProps(token, out Option<TypeDef>, out Option<TypeDefOrRef>);
    fn generic_params(owner: Token) each GenericParam = IMetaDataImport2::EnumGenericParams(owner);
    fn generic_param(token: GenericParam) = IMetaDataImport2::GetGenericParamProps(token, out u32, null, null, null, text);
    fn generic_param_constraints(param: GenericParam) each GenericParamConstraint = IMetaDataImport2::EnumGenericParamConstraints(param);
    fn generic_param_constraint(token: GenericParamConstraint) = IMetaDataImport2::GetGenericParamConstraintProps(token, out Option<GenericParam>, out Option<TypeDefOrRef>);

    // Members.
    fn members(owner: TypeDef) each Token = IMetaDataImport::EnumMembers(owner);
    fn members_named(owner: TypeDef, name: &str) each Token = IMetaDataImport::EnumMembersWithName(owner, find name);
    fn find_member(owner: TypeDef, name: &str, signature: &[u8]) = IMetaDataImport::FindMember(owner, find name, bytes signature, out Token);
    fn methods(owner: TypeDef) each MethodDef = IMetaDataImport::EnumMethods(owner);
    fn methods_named(owner: TypeDef, name: &str) each MethodDef = IMetaDataImport::EnumMethodsWithName(owner, find name);
    fn find_method(owner: TypeDef, name: &str, signature: &[u8]) = IMetaDataImport::FindMethod(owner, find name, bytes signature, out Option<MethodDef>);
    fn method(token: MethodDef) = IMetaDataImport::GetMethodProps(token, out Option<TypeDef>, text, out MethodAttributes, blob, null, null);
    fn rva(of: Token) = IMetaDataImport::GetRVA(of, out u32, out u32);
    fn unresolved_methods() each MethodDef = IMetaDataImport::EnumUnresolvedMethods();
    fn method_specs(of: Option<Token>) each MethodSpec = IMetaDataImport2::EnumMethodSpecs(nil of);
    fn method_spec(token: MethodSpec) = IMetaDataImport2::GetMethodSpecProps(token, out Option<MethodDefOrRef>, blob);
    fn params(method: MethodDef) each ParamDef = IMetaDataImport::EnumParams(method);
    fn param_at(method: MethodDef, sequence: u32) = IMetaDataImport::GetParamForMethodIndex(method, sequence, out Option<ParamDef>);
    fn param(token: ParamDef) = IMetaDataImport::GetParamProps(token, null, out u32, text, out ParamAttributes, literal);
    fn fields(owner: TypeDef) each FieldDef = IMetaDataImport::EnumFields(owner);
    fn fields_named(owner: TypeDef, name: &str) each FieldDef = IMetaDataImport::EnumFieldsWithName(owner, find name);
    fn find_field(owner: TypeDef, name: &str, signature: &[u8]) = IMetaDataImport::FindField(owner, find name, bytes signature, out Option<FieldDef>);
    fn field(token: FieldDef) = IMetaDataImport::GetFieldProps(token, out Option<TypeDef>, text, out FieldAttributes, blob, literal);
    fn member_refs(parent: Token) each MemberRef = IMetaDataImport::EnumMemberRefs(parent);
    fn find_member_ref(parent: Token, name: &str, signature: &[u8]) = IMetaDataImport::FindMemberRef(parent, find name, bytes signature, out Option<MemberRef>);
    fn member_ref(token: MemberRef) = IMetaDataImport::GetMemberRefProps(token, out Token, text, blob);

    // Properties, events, and what methods are for them.
    fn properties(owner: TypeDef) each PropertyDef = IMetaDataImport::EnumProperties(owner);
    fn property(token: PropertyDef) = IMetaDataImport::GetPropertyProps(token, null, text, null, blob, null, null, null, out Option<MethodDef>, out Option<MethodDef>, null, zero, null);
    fn events(owner: TypeDef) each EventDef = IMetaDataImport::EnumEvents(owner);
    fn event(token: EventDef) = IMetaDataImport::GetEventProps(token, null, text, null, out Token, out Option<MethodDef>, out Option<MethodDef>, out Option<MethodDef>, null, zero, null);
    fn accessed(method: MethodDef) each Token = IMetaDataImport::EnumMethodSemantics(method);
    fn method_semantics(method: MethodDef, of: Token) = IMetaDataImport::GetMethodSemantics(method, of, out u32);

    // Attributes, native code, literals, signatures.
    fn custom_attributes(of: Option<Token>, constructor: Option<Token>) each CustomAttribute = IMetaDataImport::EnumCustomAttributes(nil of, nil constructor);
    fn custom_attribute_props(token: CustomAttribute) = IMetaDataImport::GetCustomAttributeProps(token, out Token, out Token, blob);
    fn permission_sets(of: Token, action: u32) each DeclSecurity = IMetaDataImport::EnumPermissionSets(of, action);
    fn permission_set(token: DeclSecurity) = IMetaDataImport::GetPermissionSetProps(token, out u32, blob);
    fn pinvoke_map(of: Token) = IMetaDataImport::GetPinvokeMap(of, out u32, text, out Option<ModuleRef>);
    fn field_marshal(of: Token) = IMetaDataImport::GetFieldMarshal(of, blob);
    fn user_strings() each UserString = IMetaDataImport::EnumUserStrings();
    fn signatures() each StandAloneSig = IMetaDataImport::EnumSignatures();
    fn signature(token: StandAloneSig) = IMetaDataImport::GetSigFromToken(token, blob);

    // The module and its image.
    fn module_token() = IMetaDataImport::GetModuleFromScope(new ModuleDef);
    fn module_name() = IMetaDataImport::GetScopeProps(text, null);
    fn module_refs() each ModuleRef = IMetaDataImport::EnumModuleRefs();
    fn module_ref(token: ModuleRef) = IMetaDataImport::GetModuleRefProps(token, text);
    fn pe_kind() = IMetaDataImport2::GetPEKind(out u32, out u32);
    fn version_string() = IMetaDataImport2::GetVersionString(text);

    // The manifest.
    fn assembly_token() = IMetaDataAssemblyImport::GetAssemblyFromScope(new AssemblyDef);
    fn assembly(token: AssemblyDef) = IMetaDataAssemblyImport::GetAssemblyProps(token, blob, null, text, version, null);
    fn assembly_refs() each AssemblyRef = IMetaDataAssemblyImport::EnumAssemblyRefs();
    fn assembly_ref(token: AssemblyRef) = IMetaDataAssemblyImport::GetAssemblyRefProps(token, blob, text, version, null, null, null);
    fn files() each FileRef = IMetaDataAssemblyImport::EnumFiles();
    fn file(token: FileRef) = IMetaDataAssemblyImport::GetFileProps(token, text, null, null, null);
    fn exported_types() each ExportedType = IMetaDataAssemblyImport::EnumExportedTypes();
    fn exported_type(token: ExportedType) = IMetaDataAssemblyImport::GetExportedTypeProps(token, text, out Option<Implementation>, out Option<TypeDef>, null);
    fn find_exported_type(name: &str, enclosing: Option<ExportedType>) = IMetaDataAssemblyImport::FindExportedTypeByName(find name, nil enclosing, out Option<ExportedType>);
    fn manifest_resources() each ManifestResource = IMetaDataAssemblyImport::EnumManifestResources();
    fn manifest_resource(token: ManifestResource) = IMetaDataAssemblyImport::GetManifestResourceProps(token, text, out Option<Implementation>, out u32, out u32);
    fn find_manifest_resource(name: &str) = IMetaDataAssemblyImport::FindManifestResourceByName(find name, out Option<ManifestResource>);
}

impl Import {
    pub(crate) fn new(import: ImportPtr) -> Self {
        Self { import, manifest: OnceLock::new() }
    }

    /// The object, which lives as long as `self`.
    pub(super) fn unknown(&self) -> Unknown<'_> {
        self.import.unknown()
    }

    /// Makes the metadata a copy of its own of everything in the module's image, so that it can be used after the
    /// module was unloaded. Does nothing to metadata that has it already.
    ///
    /// The metadata makes that copy before the first change. A change is asked for that it refuses afterwards, because
    /// the method is nil: `IMetaDataEmit::SetRVA` of it leaves every table as it was.
    pub(crate) fn detach(&self) -> Result<()> {
        const CALL: &str = "IMetaDataEmit::SetRVA";
        let emit: EmitPtr = self
            .unknown()
            .query()
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataEmit2)", hresult })?;
        let this: *mut sys::IMetaDataEmit = emit.as_ptr().cast();
        // SAFETY: a live interface, numbers.
        let code = unsafe { ((*(*this).lpVtbl).SetRVA)(this, NIL_METHOD, 0) };
        match HResult(code) {
            HResult::CLDB_E_INDEX_NOTFOUND | HResult::CLDB_E_RECORD_NOTFOUND => Ok(()),
            hresult => Err(Error::Call { call: CALL, hresult }),
        }
    }

    /// `IMetaDataImport::GetScopeProps`.
    pub(crate) fn mvid(&self) -> Result<Guid> {
        let this: *mut sys::IMetaDataImport = self.com()?;
        let mut mvid = *Guid::NIL.as_sys();
        // SAFETY: a live interface, no buffer for the name, a local.
        let code =
            unsafe { ((*(*this).lpVtbl).GetScopeProps)(this, null_mut(), 0, null_mut(), &raw mut mvid) };
        checked("IMetaDataImport::GetScopeProps", code)?;
        Ok(Guid::from_sys(mvid))
    }

    /// `IMetaDataImport::IsValidToken`.
    pub(crate) fn is_valid_token(&self, token: Token) -> bool {
        let this: *mut sys::IMetaDataImport = self.import.as_ptr().cast();
        // SAFETY: a live interface.
        unsafe { ((*(*this).lpVtbl).IsValidToken)(this, token.0) != 0 }
    }

    /// `IMetaDataImport::GetCustomAttributeByName`.
    pub(crate) fn custom_attribute(&self, of: Token, name: &str) -> Result<Option<&[u8]>> {
        const CALL: &str = "IMetaDataImport::GetCustomAttributeByName";
        let this: *mut sys::IMetaDataImport = self.com()?;
        let name = findable(CALL, name)?;
        let (mut data, mut length) = (null(), 0);
        // SAFETY: a live interface, a text with a terminating zero, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetCustomAttributeByName)(
                this,
                of.0,
                name.as_ptr(),
                &raw mut data,
                &raw mut length,
            )
        };
        let found = checked(CALL, code)? == HResult::S_OK;
        // SAFETY: the call succeeded and returned a blob of that length, as the folder's contract argues.
        Ok(found.then(|| unsafe { lent(data.cast(), length) }))
    }

    /// `IMetaDataImport::GetNameFromToken`.
    pub(crate) fn name_of(&self, token: Token) -> Result<&str> {
        let this: *mut sys::IMetaDataImport = self.com()?;
        let mut name = null();
        // SAFETY: a live interface, a local.
        let code = unsafe { ((*(*this).lpVtbl).GetNameFromToken)(this, token.0, &raw mut name) };
        checked("IMetaDataImport::GetNameFromToken", code)?;
        if name.is_null() {
            return Ok("");
        }
        // SAFETY: the call succeeded and returned a text of the heap, which ends with a zero.
        let name = unsafe { CStr::from_ptr(name) };
        name.to_str().map_err(|error| Error::other(format!("the name of {token} is not UTF-8: {error}")))
    }

    /// `IMetaDataImport::GetUserString`.
    pub(crate) fn user_string(&self, token: UserString) -> Result<U16String> {
        const CALL: &str = "IMetaDataImport::GetUserString";
        let this: *mut sys::IMetaDataImport = self.com()?;
        let units = fill(CALL, |buffer: &mut [u16]| {
            let mut needed = 0;
            // SAFETY: a live interface, a buffer with its length, a local.
            let code = unsafe {
                ((*(*this).lpVtbl).GetUserString)(
                    this,
                    token.token(),
                    buffer.as_mut_ptr(),
                    room_of(buffer),
                    &raw mut needed,
                )
            };
            checked(CALL, code).map(|_| needed)
        })?;
        Ok(U16String::from_vec(units.to_vec()))
    }

    /// `IMetaDataImport::GetClassLayout`.
    pub(crate) fn type_layout(&self, type_def: TypeDef) -> Result<RawLayout> {
        const CALL: &str = "IMetaDataImport::GetClassLayout";
        let this: *mut sys::IMetaDataImport = self.com()?;
        let (mut pack, mut size) = (0, 0);
        let fields = fill(CALL, |buffer: &mut [Offset]| {
            let mut count = 0;
            // SAFETY: a live interface, a buffer with its length, whose elements are transparent over the declared
            // ones, and locals.
            let code = unsafe {
                ((*(*this).lpVtbl).GetClassLayout)(
                    this,
                    type_def.token(),
                    &raw mut pack,
                    buffer.as_mut_ptr().cast(),
                    room_of(buffer),
                    &raw mut count,
                    &raw mut size,
                )
            };
            checked(CALL, code).map(|_| count)
        })?;
        let placed = fields.iter().filter(|field| field.0.ulOffset != u32::MAX);
        let fields =
            placed.filter_map(|field| Some((FieldDef::from_token(field.0.ridOfField)?, field.0.ulOffset)));
        Ok(RawLayout { pack, size, fields: fields.collect() })
    }

    /// `IMetaDataImport::EnumMethodImpls`.
    pub(crate) fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>> {
        let this: *mut sys::IMetaDataImport = self.com()?;
        let mut declarations = Vec::new();
        let bodies = self.enumerate(
            None,
            |handle, buffer, count| {
                let mut second = vec![0; buffer.len()];
                // SAFETY: a live interface, the enumerator's handle, two buffers of the same length, a local.
                let code = unsafe {
                    ((*(*this).lpVtbl).EnumMethodImpls)(
                        this,
                        handle,
                        type_def.token(),
                        buffer.as_mut_ptr(),
                        second.as_mut_ptr(),
                        room_of(buffer),
                        count,
                    )
                };
                checked("IMetaDataImport::EnumMethodImpls", code)?;
                declarations.extend(second.into_iter().take(*count as usize));
                Ok(())
            },
            Some,
        )?;
        let pairs = bodies.into_iter().zip(declarations).filter_map(|(body, declaration)| {
            Some((Out::of(body), Out::of(declaration)))
                .and_then(|(a, b): (Option<_>, Option<_>)| Some((a?, b?)))
        });
        Ok(pairs.collect())
    }
}

/// `mdMethodDefNil`.
const NIL_METHOD: u32 = 0x0600_0000;

/// A field's offset, with a default value.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Offset(sys::COR_FIELD_OFFSET);

impl Default for Offset {
    fn default() -> Self {
        Self(sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 })
    }
}

/// A constant that the metadata has returned; `None` when there is none, or one that is shorter than its type.
///
/// The metadata reports the length of strings only. For the others the length prefix is looked at, which stands before
/// the blob: a malformed file may have too few bytes there.
///
/// # Safety
/// `value` is null, or points to the bytes of a blob in a heap, behind its length; of a string `units` UTF-16 units.
/// The heap outlives `'m`.
pub(super) unsafe fn borrowed_constant<'m>(
    element_type: u32,
    value: *const u8,
    units: u32,
) -> Option<Constant<'m>> {
    let [element_type, ..] = element_type.to_le_bytes();
    let element_type = ElementType(element_type);
    if element_type.0 == 0 {
        return None;
    }
    let length = match Constant::size(element_type) {
        None => units.saturating_mul(2),
        Some(_) if value.is_null() => return None,
        Some(0) => 0,
        Some(size) => {
            // SAFETY: the blob has a length before it, of one byte if it is as short as a number. In a longer blob
            // this is some byte of the length, and the blob is longer than a number in any case.
            let prefix = unsafe { value.sub(1).read() };
            if u32::from(prefix) < size {
                return None;
            }
            size
        }
    };
    // SAFETY: as many bytes are there, according to the prefix or the caller.
    Some(Constant { element_type, bytes: unsafe { lent(value, length) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_shorter_than_their_type_are_none() {
        let heap = [0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 9, 9];
        let at = |index: usize| heap[index..].as_ptr();
        // SAFETY: blobs behind their lengths: one of eight bytes, and one of two.
        let (whole, short, string) = unsafe {
            (
                borrowed_constant(ElementType::I8.0.into(), at(2), 0),
                borrowed_constant(ElementType::I8.0.into(), at(11), 0),
                borrowed_constant(ElementType::STRING.0.into(), at(11), 1),
            )
        };
        assert_eq!(whole.map(|constant| constant.bytes), Some(&heap[2..10]));
        assert_eq!(short, None);
        assert_eq!(string.map(|constant| constant.bytes), Some(&[9, 9][..]));
    }
}
