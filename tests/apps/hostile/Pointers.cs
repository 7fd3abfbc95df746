// Good and bad addresses as arguments: of native memory, of the managed heap, and of stacks. Before and after each call
// the program asks the kernel whether the memory is readable, and prints that.

using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Hostile;

internal static unsafe class Pointers
{
    private const int Page = 4096;
    private const int Most = 16000;
    private const byte Fill = 2;

    private static readonly int[] pipe = new int[2];
    private static readonly string[] kinds = new string[Most];
    private static readonly bool[] before = new bool[Most];
    private static readonly bool[] after = new bool[Most];
    private static int count;

    [DllImport("libc", EntryPoint = "pipe")] private static extern int OpenPipe(int[] ends);
    [DllImport("libc")] private static extern IntPtr write(int descriptor, byte* from, IntPtr count);
    [DllImport("libc")] private static extern IntPtr read(int descriptor, byte* to, IntPtr count);
    [DllImport("libc")] private static extern byte* mmap(byte* at, IntPtr length, int access, int kind, int file, IntPtr offset);
    [DllImport("libc")] private static extern int munmap(byte* at, IntPtr length);
    [DllImport("libc")] private static extern int mprotect(byte* at, IntPtr length, int access);

    // What is traced: a number, and an address.

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Pointed(int number, int* at) => number;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Referred(int number, ref int target) => number;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Spanned(int number, ReadOnlySpan<int> items) => number;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Texted(int number, string text) => number;

    private static bool IsReadable(byte* at)
    {
        byte one;
        return write(pipe[1], at, (IntPtr)1) == (IntPtr)1 && read(pipe[0], &one, (IntPtr)1) == (IntPtr)1;
    }

    private static bool IsReadable(byte* at, int length) => IsReadable(at) && IsReadable(at + length - 1);

    /// <summary>Passes an address in each way.</summary>
    private static void Pass(string kind, byte* at)
    {
        for (int way = 0; way < 4 && count < Most; way++)
        {
            int number = count++;
            // A string has its length behind its header, and two characters behind that: the memory is filled so.
            byte* first = way == 3 ? at + 8 : at;
            int length = way == 3 ? 8 : 4;
            kinds[number] = kind;
            before[number] = IsReadable(first, length);
            switch (way)
            {
                case 0: Pointed(number, (int*)at); break;
                case 1: Referred(number, ref *(int*)at); break;
                case 2: Spanned(number, new ReadOnlySpan<int>(at, 1)); break;
                default: PassText(number, (IntPtr)at); break;
            }
            after[number] = IsReadable(first, length);
        }
    }

    /// <summary>No reference to what is no string is left when it returns.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PassText(int number, IntPtr at) => Texted(number, Unsafe.As<IntPtr, string>(ref at));

    private static byte* Map(byte* near, int pages)
    {
        byte* at = mmap(near, (IntPtr)(pages * Page), 3, 0x22, -1, IntPtr.Zero);
        for (int i = 0; i < pages * Page; i += 4)
        {
            *(int*)(at + i) = Fill;
        }
        return at;
    }

    /// <summary>Native memory with a guard page, aligned and not, and then unmapped.</summary>
    private static void Native(string kind, byte* near)
    {
        byte* at = Map(near, 3);
        for (int round = 0; round < 2; round++)
        {
            foreach (int offset in new[] { 0, 1, 3, Page - 16, Page - 4, Page - 2, Page - 13, Page, Page + 8, 2 * Page - 8, 2 * Page, 2 * Page + 5 })
            {
                Pass($"{kind}, {(round == 0 ? "mapped" : "guard page")} {offset}", at + offset);
            }
            mprotect(at + Page, (IntPtr)Page, 0);
        }
        munmap(at, (IntPtr)(3 * Page));
        Pass($"{kind}, unmapped", at + 64);
    }

    /// <summary>The end of the mapping with an object.</summary>
    private static byte* EndOfHeap()
    {
        object made = new int[10];
        ulong address = (ulong)Unsafe.As<object, IntPtr>(ref made);
        foreach (string line in File.ReadAllLines("/proc/self/maps"))
        {
            string[] ends = line.Split(' ')[0].Split('-');
            ulong start = Convert.ToUInt64(ends[0], 16), end = Convert.ToUInt64(ends[1], 16);
            if (start <= address && address < end)
            {
                return (byte*)end;
            }
        }
        return null;
    }

    /// <summary>Fills new arrays and returns addresses in them, which become stale.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<IntPtr> Arrays(string kind, int arrays, int length, List<int[]> kept)
    {
        var addresses = new List<IntPtr>();
        for (int i = 0; i < arrays; i++)
        {
            var array = new int[length];
            Array.Fill(array, Fill);
            kept.Add(array);
            fixed (int* first = array)
            {
                int step = length / 4;
                for (int at = step / 2 & ~1; at < length - 8; at += step)
                {
                    addresses.Add((IntPtr)(first + at));
                    if (i % 8 == 0)
                    {
                        Pass($"{kind}, live", (byte*)(first + at));
                    }
                }
            }
        }
        return addresses;
    }

    private static void Collect(int mode, bool isBlocking)
    {
        System.Runtime.GCSettings.LargeObjectHeapCompactionMode = System.Runtime.GCLargeObjectHeapCompactionMode.CompactOnce;
        GC.Collect(2, (GCCollectionMode)mode, isBlocking, isBlocking);
    }

    /// <summary>The memory of arrays that are collected.</summary>
    private static void Heap(string kind, int arrays, int length, int mode, bool isBlocking)
    {
        var kept = new List<int[]>();
        List<IntPtr> addresses = Arrays(kind, arrays, length, kept);
        Collect(1, true);
        kept.Clear();
        for (int round = 0; round < 3; round++)
        {
            Collect(mode, isBlocking);
            for (int i = round; i < addresses.Count; i += 7)
            {
                Pass($"{kind}, round {round}", (byte*)addresses[i]);
            }
            Thread.Sleep(isBlocking ? 1 : 20);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Deep(int depth)
    {
        byte* here = stackalloc byte[4000];
        for (int i = 0; i < 4000; i += 4)
        {
            *(int*)(here + i) = Fill;
        }
        Pass("stack, a caller's", here + 16);
        byte* deeper = depth == 0 ? here : Deep(depth - 1);
        return deeper + (here[8] - Fill);
    }

    private static void Stacks()
    {
        byte* popped = Deep(12);
        Pass("stack, popped", popped + 16);
        foreach (int size in new[] { 1 << 20, 64 << 20 })
        {
            using var isThere = new ManualResetEventSlim();
            using var mayEnd = new ManualResetEventSlim();
            IntPtr other = IntPtr.Zero;
            var thread = new Thread(() =>
            {
                byte* here = stackalloc byte[64];
                for (int i = 0; i < 64; i += 4)
                {
                    *(int*)(here + i) = Fill;
                }
                other = (IntPtr)here;
                Pass("stack, the thread's", here);
                isThere.Set();
                mayEnd.Wait();
                Pass("stack, the thread's", here);
            }, size);
            thread.Start();
            isThere.Wait();
            Pass("stack, another thread's", (byte*)other);
            mayEnd.Set();
            thread.Join();
            Thread.Sleep(20);
            Pass("stack, an ended thread's", (byte*)other);
        }
    }

    internal static int Run(string[] args)
    {
        OpenPipe(pipe);
        const int Forced = 1, Aggressive = 3;
        int most = Environment.Version.Major >= 8 ? Aggressive : Forced;
        foreach (long at in new[] { 0, 1, 0x1234, 0x7fff_0000_0000, -4096, -1 })
        {
            Pass("number", (byte*)at);
        }
        Native("native", null);
        Native("beside the heap", EndOfHeap());
        IntPtr freed = Hostile.Native.malloc((IntPtr)(8 << 20));
        for (int i = 0; i < 4096; i += 4)
        {
            ((int*)freed)[i / 4] = Fill;
        }
        Pass("allocated", (byte*)freed + 64);
        Hostile.Native.free(freed);
        Pass("freed", (byte*)freed + 64);
        Stacks();
        Heap("young", 200, 10_000, Forced, true);
        Heap("large, background", 12, 2_000_000, Forced, false);
        Heap("young, background", 200, 10_000, Forced, false);
        Heap("large", 12, 2_000_000, most, true);
        Heap("young, released", 400, 10_000, most, true);
        GC.KeepAlive(pipe);
        for (int number = 0; number < count; number++)
        {
            Console.WriteLine($"{number} {before[number]} {after[number]} {kinds[number]}");
        }
        return 0;
    }
}
