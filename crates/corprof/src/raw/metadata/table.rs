//! The methods of metadata, one line each, and those that no line fits.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states. Each line states the parameters of its method
//! in their order, by the words that `methods` lists; types that do not match the method's do not compile. The words that
//! a type does not tell apart (`zero`, a length for its list, `null` for an output that may be left out) are those of the
//! method's documentation.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::ptr::null_mut;

use clrnames::metadata::{Constant, FieldAttributes, MethodAttributes, ParamAttributes, TypeAttributes};
use corprof_sys as sys;
use corprof_types::{Guid, HResult};
use sigparse::token::{
    AssemblyDef, AssemblyRef, CustomAttribute, DeclSecurity, EventDef, ExportedType, FieldDef, FileRef,
    GenericParam, GenericParamConstraint, InterfaceImpl, ManifestResource, MemberRef, MethodDef, MethodSpec,
    ModuleDef, ModuleRef, ParamDef, PropertyDef, StandAloneSig, TypeDef, TypeRef, TypeSpec, UserString,
};
use sigparse::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    Token, TypeDefOrRef, TypeOrMethodDef,
};
use widestring::U16CStr;

use super::edits::Editing;
use super::methods::methods;
use super::token_map::TokenMap;
use super::{Dispenser, Emit, Import, Tables};
use crate::error::{Error, Result};
use crate::raw::abi::Written;
use crate::raw::buffers::room_of;
use crate::raw::call::checked;
use crate::raw::interface::{
    ComClass, EmitPtr, ImportPtr, Owned, add_ref, query_interface, release, value_of,
};

/// `mdMethodDefNil`.
const NIL_METHOD: u32 = 0x0600_0000;

/// A value that owns or borrows an object with the interface `I`.
///
/// # Safety
/// The pointer is that of the interface, and the object is alive as long as `self`.
pub(super) unsafe trait Com<I> {
    /// Returns the pointer to call through.
    fn com(&self) -> Result<*mut I>;

    /// Begins a call: what must not be done meanwhile waits for the end of the guard.
    fn begin(&self, _call: &'static str) -> Result<Option<Editing<'_>>> {
        Ok(None)
    }
}

macro_rules! interfaces {
    ($($on:ty, $interface:ident, |$this:ident| $pointer:expr $(, $begin:ident)?;)*) => {$(
        // SAFETY: the pointer of a counted reference that `self` has; an interface begins with the one that it extends.
        unsafe impl Com<sys::$interface> for $on {
            fn com(&self) -> Result<*mut sys::$interface> {
                let $this = self;
                Ok($pointer.as_ptr().cast())
            }

            $(fn begin(&self, call: &'static str) -> Result<Option<Editing<'_>>> {
                self.$begin(call).map(Some)
            })?
        }
    )*};
}

interfaces! {
    Import, IMetaDataImport, |this| this.import;
    Import, IMetaDataImport2, |this| this.import;
    Import, IMetaDataAssemblyImport, |this| this.manifest()?;
    Emit, IMetaDataEmit, |this| this.emit, edit;
    Emit, IMetaDataEmit2, |this| this.emit, edit;
    Emit, IMetaDataAssemblyEmit, |this| this.manifest()?, edit;
    EmitPtr, IMetaDataEmit, |this| this;
    Tables<'_>, IMetaDataTables, |this| this.tables;
    Tables<'_>, IMetaDataTables2, |this| this.tables;
    Dispenser, IMetaDataDispenser, |this| this.dispenser;
    Dispenser, IMetaDataDispenserEx, |this| this.dispenser;
}

methods! { pub(crate) [] Import:
    // Types.
    fn type_defs() each TypeDef = IMetaDataImport::EnumTypeDefs();
    fn type_refs() each TypeRef = IMetaDataImport::EnumTypeRefs();
    fn type_specs() each TypeSpec = IMetaDataImport::EnumTypeSpecs();
    fn type_def(token: TypeDef) = IMetaDataImport::GetTypeDefProps(token, text, out TypeAttributes, out Option<TypeDefOrRef>);
    fn class_layout(token: TypeDef) = IMetaDataImport::GetClassLayout(token, out u32, list FieldOffset, out u32);
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
    fn custom_attribute_named(of: Token, name: &str) = IMetaDataImport::GetCustomAttributeByName(of, find name, blob, found);
    fn permission_sets(of: Token, action: u32) each DeclSecurity = IMetaDataImport::EnumPermissionSets(of, action);
    fn permission_set(token: DeclSecurity) = IMetaDataImport::GetPermissionSetProps(token, out u32, blob);
    fn pinvoke_map(of: Token) = IMetaDataImport::GetPinvokeMap(of, out u32, text, out Option<ModuleRef>);
    fn field_marshal(of: Token) = IMetaDataImport::GetFieldMarshal(of, blob);
    fn utf8_name_of(token: Token) = IMetaDataImport::GetNameFromToken(token, utf8);
    fn user_string_units(token: UserString) = IMetaDataImport::GetUserString(token, list u16);
    fn user_strings() each UserString = IMetaDataImport::EnumUserStrings();
    fn signatures() each StandAloneSig = IMetaDataImport::EnumSignatures();
    fn signature(token: StandAloneSig) = IMetaDataImport::GetSigFromToken(token, blob);

    // The module and its image.
    fn module_token() = IMetaDataImport::GetModuleFromScope(new ModuleDef);
    fn mvid() = IMetaDataImport::GetScopeProps(null, zero, null, guid);
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

methods! { pub(crate) [] Emit:
    fn set_module_name(name: &str) = IMetaDataEmit::SetModuleProps(wide name);

    // Types.
    fn define_type_def(name: &str, flags: u32, extends: Option<TypeDefOrRef>, implements: &[TypeDefOrRef]) = IMetaDataEmit::DefineTypeDef(wide name, flags, row? extends, rows implements, new TypeDef);
    fn define_nested_type(enclosing: TypeDef, name: &str, flags: u32, extends: Option<TypeDefOrRef>, implements: &[TypeDefOrRef]) = IMetaDataEmit::DefineNestedType(wide name, flags, row? extends, rows implements, row enclosing, new TypeDef);
    fn set_type_def(token: TypeDef, flags: Option<u32>, extends: Option<TypeDefOrRef>, implements: Option<&[TypeDefOrRef]>) = IMetaDataEmit::SetTypeDefProps(row token, set flags, set_row extends, rows? implements);
    fn set_type_layout(owner: TypeDef, pack: u32, size: u32, fields: &[(FieldDef, u32)]) = IMetaDataEmit::SetClassLayout(row owner, pack, fields fields, size);
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
    fn define_user_string(units: &[u16]) = IMetaDataEmit::DefineUserString(units units, new UserString);
    fn define_method_spec(method: MethodDefOrRef, arguments: &[u8]) = IMetaDataEmit2::DefineMethodSpec(row method, bytes arguments, new MethodSpec);

    // Rows that are attached to other rows.
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

    // Other metadata, which nothing edits meanwhile. Signatures in it are well formed.
    fn import_type(module: &Import, manifest: &Import, type_def: TypeDef) = IMetaDataEmit::DefineImportType(metadata manifest, null, zero, metadata module, type_def, own, new TypeRef);
    fn import_member(module: &Import, manifest: &Import, member: Token, parent: MemberRefParent) = IMetaDataEmit::DefineImportMember(metadata manifest, null, zero, metadata module, member, own, row parent, new MemberRef);
    fn translated_signature(module: &Import, manifest: &Import, signature: &[u8]) = IMetaDataEmit::TranslateSigWithScope(metadata manifest, null, zero, metadata module, bytes signature, own, own, list u8);
}

// The metadata takes no lock for these or moves its heaps: their callers have it by `&mut`.
methods! { pub(super) [] Emit:
    fn generic_param_props(token: GenericParam, flags: Option<u32>, name: Option<&str>, constraints: Option<&[TypeDefOrRef]>) = IMetaDataEmit2::SetGenericParamProps(row token, set flags, wide? name, zero, rows? constraints);
    fn accurate_save_size() = IMetaDataEmit::GetSaveSize(value sys::cssAccurate, out u32);
    fn save_to_memory(buffer: &mut [u8]) = IMetaDataEmit::SaveToMemory(buffer buffer);
    fn save_to(path: &U16CStr) = IMetaDataEmit::Save(path path, zero);
    fn set_handler(handler: Option<&Owned<TokenMap>>) = IMetaDataEmit::SetHandler(handler handler);
}

methods! { pub(super) [] EmitPtr:
    fn set_rva_of_nil() = IMetaDataEmit::SetRVA(value NIL_METHOD, zero);
}

// The metadata takes no lock for these and does not check what is passed: `Tables` has compared indexes with the sizes of
// tables and heaps before.
methods! { pub(super) ['m] Tables<'m>:
    fn table_info(table: u32) = IMetaDataTables::GetTableInfo(table, out u32, out u32, out u32, out u32, utf8 'm);
    fn column_info(table: u32, column: u32) = IMetaDataTables::GetColumnInfo(table, column, out u32, out u32, out u32, utf8 'm);
    fn coded_token_info(kind: u32) = IMetaDataTables::GetCodedTokenInfo(kind, tokens 'm, utf8 'm);
    fn string_heap_size() = IMetaDataTables::GetStringHeapSize(out u32);
    fn blob_heap_size() = IMetaDataTables::GetBlobHeapSize(out u32);
    fn guid_heap_size() = IMetaDataTables::GetGuidHeapSize(out u32);
    fn user_string_heap_size() = IMetaDataTables::GetUserStringHeapSize(out u32);
    fn row_at(table: u32, rid: u32, size: u32) = IMetaDataTables::GetRow(table, rid, sized size 'm);
    fn value_at(table: u32, column: u32, rid: u32) = IMetaDataTables::GetColumn(table, column, rid, out u32);
    fn string_at(index: u32) = IMetaDataTables::GetString(index, utf8 'm);
    fn blob_at(index: u32) = IMetaDataTables::GetBlob(index, counted 'm);
    fn user_string_at(index: u32) = IMetaDataTables::GetUserString(index, counted 'm);
    fn guid_number(number: u32) = IMetaDataTables::GetGuid(number, guid_of_heap);
    fn string_after(index: u32) = IMetaDataTables::GetNextString(index, out u32, found);
    fn blob_after(index: u32) = IMetaDataTables::GetNextBlob(index, out u32, found);
    fn guid_after(index: u32) = IMetaDataTables::GetNextGuid(index, out u32, found);
    fn user_string_after(index: u32) = IMetaDataTables::GetNextUserString(index, out u32, found);
}

methods! { pub(crate) ['m] Tables<'m>:
    fn table_count() = IMetaDataTables::GetNumTables(out u32);
    fn table_index(token: Token) = IMetaDataTables::GetTableIndex(token, out u32);
    // Of metadata that was opened from bytes.
    fn storage() = IMetaDataTables2::GetMetaDataStorage(blob 'm);
    fn stream_info(number: u32) = IMetaDataTables2::GetMetaDataStreamInfo(number, utf8 'm, blob 'm);
}

methods! { pub(super) [] Dispenser:
    fn open_scope_for_writing(bytes: &[u8]) = IMetaDataDispenser::OpenScopeOnMemory(bytes bytes, value sys::ofWrite.0 | sys::ofCopyMemory.0, made EmitPtr);
    fn open_scope_on_memory(bytes: &[u8]) = IMetaDataDispenser::OpenScopeOnMemory(bytes bytes, value sys::ofReadOnly.0 | sys::ofCopyMemory.0, made ImportPtr);
    fn define_scope() = IMetaDataDispenser::DefineScope(value &raw const *const { &sys::CLSID_CLR_v2_MetaData }, zero, made EmitPtr);
    fn set_number(option: &sys::GUID, number: u32) = IMetaDataDispenserEx::SetOption(guid option, option number);
    fn value_of(option: &sys::GUID) = IMetaDataDispenserEx::GetOption(guid option, option);
}

/// An offset of a field, with a default value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct FieldOffset(pub(super) sys::COR_FIELD_OFFSET);

impl Default for FieldOffset {
    fn default() -> Self {
        Self(sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 })
    }
}

// SAFETY: transparent over two numbers.
unsafe impl Written for FieldOffset {
    type C = sys::COR_FIELD_OFFSET;
    const EMPTY: Self = Self(sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 });
}

impl Import {
    /// `IMetaDataImport::IsValidToken`, which returns no HRESULT.
    pub(crate) fn is_valid_token(&self, token: Token) -> bool {
        let this: Result<*mut sys::IMetaDataImport> = self.com();
        // SAFETY: a live interface.
        this.is_ok_and(|this| unsafe { ((*(*this).lpVtbl).IsValidToken)(this, token.0) } != 0)
    }

    /// `IMetaDataImport::EnumMethodImpls`, which fills two lists: bodies and declarations.
    pub(super) fn method_impl_tokens(&self, type_def: TypeDef) -> Result<Vec<(u32, u32)>> {
        let this: *mut sys::IMetaDataImport = self.com()?;
        let mut declarations = Vec::new();
        let bodies = self.enumerate(
            false,
            |handle, buffer, count| {
                let mut second = vec![0; buffer.len()];
                // SAFETY: a live interface, the enumerator's handle, two buffers of the same length, a place for the count.
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
        Ok(bodies.into_iter().zip(declarations).collect())
    }
}

/// An enumerator, closed on drop by the interface that has opened it (`IMetaDataImport::CloseEnum`,
/// `IMetaDataAssemblyImport::CloseEnum`).
#[doc(alias = "CloseEnum")]
pub(super) struct Enumerator<'m> {
    import: &'m Import,
    is_of_manifest: bool,
    handle: sys::HCORENUM,
}

impl<'m> Enumerator<'m> {
    /// One that is not open yet.
    pub(super) fn new(import: &'m Import, is_of_manifest: bool) -> Self {
        Self { import, is_of_manifest, handle: null_mut() }
    }

    /// The handle, for the methods that open or read an enumeration of the interface.
    pub(super) fn handle(&mut self) -> *mut sys::HCORENUM {
        &raw mut self.handle
    }

    /// The number of tokens, including those that were read (`IMetaDataImport::CountEnum`).
    #[doc(alias = "CountEnum")]
    pub(super) fn count(&self) -> Result<usize> {
        let (this, mut count): (*mut sys::IMetaDataImport, _) = (self.import.com()?, 0);
        // SAFETY: a live interface, an enumerator of this metadata that is open or null, a local.
        let code = unsafe { ((*(*this).lpVtbl).CountEnum)(this, self.handle, &raw mut count) };
        checked("IMetaDataImport::CountEnum", code)?;
        Ok(count as usize)
    }
}

impl Drop for Enumerator<'_> {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        if self.is_of_manifest {
            let this: Result<*mut sys::IMetaDataAssemblyImport> = self.import.com();
            // SAFETY: this live interface has opened the enumerator, which is closed once.
            this.into_iter().for_each(|this| unsafe { ((*(*this).lpVtbl).CloseEnum)(this, self.handle) });
        } else {
            let this: Result<*mut sys::IMetaDataImport> = self.import.com();
            // SAFETY: as above.
            this.into_iter().for_each(|this| unsafe { ((*(*this).lpVtbl).CloseEnum)(this, self.handle) });
        }
    }
}

// SAFETY: the vtable of `IMapToken`, with the functions of this class.
unsafe impl ComClass for TokenMap {
    type Vtable = sys::IMapTokenVtbl;
    const VTABLE: &'static sys::IMapTokenVtbl = &sys::IMapTokenVtbl {
        base: sys::IUnknownVtbl {
            QueryInterface: query_interface::<Self>,
            AddRef: add_ref::<Self>,
            Release: release::<Self>,
        },
        Map: map,
    };
    const INTERFACES: &'static [sys::GUID] = &[sys::IID_IMapToken];
}

/// `IMapToken::Map`: a row has another token from now on.
unsafe extern "system" fn map(
    this: *mut sys::IMapToken,
    from: sys::mdToken,
    to: sys::mdToken,
) -> sys::HRESULT {
    // SAFETY: the caller has a reference to an object of this class.
    unsafe { value_of::<TokenMap>(this.cast()) }.add(Token(from), Token(to));
    HResult::S_OK.0
}

/// A text that is borrowed from the metadata; `None` for null.
///
/// # Safety
/// `text` is null, or points to a text that ends with a zero and stays as it is for `'m`.
pub(super) unsafe fn borrowed_text<'m>(text: *const c_char) -> Result<Option<&'m str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the contract of this function.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some).map_err(|error| Error::other(format!("a text of the metadata is not UTF-8: {error}")))
}

/// A list that is borrowed from the metadata; empty for null.
///
/// # Safety
/// `tokens` is null, or points to so many tokens, which stay as they are for `'m`.
pub(super) unsafe fn borrowed_tokens<'m>(tokens: *const u32, count: u32) -> &'m [u32] {
    if tokens.is_null() {
        return &[];
    }
    // SAFETY: the contract of this function.
    unsafe { core::slice::from_raw_parts(tokens, count as usize) }
}

/// A GUID of a heap; `None` for null.
///
/// # Safety
/// `guid` is null, or points to a GUID, which need not be aligned.
pub(super) unsafe fn guid_at(guid: *const sys::GUID) -> Option<Guid> {
    // SAFETY: the contract of this function.
    (!guid.is_null()).then(|| Guid::from_sys(unsafe { guid.read_unaligned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_counts_its_references_and_collects_tokens() {
        let tokens = Owned::new(TokenMap::default());
        let unknown = tokens.as_unknown();
        let (known, other) = (sys::IID_IMapToken, sys::IID_IMetaDataEmit);
        let mut out = null_mut();
        // SAFETY: the object is alive; locals.
        unsafe {
            let vtable = &*(*unknown).lpVtbl;
            assert_eq!((vtable.QueryInterface)(unknown, &raw const known, &raw mut out), 0);
            let mapping: *mut sys::IMapToken = out.cast();
            assert_eq!(((*(*mapping).lpVtbl).Map)(mapping, 0x0600_0001, 0x0600_0002), 0);
            assert_eq!(
                (vtable.QueryInterface)(unknown, &raw const other, &raw mut out),
                HResult::E_NOINTERFACE.0
            );
            assert!(out.is_null());
            assert_eq!((vtable.Release)(unknown), 1);
        }
        assert_eq!(tokens.value().moved(), [(Token(0x0600_0001), Token(0x0600_0002))]);
    }
}
