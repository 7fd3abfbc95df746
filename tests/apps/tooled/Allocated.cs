using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

internal sealed class Small
{
    public long First;
    public long Second;
}

internal sealed class Pair<T>
{
    public T First;
    public T Second;
}

internal struct Brick
{
    public long First;
    public long Second;
    public long Third;
}

/// Known allocations: objects by count, bytes by the runtime's own counter of the thread.
internal static class Allocated
{
    private static object last;

    public static void Run()
    {
        Measure("MakeSmall", "Small", 10_000, MakeSmall);
        Measure("MakePairs", "Pair<string>", 5_000, MakePairs);
        Measure("MakeBricks", "Brick[]", 1_000, MakeBricks);
        Measure("MakeTexts", "char[]", 2_000, MakeTexts);
        Measure("MakeBoxes", "boxed Brick", 3_000, MakeBoxes);
        Measure("MakeLarge", "byte[]", 20, MakeLarge);
        Measure("MakeNested", "Small", 300, MakeNested);
        Thread thread = new Thread(() => Measure("MakeOnThread", "Small", 400, MakeOnThread));
        thread.Start();
        thread.Join();
        int sum = 0;
        Measure("Items", "Small", 50, count =>
        {
            foreach (Small item in Items(count))
            {
                sum += (int)item.First;
            }
        });
    }

    private static void Measure(string site, string type, int count, Action<int> make)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        make(count);
        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        Program.Says("allocated " + site, count + " " + bytes + " " + type);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeSmall(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Small();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakePairs(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Pair<string>();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeBricks(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Brick[number % 7];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeTexts(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new char[1 + number % 50];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeBoxes(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Brick();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeLarge(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new byte[200_000 + number];
        }
    }

    /// Each object has a stack of its own.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeNested(int count)
    {
        if (count > 0)
        {
            last = new Small();
            MakeNested(count - 1);
            last = null;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeOnThread(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Small();
        }
    }

    private static IEnumerable<Small> Items(int count)
    {
        for (int number = 0; number < count; number++)
        {
            yield return new Small { First = number };
        }
    }

    /// Enough for the runtime's sampling: 200 MB and 50 MB.
    public static void Much()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Most(2_000_000);
        long most = GC.GetAllocatedBytesForCurrentThread();
        Rest(50_000);
        Program.Says("most", most - before);
        Program.Says("rest", GC.GetAllocatedBytesForCurrentThread() - most);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Most(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Pair<Brick>();
            last = new Small();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Rest(int count)
    {
        for (int number = 0; number < count; number++)
        {
            last = new Brick[40];
        }
    }
}
