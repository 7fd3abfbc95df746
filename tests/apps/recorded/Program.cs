// Calls that are easy to count, and ends that leave no time for writing.

using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Recorded;

public static class Program
{
    public static int Main(string[] args)
    {
        if (args[0] == "report")
        {
            Reports.Start(int.Parse(args[1]));
            Thread.Sleep(Timeout.Infinite);
        }
        int count = int.Parse(args[1]);
        long sum = 0;
        for (int number = 0; number < count; number++)
        {
            sum += Work.Add(number, -number);
        }
        Console.WriteLine(sum);
        if (args[0] == "return")
        {
            return 0;
        }
        // Long enough for records to be written, however busy the machine is.
        Thread.Sleep(int.Parse(args[2]));
        Work.Late("soon over");
        if (args[0] == "failfast")
        {
            Environment.FailFast("as the test wants it");
        }
        Process.GetCurrentProcess().Kill();
        Thread.Sleep(Timeout.Infinite);
        return 1;
    }
}

public static class Work
{
    public static long Add(int a, int b) => (long)a * b;

    public static void Late(string why) => Console.WriteLine(why);
}

/// Threads that call without end, and report each call on standard output after it: the thread and the number.
public static class Reports
{
    public static void Start(int threads)
    {
        Stream output = Console.OpenStandardOutput();
        for (int thread = 0; thread < threads; thread++)
        {
            int own = thread;
            new Thread(() => Run(output, own)).Start();
        }
    }

    static void Run(Stream output, int thread)
    {
        byte[] report = new byte[8];
        for (int number = 0; ; number++)
        {
            Work.Add(number, thread);
            BitConverter.TryWriteBytes(report, thread);
            BitConverter.TryWriteBytes(new Span<byte>(report, 4, 4), number);
            lock (output)
            {
                output.Write(report, 0, report.Length);
                output.Flush();
            }
        }
    }
}
