// Nearly empty methods, called again and again: prints the time of a call, in hundredths of a nanosecond of
// the thread's CPU time.
//
//     Loop ints|text|object|array THREADS ROUNDS CALLS

using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

public static class Loop
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Add(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Length(string text) => text.Length;

    /// <summary>An object of six fields.</summary>
    public sealed class Order
    {
        public int Number = 4711;
        public long Time = 638_000_000_000_000_000;
        public double Price = 12.5;
        public bool IsPaid = true;
        public string Customer = "a customer of sixteen";
        public int[] Items;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Count(Order order) => order.Number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int First(int[] numbers) => numbers[0];

    public static int Main(string[] args)
    {
        Func<int, int> loop = args[0] switch
        {
            "ints" => LoopAdd,
            "text" => LoopLength,
            "object" => LoopCount,
            _ => LoopFirst,
        };
        int threads = int.Parse(args[1]), rounds = int.Parse(args[2]), calls = int.Parse(args[3]);
        var times = new double[threads][];
        using var begin = new Barrier(threads);
        Thread[] running = Enumerable.Range(0, threads).Select(number => new Thread(() =>
        {
            loop(calls);
            begin.SignalAndWait();
            times[number] = new double[rounds];
            for (int round = 0; round < rounds; round++)
            {
                long before = ThreadTime();
                loop(calls);
                times[number][round] = (double)(ThreadTime() - before) / calls;
            }
        })).ToArray();
        Array.ForEach(running, thread => thread.Start());
        Array.ForEach(running, thread => thread.Join());
        // The best round of each thread; of those the worst, so that contention between threads shows.
        double best = times.Max(thread => thread.Min());
        // The number of calls, to check that all were counted.
        Console.WriteLine($"{Math.Round(best * 100)} {(long)threads * (rounds + 1) * calls}");
        return 0;
    }

    private static int LoopAdd(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum = Add(sum, i);
        return sum;
    }

    private static int LoopLength(int calls)
    {
        string text = "thirty-two characters, as it is.";
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum += Length(text);
        return sum;
    }

    private static int LoopCount(int calls)
    {
        var order = new Order();
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum += Count(order);
        return sum;
    }

    private static int LoopFirst(int calls)
    {
        int[] numbers = Enumerable.Range(1, 16).ToArray();
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum += First(numbers);
        return sum;
    }

    private struct Time
    {
        public long Seconds, Nanoseconds;
    }

    [DllImport("libc", EntryPoint = "clock_gettime")]
    private static extern int GetTime(int clock, out Time time);

    private static long ThreadTime()
    {
        const int ThreadCpu = 3;
        GetTime(ThreadCpu, out Time time);
        return time.Seconds * 1_000_000_000 + time.Nanoseconds;
    }
}
