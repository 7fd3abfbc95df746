// Methods with the same body that are traced differently, by their names; prints the time of a call of each.

using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

public static class Loop
{
    // Few calls, so that most rounds are not interrupted.
    private const int Calls = 10_000;

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
            sum += loop(10 * Calls);
        for (int round = 0; round < rounds; round++)
        {
            for (int turn = 0; turn < loops.Length; turn++)
            {
                // In alternating order, so that no method always follows the same one.
                int i = round % 2 == 0 ? turn : loops.Length - 1 - turn;
                double begin = Now();
                sum += loops[i](Calls);
                times[i][round] = (Now() - begin) / Calls;
            }
        }
        Console.WriteLine($"Clock {(s_threadTime ? "thread" : "wall")}");
        Console.WriteLine($"Calls {Calls}");
        // The differences within each round, whose measurements are close in time.
        for (int i = 0; i < names.Length; i++)
            Console.WriteLine($"{names[i]} {Hundredths(times[i].Min())} {Hundredths(Middle(times[i]))}");
        Console.WriteLine($"Recorded-Asked {Above(times[3], times[2])}");
        Console.WriteLine($"Written-Asked {Above(times[4], times[2])}");
        return sum == 0 ? 1 : 0;
    }

    // CPU time of this thread in nanoseconds, where the system provides it: it excludes other work on the
    // machine.
    private static double Now()
    {
        if (s_threadTime && clock_gettime(ClockThreadCpuTime, out Timespec time) == 0)
            return time.Seconds * 1e9 + time.Nanoseconds;
        return Stopwatch.GetTimestamp() * 1e9 / Stopwatch.Frequency;
    }

    private static readonly bool s_threadTime = RuntimeInformation.IsOSPlatform(OSPlatform.Linux);

    private const int ClockThreadCpuTime = 3;

    private struct Timespec
    {
        public nint Seconds;
        public nint Nanoseconds;
    }

    [DllImport("libc")]
    private static extern int clock_gettime(int clock, out Timespec time);

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
