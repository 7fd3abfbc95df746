using System;
using System.Linq;
using System.Threading;
using Report;

namespace Cases;

/// <summary>Several threads at once, and a method that becomes hot enough to be compiled again.</summary>
public static class Threads
{
    private const int Count = 4;

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Thread[] threads = Enumerable.Range(0, Count).Select(Start).ToArray();
        foreach (Thread thread in threads)
            thread.Join();
        Hot();
        call.Leave();
    }

    private static Thread Start(int number)
    {
        Call call = Self.Enter(null, number);
        var thread = new Thread(Work);
        thread.Start(number);
        call.LeaveWith(Described.TypeOnly(typeof(Thread)));
        return thread;
    }

    private static void Work(object state)
    {
        Call call = Self.Enter(null, state);
        for (int i = 0; i < 50; i++)
        {
            try
            {
                Climb((int)state, i % 7);
            }
            catch (InvalidOperationException e)
            {
                call.Caught(e);
            }
        }
        call.Leave();
    }

    private static string Climb(int thread, int level)
    {
        Call call = Self.Enter(null, thread, level);
        if (level == 6)
            throw Self.Throwing(new InvalidOperationException());
        return call.Leave(level == 0 ? $"thread {thread}" : Climb(thread, level - 1));
    }

    // Tiered compilation replaces a method after 30 calls and a tenth of a second.
    private static void Hot()
    {
        Call call = Self.Enter(null);
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < 40; i++)
                Warm(i, i / 2.0, "hot");
            Thread.Sleep(110);
        }
        call.Leave();
    }

    private static double Warm(int whole, double half, string text) => Self.Enter(null, whole, half, text).Leave(whole + half);
}
