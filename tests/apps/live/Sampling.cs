using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

/// Threads that start and end, and collections, while the profiler samples all stacks.
internal static class Sampling
{
    private static int sum;

    public static void Run()
    {
        int milliseconds = int.Parse(Environment.GetEnvironmentVariable("LIVE_MILLISECONDS"));
        Live.Ask("sampling.start");
        Live.Says("sampling.start.runs", "true");
        Stopwatch watch = Stopwatch.StartNew();
        for (int round = 0; watch.ElapsedMilliseconds < milliseconds; round++)
        {
            Thread[] threads = new Thread[8];
            for (int index = 0; index < threads.Length; index++)
            {
                threads[index] = new Thread(() => Deep(20));
                threads[index].Start();
            }
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
            if (round % 4 == 0)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
        Live.Ask("sampling.stop");
        Live.Says("sampling.stop.sampled", "true");
        Live.Says("sampling.stop.walked", "true");
        Live.Says("sampling.stop.ended_threads_refused", "true");
        Live.Says("sampling.stop.counted", "true");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Deep(int depth)
    {
        if (depth > 0)
        {
            Deep(depth - 1);
        }
        else
        {
            Thread.Sleep(1);
        }
        Interlocked.Increment(ref sum);
    }
}
