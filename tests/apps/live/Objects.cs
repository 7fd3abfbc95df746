using System;
using System.Runtime.CompilerServices;

/// Refers to the next one.
internal sealed class Marker
{
    public Marker Next;
    public int Number;
}

/// Static fields of every kind.
internal static class Shelf
{
    public static int Number = 0x1234;
    public static string Text;
    public static int[] Numbers;
    public static int[,] Square;
    public static byte[] Large;
    public static string Literal = "a literal of the program";
    public static Marker First;

    [ThreadStatic]
    public static int Mine;
}

/// Objects whose addresses and contents the program knows.
internal static class Objects
{
    private const int Markers = 321;

    public static void Run()
    {
        Shelf.Text = new string('x', 5) + "y\u00E9";
        Shelf.Numbers = new[] { 11, 22, 33 };
        Shelf.Square = (int[,])Array.CreateInstance(typeof(int), new[] { 2, 3 }, new[] { -1, 5 });
        Shelf.Square[-1, 6] = 77;
        Shelf.Large = new byte[200_000];
        Shelf.Mine = 0x5678;
        for (int number = 0; number < Markers; number++)
        {
            Shelf.First = new Marker { Next = Shelf.First, Number = number };
        }
        // The allocated objects survive, and are in the generation that the program states.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        int before = GC.CollectionCount(2);
        int[] generations = { Generation(Shelf.Text), Generation(Shelf.Large), Generation(Shelf.Literal) };
        Live.Ask("objects");
        int forced = GC.CollectionCount(2) - before;

        Live.Says("objects.static.kind", "true");
        Live.Says("objects.static.number", Shelf.Number);
        Live.Says("objects.thread.kind", "true");
        Live.Says("objects.thread.mine", Shelf.Mine);
        Live.Says("objects.text", Shelf.Text);
        Live.Says("objects.array", Shelf.Numbers.Rank + " 0+" + Shelf.Numbers.Length + " " + Shelf.Numbers[1]);
        Live.Says("objects.square", Shelf.Square.Rank + " " + Dimension(0) + " " + Dimension(1) + " " + Shelf.Square[-1, 6]);
        Say("Text", generations[0]);
        Say("Large", generations[1]);
        Say("Literal", generations[2]);
        // Header and length, then the bytes, up to a whole number of words.
        Live.Says("objects.size.Large", 3 * IntPtr.Size + Shelf.Large.Length);
        Live.Says("objects.bounds", "true");
        Live.Says("objects.threshold", 85_000);
        Live.Says("objects.references", "1 of 1");
        if (Environment.Version.Major >= 9)
        {
            Live.Says("objects.heap.markers", Markers);
            Live.Says("objects.heap.broken", "3 Break(\"enough\")");
            Live.Says("objects.nongc.bounds", "true");
            Live.Says("objects.nongc.objects", "true");
        }
        else
        {
            Live.Says("objects.heap.refused", "ICorProfilerInfo15::EnumerateGCHeapObjects needs ICorProfilerInfo15, "
                + "and this runtime has nothing newer than ICorProfilerInfo" + (Environment.Version.Major < 5 ? 11 : 14));
        }
        Live.Says("objects.forced", forced);
        GC.KeepAlive(Shelf.First);
    }

    private static string Dimension(int dimension) =>
        Shelf.Square.GetLowerBound(dimension) + "+" + Shelf.Square.GetLength(dimension);

    private static int Generation(object value) => GC.GetGeneration(value);

    private static void Say(string name, int generation)
    {
        // For an object that is never collected, GC.GetGeneration reports it.
        bool frozen = generation == int.MaxValue;
        Live.Says("objects.frozen." + name, frozen ? "true" : "false");
        if (!frozen)
        {
            Live.Says("objects.generation." + name, generation);
        }
    }
}
