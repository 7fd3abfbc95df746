// Executes commands from standard input, line by line, and prints on standard output what it did: for tests that
// attach a profiler meanwhile.

using System;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading;

namespace Attached;

public static class Program
{
    public static int Main()
    {
        Say($"ready {Process.GetCurrentProcess().Id}");
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(' ', 2);
            switch (words[0])
            {
                case "throw":
                    Throw(words[1]);
                    break;
                case "collect":
                    Collect(int.Parse(words[1]));
                    break;
                case "thread":
                    Start(words[1]);
                    break;
                case "load":
                    Say($"loaded {Assembly.Load(words[1]).Location}");
                    break;
                case "variable":
                    Say($"variable {Environment.GetEnvironmentVariable(words[1])}");
                    break;
                case "busy":
                    Busy(TimeSpan.FromMilliseconds(int.Parse(words[1])));
                    break;
                case "work":
                    Say($"worked {Work.Run()}");
                    break;
                case "copy":
                    Say($"the copy worked {Work.RunCopy()}");
                    break;
                case "precompiled":
                    Say($"precompiled {Work.RunPrecompiled()}");
                    break;
                case "background":
                    Background();
                    break;
                case "quit":
                    Say("quitting");
                    return int.Parse(words[1]);
                default:
                    return 64;
            }
        }
        return 65;
    }

    private static void Say(string text)
    {
        Console.WriteLine(text);
        Console.Out.Flush();
    }

    /// <summary>Throws and catches an exception of a type of the core library's.</summary>
    private static void Throw(string type)
    {
        var exception = (Exception)Activator.CreateInstance(typeof(object).Assembly.GetType(type, true));
        try
        {
            throw exception;
        }
        catch (Exception e)
        {
            Say($"caught {e.GetType().FullName} in {MethodBase.GetCurrentMethod().DeclaringType.FullName}.{MethodBase.GetCurrentMethod().Name}");
        }
    }

    private static void Collect(int generation)
    {
        int before = GC.CollectionCount(generation);
        GC.Collect(generation);
        Say($"collected {generation}, {GC.CollectionCount(generation) - before} times");
    }

    private static void Start(string name)
    {
        int before = Thread.CurrentThread.ManagedThreadId, other = 0;
        var thread = new Thread(() => other = Thread.CurrentThread.ManagedThreadId) { Name = name };
        thread.Start();
        thread.Join();
        Say($"thread {name} {(other != before ? "ended" : "was not one")}");
    }

    /// <summary>Threads that throw until the process ends, which does not wait for them.</summary>
    private static void Background()
    {
        var running = new CountdownEvent(4);
        for (int n = 0; n < 4; n++)
        {
            var thread = new Thread(() =>
            {
                for (long thrown = 0; ; thrown++)
                {
                    try
                    {
                        throw new InvalidOperationException();
                    }
                    catch (InvalidOperationException)
                    {
                        if (thrown == 10)
                            running.Signal();
                    }
                }
            })
            { IsBackground = true };
            thread.Start();
        }
        running.Wait();
        Say("background threads throw");
    }

    /// <summary>Threads that throw, allocate, collect and start threads all the time, and then print whether their
    /// results are right.</summary>
    private static void Busy(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        int[] wrong = new int[4];
        long[] thrown = new long[4];
        Thread[] threads = Enumerable.Range(0, wrong.Length).Select(n => new Thread(() =>
        {
            for (int round = 1; watch.Elapsed < time; round++)
            {
                try
                {
                    int sum = Enumerable.Range(0, 100).Sum();
                    throw new InvalidOperationException($"{sum}");
                }
                catch (InvalidOperationException e) when (e.Message.Length > 0)
                {
                    thrown[n]++;
                    if (e.Message != "4950")
                        wrong[n]++;
                }
                if (round % 50 == 0)
                    GC.Collect(round % 3);
                if (round % 20 == 0)
                {
                    var thread = new Thread(() => thrown[n] += 0);
                    thread.Start();
                    thread.Join();
                }
            }
        })).ToArray();
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        Say($"busy, {wrong.Sum()} wrong, {(thrown.All(n => n > 0) ? "all" : "not all")} threads ran");
    }
}
