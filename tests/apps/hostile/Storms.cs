// Many exceptions, many threads, many collections.

using System;
using System.Threading;

namespace Hostile;

internal static class Storms
{
    private static int Thrower(int depth)
    {
        if (depth == 0)
        {
            throw new InvalidOperationException("storm");
        }
        try
        {
            return Thrower(depth - 1);
        }
        finally
        {
            Mark(depth);
        }
    }

    private static int Mark(int number) => number;

    internal static int Exceptions(string[] args)
    {
        int caught = 0;
        var threads = new Thread[4];
        for (int t = 0; t < threads.Length; t++)
        {
            threads[t] = new Thread(() =>
            {
                for (int i = 0; i < 100; i++)
                {
                    try
                    {
                        Thrower(i % 8);
                    }
                    catch (InvalidOperationException) when (Mark(i) >= 0)
                    {
                        Interlocked.Increment(ref caught);
                    }
                }
            });
            threads[t].Start();
        }
        Array.ForEach(threads, thread => thread.Join());
        Console.WriteLine(caught);
        return 0;
    }

    internal static int Threads(string[] args)
    {
        int sum = 0;
        for (int round = 0; round < 10; round++)
        {
            var threads = new Thread[20];
            for (int t = 0; t < threads.Length; t++)
            {
                threads[t] = new Thread(() => Interlocked.Add(ref sum, Mark(1)));
                threads[t].Start();
            }
            Array.ForEach(threads, thread => thread.Join());
        }
        Console.WriteLine(sum);
        return 0;
    }

    private static object Make(int size, ref string text, out byte[] bytes)
    {
        bytes = new byte[size];
        text = new string('x', size % 100);
        GC.Collect(size % 3);
        return text;
    }

    internal static int Collections(string[] args)
    {
        int sum = 0;
        string text = "";
        for (int i = 0; i < 60; i++)
        {
            Make(i * 100, ref text, out byte[] bytes);
            sum += text.Length + bytes.Length;
        }
        Console.WriteLine(sum);
        return 0;
    }
}
