using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using static Covered.Counted;

namespace Covered;

public struct Pair<T>
{
    public T First;

    public Pair(T first)
    {
        Hit(); First = first;
    }

    public T Get() => V(First);
}

public static class Program
{
    public static readonly int Start = V(7);

    public static int Main(string[] args)
    {
        Hit(); Run(args.Length).GetAwaiter().GetResult();
        Report();
        if (args.Length > 0)
        {
            Console.Out.Flush();
            Process.GetCurrentProcess().Kill();
            Thread.Sleep(Timeout.Infinite);
        }
        return 3;
    }

    private static async Task Run(int extra)
    {
        for (int i = 0; i < 40 + extra; i++)
        {
            Hit(); Plain(i);
        }
        Hit(); var pair = new Pair<string>("a");
        Hit(); new Pair<int>(pair.Get().Length).Get();
        Hit(); Lambdas();
        Hit(); int sum = Iterate(6).Sum();
        Hit(); sum += await Later(3);
        Hit(); sum += await Later(-1);
        Hit(); Caught();
        Hit(); Threads();
        Hit(); await More.Run();
        if (B(sum < 0))
        {
            Hit(); Console.WriteLine("never");
        }
    }

    private static int Plain(int i)
    {
        if (B(i % 3 == 0))
        {
            Hit(); return 1;
        }
        while (B(i > 35))
        {
            Hit(); i -= 3;
        }
        int x = B(i > 10) ? 4 : 5;
        switch (i)
        {
            case 1:
                Hit(); return x;
            case 2:
            case 4:
                Hit(); return -x;
            case 5:
                Hit(); break;
            case 400:
                Never(); return 0;
            default:
                Hit(); break;
        }
        return V(Match(i % 2 == 0 ? i : (object)"text"));
    }

    private static int Match(object value)
    {
        switch (value)
        {
            case int number when B(number > 20):
                Hit(); return number;
            case string { Length: > 3 } text:
                Hit(); return text.Length;
            case null:
                Never(); return 0;
            default:
                Hit(); return 2;
        }
    }

    private static void Lambdas()
    {
        Hit(); int[] values = { 1, 2, 3, 4, 5 };
        int over = values.Count(value =>
        {
            Hit(); value *= 2;
            return V(value > 5);
        });
        Hit(); Local(over);

        void Local(int n)
        {
            Hit(); if (n > 1) { Local(n - 1); }
        }
    }

    private static IEnumerable<int> Iterate(int count)
    {
        try
        {
            for (int i = 0; i < count; i++)
            {
                if (B(i == 4))
                {
                    Hit(); yield break;
                }
                Hit(); yield return i;
                Hit(); count += 0;
            }
            Never();
        }
        finally
        {
            Hit();
        }
    }

    private static async Task<int> Later(int delay)
    {
        try
        {
            if (B(delay < 0))
            {
                Hit(); throw new ArgumentException("negative");
            }
            Hit(); await Task.Delay(delay);
            Hit(); await Task.Yield();
            return V(delay);
        }
        catch (ArgumentException e) when (V(e.Message == "negative"))
        {
            Hit(); await Task.Yield();
            return V(0);
        }
        finally
        {
            Hit(); await Task.Delay(1);
        }
    }

    private static void Caught()
    {
        for (int i = 0; i < 3; i++)
        {
            try
            {
                Hit(); Throw(i);
                Hit();
            }
            catch (InvalidOperationException)
            {
                Hit();
            }
            finally
            {
                Hit();
            }
        }
    }

    private static void Throw(int i)
    {
        if (B(i == 1))
        {
            Hit(); throw new InvalidOperationException();
        }
    }

    private static void Threads()
    {
        var threads = new List<Thread>();
        for (int t = 0; t < 4; t++)
        {
            Hit(); threads.Add(new Thread(Work));
        }
        foreach (Thread thread in threads)
        {
            Hit(); thread.Start();
        }
        foreach (Thread thread in threads)
        {
            Hit(); thread.Join();
        }
    }

    private static void Work()
    {
        for (int i = 0; i < 20000; i++)
        {
            if (B(i % 4 == 1))
            {
                Hit();
            }
        }
    }

    private static int Unused(int i)
    {
        if (i > 3)
        {
            Never();
        }
        return i;
    }
}
