// Executes commands from standard input, line by line, and prints on standard output what it did: for tests that
// attach a profiler meanwhile.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;
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
                case "contend":
                    Contend(int.Parse(words[1]));
                    break;
                case "listen":
                    listener = new Counting();
                    Say("listening");
                    break;
                case "listened":
                    Say(listener.Settled());
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

    private static Counting listener;

    private sealed class Gate
    {
    }

    private sealed class Gate<T>
    {
    }

    /// <summary>A thread waits for a lock that this one has, so many times, of two objects by turns.</summary>
    private static void Contend(int times)
    {
        object[] gates = { new Gate(), new Gate<string>() };
        for (int time = 0; time < times; time++)
        {
            object taken = gates[time % gates.Length];
            Thread thread;
            lock (taken)
            {
                thread = new Thread(() =>
                {
                    lock (taken)
                    {
                    }
                });
                thread.Start();
                while ((thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0)
                    Thread.Sleep(1);
                Thread.Sleep(10);
            }
            thread.Join();
        }
        Say($"contended {times} times");
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

/// <summary>Counts the events of the runtime by their number.</summary>
internal sealed class Counting : EventListener
{
    private readonly SortedDictionary<int, int> counts = new SortedDictionary<int, int>();

    protected override void OnEventSourceCreated(EventSource source)
    {
        // Collections, contention, exceptions.
        if (source.Name == "Microsoft-Windows-DotNETRuntime")
            EnableEvents(source, EventLevel.Informational, (EventKeywords)(0x1 | 0x4000 | 0x8000));
    }

    protected override void OnEventWritten(EventWrittenEventArgs e)
    {
        if (counts == null)
            return;
        lock (counts)
        {
            counts.TryGetValue(e.EventId, out int count);
            counts[e.EventId] = count + 1;
        }
    }

    /// <summary>The counts, when no event has come for a while.</summary>
    public string Settled()
    {
        for (string before = null; ; Thread.Sleep(500))
        {
            string now;
            lock (counts)
                now = string.Join(" ", counts.Select(pair => $"{pair.Key}={pair.Value}"));
            if (now == before)
                return now;
            before = now;
        }
    }
}
