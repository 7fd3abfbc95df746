// Four threads that allocate, call and collect for the given number of rounds: objects move while the
// tracer reads them.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime;
using System.Threading;

namespace Alloc;

public sealed class Node
{
    public Node(string name, int[] values, Node next)
    {
        Name = name;
        Values = values;
        Next = next;
    }

    public string Name { get; }

    public int[] Values { get; }

    public Node Next { get; }
}

public static class Program
{
    private const int Threads = 4;

    public static int Main(string[] args)
    {
        TimeSpan time = TimeSpan.FromMilliseconds(int.Parse(args[0]));
        long[] wrong = new long[Threads];
        Thread[] threads = Enumerable.Range(0, Threads).Select(n => new Thread(() => wrong[n] = Work(n, time))).ToArray();
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        Console.WriteLine($"{wrong.Sum()} wrong sums, {(GCSettings.IsServerGC ? "server" : "workstation")}, {GCSettings.LatencyMode}");
        return 0;
    }

    private static long Work(int thread, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var kept = new List<Node>();
        long wrong = 0;
        for (int round = 0; watch.Elapsed < time; round++)
        {
            Node node = Make($"thread {thread}, round {round}", new[] { thread, round, -round }, kept.LastOrDefault());
            if (Sum(node.Values, node.Name, round / 4.0) != thread)
                wrong++;
            kept.Add(node);
            if (kept.Count > 50)
                kept.RemoveRange(0, 40);
            if (round % 40 == 0)
                Collect(round % 3, blocking: round % 200 != 0);
        }
        return wrong;
    }

    private static Node Make(string name, int[] values, Node next) => new(name, Copy(values), next);

    private static T[] Copy<T>(T[] values) => (T[])values.Clone();

    private static int Sum(int[] values, string name, double weight) => name.Length > 0 && weight >= 0 ? values.Sum() : -1;

    // A background collection may run beside the program.
    private static void Collect(int generation, bool blocking)
    {
        if (blocking)
            GC.Collect(generation, GCCollectionMode.Forced, blocking: true, compacting: true);
        else
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
    }
}
