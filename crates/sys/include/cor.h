/*
 * The metadata interfaces (IMetaData*) and the identifiers that go with them.
 *
 * Written for this project from the facts of the ABI (names, order, values, layout); see README.md.
 */
#ifndef CORPROF_COR_H
#define CORPROF_COR_H

#include "corprof_base.h"
#include "corhdr.h"

CORPROF_BEGIN_DECLS

typedef const void *UVCP_CONSTANT;

/** Operating system that an assembly names. */
typedef struct OSINFO {
    DWORD dwOSPlatformId;
    DWORD dwOSMajorVersion;
    DWORD dwOSMinorVersion;
} OSINFO;

/** Version, culture, processors and operating systems of an assembly. */
typedef struct ASSEMBLYMETADATA {
    USHORT usMajorVersion;
    USHORT usMinorVersion;
    USHORT usBuildNumber;
    USHORT usRevisionNumber;
    LPWSTR szLocale;
    ULONG cbLocale;
    DWORD *rProcessor;
    ULONG ulProcessor;
    OSINFO *rOS;
    ULONG ulOS;
} ASSEMBLYMETADATA;

/** Kinds of modules for a check. */
typedef enum CorValidatorModuleType {
    ValidatorModuleTypeInvalid = 0,
    ValidatorModuleTypeMin     = 1,
    ValidatorModuleTypePE      = 1,
    ValidatorModuleTypeObj     = 2,
    ValidatorModuleTypeEnc     = 3,
    ValidatorModuleTypeIncr    = 4,
    ValidatorModuleTypeMax     = 4
} CorValidatorModuleType;

#pragma pack(push, 1)
/** Link of a method to native code. */
typedef struct COR_NATIVE_LINK {
    BYTE m_linkType;
    BYTE m_flags;
    mdMemberRef m_entryPoint;
} COR_NATIVE_LINK;
#pragma pack(pop)

/** Character sets of native links. */
typedef enum CorNativeLinkType {
    nltNone     = 1,
    nltAnsi     = 2,
    nltUnicode  = 3,
    nltAuto     = 4,
    nltMaxValue = 7
} CorNativeLinkType;

/** Flags of native links. */
typedef enum CorNativeLinkFlags {
    nlfNone      = 0,
    nlfLastError = 1,
    nlfNoMangle  = 2,
    nlfMaxValue  = 3
} CorNativeLinkFlags;

/* Interfaces. Each is declared first, because methods refer to later ones. */
typedef struct IMetaDataError IMetaDataError;
typedef struct IMapToken IMapToken;
typedef struct IMetaDataDispenser IMetaDataDispenser;
typedef struct IMetaDataEmit IMetaDataEmit;
typedef struct IMetaDataEmit2 IMetaDataEmit2;
typedef struct IMetaDataImport IMetaDataImport;
typedef struct IMetaDataImport2 IMetaDataImport2;
typedef struct IMetaDataFilter IMetaDataFilter;
typedef struct IHostFilter IHostFilter;
typedef struct IMetaDataAssemblyEmit IMetaDataAssemblyEmit;
typedef struct IMetaDataAssemblyImport IMetaDataAssemblyImport;
typedef struct IMetaDataValidate IMetaDataValidate;
typedef struct IMetaDataDispenserEx IMetaDataDispenserEx;
typedef struct IMetaDataTables IMetaDataTables;
typedef struct IMetaDataTables2 IMetaDataTables2;
typedef struct IMetaDataInfo IMetaDataInfo;

/** Receives the errors that the metadata engine finds while it works. */
struct IMetaDataError {
    const struct IMetaDataErrorVtbl *lpVtbl;
};

/** Methods of `IMetaDataError`: the inherited ones in `base`, then slot 3. */
struct IMetaDataErrorVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *OnError)(IMetaDataError *This, HRESULT hrError, mdToken token);
};

/** Receives how tokens were renumbered. */
struct IMapToken {
    const struct IMapTokenVtbl *lpVtbl;
};

/** Methods of `IMapToken`: the inherited ones in `base`, then slot 3. */
struct IMapTokenVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Map)(IMapToken *This, mdToken tkImp, mdToken tkEmit);
};

/** Opens and creates metadata scopes. */
struct IMetaDataDispenser {
    const struct IMetaDataDispenserVtbl *lpVtbl;
};

/** Methods of `IMetaDataDispenser`: the inherited ones in `base`, then slots 3 to 5. */
struct IMetaDataDispenserVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *DefineScope)(IMetaDataDispenser *This, REFCLSID rclsid,
        DWORD dwCreateFlags, REFIID riid, IUnknown **ppIUnk);
    HRESULT (CORPROF_CALL *OpenScope)(IMetaDataDispenser *This, LPCWSTR szScope, DWORD dwOpenFlags,
        REFIID riid, IUnknown **ppIUnk);
    HRESULT (CORPROF_CALL *OpenScopeOnMemory)(IMetaDataDispenser *This, LPCVOID pData, ULONG cbData,
        DWORD dwOpenFlags, REFIID riid, IUnknown **ppIUnk);
};

/** Writes metadata: types, members, signatures, references. */
struct IMetaDataEmit {
    const struct IMetaDataEmitVtbl *lpVtbl;
};

/** Methods of `IMetaDataEmit`: the inherited ones in `base`, then slots 3 to 51. */
struct IMetaDataEmitVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *SetModuleProps)(IMetaDataEmit *This, LPCWSTR szName);
    HRESULT (CORPROF_CALL *Save)(IMetaDataEmit *This, LPCWSTR szFile, DWORD dwSaveFlags);
    HRESULT (CORPROF_CALL *SaveToStream)(IMetaDataEmit *This, IStream *pIStream, DWORD dwSaveFlags);
    HRESULT (CORPROF_CALL *GetSaveSize)(IMetaDataEmit *This, CorSaveSize fSave, DWORD *pdwSaveSize);
    HRESULT (CORPROF_CALL *DefineTypeDef)(IMetaDataEmit *This, LPCWSTR szTypeDef,
        DWORD dwTypeDefFlags, mdToken tkExtends, mdToken rtkImplements[], mdTypeDef *ptd);
    HRESULT (CORPROF_CALL *DefineNestedType)(IMetaDataEmit *This, LPCWSTR szTypeDef,
        DWORD dwTypeDefFlags, mdToken tkExtends, mdToken rtkImplements[], mdTypeDef tdEncloser,
        mdTypeDef *ptd);
    HRESULT (CORPROF_CALL *SetHandler)(IMetaDataEmit *This, IUnknown *pUnk);
    HRESULT (CORPROF_CALL *DefineMethod)(IMetaDataEmit *This, mdTypeDef td, LPCWSTR szName,
        DWORD dwMethodFlags, PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, ULONG ulCodeRVA,
        DWORD dwImplFlags, mdMethodDef *pmd);
    HRESULT (CORPROF_CALL *DefineMethodImpl)(IMetaDataEmit *This, mdTypeDef td, mdToken tkBody,
        mdToken tkDecl);
    HRESULT (CORPROF_CALL *DefineTypeRefByName)(IMetaDataEmit *This, mdToken tkResolutionScope,
        LPCWSTR szName, mdTypeRef *ptr);
    HRESULT (CORPROF_CALL *DefineImportType)(IMetaDataEmit *This,
        IMetaDataAssemblyImport *pAssemImport, const void *pbHashValue, ULONG cbHashValue,
        IMetaDataImport *pImport, mdTypeDef tdImport, IMetaDataAssemblyEmit *pAssemEmit,
        mdTypeRef *ptr);
    HRESULT (CORPROF_CALL *DefineMemberRef)(IMetaDataEmit *This, mdToken tkImport, LPCWSTR szName,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdMemberRef *pmr);
    HRESULT (CORPROF_CALL *DefineImportMember)(IMetaDataEmit *This,
        IMetaDataAssemblyImport *pAssemImport, const void *pbHashValue, ULONG cbHashValue,
        IMetaDataImport *pImport, mdToken mbMember, IMetaDataAssemblyEmit *pAssemEmit,
        mdToken tkParent, mdMemberRef *pmr);
    HRESULT (CORPROF_CALL *DefineEvent)(IMetaDataEmit *This, mdTypeDef td, LPCWSTR szEvent,
        DWORD dwEventFlags, mdToken tkEventType, mdMethodDef mdAddOn, mdMethodDef mdRemoveOn,
        mdMethodDef mdFire, mdMethodDef rmdOtherMethods[], mdEvent *pmdEvent);
    HRESULT (CORPROF_CALL *SetClassLayout)(IMetaDataEmit *This, mdTypeDef td, DWORD dwPackSize,
        COR_FIELD_OFFSET rFieldOffsets[], ULONG ulClassSize);
    HRESULT (CORPROF_CALL *DeleteClassLayout)(IMetaDataEmit *This, mdTypeDef td);
    HRESULT (CORPROF_CALL *SetFieldMarshal)(IMetaDataEmit *This, mdToken tk,
        PCCOR_SIGNATURE pvNativeType, ULONG cbNativeType);
    HRESULT (CORPROF_CALL *DeleteFieldMarshal)(IMetaDataEmit *This, mdToken tk);
    HRESULT (CORPROF_CALL *DefinePermissionSet)(IMetaDataEmit *This, mdToken tk, DWORD dwAction,
        const void *pvPermission, ULONG cbPermission, mdPermission *ppm);
    HRESULT (CORPROF_CALL *SetRVA)(IMetaDataEmit *This, mdMethodDef md, ULONG ulRVA);
    HRESULT (CORPROF_CALL *GetTokenFromSig)(IMetaDataEmit *This, PCCOR_SIGNATURE pvSig, ULONG cbSig,
        mdSignature *pmsig);
    HRESULT (CORPROF_CALL *DefineModuleRef)(IMetaDataEmit *This, LPCWSTR szName, mdModuleRef *pmur);
    HRESULT (CORPROF_CALL *SetParent)(IMetaDataEmit *This, mdMemberRef mr, mdToken tk);
    HRESULT (CORPROF_CALL *GetTokenFromTypeSpec)(IMetaDataEmit *This, PCCOR_SIGNATURE pvSig,
        ULONG cbSig, mdTypeSpec *ptypespec);
    HRESULT (CORPROF_CALL *SaveToMemory)(IMetaDataEmit *This, void *pbData, ULONG cbData);
    HRESULT (CORPROF_CALL *DefineUserString)(IMetaDataEmit *This, LPCWSTR szString, ULONG cchString,
        mdString *pstk);
    HRESULT (CORPROF_CALL *DeleteToken)(IMetaDataEmit *This, mdToken tkObj);
    HRESULT (CORPROF_CALL *SetMethodProps)(IMetaDataEmit *This, mdMethodDef md, DWORD dwMethodFlags,
        ULONG ulCodeRVA, DWORD dwImplFlags);
    HRESULT (CORPROF_CALL *SetTypeDefProps)(IMetaDataEmit *This, mdTypeDef td, DWORD dwTypeDefFlags,
        mdToken tkExtends, mdToken rtkImplements[]);
    HRESULT (CORPROF_CALL *SetEventProps)(IMetaDataEmit *This, mdEvent ev, DWORD dwEventFlags,
        mdToken tkEventType, mdMethodDef mdAddOn, mdMethodDef mdRemoveOn, mdMethodDef mdFire,
        mdMethodDef rmdOtherMethods[]);
    HRESULT (CORPROF_CALL *SetPermissionSetProps)(IMetaDataEmit *This, mdToken tk, DWORD dwAction,
        const void *pvPermission, ULONG cbPermission, mdPermission *ppm);
    HRESULT (CORPROF_CALL *DefinePinvokeMap)(IMetaDataEmit *This, mdToken tk, DWORD dwMappingFlags,
        LPCWSTR szImportName, mdModuleRef mrImportDLL);
    HRESULT (CORPROF_CALL *SetPinvokeMap)(IMetaDataEmit *This, mdToken tk, DWORD dwMappingFlags,
        LPCWSTR szImportName, mdModuleRef mrImportDLL);
    HRESULT (CORPROF_CALL *DeletePinvokeMap)(IMetaDataEmit *This, mdToken tk);
    HRESULT (CORPROF_CALL *DefineCustomAttribute)(IMetaDataEmit *This, mdToken tkOwner,
        mdToken tkCtor, const void *pCustomAttribute, ULONG cbCustomAttribute,
        mdCustomAttribute *pcv);
    HRESULT (CORPROF_CALL *SetCustomAttributeValue)(IMetaDataEmit *This, mdCustomAttribute pcv,
        const void *pCustomAttribute, ULONG cbCustomAttribute);
    HRESULT (CORPROF_CALL *DefineField)(IMetaDataEmit *This, mdTypeDef td, LPCWSTR szName,
        DWORD dwFieldFlags, PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, DWORD dwCPlusTypeFlag,
        const void *pValue, ULONG cchValue, mdFieldDef *pmd);
    HRESULT (CORPROF_CALL *DefineProperty)(IMetaDataEmit *This, mdTypeDef td, LPCWSTR szProperty,
        DWORD dwPropFlags, PCCOR_SIGNATURE pvSig, ULONG cbSig, DWORD dwCPlusTypeFlag,
        const void *pValue, ULONG cchValue, mdMethodDef mdSetter, mdMethodDef mdGetter,
        mdMethodDef rmdOtherMethods[], mdProperty *pmdProp);
    HRESULT (CORPROF_CALL *DefineParam)(IMetaDataEmit *This, mdMethodDef md, ULONG ulParamSeq,
        LPCWSTR szName, DWORD dwParamFlags, DWORD dwCPlusTypeFlag, const void *pValue,
        ULONG cchValue, mdParamDef *ppd);
    HRESULT (CORPROF_CALL *SetFieldProps)(IMetaDataEmit *This, mdFieldDef fd, DWORD dwFieldFlags,
        DWORD dwCPlusTypeFlag, const void *pValue, ULONG cchValue);
    HRESULT (CORPROF_CALL *SetPropertyProps)(IMetaDataEmit *This, mdProperty pr, DWORD dwPropFlags,
        DWORD dwCPlusTypeFlag, const void *pValue, ULONG cchValue, mdMethodDef mdSetter,
        mdMethodDef mdGetter, mdMethodDef rmdOtherMethods[]);
    HRESULT (CORPROF_CALL *SetParamProps)(IMetaDataEmit *This, mdParamDef pd, LPCWSTR szName,
        DWORD dwParamFlags, DWORD dwCPlusTypeFlag, const void *pValue, ULONG cchValue);
    HRESULT (CORPROF_CALL *DefineSecurityAttributeSet)(IMetaDataEmit *This, mdToken tkObj,
        COR_SECATTR rSecAttrs[], ULONG cSecAttrs, ULONG *pulErrorAttr);
    HRESULT (CORPROF_CALL *ApplyEditAndContinue)(IMetaDataEmit *This, IUnknown *pImport);
    HRESULT (CORPROF_CALL *TranslateSigWithScope)(IMetaDataEmit *This,
        IMetaDataAssemblyImport *pAssemImport, const void *pbHashValue, ULONG cbHashValue,
        IMetaDataImport *import, PCCOR_SIGNATURE pbSigBlob, ULONG cbSigBlob,
        IMetaDataAssemblyEmit *pAssemEmit, IMetaDataEmit *emit, PCOR_SIGNATURE pvTranslatedSig,
        ULONG cbTranslatedSigMax, ULONG *pcbTranslatedSig);
    HRESULT (CORPROF_CALL *SetMethodImplFlags)(IMetaDataEmit *This, mdMethodDef md,
        DWORD dwImplFlags);
    HRESULT (CORPROF_CALL *SetFieldRVA)(IMetaDataEmit *This, mdFieldDef fd, ULONG ulRVA);
    HRESULT (CORPROF_CALL *Merge)(IMetaDataEmit *This, IMetaDataImport *pImport,
        IMapToken *pHostMapToken, IUnknown *pHandler);
    HRESULT (CORPROF_CALL *MergeEnd)(IMetaDataEmit *This);
};

/** Writes type parameters, method instantiations, and deltas. */
struct IMetaDataEmit2 {
    const struct IMetaDataEmit2Vtbl *lpVtbl;
};

/** Methods of `IMetaDataEmit2`: the inherited ones in `base`, then slots 52 to 59. */
struct IMetaDataEmit2Vtbl {
    struct IMetaDataEmitVtbl base;
    HRESULT (CORPROF_CALL *DefineMethodSpec)(IMetaDataEmit2 *This, mdToken tkParent,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdMethodSpec *pmi);
    HRESULT (CORPROF_CALL *GetDeltaSaveSize)(IMetaDataEmit2 *This, CorSaveSize fSave,
        DWORD *pdwSaveSize);
    HRESULT (CORPROF_CALL *SaveDelta)(IMetaDataEmit2 *This, LPCWSTR szFile, DWORD dwSaveFlags);
    HRESULT (CORPROF_CALL *SaveDeltaToStream)(IMetaDataEmit2 *This, IStream *pIStream,
        DWORD dwSaveFlags);
    HRESULT (CORPROF_CALL *SaveDeltaToMemory)(IMetaDataEmit2 *This, void *pbData, ULONG cbData);
    HRESULT (CORPROF_CALL *DefineGenericParam)(IMetaDataEmit2 *This, mdToken tk, ULONG ulParamSeq,
        DWORD dwParamFlags, LPCWSTR szname, DWORD reserved, mdToken rtkConstraints[],
        mdGenericParam *pgp);
    HRESULT (CORPROF_CALL *SetGenericParamProps)(IMetaDataEmit2 *This, mdGenericParam gp,
        DWORD dwParamFlags, LPCWSTR szName, DWORD reserved, mdToken rtkConstraints[]);
    HRESULT (CORPROF_CALL *ResetENCLog)(IMetaDataEmit2 *This);
};

/** Reads metadata: types, members, signatures, references, attributes. */
struct IMetaDataImport {
    const struct IMetaDataImportVtbl *lpVtbl;
};

/** Methods of `IMetaDataImport`: the inherited ones in `base`, then slots 3 to 64. */
struct IMetaDataImportVtbl {
    struct IUnknownVtbl base;
    void (CORPROF_CALL *CloseEnum)(IMetaDataImport *This, HCORENUM hEnum);
    HRESULT (CORPROF_CALL *CountEnum)(IMetaDataImport *This, HCORENUM hEnum, ULONG *pulCount);
    HRESULT (CORPROF_CALL *ResetEnum)(IMetaDataImport *This, HCORENUM hEnum, ULONG ulPos);
    HRESULT (CORPROF_CALL *EnumTypeDefs)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeDef rTypeDefs[], ULONG cMax, ULONG *pcTypeDefs);
    HRESULT (CORPROF_CALL *EnumInterfaceImpls)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeDef td, mdInterfaceImpl rImpls[], ULONG cMax, ULONG *pcImpls);
    HRESULT (CORPROF_CALL *EnumTypeRefs)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeRef rTypeRefs[], ULONG cMax, ULONG *pcTypeRefs);
    HRESULT (CORPROF_CALL *FindTypeDefByName)(IMetaDataImport *This, LPCWSTR szTypeDef,
        mdToken tkEnclosingClass, mdTypeDef *ptd);
    HRESULT (CORPROF_CALL *GetScopeProps)(IMetaDataImport *This, LPWSTR szName, ULONG cchName,
        ULONG *pchName, GUID *pmvid);
    HRESULT (CORPROF_CALL *GetModuleFromScope)(IMetaDataImport *This, mdModule *pmd);
    HRESULT (CORPROF_CALL *GetTypeDefProps)(IMetaDataImport *This, mdTypeDef td, LPWSTR szTypeDef,
        ULONG cchTypeDef, ULONG *pchTypeDef, DWORD *pdwTypeDefFlags, mdToken *ptkExtends);
    HRESULT (CORPROF_CALL *GetInterfaceImplProps)(IMetaDataImport *This, mdInterfaceImpl iiImpl,
        mdTypeDef *pClass, mdToken *ptkIface);
    HRESULT (CORPROF_CALL *GetTypeRefProps)(IMetaDataImport *This, mdTypeRef tr,
        mdToken *ptkResolutionScope, LPWSTR szName, ULONG cchName, ULONG *pchName);
    HRESULT (CORPROF_CALL *ResolveTypeRef)(IMetaDataImport *This, mdTypeRef tr, REFIID riid,
        IUnknown **ppIScope, mdTypeDef *ptd);
    HRESULT (CORPROF_CALL *EnumMembers)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef cl,
        mdToken rMembers[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumMembersWithName)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeDef cl, LPCWSTR szName, mdToken rMembers[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumMethods)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef cl,
        mdMethodDef rMethods[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumMethodsWithName)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeDef cl, LPCWSTR szName, mdMethodDef rMethods[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumFields)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef cl,
        mdFieldDef rFields[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumFieldsWithName)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeDef cl, LPCWSTR szName, mdFieldDef rFields[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumParams)(IMetaDataImport *This, HCORENUM *phEnum, mdMethodDef mb,
        mdParamDef rParams[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumMemberRefs)(IMetaDataImport *This, HCORENUM *phEnum,
        mdToken tkParent, mdMemberRef rMemberRefs[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumMethodImpls)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef td,
        mdToken rMethodBody[], mdToken rMethodDecl[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumPermissionSets)(IMetaDataImport *This, HCORENUM *phEnum, mdToken tk,
        DWORD dwActions, mdPermission rPermission[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *FindMember)(IMetaDataImport *This, mdTypeDef td, LPCWSTR szName,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdToken *pmb);
    HRESULT (CORPROF_CALL *FindMethod)(IMetaDataImport *This, mdTypeDef td, LPCWSTR szName,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdMethodDef *pmb);
    HRESULT (CORPROF_CALL *FindField)(IMetaDataImport *This, mdTypeDef td, LPCWSTR szName,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdFieldDef *pmb);
    HRESULT (CORPROF_CALL *FindMemberRef)(IMetaDataImport *This, mdTypeRef td, LPCWSTR szName,
        PCCOR_SIGNATURE pvSigBlob, ULONG cbSigBlob, mdMemberRef *pmr);
    HRESULT (CORPROF_CALL *GetMethodProps)(IMetaDataImport *This, mdMethodDef mb, mdTypeDef *pClass,
        LPWSTR szMethod, ULONG cchMethod, ULONG *pchMethod, DWORD *pdwAttr,
        PCCOR_SIGNATURE *ppvSigBlob, ULONG *pcbSigBlob, ULONG *pulCodeRVA, DWORD *pdwImplFlags);
    HRESULT (CORPROF_CALL *GetMemberRefProps)(IMetaDataImport *This, mdMemberRef mr, mdToken *ptk,
        LPWSTR szMember, ULONG cchMember, ULONG *pchMember, PCCOR_SIGNATURE *ppvSigBlob,
        ULONG *pbSig);
    HRESULT (CORPROF_CALL *EnumProperties)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef td,
        mdProperty rProperties[], ULONG cMax, ULONG *pcProperties);
    HRESULT (CORPROF_CALL *EnumEvents)(IMetaDataImport *This, HCORENUM *phEnum, mdTypeDef td,
        mdEvent rEvents[], ULONG cMax, ULONG *pcEvents);
    HRESULT (CORPROF_CALL *GetEventProps)(IMetaDataImport *This, mdEvent ev, mdTypeDef *pClass,
        LPCWSTR szEvent, ULONG cchEvent, ULONG *pchEvent, DWORD *pdwEventFlags,
        mdToken *ptkEventType, mdMethodDef *pmdAddOn, mdMethodDef *pmdRemoveOn,
        mdMethodDef *pmdFire, mdMethodDef rmdOtherMethod[], ULONG cMax, ULONG *pcOtherMethod);
    HRESULT (CORPROF_CALL *EnumMethodSemantics)(IMetaDataImport *This, HCORENUM *phEnum,
        mdMethodDef mb, mdToken rEventProp[], ULONG cMax, ULONG *pcEventProp);
    HRESULT (CORPROF_CALL *GetMethodSemantics)(IMetaDataImport *This, mdMethodDef mb,
        mdToken tkEventProp, DWORD *pdwSemanticsFlags);
    HRESULT (CORPROF_CALL *GetClassLayout)(IMetaDataImport *This, mdTypeDef td, DWORD *pdwPackSize,
        COR_FIELD_OFFSET rFieldOffset[], ULONG cMax, ULONG *pcFieldOffset, ULONG *pulClassSize);
    HRESULT (CORPROF_CALL *GetFieldMarshal)(IMetaDataImport *This, mdToken tk,
        PCCOR_SIGNATURE *ppvNativeType, ULONG *pcbNativeType);
    HRESULT (CORPROF_CALL *GetRVA)(IMetaDataImport *This, mdToken tk, ULONG *pulCodeRVA,
        DWORD *pdwImplFlags);
    HRESULT (CORPROF_CALL *GetPermissionSetProps)(IMetaDataImport *This, mdPermission pm,
        DWORD *pdwAction, const void **ppvPermission, ULONG *pcbPermission);
    HRESULT (CORPROF_CALL *GetSigFromToken)(IMetaDataImport *This, mdSignature mdSig,
        PCCOR_SIGNATURE *ppvSig, ULONG *pcbSig);
    HRESULT (CORPROF_CALL *GetModuleRefProps)(IMetaDataImport *This, mdModuleRef mur, LPWSTR szName,
        ULONG cchName, ULONG *pchName);
    HRESULT (CORPROF_CALL *EnumModuleRefs)(IMetaDataImport *This, HCORENUM *phEnum,
        mdModuleRef rModuleRefs[], ULONG cmax, ULONG *pcModuleRefs);
    HRESULT (CORPROF_CALL *GetTypeSpecFromToken)(IMetaDataImport *This, mdTypeSpec typespec,
        PCCOR_SIGNATURE *ppvSig, ULONG *pcbSig);
    HRESULT (CORPROF_CALL *GetNameFromToken)(IMetaDataImport *This, mdToken tk,
        MDUTF8CSTR *pszUtf8NamePtr);
    HRESULT (CORPROF_CALL *EnumUnresolvedMethods)(IMetaDataImport *This, HCORENUM *phEnum,
        mdToken rMethods[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *GetUserString)(IMetaDataImport *This, mdString stk, LPWSTR szString,
        ULONG cchString, ULONG *pchString);
    HRESULT (CORPROF_CALL *GetPinvokeMap)(IMetaDataImport *This, mdToken tk, DWORD *pdwMappingFlags,
        LPWSTR szImportName, ULONG cchImportName, ULONG *pchImportName, mdModuleRef *pmrImportDLL);
    HRESULT (CORPROF_CALL *EnumSignatures)(IMetaDataImport *This, HCORENUM *phEnum,
        mdSignature rSignatures[], ULONG cmax, ULONG *pcSignatures);
    HRESULT (CORPROF_CALL *EnumTypeSpecs)(IMetaDataImport *This, HCORENUM *phEnum,
        mdTypeSpec rTypeSpecs[], ULONG cmax, ULONG *pcTypeSpecs);
    HRESULT (CORPROF_CALL *EnumUserStrings)(IMetaDataImport *This, HCORENUM *phEnum,
        mdString rStrings[], ULONG cmax, ULONG *pcStrings);
    HRESULT (CORPROF_CALL *GetParamForMethodIndex)(IMetaDataImport *This, mdMethodDef md,
        ULONG ulParamSeq, mdParamDef *ppd);
    HRESULT (CORPROF_CALL *EnumCustomAttributes)(IMetaDataImport *This, HCORENUM *phEnum,
        mdToken tk, mdToken tkType, mdCustomAttribute rCustomAttributes[], ULONG cMax,
        ULONG *pcCustomAttributes);
    HRESULT (CORPROF_CALL *GetCustomAttributeProps)(IMetaDataImport *This, mdCustomAttribute cv,
        mdToken *ptkObj, mdToken *ptkType, const void **ppBlob, ULONG *pcbSize);
    HRESULT (CORPROF_CALL *FindTypeRef)(IMetaDataImport *This, mdToken tkResolutionScope,
        LPCWSTR szName, mdTypeRef *ptr);
    HRESULT (CORPROF_CALL *GetMemberProps)(IMetaDataImport *This, mdToken mb, mdTypeDef *pClass,
        LPWSTR szMember, ULONG cchMember, ULONG *pchMember, DWORD *pdwAttr,
        PCCOR_SIGNATURE *ppvSigBlob, ULONG *pcbSigBlob, ULONG *pulCodeRVA, DWORD *pdwImplFlags,
        DWORD *pdwCPlusTypeFlag, UVCP_CONSTANT *ppValue, ULONG *pcchValue);
    HRESULT (CORPROF_CALL *GetFieldProps)(IMetaDataImport *This, mdFieldDef mb, mdTypeDef *pClass,
        LPWSTR szField, ULONG cchField, ULONG *pchField, DWORD *pdwAttr,
        PCCOR_SIGNATURE *ppvSigBlob, ULONG *pcbSigBlob, DWORD *pdwCPlusTypeFlag,
        UVCP_CONSTANT *ppValue, ULONG *pcchValue);
    HRESULT (CORPROF_CALL *GetPropertyProps)(IMetaDataImport *This, mdProperty prop,
        mdTypeDef *pClass, LPCWSTR szProperty, ULONG cchProperty, ULONG *pchProperty,
        DWORD *pdwPropFlags, PCCOR_SIGNATURE *ppvSig, ULONG *pbSig, DWORD *pdwCPlusTypeFlag,
        UVCP_CONSTANT *ppDefaultValue, ULONG *pcchDefaultValue, mdMethodDef *pmdSetter,
        mdMethodDef *pmdGetter, mdMethodDef rmdOtherMethod[], ULONG cMax, ULONG *pcOtherMethod);
    HRESULT (CORPROF_CALL *GetParamProps)(IMetaDataImport *This, mdParamDef tk, mdMethodDef *pmd,
        ULONG *pulSequence, LPWSTR szName, ULONG cchName, ULONG *pchName, DWORD *pdwAttr,
        DWORD *pdwCPlusTypeFlag, UVCP_CONSTANT *ppValue, ULONG *pcchValue);
    HRESULT (CORPROF_CALL *GetCustomAttributeByName)(IMetaDataImport *This, mdToken tkObj,
        LPCWSTR szName, const void **ppData, ULONG *pcbData);
    BOOL (CORPROF_CALL *IsValidToken)(IMetaDataImport *This, mdToken tk);
    HRESULT (CORPROF_CALL *GetNestedClassProps)(IMetaDataImport *This, mdTypeDef tdNestedClass,
        mdTypeDef *ptdEnclosingClass);
    HRESULT (CORPROF_CALL *GetNativeCallConvFromSig)(IMetaDataImport *This, const void *pvSig,
        ULONG cbSig, ULONG *pCallConv);
    HRESULT (CORPROF_CALL *IsGlobal)(IMetaDataImport *This, mdToken pd, int *pbGlobal);
};

/** Reads type parameters and method instantiations. */
struct IMetaDataImport2 {
    const struct IMetaDataImport2Vtbl *lpVtbl;
};

/** Methods of `IMetaDataImport2`: the inherited ones in `base`, then slots 65 to 72. */
struct IMetaDataImport2Vtbl {
    struct IMetaDataImportVtbl base;
    HRESULT (CORPROF_CALL *EnumGenericParams)(IMetaDataImport2 *This, HCORENUM *phEnum, mdToken tk,
        mdGenericParam rGenericParams[], ULONG cMax, ULONG *pcGenericParams);
    HRESULT (CORPROF_CALL *GetGenericParamProps)(IMetaDataImport2 *This, mdGenericParam gp,
        ULONG *pulParamSeq, DWORD *pdwParamFlags, mdToken *ptOwner, DWORD *reserved, LPWSTR wzname,
        ULONG cchName, ULONG *pchName);
    HRESULT (CORPROF_CALL *GetMethodSpecProps)(IMetaDataImport2 *This, mdMethodSpec mi,
        mdToken *tkParent, PCCOR_SIGNATURE *ppvSigBlob, ULONG *pcbSigBlob);
    HRESULT (CORPROF_CALL *EnumGenericParamConstraints)(IMetaDataImport2 *This, HCORENUM *phEnum,
        mdGenericParam tk, mdGenericParamConstraint rGenericParamConstraints[], ULONG cMax,
        ULONG *pcGenericParamConstraints);
    HRESULT (CORPROF_CALL *GetGenericParamConstraintProps)(IMetaDataImport2 *This,
        mdGenericParamConstraint gpc, mdGenericParam *ptGenericParam, mdToken *ptkConstraintType);
    HRESULT (CORPROF_CALL *GetPEKind)(IMetaDataImport2 *This, DWORD *pdwPEKind, DWORD *pdwMAchine);
    HRESULT (CORPROF_CALL *GetVersionString)(IMetaDataImport2 *This, LPWSTR pwzBuf, DWORD ccBufSize,
        DWORD *pccBufSize);
    HRESULT (CORPROF_CALL *EnumMethodSpecs)(IMetaDataImport2 *This, HCORENUM *phEnum, mdToken tk,
        mdMethodSpec rMethodSpecs[], ULONG cMax, ULONG *pcMethodSpecs);
};

/** Marks the tokens that are to be kept. */
struct IMetaDataFilter {
    const struct IMetaDataFilterVtbl *lpVtbl;
};

/** Methods of `IMetaDataFilter`: the inherited ones in `base`, then slots 3 to 5. */
struct IMetaDataFilterVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *UnmarkAll)(IMetaDataFilter *This);
    HRESULT (CORPROF_CALL *MarkToken)(IMetaDataFilter *This, mdToken tk);
    HRESULT (CORPROF_CALL *IsTokenMarked)(IMetaDataFilter *This, mdToken tk, BOOL *pIsMarked);
};

/** Is asked to mark a token. */
struct IHostFilter {
    const struct IHostFilterVtbl *lpVtbl;
};

/** Methods of `IHostFilter`: the inherited ones in `base`, then slot 3. */
struct IHostFilterVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *MarkToken)(IHostFilter *This, mdToken tk);
};

/** Writes the manifest: assembly, references, files, exported types, resources. */
struct IMetaDataAssemblyEmit {
    const struct IMetaDataAssemblyEmitVtbl *lpVtbl;
};

/** Methods of `IMetaDataAssemblyEmit`: the inherited ones in `base`, then slots 3 to 12. */
struct IMetaDataAssemblyEmitVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *DefineAssembly)(IMetaDataAssemblyEmit *This, const void *pbPublicKey,
        ULONG cbPublicKey, ULONG ulHashAlgId, LPCWSTR szName, const ASSEMBLYMETADATA *pMetaData,
        DWORD dwAssemblyFlags, mdAssembly *pma);
    HRESULT (CORPROF_CALL *DefineAssemblyRef)(IMetaDataAssemblyEmit *This,
        const void *pbPublicKeyOrToken, ULONG cbPublicKeyOrToken, LPCWSTR szName,
        const ASSEMBLYMETADATA *pMetaData, const void *pbHashValue, ULONG cbHashValue,
        DWORD dwAssemblyRefFlags, mdAssemblyRef *pmdar);
    HRESULT (CORPROF_CALL *DefineFile)(IMetaDataAssemblyEmit *This, LPCWSTR szName,
        const void *pbHashValue, ULONG cbHashValue, DWORD dwFileFlags, mdFile *pmdf);
    HRESULT (CORPROF_CALL *DefineExportedType)(IMetaDataAssemblyEmit *This, LPCWSTR szName,
        mdToken tkImplementation, mdTypeDef tkTypeDef, DWORD dwExportedTypeFlags,
        mdExportedType *pmdct);
    HRESULT (CORPROF_CALL *DefineManifestResource)(IMetaDataAssemblyEmit *This, LPCWSTR szName,
        mdToken tkImplementation, DWORD dwOffset, DWORD dwResourceFlags, mdManifestResource *pmdmr);
    HRESULT (CORPROF_CALL *SetAssemblyProps)(IMetaDataAssemblyEmit *This, mdAssembly pma,
        const void *pbPublicKey, ULONG cbPublicKey, ULONG ulHashAlgId, LPCWSTR szName,
        const ASSEMBLYMETADATA *pMetaData, DWORD dwAssemblyFlags);
    HRESULT (CORPROF_CALL *SetAssemblyRefProps)(IMetaDataAssemblyEmit *This, mdAssemblyRef ar,
        const void *pbPublicKeyOrToken, ULONG cbPublicKeyOrToken, LPCWSTR szName,
        const ASSEMBLYMETADATA *pMetaData, const void *pbHashValue, ULONG cbHashValue,
        DWORD dwAssemblyRefFlags);
    HRESULT (CORPROF_CALL *SetFileProps)(IMetaDataAssemblyEmit *This, mdFile file,
        const void *pbHashValue, ULONG cbHashValue, DWORD dwFileFlags);
    HRESULT (CORPROF_CALL *SetExportedTypeProps)(IMetaDataAssemblyEmit *This, mdExportedType ct,
        mdToken tkImplementation, mdTypeDef tkTypeDef, DWORD dwExportedTypeFlags);
    HRESULT (CORPROF_CALL *SetManifestResourceProps)(IMetaDataAssemblyEmit *This,
        mdManifestResource mr, mdToken tkImplementation, DWORD dwOffset, DWORD dwResourceFlags);
};

/** Reads the manifest: assembly, references, files, exported types, resources. */
struct IMetaDataAssemblyImport {
    const struct IMetaDataAssemblyImportVtbl *lpVtbl;
};

/** Methods of `IMetaDataAssemblyImport`: the inherited ones in `base`, then slots 3 to 16. */
struct IMetaDataAssemblyImportVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *GetAssemblyProps)(IMetaDataAssemblyImport *This, mdAssembly mda,
        const void **ppbPublicKey, ULONG *pcbPublicKey, ULONG *pulHashAlgId, LPWSTR szName,
        ULONG cchName, ULONG *pchName, ASSEMBLYMETADATA *pMetaData, DWORD *pdwAssemblyFlags);
    HRESULT (CORPROF_CALL *GetAssemblyRefProps)(IMetaDataAssemblyImport *This, mdAssemblyRef mdar,
        const void **ppbPublicKeyOrToken, ULONG *pcbPublicKeyOrToken, LPWSTR szName, ULONG cchName,
        ULONG *pchName, ASSEMBLYMETADATA *pMetaData, const void **ppbHashValue, ULONG *pcbHashValue,
        DWORD *pdwAssemblyRefFlags);
    HRESULT (CORPROF_CALL *GetFileProps)(IMetaDataAssemblyImport *This, mdFile mdf, LPWSTR szName,
        ULONG cchName, ULONG *pchName, const void **ppbHashValue, ULONG *pcbHashValue,
        DWORD *pdwFileFlags);
    HRESULT (CORPROF_CALL *GetExportedTypeProps)(IMetaDataAssemblyImport *This, mdExportedType mdct,
        LPWSTR szName, ULONG cchName, ULONG *pchName, mdToken *ptkImplementation,
        mdTypeDef *ptkTypeDef, DWORD *pdwExportedTypeFlags);
    HRESULT (CORPROF_CALL *GetManifestResourceProps)(IMetaDataAssemblyImport *This,
        mdManifestResource mdmr, LPWSTR szName, ULONG cchName, ULONG *pchName,
        mdToken *ptkImplementation, DWORD *pdwOffset, DWORD *pdwResourceFlags);
    HRESULT (CORPROF_CALL *EnumAssemblyRefs)(IMetaDataAssemblyImport *This, HCORENUM *phEnum,
        mdAssemblyRef rAssemblyRefs[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumFiles)(IMetaDataAssemblyImport *This, HCORENUM *phEnum,
        mdFile rFiles[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumExportedTypes)(IMetaDataAssemblyImport *This, HCORENUM *phEnum,
        mdExportedType rExportedTypes[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *EnumManifestResources)(IMetaDataAssemblyImport *This, HCORENUM *phEnum,
        mdManifestResource rManifestResources[], ULONG cMax, ULONG *pcTokens);
    HRESULT (CORPROF_CALL *GetAssemblyFromScope)(IMetaDataAssemblyImport *This,
        mdAssembly *ptkAssembly);
    HRESULT (CORPROF_CALL *FindExportedTypeByName)(IMetaDataAssemblyImport *This, LPCWSTR szName,
        mdToken mdtExportedType, mdExportedType *ptkExportedType);
    HRESULT (CORPROF_CALL *FindManifestResourceByName)(IMetaDataAssemblyImport *This,
        LPCWSTR szName, mdManifestResource *ptkManifestResource);
    void (CORPROF_CALL *CloseEnum)(IMetaDataAssemblyImport *This, HCORENUM hEnum);
    HRESULT (CORPROF_CALL *FindAssembliesByName)(IMetaDataAssemblyImport *This, LPCWSTR szAppBase,
        LPCWSTR szPrivateBin, LPCWSTR szAssemblyName, IUnknown *ppIUnk[], ULONG cMax,
        ULONG *pcAssemblies);
};

/** Checks a scope for consistency. */
struct IMetaDataValidate {
    const struct IMetaDataValidateVtbl *lpVtbl;
};

/** Methods of `IMetaDataValidate`: the inherited ones in `base`, then slots 3 to 4. */
struct IMetaDataValidateVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *ValidatorInit)(IMetaDataValidate *This, DWORD dwModuleType,
        IUnknown *pUnk);
    HRESULT (CORPROF_CALL *ValidateMetaData)(IMetaDataValidate *This);
};

/** Opens scopes with options, and finds assemblies. */
struct IMetaDataDispenserEx {
    const struct IMetaDataDispenserExVtbl *lpVtbl;
};

/** Methods of `IMetaDataDispenserEx`: the inherited ones in `base`, then slots 6 to 11. */
struct IMetaDataDispenserExVtbl {
    struct IMetaDataDispenserVtbl base;
    HRESULT (CORPROF_CALL *SetOption)(IMetaDataDispenserEx *This, REFGUID optionid,
        const VARIANT *value);
    HRESULT (CORPROF_CALL *GetOption)(IMetaDataDispenserEx *This, REFGUID optionid, VARIANT *pvalue);
    HRESULT (CORPROF_CALL *OpenScopeOnITypeInfo)(IMetaDataDispenserEx *This, ITypeInfo *pITI,
        DWORD dwOpenFlags, REFIID riid, IUnknown **ppIUnk);
    HRESULT (CORPROF_CALL *GetCORSystemDirectory)(IMetaDataDispenserEx *This, LPWSTR szBuffer,
        DWORD cchBuffer, DWORD *pchBuffer);
    HRESULT (CORPROF_CALL *FindAssembly)(IMetaDataDispenserEx *This, LPCWSTR szAppBase,
        LPCWSTR szPrivateBin, LPCWSTR szGlobalBin, LPCWSTR szAssemblyName, LPCWSTR szName,
        ULONG cchName, ULONG *pcName);
    HRESULT (CORPROF_CALL *FindAssemblyModule)(IMetaDataDispenserEx *This, LPCWSTR szAppBase,
        LPCWSTR szPrivateBin, LPCWSTR szGlobalBin, LPCWSTR szAssemblyName, LPCWSTR szModuleName,
        LPWSTR szName, ULONG cchName, ULONG *pcName);
};

/** Reads the metadata tables and heaps as they are stored. */
struct IMetaDataTables {
    const struct IMetaDataTablesVtbl *lpVtbl;
};

/** Methods of `IMetaDataTables`: the inherited ones in `base`, then slots 3 to 21. */
struct IMetaDataTablesVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *GetStringHeapSize)(IMetaDataTables *This, ULONG *pcbStrings);
    HRESULT (CORPROF_CALL *GetBlobHeapSize)(IMetaDataTables *This, ULONG *pcbBlobs);
    HRESULT (CORPROF_CALL *GetGuidHeapSize)(IMetaDataTables *This, ULONG *pcbGuids);
    HRESULT (CORPROF_CALL *GetUserStringHeapSize)(IMetaDataTables *This, ULONG *pcbBlobs);
    HRESULT (CORPROF_CALL *GetNumTables)(IMetaDataTables *This, ULONG *pcTables);
    HRESULT (CORPROF_CALL *GetTableIndex)(IMetaDataTables *This, ULONG token, ULONG *pixTbl);
    HRESULT (CORPROF_CALL *GetTableInfo)(IMetaDataTables *This, ULONG ixTbl, ULONG *pcbRow,
        ULONG *pcRows, ULONG *pcCols, ULONG *piKey, const char **ppName);
    HRESULT (CORPROF_CALL *GetColumnInfo)(IMetaDataTables *This, ULONG ixTbl, ULONG ixCol,
        ULONG *poCol, ULONG *pcbCol, ULONG *pType, const char **ppName);
    HRESULT (CORPROF_CALL *GetCodedTokenInfo)(IMetaDataTables *This, ULONG ixCdTkn, ULONG *pcTokens,
        ULONG **ppTokens, const char **ppName);
    HRESULT (CORPROF_CALL *GetRow)(IMetaDataTables *This, ULONG ixTbl, ULONG rid, void **ppRow);
    HRESULT (CORPROF_CALL *GetColumn)(IMetaDataTables *This, ULONG ixTbl, ULONG ixCol, ULONG rid,
        ULONG *pVal);
    HRESULT (CORPROF_CALL *GetString)(IMetaDataTables *This, ULONG ixString, const char **ppString);
    HRESULT (CORPROF_CALL *GetBlob)(IMetaDataTables *This, ULONG ixBlob, ULONG *pcbData,
        const void **ppData);
    HRESULT (CORPROF_CALL *GetGuid)(IMetaDataTables *This, ULONG ixGuid, const GUID **ppGUID);
    HRESULT (CORPROF_CALL *GetUserString)(IMetaDataTables *This, ULONG ixUserString, ULONG *pcbData,
        const void **ppData);
    HRESULT (CORPROF_CALL *GetNextString)(IMetaDataTables *This, ULONG ixString, ULONG *pNext);
    HRESULT (CORPROF_CALL *GetNextBlob)(IMetaDataTables *This, ULONG ixBlob, ULONG *pNext);
    HRESULT (CORPROF_CALL *GetNextGuid)(IMetaDataTables *This, ULONG ixGuid, ULONG *pNext);
    HRESULT (CORPROF_CALL *GetNextUserString)(IMetaDataTables *This, ULONG ixUserString,
        ULONG *pNext);
};

/** Reads the root and the streams of the stored metadata. */
struct IMetaDataTables2 {
    const struct IMetaDataTables2Vtbl *lpVtbl;
};

/** Methods of `IMetaDataTables2`: the inherited ones in `base`, then slots 22 to 23. */
struct IMetaDataTables2Vtbl {
    struct IMetaDataTablesVtbl base;
    HRESULT (CORPROF_CALL *GetMetaDataStorage)(IMetaDataTables2 *This, const void **ppvMd,
        ULONG *pcbMd);
    HRESULT (CORPROF_CALL *GetMetaDataStreamInfo)(IMetaDataTables2 *This, ULONG ix,
        const char **ppchName, const void **ppv, ULONG *pcb);
};

/** Tells where the metadata is mapped in memory. */
struct IMetaDataInfo {
    const struct IMetaDataInfoVtbl *lpVtbl;
};

/** Methods of `IMetaDataInfo`: the inherited ones in `base`, then slot 3. */
struct IMetaDataInfoVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *GetFileMapping)(IMetaDataInfo *This, const void **ppvData,
        ULONGLONG *pcbData, DWORD *pdwMappingType);
};

/* Identifiers: classes, metadata options, custom attributes, interfaces. */
CORPROF_GUID(LIBID_ComPlusRuntime, 0xBED7F4EA, 0x1A96, 0x11D2, 0x8F, 0x08, 0x00, 0xA0, 0xC9, 0xA6, 0x18, 0x6D);
CORPROF_GUID(GUID_ExportedFromComPlus, 0x90883F05, 0x3D28, 0x11D2, 0x8F, 0x17, 0x00, 0xA0, 0xC9, 0xA6, 0x18, 0x6D);
CORPROF_GUID(GUID_ManagedName, 0x0F21F359, 0xAB84, 0x41E8, 0x9A, 0x78, 0x36, 0xD1, 0x10, 0xE6, 0xD2, 0xF9);
CORPROF_GUID(GUID_Function2Getter, 0x54FC8F55, 0x38DE, 0x4703, 0x9C, 0x4E, 0x25, 0x03, 0x51, 0x30, 0x2B, 0x1C);
CORPROF_GUID(CLSID_CorMetaDataDispenserRuntime, 0x1EC2DE53, 0x75CC, 0x11D2, 0x97, 0x75, 0x00, 0xA0, 0xC9, 0xB4, 0xD5, 0x0C);
CORPROF_GUID(GUID_DispIdOverride, 0xCD2BC5C9, 0xF452, 0x4326, 0xB7, 0x14, 0xF9, 0xC5, 0x39, 0xD4, 0xDA, 0x58);
CORPROF_GUID(GUID_ForceIEnumerable, 0xB64784EB, 0xD8D4, 0x4D9B, 0x9A, 0xCD, 0x0E, 0x30, 0x80, 0x64, 0x26, 0xF7);
CORPROF_GUID(GUID_PropGetCA, 0x2941FF83, 0x88D8, 0x4F73, 0xB6, 0xA9, 0xBD, 0xF8, 0x71, 0x2D, 0x00, 0x0D);
CORPROF_GUID(GUID_PropPutCA, 0x29533527, 0x3683, 0x4364, 0xAB, 0xC0, 0xDB, 0x1A, 0xDD, 0x82, 0x2F, 0xA2);
CORPROF_GUID(CLSID_CLR_v1_MetaData, 0x005023CA, 0x72B1, 0x11D3, 0x9F, 0xC4, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(CLSID_CLR_v2_MetaData, 0xEFEA471A, 0x44FD, 0x4862, 0x92, 0x92, 0x0C, 0x58, 0xD4, 0x6E, 0x1F, 0x3A);
CORPROF_GUID(MetaDataCheckDuplicatesFor, 0x30FE7BE8, 0xD7D9, 0x11D2, 0x9F, 0x80, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(MetaDataRefToDefCheck, 0xDE3856F8, 0xD7D9, 0x11D2, 0x9F, 0x80, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(MetaDataNotificationForTokenMovement, 0xE5D71A4C, 0xD7DA, 0x11D2, 0x9F, 0x80, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(MetaDataSetUpdate, 0x2EEE315C, 0xD7DB, 0x11D2, 0x9F, 0x80, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(MetaDataImportOption, 0x79700F36, 0x4AAC, 0x11D3, 0x84, 0xC3, 0x00, 0x90, 0x27, 0x86, 0x8C, 0xB1);
CORPROF_GUID(MetaDataThreadSafetyOptions, 0xF7559806, 0xF266, 0x42EA, 0x8C, 0x63, 0x0A, 0xDB, 0x45, 0xE8, 0xB2, 0x34);
CORPROF_GUID(MetaDataErrorIfEmitOutOfOrder, 0x1547872D, 0xDC03, 0x11D2, 0x94, 0x20, 0x00, 0x00, 0xF8, 0x08, 0x34, 0x60);
CORPROF_GUID(MetaDataGenerateTCEAdapters, 0xDCC9DE90, 0x4151, 0x11D3, 0x88, 0xD6, 0x00, 0x90, 0x27, 0x54, 0xC4, 0x3A);
CORPROF_GUID(MetaDataTypeLibImportNamespace, 0xF17FF889, 0x5A63, 0x11D3, 0x9F, 0xF2, 0x00, 0xC0, 0x4F, 0xF7, 0x43, 0x1A);
CORPROF_GUID(MetaDataLinkerOptions, 0x47E099B6, 0xAE7C, 0x4797, 0x83, 0x17, 0xB4, 0x8A, 0xA6, 0x45, 0xB8, 0xF9);
CORPROF_GUID(MetaDataRuntimeVersion, 0x47E099B7, 0xAE7C, 0x4797, 0x83, 0x17, 0xB4, 0x8A, 0xA6, 0x45, 0xB8, 0xF9);
CORPROF_GUID(MetaDataMergerOptions, 0x132D3A6E, 0xB35D, 0x464E, 0x95, 0x1A, 0x42, 0xEF, 0xB9, 0xFB, 0x66, 0x01);
CORPROF_GUID(MetaDataPreserveLocalRefs, 0xA55C0354, 0xE91B, 0x468B, 0x86, 0x48, 0x7C, 0xC3, 0x10, 0x35, 0xD5, 0x33);
CORPROF_GUID(CLSID_Cor, 0xBEE00010, 0xEE77, 0x11D0, 0xA0, 0x15, 0x00, 0xC0, 0x4F, 0xBB, 0xB8, 0x84);
CORPROF_GUID(CLSID_CorMetaDataDispenser, 0xE5CB7A31, 0x7512, 0x11D2, 0x89, 0xCE, 0x00, 0x80, 0xC7, 0x92, 0xE5, 0xD8);
CORPROF_GUID(CLSID_CorMetaDataDispenserReg, 0x435755FF, 0x7397, 0x11D2, 0x97, 0x71, 0x00, 0xA0, 0xC9, 0xB4, 0xD5, 0x0C);
CORPROF_GUID(CLSID_CorMetaDataReg, 0x87F3A1F5, 0x7397, 0x11D2, 0x97, 0x71, 0x00, 0xA0, 0xC9, 0xB4, 0xD5, 0x0C);
CORPROF_GUID(IID_IMetaDataError, 0xB81FF171, 0x20F3, 0x11D2, 0x8D, 0xCC, 0x00, 0xA0, 0xC9, 0xB0, 0x9C, 0x19);
CORPROF_GUID(IID_IMapToken, 0x06A3EA8B, 0x0225, 0x11D1, 0xBF, 0x72, 0x00, 0xC0, 0x4F, 0xC3, 0x1E, 0x12);
CORPROF_GUID(IID_IMetaDataDispenser, 0x809C652E, 0x7396, 0x11D2, 0x97, 0x71, 0x00, 0xA0, 0xC9, 0xB4, 0xD5, 0x0C);
CORPROF_GUID(IID_IMetaDataEmit, 0xBA3FEE4C, 0xECB9, 0x4E41, 0x83, 0xB7, 0x18, 0x3F, 0xA4, 0x1C, 0xD8, 0x59);
CORPROF_GUID(IID_IMetaDataEmit2, 0xF5DD9950, 0xF693, 0x42E6, 0x83, 0x0E, 0x7B, 0x83, 0x3E, 0x81, 0x46, 0xA9);
CORPROF_GUID(IID_IMetaDataImport, 0x7DAC8207, 0xD3AE, 0x4C75, 0x9B, 0x67, 0x92, 0x80, 0x1A, 0x49, 0x7D, 0x44);
CORPROF_GUID(IID_IMetaDataImport2, 0xFCE5EFA0, 0x8BBA, 0x4F8E, 0xA0, 0x36, 0x8F, 0x20, 0x22, 0xB0, 0x84, 0x66);
CORPROF_GUID(IID_IMetaDataFilter, 0xD0E80DD1, 0x12D4, 0x11D3, 0xB3, 0x9D, 0x00, 0xC0, 0x4F, 0xF8, 0x17, 0x95);
CORPROF_GUID(IID_IHostFilter, 0xD0E80DD3, 0x12D4, 0x11D3, 0xB3, 0x9D, 0x00, 0xC0, 0x4F, 0xF8, 0x17, 0x95);
CORPROF_GUID(IID_IMetaDataAssemblyEmit, 0x211EF15B, 0x5317, 0x4438, 0xB1, 0x96, 0xDE, 0xC8, 0x7B, 0x88, 0x76, 0x93);
CORPROF_GUID(IID_IMetaDataAssemblyImport, 0xEE62470B, 0xE94B, 0x424E, 0x9B, 0x7C, 0x2F, 0x00, 0xC9, 0x24, 0x9F, 0x93);
CORPROF_GUID(IID_IMetaDataValidate, 0x4709C9C6, 0x81FF, 0x11D3, 0x9F, 0xC7, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(IID_IMetaDataDispenserEx, 0x31BCFCE2, 0xDAFB, 0x11D2, 0x9F, 0x81, 0x00, 0xC0, 0x4F, 0x79, 0xA0, 0xA3);
CORPROF_GUID(IID_IMetaDataTables, 0xD8F579AB, 0x402D, 0x4B8E, 0x82, 0xD9, 0x5D, 0x63, 0xB1, 0x06, 0x5C, 0x68);
CORPROF_GUID(IID_IMetaDataTables2, 0xBADB5F70, 0x58DA, 0x43A9, 0xA1, 0xC6, 0xD7, 0x48, 0x19, 0xF1, 0x9B, 0x15);
CORPROF_GUID(IID_IMetaDataInfo, 0x7998EA64, 0x7F95, 0x48B8, 0x86, 0xFC, 0x17, 0xCA, 0xF4, 0x8B, 0xF5, 0xCB);

CORPROF_END_DECLS

#endif /* CORPROF_COR_H */
