using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

/// Known shares of processor time, a thread that sleeps, and one that waits for a lock.
internal static class Burning
{
    private static readonly object Lock = new object();
    private static volatile bool ends;
    private static long sum;

    public static void Run()
    {
        int seconds = int.Parse(Environment.GetEnvironmentVariable("TOOLED_SECONDS"));
        Thread sleeping = new Thread(Sleeps) { Name = "sleeping" };
        Thread waiting = new Thread(Waits) { Name = "waiting" };
        sleeping.Start();
        lock (Lock)
        {
            waiting.Start();
            // All work is the same: its shares are those of the calls, whatever else the machine does.
            Spin(1000);
            long rounds = 0;
            Stopwatch watch = Stopwatch.StartNew();
            while (watch.ElapsedMilliseconds < seconds * 1000)
            {
                Seventy();
                Twenty();
                Ten();
                rounds++;
            }
            Program.Says("rounds", rounds);
            // The same for methods that the compiler lowers.
            watch.Restart();
            while (watch.ElapsedMilliseconds < seconds * 200)
            {
                foreach (int item in Items())
                {
                    sum += item;
                }
                Later().Wait();
            }
            ends = true;
        }
        sleeping.Join();
        waiting.Join();
        Program.Says("sum", sum != 0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Seventy()
    {
        for (int number = 0; number < 7; number++)
        {
            Spin(200);
        }
        sum++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Twenty()
    {
        for (int number = 0; number < 2; number++)
        {
            Spin(200);
        }
        sum++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Ten()
    {
        Spin(200);
        sum++;
    }

    /// Burns processor time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Spin(int count)
    {
        long local = sum;
        for (int number = 0; number < count * 1000; number++)
        {
            local = local * 31 + number % 7;
        }
        sum = local;
    }

    private static IEnumerable<int> Items()
    {
        for (int number = 0; number < 3; number++)
        {
            Spin(1000);
            yield return number;
        }
    }

    private static async Task Later()
    {
        await Task.Yield();
        Spin(3000);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Sleeps()
    {
        while (!ends)
        {
            Thread.Sleep(50);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Waits()
    {
        lock (Lock)
        {
            sum++;
        }
    }
}
