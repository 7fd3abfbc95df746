// What the compiler needs for records, and .NET Core 3.1 does not have.

#if !NET8
namespace System.Runtime.CompilerServices;

internal static class IsExternalInit
{
}
#endif
