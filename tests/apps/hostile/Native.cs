// The C library.

using System;
using System.Runtime.InteropServices;

namespace Hostile;

internal static class Native
{
    internal const int SIGUSR1 = 10;
    internal const int SIGKILL = 9;
    internal const int SIGTERM = 15;
    internal const int SIGINT = 2;
    internal const int RLIMIT_FSIZE = 1;
    internal const int RLIMIT_AS = 9;
    internal const int RLIMIT_NOFILE = 7;

    [StructLayout(LayoutKind.Sequential)]
    internal struct Limit
    {
        internal ulong Current;
        internal ulong Maximum;
    }

    internal delegate int Compare(IntPtr one, IntPtr other);

    internal delegate IntPtr Start(IntPtr argument);

    [DllImport("libc")] internal static extern void _exit(int code);
    [DllImport("libc")] internal static extern void abort();
    [DllImport("libc")] internal static extern int kill(int pid, int signal);
    [DllImport("libc")] internal static extern IntPtr signal(int signal, IntPtr handler);
    [DllImport("libc")] internal static extern int getpid();
    [DllImport("libc", SetLastError = true)] internal static extern int open(string path, int flags);
    [DllImport("libc", SetLastError = true)] internal static extern int close(int descriptor);
    [DllImport("libc", SetLastError = true)] internal static extern int dup(int descriptor);
    [DllImport("libc")] internal static extern int getrlimit(int resource, out Limit limit);
    [DllImport("libc")] internal static extern int setrlimit(int resource, ref Limit limit);
    [DllImport("libc")] internal static extern IntPtr malloc(IntPtr size);
    [DllImport("libc")] internal static extern void free(IntPtr memory);
    [DllImport("libc")] internal static extern void qsort(int[] array, IntPtr count, IntPtr size, Compare compare);
    [DllImport("libc")] internal static extern int pthread_create(out IntPtr thread, IntPtr attributes, Start start, IntPtr argument);
    [DllImport("libc")] internal static extern int pthread_join(IntPtr thread, out IntPtr result);
    [DllImport("libc")] internal static extern IntPtr __errno_location();
}
