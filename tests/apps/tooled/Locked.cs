using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

/// Known waits for locks, with known owners.
internal static class Locked
{
    private sealed class Vault
    {
    }

    private sealed class Queue
    {
    }

    private static double waited;

    public static void Run()
    {
        Contend(new Vault(), 5, 60);
        Contend(new Queue(), 3, 120);
        // Without a wait.
        for (int number = 0; number < 1_000; number++)
        {
            Take(new Vault());
        }
    }

    private static void Contend(object taken, int times, int milliseconds)
    {
        waited = 0;
        for (int time = 0; time < times; time++)
        {
            var waiter = new Thread(() => Take(taken));
            var owner = new Thread(() => Hold(taken, waiter, milliseconds));
            owner.Start();
            owner.Join();
            waiter.Join();
        }
        Program.Says("waits " + taken.GetType().Name, times + " " + waited);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Hold(object taken, Thread waiter, int milliseconds)
    {
        lock (taken)
        {
            waiter.Start();
            while ((waiter.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0)
            {
                Thread.Sleep(1);
            }
            Thread.Sleep(milliseconds);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Take(object taken)
    {
        var watch = Stopwatch.StartNew();
        lock (taken)
        {
            waited += watch.Elapsed.TotalMilliseconds;
        }
    }
}
