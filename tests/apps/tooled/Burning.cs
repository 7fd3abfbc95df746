using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

/// Known shares of processor time, a thread that sleeps, and one that waits for a lock.
internal static class Burning
{
    private static readonly object Lock = new object();
    private static readonly long[] Burnt = new long[3];
    private static readonly Random Lengths = new Random();
    private static volatile bool ends;
    private static double slept;
    private static double waited;
    private static long sum;
    private static long worked;

    public static void Run()
    {
        Stopwatch whole = Stopwatch.StartNew();
        int milliseconds = int.Parse(Environment.GetEnvironmentVariable("TOOLED_SECONDS")) * 1000;
        Thread sleeping = new Thread(Sleeps) { Name = "sleeping" };
        Thread waiting = new Thread(Waits) { Name = "waiting" };
        Thread alternating = new Thread(Alternates) { Name = "alternating" };
        sleeping.Start();
        alternating.Start();
        lock (Lock)
        {
            waiting.Start();
            // The methods are compiled before they are measured.
            Spin(1000);
            long rounds = 0;
            double begin = ProcessorTime();
            // The clock is read rarely: each call lets the kernel take the processor away, and then it does so between the methods.
            while (rounds % 64 != 0 || ProcessorTime() - begin < milliseconds)
            {
                Seventy();
                Twenty();
                Ten();
                rounds++;
            }
            Program.Says("rounds", rounds);
            // The same for methods that the compiler lowers.
            begin = ProcessorTime();
            while (ProcessorTime() - begin < 400)
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
        alternating.Join();
        Program.Says("Burning.Seventy", Burnt[0]);
        Program.Says("Burning.Twenty", Burnt[1]);
        Program.Says("Burning.Ten", Burnt[2]);
        Program.Says("Burning.Sleeps", slept);
        Program.Says("Burning.Waits", waited);
        Program.Says("Burning.Run", whole.Elapsed.TotalMilliseconds);
    }

    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }

    [DllImport("libc")]
    private static extern int clock_gettime(int clock, out Time time);

    /// The processor time of the calling thread, in milliseconds.
    private static double ProcessorTime()
    {
        const int ThreadProcessorTime = 3;
        Time time;
        if (clock_gettime(ThreadProcessorTime, out time) != 0)
        {
            throw new PlatformNotSupportedException("no clock of the thread");
        }
        return time.Seconds * 1e3 + time.Nanoseconds / 1e6;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Seventy()
    {
        Spin(Length(0, 7));
        sum++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Twenty()
    {
        Spin(Length(1, 2));
        sum++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Ten()
    {
        Spin(Length(2, 1));
        sum++;
    }

    /// The work of a call, which is added to that of the method. It varies so much that the program is in step with no clock: rounds of
    /// equal length meet the kernel's ticks at few places.
    private static int Length(int method, int parts)
    {
        int length = Lengths.Next(20, 1200) * parts;
        Burnt[method] += length;
        return length;
    }

    /// Burns processor time: as much for each unit.
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
        Stopwatch watch = Stopwatch.StartNew();
        while (!ends)
        {
            Thread.Sleep(50);
        }
        slept = watch.Elapsed.TotalMilliseconds;
    }

    /// Works for some milliseconds, and sleeps for some: a sample finds it asleep more often than not, and asleep it uses nothing.
    private static void Alternates()
    {
        while (!ends)
        {
            Works();
            Naps();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Works()
    {
        long local = 0;
        for (double begin = ProcessorTime(); ProcessorTime() - begin < 3;)
        {
            for (int number = 0; number < 10000; number++)
            {
                local = local * 31 + number % 7;
            }
        }
        worked = local;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Naps()
    {
        Thread.Sleep(6);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Waits()
    {
        Stopwatch watch = Stopwatch.StartNew();
        lock (Lock)
        {
            waited = watch.Elapsed.TotalMilliseconds;
        }
    }
}
