using System;
using System.Runtime.CompilerServices;
using System.Threading;

/// Has one instance.
internal sealed class Single
{
}

/// The program's heap, while the profiler walks it.
internal static class Walks
{
    private const int Markers = 1000;

    private static readonly Single One = new Single();

    public static void Run()
    {
        // Created now, not when it is first used.
        RuntimeHelpers.RunClassConstructor(typeof(Walks).TypeHandle);
        Marker first = null;
        for (int number = 0; number < Markers; number++)
        {
            first = new Marker { Next = first, Number = number };
        }
        Live.Says("walk.plain.refused", "true");
        Live.Ask("walk.here", "plain");
        Say("suspended");
        Live.Ask("walk", "suspended");

        Say("competing");
        Live.Says("walk.competing.met", "true");
        bool done = false;
        Thread collector = new Thread(() =>
        {
            while (!Volatile.Read(ref done))
            {
                GC.Collect();
            }
        });
        collector.Start();
        Live.Ask("walk", "competing");
        Volatile.Write(ref done, true);
        collector.Join();
        GC.KeepAlive(first);
        GC.KeepAlive(One);
    }

    private static void Say(string how)
    {
        Live.Says("walk." + how + ".many", "true");
        Live.Says("walk." + how + ".classes", "true");
        Live.Says("walk." + how + ".Marker", Markers);
        Live.Says("walk." + how + ".Single", 1);
    }
}
