using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

/// Refers to a watched object.
internal sealed class Holder
{
    public byte[] Held;
}

/// Collections that the program induces, and counts.
internal static class Collections
{
    private static readonly int[] Asked = { 0, 1, 2, 0, 2 };
    private static readonly List<Holder> Holders = new List<Holder>();
    private static readonly List<(string, GCHandle)> Handles = new List<(string, GCHandle)>();

    public static void Run(string subject)
    {
        if (subject == "gc")
        {
            Watch();
        }
        string[] begin = { subject, "begin" };
        string[] question = begin.Concat(Handles.Select(Place)).ToArray();
        List<int> oldest = new List<int>(Asked.Length);
        // Its large buffer would cause a collection later.
        RuntimeHelpers.RunClassConstructor(typeof(Live).TypeHandle);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        int before = GC.CollectionCount(0);
        Live.Ask(question);
        foreach (int generation in Asked)
        {
            int[] counts = Counts();
            GC.Collect(generation);
            oldest.Add(Counts().Zip(counts, (now, then) => now - then).ToList().LastIndexOf(1));
        }
        int made = GC.CollectionCount(0) - before;
        Live.Ask(subject, "end");

        Live.Says(subject + ".started", made);
        Live.Says(subject + ".finished", made);
        Live.Says(subject + ".induced", Asked.Length);
        // The program waits for each.
        Live.Says(subject + ".most", 1);
        Live.Says(subject + ".oldest", List(oldest));
        Live.Says(subject + ".by_class", subject == "gc" ? "true" : "false");
        Live.Says(subject + ".generations", List(Enumerable.Range(0, Generations())));
        Live.Says(subject + ".wrong", "[]");
        foreach ((string name, GCHandle handle) in Handles)
        {
            SayOf(subject + "." + name, handle);
        }
    }

    private static int[] Counts() => Enumerable.Range(0, 3).Select(GC.CollectionCount).ToArray();

    private static string List(IEnumerable<int> numbers) => "[" + string.Join(", ", numbers) + "]";

    /// With the flags for large objects and, where there is a heap for them, for pinned objects.
    private static int Generations()
    {
#if NET8
        return GC.GetGCMemoryInfo().GenerationInfo.Length;
#else
        return GC.MaxGeneration + 2;
#endif
    }

    /// An object that a handle pins and, where there is a heap for that, one that was allocated pinned.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Watch()
    {
        Watch("Pinned", new byte[10], GCHandleType.Pinned);
#if NET8
        Watch("Allocated", GC.AllocateArray<byte>(10, pinned: true), GCHandleType.Normal);
#endif
    }

    private static void Watch(string name, byte[] held, GCHandleType kind)
    {
        Holders.Add(new Holder { Held = held });
        Handles.Add((name, GCHandle.Alloc(held, kind)));
    }

    /// An array begins before its elements: with its class and its length.
    private static string Place((string Name, GCHandle Handle) watched) =>
        watched.Name + " " + (Marshal.UnsafeAddrOfPinnedArrayElement((byte[])watched.Handle.Target, 0).ToInt64()
            - 2 * IntPtr.Size);

    private static void SayOf(string name, GCHandle handle)
    {
        // The lowest bit of the number is the flag for pinned.
        long number = GCHandle.ToIntPtr(handle).ToInt64();
        bool pinned = (number & 1) == 1;
        Live.Says(name + ".handles", (pinned ? "1 " : "0 ") + (number & ~1L));
        Live.Says(name + ".referrers", nameof(Holder));
        Live.Says(name + ".generation", pinned ? "GEN_" + GC.GetGeneration(handle.Target) : "PINNED_OBJECT_HEAP");
    }
}
