//! The vtables: for each COM method its implementation, or one that returns `E_NOTIMPL`.
#![allow(unsafe_code)]

use core::ffi::c_void;

use corprof_sys as sys;

use super::stub::{Named, Unscripted};
use super::{
    Kind, UNKNOWN, control, emit, enumerators, import, import_rows, info, info_calls, info_code,
    info_objects, manifest,
};

/// The vtable of an object.
pub(super) fn of(kind: &Kind) -> *const c_void {
    match kind {
        Kind::Info => table(const { &INFO15 }),
        Kind::Import(_) => table(const { &IMPORT }),
        Kind::Manifest(_) => table(const { &MANIFEST }),
        Kind::Emit(_) => table(const { &EMIT }),
        Kind::List(list) => enumerators::vtable(list),
        Kind::Control(_) => table(const { &CONTROL }),
        Kind::Malloc => table(const { &control::MALLOC }),
    }
}

fn table<T>(table: &'static T) -> *const c_void {
    core::ptr::from_ref(table).cast()
}

/// Declares vtables: name, interface and type, the vtable that it extends, the module of the functions, and the methods
/// that are not implemented.
macro_rules! vtables {
    ($($name:ident: $interface:ident, $vtable:ident on $base:ident {
        $(in $place:ident { $($method:ident),* })*
        unscripted { $($missing:ident),* }
    })*) => {$(
        const $name: sys::$vtable = sys::$vtable {
            base: $base,
            $($($method: $place::$method,)*)*
            $($missing: {
                struct Name;
                impl Named for Name {
                    const NAME: &'static str = concat!(stringify!($interface), "::", stringify!($missing));
                }
                <_ as Unscripted<Name>>::FUNCTION
            },)*
        };
    )*};
}

vtables! {
    INFO1: ICorProfilerInfo, ICorProfilerInfoVtbl on UNKNOWN {
        in info { GetEventMask, GetThreadInfo, GetCurrentThreadID, SetEventMask, GetModuleInfo, GetModuleMetaData, GetAppDomainInfo, GetAssemblyInfo, ForceGC }
        in info_objects { GetClassFromObject, GetClassFromToken, GetObjectSize, IsArrayClass, GetClassIDInfo }
        in info_calls { GetFunctionInfo }
        in info_code { GetFunctionFromToken, GetTokenAndMetaDataFromFunction, GetILFunctionBody, GetILFunctionBodyAllocator, SetILFunctionBody }
        unscripted { GetCodeInfo, GetFunctionFromIP, GetHandleFromThread, SetEnterLeaveFunctionHooks, SetFunctionIDMapper, SetFunctionReJIT, SetILInstrumentedCodeMap, GetInprocInspectionInterface, GetInprocInspectionIThisThread, GetThreadContext, BeginInprocDebugging, EndInprocDebugging, GetILToNativeMapping }
    }
    INFO2: ICorProfilerInfo2, ICorProfilerInfo2Vtbl on INFO1 {
        in info { GetThreadAppDomain }
        in info_objects { GetClassLayout, GetClassIDInfo2, GetClassFromTokenAndTypeArgs, GetArrayObjectInfo, GetBoxClassLayout, GetObjectGeneration }
        in info_calls { DoStackSnapshot, GetFunctionInfo2 }
        in info_code { GetFunctionFromTokenAndTypeArgs }
        unscripted { SetEnterLeaveFunctionHooks2, GetStringLayout, GetCodeInfo2, EnumModuleFrozenObjects, GetRVAStaticAddress, GetAppDomainStaticAddress, GetThreadStaticAddress, GetContextStaticAddress, GetStaticFieldInfo, GetGenerationBounds, GetNotifiedExceptionClauseInfo }
    }
    INFO3: ICorProfilerInfo3, ICorProfilerInfo3Vtbl on INFO2 {
        in info { RequestProfilerDetach, EnumModules, GetRuntimeInformation, GetAppDomainsContainingModule, GetModuleInfo2 }
        in info_objects { GetStringLayout2 }
        in info_calls { SetFunctionIDMapper2, SetEnterLeaveFunctionHooks3, SetEnterLeaveFunctionHooks3WithInfo, GetFunctionEnter3Info, GetFunctionLeave3Info, GetFunctionTailcall3Info }
        in info_code { EnumJITedFunctions }
        unscripted { GetThreadStaticAddress2 }
    }
    INFO4: ICorProfilerInfo4, ICorProfilerInfo4Vtbl on INFO3 {
        in info { EnumThreads, InitializeCurrentThread }
        in info_objects { GetObjectSize2 }
        in info_code { RequestReJIT, RequestRevert, GetReJITIDs, EnumJITedFunctions2 }
        unscripted { GetCodeInfo3, GetFunctionFromIP2, GetILToNativeMapping2 }
    }
    INFO5: ICorProfilerInfo5, ICorProfilerInfo5Vtbl on INFO4 {
        in info { GetEventMask2, SetEventMask2 }
        unscripted {}
    }
    INFO6: ICorProfilerInfo6, ICorProfilerInfo6Vtbl on INFO5 {
        unscripted { EnumNgenModuleMethodsInliningThisMethod }
    }
    INFO7: ICorProfilerInfo7, ICorProfilerInfo7Vtbl on INFO6 {
        in info_code { ApplyMetaData }
        unscripted { GetInMemorySymbolsLength, ReadInMemorySymbols }
    }
    INFO8: ICorProfilerInfo8, ICorProfilerInfo8Vtbl on INFO7 {
        in info_code { IsFunctionDynamic }
        unscripted { GetFunctionFromIP3, GetDynamicFunctionInfo }
    }
    INFO9: ICorProfilerInfo9, ICorProfilerInfo9Vtbl on INFO8 {
        unscripted { GetNativeCodeStartAddresses, GetILToNativeMapping3, GetCodeInfo4 }
    }
    INFO10: ICorProfilerInfo10, ICorProfilerInfo10Vtbl on INFO9 {
        in info { SuspendRuntime, ResumeRuntime }
        in info_objects { EnumerateObjectReferences, IsFrozenObject, GetLOHObjectSizeThreshold }
        in info_code { RequestReJITWithInliners }
        unscripted {}
    }
    INFO11: ICorProfilerInfo11, ICorProfilerInfo11Vtbl on INFO10 {
        in info { GetEnvironmentVariableA, SetEnvironmentVariableA }
        unscripted {}
    }
    INFO12: ICorProfilerInfo12, ICorProfilerInfo12Vtbl on INFO11 {
        unscripted { EventPipeStartSession, EventPipeAddProviderToSession, EventPipeStopSession, EventPipeCreateProvider, EventPipeGetProviderInfo, EventPipeDefineEvent, EventPipeWriteEvent }
    }
    INFO13: ICorProfilerInfo13, ICorProfilerInfo13Vtbl on INFO12 {
        in info_objects { CreateHandle, DestroyHandle, GetObjectIDFromHandle }
        unscripted {}
    }
    INFO14: ICorProfilerInfo14, ICorProfilerInfo14Vtbl on INFO13 {
        unscripted { EnumerateNonGCObjects, GetNonGCHeapBounds, EventPipeCreateProvider2 }
    }
    INFO15: ICorProfilerInfo15, ICorProfilerInfo15Vtbl on INFO14 {
        in info_objects { EnumerateGCHeapObjects }
        unscripted {}
    }
    IMPORT1: IMetaDataImport, IMetaDataImportVtbl on UNKNOWN {
        in import { CloseEnum, CountEnum, ResetEnum, EnumTypeDefs, EnumInterfaceImpls, EnumTypeRefs, EnumMembers, EnumMembersWithName, EnumMethods, EnumMethodsWithName, EnumFields, EnumFieldsWithName, EnumParams, EnumMemberRefs, EnumMethodImpls, EnumProperties, EnumEvents, EnumMethodSemantics, EnumModuleRefs, EnumSignatures, EnumTypeSpecs, EnumUserStrings, EnumCustomAttributes }
        in import_rows { FindTypeDefByName, GetScopeProps, GetModuleFromScope, GetTypeDefProps, GetInterfaceImplProps, GetTypeRefProps, FindMethod, FindField, GetMethodProps, GetRVA, GetTypeSpecFromToken, GetParamForMethodIndex, FindTypeRef, GetFieldProps, GetParamProps, GetCustomAttributeByName, IsValidToken, GetNestedClassProps, IsGlobal }
        unscripted { ResolveTypeRef, GetMethodSemantics, GetPropertyProps, GetUserString, EnumPermissionSets, FindMember, FindMemberRef, GetMemberRefProps, GetEventProps, GetClassLayout, GetFieldMarshal, GetPermissionSetProps, GetSigFromToken, GetModuleRefProps, GetNameFromToken, EnumUnresolvedMethods, GetPinvokeMap, GetCustomAttributeProps, GetMemberProps, GetNativeCallConvFromSig }
    }
    IMPORT: IMetaDataImport2, IMetaDataImport2Vtbl on IMPORT1 {
        in import { EnumGenericParams, EnumGenericParamConstraints, EnumMethodSpecs }
        in import_rows { GetGenericParamProps }
        unscripted { GetMethodSpecProps, GetGenericParamConstraintProps, GetPEKind, GetVersionString }
    }
    MANIFEST: IMetaDataAssemblyImport, IMetaDataAssemblyImportVtbl on UNKNOWN {
        in manifest { GetAssemblyProps, GetAssemblyRefProps, EnumAssemblyRefs, EnumFiles, EnumExportedTypes, EnumManifestResources, GetAssemblyFromScope, FindExportedTypeByName, CloseEnum }
        unscripted { GetFileProps, GetExportedTypeProps, GetManifestResourceProps, FindManifestResourceByName, FindAssembliesByName }
    }
    EMIT1: IMetaDataEmit, IMetaDataEmitVtbl on UNKNOWN {
        in emit { SetRVA }
        unscripted { SetModuleProps, Save, SaveToStream, GetSaveSize, DefineTypeDef, DefineNestedType, SetHandler, DefineMethod, DefineMethodImpl, DefineTypeRefByName, DefineImportType, DefineMemberRef, DefineImportMember, DefineEvent, SetClassLayout, DeleteClassLayout, SetFieldMarshal, DeleteFieldMarshal, DefinePermissionSet, GetTokenFromSig, DefineModuleRef, SetParent, GetTokenFromTypeSpec, SaveToMemory, DefineUserString, DeleteToken, SetMethodProps, SetTypeDefProps, SetEventProps, SetPermissionSetProps, DefinePinvokeMap, SetPinvokeMap, DeletePinvokeMap, DefineCustomAttribute, SetCustomAttributeValue, DefineField, DefineProperty, DefineParam, SetFieldProps, SetPropertyProps, SetParamProps, DefineSecurityAttributeSet, ApplyEditAndContinue, TranslateSigWithScope, SetMethodImplFlags, SetFieldRVA, Merge, MergeEnd }
    }
    EMIT: IMetaDataEmit2, IMetaDataEmit2Vtbl on EMIT1 {
        unscripted { DefineMethodSpec, GetDeltaSaveSize, SaveDelta, SaveDeltaToStream, SaveDeltaToMemory, DefineGenericParam, SetGenericParamProps, ResetENCLog }
    }
    CONTROL: ICorProfilerFunctionControl, ICorProfilerFunctionControlVtbl on UNKNOWN {
        in control { SetCodegenFlags, SetILFunctionBody, SetILInstrumentedCodeMap }
        unscripted {}
    }
}
