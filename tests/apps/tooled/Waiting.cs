using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
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

    /// The time of the calls that wait, and of the longest: at most so much was waited.
    private static double called;
    private static double longestCall;

    public static void Run()
    {
        Wait("Monitor.Wait", nameof(OnMonitor), () =>
        {
            var bell = new Bell();
            return (() => Pulse(bell), () => OnMonitor(bell));
        });
        Wait("SemaphoreSlim", nameof(OnSemaphore), () =>
        {
            var semaphore = new SemaphoreSlim(0);
            return (() => semaphore.Release(), () => OnSemaphore(semaphore));
        });
        Wait("ManualResetEventSlim", nameof(OnEvent), () =>
        {
            var set = new ManualResetEventSlim(false, 0);
            return (set.Set, () => OnEvent(set));
        });
        Wait("CountdownEvent", nameof(OnCountdown), () =>
        {
            var down = new CountdownEvent(1);
            return (() => down.Signal(), () => OnCountdown(down));
        });
        Wait("Task", nameof(OnTask), () =>
        {
            var source = new TaskCompletionSource<int>();
            return (() => source.SetResult(1), () => OnTask(source.Task));
        });
        Wait("Task", nameof(OnResult), () =>
        {
            var source = new TaskCompletionSource<int>();
            return (() => source.SetResult(1), () => OnResult(source.Task));
        });
        Wait("WaitHandle", nameof(OnHandle), () =>
        {
            var handle = new AutoResetEvent(false);
            return (() => handle.Set(), () => OnHandle(handle));
        });
        Wait("WaitHandle", nameof(OnHandles), () =>
        {
            var handles = new WaitHandle[] { new AutoResetEvent(false), new ManualResetEvent(false) };
            return (() => ((EventWaitHandle)handles[1]).Set(), () => OnHandles(handles));
        });
        Wait("ReaderWriterLockSlim", nameof(OnReaderWriter), () =>
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
    private static void Wait(string kind, string method, Func<(Action End, Action Wait)> create)
    {
        (called, longestCall) = (0, 0);
        // The time for which the threads were certainly waiting.
        double waited = 0, longest = 0;
        for (int time = 0; time < Times; time++)
        {
            (Action end, Action wait) = create();
            int number = 0;
            var waiter = new Thread(() =>
            {
                Volatile.Write(ref number, gettid());
                var watch = Stopwatch.StartNew();
                wait();
                double took = watch.Elapsed.TotalMilliseconds;
                called += took;
                longestCall = Math.Max(longestCall, took);
            });
            waiter.Start();
            for (int seen = 0; seen < 3; seen = IsWaiting(waiter, Volatile.Read(ref number)) ? seen + 1 : 0)
            {
                Thread.Sleep(1);
            }
            var certain = Stopwatch.StartNew();
            Thread.Sleep(Milliseconds + (time * Milliseconds));
            waited += certain.Elapsed.TotalMilliseconds;
            longest = Math.Max(longest, certain.Elapsed.TotalMilliseconds);
            end();
            while (waiter.IsAlive)
            {
                Thread.Sleep(1);
            }
        }
        Program.Says("waits " + kind + " in " + method, Times + " " + waited + " " + called + " " + longest + " " + longestCall);
    }

    /// A thread that spins may be in the same state of .NET's, but not sleep in the operating system.
    private static bool IsWaiting(Thread thread, int number)
    {
        if ((thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0 || number == 0)
        {
            return false;
        }
        string state = File.ReadAllText("/proc/self/task/" + number + "/stat");
        return state[state.LastIndexOf(')') + 2] == 'S';
    }

    [DllImport("libc")]
    private static extern int gettid();

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
    private static void OnResult(Task<int> task)
    {
        _ = task.Result;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnHandle(AutoResetEvent handle)
    {
        handle.WaitOne();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnHandles(WaitHandle[] handles)
    {
        WaitHandle.WaitAny(handles);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnReaderWriter(ReaderWriterLockSlim held)
    {
        held.EnterReadLock();
        held.ExitReadLock();
    }
}
