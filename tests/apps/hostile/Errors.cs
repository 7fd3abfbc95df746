// Failing system calls, and the errors that the program sees.

using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace Hostile;

internal static class Errors
{
    /// <summary>Missing files, through the framework: which exceptions, how often.</summary>
    internal static int Files(string[] args)
    {
        var counts = new SortedDictionary<string, int>();
        var threads = new Thread[4];
        for (int t = 0; t < threads.Length; t++)
        {
            threads[t] = new Thread(() => OpenMissing(counts));
            threads[t].Start();
        }
        Array.ForEach(threads, thread => thread.Join());
        foreach (var pair in counts)
        {
            Console.WriteLine(pair.Key + " " + pair.Value);
        }
        return 0;
    }

    private static void OpenMissing(SortedDictionary<string, int> counts)
    {
        for (int i = 0; i < 400; i++)
        {
            try
            {
                File.OpenRead("/nowhere-" + i);
            }
            catch (Exception e)
            {
                string key = e.GetType().Name + " " + e.HResult.ToString("x");
                lock (counts)
                {
                    counts.TryGetValue(key, out int count);
                    counts[key] = count + 1;
                }
            }
        }
    }

    private static int Touch(string text, object value) => text.Length + value.GetHashCode() % 1;

    private static int Errno
    {
        get => Marshal.ReadInt32(Native.__errno_location());
        set => Marshal.WriteInt32(Native.__errno_location(), value);
    }

    private static int Innermost(int depth, string text, List<int> list) =>
        depth == 0 ? list.Count + text.Length : Innermost(depth - 1, text + "x", list);

    private static void Look(int rounds, ref int wrong, ref int changed)
    {
        var list = new List<int> { 1, 2, 3 };
        for (int i = 0; i < rounds; i++)
        {
            Native.open("/nowhere", 0);
            Count(ref wrong, Marshal.GetLastWin32Error() == 2);
            Native.close(-1);
            Count(ref wrong, Marshal.GetLastWin32Error() == 9);
            // Through enters and leaves with values that are read from memory, and lines that wait for each other.
            Errno = 77;
            Innermost(i % 5, "text", list);
            Touch("text", list);
            Count(ref changed, Errno == 77);
        }
    }

    private static void Count(ref int count, bool isRight)
    {
        if (!isRight)
        {
            Interlocked.Increment(ref count);
        }
    }

    /// <summary>`errno` and the last error of calls, with traced calls in between.</summary>
    internal static int Numbers(string[] args)
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

    /// <summary>All descriptors are in use for a while.</summary>
    internal static int Descriptors(string[] args)
    {
        // Whatever the framework loads when it first opens a file has to be loaded before.
        File.OpenRead("/dev/null").Dispose();
        try
        {
            File.OpenRead("/nowhere");
        }
        catch (IOException)
        {
        }
        Console.Write("");
        Native.getrlimit(Native.RLIMIT_NOFILE, out Native.Limit limit);
        limit.Current = 256;
        Native.setrlimit(Native.RLIMIT_NOFILE, ref limit);
        var taken = new List<int>();
        for (int next = Native.dup(0); next >= 0; next = Native.dup(0))
        {
            taken.Add(next);
        }
        int error = Marshal.GetLastWin32Error(), sum = 0;
        for (int i = 0; i < 1000; i++)
        {
            sum += Innermost(3, "text", taken);
        }
        string failure = "";
        try
        {
            File.OpenRead("/dev/null");
        }
        catch (IOException e)
        {
            failure = e.GetType().Name;
        }
        taken.ForEach(descriptor => Native.close(descriptor));
        Console.WriteLine($"{taken.Count > 100} {error} {sum - taken.Count * 1000} {failure}");
        return 0;
    }

    /// <summary>Signals arrive while calls are traced.</summary>
    internal static int Signals(string[] args)
    {
        // A shell starts a background job with this signal ignored, and the runtime does not change that.
        Native.signal(Native.SIGINT, IntPtr.Zero);
        int seen = 0;
        Console.CancelKeyPress += (sender, e) =>
        {
            e.Cancel = true;
            Interlocked.Increment(ref seen);
        };
        long sum = 0;
        for (int i = 0; i < 10; i++)
        {
            int before = Volatile.Read(ref seen);
            Native.kill(Native.getpid(), Native.SIGINT);
            while (Volatile.Read(ref seen) == before)
            {
                sum += Touch("text", i) - 4 - i % 1;
                Thread.Yield();
            }
        }
        Console.WriteLine($"{seen} signals, {sum}");
        return 0;
    }
}
