//! Writing: `IMetaDataEmit2` and `IMetaDataAssemblyEmit`.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};
use std::sync::OnceLock;

use clrnames::metadata::Constant;
use corprof_sys as sys;
use corprof_types::HResult;
use sigparse::token::{
    AssemblyDef, AssemblyRef, CustomAttribute, EventDef, ExportedType, FieldDef, FileRef, GenericParam,
    ManifestResource, MemberRef, MethodDef, MethodSpec, ModuleRef, ParamDef, PropertyDef, StandAloneSig,
    TypeDef, TypeRef, TypeSpec, UserString,
};
use sigparse::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    Token, TypeDefOrRef, TypeOrMethodDef,
};
use widestring::U16CStr;

use super::methods::methods;
use super::token_map::TokenMap;
use super::{Com, Import, UNCHANGED, blob_length};
use crate::error::{Error, Result};
use crate::raw::buffers::{fill, room_of, wide};
use crate::raw::call::checked;
use crate::raw::interface::{AssemblyEmitPtr, EmitPtr, ImportPtr};

/// The bytes of saved metadata, and the tokens that have changed, old and new.
pub(crate) type Saved = (Vec<u8>, Vec<(Token, Token)>);

/// Metadata, for writing.
pub(crate) struct Emit {
    emit: EmitPtr,
    manifest: OnceLock<Option<AssemblyEmitPtr>>,
    import: ImportPtr,
}

impl Com<sys::IMetaDataEmit> for Emit {
    fn com(&self) -> Result<*mut sys::IMetaDataEmit> {
        Ok(self.emit.as_ptr().cast())
    }
}

impl Com<sys::IMetaDataEmit2> for Emit {
    fn com(&self) -> Result<*mut sys::IMetaDataEmit2> {
        Ok(self.emit.as_ptr())
    }
}

impl Com<sys::IMetaDataAssemblyEmit> for Emit {
    fn com(&self) -> Result<*mut sys::IMetaDataAssemblyEmit> {
        let found = self.manifest.get_or_init(|| self.emit.unknown().query().ok());
        found.as_ref().map(AssemblyEmitPtr::as_ptr).ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyEmit)",
            hresult: HResult::E_NOINTERFACE,
        })
    }
}

methods! { Emit:
    fn set_module_name(name: &str) = IMetaDataEmit::SetModuleProps(wide name);

    // Types.
    fn define_type_def(name: &str, flags: u32, extends: Option<TypeDefOrRef>, implements: &[TypeDefOrRef]) = IMetaDataEmit::DefineTypeDef(wide name, flags, row? extends, rows implements, new TypeDef);
    fn define_nested_type(enclosing: TypeDef, name: &str, flags: u32, extends: Option<TypeDefOrRef>, implements: &[TypeDefOrRef]) = IMetaDataEmit::DefineNestedType(wide name, flags, row? extends, rows implements, row enclosing, new TypeDef);
    fn set_type_def(token: TypeDef, flags: Option<u32>, extends: Option<TypeDefOrRef>, implements: Option<&[TypeDefOrRef]>) = IMetaDataEmit::SetTypeDefProps(row token, set flags, set_row extends, rows? implements);
    fn delete_type_layout(owner: TypeDef) = IMetaDataEmit::DeleteClassLayout(row owner);
    fn define_generic_param(owner: TypeOrMethodDef, index: u32, flags: u32, name: &str, constraints: &[TypeDefOrRef]) = IMetaDataEmit2::DefineGenericParam(row owner, index, flags, wide name, zero, rows constraints, new GenericParam);

    // Members.
    fn define_method(owner: TypeDef, name: &str, flags: u32, signature: &[u8], rva: u32, impl_flags: u32) = IMetaDataEmit::DefineMethod(row owner, wide name, flags, bytes signature, rva, impl_flags, new MethodDef);
    fn set_method(token: MethodDef, flags: Option<u32>, rva: Option<u32>, impl_flags: Option<u32>) = IMetaDataEmit::SetMethodProps(row token, set flags, set rva, set impl_flags);
    fn set_method_impl_flags(token: MethodDef, flags: u32) = IMetaDataEmit::SetMethodImplFlags(row token, flags);
    fn set_method_rva(token: MethodDef, rva: u32) = IMetaDataEmit::SetRVA(row token, rva);
    fn define_method_impl(owner: TypeDef, body: MethodDefOrRef, declaration: MethodDefOrRef) = IMetaDataEmit::DefineMethodImpl(row owner, row body, row declaration);
    fn define_field(owner: TypeDef, name: &str, flags: u32, signature: &[u8], value: Option<Constant<'_>>) = IMetaDataEmit::DefineField(row owner, wide name, flags, bytes signature, constant value, new FieldDef);
    fn set_field(token: FieldDef, flags: Option<u32>, value: Option<Constant<'_>>) = IMetaDataEmit::SetFieldProps(row token, set flags, constant value);
    fn set_field_rva(token: FieldDef, rva: u32) = IMetaDataEmit::SetFieldRVA(row token, rva);
    fn define_param(method: MethodDef, sequence: u32, name: Option<&str>, flags: u32, value: Option<Constant<'_>>) = IMetaDataEmit::DefineParam(row method, sequence, wide? name, flags, constant value, new ParamDef);
    fn set_param(token: ParamDef, name: Option<&str>, flags: Option<u32>, value: Option<Constant<'_>>) = IMetaDataEmit::SetParamProps(row token, wide? name, set flags, constant value);
    fn define_property(owner: TypeDef, name: &str, flags: u32, signature: &[u8], value: Option<Constant<'_>>, setter: Option<MethodDef>, getter: Option<MethodDef>, others: &[MethodDef]) = IMetaDataEmit::DefineProperty(row owner, wide name, flags, bytes signature, constant value, row? setter, row? getter, rows others, new PropertyDef);
    fn set_property(token: PropertyDef, flags: Option<u32>, value: Option<Constant<'_>>, setter: Option<MethodDef>, getter: Option<MethodDef>, others: Option<&[MethodDef]>) = IMetaDataEmit::SetPropertyProps(row token, set flags, constant value, set_row setter, set_row getter, rows? others);
    fn define_event(owner: TypeDef, name: &str, flags: u32, event_type: Option<TypeDefOrRef>, add: MethodDef, remove: MethodDef, raise: Option<MethodDef>, others: &[MethodDef]) = IMetaDataEmit::DefineEvent(row owner, wide name, flags, row? event_type, row add, row remove, row? raise, rows others, new EventDef);
    fn set_event(token: EventDef, flags: Option<u32>, event_type: Option<TypeDefOrRef>, add: Option<MethodDef>, remove: Option<MethodDef>, raise: Option<MethodDef>, others: Option<&[MethodDef]>) = IMetaDataEmit::SetEventProps(row token, set flags, row? event_type, row? add, row? remove, row? raise, rows? others);

    // References, signatures, literals.
    fn define_type_ref(scope: ResolutionScope, name: &str) = IMetaDataEmit::DefineTypeRefByName(row scope, wide name, new TypeRef);
    fn define_member_ref(parent: MemberRefParent, name: &str, signature: &[u8]) = IMetaDataEmit::DefineMemberRef(row parent, wide name, bytes signature, new MemberRef);
    fn set_member_ref_parent(token: MemberRef, parent: MemberRefParent) = IMetaDataEmit::SetParent(row token, row parent);
    fn define_module_ref(name: &str) = IMetaDataEmit::DefineModuleRef(wide name, new ModuleRef);
    fn define_type_spec(signature: &[u8]) = IMetaDataEmit::GetTokenFromTypeSpec(bytes signature, new TypeSpec);
    fn define_signature(signature: &[u8]) = IMetaDataEmit::GetTokenFromSig(bytes signature, new StandAloneSig);
    fn define_method_spec(method: MethodDefOrRef, arguments: &[u8]) = IMetaDataEmit2::DefineMethodSpec(row method, bytes arguments, new MethodSpec);

    // What is attached to rows.
    fn define_custom_attribute(owner: Token, constructor: CustomAttributeType, value: &[u8]) = IMetaDataEmit::DefineCustomAttribute(row owner, row constructor, bytes value, new CustomAttribute);
    fn set_custom_attribute_value(token: CustomAttribute, value: &[u8]) = IMetaDataEmit::SetCustomAttributeValue(row token, bytes value);
    fn set_field_marshal(of: HasFieldMarshal, descriptor: &[u8]) = IMetaDataEmit::SetFieldMarshal(row of, bytes descriptor);
    fn delete_field_marshal(of: HasFieldMarshal) = IMetaDataEmit::DeleteFieldMarshal(row of);
    fn define_pinvoke_map(of: Token, flags: u32, name: &str, module: ModuleRef) = IMetaDataEmit::DefinePinvokeMap(row of, flags, wide name, row module);
    fn set_pinvoke_map(of: Token, flags: Option<u32>, name: Option<&str>, module: Option<ModuleRef>) = IMetaDataEmit::SetPinvokeMap(row of, set flags, wide? name, row? module);
    fn delete_pinvoke_map(of: Token) = IMetaDataEmit::DeletePinvokeMap(row of);

    // The manifest.
    fn define_assembly(key: &[u8], hash_algorithm: u32, name: &str, version: [u16; 4], culture: &str, flags: u32) = IMetaDataAssemblyEmit::DefineAssembly(bytes key, hash_algorithm, wide name, identity version culture, flags, new AssemblyDef);
    fn set_assembly(token: AssemblyDef, key: &[u8], hash_algorithm: u32, name: &str, version: [u16; 4], culture: &str, flags: u32) = IMetaDataAssemblyEmit::SetAssemblyProps(row token, bytes key, hash_algorithm, wide name, identity version culture, flags);
    fn define_assembly_ref(key: &[u8], name: &str, version: [u16; 4], culture: &str, flags: u32) = IMetaDataAssemblyEmit::DefineAssemblyRef(bytes key, wide name, identity version culture, null, zero, flags, new AssemblyRef);
    fn set_assembly_ref(token: AssemblyRef, key: &[u8], name: &str, version: [u16; 4], culture: &str, flags: u32) = IMetaDataAssemblyEmit::SetAssemblyRefProps(row token, bytes key, wide name, identity version culture, null, zero, flags);
    fn define_file(name: &str, hash: &[u8], flags: u32) = IMetaDataAssemblyEmit::DefineFile(wide name, bytes hash, flags, new FileRef);
    fn set_file(token: FileRef, hash: &[u8], flags: u32) = IMetaDataAssemblyEmit::SetFileProps(row token, bytes hash, flags);
    fn define_exported_type(name: &str, implementation: Implementation, type_def: Option<TypeDef>, flags: u32) = IMetaDataAssemblyEmit::DefineExportedType(wide name, row implementation, nil type_def, flags, new ExportedType);
    fn set_exported_type(token: ExportedType, implementation: Implementation, type_def: Option<TypeDef>, flags: u32) = IMetaDataAssemblyEmit::SetExportedTypeProps(row token, row implementation, nil type_def, flags);
    fn define_manifest_resource(name: &str, implementation: Option<Implementation>, offset: u32, flags: u32) = IMetaDataAssemblyEmit::DefineManifestResource(wide name, row? implementation, offset, flags, new ManifestResource);
    fn set_manifest_resource(token: ManifestResource, implementation: Option<Implementation>, offset: u32, flags: u32) = IMetaDataAssemblyEmit::SetManifestResourceProps(row token, row? implementation, offset, flags);
}

impl Emit {
    pub(crate) fn new(emit: EmitPtr) -> Result<Self> {
        let import = emit
            .unknown()
            .query::<ImportPtr>()
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataImport2)", hresult })?;
        Ok(Self { emit, manifest: OnceLock::new(), import })
    }

    /// The same metadata, for reading.
    pub(crate) fn import(&self) -> Import {
        Import::new(self.import.clone())
    }

    /// A token that is written: the row must exist. The metadata does not check it.
    fn row(&self, call: &'static str, row: impl Into<Token>) -> Result<u32> {
        let token: u32 = row.into().0;
        let this: *mut sys::IMetaDataImport = self.import.as_ptr().cast();
        // SAFETY: a live interface.
        if unsafe { ((*(*this).lpVtbl).IsValidToken)(this, token) } == 0 {
            return Err(Error::Call { call, hresult: HResult::CLDB_E_RECORD_NOTFOUND });
        }
        Ok(token)
    }

    /// A list of tokens that are written, with a nil token behind.
    fn rows<T: Into<Token> + Copy>(&self, call: &'static str, rows: &[T]) -> Result<Vec<u32>> {
        rows.iter().map(|row| self.row(call, *row)).chain([Ok(0)]).collect()
    }

    /// `IMetaDataEmit::DefineUserString`.
    pub(crate) fn define_user_string(&self, units: &[u16]) -> Result<UserString> {
        const CALL: &str = "IMetaDataEmit::DefineUserString";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        // Two bytes a unit, and one behind: more does not fit into a blob, and overflows before that is noticed.
        let length = blob_length(CALL, bytes_of(units))? / 2;
        let mut token = 0;
        // SAFETY: a live interface, a text with its length, a local.
        let code =
            unsafe { ((*(*this).lpVtbl).DefineUserString)(this, units.as_ptr(), length, &raw mut token) };
        checked(CALL, code)?;
        UserString::from_token(token).ok_or(Error::Null { call: CALL, what: "token" })
    }

    /// `IMetaDataEmit::SetClassLayout`.
    pub(crate) fn set_type_layout(
        &self,
        owner: TypeDef,
        pack: u32,
        size: u32,
        fields: &[(FieldDef, u32)],
    ) -> Result<()> {
        const CALL: &str = "IMetaDataEmit::SetClassLayout";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let owner = self.row(CALL, owner)?;
        let mut offsets = Vec::with_capacity(fields.len() + 1);
        for (field, offset) in fields {
            self.row(CALL, *field)?;
            // Rows, whatever the name of the type says, and not tokens.
            offsets.push(sys::COR_FIELD_OFFSET { ridOfField: field.rid(), ulOffset: *offset });
        }
        offsets.push(sys::COR_FIELD_OFFSET { ridOfField: NIL_FIELD, ulOffset: 0 });
        // SAFETY: a live interface, a list with a nil token behind.
        let code =
            unsafe { ((*(*this).lpVtbl).SetClassLayout)(this, owner, pack, offsets.as_mut_ptr(), size) };
        checked(CALL, code).map(drop)
    }

    /// `IMetaDataEmit2::SetGenericParamProps`, for which the metadata takes no lock: nothing else has the metadata.
    pub(crate) fn set_generic_param(
        &mut self,
        token: GenericParam,
        flags: Option<u32>,
        name: Option<&str>,
        constraints: Option<&[TypeDefOrRef]>,
    ) -> Result<()> {
        const CALL: &str = "IMetaDataEmit2::SetGenericParamProps";
        let this: *mut sys::IMetaDataEmit2 = self.com()?;
        let token = self.row(CALL, token)?;
        let name = name.map(wide).transpose()?;
        let mut constraints = constraints.map(|rows| self.rows(CALL, rows)).transpose()?;
        // SAFETY: a live interface; a text with a terminating zero or none, a list with a nil token behind or none.
        let code = unsafe {
            ((*(*this).lpVtbl).SetGenericParamProps)(
                this,
                token,
                flags.unwrap_or(UNCHANGED),
                name.as_ref().map_or(null(), |name| name.as_ptr()),
                0,
                constraints.as_mut().map_or(null_mut(), |rows| rows.as_mut_ptr()),
            )
        };
        checked(CALL, code).map(drop)
    }

    /// `IMetaDataEmit::DefineImportType`. Nothing edits `module` and `manifest` meanwhile: they are read without lock.
    pub(crate) fn import_type(
        &self,
        module: &Import,
        manifest: &Import,
        type_def: TypeDef,
    ) -> Result<TypeRef> {
        const CALL: &str = "IMetaDataEmit::DefineImportType";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let (module, manifest, own) = (module.com()?, manifest.com()?, self.com()?);
        let mut token = 0;
        // SAFETY: live interfaces of the runtime's metadata, no hash, a local.
        let code = unsafe {
            ((*(*this).lpVtbl).DefineImportType)(
                this,
                manifest,
                null(),
                0,
                module,
                type_def.token(),
                own,
                &raw mut token,
            )
        };
        checked(CALL, code)?;
        TypeRef::from_token(token).ok_or(Error::Null { call: CALL, what: "token" })
    }

    /// `IMetaDataEmit::DefineImportMember`. Nothing edits `module` and `manifest` meanwhile; the member's signature is
    /// well formed.
    pub(crate) fn import_member(
        &self,
        module: &Import,
        manifest: &Import,
        member: Token,
        parent: MemberRefParent,
    ) -> Result<MemberRef> {
        const CALL: &str = "IMetaDataEmit::DefineImportMember";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let parent = self.row(CALL, parent)?;
        let (module, manifest, own) = (module.com()?, manifest.com()?, self.com()?);
        let mut token = 0;
        // SAFETY: live interfaces of the runtime's metadata, no hash, a local.
        let code = unsafe {
            ((*(*this).lpVtbl).DefineImportMember)(
                this,
                manifest,
                null(),
                0,
                module,
                member.0,
                own,
                parent,
                &raw mut token,
            )
        };
        checked(CALL, code)?;
        MemberRef::from_token(token).ok_or(Error::Null { call: CALL, what: "token" })
    }

    /// `IMetaDataEmit::TranslateSigWithScope`. Nothing edits `module` and `manifest` meanwhile; the signature is well
    /// formed.
    pub(crate) fn translated_signature(
        &self,
        module: &Import,
        manifest: &Import,
        signature: &[u8],
    ) -> Result<Vec<u8>> {
        const CALL: &str = "IMetaDataEmit::TranslateSigWithScope";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let (module, manifest, own) = (module.com()?, manifest.com()?, self.com()?);
        let length = blob_length(CALL, signature)?;
        let translated = fill(CALL, |buffer: &mut [u8]| {
            let mut needed = 0;
            // SAFETY: live interfaces of the runtime's metadata, no hash, a blob and a buffer with their lengths, a
            // local.
            let code = unsafe {
                ((*(*this).lpVtbl).TranslateSigWithScope)(
                    this,
                    manifest,
                    null(),
                    0,
                    module,
                    signature.as_ptr(),
                    length,
                    own,
                    this,
                    buffer.as_mut_ptr(),
                    room_of(buffer),
                    &raw mut needed,
                )
            };
            checked(CALL, code).map(|_| needed)
        })?;
        Ok(translated.to_vec())
    }

    /// `IMetaDataEmit::GetSaveSize`.
    pub(crate) fn save_size(&mut self) -> Result<u32> {
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let mut size = 0;
        // SAFETY: a live interface, a local.
        let code = unsafe { ((*(*this).lpVtbl).GetSaveSize)(this, sys::cssAccurate, &raw mut size) };
        checked("IMetaDataEmit::GetSaveSize", code)?;
        Ok(size)
    }

    /// `IMetaDataEmit::SaveToMemory`, with a handler (`IMetaDataEmit::SetHandler`) that collects the tokens that change.
    pub(crate) fn save(&mut self) -> Result<Saved> {
        const CALL: &str = "IMetaDataEmit::SaveToMemory";
        let this: *mut sys::IMetaDataEmit = self.com()?;
        let map = TokenMap::new();
        self.set_handler(map.as_unknown())?;
        let bytes = self.save_size().and_then(|size| {
            let mut bytes = vec![0u8; size as usize];
            // SAFETY: a live interface, a buffer with its length.
            let code = unsafe { ((*(*this).lpVtbl).SaveToMemory)(this, bytes.as_mut_ptr().cast(), size) };
            checked(CALL, code).map(|_| bytes)
        });
        self.set_handler(null_mut())?;
        Ok((bytes?, map.moved()))
    }

    fn set_handler(&self, handler: *mut sys::IUnknown) -> Result<()> {
        let this: *mut sys::IMetaDataEmit = self.com()?;
        // SAFETY: a live interface; null, or a live object of which the metadata takes a reference of its own.
        let code = unsafe { ((*(*this).lpVtbl).SetHandler)(this, handler) };
        checked("IMetaDataEmit::SetHandler", code).map(drop)
    }

    /// `IMetaDataEmit::Save`.
    pub(crate) fn save_to_file(&mut self, path: &U16CStr) -> Result<()> {
        let this: *mut sys::IMetaDataEmit = self.com()?;
        // SAFETY: a live interface, a text with a terminating zero.
        let code = unsafe { ((*(*this).lpVtbl).Save)(this, path.as_ptr(), 0) };
        checked("IMetaDataEmit::Save", code).map(drop)
    }
}

/// `mdFieldDefNil`, which ends a list of fields.
const NIL_FIELD: u32 = 0x0400_0000;

/// The bytes of UTF-16 units.
fn bytes_of(units: &[u16]) -> &[u8] {
    // SAFETY: as many bytes, which have no alignment and no invalid values.
    unsafe { core::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}
