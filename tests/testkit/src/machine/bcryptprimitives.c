/* The one function of Windows' bcryptprimitives.dll that Rust's standard library calls. Wine 8 has no such library, and a
   profiler that needs it would not be loaded. */
#include <windows.h>

/* RtlGenRandom, by the name under which advapi32 exports it. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
