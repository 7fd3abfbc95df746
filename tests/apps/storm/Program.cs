using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Storm
{
    /// <summary>
    /// Creates, uses and unloads contexts on four threads while garbage is collected all the time.
    /// Arguments: the plugin, seconds, and the file for what it did.
    /// </summary>
    public static class Program
    {
        private const int Threads = 4;

        /// <summary>The limit of a thread's contexts that are being unloaded.</summary>
        private const int Dying = 4;

        /// <summary>The barrier of the threads and the main one before a part of the storm, and after it.</summary>
        private static readonly Barrier together = new Barrier(Threads + 1);

        /// <summary>The minimum number of generations in a part of the storm, however slow the machine is.</summary>
        private const int AtLeast = 50;

        private static TimeSpan duration;
        private static int untilNumber;
        private static Generations generations;
        private static int lastNumber;
        private static long calls;
        private static volatile bool stop;

        public static int Main(string[] args)
        {
            generations = new Generations(args[0]);
            double seconds = double.Parse(args[1], System.Globalization.CultureInfo.InvariantCulture);
            var collector = new Thread(Collect) { IsBackground = true };
            collector.Start();
            // The same threads all the time: a profiler may keep something for each.
            var threads = new Thread[Threads];
            for (int index = 0; index < Threads; index++)
            {
                threads[index] = new Thread(Work);
                threads[index].Start();
            }
            using (var facts = new StreamWriter(args[2]))
            {
                foreach (double share in new[] { 0.25, 0.25, 0.5 })
                {
                    duration = TimeSpan.FromSeconds(seconds * share);
                    untilNumber = lastNumber + AtLeast;
                    together.SignalAndWait();
                    together.SignalAndWait();
                    Quiet();
                    calls += Mark("Storm.Program.Mark", lastNumber.ToString(), lastNumber);
                    facts.WriteLine($"{{\"generations\":{lastNumber},\"calls\":{calls},\"rss\":{Resident()}}}");
                }
            }
            duration = TimeSpan.Zero;
            together.SignalAndWait();
            foreach (Thread thread in threads)
                thread.Join();
            stop = true;
            collector.Join();
            Console.WriteLine("the storm is over");
            return 42;
        }

        /// <summary>Everything that was unloaded has been freed: the profiler counts the entries of its caches.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Mark(string expected, string value, int it)
        {
            return 1;
        }

        private static void Collect()
        {
            while (!stop)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Thread.Sleep(1);
            }
        }

        private static void Work()
        {
            while (true)
            {
                together.SignalAndWait();
                if (duration == TimeSpan.Zero)
                    return;
                var clock = Stopwatch.StartNew();
                var dying = new Queue<WeakReference>();
                while (clock.Elapsed < duration || Volatile.Read(ref lastNumber) < untilNumber)
                {
                    (int done, WeakReference life) = generations.Use(Interlocked.Increment(ref lastNumber));
                    Interlocked.Add(ref calls, done);
                    dying.Enqueue(life);
                    if (dying.Count > Dying)
                        Await(dying.Dequeue());
                }
                foreach (WeakReference life in dying)
                    Await(life);
                together.SignalAndWait();
            }
        }

        /// <summary>Waits for the end of a context.</summary>
        private static void Await(WeakReference life)
        {
            var clock = Stopwatch.StartNew();
            while (life.IsAlive)
            {
                if (clock.Elapsed > TimeSpan.FromSeconds(30))
                    throw new InvalidOperationException("a context is not unloaded");
                Thread.Sleep(1);
            }
        }

        /// <summary>Lets the runtime free the data of the contexts, which takes several collections.</summary>
        private static void Quiet()
        {
            for (int turn = 0; turn < 10; turn++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Thread.Sleep(5);
            }
        }

        private static long Resident()
        {
            using (Process self = Process.GetCurrentProcess())
                return self.WorkingSet64;
        }
    }
}
