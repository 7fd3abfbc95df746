/*
 * Metadata and image header types: tokens, attribute flags, element types, IL method headers.
 *
 * Written for this project from the facts of the ABI (names, order, values, layout); see README.md.
 * An anonymous union of two 32-bit names is one field here whose name says both.
 */
#ifndef CORPROF_CORHDR_H
#define CORPROF_CORHDR_H

#include "corprof_base.h"

CORPROF_BEGIN_DECLS

typedef void *mdScope;
/** A metadata token: table in the high byte, row below. */
typedef uint32_t mdToken;
typedef mdToken mdModule;
typedef mdToken mdTypeRef;
typedef mdToken mdTypeDef;
typedef mdToken mdFieldDef;
typedef mdToken mdMethodDef;
typedef mdToken mdParamDef;
typedef mdToken mdInterfaceImpl;
typedef mdToken mdMemberRef;
typedef mdToken mdCustomAttribute;
typedef mdToken mdPermission;
typedef mdToken mdSignature;
typedef mdToken mdEvent;
typedef mdToken mdProperty;
typedef mdToken mdModuleRef;
typedef mdToken mdAssembly;
typedef mdToken mdAssemblyRef;
typedef mdToken mdFile;
typedef mdToken mdExportedType;
typedef mdToken mdManifestResource;
typedef mdToken mdTypeSpec;
typedef mdToken mdGenericParam;
typedef mdToken mdMethodSpec;
typedef mdToken mdGenericParamConstraint;
typedef mdToken mdString;
typedef mdToken mdCPToken;
/** A row of a metadata table, from 1. */
typedef uint32_t RID;

/** A constant of images. */
typedef enum ReplacesGeneralNumericDefines {
    IMAGE_DIRECTORY_ENTRY_COMHEADER = 14
} ReplacesGeneralNumericDefines;

/** Flags of the CLI header, and limits. */
typedef enum ReplacesCorHdrNumericDefines {
    COMIMAGE_FLAGS_ILONLY                      = 0x00000001,
    COMIMAGE_FLAGS_32BITREQUIRED               = 0x00000002,
    COMIMAGE_FLAGS_IL_LIBRARY                  = 0x00000004,
    COMIMAGE_FLAGS_STRONGNAMESIGNED            = 0x00000008,
    COMIMAGE_FLAGS_NATIVE_ENTRYPOINT           = 0x00000010,
    COMIMAGE_FLAGS_TRACKDEBUGDATA              = 0x00010000,
    COMIMAGE_FLAGS_32BITPREFERRED              = 0x00020000,
    COR_VERSION_MAJOR_V2                       = 2,
    COR_VERSION_MAJOR                          = 2,
    COR_VERSION_MINOR                          = 5,
    COR_DELETED_NAME_LENGTH                    = 8,
    COR_VTABLEGAP_NAME_LENGTH                  = 8,
    NATIVE_TYPE_MAX_CB                         = 1,
    COR_ILMETHOD_SECT_SMALL_MAX_DATASIZE       = 255,
    COR_VTABLE_32BIT                           = 1,
    COR_VTABLE_64BIT                           = 2,
    COR_VTABLE_FROM_UNMANAGED                  = 4,
    COR_VTABLE_FROM_UNMANAGED_RETAIN_APPDOMAIN = 8,
    COR_VTABLE_CALL_MOST_DERIVED               = 16,
    IMAGE_COR_EATJ_THUNK_SIZE                  = 32,
    MAX_CLASS_NAME                             = 1024,
    MAX_PACKAGE_NAME                           = 1024
} ReplacesCorHdrNumericDefines;

/** The CLI header of an image. */
typedef struct IMAGE_COR20_HEADER {
    uint32_t cb;
    uint16_t MajorRuntimeVersion;
    uint16_t MinorRuntimeVersion;
    IMAGE_DATA_DIRECTORY MetaData;
    uint32_t Flags;
    /** Token of the managed entry point, or the RVA of a native one, as the flags say. */
    uint32_t EntryPointTokenOrRVA;
    IMAGE_DATA_DIRECTORY Resources;
    IMAGE_DATA_DIRECTORY StrongNameSignature;
    IMAGE_DATA_DIRECTORY CodeManagerTable;
    IMAGE_DATA_DIRECTORY VTableFixups;
    IMAGE_DATA_DIRECTORY ExportAddressTableJumps;
    IMAGE_DATA_DIRECTORY ManagedNativeHeader;
} IMAGE_COR20_HEADER;

typedef IMAGE_COR20_HEADER *PIMAGE_COR20_HEADER;

/** Flags of types. */
typedef enum CorTypeAttr {
    tdVisibilityMask     = 0x00000007,
    tdNotPublic          = 0x00000000,
    tdPublic             = 0x00000001,
    tdNestedPublic       = 0x00000002,
    tdNestedPrivate      = 0x00000003,
    tdNestedFamily       = 0x00000004,
    tdNestedAssembly     = 0x00000005,
    tdNestedFamANDAssem  = 0x00000006,
    tdNestedFamORAssem   = 0x00000007,
    tdLayoutMask         = 0x00000018,
    tdAutoLayout         = 0x00000000,
    tdSequentialLayout   = 0x00000008,
    tdExplicitLayout     = 0x00000010,
    tdClassSemanticsMask = 0x00000020,
    tdClass              = 0x00000000,
    tdInterface          = 0x00000020,
    tdAbstract           = 0x00000080,
    tdSealed             = 0x00000100,
    tdSpecialName        = 0x00000400,
    tdImport             = 0x00001000,
    tdSerializable       = 0x00002000,
    tdWindowsRuntime     = 0x00004000,
    tdStringFormatMask   = 0x00030000,
    tdAnsiClass          = 0x00000000,
    tdUnicodeClass       = 0x00010000,
    tdAutoClass          = 0x00020000,
    tdCustomFormatClass  = 0x00030000,
    tdCustomFormatMask   = 0x00C00000,
    tdBeforeFieldInit    = 0x00100000,
    tdForwarder          = 0x00200000,
    tdReservedMask       = 0x00040800,
    tdRTSpecialName      = 0x00000800,
    tdHasSecurity        = 0x00040000
} CorTypeAttr;

/** Flags of methods. */
typedef enum CorMethodAttr {
    mdMemberAccessMask      = 0x0007,
    mdPrivateScope          = 0x0000,
    mdPrivate               = 0x0001,
    mdFamANDAssem           = 0x0002,
    mdAssem                 = 0x0003,
    mdFamily                = 0x0004,
    mdFamORAssem            = 0x0005,
    mdPublic                = 0x0006,
    mdStatic                = 0x0010,
    mdFinal                 = 0x0020,
    mdVirtual               = 0x0040,
    mdHideBySig             = 0x0080,
    mdVtableLayoutMask      = 0x0100,
    mdReuseSlot             = 0x0000,
    mdNewSlot               = 0x0100,
    mdCheckAccessOnOverride = 0x0200,
    mdAbstract              = 0x0400,
    mdSpecialName           = 0x0800,
    mdPinvokeImpl           = 0x2000,
    mdUnmanagedExport       = 0x0008,
    mdReservedMask          = 0xD000,
    mdRTSpecialName         = 0x1000,
    mdHasSecurity           = 0x4000,
    mdRequireSecObject      = 0x8000
} CorMethodAttr;

/** Flags of fields. */
typedef enum CorFieldAttr {
    fdFieldAccessMask = 0x0007,
    fdPrivateScope    = 0x0000,
    fdPrivate         = 0x0001,
    fdFamANDAssem     = 0x0002,
    fdAssembly        = 0x0003,
    fdFamily          = 0x0004,
    fdFamORAssem      = 0x0005,
    fdPublic          = 0x0006,
    fdStatic          = 0x0010,
    fdInitOnly        = 0x0020,
    fdLiteral         = 0x0040,
    fdNotSerialized   = 0x0080,
    fdSpecialName     = 0x0200,
    fdPinvokeImpl     = 0x2000,
    fdReservedMask    = 0x9500,
    fdRTSpecialName   = 0x0400,
    fdHasFieldMarshal = 0x1000,
    fdHasDefault      = 0x8000,
    fdHasFieldRVA     = 0x0100
} CorFieldAttr;

/** Flags of parameters. */
typedef enum CorParamAttr {
    pdIn              = 0x0001,
    pdOut             = 0x0002,
    pdOptional        = 0x0010,
    pdReservedMask    = 0xF000,
    pdHasDefault      = 0x1000,
    pdHasFieldMarshal = 0x2000,
    pdUnused          = 0xCFE0
} CorParamAttr;

/** Flags of properties. */
typedef enum CorPropertyAttr {
    prSpecialName   = 0x0200,
    prReservedMask  = 0xF400,
    prRTSpecialName = 0x0400,
    prHasDefault    = 0x1000,
    prUnused        = 0xE9FF
} CorPropertyAttr;

/** Flags of events. */
typedef enum CorEventAttr {
    evSpecialName   = 0x0200,
    evReservedMask  = 0x0400,
    evRTSpecialName = 0x0400
} CorEventAttr;

/** What a method is to a property or an event. */
typedef enum CorMethodSemanticsAttr {
    msSetter   = 0x01,
    msGetter   = 0x02,
    msOther    = 0x04,
    msAddOn    = 0x08,
    msRemoveOn = 0x10,
    msFire     = 0x20
} CorMethodSemanticsAttr;

/** Actions of declarative security. */
typedef enum CorDeclSecurity {
    dclActionMask        = 0x1F,
    dclActionNil         = 0x00,
    dclRequest           = 0x01,
    dclDemand            = 0x02,
    dclAssert            = 0x03,
    dclDeny              = 0x04,
    dclPermitOnly        = 0x05,
    dclLinktimeCheck     = 0x06,
    dclInheritanceCheck  = 0x07,
    dclRequestMinimum    = 0x08,
    dclRequestOptional   = 0x09,
    dclRequestRefuse     = 0x0A,
    dclPrejitGrant       = 0x0B,
    dclPrejitDenied      = 0x0C,
    dclNonCasDemand      = 0x0D,
    dclNonCasLinkDemand  = 0x0E,
    dclNonCasInheritance = 0x0F,
    dclMaximumValue      = 0x0F
} CorDeclSecurity;

/** Implementation flags of methods. */
typedef enum CorMethodImpl {
    miCodeTypeMask           = 0x0003,
    miIL                     = 0x0000,
    miNative                 = 0x0001,
    miOPTIL                  = 0x0002,
    miRuntime                = 0x0003,
    miManagedMask            = 0x0004,
    miUnmanaged              = 0x0004,
    miManaged                = 0x0000,
    miForwardRef             = 0x0010,
    miPreserveSig            = 0x0080,
    miInternalCall           = 0x1000,
    miSynchronized           = 0x0020,
    miNoInlining             = 0x0008,
    miAggressiveInlining     = 0x0100,
    miNoOptimization         = 0x0040,
    miAggressiveOptimization = 0x0200,
    miUserMask               = 0x13FC,
    miMaxMethodImplVal       = 0xFFFF
} CorMethodImpl;

/** Flags of imported native functions. */
typedef enum CorPinvokeMap {
    pmNoMangle                      = 0x0001,
    pmCharSetMask                   = 0x0006,
    pmCharSetNotSpec                = 0x0000,
    pmCharSetAnsi                   = 0x0002,
    pmCharSetUnicode                = 0x0004,
    pmCharSetAuto                   = 0x0006,
    pmBestFitUseAssem               = 0x0000,
    pmBestFitEnabled                = 0x0010,
    pmBestFitDisabled               = 0x0020,
    pmBestFitMask                   = 0x0030,
    pmThrowOnUnmappableCharUseAssem = 0x0000,
    pmThrowOnUnmappableCharEnabled  = 0x1000,
    pmThrowOnUnmappableCharDisabled = 0x2000,
    pmThrowOnUnmappableCharMask     = 0x3000,
    pmSupportsLastError             = 0x0040,
    pmCallConvMask                  = 0x0700,
    pmCallConvWinapi                = 0x0100,
    pmCallConvCdecl                 = 0x0200,
    pmCallConvStdcall               = 0x0300,
    pmCallConvThiscall              = 0x0400,
    pmCallConvFastcall              = 0x0500,
    pmMaxValue                      = 0xFFFF
} CorPinvokeMap;

/** Flags of assemblies. */
typedef enum CorAssemblyFlags {
    afPublicKey                  = 0x0001,
    afPA_None                    = 0x0000,
    afPA_MSIL                    = 0x0010,
    afPA_x86                     = 0x0020,
    afPA_IA64                    = 0x0030,
    afPA_AMD64                   = 0x0040,
    afPA_ARM                     = 0x0050,
    afPA_ARM64                   = 0x0060,
    afPA_NoPlatform              = 0x0070,
    afPA_Specified               = 0x0080,
    afPA_Mask                    = 0x0070,
    afPA_FullMask                = 0x00F0,
    afPA_Shift                   = 0x0004,
    afEnableJITcompileTracking   = 0x8000,
    afDisableJITcompileOptimizer = 0x4000,
    afDebuggableAttributeMask    = 0xC000,
    afRetargetable               = 0x0100,
    afContentType_Default        = 0x0000,
    afContentType_WindowsRuntime = 0x0200,
    afContentType_Mask           = 0x0E00
} CorAssemblyFlags;

/** Flags of resources. */
typedef enum CorManifestResourceFlags {
    mrVisibilityMask = 7,
    mrPublic         = 1,
    mrPrivate        = 2
} CorManifestResourceFlags;

/** Flags of files of an assembly. */
typedef enum CorFileFlags {
    ffContainsMetaData   = 0,
    ffContainsNoMetaData = 1
} CorFileFlags;

/** Kinds of images. */
typedef enum CorPEKind {
    peNot            = 0,
    peILonly         = 1,
    pe32BitRequired  = 2,
    pe32Plus         = 4,
    pe32Unmanaged    = 8,
    pe32BitPreferred = 16
} CorPEKind;

/** Flags of type parameters. */
typedef enum CorGenericParamAttr {
    gpVarianceMask                   = 0x03,
    gpNonVariant                     = 0x00,
    gpCovariant                      = 0x01,
    gpContravariant                  = 0x02,
    gpSpecialConstraintMask          = 0x3C,
    gpNoSpecialConstraint            = 0x00,
    gpReferenceTypeConstraint        = 0x04,
    gpNotNullableValueTypeConstraint = 0x08,
    gpDefaultConstructorConstraint   = 0x10,
    gpAcceptByRefLike                = 0x20
} CorGenericParamAttr;

/** A byte of a signature. */
typedef BYTE COR_SIGNATURE;
typedef COR_SIGNATURE *PCOR_SIGNATURE;
typedef const COR_SIGNATURE *PCCOR_SIGNATURE;
/** UTF-8 text with a terminating zero. */
typedef const char *MDUTF8CSTR;
typedef char *MDUTF8STR;

/** Types in signatures. */
typedef enum CorElementType {
    ELEMENT_TYPE_END         = 0x00,
    ELEMENT_TYPE_VOID        = 0x01,
    ELEMENT_TYPE_BOOLEAN     = 0x02,
    ELEMENT_TYPE_CHAR        = 0x03,
    ELEMENT_TYPE_I1          = 0x04,
    ELEMENT_TYPE_U1          = 0x05,
    ELEMENT_TYPE_I2          = 0x06,
    ELEMENT_TYPE_U2          = 0x07,
    ELEMENT_TYPE_I4          = 0x08,
    ELEMENT_TYPE_U4          = 0x09,
    ELEMENT_TYPE_I8          = 0x0A,
    ELEMENT_TYPE_U8          = 0x0B,
    ELEMENT_TYPE_R4          = 0x0C,
    ELEMENT_TYPE_R8          = 0x0D,
    ELEMENT_TYPE_STRING      = 0x0E,
    ELEMENT_TYPE_PTR         = 0x0F,
    ELEMENT_TYPE_BYREF       = 0x10,
    ELEMENT_TYPE_VALUETYPE   = 0x11,
    ELEMENT_TYPE_CLASS       = 0x12,
    ELEMENT_TYPE_VAR         = 0x13,
    ELEMENT_TYPE_ARRAY       = 0x14,
    ELEMENT_TYPE_GENERICINST = 0x15,
    ELEMENT_TYPE_TYPEDBYREF  = 0x16,
    ELEMENT_TYPE_I           = 0x18,
    ELEMENT_TYPE_U           = 0x19,
    ELEMENT_TYPE_FNPTR       = 0x1B,
    ELEMENT_TYPE_OBJECT      = 0x1C,
    ELEMENT_TYPE_SZARRAY     = 0x1D,
    ELEMENT_TYPE_MVAR        = 0x1E,
    ELEMENT_TYPE_CMOD_REQD   = 0x1F,
    ELEMENT_TYPE_CMOD_OPT    = 0x20,
    ELEMENT_TYPE_INTERNAL    = 0x21,
    ELEMENT_TYPE_MAX         = 0x22,
    ELEMENT_TYPE_MODIFIER    = 0x40,
    ELEMENT_TYPE_SENTINEL    = 0x41,
    ELEMENT_TYPE_PINNED      = 0x45
} CorElementType;

/** Types in the blobs of custom attributes. */
typedef enum CorSerializationType {
    SERIALIZATION_TYPE_UNDEFINED     = 0x00,
    SERIALIZATION_TYPE_BOOLEAN       = 0x02,
    SERIALIZATION_TYPE_CHAR          = 0x03,
    SERIALIZATION_TYPE_I1            = 0x04,
    SERIALIZATION_TYPE_U1            = 0x05,
    SERIALIZATION_TYPE_I2            = 0x06,
    SERIALIZATION_TYPE_U2            = 0x07,
    SERIALIZATION_TYPE_I4            = 0x08,
    SERIALIZATION_TYPE_U4            = 0x09,
    SERIALIZATION_TYPE_I8            = 0x0A,
    SERIALIZATION_TYPE_U8            = 0x0B,
    SERIALIZATION_TYPE_R4            = 0x0C,
    SERIALIZATION_TYPE_R8            = 0x0D,
    SERIALIZATION_TYPE_STRING        = 0x0E,
    SERIALIZATION_TYPE_SZARRAY       = 0x1D,
    SERIALIZATION_TYPE_TYPE          = 0x50,
    SERIALIZATION_TYPE_TAGGED_OBJECT = 0x51,
    SERIALIZATION_TYPE_FIELD         = 0x53,
    SERIALIZATION_TYPE_PROPERTY      = 0x54,
    SERIALIZATION_TYPE_ENUM          = 0x55
} CorSerializationType;

/** Calling conventions of native functions. */
typedef enum CorUnmanagedCallingConvention {
    IMAGE_CEE_UNMANAGED_CALLCONV_C        = 1,
    IMAGE_CEE_UNMANAGED_CALLCONV_STDCALL  = 2,
    IMAGE_CEE_UNMANAGED_CALLCONV_THISCALL = 3,
    IMAGE_CEE_UNMANAGED_CALLCONV_FASTCALL = 4
} CorUnmanagedCallingConvention;

/** First byte of a signature: its kind and flags. */
typedef enum CorCallingConvention {
    IMAGE_CEE_CS_CALLCONV_DEFAULT      = 0x00,
    IMAGE_CEE_CS_CALLCONV_C            = 0x01,
    IMAGE_CEE_CS_CALLCONV_STDCALL      = 0x02,
    IMAGE_CEE_CS_CALLCONV_THISCALL     = 0x03,
    IMAGE_CEE_CS_CALLCONV_FASTCALL     = 0x04,
    IMAGE_CEE_CS_CALLCONV_VARARG       = 0x05,
    IMAGE_CEE_CS_CALLCONV_FIELD        = 0x06,
    IMAGE_CEE_CS_CALLCONV_LOCAL_SIG    = 0x07,
    IMAGE_CEE_CS_CALLCONV_PROPERTY     = 0x08,
    IMAGE_CEE_CS_CALLCONV_UNMANAGED    = 0x09,
    IMAGE_CEE_CS_CALLCONV_GENERICINST  = 0x0A,
    IMAGE_CEE_CS_CALLCONV_NATIVEVARARG = 0x0B,
    IMAGE_CEE_CS_CALLCONV_MAX          = 0x0C,
    IMAGE_CEE_CS_CALLCONV_MASK         = 0x0F,
    IMAGE_CEE_CS_CALLCONV_HASTHIS      = 0x20,
    IMAGE_CEE_CS_CALLCONV_EXPLICITTHIS = 0x40,
    IMAGE_CEE_CS_CALLCONV_GENERIC      = 0x10
} CorCallingConvention;

/** Sorts of arguments. */
typedef enum CorArgType {
    IMAGE_CEE_CS_END      = 0,
    IMAGE_CEE_CS_VOID     = 1,
    IMAGE_CEE_CS_I4       = 2,
    IMAGE_CEE_CS_I8       = 3,
    IMAGE_CEE_CS_R4       = 4,
    IMAGE_CEE_CS_R8       = 5,
    IMAGE_CEE_CS_PTR      = 6,
    IMAGE_CEE_CS_OBJECT   = 7,
    IMAGE_CEE_CS_STRUCT4  = 8,
    IMAGE_CEE_CS_STRUCT32 = 9,
    IMAGE_CEE_CS_BYVALUE  = 10
} CorArgType;

/** Native types of marshalling. */
typedef enum CorNativeType {
    NATIVE_TYPE_END             = 0x00,
    NATIVE_TYPE_VOID            = 0x01,
    NATIVE_TYPE_BOOLEAN         = 0x02,
    NATIVE_TYPE_I1              = 0x03,
    NATIVE_TYPE_U1              = 0x04,
    NATIVE_TYPE_I2              = 0x05,
    NATIVE_TYPE_U2              = 0x06,
    NATIVE_TYPE_I4              = 0x07,
    NATIVE_TYPE_U4              = 0x08,
    NATIVE_TYPE_I8              = 0x09,
    NATIVE_TYPE_U8              = 0x0A,
    NATIVE_TYPE_R4              = 0x0B,
    NATIVE_TYPE_R8              = 0x0C,
    NATIVE_TYPE_SYSCHAR         = 0x0D,
    NATIVE_TYPE_VARIANT         = 0x0E,
    NATIVE_TYPE_CURRENCY        = 0x0F,
    NATIVE_TYPE_PTR             = 0x10,
    NATIVE_TYPE_DECIMAL         = 0x11,
    NATIVE_TYPE_DATE            = 0x12,
    NATIVE_TYPE_BSTR            = 0x13,
    NATIVE_TYPE_LPSTR           = 0x14,
    NATIVE_TYPE_LPWSTR          = 0x15,
    NATIVE_TYPE_LPTSTR          = 0x16,
    NATIVE_TYPE_FIXEDSYSSTRING  = 0x17,
    NATIVE_TYPE_OBJECTREF       = 0x18,
    NATIVE_TYPE_IUNKNOWN        = 0x19,
    NATIVE_TYPE_IDISPATCH       = 0x1A,
    NATIVE_TYPE_STRUCT          = 0x1B,
    NATIVE_TYPE_INTF            = 0x1C,
    NATIVE_TYPE_SAFEARRAY       = 0x1D,
    NATIVE_TYPE_FIXEDARRAY      = 0x1E,
    NATIVE_TYPE_INT             = 0x1F,
    NATIVE_TYPE_UINT            = 0x20,
    NATIVE_TYPE_NESTEDSTRUCT    = 0x21,
    NATIVE_TYPE_BYVALSTR        = 0x22,
    NATIVE_TYPE_ANSIBSTR        = 0x23,
    NATIVE_TYPE_TBSTR           = 0x24,
    NATIVE_TYPE_VARIANTBOOL     = 0x25,
    NATIVE_TYPE_FUNC            = 0x26,
    NATIVE_TYPE_ASANY           = 0x28,
    NATIVE_TYPE_ARRAY           = 0x2A,
    NATIVE_TYPE_LPSTRUCT        = 0x2B,
    NATIVE_TYPE_CUSTOMMARSHALER = 0x2C,
    NATIVE_TYPE_ERROR           = 0x2D,
    NATIVE_TYPE_IINSPECTABLE    = 0x2E,
    NATIVE_TYPE_HSTRING         = 0x2F,
    NATIVE_TYPE_LPUTF8STR       = 0x30,
    NATIVE_TYPE_MAX             = 0x50
} CorNativeType;

/** Kinds and flags of sections that follow an IL body. */
typedef enum CorILMethodSect {
    CorILMethod_Sect_Reserved   = 0x00,
    CorILMethod_Sect_EHTable    = 0x01,
    CorILMethod_Sect_OptILTable = 0x02,
    CorILMethod_Sect_KindMask   = 0x3F,
    CorILMethod_Sect_FatFormat  = 0x40,
    CorILMethod_Sect_MoreSects  = 0x80
} CorILMethodSect;

/** Header of a small section that follows an IL body. */
typedef struct IMAGE_COR_ILMETHOD_SECT_SMALL {
    uint8_t Kind;
    uint8_t DataSize;
} IMAGE_COR_ILMETHOD_SECT_SMALL;

/** Header of a fat section that follows an IL body. */
typedef struct IMAGE_COR_ILMETHOD_SECT_FAT {
    unsigned int Kind : 8;
    unsigned int DataSize : 24;
} IMAGE_COR_ILMETHOD_SECT_FAT;

/** Kinds of exception clauses. */
typedef enum CorExceptionFlag {
    COR_ILEXCEPTION_CLAUSE_NONE       = 0,
    COR_ILEXCEPTION_CLAUSE_OFFSETLEN  = 0,
    COR_ILEXCEPTION_CLAUSE_DEPRECATED = 0,
    COR_ILEXCEPTION_CLAUSE_FILTER     = 1,
    COR_ILEXCEPTION_CLAUSE_FINALLY    = 2,
    COR_ILEXCEPTION_CLAUSE_FAULT      = 4,
    COR_ILEXCEPTION_CLAUSE_DUPLICATED = 8
} CorExceptionFlag;

/** Exception clause of a fat section. */
typedef struct IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_FAT {
    CorExceptionFlag Flags;
    uint32_t TryOffset;
    uint32_t TryLength;
    uint32_t HandlerOffset;
    uint32_t HandlerLength;
    /** Token of the caught type, or the IL offset of the filter, as the flags say. */
    uint32_t ClassTokenOrFilterOffset;
} IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_FAT;

/** Fat section of exception clauses; one or more follow. */
typedef struct IMAGE_COR_ILMETHOD_SECT_EH_FAT {
    IMAGE_COR_ILMETHOD_SECT_FAT SectFat;
    IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_FAT Clauses[1];
} IMAGE_COR_ILMETHOD_SECT_EH_FAT;

/** Exception clause of a small section. */
typedef struct IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL {
    unsigned int Flags : 16;
    unsigned int TryOffset : 16;
    unsigned int TryLength : 8;
    unsigned int HandlerOffset : 16;
    unsigned int HandlerLength : 8;
    /** Token of the caught type, or the IL offset of the filter, as the flags say. */
    uint32_t ClassTokenOrFilterOffset;
} IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL;

/** Small section of exception clauses; one or more follow. */
typedef struct IMAGE_COR_ILMETHOD_SECT_EH_SMALL {
    IMAGE_COR_ILMETHOD_SECT_SMALL SectSmall;
    uint16_t Reserved;
    IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL Clauses[1];
} IMAGE_COR_ILMETHOD_SECT_EH_SMALL;

/** Section of exception clauses, small or fat. */
typedef union IMAGE_COR_ILMETHOD_SECT_EH {
    IMAGE_COR_ILMETHOD_SECT_EH_SMALL Small;
    IMAGE_COR_ILMETHOD_SECT_EH_FAT Fat;
} IMAGE_COR_ILMETHOD_SECT_EH;

/** Formats and flags of IL bodies. */
typedef enum CorILMethodFlags {
    CorILMethod_InitLocals   = 0x10,
    CorILMethod_MoreSects    = 0x08,
    CorILMethod_CompressedIL = 0x40,
    CorILMethod_FormatShift  = 0x03,
    CorILMethod_FormatMask   = 0x07,
    CorILMethod_TinyFormat   = 0x02,
    CorILMethod_SmallFormat  = 0x00,
    CorILMethod_FatFormat    = 0x03,
    CorILMethod_TinyFormat1  = 0x06
} CorILMethodFlags;

/** Header of a tiny IL body: format and code size in one byte. */
typedef struct IMAGE_COR_ILMETHOD_TINY {
    uint8_t Flags_CodeSize;
} IMAGE_COR_ILMETHOD_TINY;

/** Header of a fat IL body. `Size` counts units of four bytes. */
typedef struct IMAGE_COR_ILMETHOD_FAT {
    unsigned int Flags : 12;
    unsigned int Size : 4;
    unsigned int MaxStack : 16;
    uint32_t CodeSize;
    mdSignature LocalVarSigTok;
} IMAGE_COR_ILMETHOD_FAT;

/** Header of an IL body, tiny or fat. */
typedef union IMAGE_COR_ILMETHOD {
    IMAGE_COR_ILMETHOD_TINY Tiny;
    IMAGE_COR_ILMETHOD_FAT Fat;
} IMAGE_COR_ILMETHOD;

/** Entry of the table of vtable fix-ups. */
typedef struct IMAGE_COR_VTABLEFIXUP {
    uint32_t RVA;
    uint16_t Count;
    uint16_t Type;
} IMAGE_COR_VTABLEFIXUP;

/** What to check for duplicates on emit. */
CORPROF_EXTENSION typedef enum CorCheckDuplicatesFor {
    MDDupAll                    = 0xFFFFFFFFu,
    MDDupENC                    = 0xFFFFFFFFu,
    MDNoDupChecks               = 0x00000000,
    MDDupTypeDef                = 0x00000001,
    MDDupInterfaceImpl          = 0x00000002,
    MDDupMethodDef              = 0x00000004,
    MDDupTypeRef                = 0x00000008,
    MDDupMemberRef              = 0x00000010,
    MDDupCustomAttribute        = 0x00000020,
    MDDupParamDef               = 0x00000040,
    MDDupPermission             = 0x00000080,
    MDDupProperty               = 0x00000100,
    MDDupEvent                  = 0x00000200,
    MDDupFieldDef               = 0x00000400,
    MDDupSignature              = 0x00000800,
    MDDupModuleRef              = 0x00001000,
    MDDupTypeSpec               = 0x00002000,
    MDDupImplMap                = 0x00004000,
    MDDupAssemblyRef            = 0x00008000,
    MDDupFile                   = 0x00010000,
    MDDupExportedType           = 0x00020000,
    MDDupManifestResource       = 0x00040000,
    MDDupGenericParam           = 0x00080000,
    MDDupMethodSpec             = 0x00100000,
    MDDupGenericParamConstraint = 0x00200000,
    MDDupAssembly               = 0x10000000,
    MDDupDefault                = 0x00102818
} CorCheckDuplicatesFor;

/** Which references to turn into definitions on emit. */
CORPROF_EXTENSION typedef enum CorRefToDefCheck {
    MDRefToDefDefault = 0x00000003,
    MDRefToDefAll     = 0xFFFFFFFFu,
    MDRefToDefNone    = 0x00000000,
    MDTypeRefToDef    = 0x00000001,
    MDMemberRefToDef  = 0x00000002
} CorRefToDefCheck;

/** Which moved tokens to report. */
CORPROF_EXTENSION typedef enum CorNotificationForTokenMovement {
    MDNotifyDefault         = 0x0000000F,
    MDNotifyAll             = 0xFFFFFFFFu,
    MDNotifyNone            = 0x00000000,
    MDNotifyMethodDef       = 0x00000001,
    MDNotifyMemberRef       = 0x00000002,
    MDNotifyFieldDef        = 0x00000004,
    MDNotifyTypeRef         = 0x00000008,
    MDNotifyTypeDef         = 0x00000010,
    MDNotifyParamDef        = 0x00000020,
    MDNotifyInterfaceImpl   = 0x00000040,
    MDNotifyProperty        = 0x00000080,
    MDNotifyEvent           = 0x00000100,
    MDNotifySignature       = 0x00000200,
    MDNotifyTypeSpec        = 0x00000400,
    MDNotifyCustomAttribute = 0x00000800,
    MDNotifySecurityValue   = 0x00001000,
    MDNotifyPermission      = 0x00002000,
    MDNotifyModuleRef       = 0x00004000,
    MDNotifyNameSpace       = 0x00008000,
    MDNotifyAssemblyRef     = 0x01000000,
    MDNotifyFile            = 0x02000000,
    MDNotifyExportedType    = 0x04000000,
    MDNotifyResource        = 0x08000000
} CorNotificationForTokenMovement;

/** Modes of update of metadata. */
typedef enum CorSetENC {
    MDSetENCOn          = 1,
    MDSetENCOff         = 2,
    MDUpdateENC         = 1,
    MDUpdateFull        = 2,
    MDUpdateExtension   = 3,
    MDUpdateIncremental = 4,
    MDUpdateDelta       = 5,
    MDUpdateMask        = 7
} CorSetENC;

/** Which tokens must be emitted in order. */
CORPROF_EXTENSION typedef enum CorErrorIfEmitOutOfOrder {
    MDErrorOutOfOrderDefault = 0x00000000,
    MDErrorOutOfOrderNone    = 0x00000000,
    MDErrorOutOfOrderAll     = 0xFFFFFFFFu,
    MDMethodOutOfOrder       = 0x00000001,
    MDFieldOutOfOrder        = 0x00000002,
    MDParamOutOfOrder        = 0x00000004,
    MDPropertyOutOfOrder     = 0x00000008,
    MDEventOutOfOrder        = 0x00000010
} CorErrorIfEmitOutOfOrder;

/** Which deleted items to show on import. */
CORPROF_EXTENSION typedef enum CorImportOptions {
    MDImportOptionDefault             = 0x00000000,
    MDImportOptionAll                 = 0xFFFFFFFFu,
    MDImportOptionAllTypeDefs         = 0x00000001,
    MDImportOptionAllMethodDefs       = 0x00000002,
    MDImportOptionAllFieldDefs        = 0x00000004,
    MDImportOptionAllProperties       = 0x00000008,
    MDImportOptionAllEvents           = 0x00000010,
    MDImportOptionAllCustomAttributes = 0x00000020,
    MDImportOptionAllExportedTypes    = 0x00000040
} CorImportOptions;

/** Whether the metadata interfaces lock. */
typedef enum CorThreadSafetyOptions {
    MDThreadSafetyDefault = 0,
    MDThreadSafetyOff     = 0,
    MDThreadSafetyOn      = 1
} CorThreadSafetyOptions;

/** What a linker makes. */
typedef enum CorLinkerOptions {
    MDAssembly  = 0,
    MDNetModule = 1
} CorLinkerOptions;

/** How to merge scopes. */
typedef enum MergeFlags {
    MergeFlagsNone     = 0,
    MergeManifest      = 1,
    DropMemberRefCAs   = 2,
    NoDupCheck         = 4,
    MergeExportedTypes = 8
} MergeFlags;

/** Which references to the own scope to keep on merge. */
typedef enum CorLocalRefPreservation {
    MDPreserveLocalRefsNone  = 0,
    MDPreserveLocalTypeRef   = 1,
    MDPreserveLocalMemberRef = 2
} CorLocalRefPreservation;

/** A field and its offset in a class. */
typedef struct COR_FIELD_OFFSET {
    mdFieldDef ridOfField;
    uint32_t ulOffset;
} COR_FIELD_OFFSET;

/** Tables that tokens point into: the high byte of a token. */
typedef enum CorTokenType {
    mdtModule                 = 0x00000000,
    mdtTypeRef                = 0x01000000,
    mdtTypeDef                = 0x02000000,
    mdtFieldDef               = 0x04000000,
    mdtMethodDef              = 0x06000000,
    mdtParamDef               = 0x08000000,
    mdtInterfaceImpl          = 0x09000000,
    mdtMemberRef              = 0x0A000000,
    mdtCustomAttribute        = 0x0C000000,
    mdtPermission             = 0x0E000000,
    mdtSignature              = 0x11000000,
    mdtEvent                  = 0x14000000,
    mdtProperty               = 0x17000000,
    mdtMethodImpl             = 0x19000000,
    mdtModuleRef              = 0x1A000000,
    mdtTypeSpec               = 0x1B000000,
    mdtAssembly               = 0x20000000,
    mdtAssemblyRef            = 0x23000000,
    mdtFile                   = 0x26000000,
    mdtExportedType           = 0x27000000,
    mdtManifestResource       = 0x28000000,
    mdtNestedClass            = 0x29000000,
    mdtGenericParam           = 0x2A000000,
    mdtMethodSpec             = 0x2B000000,
    mdtGenericParamConstraint = 0x2C000000,
    mdtString                 = 0x70000000,
    mdtName                   = 0x71000000,
    mdtBaseType               = 0x72000000
} CorTokenType;

/** How to open a scope. */
CORPROF_EXTENSION typedef enum CorOpenFlags {
    ofRead          = 0x00000000,
    ofWrite         = 0x00000001,
    ofReadWriteMask = 0x00000001,
    ofCopyMemory    = 0x00000002,
    ofReadOnly      = 0x00000010,
    ofTakeOwnership = 0x00000020,
    ofNoTypeLib     = 0x00000080,
    ofNoTransform   = 0x00001000,
    ofReserved1     = 0x00000100,
    ofReserved2     = 0x00000200,
    ofReserved3     = 0x00000400,
    ofReserved      = 0xFFFFEF40u
} CorOpenFlags;

/** How a file is mapped. */
typedef enum CorFileMapping {
    fmFlat            = 0,
    fmExecutableImage = 1
} CorFileMapping;

/** Flags of types, under their older name. */
typedef CorTypeAttr CorRegTypeAttr;
/** A metadata enumeration in progress. */
typedef void *HCORENUM;

/** What custom attributes may apply to. */
typedef enum CorAttributeTargets {
    catAssembly         = 0x0001,
    catModule           = 0x0002,
    catClass            = 0x0004,
    catStruct           = 0x0008,
    catEnum             = 0x0010,
    catConstructor      = 0x0020,
    catMethod           = 0x0040,
    catProperty         = 0x0080,
    catField            = 0x0100,
    catEvent            = 0x0200,
    catInterface        = 0x0400,
    catParameter        = 0x0800,
    catDelegate         = 0x1000,
    catGenericParameter = 0x4000,
    catAll              = 0x5FFF,
    catClassMembers     = 0x17FC
} CorAttributeTargets;

/** Hints for native images. */
typedef enum NGenHintEnum {
    NGenDefault = 0,
    NGenEager   = 1,
    NGenLazy    = 2,
    NGenNever   = 3
} NGenHintEnum;

/** Hints for loading of dependencies. */
typedef enum LoadHintEnum {
    LoadDefault   = 0,
    LoadAlways    = 1,
    LoadSometimes = 2,
    LoadNever     = 3
} LoadHintEnum;

/** How exact a size of saved metadata is to be. */
typedef enum CorSaveSize {
    cssAccurate            = 0,
    cssQuick               = 1,
    cssDiscardTransientCAs = 2
} CorSaveSize;

/** Flags of marshalled arrays. */
typedef enum NativeTypeArrayFlags {
    ntaSizeParamIndexSpecified = 0x0001,
    ntaReserved                = 0xFFFE
} NativeTypeArrayFlags;

/** Element types of homogeneous aggregates. */
typedef enum CorInfoHFAElemType {
    CORINFO_HFA_ELEM_NONE      = 0,
    CORINFO_HFA_ELEM_FLOAT     = 1,
    CORINFO_HFA_ELEM_DOUBLE    = 2,
    CORINFO_HFA_ELEM_VECTOR64  = 3,
    CORINFO_HFA_ELEM_VECTOR128 = 4
} CorInfoHFAElemType;

typedef void *PSECURITY_PROPS;
typedef void *PSECURITY_VALUE;
typedef void **PPSECURITY_PROPS;
typedef void **PPSECURITY_VALUE;

/** A security attribute: constructor and blob. */
typedef struct COR_SECATTR {
    mdMemberRef tkCtor;
    const void *pCustomAttribute;
    uint32_t cbCustomAttribute;
} COR_SECATTR;

/* Kinds of method description groups, and the masks that widen a compressed signed integer. */
#define DESCR_GROUP_METHODDEF  0u
#define DESCR_GROUP_METHODIMPL 1u
#define SIGN_MASK_ONEBYTE      0xFFFFFFC0u
#define SIGN_MASK_TWOBYTE      0xFFFFE000u
#define SIGN_MASK_FOURBYTE     0xF0000000u

CORPROF_END_DECLS

#endif /* CORPROF_CORHDR_H */
