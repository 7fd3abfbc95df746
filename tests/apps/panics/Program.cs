// Causes every kind of callback, often, on four threads: calls, tail calls, exceptions, allocations,
// collections, compilations and class loads. Prints a sum.

using System;
using System.Threading;

namespace Panics;

public static class Program
{
    private const int Threads = 4;
    private const int Rounds = 400;

    public static int Main()
    {
        long sum = 0;
        var threads = new Thread[Threads];
        for (int i = 0; i < Threads; i++)
        {
            threads[i] = new Thread(() => Interlocked.Add(ref sum, Work()));
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine($"sum {sum}");
        Console.Error.WriteLine("the program's own line");
        return 42;
    }

    private static long Work()
    {
        long sum = 0;
        for (int i = 0; i < Rounds; i++)
        {
            sum += Even(i, "tail") ? 1 : 2;
            sum += new int[i].Length;
            try
            {
                Throw(i);
            }
            catch (InvalidOperationException e)
            {
                sum += e.Message.Length;
            }
            if (i % 10 == 0)
            {
                GC.Collect(0);
            }
            if (i % 100 == 0)
            {
                var short_lived = new Thread(() => Interlocked.Increment(ref sum));
                short_lived.Start();
                short_lived.Join();
            }
        }
        return sum;
    }

    private static bool Even(int n, string text) => n <= 0 || Odd(n - 1, text);

    private static bool Odd(int n, string text) => n > 0 && Even(n - 1, text);

    private static void Throw(int i) => throw new InvalidOperationException(i.ToString());
}
