using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;

/// Known collections.
internal static class Collected
{
    private static readonly List<byte[]> Kept = new List<byte[]>();
    private static object last;

    public static void Run()
    {
        for (int number = 0; number < 2_000; number++)
        {
            Kept.Add(new byte[10_000]);
        }
        Kept.Add(new byte[1_000_000]);
        foreach (int generation in new[] { 0, 0, 0, 1, 1, 2, 2, 2, 0, 1 })
        {
            Induce(generation);
        }
        int[] counts = Counts();
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        Says(counts);
        // These are caused by allocation.
        int before = GC.CollectionCount(0);
        while (GC.CollectionCount(0) < before + 5)
        {
            Churn();
        }
        SaysCounts();
        GC.KeepAlive(Kept);
    }

    /// Younger collections before and while background ones run, if the collector's mode has these.
    public static void InBackground()
    {
        // Marking this takes longer than a collection of the youngest generation.
        Node[] all = Enumerable.Range(0, 400_000).Select(number => new Node()).ToArray();
        for (int number = 1; number < all.Length; number++)
        {
            all[number].Next = all[number * 7919L % number];
        }
        Thread[] threads = Enumerable.Range(0, 2).Select(number => new Thread(Allocate)).ToArray();
        foreach (Thread thread in threads)
        {
            thread.Start();
        }
        for (int number = 0; number < 6; number++)
        {
            GC.Collect(2, GCCollectionMode.Optimized, blocking: false);
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            Thread.Sleep(20);
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        // A blocking collection waits for the end of one in the background.
        GC.Collect();
        GC.KeepAlive(all);
        SaysCounts();
    }

    private static void Allocate()
    {
        var kept = new List<byte[]>();
        for (int number = 0; number < 60_000; number++)
        {
            byte[] one = new byte[number % 100 == 0 ? 100_000 : 1_000];
            if (number % 8 == 0)
            {
                kept.Add(one);
            }
        }
        GC.KeepAlive(kept);
    }

    private sealed class Node
    {
        public Node Next;
    }

    private static void SaysCounts()
    {
        for (int generation = 0; generation <= 2; generation++)
        {
            Program.Says("collections of " + generation, GC.CollectionCount(generation));
        }
#if NET8
        Program.Says("paused", GC.GetTotalPauseDuration().TotalMilliseconds);
        Program.Says("background", GC.GetGCMemoryInfo(GCKind.Background).Index);
#endif
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Churn()
    {
        for (int number = 0; number < 10_000; number++)
        {
            last = new byte[1_000];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Induce(int generation)
    {
        Churn();
        int[] counts = Counts();
        GC.Collect(generation);
        Says(counts);
    }

    private static int[] Counts()
    {
        return new[] { GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2) };
    }

    /// The collector may collect an older generation than it was asked to.
    private static void Says(int[] before)
    {
        int number = GC.CollectionCount(0);
        int generation = Array.LastIndexOf(Counts().Zip(before, (now, then) => now - then).ToArray(), 1);
        string facts = generation.ToString();
#if NET8
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.Any);
        if (info.Index != number || info.Generation != generation)
        {
            throw new InvalidOperationException("another collection came between: " + info.Index + ", " + number);
        }
        facts += " " + info.PauseDurations[0].TotalMilliseconds + " "
            + string.Join(",", info.GenerationInfo.ToArray().Select(one => one.SizeBeforeBytes)) + " "
            + string.Join(",", info.GenerationInfo.ToArray().Select(one => one.SizeAfterBytes));
#endif
        Program.Says("collection " + number, facts);
    }
}
