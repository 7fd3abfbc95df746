/*
 * The profiling interfaces (ICorProfiler*), their callbacks, flags and structures.
 *
 * Written for this project from the facts of the ABI (names, order, values, layout); see README.md.
 */
#ifndef CORPROF_CORPROF_H
#define CORPROF_CORPROF_H

#include "corprof_base.h"
#include "corhdr.h"
#include "cor.h"

CORPROF_BEGIN_DECLS

/* Interfaces. Each is declared first, because methods refer to later ones. */
typedef struct ICorProfilerCallback ICorProfilerCallback;
typedef struct ICorProfilerCallback2 ICorProfilerCallback2;
typedef struct ICorProfilerCallback3 ICorProfilerCallback3;
typedef struct ICorProfilerCallback4 ICorProfilerCallback4;
typedef struct ICorProfilerCallback5 ICorProfilerCallback5;
typedef struct ICorProfilerCallback6 ICorProfilerCallback6;
typedef struct ICorProfilerCallback7 ICorProfilerCallback7;
typedef struct ICorProfilerCallback8 ICorProfilerCallback8;
typedef struct ICorProfilerCallback9 ICorProfilerCallback9;
typedef struct ICorProfilerCallback10 ICorProfilerCallback10;
typedef struct ICorProfilerCallback11 ICorProfilerCallback11;
typedef struct ICorProfilerInfo ICorProfilerInfo;
typedef struct ICorProfilerInfo2 ICorProfilerInfo2;
typedef struct ICorProfilerInfo3 ICorProfilerInfo3;
typedef struct ICorProfilerObjectEnum ICorProfilerObjectEnum;
typedef struct ICorProfilerFunctionEnum ICorProfilerFunctionEnum;
typedef struct ICorProfilerModuleEnum ICorProfilerModuleEnum;
typedef struct IMethodMalloc IMethodMalloc;
typedef struct ICorProfilerFunctionControl ICorProfilerFunctionControl;
typedef struct ICorProfilerInfo4 ICorProfilerInfo4;
typedef struct ICorProfilerInfo5 ICorProfilerInfo5;
typedef struct ICorProfilerInfo6 ICorProfilerInfo6;
typedef struct ICorProfilerInfo7 ICorProfilerInfo7;
typedef struct ICorProfilerInfo8 ICorProfilerInfo8;
typedef struct ICorProfilerInfo9 ICorProfilerInfo9;
typedef struct ICorProfilerInfo10 ICorProfilerInfo10;
typedef struct ICorProfilerInfo11 ICorProfilerInfo11;
typedef struct ICorProfilerInfo12 ICorProfilerInfo12;
typedef struct ICorProfilerInfo13 ICorProfilerInfo13;
typedef struct ICorProfilerInfo14 ICorProfilerInfo14;
typedef struct ICorProfilerMethodEnum ICorProfilerMethodEnum;
typedef struct ICorProfilerThreadEnum ICorProfilerThreadEnum;
typedef struct ICorProfilerAssemblyReferenceProvider ICorProfilerAssemblyReferenceProvider;
typedef struct ICorProfilerInfo15 ICorProfilerInfo15;

typedef const BYTE *LPCBYTE;
typedef BYTE *LPBYTE;

/** Where an IL offset went in a new IL body. */
typedef struct COR_IL_MAP {
    ULONG32 oldOffset;
    ULONG32 newOffset;
    BOOL fAccurate;
} COR_IL_MAP;

/** Native code that has no IL offset. */
CORPROF_EXTENSION typedef enum CorDebugIlToNativeMappingTypes {
    NO_MAPPING = 0xFFFFFFFFu,
    PROLOG     = 0xFFFFFFFEu,
    EPILOG     = 0xFFFFFFFDu
} CorDebugIlToNativeMappingTypes;

/** The native code of an IL offset. */
typedef struct COR_DEBUG_IL_TO_NATIVE_MAP {
    ULONG32 ilOffset;
    ULONG32 nativeStartOffset;
    ULONG32 nativeEndOffset;
} COR_DEBUG_IL_TO_NATIVE_MAP;

typedef UINT_PTR ProcessID;
/** A loaded assembly. */
typedef UINT_PTR AssemblyID;
/** An application domain. */
typedef UINT_PTR AppDomainID;
/** A loaded module. */
typedef UINT_PTR ModuleID;
/** A type, for one instantiation. */
typedef UINT_PTR ClassID;
/** A managed thread. */
typedef UINT_PTR ThreadID;
typedef UINT_PTR ContextID;
/** A function, for one instantiation. */
typedef UINT_PTR FunctionID;
/** An object, which the next garbage collection may move. */
typedef UINT_PTR ObjectID;
/** A handle of the garbage collector. */
typedef UINT_PTR GCHandleID;
/** What a hook passes back to ask for details of the call, while it runs. */
typedef UINT_PTR COR_PRF_ELT_INFO;
/** A version of a method's code; 0 is the original. */
typedef UINT_PTR ReJITID;

/** What a hook is given: the function, or what the mapper returned for it. */
typedef union FunctionIDOrClientID {
    FunctionID functionID;
    UINT_PTR clientID;
} FunctionIDOrClientID;

/** Chooses the id that hooks get for a function, and whether it is hooked. */
typedef UINT_PTR (CORPROF_CALL FunctionIDMapper)(FunctionID funcId, BOOL *pbHookFunction);
/** Like `FunctionIDMapper`, with data of the profiler's. */
typedef UINT_PTR (CORPROF_CALL FunctionIDMapper2)(FunctionID funcId, void *clientData,
        BOOL *pbHookFunction);

/** What a stack snapshot reports. */
typedef enum COR_PRF_SNAPSHOT_INFO {
    COR_PRF_SNAPSHOT_DEFAULT          = 0,
    COR_PRF_SNAPSHOT_REGISTER_CONTEXT = 1,
    COR_PRF_SNAPSHOT_X86_OPTIMIZED    = 2
} COR_PRF_SNAPSHOT_INFO;

/** A frame, while the callback that gave it runs. */
typedef UINT_PTR COR_PRF_FRAME_INFO;

/** A piece of memory that holds arguments or a returned value. */
typedef struct COR_PRF_FUNCTION_ARGUMENT_RANGE {
    UINT_PTR startAddress;
    ULONG length;
} COR_PRF_FUNCTION_ARGUMENT_RANGE;

/** The arguments of a call: `numRanges` ranges. */
typedef struct COR_PRF_FUNCTION_ARGUMENT_INFO {
    ULONG numRanges;
    ULONG totalArgumentSize;
    COR_PRF_FUNCTION_ARGUMENT_RANGE ranges[1];
} COR_PRF_FUNCTION_ARGUMENT_INFO;

/** A piece of native code. */
typedef struct COR_PRF_CODE_INFO {
    UINT_PTR startAddress;
    SIZE_T size;
} COR_PRF_CODE_INFO;

/** Sorts of static fields. */
typedef enum COR_PRF_STATIC_TYPE {
    COR_PRF_FIELD_NOT_A_STATIC      = 0,
    COR_PRF_FIELD_APP_DOMAIN_STATIC = 1,
    COR_PRF_FIELD_THREAD_STATIC     = 2,
    COR_PRF_FIELD_CONTEXT_STATIC    = 4,
    COR_PRF_FIELD_RVA_STATIC        = 8
} COR_PRF_STATIC_TYPE;

/** A function and the version of its code. */
typedef struct COR_PRF_FUNCTION {
    FunctionID functionId;
    ReJITID reJitId;
} COR_PRF_FUNCTION;

/** An assembly reference that a profiler adds. */
typedef struct COR_PRF_ASSEMBLY_REFERENCE_INFO {
    void *pbPublicKeyOrToken;
    ULONG cbPublicKeyOrToken;
    LPCWSTR szName;
    ASSEMBLYMETADATA *pMetaData;
    void *pbHashValue;
    ULONG cbHashValue;
    DWORD dwAssemblyRefFlags;
} COR_PRF_ASSEMBLY_REFERENCE_INFO;

/** A method by module and token. */
typedef struct COR_PRF_METHOD {
    ModuleID moduleId;
    mdMethodDef methodId;
} COR_PRF_METHOD;

typedef void (CORPROF_CALL FunctionEnter)(FunctionID funcId);
typedef void (CORPROF_CALL FunctionLeave)(FunctionID funcId);
typedef void (CORPROF_CALL FunctionTailcall)(FunctionID funcId);
typedef void (CORPROF_CALL FunctionEnter2)(FunctionID funcId, UINT_PTR clientData,
        COR_PRF_FRAME_INFO func, COR_PRF_FUNCTION_ARGUMENT_INFO *argumentInfo);
typedef void (CORPROF_CALL FunctionLeave2)(FunctionID funcId, UINT_PTR clientData,
        COR_PRF_FRAME_INFO func, COR_PRF_FUNCTION_ARGUMENT_RANGE *retvalRange);
typedef void (CORPROF_CALL FunctionTailcall2)(FunctionID funcId, UINT_PTR clientData,
        COR_PRF_FRAME_INFO func);
/** Entry hook. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionEnter3)(FunctionIDOrClientID functionIDOrClientID);
/** Exit hook. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionLeave3)(FunctionIDOrClientID functionIDOrClientID);
/** Tail call hook. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionTailcall3)(FunctionIDOrClientID functionIDOrClientID);
/** Entry hook that can ask for arguments. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionEnter3WithInfo)(FunctionIDOrClientID functionIDOrClientID,
        COR_PRF_ELT_INFO eltInfo);
/** Exit hook that can ask for the returned value. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionLeave3WithInfo)(FunctionIDOrClientID functionIDOrClientID,
        COR_PRF_ELT_INFO eltInfo);
/** Tail call hook that can ask for the frame. It must save every register that it uses. */
typedef void (CORPROF_CALL FunctionTailcall3WithInfo)(FunctionIDOrClientID functionIDOrClientID,
        COR_PRF_ELT_INFO eltInfo);
/** Is called for each frame of a snapshot; anything but `S_OK` ends it. */
typedef HRESULT (CORPROF_CALL StackSnapshotCallback)(FunctionID funcId, UINT_PTR ip,
        COR_PRF_FRAME_INFO frameInfo, ULONG32 contextSize, BYTE *context, void *clientData);
/** Is called for each reference that an object holds; false ends it. */
typedef BOOL (CORPROF_CALL ObjectReferenceCallback)(ObjectID root, ObjectID *reference,
        void *clientData);

/** Event mask, low half: what a profiler is told, and what it may do. */
CORPROF_EXTENSION typedef enum COR_PRF_MONITOR {
    COR_PRF_MONITOR_NONE                                 = 0x00000000,
    COR_PRF_MONITOR_FUNCTION_UNLOADS                     = 0x00000001,
    COR_PRF_MONITOR_CLASS_LOADS                          = 0x00000002,
    COR_PRF_MONITOR_MODULE_LOADS                         = 0x00000004,
    COR_PRF_MONITOR_ASSEMBLY_LOADS                       = 0x00000008,
    COR_PRF_MONITOR_APPDOMAIN_LOADS                      = 0x00000010,
    COR_PRF_MONITOR_JIT_COMPILATION                      = 0x00000020,
    COR_PRF_MONITOR_EXCEPTIONS                           = 0x00000040,
    COR_PRF_MONITOR_GC                                   = 0x00000080,
    COR_PRF_MONITOR_OBJECT_ALLOCATED                     = 0x00000100,
    COR_PRF_MONITOR_THREADS                              = 0x00000200,
    COR_PRF_MONITOR_REMOTING                             = 0x00000400,
    COR_PRF_MONITOR_CODE_TRANSITIONS                     = 0x00000800,
    COR_PRF_MONITOR_ENTERLEAVE                           = 0x00001000,
    COR_PRF_MONITOR_CCW                                  = 0x00002000,
    COR_PRF_MONITOR_REMOTING_COOKIE                      = 0x00004400,
    COR_PRF_MONITOR_REMOTING_ASYNC                       = 0x00008400,
    COR_PRF_MONITOR_SUSPENDS                             = 0x00010000,
    COR_PRF_MONITOR_CACHE_SEARCHES                       = 0x00020000,
    COR_PRF_ENABLE_REJIT                                 = 0x00040000,
    COR_PRF_ENABLE_INPROC_DEBUGGING                      = 0x00080000,
    COR_PRF_ENABLE_JIT_MAPS                              = 0x00100000,
    COR_PRF_DISABLE_INLINING                             = 0x00200000,
    COR_PRF_DISABLE_OPTIMIZATIONS                        = 0x00400000,
    COR_PRF_ENABLE_OBJECT_ALLOCATED                      = 0x00800000,
    COR_PRF_MONITOR_CLR_EXCEPTIONS                       = 0x01000000,
    COR_PRF_MONITOR_ALL                                  = 0x0107FFFF,
    COR_PRF_ENABLE_FUNCTION_ARGS                         = 0x02000000,
    COR_PRF_ENABLE_FUNCTION_RETVAL                       = 0x04000000,
    COR_PRF_ENABLE_FRAME_INFO                            = 0x08000000,
    COR_PRF_ENABLE_STACK_SNAPSHOT                        = 0x10000000,
    COR_PRF_USE_PROFILE_IMAGES                           = 0x20000000,
    COR_PRF_DISABLE_TRANSPARENCY_CHECKS_UNDER_FULL_TRUST = 0x40000000,
    COR_PRF_DISABLE_ALL_NGEN_IMAGES                      = 0x80000000u,
    COR_PRF_ALL                                          = 0x8FFFFFFFu,
    COR_PRF_REQUIRE_PROFILE_IMAGE                        = 0x20001800,
    COR_PRF_ALLOWABLE_AFTER_ATTACH                       = 0x100502FE,
    COR_PRF_ALLOWABLE_NOTIFICATION_PROFILER              = 0xB1E32B7Fu,
    COR_PRF_MONITOR_IMMUTABLE                            = 0xEEF8CC00u
} COR_PRF_MONITOR;

/** Event mask, high half. */
typedef enum COR_PRF_HIGH_MONITOR {
    COR_PRF_HIGH_MONITOR_NONE                     = 0x0000,
    COR_PRF_HIGH_ADD_ASSEMBLY_REFERENCES          = 0x0001,
    COR_PRF_HIGH_IN_MEMORY_SYMBOLS_UPDATED        = 0x0002,
    COR_PRF_HIGH_MONITOR_DYNAMIC_FUNCTION_UNLOADS = 0x0004,
    COR_PRF_HIGH_DISABLE_TIERED_COMPILATION       = 0x0008,
    COR_PRF_HIGH_BASIC_GC                         = 0x0010,
    COR_PRF_HIGH_MONITOR_GC_MOVED_OBJECTS         = 0x0020,
    COR_PRF_HIGH_REQUIRE_PROFILE_IMAGE            = 0x0000,
    COR_PRF_HIGH_MONITOR_LARGEOBJECT_ALLOCATED    = 0x0040,
    COR_PRF_HIGH_MONITOR_EVENT_PIPE               = 0x0080,
    COR_PRF_HIGH_MONITOR_PINNEDOBJECT_ALLOCATED   = 0x0100,
    COR_PRF_HIGH_ALLOWABLE_AFTER_ATTACH           = 0x00F6,
    COR_PRF_HIGH_ALLOWABLE_NOTIFICATION_PROFILER  = 0x00FE,
    COR_PRF_HIGH_MONITOR_IMMUTABLE                = 0x0008
} COR_PRF_HIGH_MONITOR;

/** Ids with a meaning of their own. */
CORPROF_EXTENSION typedef enum COR_PRF_MISC {
    PROFILER_PARENT_UNKNOWN = 0xFFFFFFFDu,
    PROFILER_GLOBAL_CLASS   = 0xFFFFFFFEu,
    PROFILER_GLOBAL_MODULE  = 0xFFFFFFFFu
} COR_PRF_MISC;

/** Whether a search for precompiled code succeeded. */
typedef enum COR_PRF_JIT_CACHE {
    COR_PRF_CACHED_FUNCTION_FOUND     = 0,
    COR_PRF_CACHED_FUNCTION_NOT_FOUND = 1
} COR_PRF_JIT_CACHE;

/** Whether a transition between managed and native code is a call or a return. */
typedef enum COR_PRF_TRANSITION_REASON {
    COR_PRF_TRANSITION_CALL   = 0,
    COR_PRF_TRANSITION_RETURN = 1
} COR_PRF_TRANSITION_REASON;

/** Why the runtime suspends threads. */
typedef enum COR_PRF_SUSPEND_REASON {
    COR_PRF_SUSPEND_OTHER                  = 0,
    COR_PRF_SUSPEND_FOR_GC                 = 1,
    COR_PRF_SUSPEND_FOR_APPDOMAIN_SHUTDOWN = 2,
    COR_PRF_SUSPEND_FOR_CODE_PITCHING      = 3,
    COR_PRF_SUSPEND_FOR_SHUTDOWN           = 4,
    COR_PRF_SUSPEND_FOR_INPROC_DEBUGGER    = 6,
    COR_PRF_SUSPEND_FOR_GC_PREP            = 7,
    COR_PRF_SUSPEND_FOR_REJIT              = 8,
    COR_PRF_SUSPEND_FOR_PROFILER           = 9
} COR_PRF_SUSPEND_REASON;

/** .NET Framework, or .NET (Core). */
typedef enum COR_PRF_RUNTIME_TYPE {
    COR_PRF_DESKTOP_CLR = 1,
    COR_PRF_CORE_CLR    = 2
} COR_PRF_RUNTIME_TYPE;

/** Flags of ReJIT with inliners. */
typedef enum COR_PRF_REJIT_FLAGS {
    COR_PRF_REJIT_BLOCK_INLINING     = 1,
    COR_PRF_REJIT_INLINING_CALLBACKS = 2
} COR_PRF_REJIT_FLAGS;

/** A provider of events. */
typedef UINT_PTR EVENTPIPE_PROVIDER;
/** An event that a provider defines. */
typedef UINT_PTR EVENTPIPE_EVENT;
/** A session that receives events. */
typedef UINT64 EVENTPIPE_SESSION;

/** Types of parameters of events. */
typedef enum COR_PRF_EVENTPIPE_PARAM_TYPE {
    COR_PRF_EVENTPIPE_OBJECT   = 1,
    COR_PRF_EVENTPIPE_BOOLEAN  = 3,
    COR_PRF_EVENTPIPE_CHAR     = 4,
    COR_PRF_EVENTPIPE_SBYTE    = 5,
    COR_PRF_EVENTPIPE_BYTE     = 6,
    COR_PRF_EVENTPIPE_INT16    = 7,
    COR_PRF_EVENTPIPE_UINT16   = 8,
    COR_PRF_EVENTPIPE_INT32    = 9,
    COR_PRF_EVENTPIPE_UINT32   = 10,
    COR_PRF_EVENTPIPE_INT64    = 11,
    COR_PRF_EVENTPIPE_UINT64   = 12,
    COR_PRF_EVENTPIPE_SINGLE   = 13,
    COR_PRF_EVENTPIPE_DOUBLE   = 14,
    COR_PRF_EVENTPIPE_DECIMAL  = 15,
    COR_PRF_EVENTPIPE_DATETIME = 16,
    COR_PRF_EVENTPIPE_GUID     = 17,
    COR_PRF_EVENTPIPE_STRING   = 18,
    COR_PRF_EVENTPIPE_ARRAY    = 19
} COR_PRF_EVENTPIPE_PARAM_TYPE;

/** Levels of events. */
typedef enum COR_PRF_EVENTPIPE_LEVEL {
    COR_PRF_EVENTPIPE_LOGALWAYS     = 0,
    COR_PRF_EVENTPIPE_CRITICAL      = 1,
    COR_PRF_EVENTPIPE_ERROR         = 2,
    COR_PRF_EVENTPIPE_WARNING       = 3,
    COR_PRF_EVENTPIPE_INFORMATIONAL = 4,
    COR_PRF_EVENTPIPE_VERBOSE       = 5
} COR_PRF_EVENTPIPE_LEVEL;

/** What a session wants of a provider. */
typedef struct COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
    const WCHAR *providerName;
    UINT64 keywords;
    UINT32 loggingLevel;
    const WCHAR *filterData;
} COR_PRF_EVENTPIPE_PROVIDER_CONFIG;

/** A parameter of an event. */
typedef struct COR_PRF_EVENTPIPE_PARAM_DESC {
    UINT32 type;
    UINT32 elementType;
    const WCHAR *name;
} COR_PRF_EVENTPIPE_PARAM_DESC;

/** A piece of the data of an event. */
typedef struct COR_PRF_EVENT_DATA {
    UINT64 ptr;
    UINT32 size;
    UINT32 reserved;
} COR_PRF_EVENT_DATA;

/** Filter that a session passes to a provider. */
typedef struct COR_PRF_FILTER_DATA {
    UINT64 Ptr;
    UINT32 Size;
    UINT32 Type;
} COR_PRF_FILTER_DATA;

/** Is called when a session enables or disables a provider. */
typedef void (CORPROF_CALL EventPipeProviderCallback)(const UINT8 *sourceId, UINT32 isEnabled,
        UINT8 level, UINT64 matchAnyKeywords, UINT64 matchAllKeywords,
        COR_PRF_FILTER_DATA *filterData, void *callbackData);

/** Sorts of handles. */
typedef enum COR_PRF_HANDLE_TYPE {
    COR_PRF_HANDLE_TYPE_WEAK   = 1,
    COR_PRF_HANDLE_TYPE_STRONG = 2,
    COR_PRF_HANDLE_TYPE_PINNED = 3
} COR_PRF_HANDLE_TYPE;

/** A handle to an object that a profiler created. */
typedef void **ObjectHandleID;

/** Where a root is. */
typedef enum COR_PRF_GC_ROOT_KIND {
    COR_PRF_GC_ROOT_STACK     = 1,
    COR_PRF_GC_ROOT_FINALIZER = 2,
    COR_PRF_GC_ROOT_HANDLE    = 3,
    COR_PRF_GC_ROOT_OTHER     = 0
} COR_PRF_GC_ROOT_KIND;

/** Properties of a root. */
typedef enum COR_PRF_GC_ROOT_FLAGS {
    COR_PRF_GC_ROOT_PINNING    = 1,
    COR_PRF_GC_ROOT_WEAKREF    = 2,
    COR_PRF_GC_ROOT_INTERIOR   = 4,
    COR_PRF_GC_ROOT_REFCOUNTED = 8
} COR_PRF_GC_ROOT_FLAGS;

/** Properties of a finalizer. */
typedef enum COR_PRF_FINALIZER_FLAGS {
    COR_PRF_FINALIZER_CRITICAL = 1
} COR_PRF_FINALIZER_FLAGS;

/** Generations and heaps. */
typedef enum COR_PRF_GC_GENERATION {
    COR_PRF_GC_GEN_0              = 0,
    COR_PRF_GC_GEN_1              = 1,
    COR_PRF_GC_GEN_2              = 2,
    COR_PRF_GC_LARGE_OBJECT_HEAP  = 3,
    COR_PRF_GC_PINNED_OBJECT_HEAP = 4
} COR_PRF_GC_GENERATION;

/** A piece of memory of one generation. */
typedef struct COR_PRF_GC_GENERATION_RANGE {
    COR_PRF_GC_GENERATION generation;
    ObjectID rangeStart;
    UINT_PTR rangeLength;
    UINT_PTR rangeLengthReserved;
} COR_PRF_GC_GENERATION_RANGE;

/** A piece of memory of objects that are never collected. */
typedef struct COR_PRF_NONGC_HEAP_RANGE {
    ObjectID rangeStart;
    UINT_PTR rangeLength;
    UINT_PTR rangeLengthReserved;
} COR_PRF_NONGC_HEAP_RANGE;

/** Kinds of exception clauses that run. */
typedef enum COR_PRF_CLAUSE_TYPE {
    COR_PRF_CLAUSE_NONE    = 0,
    COR_PRF_CLAUSE_FILTER  = 1,
    COR_PRF_CLAUSE_CATCH   = 2,
    COR_PRF_CLAUSE_FINALLY = 3
} COR_PRF_CLAUSE_TYPE;

/** The exception clause that is running. */
typedef struct COR_PRF_EX_CLAUSE_INFO {
    COR_PRF_CLAUSE_TYPE clauseType;
    UINT_PTR programCounter;
    UINT_PTR framePointer;
    UINT_PTR shadowStackPointer;
} COR_PRF_EX_CLAUSE_INFO;

/** Why a garbage collection happens. */
typedef enum COR_PRF_GC_REASON {
    COR_PRF_GC_INDUCED = 1,
    COR_PRF_GC_OTHER   = 0
} COR_PRF_GC_REASON;

/** Properties of a module. */
typedef enum COR_PRF_MODULE_FLAGS {
    COR_PRF_MODULE_DISK            = 0x01,
    COR_PRF_MODULE_NGEN            = 0x02,
    COR_PRF_MODULE_DYNAMIC         = 0x04,
    COR_PRF_MODULE_COLLECTIBLE     = 0x08,
    COR_PRF_MODULE_RESOURCE        = 0x10,
    COR_PRF_MODULE_FLAT_LAYOUT     = 0x20,
    COR_PRF_MODULE_WINDOWS_RUNTIME = 0x40
} COR_PRF_MODULE_FLAGS;

/** Flags of code that is generated by ReJIT. */
typedef enum COR_PRF_CODEGEN_FLAGS {
    COR_PRF_CODEGEN_DISABLE_INLINING          = 1,
    COR_PRF_CODEGEN_DISABLE_ALL_OPTIMIZATIONS = 2,
    COR_PRF_CODEGEN_DEBUG_INFO                = 3
} COR_PRF_CODEGEN_FLAGS;

/** Is called for each object of the heap; false ends it. */
typedef BOOL (CORPROF_CALL *ObjectCallback)(ObjectID objectId, void *pvData);

/** What a profiler implements: the runtime calls it when something happens. */
struct ICorProfilerCallback {
    const struct ICorProfilerCallbackVtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback`: the inherited ones in `base`, then slots 3 to 71. */
struct ICorProfilerCallbackVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Initialize)(ICorProfilerCallback *This, IUnknown *pICorProfilerInfoUnk);
    HRESULT (CORPROF_CALL *Shutdown)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *AppDomainCreationStarted)(ICorProfilerCallback *This,
        AppDomainID appDomainId);
    HRESULT (CORPROF_CALL *AppDomainCreationFinished)(ICorProfilerCallback *This,
        AppDomainID appDomainId, HRESULT hrStatus);
    HRESULT (CORPROF_CALL *AppDomainShutdownStarted)(ICorProfilerCallback *This,
        AppDomainID appDomainId);
    HRESULT (CORPROF_CALL *AppDomainShutdownFinished)(ICorProfilerCallback *This,
        AppDomainID appDomainId, HRESULT hrStatus);
    HRESULT (CORPROF_CALL *AssemblyLoadStarted)(ICorProfilerCallback *This, AssemblyID assemblyId);
    HRESULT (CORPROF_CALL *AssemblyLoadFinished)(ICorProfilerCallback *This, AssemblyID assemblyId,
        HRESULT hrStatus);
    HRESULT (CORPROF_CALL *AssemblyUnloadStarted)(ICorProfilerCallback *This, AssemblyID assemblyId);
    HRESULT (CORPROF_CALL *AssemblyUnloadFinished)(ICorProfilerCallback *This,
        AssemblyID assemblyId, HRESULT hrStatus);
    HRESULT (CORPROF_CALL *ModuleLoadStarted)(ICorProfilerCallback *This, ModuleID moduleId);
    HRESULT (CORPROF_CALL *ModuleLoadFinished)(ICorProfilerCallback *This, ModuleID moduleId,
        HRESULT hrStatus);
    HRESULT (CORPROF_CALL *ModuleUnloadStarted)(ICorProfilerCallback *This, ModuleID moduleId);
    HRESULT (CORPROF_CALL *ModuleUnloadFinished)(ICorProfilerCallback *This, ModuleID moduleId,
        HRESULT hrStatus);
    HRESULT (CORPROF_CALL *ModuleAttachedToAssembly)(ICorProfilerCallback *This, ModuleID moduleId,
        AssemblyID AssemblyId);
    HRESULT (CORPROF_CALL *ClassLoadStarted)(ICorProfilerCallback *This, ClassID classId);
    HRESULT (CORPROF_CALL *ClassLoadFinished)(ICorProfilerCallback *This, ClassID classId,
        HRESULT hrStatus);
    HRESULT (CORPROF_CALL *ClassUnloadStarted)(ICorProfilerCallback *This, ClassID classId);
    HRESULT (CORPROF_CALL *ClassUnloadFinished)(ICorProfilerCallback *This, ClassID classId,
        HRESULT hrStatus);
    HRESULT (CORPROF_CALL *FunctionUnloadStarted)(ICorProfilerCallback *This, FunctionID functionId);
    HRESULT (CORPROF_CALL *JITCompilationStarted)(ICorProfilerCallback *This, FunctionID functionId,
        BOOL fIsSafeToBlock);
    HRESULT (CORPROF_CALL *JITCompilationFinished)(ICorProfilerCallback *This,
        FunctionID functionId, HRESULT hrStatus, BOOL fIsSafeToBlock);
    HRESULT (CORPROF_CALL *JITCachedFunctionSearchStarted)(ICorProfilerCallback *This,
        FunctionID functionId, BOOL *pbUseCachedFunction);
    HRESULT (CORPROF_CALL *JITCachedFunctionSearchFinished)(ICorProfilerCallback *This,
        FunctionID functionId, COR_PRF_JIT_CACHE result);
    HRESULT (CORPROF_CALL *JITFunctionPitched)(ICorProfilerCallback *This, FunctionID functionId);
    HRESULT (CORPROF_CALL *JITInlining)(ICorProfilerCallback *This, FunctionID callerId,
        FunctionID calleeId, BOOL *pfShouldInline);
    HRESULT (CORPROF_CALL *ThreadCreated)(ICorProfilerCallback *This, ThreadID threadId);
    HRESULT (CORPROF_CALL *ThreadDestroyed)(ICorProfilerCallback *This, ThreadID threadId);
    HRESULT (CORPROF_CALL *ThreadAssignedToOSThread)(ICorProfilerCallback *This,
        ThreadID managedThreadId, DWORD osThreadId);
    HRESULT (CORPROF_CALL *RemotingClientInvocationStarted)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RemotingClientSendingMessage)(ICorProfilerCallback *This, GUID *pCookie,
        BOOL fIsAsync);
    HRESULT (CORPROF_CALL *RemotingClientReceivingReply)(ICorProfilerCallback *This, GUID *pCookie,
        BOOL fIsAsync);
    HRESULT (CORPROF_CALL *RemotingClientInvocationFinished)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RemotingServerReceivingMessage)(ICorProfilerCallback *This,
        GUID *pCookie, BOOL fIsAsync);
    HRESULT (CORPROF_CALL *RemotingServerInvocationStarted)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RemotingServerInvocationReturned)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RemotingServerSendingReply)(ICorProfilerCallback *This, GUID *pCookie,
        BOOL fIsAsync);
    HRESULT (CORPROF_CALL *UnmanagedToManagedTransition)(ICorProfilerCallback *This,
        FunctionID functionId, COR_PRF_TRANSITION_REASON reason);
    HRESULT (CORPROF_CALL *ManagedToUnmanagedTransition)(ICorProfilerCallback *This,
        FunctionID functionId, COR_PRF_TRANSITION_REASON reason);
    HRESULT (CORPROF_CALL *RuntimeSuspendStarted)(ICorProfilerCallback *This,
        COR_PRF_SUSPEND_REASON suspendReason);
    HRESULT (CORPROF_CALL *RuntimeSuspendFinished)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RuntimeSuspendAborted)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RuntimeResumeStarted)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RuntimeResumeFinished)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *RuntimeThreadSuspended)(ICorProfilerCallback *This, ThreadID threadId);
    HRESULT (CORPROF_CALL *RuntimeThreadResumed)(ICorProfilerCallback *This, ThreadID threadId);
    HRESULT (CORPROF_CALL *MovedReferences)(ICorProfilerCallback *This, ULONG cMovedObjectIDRanges,
        ObjectID oldObjectIDRangeStart[], ObjectID newObjectIDRangeStart[],
        ULONG cObjectIDRangeLength[]);
    HRESULT (CORPROF_CALL *ObjectAllocated)(ICorProfilerCallback *This, ObjectID objectId,
        ClassID classId);
    HRESULT (CORPROF_CALL *ObjectsAllocatedByClass)(ICorProfilerCallback *This, ULONG cClassCount,
        ClassID classIds[], ULONG cObjects[]);
    HRESULT (CORPROF_CALL *ObjectReferences)(ICorProfilerCallback *This, ObjectID objectId,
        ClassID classId, ULONG cObjectRefs, ObjectID objectRefIds[]);
    HRESULT (CORPROF_CALL *RootReferences)(ICorProfilerCallback *This, ULONG cRootRefs,
        ObjectID rootRefIds[]);
    HRESULT (CORPROF_CALL *ExceptionThrown)(ICorProfilerCallback *This, ObjectID thrownObjectId);
    HRESULT (CORPROF_CALL *ExceptionSearchFunctionEnter)(ICorProfilerCallback *This,
        FunctionID functionId);
    HRESULT (CORPROF_CALL *ExceptionSearchFunctionLeave)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *ExceptionSearchFilterEnter)(ICorProfilerCallback *This,
        FunctionID functionId);
    HRESULT (CORPROF_CALL *ExceptionSearchFilterLeave)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *ExceptionSearchCatcherFound)(ICorProfilerCallback *This,
        FunctionID functionId);
    HRESULT (CORPROF_CALL *ExceptionOSHandlerEnter)(ICorProfilerCallback *This, UINT_PTR __unused);
    HRESULT (CORPROF_CALL *ExceptionOSHandlerLeave)(ICorProfilerCallback *This, UINT_PTR __unused);
    HRESULT (CORPROF_CALL *ExceptionUnwindFunctionEnter)(ICorProfilerCallback *This,
        FunctionID functionId);
    HRESULT (CORPROF_CALL *ExceptionUnwindFunctionLeave)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *ExceptionUnwindFinallyEnter)(ICorProfilerCallback *This,
        FunctionID functionId);
    HRESULT (CORPROF_CALL *ExceptionUnwindFinallyLeave)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *ExceptionCatcherEnter)(ICorProfilerCallback *This, FunctionID functionId,
        ObjectID objectId);
    HRESULT (CORPROF_CALL *ExceptionCatcherLeave)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *COMClassicVTableCreated)(ICorProfilerCallback *This,
        ClassID wrappedClassId, REFGUID implementedIID, void *pVTable, ULONG cSlots);
    HRESULT (CORPROF_CALL *COMClassicVTableDestroyed)(ICorProfilerCallback *This,
        ClassID wrappedClassId, REFGUID implementedIID, void *pVTable);
    HRESULT (CORPROF_CALL *ExceptionCLRCatcherFound)(ICorProfilerCallback *This);
    HRESULT (CORPROF_CALL *ExceptionCLRCatcherExecute)(ICorProfilerCallback *This);
};

/** Adds threads' names, garbage collection details, handles. */
struct ICorProfilerCallback2 {
    const struct ICorProfilerCallback2Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback2`: the inherited ones in `base`, then slots 72 to 79. */
struct ICorProfilerCallback2Vtbl {
    struct ICorProfilerCallbackVtbl base;
    HRESULT (CORPROF_CALL *ThreadNameChanged)(ICorProfilerCallback2 *This, ThreadID threadId,
        ULONG cchName, WCHAR name[]);
    HRESULT (CORPROF_CALL *GarbageCollectionStarted)(ICorProfilerCallback2 *This, int cGenerations,
        BOOL generationCollected[], COR_PRF_GC_REASON reason);
    HRESULT (CORPROF_CALL *SurvivingReferences)(ICorProfilerCallback2 *This,
        ULONG cSurvivingObjectIDRanges, ObjectID objectIDRangeStart[], ULONG cObjectIDRangeLength[]);
    HRESULT (CORPROF_CALL *GarbageCollectionFinished)(ICorProfilerCallback2 *This);
    HRESULT (CORPROF_CALL *FinalizeableObjectQueued)(ICorProfilerCallback2 *This,
        DWORD finalizerFlags, ObjectID objectID);
    HRESULT (CORPROF_CALL *RootReferences2)(ICorProfilerCallback2 *This, ULONG cRootRefs,
        ObjectID rootRefIds[], COR_PRF_GC_ROOT_KIND rootKinds[], COR_PRF_GC_ROOT_FLAGS rootFlags[],
        UINT_PTR rootIds[]);
    HRESULT (CORPROF_CALL *HandleCreated)(ICorProfilerCallback2 *This, GCHandleID handleId,
        ObjectID initialObjectId);
    HRESULT (CORPROF_CALL *HandleDestroyed)(ICorProfilerCallback2 *This, GCHandleID handleId);
};

/** Adds attach and detach. */
struct ICorProfilerCallback3 {
    const struct ICorProfilerCallback3Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback3`: the inherited ones in `base`, then slots 80 to 82. */
struct ICorProfilerCallback3Vtbl {
    struct ICorProfilerCallback2Vtbl base;
    HRESULT (CORPROF_CALL *InitializeForAttach)(ICorProfilerCallback3 *This,
        IUnknown *pCorProfilerInfoUnk, void *pvClientData, UINT cbClientData);
    HRESULT (CORPROF_CALL *ProfilerAttachComplete)(ICorProfilerCallback3 *This);
    HRESULT (CORPROF_CALL *ProfilerDetachSucceeded)(ICorProfilerCallback3 *This);
};

/** Adds ReJIT, and garbage collection with 64-bit ranges. */
struct ICorProfilerCallback4 {
    const struct ICorProfilerCallback4Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback4`: the inherited ones in `base`, then slots 83 to 88. */
struct ICorProfilerCallback4Vtbl {
    struct ICorProfilerCallback3Vtbl base;
    HRESULT (CORPROF_CALL *ReJITCompilationStarted)(ICorProfilerCallback4 *This,
        FunctionID functionId, ReJITID rejitId, BOOL fIsSafeToBlock);
    HRESULT (CORPROF_CALL *GetReJITParameters)(ICorProfilerCallback4 *This, ModuleID moduleId,
        mdMethodDef methodId, ICorProfilerFunctionControl *pFunctionControl);
    HRESULT (CORPROF_CALL *ReJITCompilationFinished)(ICorProfilerCallback4 *This,
        FunctionID functionId, ReJITID rejitId, HRESULT hrStatus, BOOL fIsSafeToBlock);
    HRESULT (CORPROF_CALL *ReJITError)(ICorProfilerCallback4 *This, ModuleID moduleId,
        mdMethodDef methodId, FunctionID functionId, HRESULT hrStatus);
    HRESULT (CORPROF_CALL *MovedReferences2)(ICorProfilerCallback4 *This,
        ULONG cMovedObjectIDRanges, ObjectID oldObjectIDRangeStart[],
        ObjectID newObjectIDRangeStart[], SIZE_T cObjectIDRangeLength[]);
    HRESULT (CORPROF_CALL *SurvivingReferences2)(ICorProfilerCallback4 *This,
        ULONG cSurvivingObjectIDRanges, ObjectID objectIDRangeStart[], SIZE_T cObjectIDRangeLength[]);
};

/** Adds conditional weak table references. */
struct ICorProfilerCallback5 {
    const struct ICorProfilerCallback5Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback5`: the inherited ones in `base`, then slot 89. */
struct ICorProfilerCallback5Vtbl {
    struct ICorProfilerCallback4Vtbl base;
    HRESULT (CORPROF_CALL *ConditionalWeakTableElementReferences)(ICorProfilerCallback5 *This,
        ULONG cRootRefs, ObjectID keyRefIds[], ObjectID valueRefIds[], GCHandleID rootIds[]);
};

/** Adds the question for more assembly references. */
struct ICorProfilerCallback6 {
    const struct ICorProfilerCallback6Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback6`: the inherited ones in `base`, then slot 90. */
struct ICorProfilerCallback6Vtbl {
    struct ICorProfilerCallback5Vtbl base;
    HRESULT (CORPROF_CALL *GetAssemblyReferences)(ICorProfilerCallback6 *This,
        const WCHAR *wszAssemblyPath, ICorProfilerAssemblyReferenceProvider *pAsmRefProvider);
};

/** Adds updates of symbols in memory. */
struct ICorProfilerCallback7 {
    const struct ICorProfilerCallback7Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback7`: the inherited ones in `base`, then slot 91. */
struct ICorProfilerCallback7Vtbl {
    struct ICorProfilerCallback6Vtbl base;
    HRESULT (CORPROF_CALL *ModuleInMemorySymbolsUpdated)(ICorProfilerCallback7 *This,
        ModuleID moduleId);
};

/** Adds compilation of dynamic methods. */
struct ICorProfilerCallback8 {
    const struct ICorProfilerCallback8Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback8`: the inherited ones in `base`, then slots 92 to 93. */
struct ICorProfilerCallback8Vtbl {
    struct ICorProfilerCallback7Vtbl base;
    HRESULT (CORPROF_CALL *DynamicMethodJITCompilationStarted)(ICorProfilerCallback8 *This,
        FunctionID functionId, BOOL fIsSafeToBlock, LPCBYTE pILHeader, ULONG cbILHeader);
    HRESULT (CORPROF_CALL *DynamicMethodJITCompilationFinished)(ICorProfilerCallback8 *This,
        FunctionID functionId, HRESULT hrStatus, BOOL fIsSafeToBlock);
};

/** Adds unloading of dynamic methods. */
struct ICorProfilerCallback9 {
    const struct ICorProfilerCallback9Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback9`: the inherited ones in `base`, then slot 94. */
struct ICorProfilerCallback9Vtbl {
    struct ICorProfilerCallback8Vtbl base;
    HRESULT (CORPROF_CALL *DynamicMethodUnloaded)(ICorProfilerCallback9 *This, FunctionID functionId);
};

/** Adds events of EventPipe. */
struct ICorProfilerCallback10 {
    const struct ICorProfilerCallback10Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback10`: the inherited ones in `base`, then slots 95 to 96. */
struct ICorProfilerCallback10Vtbl {
    struct ICorProfilerCallback9Vtbl base;
    HRESULT (CORPROF_CALL *EventPipeEventDelivered)(ICorProfilerCallback10 *This,
        EVENTPIPE_PROVIDER provider, DWORD eventId, DWORD eventVersion, ULONG cbMetadataBlob,
        LPCBYTE metadataBlob, ULONG cbEventData, LPCBYTE eventData, LPCGUID pActivityId,
        LPCGUID pRelatedActivityId, ThreadID eventThread, ULONG numStackFrames,
        UINT_PTR stackFrames[]);
    HRESULT (CORPROF_CALL *EventPipeProviderCreated)(ICorProfilerCallback10 *This,
        EVENTPIPE_PROVIDER provider);
};

/** Adds the question whether to load as a notification profiler. */
struct ICorProfilerCallback11 {
    const struct ICorProfilerCallback11Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerCallback11`: the inherited ones in `base`, then slot 97. */
struct ICorProfilerCallback11Vtbl {
    struct ICorProfilerCallback10Vtbl base;
    HRESULT (CORPROF_CALL *LoadAsNotificationOnly)(ICorProfilerCallback11 *This,
        BOOL *pbNotificationOnly);
};

/** What the runtime offers to a profiler. */
struct ICorProfilerInfo {
    const struct ICorProfilerInfoVtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo`: the inherited ones in `base`, then slots 3 to 35. */
struct ICorProfilerInfoVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *GetClassFromObject)(ICorProfilerInfo *This, ObjectID objectId,
        ClassID *pClassId);
    HRESULT (CORPROF_CALL *GetClassFromToken)(ICorProfilerInfo *This, ModuleID moduleId,
        mdTypeDef typeDef, ClassID *pClassId);
    HRESULT (CORPROF_CALL *GetCodeInfo)(ICorProfilerInfo *This, FunctionID functionId,
        LPCBYTE *pStart, ULONG *pcSize);
    HRESULT (CORPROF_CALL *GetEventMask)(ICorProfilerInfo *This, DWORD *pdwEvents);
    HRESULT (CORPROF_CALL *GetFunctionFromIP)(ICorProfilerInfo *This, LPCBYTE ip,
        FunctionID *pFunctionId);
    HRESULT (CORPROF_CALL *GetFunctionFromToken)(ICorProfilerInfo *This, ModuleID moduleId,
        mdToken token, FunctionID *pFunctionId);
    HRESULT (CORPROF_CALL *GetHandleFromThread)(ICorProfilerInfo *This, ThreadID threadId,
        HANDLE *phThread);
    HRESULT (CORPROF_CALL *GetObjectSize)(ICorProfilerInfo *This, ObjectID objectId, ULONG *pcSize);
    HRESULT (CORPROF_CALL *IsArrayClass)(ICorProfilerInfo *This, ClassID classId,
        CorElementType *pBaseElemType, ClassID *pBaseClassId, ULONG *pcRank);
    HRESULT (CORPROF_CALL *GetThreadInfo)(ICorProfilerInfo *This, ThreadID threadId,
        DWORD *pdwWin32ThreadId);
    HRESULT (CORPROF_CALL *GetCurrentThreadID)(ICorProfilerInfo *This, ThreadID *pThreadId);
    HRESULT (CORPROF_CALL *GetClassIDInfo)(ICorProfilerInfo *This, ClassID classId,
        ModuleID *pModuleId, mdTypeDef *pTypeDefToken);
    HRESULT (CORPROF_CALL *GetFunctionInfo)(ICorProfilerInfo *This, FunctionID functionId,
        ClassID *pClassId, ModuleID *pModuleId, mdToken *pToken);
    HRESULT (CORPROF_CALL *SetEventMask)(ICorProfilerInfo *This, DWORD dwEvents);
    HRESULT (CORPROF_CALL *SetEnterLeaveFunctionHooks)(ICorProfilerInfo *This,
        FunctionEnter *pFuncEnter, FunctionLeave *pFuncLeave, FunctionTailcall *pFuncTailcall);
    HRESULT (CORPROF_CALL *SetFunctionIDMapper)(ICorProfilerInfo *This, FunctionIDMapper *pFunc);
    HRESULT (CORPROF_CALL *GetTokenAndMetaDataFromFunction)(ICorProfilerInfo *This,
        FunctionID functionId, REFIID riid, IUnknown **ppImport, mdToken *pToken);
    HRESULT (CORPROF_CALL *GetModuleInfo)(ICorProfilerInfo *This, ModuleID moduleId,
        LPCBYTE *ppBaseLoadAddress, ULONG cchName, ULONG *pcchName, WCHAR szName[],
        AssemblyID *pAssemblyId);
    HRESULT (CORPROF_CALL *GetModuleMetaData)(ICorProfilerInfo *This, ModuleID moduleId,
        DWORD dwOpenFlags, REFIID riid, IUnknown **ppOut);
    HRESULT (CORPROF_CALL *GetILFunctionBody)(ICorProfilerInfo *This, ModuleID moduleId,
        mdMethodDef methodId, LPCBYTE *ppMethodHeader, ULONG *pcbMethodSize);
    HRESULT (CORPROF_CALL *GetILFunctionBodyAllocator)(ICorProfilerInfo *This, ModuleID moduleId,
        IMethodMalloc **ppMalloc);
    HRESULT (CORPROF_CALL *SetILFunctionBody)(ICorProfilerInfo *This, ModuleID moduleId,
        mdMethodDef methodid, LPCBYTE pbNewILMethodHeader);
    HRESULT (CORPROF_CALL *GetAppDomainInfo)(ICorProfilerInfo *This, AppDomainID appDomainId,
        ULONG cchName, ULONG *pcchName, WCHAR szName[], ProcessID *pProcessId);
    HRESULT (CORPROF_CALL *GetAssemblyInfo)(ICorProfilerInfo *This, AssemblyID assemblyId,
        ULONG cchName, ULONG *pcchName, WCHAR szName[], AppDomainID *pAppDomainId,
        ModuleID *pModuleId);
    HRESULT (CORPROF_CALL *SetFunctionReJIT)(ICorProfilerInfo *This, FunctionID functionId);
    HRESULT (CORPROF_CALL *ForceGC)(ICorProfilerInfo *This);
    HRESULT (CORPROF_CALL *SetILInstrumentedCodeMap)(ICorProfilerInfo *This, FunctionID functionId,
        BOOL fStartJit, ULONG cILMapEntries, COR_IL_MAP rgILMapEntries[]);
    HRESULT (CORPROF_CALL *GetInprocInspectionInterface)(ICorProfilerInfo *This, IUnknown **ppicd);
    HRESULT (CORPROF_CALL *GetInprocInspectionIThisThread)(ICorProfilerInfo *This, IUnknown **ppicd);
    HRESULT (CORPROF_CALL *GetThreadContext)(ICorProfilerInfo *This, ThreadID threadId,
        ContextID *pContextId);
    HRESULT (CORPROF_CALL *BeginInprocDebugging)(ICorProfilerInfo *This, BOOL fThisThreadOnly,
        DWORD *pdwProfilerContext);
    HRESULT (CORPROF_CALL *EndInprocDebugging)(ICorProfilerInfo *This, DWORD dwProfilerContext);
    HRESULT (CORPROF_CALL *GetILToNativeMapping)(ICorProfilerInfo *This, FunctionID functionId,
        ULONG32 cMap, ULONG32 *pcMap, COR_DEBUG_IL_TO_NATIVE_MAP map[]);
};

/** Adds generics, stack snapshots, layouts, thread statics, hooks with arguments. */
struct ICorProfilerInfo2 {
    const struct ICorProfilerInfo2Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo2`: the inherited ones in `base`, then slots 36 to 56. */
struct ICorProfilerInfo2Vtbl {
    struct ICorProfilerInfoVtbl base;
    HRESULT (CORPROF_CALL *DoStackSnapshot)(ICorProfilerInfo2 *This, ThreadID thread,
        StackSnapshotCallback *callback, ULONG32 infoFlags, void *clientData, BYTE context[],
        ULONG32 contextSize);
    HRESULT (CORPROF_CALL *SetEnterLeaveFunctionHooks2)(ICorProfilerInfo2 *This,
        FunctionEnter2 *pFuncEnter, FunctionLeave2 *pFuncLeave, FunctionTailcall2 *pFuncTailcall);
    HRESULT (CORPROF_CALL *GetFunctionInfo2)(ICorProfilerInfo2 *This, FunctionID funcId,
        COR_PRF_FRAME_INFO frameInfo, ClassID *pClassId, ModuleID *pModuleId, mdToken *pToken,
        ULONG32 cTypeArgs, ULONG32 *pcTypeArgs, ClassID typeArgs[]);
    HRESULT (CORPROF_CALL *GetStringLayout)(ICorProfilerInfo2 *This, ULONG *pBufferLengthOffset,
        ULONG *pStringLengthOffset, ULONG *pBufferOffset);
    HRESULT (CORPROF_CALL *GetClassLayout)(ICorProfilerInfo2 *This, ClassID classID,
        COR_FIELD_OFFSET rFieldOffset[], ULONG cFieldOffset, ULONG *pcFieldOffset,
        ULONG *pulClassSize);
    HRESULT (CORPROF_CALL *GetClassIDInfo2)(ICorProfilerInfo2 *This, ClassID classId,
        ModuleID *pModuleId, mdTypeDef *pTypeDefToken, ClassID *pParentClassId,
        ULONG32 cNumTypeArgs, ULONG32 *pcNumTypeArgs, ClassID typeArgs[]);
    HRESULT (CORPROF_CALL *GetCodeInfo2)(ICorProfilerInfo2 *This, FunctionID functionID,
        ULONG32 cCodeInfos, ULONG32 *pcCodeInfos, COR_PRF_CODE_INFO codeInfos[]);
    HRESULT (CORPROF_CALL *GetClassFromTokenAndTypeArgs)(ICorProfilerInfo2 *This, ModuleID moduleID,
        mdTypeDef typeDef, ULONG32 cTypeArgs, ClassID typeArgs[], ClassID *pClassID);
    HRESULT (CORPROF_CALL *GetFunctionFromTokenAndTypeArgs)(ICorProfilerInfo2 *This,
        ModuleID moduleID, mdMethodDef funcDef, ClassID classId, ULONG32 cTypeArgs,
        ClassID typeArgs[], FunctionID *pFunctionID);
    HRESULT (CORPROF_CALL *EnumModuleFrozenObjects)(ICorProfilerInfo2 *This, ModuleID moduleID,
        ICorProfilerObjectEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetArrayObjectInfo)(ICorProfilerInfo2 *This, ObjectID objectId,
        ULONG32 cDimensions, ULONG32 pDimensionSizes[], int pDimensionLowerBounds[], BYTE **ppData);
    HRESULT (CORPROF_CALL *GetBoxClassLayout)(ICorProfilerInfo2 *This, ClassID classId,
        ULONG32 *pBufferOffset);
    HRESULT (CORPROF_CALL *GetThreadAppDomain)(ICorProfilerInfo2 *This, ThreadID threadId,
        AppDomainID *pAppDomainId);
    HRESULT (CORPROF_CALL *GetRVAStaticAddress)(ICorProfilerInfo2 *This, ClassID classId,
        mdFieldDef fieldToken, void **ppAddress);
    HRESULT (CORPROF_CALL *GetAppDomainStaticAddress)(ICorProfilerInfo2 *This, ClassID classId,
        mdFieldDef fieldToken, AppDomainID appDomainId, void **ppAddress);
    HRESULT (CORPROF_CALL *GetThreadStaticAddress)(ICorProfilerInfo2 *This, ClassID classId,
        mdFieldDef fieldToken, ThreadID threadId, void **ppAddress);
    HRESULT (CORPROF_CALL *GetContextStaticAddress)(ICorProfilerInfo2 *This, ClassID classId,
        mdFieldDef fieldToken, ContextID contextId, void **ppAddress);
    HRESULT (CORPROF_CALL *GetStaticFieldInfo)(ICorProfilerInfo2 *This, ClassID classId,
        mdFieldDef fieldToken, COR_PRF_STATIC_TYPE *pFieldInfo);
    HRESULT (CORPROF_CALL *GetGenerationBounds)(ICorProfilerInfo2 *This, ULONG cObjectRanges,
        ULONG *pcObjectRanges, COR_PRF_GC_GENERATION_RANGE ranges[]);
    HRESULT (CORPROF_CALL *GetObjectGeneration)(ICorProfilerInfo2 *This, ObjectID objectId,
        COR_PRF_GC_GENERATION_RANGE *range);
    HRESULT (CORPROF_CALL *GetNotifiedExceptionClauseInfo)(ICorProfilerInfo2 *This,
        COR_PRF_EX_CLAUSE_INFO *pinfo);
};

/** Adds attach and detach, hooks with client ids, runtime information. */
struct ICorProfilerInfo3 {
    const struct ICorProfilerInfo3Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo3`: the inherited ones in `base`, then slots 57 to 70. */
struct ICorProfilerInfo3Vtbl {
    struct ICorProfilerInfo2Vtbl base;
    HRESULT (CORPROF_CALL *EnumJITedFunctions)(ICorProfilerInfo3 *This,
        ICorProfilerFunctionEnum **ppEnum);
    HRESULT (CORPROF_CALL *RequestProfilerDetach)(ICorProfilerInfo3 *This,
        DWORD dwExpectedCompletionMilliseconds);
    HRESULT (CORPROF_CALL *SetFunctionIDMapper2)(ICorProfilerInfo3 *This, FunctionIDMapper2 *pFunc,
        void *clientData);
    HRESULT (CORPROF_CALL *GetStringLayout2)(ICorProfilerInfo3 *This, ULONG *pStringLengthOffset,
        ULONG *pBufferOffset);
    HRESULT (CORPROF_CALL *SetEnterLeaveFunctionHooks3)(ICorProfilerInfo3 *This,
        FunctionEnter3 *pFuncEnter3, FunctionLeave3 *pFuncLeave3, FunctionTailcall3 *pFuncTailcall3);
    HRESULT (CORPROF_CALL *SetEnterLeaveFunctionHooks3WithInfo)(ICorProfilerInfo3 *This,
        FunctionEnter3WithInfo *pFuncEnter3WithInfo, FunctionLeave3WithInfo *pFuncLeave3WithInfo,
        FunctionTailcall3WithInfo *pFuncTailcall3WithInfo);
    HRESULT (CORPROF_CALL *GetFunctionEnter3Info)(ICorProfilerInfo3 *This, FunctionID functionId,
        COR_PRF_ELT_INFO eltInfo, COR_PRF_FRAME_INFO *pFrameInfo, ULONG *pcbArgumentInfo,
        COR_PRF_FUNCTION_ARGUMENT_INFO *pArgumentInfo);
    HRESULT (CORPROF_CALL *GetFunctionLeave3Info)(ICorProfilerInfo3 *This, FunctionID functionId,
        COR_PRF_ELT_INFO eltInfo, COR_PRF_FRAME_INFO *pFrameInfo,
        COR_PRF_FUNCTION_ARGUMENT_RANGE *pRetvalRange);
    HRESULT (CORPROF_CALL *GetFunctionTailcall3Info)(ICorProfilerInfo3 *This, FunctionID functionId,
        COR_PRF_ELT_INFO eltInfo, COR_PRF_FRAME_INFO *pFrameInfo);
    HRESULT (CORPROF_CALL *EnumModules)(ICorProfilerInfo3 *This, ICorProfilerModuleEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetRuntimeInformation)(ICorProfilerInfo3 *This, USHORT *pClrInstanceId,
        COR_PRF_RUNTIME_TYPE *pRuntimeType, USHORT *pMajorVersion, USHORT *pMinorVersion,
        USHORT *pBuildNumber, USHORT *pQFEVersion, ULONG cchVersionString, ULONG *pcchVersionString,
        WCHAR szVersionString[]);
    HRESULT (CORPROF_CALL *GetThreadStaticAddress2)(ICorProfilerInfo3 *This, ClassID classId,
        mdFieldDef fieldToken, AppDomainID appDomainId, ThreadID threadId, void **ppAddress);
    HRESULT (CORPROF_CALL *GetAppDomainsContainingModule)(ICorProfilerInfo3 *This,
        ModuleID moduleId, ULONG32 cAppDomainIds, ULONG32 *pcAppDomainIds,
        AppDomainID appDomainIds[]);
    HRESULT (CORPROF_CALL *GetModuleInfo2)(ICorProfilerInfo3 *This, ModuleID moduleId,
        LPCBYTE *ppBaseLoadAddress, ULONG cchName, ULONG *pcchName, WCHAR szName[],
        AssemblyID *pAssemblyId, DWORD *pdwModuleFlags);
};

/** Enumerates object ids. */
struct ICorProfilerObjectEnum {
    const struct ICorProfilerObjectEnumVtbl *lpVtbl;
};

/** Methods of `ICorProfilerObjectEnum`: the inherited ones in `base`, then slots 3 to 7. */
struct ICorProfilerObjectEnumVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Skip)(ICorProfilerObjectEnum *This, ULONG celt);
    HRESULT (CORPROF_CALL *Reset)(ICorProfilerObjectEnum *This);
    HRESULT (CORPROF_CALL *Clone)(ICorProfilerObjectEnum *This, ICorProfilerObjectEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetCount)(ICorProfilerObjectEnum *This, ULONG *pcelt);
    HRESULT (CORPROF_CALL *Next)(ICorProfilerObjectEnum *This, ULONG celt, ObjectID objects[],
        ULONG *pceltFetched);
};

/** Enumerates functions with their ReJIT ids. */
struct ICorProfilerFunctionEnum {
    const struct ICorProfilerFunctionEnumVtbl *lpVtbl;
};

/** Methods of `ICorProfilerFunctionEnum`: the inherited ones in `base`, then slots 3 to 7. */
struct ICorProfilerFunctionEnumVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Skip)(ICorProfilerFunctionEnum *This, ULONG celt);
    HRESULT (CORPROF_CALL *Reset)(ICorProfilerFunctionEnum *This);
    HRESULT (CORPROF_CALL *Clone)(ICorProfilerFunctionEnum *This, ICorProfilerFunctionEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetCount)(ICorProfilerFunctionEnum *This, ULONG *pcelt);
    HRESULT (CORPROF_CALL *Next)(ICorProfilerFunctionEnum *This, ULONG celt, COR_PRF_FUNCTION ids[],
        ULONG *pceltFetched);
};

/** Enumerates module ids. */
struct ICorProfilerModuleEnum {
    const struct ICorProfilerModuleEnumVtbl *lpVtbl;
};

/** Methods of `ICorProfilerModuleEnum`: the inherited ones in `base`, then slots 3 to 7. */
struct ICorProfilerModuleEnumVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Skip)(ICorProfilerModuleEnum *This, ULONG celt);
    HRESULT (CORPROF_CALL *Reset)(ICorProfilerModuleEnum *This);
    HRESULT (CORPROF_CALL *Clone)(ICorProfilerModuleEnum *This, ICorProfilerModuleEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetCount)(ICorProfilerModuleEnum *This, ULONG *pcelt);
    HRESULT (CORPROF_CALL *Next)(ICorProfilerModuleEnum *This, ULONG celt, ModuleID ids[],
        ULONG *pceltFetched);
};

/** Allocates memory for a new IL body of a method of one module. */
struct IMethodMalloc {
    const struct IMethodMallocVtbl *lpVtbl;
};

/** Methods of `IMethodMalloc`: the inherited ones in `base`, then slot 3. */
struct IMethodMallocVtbl {
    struct IUnknownVtbl base;
    PVOID (CORPROF_CALL *Alloc)(IMethodMalloc *This, ULONG cb);
};

/** Takes the new IL body and the flags of a method that is recompiled. */
struct ICorProfilerFunctionControl {
    const struct ICorProfilerFunctionControlVtbl *lpVtbl;
};

/** Methods of `ICorProfilerFunctionControl`: the inherited ones in `base`, then slots 3 to 5. */
struct ICorProfilerFunctionControlVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *SetCodegenFlags)(ICorProfilerFunctionControl *This, DWORD flags);
    HRESULT (CORPROF_CALL *SetILFunctionBody)(ICorProfilerFunctionControl *This,
        ULONG cbNewILMethodHeader, LPCBYTE pbNewILMethodHeader);
    HRESULT (CORPROF_CALL *SetILInstrumentedCodeMap)(ICorProfilerFunctionControl *This,
        ULONG cILMapEntries, COR_IL_MAP rgILMapEntries[]);
};

/** Adds ReJIT, enumeration of threads, 64-bit object sizes. */
struct ICorProfilerInfo4 {
    const struct ICorProfilerInfo4Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo4`: the inherited ones in `base`, then slots 71 to 80. */
struct ICorProfilerInfo4Vtbl {
    struct ICorProfilerInfo3Vtbl base;
    HRESULT (CORPROF_CALL *EnumThreads)(ICorProfilerInfo4 *This, ICorProfilerThreadEnum **ppEnum);
    HRESULT (CORPROF_CALL *InitializeCurrentThread)(ICorProfilerInfo4 *This);
    HRESULT (CORPROF_CALL *RequestReJIT)(ICorProfilerInfo4 *This, ULONG cFunctions,
        ModuleID moduleIds[], mdMethodDef methodIds[]);
    HRESULT (CORPROF_CALL *RequestRevert)(ICorProfilerInfo4 *This, ULONG cFunctions,
        ModuleID moduleIds[], mdMethodDef methodIds[], HRESULT status[]);
    HRESULT (CORPROF_CALL *GetCodeInfo3)(ICorProfilerInfo4 *This, FunctionID functionID,
        ReJITID reJitId, ULONG32 cCodeInfos, ULONG32 *pcCodeInfos, COR_PRF_CODE_INFO codeInfos[]);
    HRESULT (CORPROF_CALL *GetFunctionFromIP2)(ICorProfilerInfo4 *This, LPCBYTE ip,
        FunctionID *pFunctionId, ReJITID *pReJitId);
    HRESULT (CORPROF_CALL *GetReJITIDs)(ICorProfilerInfo4 *This, FunctionID functionId,
        ULONG cReJitIds, ULONG *pcReJitIds, ReJITID reJitIds[]);
    HRESULT (CORPROF_CALL *GetILToNativeMapping2)(ICorProfilerInfo4 *This, FunctionID functionId,
        ReJITID reJitId, ULONG32 cMap, ULONG32 *pcMap, COR_DEBUG_IL_TO_NATIVE_MAP map[]);
    HRESULT (CORPROF_CALL *EnumJITedFunctions2)(ICorProfilerInfo4 *This,
        ICorProfilerFunctionEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetObjectSize2)(ICorProfilerInfo4 *This, ObjectID objectId,
        SIZE_T *pcSize);
};

/** Adds the high half of the event mask. */
struct ICorProfilerInfo5 {
    const struct ICorProfilerInfo5Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo5`: the inherited ones in `base`, then slots 81 to 82. */
struct ICorProfilerInfo5Vtbl {
    struct ICorProfilerInfo4Vtbl base;
    HRESULT (CORPROF_CALL *GetEventMask2)(ICorProfilerInfo5 *This, DWORD *pdwEventsLow,
        DWORD *pdwEventsHigh);
    HRESULT (CORPROF_CALL *SetEventMask2)(ICorProfilerInfo5 *This, DWORD dwEventsLow,
        DWORD dwEventsHigh);
};

/** Adds the search for methods that inline a given one. */
struct ICorProfilerInfo6 {
    const struct ICorProfilerInfo6Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo6`: the inherited ones in `base`, then slot 83. */
struct ICorProfilerInfo6Vtbl {
    struct ICorProfilerInfo5Vtbl base;
    HRESULT (CORPROF_CALL *EnumNgenModuleMethodsInliningThisMethod)(ICorProfilerInfo6 *This,
        ModuleID inlinersModuleId, ModuleID inlineeModuleId, mdMethodDef inlineeMethodId,
        BOOL *incompleteData, ICorProfilerMethodEnum **ppEnum);
};

/** Adds symbols in memory and a refresh of the metadata. */
struct ICorProfilerInfo7 {
    const struct ICorProfilerInfo7Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo7`: the inherited ones in `base`, then slots 84 to 86. */
struct ICorProfilerInfo7Vtbl {
    struct ICorProfilerInfo6Vtbl base;
    HRESULT (CORPROF_CALL *ApplyMetaData)(ICorProfilerInfo7 *This, ModuleID moduleId);
    HRESULT (CORPROF_CALL *GetInMemorySymbolsLength)(ICorProfilerInfo7 *This, ModuleID moduleId,
        DWORD *pCountSymbolBytes);
    HRESULT (CORPROF_CALL *ReadInMemorySymbols)(ICorProfilerInfo7 *This, ModuleID moduleId,
        DWORD symbolsReadOffset, BYTE *pSymbolBytes, DWORD countSymbolBytes,
        DWORD *pCountSymbolBytesRead);
};

/** Adds dynamic methods. */
struct ICorProfilerInfo8 {
    const struct ICorProfilerInfo8Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo8`: the inherited ones in `base`, then slots 87 to 89. */
struct ICorProfilerInfo8Vtbl {
    struct ICorProfilerInfo7Vtbl base;
    HRESULT (CORPROF_CALL *IsFunctionDynamic)(ICorProfilerInfo8 *This, FunctionID functionId,
        BOOL *isDynamic);
    HRESULT (CORPROF_CALL *GetFunctionFromIP3)(ICorProfilerInfo8 *This, LPCBYTE ip,
        FunctionID *functionId, ReJITID *pReJitId);
    HRESULT (CORPROF_CALL *GetDynamicFunctionInfo)(ICorProfilerInfo8 *This, FunctionID functionId,
        ModuleID *moduleId, PCCOR_SIGNATURE *ppvSig, ULONG *pbSig, ULONG cchName, ULONG *pcchName,
        WCHAR wszName[]);
};

/** Adds the several native bodies of one method. */
struct ICorProfilerInfo9 {
    const struct ICorProfilerInfo9Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo9`: the inherited ones in `base`, then slots 90 to 92. */
struct ICorProfilerInfo9Vtbl {
    struct ICorProfilerInfo8Vtbl base;
    HRESULT (CORPROF_CALL *GetNativeCodeStartAddresses)(ICorProfilerInfo9 *This,
        FunctionID functionID, ReJITID reJitId, ULONG32 cCodeStartAddresses,
        ULONG32 *pcCodeStartAddresses, UINT_PTR codeStartAddresses[]);
    HRESULT (CORPROF_CALL *GetILToNativeMapping3)(ICorProfilerInfo9 *This,
        UINT_PTR pNativeCodeStartAddress, ULONG32 cMap, ULONG32 *pcMap,
        COR_DEBUG_IL_TO_NATIVE_MAP map[]);
    HRESULT (CORPROF_CALL *GetCodeInfo4)(ICorProfilerInfo9 *This, UINT_PTR pNativeCodeStartAddress,
        ULONG32 cCodeInfos, ULONG32 *pcCodeInfos, COR_PRF_CODE_INFO codeInfos[]);
};

/** Adds walks over references of objects, ReJIT with inliners, suspension. */
struct ICorProfilerInfo10 {
    const struct ICorProfilerInfo10Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo10`: the inherited ones in `base`, then slots 93 to 98. */
struct ICorProfilerInfo10Vtbl {
    struct ICorProfilerInfo9Vtbl base;
    HRESULT (CORPROF_CALL *EnumerateObjectReferences)(ICorProfilerInfo10 *This, ObjectID objectId,
        ObjectReferenceCallback *callback, void *clientData);
    HRESULT (CORPROF_CALL *IsFrozenObject)(ICorProfilerInfo10 *This, ObjectID objectId,
        BOOL *pbFrozen);
    HRESULT (CORPROF_CALL *GetLOHObjectSizeThreshold)(ICorProfilerInfo10 *This, DWORD *pThreshold);
    HRESULT (CORPROF_CALL *RequestReJITWithInliners)(ICorProfilerInfo10 *This, DWORD dwRejitFlags,
        ULONG cFunctions, ModuleID moduleIds[], mdMethodDef methodIds[]);
    HRESULT (CORPROF_CALL *SuspendRuntime)(ICorProfilerInfo10 *This);
    HRESULT (CORPROF_CALL *ResumeRuntime)(ICorProfilerInfo10 *This);
};

/** Adds environment variables. */
struct ICorProfilerInfo11 {
    const struct ICorProfilerInfo11Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo11`: the inherited ones in `base`, then slots 99 to 100. */
struct ICorProfilerInfo11Vtbl {
    struct ICorProfilerInfo10Vtbl base;
    HRESULT (CORPROF_CALL *GetEnvironmentVariableA)(ICorProfilerInfo11 *This, const WCHAR *szName,
        ULONG cchValue, ULONG *pcchValue, WCHAR szValue[]);
    HRESULT (CORPROF_CALL *SetEnvironmentVariableA)(ICorProfilerInfo11 *This, const WCHAR *szName,
        const WCHAR *szValue);
};

/** Adds EventPipe sessions, providers and events. */
struct ICorProfilerInfo12 {
    const struct ICorProfilerInfo12Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo12`: the inherited ones in `base`, then slots 101 to 107. */
struct ICorProfilerInfo12Vtbl {
    struct ICorProfilerInfo11Vtbl base;
    HRESULT (CORPROF_CALL *EventPipeStartSession)(ICorProfilerInfo12 *This, UINT32 cProviderConfigs,
        COR_PRF_EVENTPIPE_PROVIDER_CONFIG pProviderConfigs[], BOOL requestRundown,
        EVENTPIPE_SESSION *pSession);
    HRESULT (CORPROF_CALL *EventPipeAddProviderToSession)(ICorProfilerInfo12 *This,
        EVENTPIPE_SESSION session, COR_PRF_EVENTPIPE_PROVIDER_CONFIG providerConfig);
    HRESULT (CORPROF_CALL *EventPipeStopSession)(ICorProfilerInfo12 *This, EVENTPIPE_SESSION session);
    HRESULT (CORPROF_CALL *EventPipeCreateProvider)(ICorProfilerInfo12 *This,
        const WCHAR *providerName, EVENTPIPE_PROVIDER *pProvider);
    HRESULT (CORPROF_CALL *EventPipeGetProviderInfo)(ICorProfilerInfo12 *This,
        EVENTPIPE_PROVIDER provider, ULONG cchName, ULONG *pcchName, WCHAR providerName[]);
    HRESULT (CORPROF_CALL *EventPipeDefineEvent)(ICorProfilerInfo12 *This,
        EVENTPIPE_PROVIDER provider, const WCHAR *eventName, UINT32 eventID, UINT64 keywords,
        UINT32 eventVersion, UINT32 level, UINT8 opcode, BOOL needStack, UINT32 cParamDescs,
        COR_PRF_EVENTPIPE_PARAM_DESC pParamDescs[], EVENTPIPE_EVENT *pEvent);
    HRESULT (CORPROF_CALL *EventPipeWriteEvent)(ICorProfilerInfo12 *This, EVENTPIPE_EVENT event,
        UINT32 cData, COR_PRF_EVENT_DATA data[], LPCGUID pActivityId, LPCGUID pRelatedActivityId);
};

/** Adds handles to objects. */
struct ICorProfilerInfo13 {
    const struct ICorProfilerInfo13Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo13`: the inherited ones in `base`, then slots 108 to 110. */
struct ICorProfilerInfo13Vtbl {
    struct ICorProfilerInfo12Vtbl base;
    HRESULT (CORPROF_CALL *CreateHandle)(ICorProfilerInfo13 *This, ObjectID object,
        COR_PRF_HANDLE_TYPE type, ObjectHandleID *pHandle);
    HRESULT (CORPROF_CALL *DestroyHandle)(ICorProfilerInfo13 *This, ObjectHandleID handle);
    HRESULT (CORPROF_CALL *GetObjectIDFromHandle)(ICorProfilerInfo13 *This, ObjectHandleID handle,
        ObjectID *pObject);
};

/** Adds objects outside the collected heap, and EventPipe providers with a callback. */
struct ICorProfilerInfo14 {
    const struct ICorProfilerInfo14Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo14`: the inherited ones in `base`, then slots 111 to 113. */
struct ICorProfilerInfo14Vtbl {
    struct ICorProfilerInfo13Vtbl base;
    HRESULT (CORPROF_CALL *EnumerateNonGCObjects)(ICorProfilerInfo14 *This,
        ICorProfilerObjectEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetNonGCHeapBounds)(ICorProfilerInfo14 *This, ULONG cObjectRanges,
        ULONG *pcObjectRanges, COR_PRF_NONGC_HEAP_RANGE ranges[]);
    HRESULT (CORPROF_CALL *EventPipeCreateProvider2)(ICorProfilerInfo14 *This,
        const WCHAR *providerName, EventPipeProviderCallback *pCallback,
        EVENTPIPE_PROVIDER *pProvider);
};

/** Enumerates methods by module and token. */
struct ICorProfilerMethodEnum {
    const struct ICorProfilerMethodEnumVtbl *lpVtbl;
};

/** Methods of `ICorProfilerMethodEnum`: the inherited ones in `base`, then slots 3 to 7. */
struct ICorProfilerMethodEnumVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Skip)(ICorProfilerMethodEnum *This, ULONG celt);
    HRESULT (CORPROF_CALL *Reset)(ICorProfilerMethodEnum *This);
    HRESULT (CORPROF_CALL *Clone)(ICorProfilerMethodEnum *This, ICorProfilerMethodEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetCount)(ICorProfilerMethodEnum *This, ULONG *pcelt);
    HRESULT (CORPROF_CALL *Next)(ICorProfilerMethodEnum *This, ULONG celt,
        COR_PRF_METHOD elements[], ULONG *pceltFetched);
};

/** Enumerates thread ids. */
struct ICorProfilerThreadEnum {
    const struct ICorProfilerThreadEnumVtbl *lpVtbl;
};

/** Methods of `ICorProfilerThreadEnum`: the inherited ones in `base`, then slots 3 to 7. */
struct ICorProfilerThreadEnumVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *Skip)(ICorProfilerThreadEnum *This, ULONG celt);
    HRESULT (CORPROF_CALL *Reset)(ICorProfilerThreadEnum *This);
    HRESULT (CORPROF_CALL *Clone)(ICorProfilerThreadEnum *This, ICorProfilerThreadEnum **ppEnum);
    HRESULT (CORPROF_CALL *GetCount)(ICorProfilerThreadEnum *This, ULONG *pcelt);
    HRESULT (CORPROF_CALL *Next)(ICorProfilerThreadEnum *This, ULONG celt, ThreadID ids[],
        ULONG *pceltFetched);
};

/** Takes the references that a profiler wants to add to an assembly. */
struct ICorProfilerAssemblyReferenceProvider {
    const struct ICorProfilerAssemblyReferenceProviderVtbl *lpVtbl;
};

/** Methods of `ICorProfilerAssemblyReferenceProvider`: the inherited ones in `base`, then slot 3. */
struct ICorProfilerAssemblyReferenceProviderVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *AddAssemblyReference)(ICorProfilerAssemblyReferenceProvider *This,
        const COR_PRF_ASSEMBLY_REFERENCE_INFO *pAssemblyRefInfo);
};

/** Adds the enumeration of all objects of the heap. */
struct ICorProfilerInfo15 {
    const struct ICorProfilerInfo15Vtbl *lpVtbl;
};

/** Methods of `ICorProfilerInfo15`: the inherited ones in `base`, then slot 114. */
struct ICorProfilerInfo15Vtbl {
    struct ICorProfilerInfo14Vtbl base;
    HRESULT (CORPROF_CALL *EnumerateGCHeapObjects)(ICorProfilerInfo15 *This,
        ObjectCallback callback, void *callbackState);
};

/* Interface identifiers. */
CORPROF_GUID(IID_ICorProfilerCallback, 0x176FBED1, 0xA55C, 0x4796, 0x98, 0xCA, 0xA9, 0xDA, 0x0E, 0xF8, 0x83, 0xE7);
CORPROF_GUID(IID_ICorProfilerCallback2, 0x8A8CC829, 0xCCF2, 0x49FE, 0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A);
CORPROF_GUID(IID_ICorProfilerCallback3, 0x4FD2ED52, 0x7731, 0x4B8D, 0x94, 0x69, 0x03, 0xD2, 0xCC, 0x30, 0x86, 0xC5);
CORPROF_GUID(IID_ICorProfilerCallback4, 0x7B63B2E3, 0x107D, 0x4D48, 0xB2, 0xF6, 0xF6, 0x1E, 0x22, 0x94, 0x70, 0xD2);
CORPROF_GUID(IID_ICorProfilerCallback5, 0x8DFBA405, 0x8C9F, 0x45F8, 0xBF, 0xFA, 0x83, 0xB1, 0x4C, 0xEF, 0x78, 0xB5);
CORPROF_GUID(IID_ICorProfilerCallback6, 0xFC13DF4B, 0x4448, 0x4F4F, 0x95, 0x0C, 0xBA, 0x8D, 0x19, 0xD0, 0x0C, 0x36);
CORPROF_GUID(IID_ICorProfilerCallback7, 0xF76A2DBA, 0x1D52, 0x4539, 0x86, 0x6C, 0x2A, 0xA5, 0x18, 0xF9, 0xEF, 0xC3);
CORPROF_GUID(IID_ICorProfilerCallback8, 0x5BED9B15, 0xC079, 0x4D47, 0xBF, 0xE2, 0x21, 0x5A, 0x14, 0x0C, 0x07, 0xE0);
CORPROF_GUID(IID_ICorProfilerCallback9, 0x27583EC3, 0xC8F5, 0x482F, 0x80, 0x52, 0x19, 0x4B, 0x8C, 0xE4, 0x70, 0x5A);
CORPROF_GUID(IID_ICorProfilerCallback10, 0xCEC5B60E, 0xC69C, 0x495F, 0x87, 0xF6, 0x84, 0xD2, 0x8E, 0xE1, 0x6F, 0xFB);
CORPROF_GUID(IID_ICorProfilerCallback11, 0x42350846, 0xAAED, 0x47F7, 0xB1, 0x28, 0xFD, 0x0C, 0x98, 0x88, 0x1C, 0xDE);
CORPROF_GUID(IID_ICorProfilerInfo, 0x28B5557D, 0x3F3F, 0x48B4, 0x90, 0xB2, 0x5F, 0x9E, 0xEA, 0x2F, 0x6C, 0x48);
CORPROF_GUID(IID_ICorProfilerInfo2, 0xCC0935CD, 0xA518, 0x487D, 0xB0, 0xBB, 0xA9, 0x32, 0x14, 0xE6, 0x54, 0x78);
CORPROF_GUID(IID_ICorProfilerInfo3, 0xB555ED4F, 0x452A, 0x4E54, 0x8B, 0x39, 0xB5, 0x36, 0x0B, 0xAD, 0x32, 0xA0);
CORPROF_GUID(IID_ICorProfilerObjectEnum, 0x2C6269BD, 0x2D13, 0x4321, 0xAE, 0x12, 0x66, 0x86, 0x36, 0x5F, 0xD6, 0xAF);
CORPROF_GUID(IID_ICorProfilerFunctionEnum, 0xFF71301A, 0xB994, 0x429D, 0xA1, 0x0B, 0xB3, 0x45, 0xA6, 0x52, 0x80, 0xEF);
CORPROF_GUID(IID_ICorProfilerModuleEnum, 0xB0266D75, 0x2081, 0x4493, 0xAF, 0x7F, 0x02, 0x8B, 0xA3, 0x4D, 0xB8, 0x91);
CORPROF_GUID(IID_IMethodMalloc, 0xA0EFB28B, 0x6EE2, 0x4D7B, 0xB9, 0x83, 0xA7, 0x5E, 0xF7, 0xBE, 0xED, 0xB8);
CORPROF_GUID(IID_ICorProfilerFunctionControl, 0xF0963021, 0xE1EA, 0x4732, 0x85, 0x81, 0xE0, 0x1B, 0x0B, 0xD3, 0xC0, 0xC6);
CORPROF_GUID(IID_ICorProfilerInfo4, 0x0D8FDCAA, 0x6257, 0x47BF, 0xB1, 0xBF, 0x94, 0xDA, 0xC8, 0x84, 0x66, 0xEE);
CORPROF_GUID(IID_ICorProfilerInfo5, 0x07602928, 0xCE38, 0x4B83, 0x81, 0xE7, 0x74, 0xAD, 0xAF, 0x78, 0x12, 0x14);
CORPROF_GUID(IID_ICorProfilerInfo6, 0xF30A070D, 0xBFFB, 0x46A7, 0xB1, 0xD8, 0x87, 0x81, 0xEF, 0x7B, 0x69, 0x8A);
CORPROF_GUID(IID_ICorProfilerInfo7, 0x9AEECC0D, 0x63E0, 0x4187, 0x8C, 0x00, 0xE3, 0x12, 0xF5, 0x03, 0xF6, 0x63);
CORPROF_GUID(IID_ICorProfilerInfo8, 0xC5AC80A6, 0x782E, 0x4716, 0x80, 0x44, 0x39, 0x59, 0x8C, 0x60, 0xCF, 0xBF);
CORPROF_GUID(IID_ICorProfilerInfo9, 0x008170DB, 0xF8CC, 0x4796, 0x9A, 0x51, 0xDC, 0x8A, 0xA0, 0xB4, 0x70, 0x12);
CORPROF_GUID(IID_ICorProfilerInfo10, 0x2F1B5152, 0xC869, 0x40C9, 0xAA, 0x5F, 0x3A, 0xBE, 0x02, 0x6B, 0xD7, 0x20);
CORPROF_GUID(IID_ICorProfilerInfo11, 0x06398876, 0x8987, 0x4154, 0xB6, 0x21, 0x40, 0xA0, 0x0D, 0x6E, 0x4D, 0x04);
CORPROF_GUID(IID_ICorProfilerInfo12, 0x27B24CCD, 0x1CB1, 0x47C5, 0x96, 0xEE, 0x98, 0x19, 0x0D, 0xC3, 0x09, 0x59);
CORPROF_GUID(IID_ICorProfilerInfo13, 0x6E6C7EE2, 0x0701, 0x4EC2, 0x9D, 0x29, 0x2E, 0x87, 0x33, 0xB6, 0x69, 0x34);
CORPROF_GUID(IID_ICorProfilerMethodEnum, 0xFCCEE788, 0x0088, 0x454B, 0xA8, 0x11, 0xC9, 0x9F, 0x29, 0x8D, 0x19, 0x42);
CORPROF_GUID(IID_ICorProfilerThreadEnum, 0x571194F7, 0x25ED, 0x419F, 0xAA, 0x8B, 0x70, 0x16, 0xB3, 0x15, 0x97, 0x01);
CORPROF_GUID(IID_ICorProfilerAssemblyReferenceProvider, 0x66A78C24, 0x2EEF, 0x4F65, 0xB4, 0x5F, 0xDD, 0x1D, 0x80, 0x38, 0xBF, 0x3C);
CORPROF_GUID(IID_ICorProfilerInfo14, 0xF460E352, 0xD76D, 0x4FE9, 0x83, 0x5F, 0xF6, 0xAF, 0x9D, 0x6E, 0x86, 0x2D);
CORPROF_GUID(IID_ICorProfilerInfo15, 0xB446462D, 0xBD22, 0x41DD, 0x87, 0x2D, 0xDC, 0x71, 0x4C, 0x49, 0xEB, 0x56);

CORPROF_END_DECLS

#endif /* CORPROF_CORPROF_H */
