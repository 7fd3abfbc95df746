//! The columns of each table (ECMA-335 II.22), and the coded indexes (II.24.2.6).

use sigparse::token::Table;

/// The type of a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    U16,
    U32,
    /// An offset into `#Strings`.
    String,
    /// An index into `#GUID`.
    Guid,
    /// An offset into `#Blob`.
    Blob,
    /// A row of a table.
    Row(Table),
    /// A row of one of these tables, with a tag of this many bits.
    Coded(u32, &'static [Table]),
}

use Column::{Blob, Coded, Guid, Row, String, U16, U32};

/// The number of tables: those from 0x30 on belong to portable PDBs.
pub(super) const TABLES: usize = 0x38;

/// The most columns that a table has.
pub(super) const COLUMNS: usize = 9;

// Tables of portable PDBs.
pub(super) const DOCUMENT: Table = Table(0x30);
pub(super) const METHOD_DEBUG_INFORMATION: Table = Table(0x31);
pub(super) const LOCAL_SCOPE: Table = Table(0x32);
pub(super) const LOCAL_VARIABLE: Table = Table(0x33);
pub(super) const LOCAL_CONSTANT: Table = Table(0x34);
pub(super) const IMPORT_SCOPE: Table = Table(0x35);
pub(super) const STATE_MACHINE_METHOD: Table = Table(0x36);
pub(super) const CUSTOM_DEBUG_INFORMATION: Table = Table(0x37);

// Tables that no token points into.
pub(super) const CONSTANT: Table = Table(0x0B);
pub(super) const METHOD_SEMANTICS: Table = Table(0x18);
pub(super) const METHOD_IMPL: Table = Table(0x19);
pub(super) const NESTED_CLASS: Table = Table(0x29);

const TYPE_DEF_OR_REF: Column = Coded(2, &[Table::TYPE_DEF, Table::TYPE_REF, Table::TYPE_SPEC]);
const HAS_CONSTANT: Column = Coded(2, &[Table::FIELD, Table::PARAM, Table::PROPERTY]);
const HAS_FIELD_MARSHAL: Column = Coded(1, &[Table::FIELD, Table::PARAM]);
const HAS_DECL_SECURITY: Column = Coded(2, &[Table::TYPE_DEF, Table::METHOD_DEF, Table::ASSEMBLY]);
const HAS_SEMANTICS: Column = Coded(1, &[Table::EVENT, Table::PROPERTY]);
const METHOD_DEF_OR_REF: Column = Coded(1, &[Table::METHOD_DEF, Table::MEMBER_REF]);
const MEMBER_FORWARDED: Column = Coded(1, &[Table::FIELD, Table::METHOD_DEF]);
const IMPLEMENTATION: Column = Coded(2, &[Table::FILE, Table::ASSEMBLY_REF, Table::EXPORTED_TYPE]);
/// The tag of the first table of a custom attribute's type: those before it have no meaning.
pub(super) const CUSTOM_ATTRIBUTE_TYPE_TAGS: usize = 2;
const CUSTOM_ATTRIBUTE_TYPE: Column = Coded(3, &[Table::METHOD_DEF, Table::MEMBER_REF]);
const TYPE_OR_METHOD_DEF: Column = Coded(1, &[Table::TYPE_DEF, Table::METHOD_DEF]);
const RESOLUTION_SCOPE: Column =
    Coded(2, &[Table::MODULE, Table::MODULE_REF, Table::ASSEMBLY_REF, Table::TYPE_REF]);
const MEMBER_REF_PARENT: Column =
    Coded(3, &[Table::TYPE_DEF, Table::TYPE_REF, Table::MODULE_REF, Table::METHOD_DEF, Table::TYPE_SPEC]);
const HAS_CUSTOM_DEBUG_INFORMATION: Column = Coded(5, &HAS_CUSTOM_DEBUG_INFORMATION_TABLES);
const HAS_CUSTOM_ATTRIBUTE: Column = Coded(5, &HAS_CUSTOM_ATTRIBUTE_TABLES);

/// The owners of custom attributes, by tag.
pub(super) const HAS_CUSTOM_ATTRIBUTE_TABLES: [Table; 22] = [
    Table::METHOD_DEF,
    Table::FIELD,
    Table::TYPE_REF,
    Table::TYPE_DEF,
    Table::PARAM,
    Table::INTERFACE_IMPL,
    Table::MEMBER_REF,
    Table::MODULE,
    Table::DECL_SECURITY,
    Table::PROPERTY,
    Table::EVENT,
    Table::STAND_ALONE_SIG,
    Table::MODULE_REF,
    Table::TYPE_SPEC,
    Table::ASSEMBLY,
    Table::ASSEMBLY_REF,
    Table::FILE,
    Table::EXPORTED_TYPE,
    Table::MANIFEST_RESOURCE,
    Table::GENERIC_PARAM,
    Table::GENERIC_PARAM_CONSTRAINT,
    Table::METHOD_SPEC,
];

/// The tables whose rows can have custom debug information, by tag: those that can have a custom attribute, and tables
/// of PDBs.
pub(super) const HAS_CUSTOM_DEBUG_INFORMATION_TABLES: [Table; 27] = {
    let mut tables = [DOCUMENT; 27];
    let mut tag = 0;
    while tag < HAS_CUSTOM_ATTRIBUTE_TABLES.len() {
        tables[tag] = HAS_CUSTOM_ATTRIBUTE_TABLES[tag];
        tag += 1;
    }
    [tables[22], tables[23], tables[24], tables[25], tables[26]] =
        [DOCUMENT, LOCAL_SCOPE, LOCAL_VARIABLE, LOCAL_CONSTANT, IMPORT_SCOPE];
    tables
};

/// The columns of each table, by its number.
pub(super) const SCHEMA: [&[Column]; TABLES] = [
    // 00 Module
    &[U16, String, Guid, Guid, Guid],
    // 01 TypeRef
    &[RESOLUTION_SCOPE, String, String],
    // 02 TypeDef
    &[U32, String, String, TYPE_DEF_OR_REF, Row(Table::FIELD), Row(Table::METHOD_DEF)],
    // 03 FieldPtr
    &[Row(Table::FIELD)],
    // 04 Field
    &[U16, String, Blob],
    // 05 MethodPtr
    &[Row(Table::METHOD_DEF)],
    // 06 MethodDef
    &[U32, U16, U16, String, Blob, Row(Table::PARAM)],
    // 07 ParamPtr
    &[Row(Table::PARAM)],
    // 08 Param
    &[U16, U16, String],
    // 09 InterfaceImpl
    &[Row(Table::TYPE_DEF), TYPE_DEF_OR_REF],
    // 0A MemberRef
    &[MEMBER_REF_PARENT, String, Blob],
    // 0B Constant
    &[U16, HAS_CONSTANT, Blob],
    // 0C CustomAttribute
    &[HAS_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_TYPE, Blob],
    // 0D FieldMarshal
    &[HAS_FIELD_MARSHAL, Blob],
    // 0E DeclSecurity
    &[U16, HAS_DECL_SECURITY, Blob],
    // 0F ClassLayout
    &[U16, U32, Row(Table::TYPE_DEF)],
    // 10 FieldLayout
    &[U32, Row(Table::FIELD)],
    // 11 StandAloneSig
    &[Blob],
    // 12 EventMap
    &[Row(Table::TYPE_DEF), Row(Table::EVENT)],
    // 13 EventPtr
    &[Row(Table::EVENT)],
    // 14 Event
    &[U16, String, TYPE_DEF_OR_REF],
    // 15 PropertyMap
    &[Row(Table::TYPE_DEF), Row(Table::PROPERTY)],
    // 16 PropertyPtr
    &[Row(Table::PROPERTY)],
    // 17 Property
    &[U16, String, Blob],
    // 18 MethodSemantics
    &[U16, Row(Table::METHOD_DEF), HAS_SEMANTICS],
    // 19 MethodImpl
    &[Row(Table::TYPE_DEF), METHOD_DEF_OR_REF, METHOD_DEF_OR_REF],
    // 1A ModuleRef
    &[String],
    // 1B TypeSpec
    &[Blob],
    // 1C ImplMap
    &[U16, MEMBER_FORWARDED, String, Row(Table::MODULE_REF)],
    // 1D FieldRVA
    &[U32, Row(Table::FIELD)],
    // 1E ENCLog
    &[U32, U32],
    // 1F ENCMap
    &[U32],
    // 20 Assembly
    &[U32, U16, U16, U16, U16, U32, Blob, String, String],
    // 21 AssemblyProcessor
    &[U32],
    // 22 AssemblyOS
    &[U32, U32, U32],
    // 23 AssemblyRef
    &[U16, U16, U16, U16, U32, Blob, String, String, Blob],
    // 24 AssemblyRefProcessor
    &[U32, Row(Table::ASSEMBLY_REF)],
    // 25 AssemblyRefOS
    &[U32, U32, U32, Row(Table::ASSEMBLY_REF)],
    // 26 File
    &[U32, String, Blob],
    // 27 ExportedType
    &[U32, U32, String, String, IMPLEMENTATION],
    // 28 ManifestResource
    &[U32, U32, String, IMPLEMENTATION],
    // 29 NestedClass
    &[Row(Table::TYPE_DEF), Row(Table::TYPE_DEF)],
    // 2A GenericParam
    &[U16, U16, TYPE_OR_METHOD_DEF, String],
    // 2B MethodSpec
    &[METHOD_DEF_OR_REF, Blob],
    // 2C GenericParamConstraint
    &[Row(Table::GENERIC_PARAM), TYPE_DEF_OR_REF],
    // 2D to 2F are no tables.
    &[],
    &[],
    &[],
    // 30 Document
    &[Blob, Guid, Blob, Guid],
    // 31 MethodDebugInformation
    &[Row(DOCUMENT), Blob],
    // 32 LocalScope
    &[Row(Table::METHOD_DEF), Row(IMPORT_SCOPE), Row(LOCAL_VARIABLE), Row(LOCAL_CONSTANT), U32, U32],
    // 33 LocalVariable
    &[U16, U16, String],
    // 34 LocalConstant
    &[String, Blob],
    // 35 ImportScope
    &[Row(IMPORT_SCOPE), Blob],
    // 36 StateMachineMethod
    &[Row(Table::METHOD_DEF), Row(Table::METHOD_DEF)],
    // 37 CustomDebugInformation
    &[HAS_CUSTOM_DEBUG_INFORMATION, Guid, Blob],
];
