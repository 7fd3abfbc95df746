// Memory is exhausted for a while.

using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Hostile;

internal static class Memory
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Called(string text, int[] numbers, object other) => text.Length + numbers.Length + (other == null ? 0 : 1);

    private static int Calls(string text, int[] numbers)
    {
        int sum = 0;
        for (int i = 0; i < 1000; i++)
        {
            sum += Called(text, numbers, i % 2 == 0 ? null : text);
        }
        return sum;
    }

    private static ulong AddressSpace()
    {
        foreach (string line in File.ReadAllLines("/proc/self/status"))
        {
            if (line.StartsWith("VmSize:"))
            {
                return ulong.Parse(line.Substring(7).Replace("kB", "").Trim()) * 1024;
            }
        }
        return 0;
    }

    /// <summary>The C library cannot allocate: calls with values that were compiled before continue.</summary>
    internal static int Native(string[] args)
    {
        // The stack is committed before memory is exhausted.
        var thread = new Thread(Exhaust, 64 << 20);
        thread.Start();
        thread.Join();
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Down(int depth, ref string text, out int sum)
    {
        sum = depth;
        return depth == 0 ? text.Length : Down(depth - 1, ref text, out sum) + 1;
    }

    private static void Exhaust()
    {
        string text = new string('x', 40);
        var numbers = new int[30];
        int sum = Calls(text, numbers) + Down(3, ref text, out _);
        Hostile.Native.getrlimit(Hostile.Native.RLIMIT_AS, out Hostile.Native.Limit before);
        Hostile.Native.Limit limit = before;
        limit.Current = AddressSpace() + (1 << 20);
        var taken = new IntPtr[1 << 20];
        int count = 0;
        IntPtr none = Hostile.Native.malloc((IntPtr)16);
        Hostile.Native.setrlimit(Hostile.Native.RLIMIT_AS, ref limit);
        foreach (int size in new[] { 1 << 20, 1 << 16, 1 << 12, 256, 48, 16 })
        {
            IntPtr next;
            while (count < taken.Length && (next = Hostile.Native.malloc((IntPtr)size)) != IntPtr.Zero)
            {
                taken[count++] = next;
            }
        }
        sum += Calls(text, numbers);
        sum += Down(5000, ref text, out int left) + left;
        Hostile.Native.setrlimit(Hostile.Native.RLIMIT_AS, ref before);
        for (int i = 0; i < count; i++)
        {
            Hostile.Native.free(taken[i]);
        }
        Hostile.Native.free(none);
        sum += Calls(text, numbers);
        Console.WriteLine($"{sum} {count > 0}");
    }

    /// <summary>The managed heap cannot allocate.</summary>
    internal static int Managed(string[] args)
    {
        int thrown = 0;
        for (int round = 0; round < 3; round++)
        {
            var kept = new List<byte[]>();
            try
            {
                for (; ; )
                {
                    kept.Add(new byte[1 << 20]);
                    Called("text", Array.Empty<int>(), kept);
                }
            }
            catch (OutOfMemoryException)
            {
                kept = null;
                thrown++;
            }
        }
        Console.WriteLine(thrown);
        return 0;
    }
}
