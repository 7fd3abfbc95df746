// Methods that do the same and are traced differently, by their names; and what a call of each takes.

using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;

public static class Loop
{
    private const int Calls = 100_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Alone(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Hooked(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Asked(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Recorded(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Written(int a, int b) => a + b;

    public static int Main(string[] args)
    {
        string[] names = { nameof(Alone), nameof(Hooked), nameof(Asked), nameof(Recorded), nameof(Written) };
        Func<int, int>[] loops = { LoopAlone, LoopHooked, LoopAsked, LoopRecorded, LoopWritten };
        int rounds = int.Parse(args[0]);
        double[][] times = names.Select(_ => new double[rounds]).ToArray();
        int sum = 0;
        foreach (Func<int, int> loop in loops)
            sum += loop(Calls);
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < loops.Length; i++)
            {
                long begin = Stopwatch.GetTimestamp();
                sum += loops[i](Calls);
                times[i][round] = (Stopwatch.GetTimestamp() - begin) * 1e9 / Stopwatch.Frequency / Calls;
            }
        }
        // Of each round what one is above another, since a round has the same neighbours.
        for (int i = 0; i < names.Length; i++)
            Console.WriteLine($"{names[i]} {Hundredths(times[i].Min())} {Hundredths(Middle(times[i]))}");
        Console.WriteLine($"Recorded-Asked {Above(times[3], times[2])}");
        Console.WriteLine($"Written-Asked {Above(times[4], times[2])}");
        return sum == 0 ? 1 : 0;
    }

    private static string Above(double[] times, double[] others)
    {
        double[] above = times.Zip(others, (time, other) => time - other).ToArray();
        return $"{Hundredths(times.Min() - others.Min())} {Hundredths(Middle(above))}";
    }

    private static double Middle(double[] times) => times.OrderBy(time => time).ElementAt(times.Length / 2);

    // Whole numbers have no decimal point that a culture could change.
    private static long Hundredths(double time) => (long)Math.Round(time * 100);

    private static int LoopAlone(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Alone(sum, i);
        return sum;
    }

    private static int LoopHooked(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Hooked(sum, i);
        return sum;
    }

    private static int LoopAsked(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Asked(sum, i);
        return sum;
    }

    private static int LoopRecorded(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Recorded(sum, i);
        return sum;
    }

    private static int LoopWritten(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Written(sum, i);
        return sum;
    }
}
