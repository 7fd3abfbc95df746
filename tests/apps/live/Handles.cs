using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

/// Objects that only the profiler's handles keep alive, or do not.
internal static class Handles
{
    private static readonly string[] Kinds = { "Weak", "Strong", "Pinned" };

    public static void Run()
    {
        WeakReference[] objects = Make();
        Collect();
        bool[] alive = Array.ConvertAll(objects, reference => reference.IsAlive);
        Live.Ask("handles", "look");
        for (int kind = 0; kind < Kinds.Length; kind++)
        {
            Live.Says("handles.made." + Kinds[kind], "true");
            Live.Says("handles.alive." + Kinds[kind], alive[kind] ? "true" : "false");
        }
        // The objects before it have been collected, and the collector has closed the gap.
        Live.Says("handles.moved.Strong", "true");
        Live.Says("handles.moved.Pinned", "false");

        Collect();
        Live.Says("handles.followed", Array.FindAll(objects, reference => reference.IsAlive).Length);
        Live.Ask("handles", "let go");

        Collect();
        Live.Says("handles.alive", Array.FindAll(objects, reference => reference.IsAlive).Length);
        Live.Ask("handles", "look again");
    }

    private static void Collect()
    {
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        GC.WaitForPendingFinalizers();
    }

    /// Objects between others, without references.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] Make()
    {
        byte[][] objects = new byte[Kinds.Length][];
        for (int kind = 0; kind < Kinds.Length; kind++)
        {
            for (int number = 0; number < 100; number++)
            {
                GC.KeepAlive(new byte[500]);
            }
            objects[kind] = new byte[64];
        }
        GCHandle[] pins = Array.ConvertAll(objects, array => GCHandle.Alloc(array, GCHandleType.Pinned));
        // An object begins before its elements: with its class and its length.
        string[] places = Array.ConvertAll(pins,
            pin => (pin.AddrOfPinnedObject().ToInt64() - 2 * IntPtr.Size).ToString());
        Live.Ask("handles", "make", places[0], places[1], places[2]);
        Array.ForEach(pins, pin => pin.Free());
        return Array.ConvertAll(objects, array => new WeakReference(array));
    }
}
