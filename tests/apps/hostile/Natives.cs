// Processes, native callbacks, native threads.

using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

namespace Hostile;

internal static class Natives
{
    private static int Mark(int number) => number;

    internal static int Child(string[] args)
    {
        Console.WriteLine("child " + Mark(int.Parse(args[1])));
        return 30 + int.Parse(args[1]);
    }

    /// <summary>Starts processes with the same settings.</summary>
    internal static int Children(string[] args)
    {
        string host = Process.GetCurrentProcess().MainModule.FileName;
        // A host of its own has the program's path.
        string assembly = Path.GetFileName(host) == "dotnet" ? $"\"{typeof(Program).Assembly.Location}\" " : "";
        for (int i = 0; i < 2; i++)
        {
            Mark(i);
            var start = new ProcessStartInfo(host)
            {
                Arguments = assembly + $"child {i}",
                RedirectStandardOutput = true,
            };
            using Process child = Process.Start(start);
            string said = child.StandardOutput.ReadToEnd();
            child.WaitForExit();
            Console.WriteLine(said.Trim() + " ended with " + child.ExitCode);
        }
        return 0;
    }

    private static int Order(IntPtr one, IntPtr other)
    {
        // The caller of the sort sees it if a comparison changes errno.
        return Mark(Marshal.ReadInt32(one)).CompareTo(Mark(Marshal.ReadInt32(other)));
    }

    internal static int Callbacks(string[] args)
    {
        var numbers = new int[500];
        for (int i = 0; i < numbers.Length; i++)
        {
            numbers[i] = i * 7919 % numbers.Length;
        }
        Native.qsort(numbers, (IntPtr)numbers.Length, (IntPtr)sizeof(int), Order);
        Console.WriteLine(string.Join(" ", numbers).GetHashCode() != 0 && numbers[0] == 0 && numbers[499] == 499);
        return 0;
    }

    private static IntPtr OnNativeThread(IntPtr argument) => (IntPtr)(Mark((int)argument) + 1);

    internal static int Threads(string[] args)
    {
        long sum = 0;
        Native.Start start = OnNativeThread;
        for (int i = 0; i < 20; i++)
        {
            Native.pthread_create(out IntPtr thread, IntPtr.Zero, start, (IntPtr)i);
            Native.pthread_join(thread, out IntPtr result);
            sum += (long)result;
        }
        GC.KeepAlive(start);
        Console.WriteLine(sum);
        return 0;
    }
}
