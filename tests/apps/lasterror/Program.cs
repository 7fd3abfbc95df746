// The last error of Windows' calls, on four threads, with traced calls between a call and the question for its error.

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace LastError;

public static class Program
{
    /// <summary>An error that no system call of the test returns.</summary>
    private const uint Own = 0x20000077;

    /// <summary>ERROR_INVALID_HANDLE, which closing no handle returns.</summary>
    private const int InvalidHandle = 6;

    public static int Main()
    {
        int wrong = 0, changed = 0;
        var threads = new Thread[4];
        for (int t = 0; t < threads.Length; t++)
        {
            threads[t] = new Thread(() => Look(500, ref wrong, ref changed));
            threads[t].Start();
        }
        Array.ForEach(threads, thread => thread.Join());
        Console.WriteLine($"{wrong} wrong, {changed} changed");
        return 0;
    }

    private static void Look(int times, ref int wrong, ref int changed)
    {
        var list = new List<int> { 1, 2, 3 };
        for (int i = 0; i < times; i++)
        {
            Native.CloseHandle(new IntPtr(-7));
            int seen = Marshal.GetLastWin32Error();
            Innermost(i % 5, "text", list);
            Count(ref wrong, seen == InvalidHandle && Marshal.GetLastWin32Error() == InvalidHandle);
            Native.SetLastError(Own);
            Innermost(i % 5, "text", list);
            Count(ref changed, Native.GetLastError() == Own);
        }
    }

    private static int Innermost(int depth, string text, List<int> list) =>
        depth == 0 ? list.Count + text.Length : Innermost(depth - 1, text + "x", list);

    private static void Count(ref int count, bool isRight)
    {
        if (!isRight)
        {
            Interlocked.Increment(ref count);
        }
    }
}

internal static class Native
{
    [DllImport("kernel32", SetLastError = true)] internal static extern int CloseHandle(IntPtr handle);

    [DllImport("kernel32")] internal static extern void SetLastError(uint error);

    [DllImport("kernel32")] internal static extern uint GetLastError();
}
