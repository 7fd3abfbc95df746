using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime;
using System.Text;
using System.Text.Json;
using System.Threading;

/// A program under load: workers that parse requests, keep results in a cache under a lock, and sometimes fail. The work is fixed,
/// so that its processor time can be compared. Arguments: the number of requests of each worker, and the number of those before, which
/// are not measured.
internal static class Program
{
    private const int Workers = 2;

    /// How often a request is malformed.
    private const int Malformed = 2500;

    private static readonly object Lock = new object();
    private static readonly Dictionary<int, string[]> Cache = new Dictionary<int, string[]>();
    private static long answered;
    private static long failed;

    private static int Main(string[] arguments)
    {
        int requests = int.Parse(arguments[0]);
        Work(int.Parse(arguments[1]));
        long compiled = JitInfo.GetCompiledMethodCount();
        int collections = GC.CollectionCount(0);
        double before = ProcessorTime();
        Work(requests);
        double after = ProcessorTime();
        Console.WriteLine("answered " + answered + ", failed " + failed);
        Console.WriteLine("milliseconds " + Invariant(after - before));
        Console.WriteLine("compiled " + (JitInfo.GetCompiledMethodCount() - compiled));
        Console.WriteLine("collections " + (GC.CollectionCount(0) - collections));
        Console.WriteLine("peak " + Peak());
        Console.WriteLine("all milliseconds " + Invariant(ProcessorTime()));
        return 0;
    }

    private static void Work(int requests)
    {
        Thread[] workers = new Thread[Workers];
        for (int number = 0; number < Workers; number++)
        {
            int worker = number;
            workers[number] = new Thread(() => Serve(worker, requests)) { Name = "worker " + number };
            workers[number].Start();
        }
        foreach (Thread worker in workers)
        {
            worker.Join();
        }
    }

    private static void Serve(int worker, int requests)
    {
        for (int number = 0; number < requests; number++)
        {
            try
            {
                string[] names = Answer(Request(worker, number));
                lock (Lock)
                {
                    Cache[number % 1000] = names;
                    answered++;
                }
            }
            catch (JsonException)
            {
                lock (Lock)
                {
                    failed++;
                }
            }
        }
    }

    /// A list of orders as text; now and then its end is missing.
    private static string Request(int worker, int number)
    {
        StringBuilder text = new StringBuilder("[");
        for (int order = 0; order < 20; order++)
        {
            text.Append(order == 0 ? "" : ",");
            text.Append("{\"id\":").Append((number * 31 + order * 17 + worker) % 1009);
            text.Append(",\"name\":\"order ").Append(order % 7).Append("\",\"price\":").Append(order * 1.25).Append('}');
        }
        return number % Malformed == 0 ? text.ToString() : text.Append(']').ToString();
    }

    private static string[] Answer(string request)
    {
        using (JsonDocument document = JsonDocument.Parse(request))
        {
            return document.RootElement.EnumerateArray()
                .Select(order => new { Id = order.GetProperty("id").GetInt32(), Name = order.GetProperty("name").GetString() })
                .GroupBy(order => order.Name)
                .OrderBy(group => group.Sum(order => order.Id))
                .Select(group => group.Key + ": " + string.Join(", ", group.Select(order => order.Id)))
                .ToArray();
        }
    }

    /// The processor time of the process so far, in milliseconds.
    private static double ProcessorTime()
    {
        return Process.GetCurrentProcess().TotalProcessorTime.TotalMilliseconds;
    }

    private static string Invariant(double number)
    {
        return number.ToString("0.0", CultureInfo.InvariantCulture);
    }

    /// The largest resident memory so far, in kilobytes.
    private static string Peak()
    {
        string line = File.ReadAllLines("/proc/self/status").First(text => text.StartsWith("VmHWM:"));
        return line.Substring("VmHWM:".Length).Trim().Split(' ')[0];
    }
}
