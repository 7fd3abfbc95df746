using System;
using Report;

namespace Cases;

/// <summary>References into the heap that a collection moves while the method runs.</summary>
public static class Moving
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        for (int i = 0; i < 3; i++)
        {
            int[] numbers = Young();
            Item(ref numbers[1], out numbers[2]);
            var keeper = new Keeper { Number = 5, Text = "before", Pair = new Pair<int, string> { Left = 1 } };
            Fields(ref keeper.Number, ref keeper.Text, ref keeper.Pair);
            int local = 1;
            Local(ref local);
        }
        call.Leave();
    }

    // Garbage in front of it, so that compacting moves it.
    private static int[] Young()
    {
        Call call = Self.Enter(null);
        for (int i = 0; i < 1000; i++)
            _ = new byte[100];
        return call.Leave(new[] { 1, 2, 3 });
    }

    private static void Item(ref int changed, out int made)
    {
        Call call = Self.Enter(null, changed, Self.Out);
        GC.Collect(0, GCCollectionMode.Forced, true, true);
        changed = 20;
        made = 30;
        GC.Collect(2, GCCollectionMode.Forced, true, true);
        call.Outs(Described.InHeap(changed), Described.InHeap(made)).Leave();
    }

    private static void Fields(ref int number, ref string text, ref Pair<int, string> pair)
    {
        Call call = Self.Enter(null, number, text, pair);
        GC.Collect(2, GCCollectionMode.Forced, true, true);
        number = 6;
        text = "after";
        pair.Right = "set";
        call.Outs(Described.InHeap(number), Described.InHeap(text), Described.InHeap(pair)).Leave();
    }

    private static void Local(ref int number)
    {
        Call call = Self.Enter(null, number);
        GC.Collect();
        number++;
        call.Outs(number).Leave();
    }

    private sealed class Keeper
    {
        public int Number;
        public string Text;
        public Pair<int, string> Pair;
    }
}
