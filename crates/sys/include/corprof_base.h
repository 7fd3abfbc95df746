/*
 * Base of the profiling headers: integer types, GUID, the general HRESULTs, IUnknown and IClassFactory.
 *
 * Plain C with <stdint.h> types, which are the same on every platform. In particular, WCHAR is a UTF-16
 * code unit everywhere, and ULONG has 32 bits everywhere: these are the runtime's types, not the
 * platform's. With CORPROF_NO_STDINT the compiler's predefined macros stand in for <stdint.h>, so that
 * no file outside this folder is read.
 *
 * Written for this project from the facts of the ABI; see README.md.
 */
#ifndef CORPROF_BASE_H
#define CORPROF_BASE_H

#if defined(CORPROF_NO_STDINT)
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#else
#include <stdint.h>
#endif

#ifdef __cplusplus
#define CORPROF_BEGIN_DECLS extern "C" {
#define CORPROF_END_DECLS }
#else
#define CORPROF_BEGIN_DECLS
#define CORPROF_END_DECLS
#endif

/* The convention of every call across the interface: only 32-bit x86 Windows has a choice. */
#if defined(_WIN32) && (defined(_M_IX86) || defined(__i386__))
#define CORPROF_CALL __stdcall
#else
#define CORPROF_CALL
#endif

/* In front of what C99 does not have: enumerators above INT_MAX. */
#if defined(__GNUC__)
#define CORPROF_EXTENSION __extension__
#else
#define CORPROF_EXTENSION
#endif

/* One HRESULT, and one GUID. `xtask codegen` reads the GUIDs from these lines. */
#define CORPROF_HRESULT(name, value) static const HRESULT name = (HRESULT)value
#define CORPROF_GUID(name, d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7) \
    static const GUID name = {d1, d2, d3, {b0, b1, b2, b3, b4, b5, b6, b7}}

CORPROF_BEGIN_DECLS

typedef uint8_t BYTE;
typedef uint8_t UINT8;
typedef uint16_t USHORT;
/** A UTF-16 code unit, on every platform. */
typedef uint16_t WCHAR;
typedef uint32_t ULONG;
typedef uint32_t ULONG32;
typedef uint32_t DWORD;
typedef uint32_t UINT;
typedef uint32_t UINT32;
typedef int32_t LONG;
typedef int32_t INT;
/** Zero is false, anything else is true. */
typedef int32_t BOOL;
/** Result of a call: negative is failure. */
typedef int32_t HRESULT;
typedef uint64_t UINT64;
typedef uint64_t ULONG64;
typedef uint64_t ULONGLONG;
typedef uintptr_t SIZE_T;
typedef uintptr_t UINT_PTR;

typedef void *PVOID;
typedef const void *LPCVOID;
typedef void *HANDLE;
typedef WCHAR *LPWSTR;
typedef const WCHAR *LPCWSTR;

/** A 128-bit identifier, laid out as in memory: the first three parts are in native byte order. */
typedef struct GUID {
    uint32_t data1;
    uint16_t data2;
    uint16_t data3;
    uint8_t data4[8];
} GUID;

typedef GUID IID;
typedef GUID CLSID;
typedef const GUID *LPCGUID;
typedef const GUID *REFGUID;
typedef const IID *REFIID;
typedef const CLSID *REFCLSID;

/** Place and size of a part of an image. */
typedef struct IMAGE_DATA_DIRECTORY {
    uint32_t VirtualAddress;
    uint32_t Size;
} IMAGE_DATA_DIRECTORY;

/* Types of other APIs that occur as pointers only. */
typedef struct IStream IStream;
typedef struct ITypeInfo ITypeInfo;
typedef struct VARIANT VARIANT;

/* The general HRESULTs that the runtime and profilers exchange. */
CORPROF_HRESULT(S_OK, 0x00000000);
CORPROF_HRESULT(S_FALSE, 0x00000001);
CORPROF_HRESULT(E_PENDING, 0x8000000A);
CORPROF_HRESULT(E_BOUNDS, 0x8000000B);
CORPROF_HRESULT(E_NOTIMPL, 0x80004001);
CORPROF_HRESULT(E_NOINTERFACE, 0x80004002);
CORPROF_HRESULT(E_POINTER, 0x80004003);
CORPROF_HRESULT(E_ABORT, 0x80004004);
CORPROF_HRESULT(E_FAIL, 0x80004005);
CORPROF_HRESULT(E_UNEXPECTED, 0x8000FFFF);
CORPROF_HRESULT(CLASS_E_NOAGGREGATION, 0x80040110);
CORPROF_HRESULT(CLASS_E_CLASSNOTAVAILABLE, 0x80040111);
CORPROF_HRESULT(E_FILENOTFOUND, 0x80070002);
CORPROF_HRESULT(E_ACCESSDENIED, 0x80070005);
CORPROF_HRESULT(E_HANDLE, 0x80070006);
CORPROF_HRESULT(E_OUTOFMEMORY, 0x8007000E);
CORPROF_HRESULT(E_INVALIDARG, 0x80070057);
CORPROF_HRESULT(E_INSUFFICIENT_BUFFER, 0x8007007A);

typedef struct IUnknown IUnknown;
typedef struct IClassFactory IClassFactory;

/** What every interface begins with: identity and lifetime. */
struct IUnknown {
    const struct IUnknownVtbl *lpVtbl;
};

/** Methods of `IUnknown`: slots 0 to 2 of every vtable. */
struct IUnknownVtbl {
    HRESULT (CORPROF_CALL *QueryInterface)(IUnknown *This, REFIID riid, void **ppvObject);
    ULONG (CORPROF_CALL *AddRef)(IUnknown *This);
    ULONG (CORPROF_CALL *Release)(IUnknown *This);
};

/** What a profiler's library hands out from `DllGetClassObject`. */
struct IClassFactory {
    const struct IClassFactoryVtbl *lpVtbl;
};

/** Methods of `IClassFactory`: the inherited ones in `base`, then slots 3 and 4. */
struct IClassFactoryVtbl {
    struct IUnknownVtbl base;
    HRESULT (CORPROF_CALL *CreateInstance)(
        IClassFactory *This, IUnknown *pUnkOuter, REFIID riid, void **ppvObject);
    HRESULT (CORPROF_CALL *LockServer)(IClassFactory *This, BOOL fLock);
};

CORPROF_GUID(IID_IUnknown, 0x00000000, 0x0000, 0x0000, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46);
CORPROF_GUID(IID_IClassFactory, 0x00000001, 0x0000, 0x0000, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46);

CORPROF_END_DECLS

#endif /* CORPROF_BASE_H */
