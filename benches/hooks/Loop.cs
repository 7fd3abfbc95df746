// Two nearly empty methods, called again and again: prints the time of a call, in hundredths of a nanosecond of
// the thread's CPU time.
//
//     Loop ints|text THREADS ROUNDS CALLS

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

    public static int Main(string[] args)
    {
        Func<int, int> loop = args[0] == "ints" ? LoopAdd : LoopLength;
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
