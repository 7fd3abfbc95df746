using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

/// Known waits that are no acquisitions of a lock, by kind.
internal static class Waiting
{
    private sealed class Bell
    {
    }

    private const int Times = 4;
    private const int Milliseconds = 30;

    private static double waited;
    private static double longest;

    public static void Run()
    {
        Wait("Monitor.Wait", () =>
        {
            var bell = new Bell();
            return (() => Pulse(bell), () => OnMonitor(bell));
        });
        Wait("SemaphoreSlim", () =>
        {
            var semaphore = new SemaphoreSlim(0);
            return (() => semaphore.Release(), () => OnSemaphore(semaphore));
        });
        Wait("ManualResetEventSlim", () =>
        {
            var set = new ManualResetEventSlim(false, 0);
            return (set.Set, () => OnEvent(set));
        });
        Wait("CountdownEvent", () =>
        {
            var down = new CountdownEvent(1);
            return (() => down.Signal(), () => OnCountdown(down));
        });
        Wait("Task", () =>
        {
            var source = new TaskCompletionSource<int>();
            return (() => source.SetResult(1), () => OnTask(source.Task));
        });
        Wait("WaitHandle", () =>
        {
            var handle = new AutoResetEvent(false);
            return (() => handle.Set(), () => OnHandle(handle));
        });
        Wait("ReaderWriterLockSlim", () =>
        {
            var held = new ReaderWriterLockSlim();
            var free = new ManualResetEvent(false);
            var taken = new ManualResetEventSlim();
            var holder = new Thread(() =>
            {
                held.EnterWriteLock();
                taken.Set();
                Until(free);
                held.ExitWriteLock();
            });
            holder.Start();
            while (!taken.IsSet)
            {
                Thread.Sleep(1);
            }
            return (() => free.Set(), () => OnReaderWriter(held));
        });
    }

    /// Not one of the stated waits: without a wait of the runtime's.
    private static void Until(ManualResetEvent free)
    {
        while (!free.WaitOne(0))
        {
            Thread.Sleep(1);
        }
    }

    /// Waits on a thread of its own, so many times, and states the waits.
    private static void Wait(string kind, Func<(Action End, Action Wait)> create)
    {
        (waited, longest) = (0, 0);
        for (int time = 0; time < Times; time++)
        {
            (Action end, Action wait) = create();
            var waiter = new Thread(() =>
            {
                var watch = Stopwatch.StartNew();
                wait();
                double took = watch.Elapsed.TotalMilliseconds;
                waited += took;
                longest = Math.Max(longest, took);
            });
            waiter.Start();
            while ((waiter.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0)
            {
                Thread.Sleep(1);
            }
            Thread.Sleep(Milliseconds + (time * Milliseconds));
            end();
            while (waiter.IsAlive)
            {
                Thread.Sleep(1);
            }
        }
        Program.Says("waits " + kind, Times + " " + waited + " " + longest);
    }

    private static void Pulse(Bell bell)
    {
        lock (bell)
        {
            Monitor.Pulse(bell);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnMonitor(Bell bell)
    {
        lock (bell)
        {
            Monitor.Wait(bell);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnSemaphore(SemaphoreSlim semaphore)
    {
        semaphore.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnEvent(ManualResetEventSlim set)
    {
        set.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnCountdown(CountdownEvent down)
    {
        down.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnTask(Task<int> task)
    {
        task.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnHandle(AutoResetEvent handle)
    {
        handle.WaitOne();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnReaderWriter(ReaderWriterLockSlim held)
    {
        held.EnterReadLock();
        held.ExitReadLock();
    }
}
