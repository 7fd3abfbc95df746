using System;
using System.Linq;
using System.Runtime.CompilerServices;

/// No other class of the program has arrays of it.
internal struct Brick
{
    public long First;
    public long Second;
}

/// Objects that are allocated in special heaps.
internal static class Allocations
{
    private const int Large = 7;
    private const int Pinned = 5;
    private const int Small = 100;

    private static readonly Brick[][] Kept = new Brick[Large + Pinned + Small][];

    public static void Run()
    {
        int at = 0;
        for (int number = 0; number < Large; number++)
        {
            Kept[at++] = new Brick[10_000];
        }
#if NET8
        for (int number = 0; number < Pinned; number++)
        {
            Kept[at++] = GC.AllocateArray<Brick>(3, pinned: true);
        }
        Live.Says("allocations.In(PINNED_OBJECT_HEAP)", Pinned);
#endif
        for (int number = 0; number < Small; number++)
        {
            Kept[at++] = new Brick[3];
        }
        Live.Says("allocations.In(LARGE_OBJECT_HEAP)", Large);
        Live.Says("allocations.others", 0);
        Live.Ask("allocations");
    }

    /// String literals of the program, which are never collected where the runtime has a heap for them.
    public static void RunFrozen()
    {
        string[] texts = Texts();
        string begin = string.Concat(nameof(texts), " ", "that stay: ");
        Live.Says("frozen.any", "true");
        foreach (string text in texts.OrderBy(text => text, StringComparer.Ordinal))
        {
            if (GC.GetGeneration(text) != int.MaxValue)
            {
                throw new InvalidOperationException(text + " may be collected");
            }
            Live.Says("frozen.text", text);
        }
        // A string that the program creates is not among them.
        string made = begin + texts.Length;
        Live.Says("frozen.collectable", 0);
        Live.Says("frozen.listed.alone", 0);
        Live.Says("frozen.reported.alone", 0);
        Live.Ask("frozen", begin);
        GC.KeepAlive(made);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string[] Texts() => new[]
    {
        "texts that stay: one", "texts that stay: another", "texts that stay: the last",
    };
}
